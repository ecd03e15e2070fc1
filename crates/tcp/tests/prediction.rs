//! Header prediction changes nothing: two connections with it and two without it exchange the same segments over a path
//! that loses, repeats, delays and marks segments. All four are compared after every step.

use std::collections::BTreeMap;

use engine::{Bytes, Draws, Span, Stream, Time};
use tcp::config::{Delay, DelayedAck};
use tcp::{Config, Connection, Polled, Unpredicted, presets};
use wire::{CompactSegment, Ecn, Flags, Notice, NoticeKind, Options, Segment, SeqNum};

/// Number of predicted segments, by whether they carried data, and the reasons for unpredicted ones.
#[derive(Default)]
struct Count {
    data: u32,
    acknowledgments: u32,
    others: BTreeMap<Unpredicted, u32>,
    sent: u64,
    without_options: u64,
    /// Segments after which no further segment may follow.
    last: u64,
}

/// Two ends with header prediction, and two without.
struct Ends {
    predicting: [Connection; 2],
    plain: [Connection; 2],
}

impl Ends {
    /// Performs the same action at one end of both pairs.
    fn both(&mut self, end: usize, act: impl Fn(&mut Connection)) {
        act(&mut self.predicting[end]);
        act(&mut self.plain[end]);
    }

    fn deliver(&mut self, now: Time, end: usize, segment: &Segment, ecn: Ecn, count: &mut Count) {
        self.plain[end].handle_segment(now, segment, ecn);
        if segment.options != Options::default() {
            return self.predicting[end].handle_segment(now, segment, ecn);
        }
        match self.predicting[end].handle_predicted(now, &CompactSegment::of(segment), ecn) {
            Ok(()) if segment.len > 0 => count.data += 1,
            Ok(()) => count.acknowledgments += 1,
            Err(why) => {
                *count.others.entry(why).or_default() += 1;
                self.predicting[end].handle_segment(now, segment, ecn);
            }
        }
    }

    /// The next segment of an end, which must be equal with and without prediction.
    fn poll(&mut self, now: Time, end: usize, count: &mut Count) -> Option<(Segment, Ecn)> {
        let plain = self.plain[end].poll_transmit(now);
        let predicting = match self.predicting[end].poll_compact(now) {
            Polled::Nothing => None,
            Polled::WithOptions => self.predicting[end].poll_transmit(now),
            polled @ (Polled::Segment(compact, ecn) | Polled::Last(compact, ecn)) => {
                let mut segment = Segment::default();
                compact.write_to(&mut segment);
                count.without_options += 1;
                if matches!(polled, Polled::Last(..)) {
                    count.last += 1;
                    assert_eq!(self.predicting[end].poll_transmit(now), None);
                }
                Some((segment, ecn))
            }
        };
        count.sent += u64::from(plain.is_some());
        assert_eq!(predicting, plain);
        plain
    }

    fn compare(&mut self, end: usize, context: &str) {
        let [one, other] = [&mut self.predicting[end], &mut self.plain[end]];
        loop {
            let (event, expected) = (one.poll_event(), other.poll_event());
            assert_eq!(event, expected, "{context}");
            if expected.is_none() {
                break;
            }
        }
        let state = |end: &Connection| {
            let windows = [end.cwnd(), end.ssthresh()].map(f64::to_bits);
            let received = (end.segments_duplicate(), end.segments_discarded(), end.readable());
            (end.info(), windows, end.poll_timeout(), end.counters(), end.blocked(), received, end.failure())
        };
        assert_eq!(state(one), state(other), "{context}");
    }
}

/// A segment on its way to an end.
struct TransitSegment {
    /// Arrival.
    at: Time,
    /// The receiving end.
    to: usize,
    segment: Segment,
    ecn: Ecn,
}

/// One run of two pairs of connections. The actions are drawn at random, and are the same for both pairs.
struct Run {
    ends: Ends,
    now: Time,
    draws: Draws,
    on_the_way: Vec<TransitSegment>,
    context: String,
}

impl Run {
    fn new(preset: &presets::Preset, number: u64) -> Self {
        let mut draws = Stream::named(number, 0, preset.name).draws();
        let mut one_in = |count: u64| draws.next_u64().is_multiple_of(count);
        let mut config = Config { segment: 1000, window: Bytes(64_000).into(), ..Config::default() };
        config.merge(&preset.table());
        config.segment = 1000;
        if !one_in(8) {
            (config.timestamps, config.ecn) = (false, Config::default().ecn);
        }
        if one_in(2) {
            config.delayed_ack = DelayedAck::On(Delay::default());
        }
        config.window = Bytes(if one_in(3) { 5000 } else { 64_000 }).into();
        let ends = |handshake: bool| {
            if !handshake {
                [(1, 2), (2, 1)].map(|(here, there)| Connection::established(&config, here, there, config.window.max()))
            } else {
                [
                    Connection::connect(&config, 1, 2, SeqNum(u32::MAX - 5000)),
                    Connection::listen(&config, 2, SeqNum(u32::MAX - 9000)),
                ]
            }
        };
        let handshake = one_in(2);
        let mut ends = Ends { predicting: ends(handshake), plain: ends(handshake) };
        if one_in(2) {
            [0, 1].into_iter().for_each(|end| ends.both(end, Connection::observe));
        }
        if one_in(4) {
            ends.both(1, Connection::hold_reading);
        }
        ends.both(0, |end| end.write(400_000));
        let context = format!("{} {number}", preset.name);
        Run { ends, now: Time::ZERO, draws, on_the_way: Vec::new(), context }
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.draws.next_u64().is_multiple_of(count)
    }

