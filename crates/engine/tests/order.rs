//! What acts first at one time, and what a schedule says of itself.

use engine::{Order, Schedule, Time};

const AT: Time = Time::from_nanos(7);

/// Early places by their numbers, then what the set-up asked for, then what slots did.
#[test]
fn early_places_come_before_the_set_up_and_the_set_up_before_slots() {
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

/// The place that a sender takes is behind all that it took before and before all that it takes later, at any time.
#[test]
fn places_of_a_sender_rise() {
    let mut schedule = Schedule::new();
    let places: Vec<Order> = (0..1000).map(|_| schedule.order()).collect();
    assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(Order::early(u32::MAX) < places[0]);
}

#[test]
fn an_armed_slot_says_when_and_a_disarmed_one_nothing() {
    let mut schedule = Schedule::new();
    let (one, other) = (schedule.slot(), schedule.slot());
    assert_eq!((schedule.now(), schedule.armed(one)), (Time::ZERO, None));
    schedule.arm(one, AT);
    assert_eq!((schedule.armed(one), schedule.armed(other)), (Some(AT), None));
    // At the end itself it still wakes, and stays armed.
    assert_eq!(schedule.next(Time::from_nanos(6)), None);
    assert_eq!(schedule.now(), Time::ZERO);
    assert_eq!(schedule.next(AT), Some((AT, one)));
    assert_eq!((schedule.now(), schedule.armed(one)), (AT, Some(AT)));
    schedule.disarm(one);
    assert_eq!((schedule.armed(one), schedule.next(Time::NEVER)), (None, None));
}

#[test]
#[should_panic(expected = "time ran backwards")]
fn a_wake_up_in_the_past_is_a_defect() {
    let mut schedule = Schedule::new();
    let slot = schedule.slot();
    schedule.arm(slot, AT);
    schedule.next(Time::NEVER);
    schedule.arm(slot, Time::from_nanos(6));
    schedule.next(Time::NEVER);
}
