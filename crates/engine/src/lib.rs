//! What every discrete-event simulation needs and nothing of networks:
//! [`time`] and [`units`] that cannot be mixed up, an event [`schedule`] with a total order,
//! [`random`] streams named after what draws from them, and the [`registry!`] macro.

pub mod heap;
pub mod named;
pub mod near;
pub mod or_none;
pub mod random;
pub mod registry;
pub mod schedule;
pub mod signed;
pub mod text;
pub mod time;
pub mod units;

pub use heap::IndexedHeap;
pub use named::Named;
pub use random::{Draws, Stream};
pub use schedule::{Order, Schedule, Slot};
pub use signed::Signed;
pub use time::{Span, Time};
pub use units::{Bytes, Decibels, Length, Rate, Speed};

#[doc(hidden)]
pub use {schemars, serde};
