//! Captures in pcapng, the format of Wireshark (draft-ietf-opsawg-pcapng).
//!
//! A writer needs only three block types. Therefore they are written here without a library. `tshark` reads every
//! capture that the tests write.

use std::io::{self, Write};

use engine::Time;

use crate::bytes::serialize_headers;
use crate::packet::Packet;

const SECTION_HEADER: u32 = 0x0A0D_0D0A;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
/// LINKTYPE_RAW: packets begin with the IP header.
const LINKTYPE_RAW: u16 = 101;
/// LINKTYPE_IEEE802_11_RADIOTAP: packets begin with the radiotap header.
const LINKTYPE_RADIOTAP: u16 = 127;
const OPT_IF_NAME: u16 = 2;
const OPT_IF_TSRESOL: u16 = 9;
const OPT_EPB_FLAGS: u16 = 2;

/// Direction of a packet at an interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Received.
    In,
    /// Transmitted.
    Out,
}

/// A pcapng writer. Timestamps are simulated time in nanoseconds.
pub struct Writer<W> {
    out: W,
    packets: u16,
    /// The block being written.
    block: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Begins a capture of IP packets with one interface per name. Packets refer to interfaces by index.
    pub fn new(out: W, interfaces: &[&str]) -> io::Result<Self> {
        Writer::of(LINKTYPE_RAW, out, interfaces)
    }

    /// Begins a capture of 802.11 frames, with one interface.
    pub fn of_air(out: W, interface: &str) -> io::Result<Self> {
        Writer::of(LINKTYPE_RADIOTAP, out, &[interface])
    }

    fn of(link_type: u16, out: W, interfaces: &[&str]) -> io::Result<Self> {
        let mut writer = Writer { out, packets: 0, block: Vec::with_capacity(128) };
        writer.block(SECTION_HEADER, |body| {
            body.extend(0x1A2B_3C4D_u32.to_le_bytes());
            body.extend([1, 0, 0, 0]);
            body.extend(u64::MAX.to_le_bytes());
        })?;
        for name in interfaces {
            writer.block(INTERFACE_DESCRIPTION, |body| {
                body.extend(link_type.to_le_bytes());
                body.extend([0; 6]);
                append_option(body, OPT_IF_NAME, name.as_bytes());
                append_option(body, OPT_IF_TSRESOL, &[9]);
                body.extend([0; 4]);
            })?;
        }
        Ok(writer)
    }

    /// Writes one packet that crossed `interface` at time `at`.
    pub fn packet(&mut self, interface: u32, at: Time, direction: Direction, packet: &Packet) -> io::Result<()> {
        let bytes = serialize_headers(packet, self.packets);
        self.packets = self.packets.wrapping_add(1);
        let direction: u32 = match direction {
            Direction::In => 1,
            Direction::Out => 2,
        };
        self.write_enhanced_block(interface, at, &bytes, packet.size(), Some(direction))
    }

    /// Writes a real packet that crossed `interface` at time `at`, with all of its bytes.
    pub fn whole(&mut self, interface: u32, at: Time, direction: Direction, bytes: &[u8]) -> io::Result<()> {
        let direction: u32 = match direction {
            Direction::In => 1,
            Direction::Out => 2,
        };
        self.write_enhanced_block(interface, at, bytes, bytes.len() as u32, Some(direction))
    }

    /// Writes an 802.11 frame. `bytes` are the radiotap header and the first bytes of the frame, and `length` is the
    /// full length of both.
    pub fn frame(&mut self, at: Time, bytes: &[u8], length: u32) -> io::Result<()> {
        self.write_enhanced_block(0, at, bytes, length, None)
    }

    fn write_enhanced_block(
        &mut self,
        interface: u32,
        at: Time,
        bytes: &[u8],
        length: u32,
        flags: Option<u32>,
    ) -> io::Result<()> {
        let nanos = at.as_nanos();
        self.block(ENHANCED_PACKET, |body| {
            body.extend(interface.to_le_bytes());
            body.extend(((nanos >> 32) as u32).to_le_bytes());
            body.extend((nanos as u32).to_le_bytes());
            body.extend((bytes.len() as u32).to_le_bytes());
            body.extend(length.to_le_bytes());
            body.extend_from_slice(bytes);
            append_padding(body);
            if let Some(flags) = flags {
                append_option(body, OPT_EPB_FLAGS, &flags.to_le_bytes());
                body.extend([0; 4]);
            }
        })
    }

    /// Flushes and returns the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    /// Writes a block, whose contents `fill` appends: a multiple of four bytes.
    fn block(&mut self, kind: u32, fill: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let block = &mut self.block;
        block.clear();
        block.extend(kind.to_le_bytes());
        block.extend([0; 4]);
        fill(block);
        let length = (block.len() as u32 + 4).to_le_bytes();
        block[4..8].copy_from_slice(&length);
        block.extend(length);
        self.out.write_all(block)
    }
}

fn append_option(to: &mut Vec<u8>, code: u16, value: &[u8]) {
    to.extend(code.to_le_bytes());
    to.extend((value.len() as u16).to_le_bytes());
    to.extend(value);
    append_padding(to);
}

fn append_padding(to: &mut Vec<u8>) {
    to.resize(to.len().next_multiple_of(4), 0);
}
