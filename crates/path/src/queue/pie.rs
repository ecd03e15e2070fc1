//! PIE: an arriving packet is dropped with a probability that a proportional-integral controller derives from the queue
//! delay (RFC 8033).
//!
//! ```text
//! every t_update:
//!   dp = alpha (delay - target) + beta (delay - delay_old), divided by 2048 ... 2 for p below 0.000001 ... 0.1  [s4.2]
//!   dp at most 0.02 while p >= 0.1; p += dp; p *= 0.98 while delay and delay_old are 0; p in 0 to 1     [s4.2, s5.5]
//! on arrival, without a burst allowance:                                                                [s4.1, s5.4]
//!   accept if (delay_old < target / 2 and p < 0.2) or at most two packets of `mtu` bytes wait
//!   drop with probability p; derandomized: accu += p; accept below 0.85, drop from 8.5 on, else with p  [s5.4]
//!   a packet that would be dropped is marked if it is ECN-capable and p <= 0.1                          [s5.1]
//! ```
//!
//! The delay is the sojourn time of the last packet that left, 0 for an empty queue: the time stamps of section 4.3, as
//! in Linux, not the departure-rate estimate. The controller's steps between two events of the queue are computed at
//! the second event: the input does not change in between, so the result equals the result of a timer.

use engine::registry::{Fault, Settings};
use engine::{Bytes, Draws, Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::packet_fifo::{PacketFifo, holds};
use super::{DEFAULT_LIMIT, DropCause, Limit, QueueCx, QueueDiscipline, QueueTraits, Queued};

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The reference delay (QDELAY_REF), more than 0.
    pub target: Span,
    /// The time between two steps of the controller, more than 0.
    pub t_update: Span,
    /// The weight of the deviation from the target, per second.
    pub alpha: f64,
    /// The weight of the change of the delay, per second.
    pub beta: f64,
    /// Time for which a burst into an uncongested queue is accepted.
    pub max_burst: Span,
    /// Whether ECN-capable packets are marked instead of dropped, while the probability is at most 0.1.
    pub ecn: bool,
    /// The maximum backlog.
    pub limit: Limit,
    /// Mean packet size for the safeguard by which nothing is dropped while the waiting bytes do not exceed twice this
    /// size.
    pub mtu: Bytes,
    /// Whether drops are spread: none before the sum of the packets' probabilities reaches 0.85 since the last one, and
    /// one at 8.5 [RFC8033 s5.4].
    pub derandomize: bool,
}

impl Default for Config {
    /// Returns the defaults of RFC 8033: 15 ms, 15 ms, 0.125, 1.25, 150 ms; ECN off and derandomized as in Linux.
    fn default() -> Self {
        Config {
            target: Span::from_millis(15),
            t_update: Span::from_millis(15),
            alpha: 0.125,
            beta: 1.25,
            max_burst: Span::from_millis(150),
            ecn: false,
            limit: DEFAULT_LIMIT,
            mtu: Bytes(1500),
            derandomize: true,
        }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        controller_faults([self.target, self.t_update], [self.alpha, self.beta])
    }
}

/// The faults of a proportional-integral controller: of `target` and `t_update`, `alpha` and `beta`.
pub(super) fn controller_faults([target, t_update]: [Span; 2], [alpha, beta]: [f64; 2]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (key, span) in [("target", target), ("t_update", t_update)] {
        if span == Span::ZERO {
            faults.push(Fault::new(key, span, "more than 0"));
        }
    }
    for (key, value) in [("alpha", alpha), ("beta", beta)] {
        if !(value >= 0.0 && value.is_finite()) {
            faults.push(Fault::new(key, value, "a number of at least 0"));
        }
    }
    faults
}

impl Config {
    /// Returns the properties of the queue.
    pub fn traits(&self) -> QueueTraits {
        QueueTraits { marks_by: self.ecn.then_some("ecn = true"), ..QueueTraits::default() }
    }

    /// Creates the queue, which draws a random number for packets that may be dropped.
    pub fn build(&self, stream: Stream) -> Box<dyn QueueDiscipline> {
        Box::new(Pie::new(self, stream))
    }
}

