//! Segments that no correct peer sends, in every state of a connection: no panic, no endless sending, and counters
//! within the sent data.

use engine::{Bytes, Span, Time};
use proptest::prelude::*;
use tcp::{Config, Connection, State, presets};
use wire::{Ecn, Flags, Options, SackBlocks, Segment, SeqNum, Timestamps};

/// An event at an end.
#[derive(Clone, Debug)]
enum Step {
    Segment(Box<Segment>, Ecn),
    Wait(u64),
    Timeout,
    Write(u64),
    Read(u64),
    ShutdownWrite,
    Close,
    Cork(bool),
    Nodelay(bool),
    More(bool),
}

/// Returns sequence numbers on both sides of those in use, where windows begin and end, and arbitrary ones.
fn number() -> impl Strategy<Value = SeqNum> {
    prop_oneof![
        6 => (0u32..40_000).prop_map(SeqNum),
        2 => (0u32..2000).prop_map(|back| SeqNum(u32::MAX - back)),
        1 => any::<u32>().prop_map(SeqNum),
    ]
}

fn flags() -> impl Strategy<Value = Flags> {
    prop_oneof![6 => Just(Flags::ACK), 1 => Just(Flags::SYN), 1 => Just(Flags::ACK | Flags::SYN), 3 => any::<u16>().prop_map(Flags)]
}

fn options() -> impl Strategy<Value = Options> {
    let blocks = prop::collection::vec((number(), number()), 0..4);
    let stamps = prop::option::of((0u32..3000, 0u32..3000));
    (blocks, stamps, any::<Option<u16>>(), any::<Option<u8>>(), any::<bool>()).prop_map(
        |(blocks, stamps, mss, window_scale, sack_permitted)| Options {
            mss: mss.and_then(std::num::NonZeroU16::new),
            window_scale,
            sack_permitted,
            timestamps: stamps.map(|(value, echo)| Timestamps { value, echo }),
            sack: blocks.into_iter().collect::<SackBlocks>(),
            other: 0,
        },
    )
}

fn segment() -> impl Strategy<Value = Step> {
    let window = prop_oneof![3 => 0u32..70_000, 1 => Just(0u32), 1 => any::<u32>()];
    (number(), number(), flags(), window, 0u32..3000, options(), 0u8..4).prop_map(
        |(seq, ack, flags, window, len, options, ecn)| {
            let segment = Segment { src_port: 2, dst_port: 1, seq, ack, flags, window, window_shift: 0, len, options };
            Step::Segment(Box::new(segment), Ecn::from_bits(ecn))
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => segment(),
        2 => (0u64..2000).prop_map(Step::Wait),
        3 => Just(Step::Timeout),
        2 => (0u64..20_000).prop_map(Step::Write),
        1 => (0u64..20_000).prop_map(Step::Read),
        1 => prop_oneof![Just(Step::ShutdownWrite), Just(Step::Close)],
        1 => any::<bool>().prop_map(Step::Cork),
        1 => any::<bool>().prop_map(Step::Nodelay),
        1 => any::<bool>().prop_map(Step::More),
    ]
}

/// An end in one of the initial states of a connection.
fn end(config: &Config, kind: u8) -> Connection {
    let mut end = match kind {
        0 => Connection::established(config, 1, 2, 20_000),
        1 => Connection::connect(config, 1, 2, SeqNum(u32::MAX)),
        _ => Connection::listen(config, 1, SeqNum(u32::MAX)),
    };
    if kind == 1 {
        end.hold_reading();
    }
    end.observe();
    end
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn random_segments_cause_no_panic_in_any_state(steps in prop::collection::vec(step(), 1..80), kind in 0u8..3) {
        for preset in presets::PRESETS {
            let mut config = Config { segment: 1000, window: Bytes(30_000).into(), ..Config::default() };
            config.merge(&preset.table());
            config.segment = 1000;
            let mut end = end(&config, kind);
            let mut now = Time::ZERO;
            let mut written = 0;
            for step in &steps {
                match step {
                    Step::Segment(segment, ecn) => end.handle_segment(now, segment, *ecn),
                    Step::Wait(millis) => now += Span::from_millis(*millis),
                    Step::Timeout => {
                        let due = end.poll_timeout();
                        if due != Time::NEVER {
                            now = now.max(due);
                            end.handle_timeout(now);
                        }
                    }
                    Step::Write(bytes) => {
                        end.write(*bytes);
                        written += bytes;
                    }
                    Step::Read(bytes) => {
                        end.read(*bytes);
                    }
                    Step::ShutdownWrite => end.shutdown_write(),
                    Step::Close => end.close(),
                    Step::Cork(on) => end.set_cork(*on),
                    Step::Nodelay(on) => end.set_nodelay(*on),
                    Step::More(on) => end.set_more(*on),
                }
                let mut sent = 0;
                while let Some((out, _)) = end.poll_transmit(now) {
                    prop_assert!(out.len <= config.segment, "{}: {out:?}", preset.name);
                    sent += 1;
                    prop_assert!(sent < 5000, "{} sends without end", preset.name);
                }
                if end.poll_timeout() <= now {
                    end.handle_timeout(now);
                }
                while end.poll_event().is_some() {}
                let cwnd = end.cwnd();
                prop_assert!(cwnd.is_finite() && cwnd > 0.0, "{}: cwnd {cwnd}", preset.name);
                // A FIN counts as one byte.
                prop_assert!(end.bytes_acknowledged() <= written + 1, "{}", preset.name);
                if end.state() == State::Closed {
                    prop_assert!(end.poll_timeout() == Time::NEVER, "{}: a closed connection has a timer", preset.name);
                }
            }
        }
    }
}
