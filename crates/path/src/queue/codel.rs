//! CoDel: packets are dropped at the head while the minimum sojourn time of the last `interval` exceeds `target` (RFC
//! 8289).
//!
//! ```text
//! a packet may be dropped   if its sojourn time >= target, and more than `mtu` bytes wait behind it, and both have
//!                           been so for an interval [s5.6 dodequeue]
//! next drop                 at t + interval / sqrt(count) while that lasts [s5.6 control_law]
//! count at the next episode count - lastcount if the last one ended less than 16 intervals ago and it dropped more
//!                           than one packet, else 1 [s5.5]
//! ```
//!
//! Departure from the RFC: with `ecn` an ECN-capable packet is marked instead of dropped, and each mark counts as
//! a drop for the control law, as in Linux.

use engine::registry::{Fault, Settings};
use engine::{Bytes, Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::packet_fifo::{PacketFifo, holds};
use super::{DEFAULT_LIMIT, DropCause, Limit, QueueCx, QueueDiscipline, QueueTraits, Queued};

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The acceptable standing sojourn time, more than 0 and less than `interval` [RFC8289 s5.3].
    pub target: Span,
    /// Time within which the sojourn time must have been below the target: a worst-case round trip time.
    pub interval: Span,
    /// The maximum backlog.
    pub limit: Limit,
    /// Whether ECN-capable packets are marked instead of dropped.
    pub ecn: bool,
    /// Nothing is dropped while the waiting bytes do not exceed this size, which is that of the largest packet.
    pub mtu: Bytes,
}

impl Default for Config {
    /// Returns 5 ms and 100 ms [RFC8289 s5.3], without ECN as in Linux.
    fn default() -> Self {
        Config {
            target: Span::from_millis(5),
            interval: Span::from_millis(100),
            limit: DEFAULT_LIMIT,
            ecn: false,
            mtu: Bytes(1500),
        }
    }
}

/// The faults of a target and an interval.
pub(super) fn check_target_and_interval(target: Span, interval: Span) -> Vec<Fault> {
    let mut faults = Vec::new();
    if target == Span::ZERO {
        faults.push(Fault::new("target", target, "more than 0"));
    }
    if interval <= target || interval > Span::from_secs(3600) {
        faults.push(Fault::new("interval", interval, format!("more than the target of {target}, at most 1 h")));
    }
    faults
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        check_target_and_interval(self.target, self.interval)
    }
}

impl Config {
    /// Returns the properties of the queue.
    pub fn traits(&self) -> QueueTraits {
        QueueTraits { marks_by: self.ecn.then_some("ecn = true"), ..QueueTraits::default() }
    }

    /// Creates the queue.
    pub fn build(&self, _: Stream) -> Box<dyn QueueDiscipline> {
        let control = CodelControl::new(self);
        Box::new(CoDel { limit: self.limit, ecn: self.ecn, packets: PacketFifo::default(), control })
    }
}

/// The state of CoDel for one list of packets.
pub(super) struct CodelControl {
    target: Span,
    interval: Span,
    mtu: u64,
    ecn: bool,
    /// Time at which the sojourn time will have been above the target for an interval; `None` while it is below.
    first_above: Option<Time>,
    drop_next: Time,
    count: u32,
    last_count: u32,
    dropping: bool,
}

impl CodelControl {
    pub fn new(config: &Config) -> Self {
        CodelControl {
            target: config.target,
            interval: config.interval,
            mtu: config.mtu.0,
            ecn: config.ecn,
            first_above: None,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
            dropping: false,
        }
    }

    /// [RFC8289 s5.6]
    fn control_law(&self, t: Time) -> Time {
        t + Span::from_nanos((self.interval.as_nanos() as f64 / libm::sqrt(f64::from(self.count))) as u64)
    }

    /// Takes the first packet, and returns whether it may be dropped [RFC8289 s5.6 dodequeue].
    fn take(&mut self, packets: &mut PacketFifo, now: Time) -> Option<(Queued, bool)> {
        let Some(queued) = packets.pop() else {
            self.first_above = None;
            return None;
        };
        if now.since(queued.arrived) < self.target || packets.bytes() <= self.mtu {
            self.first_above = None;
            return Some((queued, false));
        }
        let droppable = match self.first_above {
            None => {
                self.first_above = Some(now + self.interval);
                false
            }
            Some(at) => now >= at,
        };
        Some((queued, droppable))
    }

    /// Marks the packet and returns true, if it is to be marked instead of dropped.
    fn marks(&self, queued: &mut Queued, cx: &mut QueueCx<'_>) -> bool {
        self.ecn && cx.mark(&mut queued.packet)
    }

