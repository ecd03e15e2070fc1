//! What happens next.
//!
//! Every component that can act by itself owns one or more [`Slot`]s, each with at most one wake-up pending.
//! A link with a thousand packets in flight therefore holds one entry, not a thousand, and moving a timer
//! changes an entry in place instead of leaving a dead one behind.
//!
//! **Order.** Wake-ups come in order of (time, sender, number). The sender is the slot that acted when the wake-up was
//! requested, and number counts the requests of that sender: requests of one sender at equal times are first in, first
//! out; between senders the slot that was made first goes first. The set-up of a run is a sender before all slots. No
//! counter is shared between senders, so the order does not depend on how the actions of different senders at one
//! time interleave. A component that knew earlier than it armed its slot (a packet behind another on a link, a timer
//! pushed back lazily) takes an [`Order`] when it learns of the event and arms with that. No two requests have the same
//! order: it is total, and a run is a function of its input alone.

use crate::heap::IndexedHeap;
use crate::time::Time;

/// The handle of one component's pending wake-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot(pub u32);

/// A place among the events of one time: lower acts first. Not comparable across senders as "asked for earlier": a queue
/// that must be first in, first out keeps its own order of arrival.
///
/// 24 bits of sender and 40 bits of number: up to 16 million slots, and 10^12 requests of each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Order(u64);

impl Order {
    const NUMBER_BITS: u32 = 40;

    /// The `number`-th place before all that the set-up and the slots ask for.
    pub fn early(number: u32) -> Self {
        Order(u64::from(number))
    }

    /// Number zero of a sender, which counts from one.
    fn before_any_of(sender: usize) -> Self {
        Order((sender as u64) << Self::NUMBER_BITS)
    }
}

/// Senders that are not slots: [`Order::early`], and the set-up.
const SETUP: usize = 1;
const FIRST_SLOT: usize = 2;

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
pub struct Schedule {
    pending: IndexedHeap<u128>,
    /// The last order that each sender took.
    last: Vec<Order>,
    /// The sender that acts.
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
    /// An empty schedule at time zero, with the set-up acting.
    pub fn new() -> Self {
        Self::default()
    }

    /// A slot for a component to own.
    ///
    /// # Panics
    /// Beyond 16 million slots, which would take more memory than a machine has.
    pub fn slot(&mut self) -> Slot {
        assert!(self.last.len() >> (u64::BITS - Order::NUMBER_BITS) == 0, "more than 16 million slots");
        self.last.push(Order::before_any_of(self.last.len()));
        Slot(self.pending.add_owner())
    }

    /// The time of the wake-up last taken with [`Schedule::next`].
    pub fn now(&self) -> Time {
        self.now
    }

    /// The next place of the sender that acts: behind all that it asked for until now.
    #[inline]
    pub fn order(&mut self) -> Order {
        let last = &mut self.last[self.sender];
        last.0 += 1;
        *last
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

    /// When the next wake-up comes, if there is one.
    pub fn peek(&self) -> Option<Time> {
        self.pending.first().map(|(key, _)| time(key))
    }

    /// The next wake-up at or before `until`; the clock moves to it, and its slot is the sender from then on. The slot stays
    /// armed: its handler begins by arming or disarming it, which costs one walk down the heap instead of two.
    #[inline]
    pub fn next(&mut self, until: Time) -> Option<(Time, Slot)> {
        let (key, owner) = self.pending.first()?;
        let at = time(key);
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
    fn equal_times_of_one_sender_come_first_in_first_out() {
        let mut schedule = Schedule::new();
        let slots: Vec<Slot> = (0..5).map(|_| schedule.slot()).collect();
        let early = schedule.order();
        for slot in &slots[1..] {
            schedule.arm(*slot, Time::from_nanos(7));
        }
        schedule.arm_as(slots[0], Time::from_nanos(7), early);
        assert_eq!(drain(&mut schedule), [(7, 0), (7, 1), (7, 2), (7, 3), (7, 4)]);
    }

    /// At 1 ns slot 2 asks before slot 1 does, at 2 ns slot 2 again: by sender, then by number.
    #[test]
    fn equal_times_of_two_senders_come_by_sender_then_by_number() {
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

    /// Random arming, moving and disarming against a sorted list of (time, sender, number) that cannot be wrong.
    #[test]
    fn agrees_with_a_sorted_list() {
        let mut draws = Stream::named(1, 0, "schedule test").draws();
        let mut schedule = Schedule::new();
        let slots: Vec<Slot> = (0..200).map(|_| schedule.slot()).collect();
        // Time, sender, number of the request, slot.
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
