//! Properties of every recovery, control and response on any network.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::member;
use engine::{Bytes, Draws, Span, Stream, Time};
use proptest::prelude::*;
use tcp::cc::ControlConfig;
use tcp::recovery::RecoveryConfig;
use tcp::response::ResponseConfig;
use tcp::{Config, Connection, Event, Reason};
use wire::{Addr, Ecn, Flags, Notice, NoticeKind, Segment, SeqNum};

/// Every recovery x control x response.
fn every_config() -> Vec<Config> {
    let mut all = Vec::new();
    for (recovery, _) in RecoveryConfig::MEMBERS {
        for (control, _) in ControlConfig::MEMBERS {
            for (response, _) in ResponseConfig::MEMBERS {
                all.push(Config {
                    segment: 1000,
                    window: Bytes(32_000),
                    initial_window: 2,
                    initial_ssthresh: None,
                    recovery: member(recovery),
                    control: member(control),
                    response: member(response),
                    ..Config::default()
                });
            }
        }
    }
    all
}

/// Impairments of a network, each a probability.
#[derive(Clone, Copy)]
struct Weather {
    loss: f64,
    ack_loss: f64,
    duplication: f64,
    reordering: f64,
    /// The share of lost segments that is reported: by ICMP-DEFER and ICMP-RETRANSMIT, and by marks on acknowledgments
    /// (ELN).
    notices: f64,
    /// The share of acknowledgments that advertise less than the free window, down to zero; the window's edge never
    /// moves back.
    narrowing: f64,
}

enum Item {
    Segment { to_sender: bool, segment: Segment },
    Notice(Notice),
}

/// Two ends and the network between them.
struct Pair {
    sender: Connection,
    receiver: Connection,
    now: Time,
    flying: BTreeMap<(Time, u64), Item>,
    count: u64,
    draws: Draws,
    weather: Weather,
    /// First byte beyond the window advertised so far.
    edge: u64,
    /// Lost segments that are reported by marks.
    lost_in_air: BTreeSet<u32>,
    log: Vec<(Time, Event)>,
}

const WAY: Span = Span::from_millis(40);

impl Pair {
    fn new(config: &Config, bytes: u64, weather: Weather, seed: u64) -> Self {
        let mut sender = Connection::established(config, 1, 2, config.window.0);
        sender.observe();
        sender.write(bytes);
        Pair {
            sender,
            receiver: Connection::established(config, 2, 1, config.window.0),
            now: Time::ZERO,
            flying: BTreeMap::new(),
            count: 0,
            draws: Stream::named(seed, 0, "contracts").draws(),
            weather,
            edge: 0,
            lost_in_air: BTreeSet::new(),
            log: Vec::new(),
        }
    }

    fn launch(&mut self, after: Span, item: Item) {
        self.count += 1;
        self.flying.insert((self.now + after, self.count), item);
    }

    /// Advertises a smaller window than possible, as for an application that reads late.
    fn narrowed(&mut self, mut segment: Segment) -> Segment {
        let ack = u64::from(segment.ack.0);
        let whole = ack + u64::from(segment.window);
        if self.draws.unit() < self.weather.narrowing {
            let share = self.draws.unit();
            self.edge = self.edge.max(ack + (f64::from(segment.window) * share) as u64).min(whole);
        } else {
            self.edge = self.edge.max(whole);
        }
        segment.window = self.edge.saturating_sub(ack) as u32;
        segment
    }

    fn send(&mut self, to_sender: bool, segment: Segment) {
        let mut segment = if to_sender && self.weather.narrowing > 0.0 { self.narrowed(segment) } else { segment };
        if to_sender && self.lost_in_air.contains(&segment.ack.0) {
            segment.flags = segment.flags | Flags::ELN;
        }
        let loss = if to_sender { self.weather.ack_loss } else { self.weather.loss };
        if self.draws.unit() < loss {
            if !to_sender && self.draws.unit() < self.weather.notices {
                self.lost_in_air.insert(segment.seq.0);
                for (kind, after) in [(NoticeKind::Defer, 45), (NoticeKind::Retransmit, 60)] {
                    let notice =
                        Notice { kind, segment_dst: Addr::of_node(0), src_port: 1, dst_port: 2, seq: segment.seq };
                    self.launch(Span::from_millis(after), Item::Notice(notice));
                }
            }
            return;
        }
        if !to_sender {
            self.lost_in_air.remove(&segment.seq.0);
        }
        let copies = 1 + u64::from(self.draws.unit() < self.weather.duplication);
        for _ in 0..copies {
            let late = if self.draws.unit() < self.weather.reordering { self.draws.next_u64() % 30 } else { 0 };
            self.launch(WAY + Span::from_millis(late), Item::Segment { to_sender, segment });
        }
    }

