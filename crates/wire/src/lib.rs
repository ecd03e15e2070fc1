//! Packets as values. Within the simulation a packet is a small copyable value without bytes; [`bytes`], [`pcapng`],
//! and [`ieee80211`] and [`radiotap`] for frames of a medium, write packets as bytes for captures.
//!
//! ```
//! use wire::{Addr, Body, Ecn, Flags, Packet, Segment, SeqNum};
//!
//! let flags = Flags::ACK;
//! let segment = Segment { src_port: 1000, dst_port: 80, seq: SeqNum(7), len: 500, flags, ..Segment::default() };
//! let packet = Packet::new(Addr::of_node(0), Addr::of_node(1), Body::Tcp(segment));
//! // 20 bytes of IPv4, 20 of TCP, and the payload, which has a length but no bytes.
//! assert_eq!(packet.size(), 540);
//!
//! let bytes = wire::bytes::serialize_headers(&packet, 1);
//! assert_eq!(bytes.len(), 40);
//! assert_eq!(bytes[0], 0x45, "version 4, five words of header");
//! assert_eq!(bytes[2..4], 540_u16.to_be_bytes());
//! ```

pub mod addr;
pub mod bytes;
pub mod compact;
pub mod datagram;
pub mod dscp;
pub mod icmp;
pub mod ieee80211;
pub mod options;
pub mod packet;
pub mod pcapng;
pub mod radiotap;
pub mod read;
pub mod segment;
pub mod seq_num;

pub use addr::Addr;
pub use compact::{CompactPacket, CompactSegment};
pub use datagram::{Datagram, Protocol};
pub use dscp::Dscp;
pub use icmp::{Notice, NoticeKind};
pub use options::{Options, SackBlocks, Timestamps};
pub use packet::{Body, Ecn, Packet};
pub use segment::{Flags, Segment};
pub use seq_num::SeqNum;
