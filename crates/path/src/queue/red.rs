//! RED: an arriving packet is dropped or marked with a probability that grows with the average backlog (Floyd1993).
//!
//! ```text
//! avg   <- (1 - w) avg + w q at each arrival, q the backlog that it finds; (1 - w)^m avg if the line was idle before,
//!          for the time of m mean packets
//! p_b   = max_p (avg - min) / (max - min) from min to max                               (Floyd1993 s4)
//! gentle: from max to 2 max  max_p + (1 - max_p) (avg - max) / max; else 1 from max on (Floyd2000)
//! p_a   = p_b / (1 - count p_b), count the packets since the last drop or mark: uniform gaps up to `max`
//! adaptive: every 0.5 s  max_p <- max_p + min(0.01, max_p / 4)  if avg > target and max_p <= 0.5,
//!                        max_p <- 0.9 max_p                     if avg < target and max_p >= 0.01,
//!           target: 0.4 to 0.6 of the way from min to max                               (Floyd2001 s4)
//! ```
//!
//! From max (2 max if gentle) on each packet is dropped, ECN-capable or not [RFC3168 s7]. Idle time begins
//! when the transmitter finds no packet. It is counted in packets by the mean time that the transmitter has needed for a
//! packet so far. Probabilities do not depend on the packet's size.

use engine::registry::{Fault, Settings};
use engine::{Draws, Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::packet_fifo::{PacketFifo, holds};
use super::{DEFAULT_LIMIT, DropCause, Limit, QueueCx, QueueDiscipline, Queued};

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The average backlog from which packets are dropped, in packets or bytes.
    pub min_threshold: Limit,
    /// The average backlog at which the probability is `max_p`, in the unit of `min_threshold`.
    pub max_threshold: Limit,
    /// The probability at `max_threshold`, more than 0 and at most 1.
    #[serde(deserialize_with = "engine::share::read_share")]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub max_p: f64,
    /// The weight of the present backlog in the average, more than 0 and at most 1.
    pub weight: f64,
    /// Whether the probability grows from `max_p` to 1 up to twice `max_threshold`, instead of being 1 from
    /// `max_threshold` on.
    pub gentle: bool,
    /// Whether `max_p` is adapted so that the average backlog is half-way between the thresholds.
    pub adaptive: bool,
    /// Whether ECN-capable packets are marked instead of dropped.
    pub ecn: bool,
    /// The maximum backlog.
    pub limit: Limit,
}

impl Default for Config {
    /// Returns thresholds of 5 and 15 packets, weight 0.002 (Floyd1993), max_p 0.1 and gentle (the recommendation of
    /// 1997 and 2000), ECN.
    fn default() -> Self {
        Config {
            min_threshold: Limit::Packets(5),
            max_threshold: Limit::Packets(15),
            max_p: 0.1,
            weight: 0.002,
            gentle: true,
            adaptive: false,
            ecn: true,
            limit: DEFAULT_LIMIT,
        }
    }
}

/// A threshold as a number, and whether the unit is bytes.
fn convert_threshold(limit: Limit) -> Option<(f64, bool)> {
    match limit {
        Limit::None => None,
        Limit::Packets(packets) => Some((f64::from(packets), false)),
        Limit::Bytes(bytes) => Some((bytes as f64, true)),
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        match (convert_threshold(self.min_threshold), convert_threshold(self.max_threshold)) {
            (None, _) => faults.push(Fault::new("min_threshold", self.min_threshold, "packets or bytes")),
            (Some((min, bytes)), max) => {
                if !max.is_some_and(|(max, in_bytes)| in_bytes == bytes && max > min) {
                    let unit = if bytes { "bytes" } else { "packets" };
                    let expected = format!("more {unit} than `min_threshold`, {}", self.min_threshold);
                    faults.push(Fault::new("max_threshold", self.max_threshold, expected));
                }
            }
        }
        for (key, value) in [("max_p", self.max_p), ("weight", self.weight)] {
            if !(value > 0.0 && value <= 1.0) {
                faults.push(Fault::new(key, value, "more than 0 and at most 1"));
            }
        }
        faults
    }
}

impl Config {
    /// Creates the queue, which draws a random number for each packet between the thresholds.
    pub fn build(&self, stream: Stream) -> Box<dyn QueueDiscipline> {
        Box::new(Red::new(self, stream))
    }
}

