//! The event schedule of a simulation.
//!
//! Every component that schedules actions owns one or more [`Slot`]s, each with at most one pending wake-up. A link
//! with a thousand packets in flight thus has one entry, not a thousand, and moving a timer changes its entry in place
//! instead of leaving an invalid one behind.
//!
//! **Order.** Wake-ups are delivered in the order of (time, sender, number). The sender is the slot that was active
//! when the wake-up was requested, and number counts the requests of that sender: requests of one sender for equal
//! times are first in, first out; among senders the slot that was created first comes first. The set-up of a run is a
//! sender before all slots. Senders share no counter, so the order does not depend on how the actions of different
//! senders at one time interleave. A component that decides on an event before it arms its slot (a packet queued behind
//! another, a timer postponed lazily) takes an [`Order`] at the decision and arms with it later. No two requests have
//! the same order: the order is total, and a run is a function of its input alone.

use crate::heap::IndexedHeap;
use crate::time::Time;

/// The handle of a component's pending wake-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot(pub u32);

/// Rank of a wake-up among those at the same time; lower ranks are delivered first. Orders of different senders do not
/// reflect the order of requests: a first-in, first-out queue must record its order of arrival.
///
/// The upper 24 bits are the sender, the lower 40 bits the number: up to 16 million slots, and 10^12 requests of each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Order(u64);

impl Order {
    const NUMBER_BITS: u32 = 40;

    /// Returns the `number`-th rank before all requests of the set-up and of slots.
    pub fn early(number: u32) -> Self {
        Order(u64::from(number))
    }

    /// Returns the first order of a sender, whose requests count from one.
    fn before_any_of(sender: usize) -> Self {
        Order((sender as u64) << Self::NUMBER_BITS)
    }
}

/// Number of the set-up as a sender. Of the senders that are not slots, 0 stands for [`Order::early`] and 1 for the
/// set-up.
const SETUP: usize = 1;
const FIRST_SLOT: usize = 2;

/// Combines time and order in one number, so that a comparison has no branch.
#[inline]
fn pack_key(at: Time, order: Order) -> u128 {
    u128::from(at.as_nanos()) << 64 | u128::from(order.0)
}

#[inline]
fn unpack_time(key: u128) -> Time {
    Time::from_nanos((key >> 64) as u64)
}

/// The pending wake-ups of all slots.
pub struct Schedule {
    pending: IndexedHeap<u128>,
    /// The last order taken by each sender.
    last: Vec<Order>,
    /// The active sender.
    sender: usize,
    now: Time,
}

impl Default for Schedule {
    fn default() -> Self {
        let last = (0..FIRST_SLOT).map(Order::before_any_of).collect();
        Schedule { pending: IndexedHeap::default(), last, sender: SETUP, now: Time::ZERO }
    }
}

impl Schedule {
    /// Returns an empty schedule at time zero; the set-up is the active sender.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a slot.
    ///
    /// # Panics
    /// Beyond 16 million slots, which would exceed a machine's memory.
    pub fn slot(&mut self) -> Slot {
        assert!(self.last.len() >> (u64::BITS - Order::NUMBER_BITS) == 0, "more than 16 million slots");
        self.last.push(Order::before_any_of(self.last.len()));
        Slot(self.pending.add_owner())
    }

    /// Time of the wake-up last returned by [`Schedule::next`].
    pub fn now(&self) -> Time {
        self.now
    }

    /// Takes the next order of the active sender, after all its earlier orders.
    #[inline]
    pub fn order(&mut self) -> Order {
        let last = &mut self.last[self.sender];
        last.0 += 1;
        *last
    }

    /// Arms `slot` for time `at`, replacing its pending wake-up.
    #[inline]
    pub fn arm(&mut self, slot: Slot, at: Time) {
        let order = self.order();
        self.arm_as(slot, at, order);
    }

    /// Arms `slot` as [`Schedule::arm`] does, with an order that was taken earlier.
    #[inline]
    pub fn arm_as(&mut self, slot: Slot, at: Time, order: Order) {
        self.pending.set(slot.0, pack_key(at, order));
    }

    /// Arms the slot whose wake-up was returned last, as [`Schedule::arm_as`] does. This is faster, but only allowed
    /// before any other slot is armed or disarmed.
    #[inline]
    pub fn rearm(&mut self, slot: Slot, at: Time, order: Order) {
        if !self.pending.replace_first(slot.0, pack_key(at, order)) {
            self.arm_as(slot, at, order);
        }
    }

    /// Removes the pending wake-up of `slot`, if any.
    #[inline]
    pub fn disarm(&mut self, slot: Slot) {
        self.pending.remove(slot.0);
    }

