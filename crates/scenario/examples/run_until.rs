//! A run in steps gives the same results as one without interruption. `cargo run --example run_until`

#![allow(clippy::disallowed_macros, reason = "an example prints")]

use engine::{Span, Time};
use sim::{NullSink, World};

/// Runs the example.
pub fn main() {
    let loaded = scenario::from_toml("link.toml", include_str!("link.toml")).expect("the scenario is valid");
    let mut whole = World::new(&loaded.network, false);
    whole.run(&mut NullSink);
    let completed = whole.results().flows[0].completed.expect("the flow completes");
    let mut pieces = World::new(&loaded.network, false);
    let mut at = Time::ZERO;
    while pieces.flow(0).is_some_and(|flow| flow.completed.is_none()) {
        at += Span::from_secs(1);
        pieces.run_until(at, &mut NullSink);
        let delivered = pieces.results().flows[0].bytes_delivered;
        println!("{:2.0} s {delivered:8} bytes", at.as_secs_f64());
    }
    println!("completed after {:.3} s", completed.as_secs_f64());
    assert_eq!(pieces.flow(0).and_then(|flow| flow.completed), Some(completed));
    // A time in the past has no effect; the duration ends the run.
    assert!(pieces.run_until(Time::ZERO, &mut NullSink) && pieces.now() == at);
    assert!(!pieces.run_until(Time::NEVER, &mut NullSink) && pieces.now() == Time::ZERO + loaded.network.duration);
}
