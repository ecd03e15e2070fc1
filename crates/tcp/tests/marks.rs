//! The response of every control to echoed ECN marks [RFC3168 s6.1.2].

use crate::common;

use common::member;
use engine::{Bytes, Time};
use tcp::cc::ControlConfig;
use tcp::config::EcnMode;
use tcp::{Config, Connection};
use wire::{Ecn, Flags, Segment, SeqNum};

const SEGMENT: u32 = 1000;

/// A sender with ten segments in flight, a round trip of 100 ms and a cwnd of ten.
fn sender(control: &str) -> Connection {
    let config = Config {
        segment: SEGMENT,
        window: Bytes(1_000_000).into(),
        initial_window: 10,
        control: member(control),
        recovery: member("sack"),
        ecn: EcnMode::Request,
        ..Config::default()
    };
    let mut sender = Connection::established(&config, 1, 2, 1_000_000);
    sender.write(u64::MAX);
    while sender.poll_transmit(Time::ZERO).is_some() {}
    sender
}

/// Acknowledges `segments` with ECN-Echo at `millis`.
fn echo(sender: &mut Connection, millis: u64, segments: u32) {
    let now = Time::from_millis(millis);
    let ack = Segment {
        src_port: 2,
        dst_port: 1,
        ack: SeqNum(segments * SEGMENT),
        flags: Flags::ACK | Flags::ECE,
        window: 1_000_000,
        ..Segment::default()
    };
    sender.handle_segment(now, &ack, Ecn::NotEct);
    while sender.poll_transmit(now).is_some() {}
}

// covers [RFC3168 s6.1.2]: the first echo reduces cwnd. Until the other end receives CWR, echoes neither grow cwnd nor
// reduce it again.
#[test]
fn duplicate_echo_does_not_grow_cwnd() {
    for (name, _) in ControlConfig::MEMBERS {
        // DCTCP evaluates each mark; BBR follows its model, and a policy follows its network.
        if ["dctcp", "bbr", "bbr3", "policy"].contains(name) {
            continue;
        }
        let mut sender = sender(name);
        let before = sender.cwnd();
        echo(&mut sender, 100, 2);
        let cut = sender.cwnd();
        assert!(cut < before, "{name}: {cut} of {before}");
        for (millis, segments) in [(101, 4), (102, 6), (103, 10)] {
            echo(&mut sender, millis, segments);
            assert_eq!(sender.cwnd(), cut, "{name} at {millis} ms");
        }
        assert_eq!(sender.counters().marks, 1, "{name}");
    }
}
