//! One flow through one queue: the minimal network with a closed control loop.
//!
//! A sender that always has data, a first-in first-out queue served at a constant rate, a propagation delay, and a
//! receiver that reports each segment separately. A loss is detected when three later segments have arrived, and is
//! never retransmitted: only the control is tested, so recovery is perfect and instantaneous. The order of calls is
//! that of the trait. Delivery rates are measured as in draft-ietf-ccwg-bbr s4.1.

use std::collections::VecDeque;

use engine::{Draws, Span, Stream, Time};
use tcp::cc::{Acked, Congestion, CongestionControl, Feedback, Flight, RateSample};

/// Bytes of a segment.
pub const SEGMENT: u64 = 1000;

/// The path.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Service rate of the queue, bytes per second.
    pub rate: u64,
    /// Propagation delay of the round trip.
    pub rtt: Span,
    /// Capacity of the queue in bytes, the segment in service included.
    pub buffer: u64,
    /// Backlog, in bytes, from which on segments are marked.
    pub mark: Option<u64>,
    /// Probability that a segment is lost after the queue.
    pub loss: f64,
    /// Reports are delivered in bunches, at multiples of this time.
    pub bunch: Span,
}

impl Path {
    /// The bandwidth-delay product in bytes.
    pub fn bdp(&self) -> f64 {
        self.rate as f64 * self.rtt.as_secs_f64()
    }
}

/// The state when a segment was sent.
#[derive(Clone, Copy)]
struct Sent {
    number: u64,
    at: Time,
    delivered: u64,
    delivered_at: Time,
    first_sent_at: Time,
    lost: u64,
    flight: f64,
}

/// A sample of the run's state.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    pub at: Time,
    pub cwnd: f64,
    pub flight: f64,
    pub queue: u64,
    pub delivered: u64,
    pub lost: u64,
}

/// The receiver's report of a segment.
struct ReceiverReport {
    /// Arrival at the sender.
    at: Time,
    number: u64,
    marked: bool,
}

/// A run of the loop.
pub struct Run {
    pub cc: Box<dyn CongestionControl>,
    path: Path,
    now: Time,
    draws: Draws,
    /// Segments in flight, oldest first. A segment counts as lost after three later arrivals.
    sent: VecDeque<Sent>,
    /// Reports in transit.
    reports: VecDeque<ReceiverReport>,
    next: u64,
    /// Time at which the queue will be empty.
    busy_until: Time,
    /// Time from which the next segment may be sent.
    release: Time,
    delivered: u64,
    delivered_at: Time,
    first_sent_at: Time,
    lost: u64,
    srtt: Option<Span>,
    /// The loss episode ends when all segments below this number have arrived or are lost.
    recovery: Option<u64>,
    /// The segment up to which no further mark counts: one round trip.
    marked_until: u64,
    timeouts: u32,
    last_progress: Time,
    pub log: Vec<Moment>,
    pub episodes: u32,
}

impl Run {
    pub fn new(cc: Box<dyn CongestionControl>, path: Path, seed: u64) -> Self {
        Run {
            cc,
            path,
            now: Time::ZERO,
            draws: Stream::named(seed, 0, "bottleneck").draws(),
            sent: VecDeque::new(),
            reports: VecDeque::new(),
            next: 0,
            busy_until: Time::ZERO,
            release: Time::ZERO,
            delivered: 0,
            delivered_at: Time::ZERO,
            first_sent_at: Time::ZERO,
            lost: 0,
            srtt: None,
            recovery: None,
            marked_until: 0,
            timeouts: 0,
            last_progress: Time::ZERO,
            log: Vec::new(),
            episodes: 0,
        }
    }

    /// Changes the path. The round trip must not become shorter, because reports keep their order.
    pub fn change(&mut self, path: Path) {
        assert!(path.rtt >= self.path.rtt);
        self.path = path;
    }

    /// Runs to `end`.
    pub fn until(&mut self, end: Time) -> &mut Self {
        loop {
            self.send();
            let report = self.reports.front().map_or(Time::NEVER, |report| report.at);
            let room = self.flight() + SEGMENT as f64 <= self.cc.cwnd();
            let release = if room { self.release } else { Time::NEVER };
            let timer = if self.sent.is_empty() { Time::NEVER } else { self.last_progress + self.rto() };
            let next = report.min(release).min(timer);
            if next > end {
                return self;
            }
            assert!(next >= self.now, "time runs backwards");
            self.now = next;
            if report == next {
                let ReceiverReport { number, marked, .. } = self.reports.pop_front().expect("a report");
                self.on_report(number, marked);
            } else if timer == next && release != next {
                self.on_timeout();
            }
        }
    }

    /// The samples from `from` on.
    pub fn since(&self, from: Time) -> &[Moment] {
        &self.log[self.log.partition_point(|moment| moment.at < from)..]
    }

    /// Bytes per second delivered between two times.
    pub fn goodput(&self, from: Time, to: Time) -> f64 {
        let at = |time: Time| self.log[..self.log.partition_point(|moment| moment.at <= time)].last();
        let bytes = |time| at(time).map_or(0, |moment| moment.delivered);
        (bytes(to) - bytes(from)) as f64 / to.since(from).as_secs_f64()
    }

    fn rto(&self) -> Span {
        let base = self.srtt.map_or(Span::from_secs(1), |srtt| srtt.times(3).max(Span::from_secs(1)));
        base.times(1 << self.timeouts.min(6))
    }

    fn flight(&self) -> f64 {
        (self.sent.len() as u64 * SEGMENT) as f64
    }