    /// Returns the time of the pending wake-up of `slot`; `None` if the slot is not armed.
    pub fn pending_time(&self, slot: Slot) -> Option<Time> {
        self.pending.get(slot.0).map(unpack_time)
    }

    /// Time of the next wake-up; `None` if no slot is armed.
    pub fn peek(&self) -> Option<Time> {
        self.pending.first().map(|(key, _)| unpack_time(key))
    }

    /// Returns the next wake-up at or before `until`, advances the clock to it, and makes its slot the active sender.
    /// The slot stays armed: its handler must arm or disarm it first, so that one heap operation suffices instead of
    /// two.
    #[inline]
    pub fn next(&mut self, until: Time) -> Option<(Time, Slot)> {
        let (key, owner) = self.pending.first()?;
        let at = unpack_time(key);
        if at > until {
            return None;
        }
        assert!(at >= self.now, "time ran backwards: {at:?} after {:?}", self.now);
        self.now = at;
        self.sender = FIRST_SLOT + owner as usize;
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
    fn simultaneous_wake_ups_of_one_sender_are_first_in_first_out() {
        let mut schedule = Schedule::new();
        let slots: Vec<Slot> = (0..5).map(|_| schedule.slot()).collect();
        let early = schedule.order();
        for slot in &slots[1..] {
            schedule.arm(*slot, Time::from_nanos(7));
        }
        schedule.arm_as(slots[0], Time::from_nanos(7), early);
        assert_eq!(drain(&mut schedule), [(7, 0), (7, 1), (7, 2), (7, 3), (7, 4)]);
    }

    /// At 1 ns slot 2 requests before slot 1, at 2 ns slot 2 again: ordered by sender, then by number.
    #[test]
    fn simultaneous_wake_ups_of_two_senders_are_ordered_by_sender_then_number() {
        let mut schedule = Schedule::new();
        let slots: Vec<Slot> = (0..6).map(|_| schedule.slot()).collect();
        let (one, two, late) = (Time::from_nanos(1), Time::from_nanos(2), Time::from_nanos(9));
        schedule.arm(slots[2], one);
        schedule.arm(slots[1], one);
        assert_eq!(schedule.next(one), Some((one, slots[2])));
        schedule.arm(slots[3], late);
        schedule.arm(slots[2], two);
        assert_eq!(schedule.next(one), Some((one, slots[1])));
        schedule.disarm(slots[1]);
        schedule.arm(slots[4], late);
        assert_eq!(schedule.next(two), Some((two, slots[2])));
        schedule.disarm(slots[2]);
        schedule.arm(slots[5], late);
        schedule.arm_as(slots[0], late, Order::early(0));
        assert_eq!(drain(&mut schedule), [(9, 0), (9, 4), (9, 3), (9, 5)]);
    }

    #[test]
    fn rearmed_slot_wakes_once_at_the_last_time() {
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
    fn wake_up_after_the_limit_stays_pending() {
        let mut schedule = Schedule::new();
        let slot = schedule.slot();
        schedule.arm(slot, Time::from_nanos(11));
        assert_eq!(schedule.next(Time::from_nanos(10)), None);
        assert_eq!(schedule.pending_time(slot), Some(Time::from_nanos(11)));
    }

    /// Compares random arming, moving and disarming with a sorted list of (time, sender, number).
    #[test]
    fn schedule_agrees_with_a_sorted_list() {
        let mut draws = Stream::named(1, 0, "schedule test").draws();
        let mut schedule = Schedule::new();
        let slots: Vec<Slot> = (0..200).map(|_| schedule.slot()).collect();
        // Entries of the sorted list: time, sender, number of the request, slot.
        let mut model: Vec<(u64, i64, u64, u32)> = Vec::new();
        let (mut now, mut sender) = (0, -1);
        for step in 0..20_000u64 {
            let slot = slots[(draws.next_u64() % 200) as usize];
            match draws.next_u64() % 4 {
                0 => {
                    schedule.disarm(slot);
                    model.retain(|entry| entry.3 != slot.0);
                }
                1 => {
                    model.sort_unstable();
                    let expected = (!model.is_empty()).then(|| model.remove(0));
                    let found = schedule.next(Time::NEVER);
                    assert_eq!(found.map(|(at, slot)| (at.as_nanos(), slot.0)), expected.map(|e| (e.0, e.3)));
                    if let Some((at, slot)) = found {
                        (now, sender) = (at.as_nanos(), i64::from(slot.0));
                        schedule.disarm(slot);
                    }
                }
                _ => {
                    let at = now + draws.next_u64() % 50;
                    schedule.arm(slot, Time::from_nanos(at));
                    model.retain(|entry| entry.3 != slot.0);
                    model.push((at, sender, step, slot.0));
                }
            }
        }
    }
}
