//! What every discrete-event simulation needs and nothing of networks:
//! [`time`] and [`units`] that cannot be mixed up, an event [`schedule`] with a total order,
//! [`random`] streams named after what draws from them, and the [`registry!`] macro.
//!
//! ```
//! use engine::{Rate, Schedule, Span, Stream, Time};
//!
//! // Two components ask to be woken; the earlier one acts first.
//! let mut schedule = Schedule::new();
//! let (timer, link) = (schedule.slot(), schedule.slot());
//! let rate: Rate = "8 Mbps".parse()?;
//! schedule.arm(timer, Time::ZERO + Span::from_secs(1));
//! schedule.arm(link, Time::ZERO + rate.transmission_time(1500));
//! assert_eq!(schedule.next(Time::NEVER), Some((Time::from_nanos(1_500_000), link)));
//! schedule.disarm(link); // A component that acts says when it acts next, or that it does not.
//! assert_eq!(schedule.next(Time::NEVER), Some((Time::from_millis(1000), timer)));
//! schedule.disarm(timer);
//! assert_eq!(schedule.next(Time::NEVER), None);
//!
//! // A stream's draws depend on its name, not on who else draws.
//! let draw = |name| Stream::named(1, 0, name).draws().next_u64();
//! assert_eq!(draw("link air"), draw("link air"));
//! assert_ne!(draw("link air"), draw("link wire"));
//! # Ok::<(), engine::units::UnitError>(())
//! ```

pub mod heap;
pub mod named;
pub mod near;
pub mod or_none;
pub mod random;
pub mod registry;
pub mod schedule;
pub mod signed;
pub mod tagged;
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