    fn queue(&self) -> u64 {
        let waiting = u128::from(self.busy_until.since(self.now).as_nanos());
        (waiting * u128::from(self.path.rate) / 1_000_000_000) as u64
    }

    fn send(&mut self) {
        while self.flight() + SEGMENT as f64 <= self.cc.cwnd() && self.release <= self.now {
            if self.sent.is_empty() {
                self.first_sent_at = self.now;
                self.delivered_at = self.now;
                self.last_progress = self.now;
            }
            self.sent.push_back(Sent {
                number: self.next,
                at: self.now,
                delivered: self.delivered,
                delivered_at: self.delivered_at,
                first_sent_at: self.first_sent_at,
                lost: self.lost,
                flight: self.flight() + SEGMENT as f64,
            });
            let queue = self.queue();
            let lost_in_air = self.draws.unit() < self.path.loss;
            if queue + SEGMENT <= self.path.buffer {
                let service = Span::from_nanos(SEGMENT * 1_000_000_000 / self.path.rate);
                self.busy_until = self.busy_until.max(self.now) + service;
                let marked = self.path.mark.is_some_and(|mark| queue >= mark);
                if !lost_in_air {
                    let at = (self.busy_until + self.path.rtt).as_nanos();
                    let bunch = self.path.bunch.as_nanos().max(1);
                    let at = Time::from_nanos(at.div_ceil(bunch) * bunch);
                    self.reports.push_back(ReceiverReport { at, number: self.next, marked });
                }
            }
            self.next += 1;
            if let Some(rate) = self.cc.pacing_rate() {
                assert!(rate > 0.0 && rate.is_finite(), "paces at {rate}");
                let gap = Span::from_nanos((SEGMENT as f64 / rate * 1e9) as u64);
                self.release = self.release.max(self.now) + gap;
            }
        }
    }

    fn on_report(&mut self, number: u64, marked: bool) {
        let flight_before = self.flight();
        let una_before = self.una();
        // Segments arrive in order. Therefore the segments before this one are lost, which is detected after three
        // later arrivals.
        let Some(index) = self.sent.iter().position(|sent| sent.number == number) else { return };
        let sent = self.sent.remove(index).expect("found");
        self.delivered += SEGMENT;
        self.delivered_at = self.now;
        self.first_sent_at = sent.at;
        self.timeouts = 0;
        self.last_progress = self.now;
        let rtt = self.now.since(sent.at);
        self.srtt = Some(self.srtt.map_or(rtt, |srtt| Span::from_nanos(srtt.as_nanos() / 8 * 7 + rtt.as_nanos() / 8)));
        let mut lost = 0;
        while self.sent.front().is_some_and(|oldest| oldest.number + 3 <= number) {
            self.sent.pop_front();
            lost += SEGMENT;
        }
        self.lost += lost;
        let interval = sent.at.since(sent.first_sent_at).max(self.now.since(sent.delivered_at));
        let rate = RateSample {
            delivered: self.delivered - sent.delivered,
            interval,
            prior_delivered: sent.delivered,
            total_delivered: self.delivered,
            app_limited: false,
            flight_at_send: sent.flight,
            lost: self.lost - sent.lost,
            total_lost: self.lost,
        };
        let (una, nxt) = (self.una(), self.next * SEGMENT);
        self.cc.on_feedback(&Feedback {
            now: self.now,
            una,
            nxt,
            acked: una - una_before,
            delivered: SEGMENT,
            lost,
            flight_before,
            flight: self.flight(),
            rtt: Some(rtt),
            srtt: self.srtt.unwrap_or_default(),
            ecn_echo: marked,
            recovering: self.recovery.is_some(),
            rate: Some(rate),
        });
        let flight = Flight { now: self.now, bytes: flight_before, window: self.cc.cwnd(), again: false };
        let begins = lost > 0 && self.recovery.is_none();
        if begins {
            self.recovery = Some(self.next);
            self.episodes += 1;
            self.cc.on_congestion(Congestion::FastRetransmit, &flight);
        } else if marked && !self.cc.precise_ecn() && self.recovery.is_none() && una > self.marked_until {
            self.marked_until = nxt;
            self.cc.on_congestion(Congestion::Ecn, &flight);
        }
        if self.recovery.is_some_and(|end| una >= end * SEGMENT) {
            self.recovery = None;
            self.cc.on_recovered(self.now);
        } else if self.recovery.is_none() && flight_before + 2.0 * SEGMENT as f64 > self.cc.cwnd() {
            let (bytes, srtt) = (SEGMENT, self.srtt.unwrap_or_default());
            self.cc.on_ack(&Acked { now: self.now, bytes, una, nxt, rtt: Some(rtt), srtt });
        }
        self.note();
    }

    fn on_timeout(&mut self) {
        let flight = Flight { now: self.now, bytes: self.flight(), window: self.cc.cwnd(), again: false };
        self.lost += self.sent.len() as u64 * SEGMENT;
        self.sent.clear();
        self.timeouts += 1;
        self.recovery = None;
        self.last_progress = self.now;
        self.cc.on_congestion(Congestion::Timeout { nth: self.timeouts }, &flight);
        self.note();
    }

    fn una(&self) -> u64 {
        self.sent.front().map_or(self.next, |oldest| oldest.number) * SEGMENT
    }

    fn note(&mut self) {
        let cwnd = self.cc.cwnd();
        assert!(cwnd.is_finite() && cwnd >= SEGMENT as f64, "cwnd {cwnd} at {:?}", self.now);
        self.log.push(Moment {
            at: self.now,
            cwnd,
            flight: self.flight(),
            queue: self.queue(),
            delivered: self.delivered,
            lost: self.lost,
        });
    }
}
