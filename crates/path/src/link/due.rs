//! Future events of transmissions.

use std::collections::VecDeque;

use engine::{Order, Time};

/// A future event, and its order among simultaneous events.
pub(crate) struct Due<T> {
    pub at: Time,
    pub order: Order,
    pub what: T,
}

/// Events in the order of their starts. This is also the order of their times, because all events have the same delay.
pub(crate) type DueQueue<T> = VecDeque<Due<T>>;

/// Returns the time of the first event.
pub(crate) fn peek_due<T>(queue: &DueQueue<T>) -> Option<(Time, Order)> {
    queue.front().map(|due| (due.at, due.order))
}
