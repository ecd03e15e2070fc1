//! The basis of discrete-event simulation, independent of networks: [`time`] and [`units`] as distinct types, an event
//! [`schedule`] with a total order, named [`random`] streams, and the [`registry!`] and [`define_ids!`] macros.
//!
//! ```
//! use engine::{Rate, Schedule, Span, Stream, Time};
//!
//! // Two components request wake-ups; the earlier one is delivered first.
//! let mut schedule = Schedule::new();
//! let (timer, link) = (schedule.slot(), schedule.slot());
//! let rate: Rate = "8 Mbps".parse()?;
//! schedule.arm(timer, Time::ZERO + Span::from_secs(1));
//! schedule.arm(link, Time::ZERO + rate.transmission_time(1500));
//! assert_eq!(schedule.next(Time::NEVER), Some((Time::from_nanos(1_500_000), link)));
//! schedule.disarm(link); // A component that was woken arms its slot again or disarms it.
//! assert_eq!(schedule.next(Time::NEVER), Some((Time::from_millis(1000), timer)));
//! schedule.disarm(timer);
//! assert_eq!(schedule.next(Time::NEVER), None);
//!
//! // The numbers of a stream depend on its name, not on other streams.
//! let draw = |name| Stream::named(1, 0, name).draws().next_u64();
//! assert_eq!(draw("link air"), draw("link air"));
//! assert_ne!(draw("link air"), draw("link wire"));
//! # Ok::<(), engine::units::UnitError>(())
//! ```

pub mod bare_name;
pub mod heap;
pub mod histogram;
pub mod id;
pub mod named;
pub mod near;
pub mod or_none;
pub mod quantity;
pub mod random;
pub mod registry;
pub mod schedule;
mod setting;
pub mod share;
pub mod signed;
pub mod tagged;
pub mod text;
pub mod time;
pub mod units;

pub use heap::IndexedHeap;
pub use histogram::Histogram;
pub use id::{Id, IdVec};
pub use named::Named;
pub use quantity::Quantity;
pub use random::{Draws, Stream};
pub use registry::members::{self, Custom, Factory, Kind, Member, MemberFile, Members, Open};
pub use schedule::{Order, Schedule, Slot};
pub use share::Share;
pub use signed::Signed;
pub use time::{Span, Time};
pub use units::{Bytes, Decibels, Frequency, Length, Rate, Speed};

#[doc(hidden)]
pub use {schemars, serde};
