//! Packets as values. Inside the simulation a packet is a small copyable value, never bytes;
//! [`bytes`] and [`pcapng`] turn it into what other programs read.

pub mod addr;
pub mod bare;
pub mod bytes;
pub mod icmp;
pub mod options;
pub mod packet;
pub mod pcapng;
pub mod segment;

pub use addr::Addr;
pub use bare::Bare;
pub use icmp::{Notice, NoticeKind};
pub use options::{Options, SackBlocks, Timestamps};
pub use packet::{Body, Ecn, Packet};
pub use segment::{Flags, Segment, SeqNum};