struct Red {
    config: Config,
    min: f64,
    max: f64,
    /// Whether thresholds are in bytes.
    bytes: bool,
    draws: Draws,
    packets: PacketFifo,
    avg: f64,
    max_p: f64,
    /// Packets since the last drop or mark; -1 while the average is below the minimum.
    count: i64,
    /// Time since which the transmitter has been idle.
    idle: Option<Time>,
    /// Departure of the packet that is being sent.
    departed: Option<Time>,
    /// Number of packets that the transmitter has sent, and the time that it needed for them.
    sent: (u64, Span),
    /// Time of the last adaptation of `max_p`.
    adapted: Time,
}

/// The decision about an arriving packet.
enum Decision {
    Accept,
    /// Drop, or mark instead.
    Early,
    /// Drop the packet even if it is ECN-capable.
    Forced,
}

impl Red {
    fn new(config: &Config, stream: Stream) -> Self {
        let (min, bytes) = convert_threshold(config.min_threshold).unwrap_or_default();
        let (max, _) = convert_threshold(config.max_threshold).unwrap_or_default();
        Red {
            config: config.clone(),
            min,
            max,
            bytes,
            draws: stream.draws(),
            packets: PacketFifo::default(),
            avg: 0.0,
            max_p: config.max_p,
            count: -1,
            idle: Some(Time::ZERO),
            departed: None,
            sent: (0, Span::ZERO),
            adapted: Time::ZERO,
        }
    }

    /// Updates the average for an arrival that finds a backlog of `packets` packets and `bytes` bytes.
    fn average(&mut self, packets: usize, bytes: u64, now: Time) {
        let backlog = if self.bytes { bytes as f64 } else { packets as f64 };
        let idle = self.idle.take().map_or(Span::ZERO, |since| now.since(since));
        let (sent, needed) = self.sent;
        if idle > Span::ZERO && sent > 0 {
            let missed = idle.as_nanos() as f64 * sent as f64 / needed.as_nanos() as f64;
            self.avg *= libm::pow(1.0 - self.config.weight, missed);
        } else {
            self.avg += self.config.weight * (backlog - self.avg);
        }
        self.adapt(now);
    }

    fn adapt(&mut self, now: Time) {
        const INTERVAL: Span = Span::from_millis(500);
        while self.config.adaptive && now >= self.adapted + INTERVAL {
            self.adapted += INTERVAL;
            let share = (self.avg - self.min) / (self.max - self.min);
            if share > 0.6 && self.max_p <= 0.5 {
                self.max_p += (self.max_p / 4.0).min(0.01);
            } else if share < 0.4 && self.max_p >= 0.01 {
                self.max_p *= 0.9;
            }
        }
    }

    fn decide(&mut self) -> Decision {
        let certain = if self.config.gentle { 2.0 * self.max } else { self.max };
        if self.avg < self.min {
            self.count = -1;
            return Decision::Accept;
        }
        if self.avg >= certain {
            self.count = 0;
            return Decision::Forced;
        }
        self.count += 1;
        let probability = if self.avg < self.max {
            self.max_p * (self.avg - self.min) / (self.max - self.min)
        } else {
            self.max_p + (1.0 - self.max_p) * (self.avg - self.max) / self.max
        };
        let spread = 1.0 - self.count as f64 * probability;
        let probability = if spread > 0.0 { (probability / spread).min(1.0) } else { 1.0 };
        if self.draws.unit() < probability {
            self.count = 0;
            return Decision::Early;
        }
        Decision::Accept
    }
}

impl QueueDiscipline for Red {
    fn enqueue(&mut self, mut queued: Queued, cx: &mut QueueCx<'_>) -> Result<(), DropCause> {
        self.average(self.len() + cx.others.0, self.bytes() + cx.others.1, cx.now);
        if !cx.admits(self.config.limit, (self.len(), self.bytes()), &queued) {
            self.count = 0;
            return Err(DropCause::Full);
        }
        if !queued.at_once {
            match self.decide() {
                Decision::Accept => {}
                Decision::Early if self.config.ecn && cx.mark(&mut queued.packet) => {}
                Decision::Early | Decision::Forced => return Err(DropCause::Early),
            }
        }
        self.packets.push(queued);
        Ok(())
    }

