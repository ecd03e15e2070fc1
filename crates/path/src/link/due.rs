//! What is on its way.

use std::collections::VecDeque;

use engine::{Order, Time};

/// Something that is going to happen, and its place among what happens at one time.
pub(crate) struct Due<T> {
    pub at: Time,
    pub order: Order,
    pub what: T,
}

/// Things that happen in the order in which they were begun, because all of them take equally long.
pub(crate) type Line<T> = VecDeque<Due<T>>;

/// When the first of them happens.
pub(crate) fn first<T>(line: &Line<T>) -> Option<(Time, Order)> {
    line.front().map(|due| (due.at, due.order))
}
