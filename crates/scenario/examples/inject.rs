//! Injected packets: probes share the network with a flow. The delay of a delivered probe shows the backlog of
//! the queue. `cargo run --example inject`

#![allow(clippy::disallowed_macros, reason = "an example prints")]

use engine::Time;
use sim::{Delivered, NullSink, World};
use wire::{Addr, Body, Packet};

/// Runs the example.
pub fn main() {
    let loaded = scenario::from_toml("link.toml", include_str!("link.toml")).expect("the scenario is valid");
    let mut world = World::new(&loaded.network, false);
    for number in 0..10 {
        world.run_until(Time::from_millis(100 * u64::from(number)), &mut NullSink);
        // An empty segment of 40 bytes for an unused port; its source port identifies it.
        let mut probe = Packet::blank(Addr::of_node(0), Addr::of_node(1));
        probe.segment_to_write().src_port = number;
        world.inject(0, probe, &mut NullSink).expect("both nodes exist");
    }
    world.run_until(Time::from_millis(1500), &mut NullSink);
    let delay = |came: &Delivered| {
        let Body::Tcp(segment) = &came.packet.body else { unreachable!("only probes are delivered") };
        (came.at.since(Time::from_millis(100 * u64::from(segment.src_port))).as_nanos()) / 1000
    };
    let delays: Vec<u64> = world.take_delivered().iter().map(delay).collect();
    delays.iter().for_each(|delay| println!("{:.3} ms", *delay as f64 / 1e3));
    // The first waits for the initial window, 10 packets of 1500 bytes and 6 ms each; then 40 bytes at 2 Mbps, and 20 ms. No queue is longer
    // than 20 packets.
    assert_eq!(delays[0], 60_000 + 160 + 20_000);
    assert!(delays.iter().all(|delay| (20_160..=20_160 + 21 * 6_000).contains(delay)));
}