    fn dequeue(&mut self, cx: &mut QueueCx<'_>) -> Option<Queued> {
        if let Some(departed) = self.departed.take() {
            self.sent = (self.sent.0 + 1, self.sent.1 + cx.now.since(departed));
        }
        let queued = self.packets.pop();
        match queued {
            Some(_) => (self.departed, self.idle) = (Some(cx.now), None),
            None => self.idle = self.idle.or(Some(cx.now)),
        }
        queued
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
    use wire::Packet;

    use super::super::tests::{Driver, packet};
    use super::*;

    fn red(config: &Config) -> Red {
        Red::new(config, Stream::named(1, 0, "red"))
    }

    /// At a constant average the gaps between drops are uniform on 1 ... 1 / p_b (Floyd1993 s7). With an average of 10
    /// packets p_b is 0.05, the mean gap is 10.5, and no gap is longer than 20.
    #[test]
    fn gaps_between_drops_are_uniform() {
        let mut red = red(&Config::default());
        red.avg = 10.0;
        let (mut gaps, mut gap) = (Vec::new(), 0);
        while gaps.len() < 20_000 {
            gap += 1;
            if let Decision::Early = red.decide() {
                gaps.push(gap);
                gap = 0;
            }
        }
        // A gap of n packets, counted from 0 after a drop, has the probability p for n up to about 1 / p - 1.
        let mean = f64::from(gaps.iter().sum::<u32>()) / gaps.len() as f64;
        let longest = *gaps.iter().max().unwrap();
        assert!((mean - 10.0).abs() < 0.2 && longest <= 20, "mean {mean}, longest {longest}");
    }

    #[test]
    fn gentle_probability_reaches_one_at_twice_the_maximum() {
        for (gentle, avg, forced) in
            [(true, 29.9, false), (true, 30.0, true), (false, 15.0, true), (false, 14.9, false)]
        {
            let mut red = red(&Config { gentle, ..Config::default() });
            red.avg = avg;
            assert_eq!(matches!(red.decide(), Decision::Forced), forced, "gentle {gentle}, {avg}");
        }
    }

    // covers [Floyd1993 s4]
    /// Packets leave at 0, 1.5 and 2.95 ms, and the line is idle from 3 ms on, so the mean packet takes 1 ms, the last
    /// one 0.05 ms. Ten packet times at a weight of 0.5 divide the average by 1024; the arrival that ends the idle time
    /// does not update the average as well. An arrival at an empty queue during the last transmission does.
    #[test]
    fn average_decays_by_mean_packets_from_the_end_of_the_last_transmission() {
        for (arrives, expected) in [(13_000, 1.0), (2_970, 512.0), (3_000, 512.0)] {
            let mut red = red(&Config { weight: 0.5, ..Config::default() });
            let mut actions = Vec::new();
            for _ in 0..3 {
                let (arrived, order) = (Time::ZERO, Default::default());
                red.packets.push(Queued { packet: packet(1000), arrived, order, expedited: false, at_once: false });
            }
            for microseconds in [0, 1_500, 2_950, 3_000].into_iter().take_while(|at| *at <= arrives) {
                let now = Time::from_nanos(1000 * microseconds);
                red.dequeue(&mut QueueCx::new(now, (0, 0), &mut actions));
            }
            red.avg = 1024.0;
            red.average(0, 0, Time::from_nanos(arrives * 1000));
            assert_eq!(red.avg, expected, "arrival at {arrives} us");
        }
    }

    /// If the average is above 0.6 of the interval, max_p grows by a quarter or 0.01 in half a second. Below 0.4 max_p
    /// falls by a tenth.
    #[test]
    fn adaptive_probability_follows_the_average() {
        let mut red = red(&Config { adaptive: true, max_p: 0.02, ..Config::default() });
        red.avg = 12.0;
        red.adapt(Time::from_millis(1000));
        assert!((red.max_p - (0.02 + 0.005 + 0.00625)).abs() < 1e-12, "{}", red.max_p);
        red.avg = 8.0;
        red.adapt(Time::from_millis(1500));
        assert!((red.max_p - 0.9 * 0.03125).abs() < 1e-12, "{}", red.max_p);
    }

    #[test]
    fn ecn_capable_packets_are_marked_unless_the_drop_is_forced() {
        let mut driver = Driver::new(Config { weight: 1.0, max_p: 1.0, ..Config::default() }.build(Stream::default()));
        for _ in 0..40 {
            driver.arrive(Time::ZERO, Packet { ecn: wire::Ecn::Ect0, ..packet(1000) });
        }
        assert!(driver.marked() > 0);
        // All packets are dropped once 30 packets wait.
        assert_eq!(driver.len(), 30);
    }

    #[test]
    fn thresholds_in_different_units_are_a_fault() {
        let config = Config { max_threshold: Limit::Bytes(30_000), ..Config::default() };
        assert_eq!(config.check()[0].key, "max_threshold");
        let config = Config { min_threshold: Limit::Packets(15), weight: 0.0, ..Config::default() };
        assert_eq!(config.check().into_iter().map(|fault| fault.key).collect::<Vec<_>>(), ["max_threshold", "weight"]);
    }
}