struct Pie {
    config: Config,
    draws: Draws,
    packets: PacketFifo,
    probability: f64,
    accumulated: f64,
    delay: Span,
    delay_old: Span,
    /// Remaining burst allowance.
    burst: Span,
    next_update: Time,
}

/// Scales a step of the controller by the current probability [RFC8033 s4.2].
fn scale_step(step: f64, probability: f64) -> f64 {
    let divisors = [(0.000_001, 2048.0), (0.000_01, 512.0), (0.000_1, 128.0), (0.001, 32.0), (0.01, 8.0), (0.1, 2.0)];
    let divisor = divisors.iter().find(|(below, _)| probability < *below).map_or(1.0, |(_, divisor)| *divisor);
    step / divisor
}

impl Pie {
    fn new(config: &Config, stream: Stream) -> Self {
        Pie {
            config: config.clone(),
            draws: stream.draws(),
            packets: PacketFifo::default(),
            probability: 0.0,
            accumulated: 0.0,
            delay: Span::ZERO,
            delay_old: Span::ZERO,
            burst: config.max_burst,
            next_update: Time::ZERO + config.t_update,
        }
    }

    /// Executes the steps of the controller up to `now`.
    fn update(&mut self, now: Time) {
        while self.next_update <= now {
            // After a long pause without packets the state no longer changes.
            if self.probability == 0.0 && self.delay == Span::ZERO && self.delay_old == Span::ZERO {
                let steps = now.since(self.next_update).as_nanos() / self.config.t_update.as_nanos();
                self.next_update += Span::from_nanos((steps + 1) * self.config.t_update.as_nanos());
                self.burst = self.burst - self.config.t_update.times(steps.min(1 << 20) + 1);
                return;
            }
            self.step();
            self.next_update += self.config.t_update;
        }
    }

    fn step(&mut self) {
        let (delay, old) = (self.delay.as_secs_f64(), self.delay_old.as_secs_f64());
        let step = self.config.alpha * (delay - self.config.target.as_secs_f64()) + self.config.beta * (delay - old);
        let step = scale_step(step, self.probability);
        let step = if self.probability >= 0.1 { step.min(0.02) } else { step };
        self.probability += step;
        if self.delay == Span::ZERO && self.delay_old == Span::ZERO {
            self.probability *= 0.98;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        // Smaller probabilities are below the resolution of implementations.
        if self.probability < 1e-12 {
            self.probability = 0.0;
        }
        self.delay_old = self.delay;
        self.burst = self.burst - self.config.t_update;
    }

    /// Whether an arriving packet is to be dropped early.
    fn drops_early(&mut self) -> bool {
        let half = Span::from_nanos(self.config.target.as_nanos() / 2);
        if self.probability == 0.0 && self.delay < half && self.delay_old < half {
            self.burst = self.config.max_burst;
        }
        if self.burst > Span::ZERO {
            return false;
        }
        if (self.delay_old < half && self.probability < 0.2) || self.packets.bytes() <= 2 * self.config.mtu.0 {
            return false;
        }
        if !self.config.derandomize {
            return self.probability > 0.0 && self.draws.unit() < self.probability;
        }
        if self.probability == 0.0 {
            self.accumulated = 0.0;
        }
        self.accumulated += self.probability;
        if self.accumulated < 0.85 {
            return false;
        }
        let drops = self.accumulated >= 8.5 || self.draws.unit() < self.probability;
        if drops {
            self.accumulated = 0.0;
        }
        drops
    }
}

impl QueueDiscipline for Pie {
    fn enqueue(&mut self, mut queued: Queued, cx: &mut QueueCx<'_>) -> Result<(), DropCause> {
        self.update(cx.now);
        if !cx.admits(self.config.limit, (self.len(), self.bytes()), &queued) {
            self.accumulated = 0.0;
            return Err(DropCause::Full);
        }
        if !queued.at_once {
            let marks = self.config.ecn && self.probability <= 0.1;
            if self.drops_early() && !(marks && cx.mark(&mut queued.packet)) {
                return Err(DropCause::Early);
            }
        }
        self.packets.push(queued);
        Ok(())
    }

