//! Packets as values. Inside the simulation a packet is a small copyable value, never bytes;
//! [`bytes`], [`pcapng`] and, for frames in the air, [`ieee80211`] and [`radiotap`] turn it into what other programs read.
//!
//! ```
//! use wire::{Addr, Body, Ecn, Flags, Packet, Segment, SeqNum};
//!
//! let segment = Segment { src_port: 1000, dst_port: 80, seq: SeqNum(7), len: 500, flags: Flags::ACK, ..Segment::default() };
//! let packet = Packet { src: Addr::of_node(0), dst: Addr::of_node(1), ecn: Ecn::Ect0, body: Body::Tcp(segment) };
//! // 20 bytes of IPv4, 20 of TCP, and the data, which is counted and not carried.
//! assert_eq!(packet.size(), 540);
//!
//! let bytes = wire::bytes::headers(&packet, 1);
//! assert_eq!(bytes.len(), 40);
//! assert_eq!(bytes[0], 0x45, "version 4, five words of header");
//! assert_eq!(bytes[2..4], 540_u16.to_be_bytes());
//! ```

pub mod addr;
pub mod bytes;
pub mod compact;
pub mod icmp;
pub mod ieee80211;
pub mod options;
pub mod packet;
pub mod pcapng;
pub mod radiotap;
pub mod segment;
pub mod seq_num;

pub use addr::Addr;
pub use compact::CompactPacket;
pub use icmp::{Notice, NoticeKind};
pub use options::{Options, SackBlocks, Timestamps};
pub use packet::{Body, Ecn, Packet};
pub use segment::{Flags, Segment};
pub use seq_num::SeqNum;
