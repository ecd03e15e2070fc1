//! Packets as values. Inside the simulation a packet is a small copyable value, never bytes;
//! [`bytes`], [`pcapng`] and, for frames in the air, [`ieee80211`] and [`radiotap`] turn it into what other programs read.

pub mod addr;
pub mod bare;
pub mod bytes;
pub mod icmp;
pub mod ieee80211;
pub mod options;
pub mod packet;
pub mod pcapng;
pub mod radiotap;
pub mod segment;
pub mod seq_num;

pub use addr::Addr;
pub use bare::Bare;
pub use icmp::{Notice, NoticeKind};
pub use options::{Options, SackBlocks, Timestamps};
pub use packet::{Body, Ecn, Packet};
pub use segment::{Flags, Segment};
pub use seq_num::SeqNum;