    /// Sends everything that both ends have to send now, with checks.
    fn exchange(&mut self, config: &Config) {
        while let Some((segment, _)) = self.sender.poll_transmit(self.now) {
            self.check_sent(config, &segment);
            self.send(false, segment);
        }
        while let Some((segment, _)) = self.receiver.poll_transmit(self.now) {
            self.send(true, segment);
        }
        while let Some(event) = self.sender.poll_event() {
            self.log.push((self.now, event));
        }
    }

    fn check_sent(&self, config: &Config, segment: &Segment) {
        let una = self.sender.bytes_acknowledged();
        let seq = segment.seq.to_offset(una).expect("nothing from before the stream");
        let end = seq + u64::from(segment.len);
        // A segment without data is a window probe: it lies below `una`.
        assert!(segment.len > 0 || seq + 1 == una, "{segment:?}");
        assert!(segment.len <= config.segment, "{segment:?}");
        let edge = if self.weather.narrowing > 0.0 { self.edge.max(config.window.0) } else { una + config.window.0 };
        assert!(end <= edge, "{seq}..{end} is beyond the receiver's window, {edge}");
        let cwnd = self.sender.cwnd();
        assert!(cwnd.is_finite() && cwnd >= f64::from(config.segment), "cwnd {cwnd}");
    }

    /// Runs until everything is acknowledged.
    fn run(&mut self, config: &Config) {
        self.exchange(config);
        let mut steps = 0;
        while !self.sender.done() {
            steps += 1;
            assert!(
                steps < 200_000,
                "stalled at {:?} with {} bytes acknowledged",
                self.now,
                self.sender.bytes_acknowledged()
            );
            let timer = self.sender.poll_timeout();
            let next = self.flying.keys().next().map_or(Time::NEVER, |(at, _)| *at);
            assert!(timer != Time::NEVER, "unacknowledged data and no timer");
            assert!(timer >= self.now, "a timer in the past: {timer:?} at {:?}", self.now);
            if timer < next {
                self.now = timer;
                self.sender.handle_timeout(timer);
            } else if let Some(((at, _), item)) = self.flying.pop_first() {
                self.now = at;
                match item {
                    Item::Segment { to_sender: true, segment } => self.sender.handle_segment(at, &segment, Ecn::NotEct),
                    Item::Segment { to_sender: false, segment } => {
                        self.receiver.handle_segment(at, &segment, Ecn::NotEct);
                    }
                    Item::Notice(notice) => self.sender.handle_icmp(at, &notice),
                }
            }
            assert!(
                self.sender.bytes_acknowledged() <= self.receiver.bytes_received(),
                "acknowledged, but not received"
            );
            self.exchange(config);
        }
        // The only timer is for data, and none is outstanding.
        assert_eq!(self.sender.poll_timeout(), Time::NEVER);
    }
}

const WEATHERS: [Weather; 7] = [
    Weather { loss: 0.0, ack_loss: 0.0, duplication: 0.0, reordering: 0.0, notices: 0.0, narrowing: 0.0 },
    Weather { loss: 0.02, ack_loss: 0.0, duplication: 0.0, reordering: 0.0, notices: 0.0, narrowing: 0.0 },
    Weather { loss: 0.05, ack_loss: 0.2, duplication: 0.0, reordering: 0.0, notices: 0.5, narrowing: 0.0 },
    Weather { loss: 0.3, ack_loss: 0.3, duplication: 0.1, reordering: 0.1, notices: 1.0, narrowing: 0.0 },
    Weather { loss: 0.0, ack_loss: 0.0, duplication: 0.2, reordering: 0.5, notices: 0.0, narrowing: 0.0 },
    Weather { loss: 0.1, ack_loss: 0.1, duplication: 0.1, reordering: 0.3, notices: 0.7, narrowing: 0.3 },
    Weather { loss: 0.02, ack_loss: 0.05, duplication: 0.0, reordering: 0.0, notices: 0.0, narrowing: 0.5 },
];