    /// Takes the packet to send now, and drops earlier ones [RFC8289 s5.5].
    pub fn dequeue(&mut self, packets: &mut PacketFifo, cx: &mut QueueCx<'_>) -> Option<Queued> {
        let now = cx.now;
        let Some((mut queued, mut droppable)) = self.take(packets, now) else {
            self.dropping = false;
            return None;
        };
        if self.dropping {
            if !droppable {
                self.dropping = false;
            }
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                if self.marks(&mut queued, cx) {
                    self.drop_next = self.control_law(self.drop_next);
                    break;
                }
                cx.drop(queued, DropCause::Early);
                // More than `mtu` bytes waited behind the packet.
                (queued, droppable) = self.take(packets, now)?;
                if droppable {
                    self.drop_next = self.control_law(self.drop_next);
                } else {
                    self.dropping = false;
                }
            }
        } else if droppable {
            if !self.marks(&mut queued, cx) {
                cx.drop(queued, DropCause::Early);
                (queued, _) = self.take(packets, now)?;
            }
            self.dropping = true;
            let delta = self.count.saturating_sub(self.last_count);
            let recent = now.since(self.drop_next) < self.interval.times(16);
            self.count = if delta > 1 && recent { delta } else { 1 };
            self.drop_next = self.control_law(now);
            self.last_count = self.count;
        }
        Some(queued)
    }
}

struct CoDel {
    limit: Limit,
    ecn: bool,
    packets: PacketFifo,
    control: CodelControl,
}

impl QueueDiscipline for CoDel {
    fn enqueue(&mut self, queued: Queued, cx: &mut QueueCx<'_>) -> Result<(), DropCause> {
        if !cx.admits(self.limit, (self.len(), self.bytes()), &queued) {
            return Err(DropCause::Full);
        }
        self.packets.push(queued);
        Ok(())
    }

    fn dequeue(&mut self, cx: &mut QueueCx<'_>) -> Option<Queued> {
        self.control.dequeue(&mut self.packets, cx)
    }

    holds!(packets);

    fn limit(&self) -> Limit {
        self.limit
    }

    fn marks(&self) -> bool {
        self.ecn
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Driver, packet};
    use super::*;

    /// A packet of 1000 bytes arrives and one leaves every millisecond, behind 100 that wait from the start: sojourn times
    /// reach the target of 5 ms at the fifth departure. An interval later the first packet is dropped, the others 100 ms /
    /// sqrt(count) apart [RFC8289 s5.6]: 100, 70.7, 57.7, 50, ... ms, at the first departure from then on.
    #[test]
    fn drops_follow_the_control_law() {
        let mut driver = Driver::new(Config { limit: Limit::None, ..Config::default() }.build(Stream::default()));
        (0..100).for_each(|_| driver.arrive(Time::ZERO, packet(1000)));
        let mut dropped = Vec::new();
        for ms in 1..=450 {
            let now = Time::from_millis(ms);
            driver.arrive(now, packet(1000));
            driver.depart(now);
            dropped.extend(driver.take_dropped().into_iter().map(|_| ms));
        }
        let mut expected = vec![105];
        let mut next = 105.0;
        for count in 1..=5 {
            next += 100.0 / f64::from(count).sqrt();
            expected.push(next.ceil() as u64);
        }
        assert_eq!(dropped[..6], expected);
    }

    /// The queue falls below the target between two episodes: the second begins with the count at the end of the first,
    /// less the count at its beginning [RFC8289 s5.5].
    #[test]
    fn second_episode_begins_with_the_count_of_the_first() {
        let config = Config { limit: Limit::None, ..Config::default() };
        let mut control = CodelControl::new(&config);
        control.count = 8;
        control.last_count = 3;
        control.drop_next = Time::from_millis(1000);
        let mut fifo = PacketFifo::default();
        let queued = |at| Queued {
            packet: packet(1000),
            arrived: at,
            order: engine::Order::default(),
            expedited: false,
            at_once: false,
        };
        (0..10).for_each(|_| fifo.push(queued(Time::ZERO)));
        control.first_above = Some(Time::from_millis(1100));
        let mut actions = Vec::new();
        let mut cx = QueueCx::new(Time::from_millis(1200), (0, 0), &mut actions);
        assert!(control.dequeue(&mut fifo, &mut cx).is_some());
        assert_eq!((control.count, control.last_count, actions.len()), (5, 5, 1));
        let next = Time::from_nanos(1_200_000_000 + (100e6 / 5f64.sqrt()) as u64);
        assert_eq!(control.drop_next, next);
    }

    #[test]
    fn impossible_settings_are_faults() {
        let keys = |target, interval| {
            let config = Config { target, interval, ..Config::default() };
            config.check().into_iter().map(|fault| fault.key).collect::<Vec<_>>()
        };
        let ms = Span::from_millis;
        assert_eq!(keys(ms(0), ms(100)), ["target"]);
        assert_eq!(keys(ms(5), ms(5)), ["interval"]);
        assert!(keys(ms(5), ms(6)).is_empty());
    }
}
