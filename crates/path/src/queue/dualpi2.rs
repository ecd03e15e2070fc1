//! DualPI2: a queue for scalable (L4S) flows with marks at a low delay, coupled to a classic queue with a PI controller
//! [RFC9332 appendix A].
//!
//! ```text
//! classify   ECT(1) and CE to the L queue, all others to the C queue                              [s2.3]
//! every t_update:  p' += alpha (q - target) + beta (q - q_old), in 0 to 1; q: the longer of both queues' delays
//! C packet   dropped, or marked if ECT(0), with probability p_C = p'^2
//! L packet   marked with probability max(p_L, p_CL), p_CL = k p'; p_L rises from 0 at a wait of min_threshold to 1 at
//!            min_threshold + range, and is 0 unless another packet waits in the L queue
//! overload   while p_C >= 1 / k^2 (p_CL >= 1): both queues drop with probability p_C, and L marks the rest
//! schedule   the queue whose first packet has waited longer, the L queue's wait counted `t_shift` longer [s4.2.2]
//! ```
//!
//! By default each packet is dropped or marked at random with its probability, as in Linux (sch_dualpi2.c:
//! `dualpi2_roll`). Without random numbers, each packet adds its probability to a sum, and a packet is dropped or marked
//! whenever the sum exceeds 1 (the RFC's recur()): then flows whose windows oscillate in step with the sum keep unequal
//! shares. Departures: the last waiting packet is not dropped; the controller is inactive while both queues are empty.
//! Linux has a step at 1 ms instead of the ramp: `min_threshold` of 1 ms and a `range` of 0.

use engine::registry::{Fault, Settings};
use engine::{Draws, Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Ecn, Packet};

use super::packet_fifo::PacketFifo;
use super::pie::controller_faults;
use super::{DEFAULT_LIMIT, DropCause, Limit, QueueCx, QueueDiscipline, QueueTraits, Queued};

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The reference delay of the classic queue, more than 0.
    pub target: Span,
    /// The time between two steps of the controller, more than 0.
    pub t_update: Span,
    /// The weight of the deviation from the target, in 1/s for each step.
    pub alpha: f64,
    /// The weight of the change of the delay, in 1/s for each step.
    pub beta: f64,
    /// The coupling factor k, 1 to 4.
    pub coupling: f64,
    /// Delay from which packets of the L queue are marked by the controller of that queue.
    pub min_threshold: Span,
    /// Additional delay at which every packet is marked; 0 for a step.
    pub range: Span,
    /// Time added to the wait of packets in the L queue by the scheduler.
    pub t_shift: Span,
    /// The maximum backlog of both queues together.
    pub limit: Limit,
    /// How packets to be marked or dropped are selected.
    pub marks: MarkSelection,
}

/// How packets are selected that are marked or dropped with a probability.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MarkSelection {
    /// Each packet at random, as in Linux.
    #[default]
    Random,
    /// By the sum of the packets' probabilities, without random numbers [RFC9332 appendix A.1].
    Deterministic,
}

impl Default for Config {
    /// The values of appendix A.1 for a maximum RTT of 100 ms and a target of 15 ms: t_update 15 ms, alpha 0.1 t_update /
    /// RTT_max^2 = 0.15 /s and beta 0.3 / RTT_max = 3 /s, k = 2; a ramp from 0.8 to 1.2 ms, t_shift twice the target.
    fn default() -> Self {
        Config {
            target: Span::from_millis(15),
            t_update: Span::from_millis(15),
            alpha: 0.15,
            beta: 3.0,
            coupling: 2.0,
            min_threshold: Span::from_nanos(800_000),
            range: Span::from_nanos(400_000),
            t_shift: Span::from_millis(30),
            limit: DEFAULT_LIMIT,
            marks: MarkSelection::Random,
        }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = controller_faults([self.target, self.t_update], [self.alpha, self.beta]);
        if !(1.0..=4.0).contains(&self.coupling) {
            faults.push(Fault::new("coupling", self.coupling, "1 to 4"));
        }
        faults
    }
}

impl Config {
    /// Returns the properties of the queue.
    pub fn traits(&self) -> QueueTraits {
        QueueTraits { marks_by: Some("its low-latency queue"), ..QueueTraits::default() }
    }

