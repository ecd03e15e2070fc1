//! Runs one event at a time until the first retransmission, as in a debugger of a protocol. `cargo run --example
//! single_steps`

#![allow(clippy::disallowed_macros, reason = "an example prints")]

use sim::{NullSink, World};

/// Runs the example.
pub fn main() {
    let loaded = scenario::from_toml("link.toml", include_str!("link.toml")).expect("the scenario is valid");
    let mut world = World::new(&loaded.network, false);
    let mut times = 0;
    while let Some(at) = world.next_wakeup() {
        world.run_until(at, &mut NullSink);
        assert_eq!(world.now(), at, "the clock stands where the step was");
        times += 1;
        let flow = world.flow(0).expect("the scenario has one flow");
        if flow.sender.total_retrans > 0 {
            let (ms, una) = (at.as_secs_f64() * 1e3, flow.sender.bytes_acked);
            println!("after {times} points of time, at {ms:.3} ms: byte {una} is sent again");
            return;
        }
    }
    panic!("20 packets of queue are too few for slow start");
}