    fn below(&mut self, most: u64) -> u64 {
        self.draws.next_u64() % most
    }

    /// Transmits all segments that an end can send.
    fn send(&mut self, end: usize, count: &mut Count) {
        while let Some((mut segment, mut ecn)) = self.ends.poll(self.now, end, count) {
            if self.one_in(60) {
                continue;
            }
            if self.one_in(150) {
                ecn = Ecn::Ce;
            }
            if self.one_in(300) {
                segment.flags = segment.flags | Flags::ELN;
            }
            match self.below(900) {
                0..3 => segment.src_port = 9,
                3..6 => segment.ack = segment.ack + 1000,
                6..9 if segment.len > 0 => segment.len += 5000,
                _ => {}
            }
            let late = if self.one_in(50) { 30_000 } else { 0 };
            let again = self.one_in(100);
            for _ in 0..=u32::from(again) {
                let delay = Span::from_nanos(1000 * (10_000 + late + self.below(20)));
                self.on_the_way.push(TransitSegment { at: self.now + delay, to: 1 - end, segment, ecn });
            }
        }
        self.ends.compare(end, &self.context);
    }

    /// An occasional action of applications or networks.
    fn act(&mut self) -> usize {
        let (end, bytes) = (self.below(2) as usize, self.below(8000));
        match self.below(16) {
            0..6 => self.ends.both(0, |end| end.write(bytes)),
            6 => self.ends.both(end, |end| end.write(bytes / 4)),
            7..12 => {
                self.ends.both(1, |end| {
                    end.read(bytes);
                });
                return 1;
            }
            12 => self.ends.both(end, |end| end.set_cork(bytes % 2 == 0)),
            13 => self.ends.both(end, |end| end.set_nodelay(bytes % 2 == 0)),
            14 if bytes < 400 => self.ends.both(end, Connection::shutdown_write),
            _ => {
                let (seq, now) = (self.ends.plain[0].origin().at(self.ends.plain[0].bytes_acknowledged()), self.now);
                let kind = if bytes % 2 == 0 { NoticeKind::Defer } else { NoticeKind::Retransmit };
                let addr = wire::Addr::of_node(0);
                let notice = Notice { kind, segment_dst: addr, src_port: 1, dst_port: 2, seq };
                self.ends.both(0, |end| end.handle_icmp(now, &notice));
                return 0;
            }
        }
        end
    }

    fn steps(mut self, count: &mut Count) {
        (0..2).for_each(|end| self.send(end, count));
        for _ in 0..700 {
            let timers = [0, 1].map(|end| self.ends.plain[end].poll_timeout());
            let arrival = self.on_the_way.iter().enumerate().min_by_key(|(place, flying)| (flying.at, *place));
            let arrival = arrival.map(|(place, flying)| (place, flying.at));
            let arrives = arrival.map_or(Time::NEVER, |(_, at)| at);
            let next = arrives.min(timers[0]).min(timers[1]);
            let end = if self.one_in(80) || next == Time::NEVER {
                self.act()
            } else if let Some((place, _)) = arrival.filter(|_| arrives == next) {
                let TransitSegment { to, segment, ecn, .. } = self.on_the_way.remove(place);
                self.now = self.now.max(next);
                self.ends.deliver(self.now, to, &segment, ecn, count);
                to
            } else {
                let end = usize::from(timers[0] != next);
                self.now = self.now.max(next);
                let now = self.now;
                self.ends.both(end, |end| end.handle_timeout(now));
                end
            };
            self.send(end, count);
        }
    }
}

// covers [RFC9293 s3.10.7.4]
#[test]
fn header_prediction_does_not_change_the_effect_of_segments() {
    let mut count = Count::default();
    for preset in presets::PRESETS {
        for number in 0..120 {
            Run::new(preset, number).steps(&mut count);
        }
    }
    let Count { data, acknowledgments, others, sent, without_options, last } = count;
    assert!(data > 10_000 && acknowledgments > 10_000 && without_options > sent / 2 && last > 10_000);
    let missing = [
        Unpredicted::Sequence,
        Unpredicted::Flags,
        Unpredicted::Port,
        Unpredicted::State,
        Unpredicted::Marked,
        Unpredicted::Negotiated,
        Unpredicted::BothSend,
        Unpredicted::Receiver,
        Unpredicted::Acknowledgment,
        Unpredicted::ClosedWindow,
        Unpredicted::Sender,
    ]
    .into_iter()
    .filter(|why| others.get(why).is_none_or(|count| *count < 1000));
    assert_eq!(missing.collect::<Vec<_>>(), [], "each reason occurs 1,000 times");
}
