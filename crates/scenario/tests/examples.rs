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

/// The complete example in docs/scenario.md, which has every part of a scenario.
#[test]
fn complete_example_of_the_guide_is_accepted() {
    let guide = include_str!("../../../docs/scenario.md");
    let section = guide.split("## A complete example").nth(1).expect("the section is there");
    let example = section.split("```").nth(1).and_then(|block| block.strip_prefix("toml")).expect("it has an example");
    let network = testkit::build_network(example);
    assert_eq!((network.nodes.len(), network.links.len(), network.flows.len()), (5, 4, 2));
}
