//! Runs the examples with their assertions.

#[path = "../examples/flow_info.rs"]
mod flow_info;
#[path = "../examples/inject.rs"]
mod inject;
#[path = "../examples/run_until.rs"]
mod run_until;
#[path = "../examples/single_steps.rs"]
mod single_steps;

#[test]
fn flow_info_shows_both_ends() {
    flow_info::main();
}

#[test]
fn injected_packets_come_out_at_the_other_end() {
    inject::main();
}

#[test]
fn run_in_steps_equals_uninterrupted_run() {
    run_until::main();
}

#[test]
fn single_steps_stop_at_the_first_retransmission() {
    single_steps::main();
}