#[test]
fn all_bytes_arrive_under_any_impairments() {
    // Not a multiple of the segment: the last one is short.
    const BYTES: u64 = 300_123;
    for config in every_config() {
        for (number, weather) in WEATHERS.iter().enumerate() {
            for seed in 0..20 {
                let mut pair = Pair::new(&config, BYTES, *weather, seed);
                pair.run(&config);
                assert_eq!(pair.sender.bytes_acknowledged(), BYTES, "{config:?}, weather {number}, seed {seed}");
                assert_eq!(pair.receiver.bytes_received(), BYTES);
                let counters = pair.sender.counters();
                // With a window that stays nearly closed, smaller segments are sent after a wait.
                let new = counters.segments_sent - counters.segments_retransmitted;
                assert!(new == 301 || (new > 301 && weather.narrowing > 0.0), "{counters:?}");
            }
        }
    }
}

#[test]
fn same_seed_gives_the_same_trace() {
    for config in every_config() {
        let trace = || {
            let mut pair = Pair::new(&config, 100_000, WEATHERS[5], 3);
            pair.run(&config);
            pair.log
        };
        assert_eq!(trace(), trace());
    }
}

/// Controls that do not set ssthresh: they respond to the delivery rate, not to loss episodes.
fn without_threshold(config: &Config) -> bool {
    matches!(config.control, ControlConfig::Bbr(_) | ControlConfig::Bbr3(_))
}

/// ssthresh changes exactly once when a fast retransmit or a timeout begins an episode, and at no other time: without a
/// queue here, delay never ends slow start. A reported loss does not change it. cwnd is at least a segment at all
/// times.
#[test]
fn cwnd_is_reduced_once_per_episode() {
    for config in every_config() {
        let (mut cuts, mut explained) = (0, 0);
        for (weather, seed) in [1, 2, 5].into_iter().flat_map(|weather| (0..10).map(move |seed| (weather, seed))) {
            let mut pair = Pair::new(&config, 300_000, WEATHERS[weather], seed);
            pair.run(&config);
            let mut threshold = f64::INFINITY;
            let mut begun = false;
            for (at, event) in &pair.log {
                match event {
                    Event::FastRetransmit { .. } | Event::Timeout { .. } => begun = true,
                    Event::NotifiedRecovery { .. } => explained += 1,
                    Event::Window { cwnd, ssthresh } => {
                        assert!(*cwnd >= f64::from(config.segment), "cwnd {cwnd} at {at:?}");
                        if *ssthresh != threshold {
                            let name = config.control.name();
                            assert!(begun, "{name}: out of nothing at {at:?}, weather {weather}, seed {seed}");
                            cuts += 1;
                        }
                        (threshold, begun) = (*ssthresh, false);
                    }
                    _ => {}
                }
            }
        }
        if without_threshold(&config) {
            assert_eq!(cuts, 0, "{config:?}");
            continue;
        }
        if config.control.name() == "policy" {
            // Losses without a timeout are left to the network.
            assert!(cuts > 0, "{config:?}");
            continue;
        }
        assert!(cuts > 50, "{cuts} cuts: losses went unpunished under {config:?}");
        assert_eq!(explained > 0, config.response.name() != "unmodified", "{config:?}");
    }
}

/// A timeout that the network has explained does not count as consecutive: the next, unexplained one reduces ssthresh.
#[test]
fn reported_timeout_does_not_hide_the_next() {
    for mut config in every_config().into_iter().filter(|config| config.response.name() == "simple-icmp") {
        if without_threshold(&config) {
            continue;
        }
        config.initial_window = 10;
        let mut end = Connection::established(&config, 1, 2, config.window.0);
        end.write(10_000);
        while end.poll_transmit(Time::ZERO).is_some() {}
        let defer =
            Notice { kind: NoticeKind::Defer, segment_dst: Addr::of_node(1), src_port: 1, dst_port: 2, seq: SeqNum(0) };
        end.handle_icmp(Time::ZERO, &defer);
        for cut in [false, true] {
            let now = expire(&mut end);
            while end.poll_transmit(now).is_some() {}
            assert_eq!(end.ssthresh().is_finite(), cut, "ssthresh {}", end.ssthresh());
        }
    }
}

