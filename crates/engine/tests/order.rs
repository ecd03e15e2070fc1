//! The order of wake-ups at equal times, and the state of a schedule.

use engine::{Order, Schedule, Time};

const AT: Time = Time::from_nanos(7);

/// Early orders come first by their numbers, then requests of the set-up, then those of slots.
#[test]
fn early_orders_precede_the_set_up_and_the_set_up_precedes_slots() {
    let mut schedule = Schedule::new();
    let slots: Vec<_> = (0..5).map(|_| schedule.slot()).collect();
    schedule.arm(slots[0], Time::from_nanos(1));
    schedule.arm(slots[1], AT);
    schedule.arm_as(slots[3], AT, Order::early(9));
    schedule.arm_as(slots[4], AT, Order::early(2));
    assert_eq!(schedule.next(Time::NEVER), Some((Time::from_nanos(1), slots[0])));
    schedule.arm(slots[2], AT);
    schedule.disarm(slots[0]);
    let mut order = Vec::new();
    while let Some((at, slot)) = schedule.next(Time::NEVER) {
        assert_eq!((at, schedule.now()), (AT, AT));
        order.push(slot.0);
        schedule.disarm(slot);
    }
    assert_eq!(order, [4, 3, 1, 2]);
    assert!(Order::early(2) < Order::early(9));
}

/// Orders of a sender increase, and early orders precede them.
#[test]
fn orders_of_a_sender_increase() {
    let mut schedule = Schedule::new();
    let places: Vec<Order> = (0..1000).map(|_| schedule.order()).collect();
    assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(Order::early(u32::MAX) < places[0]);
}

#[test]
fn armed_returns_the_time_until_disarmed() {
    let mut schedule = Schedule::new();
    let (one, other) = (schedule.slot(), schedule.slot());
    assert_eq!((schedule.now(), schedule.pending_time(one)), (Time::ZERO, None));
    schedule.arm(one, AT);
    assert_eq!((schedule.pending_time(one), schedule.pending_time(other)), (Some(AT), None));
    // A wake-up exactly at the limit is delivered, and its slot stays armed.
    assert_eq!(schedule.next(Time::from_nanos(6)), None);
    assert_eq!(schedule.now(), Time::ZERO);
    assert_eq!(schedule.next(AT), Some((AT, one)));
    assert_eq!((schedule.now(), schedule.pending_time(one)), (AT, Some(AT)));
    schedule.disarm(one);
    assert_eq!((schedule.pending_time(one), schedule.next(Time::NEVER)), (None, None));
}

#[test]
#[should_panic(expected = "time ran backwards")]
fn wake_up_in_the_past_panics() {
    let mut schedule = Schedule::new();
    let slot = schedule.slot();
    schedule.arm(slot, AT);
    schedule.next(Time::NEVER);
    schedule.arm(slot, Time::from_nanos(6));
    schedule.next(Time::NEVER);
}
