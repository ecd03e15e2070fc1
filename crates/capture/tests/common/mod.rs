//! Captures for the tests, built byte by byte.

use capture::{Capture, CaptureError, Packet, SkippedFrames, Stream};
use wire::{Addr, Body, Flags, Options, Segment, SeqNum, Timestamps};

/// A segment of node 0 to node 1.
pub fn segment(seq: u32, len: u32) -> Segment {
    let timestamps = Some(Timestamps { value: 7, echo: 5 });
    let options = Options { timestamps, ..Options::default() };
    Segment {
        src_port: 1000,
        dst_port: 80,
        seq: SeqNum(seq),
        ack: SeqNum(9),
        len,
        window: 5000,
        flags: Flags::ACK,
        options,
        ..Segment::default()
    }
}

/// IPv4 and TCP headers.
pub fn ip(segment: Segment) -> Vec<u8> {
    wire::bytes::serialize_headers(&wire::Packet::new(Addr::of_node(0), Addr::of_node(1), Body::Tcp(segment)), 77)
}

/// IPv4 and TCP headers of a segment in the other direction.
pub fn ip_back(segment: Segment) -> Vec<u8> {
    wire::bytes::serialize_headers(&wire::Packet::new(Addr::of_node(1), Addr::of_node(0), Body::Tcp(segment)), 78)
}

pub fn ethernet(ip: &[u8]) -> Vec<u8> {
    [&[2; 12][..], &[0x08, 0x00], ip].concat()
}

/// A pcap file; each record has seconds, ticks, frame and length of the frame on the wire.
pub fn pcap(magic: u32, big_endian: bool, link_type: u32, records: &[(u32, u32, &[u8], u32)]) -> Vec<u8> {
    let word = |value: u32| if big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
    let half = |value: u16| if big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
    let mut file = [&word(magic)[..], &half(2), &half(4), &word(0), &word(0), &word(65535), &word(link_type)].concat();
    for (seconds, ticks, frame, length) in records {
        let header = [word(*seconds), word(*ticks), word(frame.len() as u32), word(*length)];
        file.extend(header.concat());
        file.extend(*frame);
    }
    file
}

/// A block of a pcapng file.
pub fn block(big_endian: bool, kind: u32, body: &[u8]) -> Vec<u8> {
    let word = |value: u32| if big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
    let padding = vec![0; body.len().next_multiple_of(4) - body.len()];
    let length = word((12 + body.len() + padding.len()) as u32);
    [&word(kind)[..], &length, body, &padding, &length].concat()
}

pub fn section(big_endian: bool) -> Vec<u8> {
    let word = |value: u32| if big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
    let version = if big_endian { [0, 1, 0, 0] } else { [1, 0, 0, 0] };
    block(big_endian, 0x0A0D_0D0A, &[&word(0x1A2B_3C4D)[..], &version, &[0xFF; 8]].concat())
}

/// An interface with `if_tsresol` and `if_tsoffset`.
pub fn interface(big_endian: bool, link_type: u16, resolution: Option<u8>, offset: Option<i64>) -> Vec<u8> {
    let half = |value: u16| if big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
    let mut body = [&half(link_type)[..], &[0; 6]].concat();
    if let Some(resolution) = resolution {
        body.extend([&half(9)[..], &half(1), &[resolution, 0, 0, 0]].concat());
    }
    if let Some(offset) = offset {
        let bytes = if big_endian { offset.to_be_bytes() } else { offset.to_le_bytes() };
        body.extend([&half(14)[..], &half(8), &bytes].concat());
    }
    body.extend([0; 4]);
    block(big_endian, 1, &body)
}

/// An enhanced packet block.
pub fn enhanced(big_endian: bool, interface: u32, ticks: u64, frame: &[u8], length: u32) -> Vec<u8> {
    let word = |value: u32| if big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
    let header = [interface, (ticks >> 32) as u32, ticks as u32, frame.len() as u32, length].map(word).concat();
    let padding = vec![0; frame.len().next_multiple_of(4) - frame.len()];
    block(big_endian, 6, &[&header[..], frame, &padding].concat())
}

/// The contents of a capture besides its packets.
pub struct Rest {
    pub streams: Vec<Stream>,
    pub skipped: SkippedFrames,
    pub frames: u64,
    pub start: Option<i128>,
}

/// All packets up to the first error, that error, and the rest.
pub fn read(file: &[u8]) -> (Vec<Packet>, Option<CaptureError>, Rest) {
    let (mut packets, mut error) = (Vec::new(), None);
    let mut rest = Rest { streams: Vec::new(), skipped: SkippedFrames::default(), frames: 0, start: None };
    match Capture::open(file) {
        Ok(mut capture) => {
            for packet in &mut capture {
                match packet {
                    Ok(packet) => packets.push(packet),
                    Err(found) => error = Some(found),
                }
            }
            let (streams, skipped) = (capture.streams().to_vec(), capture.skipped_frames());
            rest = Rest { streams, skipped, frames: capture.frames(), start: capture.start() };
        }
        Err(found) => error = Some(found),
    }
    (packets, error, rest)
}

/// All packets of a good file.
pub fn packets(file: &[u8]) -> Vec<Packet> {
    let (packets, error, _) = read(file);
    assert!(error.is_none(), "{error:?}");
    packets
}
