//! Worlds may move between threads: environments are stepped by a pool, runs of a page by a worker.

#[test]
fn world_can_be_sent_to_another_thread() {
    fn sent<T: Send>() {}
    sent::<sim::World>();
}
