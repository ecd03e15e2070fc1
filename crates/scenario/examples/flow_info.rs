//! The state of both ends of a flow, every 200 ms: congestion window and round-trip time, in the terms of TCP_INFO.
//! `cargo run --example flow_info`

#![allow(clippy::disallowed_macros, reason = "an example prints")]

use sim::{NullSink, World};

/// Runs the example.
pub fn main() {
    let loaded = scenario::from_toml("link.toml", include_str!("link.toml")).expect("the scenario is valid");
    let mut world = World::new(&loaded.network, false);
    let step = engine::Span::from_millis(200);
    println!("{:>6} {:>14} {:>8} {:>10}", "ms", "cwnd segments", "rtt ms", "acked B");
    let mut rows = 0;
    while world.run_until(world.now() + step, &mut NullSink) {
        let flow = world.flow(0).expect("the scenario has one flow");
        let (at, sender) = (world.now().as_secs_f64() * 1e3, &flow.sender);
        println!("{at:6.0} {:14} {:8.1} {:10}", sender.cwnd, sender.rtt.as_secs_f64() * 1e3, sender.bytes_acked);
        rows += 1;
        if flow.completed.is_some() {
            break;
        }
    }
    // 1 MB at 2 Mbps takes 4 s at least.
    assert!(rows >= 20 && world.flow(0).is_some_and(|flow| flow.receiver.bytes_received == 1_000_000));
    assert!(world.flow(1).is_none());
}
