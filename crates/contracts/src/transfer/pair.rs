//! Two ends of a connection and a network with impairments between them.

use std::collections::{BTreeMap, BTreeSet};

use engine::{Draws, Span, Stream, Time};
use tcp::{Config, Connection, Event};
use wire::{Addr, Ecn, Flags, Notice, NoticeKind, Segment};

use super::{TransferOutcome, Weather};
use crate::breach::{Breach, Call, Contract};

/// Propagation delay of each direction.
const DELAY: Span = Span::from_millis(40);
/// Maximum number of steps of a transfer: timers and arrivals.
const MAX_STEPS: u64 = 200_000;

enum Item {
    Segment { to_sender: bool, segment: Segment },
    Notice(Notice),
}

/// Two ends and the network between them.
pub struct Pair<'a> {
    config: &'a Config,
    /// The largest segment, and the largest window of the receiver.
    limits: (u32, u64),
    member: &'a str,
    bytes: u64,
    sender: Connection,
    receiver: Connection,
    now: Time,
    in_transit: BTreeMap<(Time, u64), Item>,
    /// Packets and messages sent.
    count: u64,
    draws: Draws,
    weather: Weather,
    /// First byte beyond the window advertised so far.
    edge: u64,
    /// Sequence numbers of lost segments that acknowledgments with an ELN mark will report.
    lost_in_air: BTreeSet<u32>,
    events: Vec<(Time, Event)>,
    /// Number of timer expiries and arrivals so far.
    steps: u64,
    /// Description of the last timer expiry or arrival.
    what: &'static str,
}

impl<'a> Pair<'a> {
    /// Creates a connection with `bytes` to send.
    pub fn new(config: &'a Config, member: &'a str, bytes: u64, weather: Weather, seed: u64) -> Self {
        let window = config.window.initial(config.segment);
        let ends = [[1, 2], [2, 1]].map(|[here, there]| Connection::established(config, here, there, window));
        Pair::join(config, (config.segment, config.window.max()), ends, member, (bytes, weather, seed))
    }

    /// Creates a connection as [`new`](Self::new), whose receiving end has the settings `peer`.
    pub fn between([config, peer]: [&'a Config; 2], member: &'a str, bytes: u64, weather: Weather, seed: u64) -> Self {
        let sender = Connection::established_with([config, peer], true, [1, 2]);
        let receiver = Connection::established_with([peer, config], false, [2, 1]);
        let limits = (config.segment.min(peer.segment), peer.window.max());
        Pair::join(config, limits, [sender, receiver], member, (bytes, weather, seed))
    }

    fn join(
        config: &'a Config,
        limits: (u32, u64),
        [mut sender, receiver]: [Connection; 2],
        member: &'a str,
        (bytes, weather, seed): (u64, Weather, u64),
    ) -> Self {
        sender.observe();
        sender.write(bytes);
        Pair {
            config,
            limits,
            member,
            bytes,
            sender,
            receiver,
            now: Time::ZERO,
            in_transit: BTreeMap::new(),
            count: 0,
            draws: Stream::named(seed, 0, "contracts").draws(),
            weather,
            edge: 0,
            lost_in_air: BTreeSet::new(),
            events: Vec::new(),
            steps: 0,
            what: "start",
        }
    }

    /// Runs until everything is acknowledged.
    pub fn transfer_all(mut self) -> Result<TransferOutcome, Breach> {
        self.exchange()?;
        while !self.sender.done() {
            self.step()?;
            let (acknowledged, received) = (self.sender.bytes_acknowledged(), self.receiver.bytes_received());
            self.ensure(acknowledged <= received, Contract::Arrival, || {
                (format!("{acknowledged} bytes acknowledged"), format!("at most {received}, which have arrived"))
            })?;
            self.exchange()?;
        }
        let (acknowledged, received) = (self.sender.bytes_acknowledged(), self.receiver.bytes_received());
        self.ensure([acknowledged, received] == [self.bytes; 2], Contract::Arrival, || {
            (format!("{received} bytes received, {acknowledged} acknowledged"), format!("{}", self.bytes))
        })?;
        let timer = self.sender.poll_timeout();
        self.ensure(timer == Time::NEVER, Contract::Timer, || {
            (format!("a timer at {timer:?}"), "none, as nothing is outstanding".into())
        })?;
        Ok(TransferOutcome { counters: self.sender.counters(), events: self.events, ..TransferOutcome::default() })
    }

    /// Executes the next timer or arrival.
    fn step(&mut self) -> Result<(), Breach> {
        self.steps += 1;
        let acknowledged = self.sender.bytes_acknowledged();
        self.ensure(self.steps < MAX_STEPS && self.sender.failure().is_none(), Contract::Progress, || {
            let failure = self.sender.failure();
            (format!("{acknowledged} bytes acknowledged, failure {failure:?}"), format!("{}", self.bytes))
        })?;
        let (timer, delayed) = (self.sender.poll_timeout(), self.receiver.poll_timeout());
        self.ensure(timer != Time::NEVER, Contract::Progress, || {
            (format!("{acknowledged} bytes acknowledged and no timer"), "a timer".into())
        })?;
        self.ensure(timer.min(delayed) >= self.now, Contract::Timer, || {
            (format!("a timer at {:?}", timer.min(delayed)), format!("{:?}, the present, or later", self.now))
        })?;
        let arrival = self.in_transit.keys().next().map_or(Time::NEVER, |(at, _)| *at);
        if delayed < timer.min(arrival) {
            (self.now, self.what) = (delayed, "a timer of the receiver");
            self.receiver.handle_timeout(delayed);
        } else if timer < arrival {
            (self.now, self.what) = (timer, "a timer of the sender");
            self.sender.handle_timeout(timer);
        } else if let Some(((at, _), item)) = self.in_transit.pop_first() {
            self.now = at;
            match item {
                Item::Segment { to_sender: true, segment } => {
                    self.what = "an acknowledgment";
                    self.sender.handle_segment(at, &segment, Ecn::NotEct);
                }
                Item::Segment { to_sender: false, segment } => {
                    self.what = "a segment with data";
                    self.receiver.handle_segment(at, &segment, Ecn::NotEct);
                }
                Item::Notice(notice) => {
                    self.what = "an ICMP message";
                    self.sender.handle_icmp(at, &notice);
                }
            }
        }
        Ok(())
    }

    /// Sends everything that both ends have to send now, with checks.
    fn exchange(&mut self) -> Result<(), Breach> {
        self.check_cwnd()?;
        while let Some((segment, _)) = self.sender.poll_transmit(self.now) {
            self.check_sent(&segment)?;
            self.check_cwnd()?;
            self.send(false, segment);
        }
        while let Some((segment, _)) = self.receiver.poll_transmit(self.now) {
            self.send(true, segment);
        }
        while let Some(event) = self.sender.poll_event() {
            self.events.push((self.now, event));
        }
        Ok(())
    }

    fn check_sent(&self, segment: &Segment) -> Result<(), Breach> {
        let una = self.sender.bytes_acknowledged();
        let seq = segment.seq.to_offset(una);
        // A segment without data is a window probe, which lies below `una`. With timestamps it may also answer an
        // acknowledgment that reordering has made too old [RFC7323 s5.3 R1].
        let answer = |seq| self.config.timestamps && seq >= una;
        let valid = seq.is_some_and(|seq| segment.len > 0 || seq + 1 == una || answer(seq));
        let valid = valid && segment.len <= self.limits.0;
        self.ensure(valid, Contract::Window, || {
            let expected = format!("data from {una} on in segments of at most {}, or a probe", self.limits.0);
            (format!("{segment:?}"), expected)
        })?;
        let end = seq.unwrap_or(una) + u64::from(segment.len);
        let window = self.limits.1;
        let edge = if self.weather.narrowing > 0.0 { self.edge.max(window) } else { una + window };
        self.ensure(end <= edge, Contract::Window, || {
            (format!("data up to {end}"), format!("at most {edge}, the end of the receiver's window"))
        })
    }

    fn check_cwnd(&self) -> Result<(), Breach> {
        let (cwnd, least) = (self.sender.cwnd(), least_cwnd(self.config));
        self.ensure(cwnd.is_finite() && cwnd >= least, Contract::Cwnd, || {
            (format!("cwnd {cwnd}"), format!("a finite number, at least {least}"))
        })
    }

    fn launch(&mut self, after: Span, item: Item) {
        self.count += 1;
        self.in_transit.insert((self.now + after, self.count), item);
    }

    /// Advertises a smaller window than possible, as for an application that reads late.
    fn narrow_window(&mut self, mut segment: Segment) -> Segment {
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
        let mut segment = if to_sender && self.weather.narrowing > 0.0 { self.narrow_window(segment) } else { segment };
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
            self.launch(DELAY + Span::from_millis(late), Item::Segment { to_sender, segment });
        }
    }

