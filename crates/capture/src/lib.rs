//! Packet captures: pcap and pcapng files as a stream of packets, and the table of their TCP connections.
//!
//! [`Capture`] reads a file front to back in bounded memory, whatever its size. Each packet is a [`Packet`]: plain
//! values, no bytes. [`transfer`] makes the events of a simulated run of one connection. Formats: pcap (microseconds
//! and nanoseconds, both byte orders) and pcapng (sections, interfaces, `if_tsresol`, `if_tsoffset`, both byte orders).
//! Link types: Ethernet with VLAN tags, Linux cooked captures (SLL, SLL2), raw IP, NULL and LOOP. The blocks of the
//! files are parsed by `pcap-parser`, the headers by `etherparse`.
//!
//! Frames may be cut by the snap length of the capture: lengths come from the IP header, never from the bytes captured.
//!
//! ```
//! use capture::{Capture, Transport};
//! use engine::Time;
//! use wire::{Addr, Body, Flags, Packet, Segment, pcapng};
//!
//! let syn = Segment { src_port: 1000, dst_port: 80, flags: Flags::SYN, ..Segment::default() };
//! let packet = Packet::new(Addr::of_node(0), Addr::of_node(1), Body::Tcp(syn));
//! let mut writer = pcapng::Writer::new(Vec::new(), &["eth0"])?;
//! writer.packet(0, Time::from_millis(7), pcapng::Direction::Out, &packet)?;
//! let file = writer.finish()?;
//!
//! let mut capture = Capture::open(file.as_slice())?;
//! let packet = capture.next().expect("one packet")?;
//! assert_eq!(packet.at, Time::ZERO, "times count from the first packet");
//! let Transport::Tcp(segment) = packet.transport else { panic!("a segment") };
//! assert_eq!((segment.dst_port, segment.flags), (80, Flags::SYN));
//! assert!(capture.next().is_none());
//! assert_eq!(capture.streams()[0].packets, [1, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod buffer;
mod decode;
mod error;
mod file;
pub mod joined;
mod link;
mod packet;
mod reader;
mod streams;
mod times;
pub mod transfer;

pub use error::CaptureError;
pub use file::{GZIP, is_capture};
pub use packet::{Direction, End, Icmp, Packet, StreamEnd, Transport, Udp};
pub use reader::{Capture, SkippedFrames};
pub use streams::{MAX_STREAMS, Stream, Syn};
pub use times::BadTimestamps;