    /// Returns the native marking probability of the L queue after a wait.
    fn native(&self, wait: Span) -> f64 {
        if wait >= self.min_threshold + self.range {
            1.0
        } else if wait > self.min_threshold {
            (wait - self.min_threshold).as_nanos() as f64 / self.range.as_nanos() as f64
        } else {
            0.0
        }
    }

    /// Creates the queue, which draws random numbers from `stream`.
    pub fn build(&self, stream: Stream) -> Box<dyn QueueDiscipline> {
        Box::new(DualPi2::new(self, stream))
    }
}

/// One of the two queues, with the sum of the probabilities of its packets.
#[derive(Default)]
struct Side {
    packets: PacketFifo,
    /// Sum for marks or drops, and sum for drops in overload.
    sums: [f64; 2],
}

impl Side {
    /// Adds a probability to a sum; returns true if a packet is to be dropped or marked.
    fn accumulate(&mut self, sum: usize, probability: f64) -> bool {
        self.sums[sum] += probability;
        let hit = self.sums[sum] > 1.0;
        if hit {
            self.sums[sum] -= 1.0;
        }
        hit
    }

    /// Returns true if a packet is to be dropped or marked with this probability. A draw is made only if the outcome is
    /// not certain, so that packets of an uncongested queue change no later draw.
    fn selects(&mut self, sum: usize, probability: f64, selection: MarkSelection, draws: &mut Draws) -> bool {
        match selection {
            MarkSelection::Deterministic => self.accumulate(sum, probability),
            MarkSelection::Random if probability <= 0.0 => false,
            MarkSelection::Random => probability >= 1.0 || draws.unit() < probability,
        }
    }

    /// Returns the time for which the first packet has waited.
    fn delay(&self, now: Time) -> Span {
        self.packets.first().map_or(Span::ZERO, |first| now.since(first.arrived))
    }
}

struct DualPi2 {
    config: Config,
    draws: Draws,
    l: Side,
    c: Side,
    /// p'
    base: f64,
    delay_old: Span,
    next_update: Time,
}

impl DualPi2 {
    fn new(config: &Config, stream: Stream) -> Self {
        DualPi2 {
            config: config.clone(),
            draws: stream.draws(),
            l: Side::default(),
            c: Side::default(),
            base: 0.0,
            delay_old: Span::ZERO,
            next_update: Time::ZERO + config.t_update,
        }
    }

    /// Executes the steps of the controller up to `now`. The delays at each step are known: packets leave only in
    /// `dequeue`, which also calls `update` first, and each arrival updates the controller first.
    fn update(&mut self, now: Time) {
        while self.next_update <= now {
            let at = self.next_update;
            let delay = self.l.delay(at).max(self.c.delay(at));
            if delay == Span::ZERO && self.delay_old == Span::ZERO && self.base == 0.0 {
                let steps = now.since(at).as_nanos() / self.config.t_update.as_nanos();
                self.next_update += Span::from_nanos((steps + 1) * self.config.t_update.as_nanos());
                return;
            }
            let (delay_s, old) = (delay.as_secs_f64(), self.delay_old.as_secs_f64());
            let step =
                self.config.alpha * (delay_s - self.config.target.as_secs_f64()) + self.config.beta * (delay_s - old);
            self.base = (self.base + step).clamp(0.0, 1.0);
            self.delay_old = delay;
            self.next_update += self.config.t_update;
        }
    }

    fn waiting(&self) -> usize {
        self.l.packets.len() + self.c.packets.len()
    }