/// An application that writes small amounts: retransmissions have the original boundaries, and new bytes follow.
#[test]
fn retransmitted_segments_keep_their_boundaries() {
    // Pacing would spread them over time.
    for config in every_config().into_iter().filter(|config| config.control.name() == "reno") {
        let mut end = Connection::established(&config, 1, 2, config.window.0);
        let send = |end: &mut Connection, now| {
            std::iter::from_fn(|| end.poll_transmit(now)).map(|(s, _)| (s.seq.0, s.len)).collect::<Vec<_>>()
        };
        let ack = |ack| Segment {
            src_port: 2,
            dst_port: 1,
            seq: SeqNum(0),
            ack: SeqNum(ack),
            flags: Flags::ACK,
            window: 32_000,
            ..Segment::default()
        };
        end.write(1500);
        assert_eq!(send(&mut end, Time::ZERO), [(0, 1000), (1000, 500)]);
        end.write(500);
        let expired = expire(&mut end);
        assert_eq!(send(&mut end, expired), [(0, 1000)]);
        end.handle_segment(expired, &ack(1000), Ecn::NotEct);
        assert_eq!(send(&mut end, expired), [(1000, 500), (1500, 500)]);
        end.handle_segment(expired, &ack(2000), Ecn::NotEct);
        assert!(end.done(), "{} bytes acknowledged", end.bytes_acknowledged());
        assert_eq!(end.poll_timeout(), Time::NEVER);
    }
}

/// Lets the retransmission timer expire; probes sent before are lost.
fn expire(end: &mut Connection) -> Time {
    let timeouts = end.counters().timeouts;
    loop {
        let now = end.poll_timeout();
        end.handle_timeout(now);
        if end.counters().timeouts > timeouts {
            return now;
        }
        while end.poll_transmit(now).is_some() {}
    }
}

/// Without loss, duplication and reordering nothing is sent twice.
#[test]
fn network_without_losses_causes_no_duplicates() {
    for config in every_config() {
        let mut pair = Pair::new(&config, 300_000, WEATHERS[0], 0);
        pair.run(&config);
        let again =
            pair.log.iter().filter(|(_, e)| matches!(e, Event::SegmentSent { reason, .. } if *reason != Reason::New));
        assert_eq!(again.count(), 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Segments and messages that no correct peer sends: no panic, no endless sending, a finite window.
    #[test]
    fn random_segments_cause_no_panic(
        inputs in prop::collection::vec((any::<u32>(), any::<u32>(), any::<u16>(), any::<u32>(), any::<u16>(), any::<bool>(), 0..2_000u64), 1..200),
        near in any::<bool>(),
    ) {
        for config in every_config() {
            let mut end = Connection::established(&config, 1, 2, config.window.0);
            end.observe();
            end.write(1_000_000);
            let mut now = Time::ZERO;
            for (seq, ack, flags, window, len, notice, wait) in &inputs {
                now += Span::from_millis(*wait);
                // Half of the runs use numbers close to those sent, where the interesting states are.
                let [seq, ack] = [*seq, *ack].map(|number| SeqNum(if near { number % 100_000 } else { number }));
                if *notice {
                    let kind = if *flags % 2 == 0 { NoticeKind::Defer } else { NoticeKind::Retransmit };
                    end.handle_icmp(now, &Notice { kind, segment_dst: Addr::of_node(0), src_port: 1, dst_port: 2, seq });
                } else {
                    let segment = Segment { src_port: 2, dst_port: 1, seq, ack, flags: Flags(*flags), window: *window, len: u32::from(*len), ..Segment::default() };
                    end.handle_segment(now, &segment, Ecn::NotEct);
                }
                let mut sent = 0;
                while end.poll_transmit(now).is_some() {
                    sent += 1;
                    prop_assert!(sent < 100_000, "sends without end");
                }
                if end.poll_timeout() <= now {
                    end.handle_timeout(now);
                }
                while end.poll_event().is_some() {}
                prop_assert!(end.cwnd().is_finite());
            }
        }
    }
}