    fn ensure(
        &self,
        holds: bool,
        contract: Contract,
        found_and_expected: impl FnOnce() -> (String, String),
    ) -> Result<(), Breach> {
        if holds {
            return Ok(());
        }
        let (found, expected) = found_and_expected();
        let call = Call { number: self.steps, what: format!("{} at {:?}", self.what, self.now) };
        Err(Breach { member: self.member.to_owned(), contract, call: Some(call), found, expected })
    }
}

/// Returns one segment, without its options.
pub fn least_cwnd(config: &Config) -> f64 {
    f64::from(config.segment.saturating_sub(config.data_options()).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::SeqNum;

    const WINDOW: u32 = 10_000;

    fn config() -> Config {
        Config { segment: 1000, window: engine::Bytes(u64::from(WINDOW)).into(), ..Config::default() }
    }

    fn pair(config: &Config) -> Pair<'_> {
        Pair::new(config, "a sender", 100_000, Weather::CLEAR, 1)
    }

    #[test]
    fn segments_beyond_window_or_size_are_refused() {
        let config = config();
        let pair = pair(&config);
        let sent = |seq, len| {
            let segment = Segment { seq: SeqNum(seq), len, ..Segment::default() };
            pair.check_sent(&segment).map_err(|breach| breach.contract)
        };
        assert_eq!([sent(0, 1000), sent(WINDOW - 1000, 1000), sent(500, 1)], [Ok(()); 3]);
        let wrong = [sent(WINDOW - 999, 1000), sent(0, 1001), sent(u32::MAX, 10), sent(0, 0)];
        assert_eq!(wrong, [Err(Contract::Window); 4]);
    }

    #[test]
    fn acknowledgment_of_data_that_has_not_arrived_is_a_breach() {
        let config = config();
        let mut pair = pair(&config);
        let forged = Segment {
            src_port: 2,
            dst_port: 1,
            ack: SeqNum(1000),
            flags: Flags::ACK,
            window: WINDOW,
            ..Segment::default()
        };
        pair.launch(Span::from_millis(1), Item::Segment { to_sender: true, segment: forged });
        let breach = pair.transfer_all().unwrap_err();
        assert_eq!((breach.contract, breach.found.as_str()), (Contract::Arrival, "1000 bytes acknowledged"));
        assert_eq!(breach.call, Some(Call { number: 1, what: "an acknowledgment at 0.001 s".into() }));
    }
}