    /// Removes the next packet, and marks it if due. Returns `None` if the packet was dropped, or no packet waits.
    fn serve(&mut self, cx: &mut QueueCx<'_>) -> Option<Queued> {
        let (now, last, marks) = (cx.now, self.waiting() == 1, self.config.marks);
        let coupled = self.config.coupling * self.base;
        let classic = self.base * self.base;
        let overload = coupled >= 1.0;
        let l_first = match (self.l.packets.first(), self.c.packets.first()) {
            (Some(_), None) => true,
            (Some(l), Some(c)) => now.since(l.arrived) + self.config.t_shift >= now.since(c.arrived),
            (None, _) => false,
        };
        if l_first {
            let mut queued = self.l.packets.pop()?;
            let alone = self.l.packets.is_empty();
            let native = if alone { 0.0 } else { self.config.native(now.since(queued.arrived)) };
            if overload && self.l.selects(1, classic, marks, &mut self.draws) && !last {
                cx.drop(queued, DropCause::Early);
                return None;
            }
            let probability = native.max(coupled.min(1.0));
            let is_marked = probability >= 1.0 || self.l.selects(0, probability, marks, &mut self.draws);
            if is_marked && queued.packet.ecn != Ecn::Ce {
                cx.mark(&mut queued.packet);
            }
            return Some(queued);
        }
        let mut queued = self.c.packets.pop()?;
        if self.c.selects(0, classic, marks, &mut self.draws) {
            let marked = !overload && cx.mark(&mut queued.packet);
            if !marked && !last {
                cx.drop(queued, DropCause::Early);
                return None;
            }
        }
        Some(queued)
    }
}

impl QueueDiscipline for DualPi2 {
    fn enqueue(&mut self, queued: Queued, cx: &mut QueueCx<'_>) -> Result<(), DropCause> {
        self.update(cx.now);
        if !cx.admits(self.config.limit, (self.len(), self.bytes()), &queued) {
            return Err(DropCause::Full);
        }
        let scalable = matches!(queued.packet.ecn, Ecn::Ect1 | Ecn::Ce);
        let side = if scalable { &mut self.l } else { &mut self.c };
        side.packets.push(queued);
        Ok(())
    }

    fn dequeue(&mut self, cx: &mut QueueCx<'_>) -> Option<Queued> {
        self.update(cx.now);
        while self.waiting() > 0 {
            let sent = self.serve(cx);
            if sent.is_some() {
                return sent;
            }
        }
        None
    }

