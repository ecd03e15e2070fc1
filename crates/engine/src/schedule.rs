//! What happens next.
//!
//! Every component that can act by itself owns one or more [`Slot`]s, each with at most one wake-up pending.
//! A link with a thousand packets in flight therefore holds one entry, not a thousand, and moving a timer
//! changes an entry in place instead of leaving a dead one behind.
//!
//! **Order.** Wake-ups come in order of time; at equal times in the order in which they were asked for, first in,
//! first out. A component that knew earlier than it armed its slot (a packet behind another on a link, a timer
//! pushed back lazily) takes an [`Order`] when it learns of the event and arms with that. The order is total, so a
//! run is a function of its input alone.

use crate::heap::IndexedHeap;
use crate::time::Time;

/// The handle of one component's pending wake-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot(pub u32);

/// A place in the queue of events that happen at one time: lower acts first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Order(u64);

/// Time and order as one number, so that comparing two takes no branch.
#[inline]
fn key(at: Time, order: Order) -> u128 {
    u128::from(at.as_nanos()) << 64 | u128::from(order.0)
}

#[inline]
fn time(key: u128) -> Time {
    Time::from_nanos((key >> 64) as u64)
}

/// Pending wake-ups, owned by slots.
#[derive(Default)]
pub struct Schedule {
    pending: IndexedHeap<u128>,
    next_order: u64,
    now: Time,
}

impl Schedule {
    /// An empty schedule at time zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// A slot for a component to own.
    pub fn slot(&mut self) -> Slot {
        Slot(self.pending.add_owner())
    }

    /// The time of the wake-up last taken with [`Schedule::next`].
    pub fn now(&self) -> Time {
        self.now
    }

    /// A place behind everything that was asked for until now.
    #[inline]
    pub fn order(&mut self) -> Order {
        self.next_order += 1;
        Order(self.next_order)
    }

    /// Wakes `slot` at `at`, instead of when it was to wake before.
    #[inline]
    pub fn arm(&mut self, slot: Slot, at: Time) {
        let order = self.order();
        self.arm_as(slot, at, order);
    }

    /// Like [`Schedule::arm`], at a place in the order that was taken earlier.
    #[inline]
    pub fn arm_as(&mut self, slot: Slot, at: Time, order: Order) {
        self.pending.set(slot.0, key(at, order));
    }

    /// Takes back the wake-up of `slot`, if there is one.
    #[inline]
    pub fn disarm(&mut self, slot: Slot) {
        self.pending.remove(slot.0);
    }

    /// When `slot` will wake.
    pub fn armed(&self, slot: Slot) -> Option<Time> {
        self.pending.get(slot.0).map(time)
    }

    /// The next wake-up at or before `until`; the clock moves to it. Its slot stays armed: whoever handles it first
    /// of all arms it anew or disarms it, which costs one walk down the heap instead of two.
    #[inline]
    pub fn next(&mut self, until: Time) -> Option<(Time, Slot)> {
        let (key, owner) = self.pending.first()?;
        let at = time(key);
        if at > until {
            return None;
        }
        assert!(at >= self.now, "time ran backwards: {at:?} after {:?}", self.now);
        self.now = at;
        Some((at, Slot(owner)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    fn drain(schedule: &mut Schedule) -> Vec<(u64, u32)> {
        let mut seen = Vec::new();
        while let Some((at, slot)) = schedule.next(Time::NEVER) {
            schedule.disarm(slot);
            seen.push((at.as_nanos(), slot.0));
        }
        seen
    }

    #[test]
    fn equal_times_come_first_in_first_out() {
        let mut schedule = Schedule::new();
        let slots: Vec<Slot> = (0..5).map(|_| schedule.slot()).collect();
        let early = schedule.order();
        for slot in &slots[1..] {
            schedule.arm(*slot, Time::from_nanos(7));
        }
        schedule.arm_as(slots[0], Time::from_nanos(7), early);
        assert_eq!(drain(&mut schedule), [(7, 0), (7, 1), (7, 2), (7, 3), (7, 4)]);
    }

    #[test]
    fn a_slot_wakes_once_and_when_it_was_last_told() {
        let mut schedule = Schedule::new();
        let (a, b) = (schedule.slot(), schedule.slot());
        schedule.arm(a, Time::from_nanos(5));
        schedule.arm(b, Time::from_nanos(6));
        schedule.arm(a, Time::from_nanos(9));
        assert_eq!(drain(&mut schedule), [(6, 1), (9, 0)]);
        schedule.arm(a, Time::from_nanos(20));
        schedule.disarm(a);
        assert_eq!(drain(&mut schedule), []);
    }

    #[test]
    fn nothing_after_the_end_is_taken() {
        let mut schedule = Schedule::new();
        let slot = schedule.slot();
        schedule.arm(slot, Time::from_nanos(11));
        assert_eq!(schedule.next(Time::from_nanos(10)), None);
        assert_eq!(schedule.armed(slot), Some(Time::from_nanos(11)));
    }

    /// Random arming, moving and disarming against a sorted list that cannot be wrong.
    #[test]
    fn agrees_with_a_sorted_list() {
        let mut draws = Stream::named(1, 0, "schedule test").draws();
        let mut schedule = Schedule::new();
        let slots: Vec<Slot> = (0..200).map(|_| schedule.slot()).collect();
        let mut model: Vec<(u64, u64, u32)> = Vec::new();
        let mut now = 0;
        for step in 0..20_000u64 {
            let slot = slots[(draws.next_u64() % 200) as usize];
            match draws.next_u64() % 4 {
                0 => {
                    schedule.disarm(slot);
                    model.retain(|entry| entry.2 != slot.0);
                }
                1 => {
                    model.sort_unstable();
                    let expected = (!model.is_empty()).then(|| model.remove(0));
                    let found = schedule.next(Time::NEVER);
                    assert_eq!(found.map(|(at, slot)| (at.as_nanos(), slot.0)), expected.map(|e| (e.0, e.2)));
                    if let Some((at, slot)) = found {
                        now = at.as_nanos();
                        schedule.disarm(slot);
                    }
                }
                _ => {
                    let at = now + draws.next_u64() % 50;
                    schedule.arm(slot, Time::from_nanos(at));
                    model.retain(|entry| entry.2 != slot.0);
                    model.push((at, step, slot.0));
                }
            }
        }
    }
}