    fn dequeue(&mut self, cx: &mut QueueCx<'_>) -> Option<Queued> {
        self.update(cx.now);
        let queued = self.packets.pop()?;
        self.delay = if self.packets.is_empty() { Span::ZERO } else { cx.now.since(queued.arrived) };
        Some(queued)
    }

    holds!(packets);

    fn limit(&self) -> Limit {
        self.config.limit
    }

    fn marks(&self) -> bool {
        self.config.ecn
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::packet;
    use super::*;

    fn queued_packet(size: u32) -> Queued {
        let (arrived, order) = (Time::ZERO, engine::Order::default());
        Queued { packet: packet(size), arrived, order, expedited: false, at_once: false }
    }

    fn pie() -> Pie {
        Pie::new(&Config::default(), Stream::named(1, 0, "pie"))
    }

    /// Delays of 20, 40 and 40 ms: steps of (0.125 x 5 + 1.25 x 20) ms / 2048, then (0.125 x 25 + 1.25 x 20) ms / 128 at
    /// 1.25e-5, then (0.125 x 25) ms / 32 at 2.3e-4.
    #[test]
    fn probability_follows_the_controller() {
        let mut pie = pie();
        let mut expected = 0.0;
        for (delay, step, divisor) in [(20, 0.025_625, 2048.0), (40, 0.028_125, 128.0), (40, 0.003_125, 32.0)] {
            pie.delay = Span::from_millis(delay);
            pie.step();
            expected += step / divisor;
            assert!((pie.probability - expected).abs() < 1e-12, "{} for {expected}", pie.probability);
        }
    }

    #[test]
    fn probability_decays_when_the_queue_is_empty_and_grows_slowly_when_high() {
        let mut pie = pie();
        pie.probability = 0.5;
        pie.step();
        // An empty queue: -0.125 x 15 ms, and 2 % less.
        assert!((pie.probability - 0.98 * (0.5 - 0.001_875)).abs() < 1e-12);
        (pie.probability, pie.delay) = (0.5, Span::from_secs(1));
        pie.step();
        assert!((pie.probability - 0.52).abs() < 1e-12, "{}", pie.probability);
    }

    #[test]
    fn deferred_updates_equal_periodic_updates() {
        let (mut late, mut timely) = (pie(), pie());
        for pie in [&mut late, &mut timely] {
            (pie.probability, pie.delay, pie.delay_old) = (0.3, Span::ZERO, Span::ZERO);
        }
        late.update(Time::from_millis(20_000));
        (1..=1333).for_each(|_| timely.step());
        assert_eq!(late.probability, timely.probability);
        assert_eq!(late.next_update, Time::from_millis(1334 * 15));
    }

    /// At p = 1/8 a drop follows the last one after 7 packets at the earliest if it is derandomized. Otherwise each packet
    /// is dropped with p: of 20,000 packets 2500, with a standard deviation of 47, and 312 right after a drop, with 19.
    #[test]
    fn derandomization_spreads_drops() {
        let gaps = |derandomize: bool| {
            let mut pie = Pie::new(&Config { derandomize, ..Config::default() }, Stream::named(1, 0, "pie"));
            (pie.probability, pie.delay, pie.delay_old) = (0.125, Span::from_millis(20), Span::from_millis(20));
            pie.burst = Span::ZERO;
            (0..4).for_each(|_| pie.packets.push(queued_packet(1000)));
            let dropped: Vec<usize> = (0..20_000).filter(|_| pie.drops_early()).collect();
            dropped.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>()
        };
        let (spread, random) = (gaps(true), gaps(false));
        // The sum reaches 0.85 with the seventh packet, and 8.5 with the 68th.
        assert!(spread.iter().all(|gap| (7..=68).contains(gap)), "{spread:?}");
        let adjacent = random.iter().filter(|gap| **gap == 1).count();
        assert!(random.len().abs_diff(2500) < 188 && adjacent.abs_diff(312) < 77, "{} {adjacent}", random.len());
    }

    #[test]
    fn burst_is_accepted_for_its_allowance() {
        let mut pie = pie();
        (pie.probability, pie.delay_old) = (1.0, Span::from_millis(100));
        pie.burst = Span::from_millis(30);
        assert!(!pie.drops_early());
        pie.step();
        pie.step();
        assert_eq!(pie.burst, Span::ZERO);
    }
}