    fn packets(&self) -> Box<dyn Iterator<Item = &Packet> + '_> {
        Box::new(self.l.packets.iter().chain(self.c.packets.iter()))
    }

    fn len(&self) -> usize {
        self.waiting()
    }

    fn bytes(&self) -> u64 {
        self.l.packets.bytes() + self.c.packets.bytes()
    }

    fn limit(&self) -> Limit {
        self.config.limit
    }

    fn marks(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Driver, packet, packet_of};
    use super::*;

    /// A queue without random numbers.
    fn deterministic() -> Config {
        Config { marks: MarkSelection::Deterministic, ..Config::default() }
    }

    fn with(config: &Config, base: f64) -> DualPi2 {
        DualPi2 { base, next_update: Time::NEVER, ..DualPi2::new(config, Stream::named(1, 0, "dualpi2")) }
    }

    /// Returns the numbers of marked and dropped packets of `packets` with this ECN field.
    fn run(config: &Config, base: f64, ecn: Ecn, packets: usize) -> (usize, usize) {
        let mut driver = Driver::new(Box::new(with(config, base)));
        (0..=packets).for_each(|_| driver.arrive(Time::ZERO, Packet { ecn, ..packet(1000) }));
        while driver.len() > 1 {
            driver.depart(Time::ZERO);
        }
        (driver.marked(), driver.take_dropped().len())
    }

    /// At p' = 1/8 the L queue marks a quarter of its packets, the C queue drops or marks 1/64. A packet is affected
    /// when a sum of probabilities exceeds 1, so of 900 packets 224 and 14 are affected.
    #[test]
    fn coupled_probabilities_are_a_multiple_and_a_square() {
        let config = deterministic();
        assert_eq!(run(&config, 0.125, Ecn::Ect1, 900), (224, 0));
        assert_eq!(run(&config, 0.125, Ecn::Ect0, 900), (14, 0));
        assert_eq!(run(&config, 0.125, Ecn::NotEct, 900), (0, 14));
    }

    /// With random marks the same shares of 25,600 packets are affected, 6400 and 400, with standard deviations of 70 and
    /// 20; and the gaps between marks are geometric, as draws are independent: a gap of 1 is as likely as any mark.
    #[test]
    fn random_marks_are_independent_with_the_same_probabilities() {
        let config = Config { limit: Limit::None, ..Config::default() };
        let within = |found: usize, expected: f64, deviation: f64| {
            assert!((found as f64 - expected).abs() < 4.0 * deviation, "{found} instead of {expected}");
        };
        let (marked, dropped) = run(&config, 0.125, Ecn::Ect1, 25_600);
        within(marked, 6400.0, 69.3);
        assert_eq!(dropped, 0);
        within(run(&config, 0.125, Ecn::Ect0, 25_600).0, 400.0, 19.8);
        within(run(&config, 0.125, Ecn::NotEct, 25_600).1, 400.0, 19.8);

        let (mut queue, mut adjacent, mut before) = (with(&config, 0.125), 0, false);
        for _ in 0..25_600 {
            let marked = queue.l.selects(0, 0.25, MarkSelection::Random, &mut queue.draws);
            adjacent += usize::from(marked && before);
            before = marked;
        }
        within(adjacent, 1600.0, 45.0);
    }

    /// Of 101 packets that have waited 0.9 ms a quarter is marked; with 0.8 ms none, with 1.2 ms all. The last packet
    /// is alone in its queue. With a range of 0 the probability is a step.
    #[test]
    fn native_marks_rise_with_the_wait() {
        let marks = |config: &Config, micros: u64| {
            let mut driver = Driver::new(Box::new(with(config, 0.0)));
            (0..=100).for_each(|_| driver.arrive(Time::ZERO, Packet { ecn: Ecn::Ect1, ..packet(1000) }));
            while driver.len() > 0 {
                driver.depart(Time::ZERO + Span::from_nanos(1000 * micros));
            }
            driver.marked()
        };
        let ramp = deterministic();
        assert_eq!([800, 900, 1200].map(|micros| marks(&ramp, micros)), [0, 24, 100]);
        let step = Config { min_threshold: Span::from_millis(1), range: Span::ZERO, ..deterministic() };
        assert_eq!([999, 1000].map(|micros| marks(&step, micros)), [0, 100]);
    }

    /// At p' = 0.6 the coupled probability is above 1. Then a share of 0.36 is dropped in either queue.
    #[test]
    fn overload_drops_in_both_queues() {
        let config = deterministic();
        let (marked, dropped) = run(&config, 0.6, Ecn::Ect1, 900);
        assert!((dropped as f64 / 900.0 - 0.36).abs() < 0.01 && marked + dropped >= 900, "{marked} {dropped}");
        assert_eq!(run(&config, 0.6, Ecn::Ect0, 900).0, 0);
    }

    /// Delays of 30 ms for two steps: 0.15 x 15 ms + 3 x 30 ms, then 0.15 x 15 ms.
    #[test]
    fn controller_follows_the_longer_delay() {
        let mut queue = DualPi2::new(&Config::default(), Stream::default());
        let mut actions = Vec::new();
        let mut cx = QueueCx::new(Time::ZERO, (0, 0), &mut actions);
        let order = engine::Order::default();
        let queued = Queued { packet: packet(1000), arrived: Time::ZERO, order, expedited: false, at_once: true };
        queue.enqueue(queued, &mut cx).unwrap();
        queue.next_update = Time::from_millis(30);
        queue.update(Time::from_millis(30));
        assert!((queue.base - (0.15 * 0.015 + 3.0 * 0.030)).abs() < 1e-12, "{}", queue.base);
        queue.update(Time::from_millis(45));
        let expected = 0.15 * 0.015 + 3.0 * 0.030 + 0.15 * 0.030 + 3.0 * 0.015;
        assert!((queue.base - expected).abs() < 1e-12, "{}", queue.base);
    }

    /// An L packet leaves before C packets that have waited at most t_shift longer.
    #[test]
    fn scalable_packets_are_preferred_by_the_time_shift() {
        let mut driver = Driver::new(Box::new(with(&Config::default(), 0.0)));
        driver.arrive(Time::ZERO, packet_of(1, 1000));
        driver.arrive(Time::from_millis(20), packet_of(2, 1000));
        driver.arrive(Time::from_millis(35), Packet { ecn: Ecn::Ect1, ..packet_of(3, 1000) });
        let order: Vec<u16> = (0..3).filter_map(|_| driver.depart(Time::from_millis(36))).collect();
        assert_eq!(order, [1, 3, 2]);
    }
}
