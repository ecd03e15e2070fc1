//! The path between sender and receiver. A packet passes, in this order, a [`queue`], a [`link`], the [`channel`], and
//! the [`agent`] of a node. A link with a link layer ([`mac`]) is served by a [`station`], which several links of a
//! node can share, or is part of a shared [`medium`]. [`place`] computes the positions of nodes. Each call of a
//! component has a [`context`]; components report [`event`]s.
//!
//! ```
//! use engine::{Rate, Span, Stream, Time};
//! use path::LinkDirection;
//! use path::channel::{ChannelFrame, FrameFate, scripted};
//! use path::queue::Limit;
//!
//! // A queue of two packets has no place for a third.
//! let limit: Limit = "2 packets".parse()?;
//! assert!(limit.admits(1, 1500, 1500) && !limit.admits(2, 3000, 1500));
//!
//! // Air that is bad between 10 and 20 ms damages the frames that touch this time.
//! let millis = |millis: u64| Span::from_nanos(millis * 1_000_000);
//! let config = scripted::Config { bad: vec![[millis(10), millis(20)]], ..Default::default() };
//! let mut air = config.build(Stream::named(1, 0, "link air"));
//! let rate: Rate = "2 Mbps".parse()?;
//! let mut fate = |at: u64, number: u64| {
//!     let start = Time::from_millis(at);
//!     let duration = rate.transmission_time(1500);
//!     let (direction, number) = (LinkDirection::Forward, Some(number));
//!     air.fate(&ChannelFrame { now: start, start, duration, size: 1500, direction, number })
//! };
//! assert_eq!(fate(0, 0), FrameFate::Arrives, "6 ms long, over at 6 ms");
//! assert_eq!(fate(6, 1), FrameFate::Corrupted);
//! assert_eq!(fate(21, 2), FrameFate::Arrives);
//! # Ok::<(), engine::units::UnitError>(())
//! ```

pub mod agent;
pub mod channel;
mod counters;
mod hop_state;
pub mod link;
pub mod mac;
pub mod medium;
pub mod numbers;
pub mod outcome;
pub mod place;
pub mod queue;
pub mod scheduler;
pub mod station;

pub mod context;
pub mod event;
pub mod ids;

pub use context::{AnyObserver, Cx, LinkCx, Observer};
pub use event::{AirFrame, LinkDirections, LinkEvent, MediumEvent, Reach, Reception};
pub use hop_state::{HopState, LinkLayerState};
pub use ids::{HopId, HopIndex, LinkDirection, LinkId, MediumId, MediumStationId};
pub use numbers::SeqBitmap;
