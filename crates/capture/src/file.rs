//! Frames of pcap and pcapng files.

use std::io::{self, Read};

use pcap_parser::nom::{Err as NomError, IResult};
use pcap_parser::{
    Block, InterfaceDescriptionBlock, LegacyPcapBlock, OptionCode, PcapError, PcapHeader, parse_block_be,
    parse_block_le, parse_pcap_frame, parse_pcap_frame_be, parse_pcap_frame_modified, parse_pcap_header,
};

use crate::buffer::SourceBuffer;
use crate::error::CaptureError;
use crate::packet::Direction;

/// Largest block that is read, in bytes: a limit of memory. Frames have at most 256 kB in practice.
const MAX_BLOCK: usize = 16 << 20;

/// Largest number of interfaces of a section: a limit of memory.
const MAX_INTERFACES: usize = 1 << 16;

/// The kinds of blocks with a frame.
const ENHANCED_PACKET: u32 = 6;
const SIMPLE_PACKET: u32 = 3;

const DAMAGED: &str = "the block is damaged: its lengths contradict each other";

const SECTION_HEADER: [u8; 4] = [0x0A, 0x0D, 0x0D, 0x0A];
/// The code of the flags of an enhanced packet block, whose two lowest bits are the direction of the packet.
const EPB_FLAGS: OptionCode = OptionCode(2);

/// The first bytes of a gzip file [RFC1952 s2.3.1].
pub const GZIP: [u8; 2] = [0x1F, 0x8B];

/// Whether a file that begins with these bytes, at least four, is a capture.
pub fn is_capture(first: &[u8]) -> bool {
    let Some(magic) = first.first_chunk::<4>() else { return false };
    let legacy = [0xA1B2_C3D4_u32, 0xA1B2_3C4D];
    *magic == SECTION_HEADER
        || legacy.iter().any(|number| [number.to_le_bytes(), number.to_be_bytes()].contains(magic))
        || *magic == 0xA1B2_CD34_u32.to_le_bytes()
}

/// Quotes the beginning of the first line if the file is text.
fn quote_first_line(bytes: &[u8]) -> Option<String> {
    let line = bytes[..bytes.len().min(24)].split(|byte| *byte == b'\n').next()?;
    let is_text = line.iter().all(|byte| matches!(byte, b'\t' | b'\r' | b' '..=b'~'));
    is_text.then(|| format!("text that begins with {:?}", String::from_utf8_lossy(line).trim_end()))
}

/// A frame of a file.
pub struct CapturedFrame<'a> {
    /// Nanoseconds since 1970.
    pub nanos: i128,
    pub interface: u32,
    /// The number of the link type.
    pub link_type: u32,
    pub direction: Option<Direction>,
    /// The captured bytes.
    pub bytes: &'a [u8],
    /// The length of the frame.
    pub length: u32,
}

/// An interface of a pcapng section, from its Interface Description Block.
struct FrameInterface {
    link_type: u32,
    /// Timestamp ticks per second; `None` if the number overflows, in which case every timestamp is below a nanosecond.
    ticks: Option<u128>,
    /// Seconds to add to timestamps.
    offset: i64,
    /// Snap length in bytes; 0 for none.
    snap: u32,
}

enum FileFormat {
    Pcap { parse: ParseFrame, record_header: usize, big_endian: bool, nanos_per_tick: u32, link_type: u32 },
    Pcapng { big_endian: bool, interfaces: Vec<FrameInterface> },
}

type ParseFrame = fn(&[u8]) -> IResult<&[u8], LegacyPcapBlock<'_>, PcapError<&[u8]>>;

/// The frames of a file.
pub struct FrameReader {
    buffer: SourceBuffer,
    format: FileFormat,
    /// The frames read.
    pub frames: u64,
    /// Bytes of the block that was read last, which are still in the buffer.
    taken: usize,
}

impl FrameReader {
    pub fn open(source: &mut dyn Read) -> Result<Self, CaptureError> {
        let mut buffer = SourceBuffer::new();
        // The header of pcap, and the fixed part of a section header.
        let whole =
            buffer.request(source, 24).map_err(|error| CaptureError::Read { offset: buffer.end_offset(), error })?;
        let bytes = buffer.bytes();
        if !is_capture(bytes) {
            let found = match bytes.first_chunk::<4>() {
                Some(first) if first.starts_with(&GZIP) => "a gzip file".to_owned(),
                Some(first) => quote_first_line(bytes)
                    .unwrap_or_else(|| format!("the bytes {}", first.map(|byte| format!("{byte:02x}")).join(" "))),
                None if bytes.is_empty() => "an empty file".to_owned(),
                None => format!("a file of {} bytes", bytes.len()),
            };
            return Err(CaptureError::NotACapture { found });
        }
        if !whole {
            return Err(CaptureError::Truncated { offset: 0, length: buffer.end_offset(), packets: 0 });
        }
        let mut taken = 0;
        let format = if bytes.starts_with(&SECTION_HEADER) {
            FileFormat::Pcapng { big_endian: false, interfaces: Vec::new() }
        } else {
            let header = match parse_pcap_header(bytes) {
                Ok((_, header)) => header,
                Err(_) => return Err(report_damage(0, 0, "the header of the file is damaged")),
            };
            taken = header.size();
            read_pcap_header(&header)
        };
        Ok(FrameReader { buffer, format, frames: 0, taken })
    }

    /// Reads the next frame; `None` at the end of the file. After an error there are no more frames.
    pub fn next_frame(&mut self, source: &mut dyn Read) -> Result<Option<CapturedFrame<'_>>, CaptureError> {
        loop {
            self.buffer.consume(std::mem::take(&mut self.taken));
            let Some(length) = self.request_block(source)? else { return Ok(None) };
            self.taken = length;
            if self.has_frame() {
                break;
            }
            self.read_block(length)?;
        }
        self.frames += 1;
        self.parse_frame().map(Some)
    }

    /// Makes the next block available. Returns its length, or `None` at the end of the file.
    fn request_block(&mut self, source: &mut dyn Read) -> Result<Option<usize>, CaptureError> {
        let header = match &self.format {
            FileFormat::Pcap { record_header, .. } => *record_header,
            FileFormat::Pcapng { .. } => 12,
        };
        if !self.request_bytes(source, header)? {
            return if self.buffer.bytes().is_empty() { Ok(None) } else { Err(self.report_early_end()) };
        }
        let bytes = self.buffer.bytes();
        let number = |at: usize, big_endian: bool| {
            let word = bytes[at..].first_chunk().copied().unwrap_or_default();
            (if big_endian { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) }) as usize
        };
        let length = match &self.format {
            FileFormat::Pcap { big_endian, .. } => header.saturating_add(number(8, *big_endian)),
            FileFormat::Pcapng { big_endian, .. } => {
                // A section header states its own byte order.
                let is_section = bytes.starts_with(&SECTION_HEADER);
                let big_endian = if is_section { bytes[8..12] == 0x1A2B_3C4D_u32.to_be_bytes() } else { *big_endian };
                number(4, big_endian)
            }
        };
        if length > MAX_BLOCK {
            let what = format!("found a block of {length} bytes, expected at most {MAX_BLOCK}: the file is damaged");
            return Err(self.report_damage_here(&what));
        }
        // The parser rejects a block that is shorter than its header.
        let length = length.max(header);
        if self.request_bytes(source, length)? { Ok(Some(length)) } else { Err(self.report_early_end()) }
    }

    /// Whether the block that is available is a frame.
    fn has_frame(&self) -> bool {
        let FileFormat::Pcapng { big_endian, .. } = &self.format else { return true };
        let kind = self.buffer.bytes().first_chunk().copied().unwrap_or_default();
        let kind = if *big_endian { u32::from_be_bytes(kind) } else { u32::from_le_bytes(kind) };
        [ENHANCED_PACKET, SIMPLE_PACKET].contains(&kind)
    }

    /// Handles a block of pcapng that is not a frame.
    fn read_block(&mut self, length: usize) -> Result<(), CaptureError> {
        let (offset, packets) = (self.buffer.offset(), self.frames);
        let FileFormat::Pcapng { big_endian, interfaces } = &mut self.format else { return Ok(()) };
        match parse_block(&self.buffer.bytes()[..length], *big_endian) {
            Some(Block::SectionHeader(section)) => {
                *big_endian = section.big_endian();
                interfaces.clear();
            }
            Some(Block::InterfaceDescription(_)) if interfaces.len() == MAX_INTERFACES => {
                return Err(report_damage(offset, packets, "found more than 65536 interfaces: the file is damaged"));
            }
            Some(Block::InterfaceDescription(description)) => {
                interfaces.push(FrameInterface::from_description(&description, *big_endian));
            }
            Some(_) => {}
            None => return Err(report_damage(offset, packets, DAMAGED)),
        }
        Ok(())
    }

    /// The frame in the block that is available.
    fn parse_frame(&self) -> Result<CapturedFrame<'_>, CaptureError> {
        let bytes = &self.buffer.bytes()[..self.taken];
        let frame = match &self.format {
            FileFormat::Pcap { parse, nanos_per_tick, link_type, .. } => {
                parse(bytes).ok().map(|(_, record)| CapturedFrame {
                    nanos: i128::from(record.ts_sec) * 1_000_000_000
                        + i128::from(record.ts_usec) * i128::from(*nanos_per_tick),
                    interface: 0,
                    link_type: *link_type,
                    direction: None,
                    bytes: record.data,
                    length: record.origlen,
                })
            }
            FileFormat::Pcapng { big_endian, interfaces } => match parse_block(bytes, *big_endian) {
                Some(Block::EnhancedPacket(packet)) => {
                    let ticks = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
                    let flags = packet.options.iter().find(|option| option.code == EPB_FLAGS);
                    let flags = flags.and_then(|option| option.value.first_chunk::<4>());
                    let direction = flags.and_then(|flags| match flags[if *big_endian { 3 } else { 0 }] & 3 {
                        1 => Some(Direction::In),
                        2 => Some(Direction::Out),
                        _ => None,
                    });
                    let Some(interface) = interfaces.get(packet.if_id as usize) else {
                        let (number, count) = (packet.if_id, interfaces.len());
                        let what = format!("found a packet of interface {number}, expected one of {count} interfaces");
                        return Err(report_damage(self.buffer.offset(), self.frames - 1, &what));
                    };
                    Some(CapturedFrame {
                        nanos: interface.to_nanos(ticks),
                        interface: packet.if_id,
                        link_type: interface.link_type,
                        direction,
                        bytes: &packet.data[..packet.data.len().min(packet.caplen as usize)],
                        length: packet.origlen,
                    })
                }
                // A simple packet block has neither a timestamp nor a captured length, and belongs to the first
                // interface.
                Some(Block::SimplePacket(packet)) => interfaces.first().map(|interface| {
                    let snap = if interface.snap == 0 { u32::MAX } else { interface.snap };
                    let captured = packet.origlen.min(snap) as usize;
                    CapturedFrame {
                        nanos: 0,
                        interface: 0,
                        link_type: interface.link_type,
                        direction: None,
                        bytes: &packet.data[..packet.data.len().min(captured)],
                        length: packet.origlen,
                    }
                }),
                _ => None,
            },
        };
        frame.ok_or_else(|| report_damage(self.buffer.offset(), self.frames - 1, DAMAGED))
    }

    /// Whether an interface of the section has a link type for which `readable` returns true.
    pub fn has_link_type(&self, readable: impl Fn(u32) -> bool) -> bool {
        match &self.format {
            FileFormat::Pcap { link_type, .. } => readable(*link_type),
            FileFormat::Pcapng { interfaces, .. } => interfaces.iter().any(|interface| readable(interface.link_type)),
        }
    }

    fn request_bytes(&mut self, source: &mut dyn Read, wanted: usize) -> Result<bool, CaptureError> {
        let result: io::Result<bool> = self.buffer.request(source, wanted);
        result.map_err(|error| {
            let (offset, packets) = (self.buffer.end_offset(), self.frames);
            match error.kind() {
                // Errors by which decompressors report truncated or damaged input.
                io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => {
                    CaptureError::Undecoded { offset, error, packets }
                }
                _ => CaptureError::Read { offset, error },
            }
        })
    }

    fn report_early_end(&self) -> CaptureError {
        let (offset, length) = (self.buffer.offset(), self.buffer.end_offset());
        CaptureError::Truncated { offset, length, packets: self.frames }
    }

    fn report_damage_here(&self, what: &str) -> CaptureError {
        report_damage(self.buffer.offset(), self.frames, what)
    }
}

fn report_damage(offset: u64, packets: u64, what: &str) -> CaptureError {
    CaptureError::Malformed { offset, what: what.to_owned(), packets }
}

fn read_pcap_header(header: &PcapHeader) -> FileFormat {
    let big_endian = header.is_bigendian();
    let (parse, record_header): (ParseFrame, usize) = match (header.is_modified_format(), big_endian) {
        (true, _) => (parse_pcap_frame_modified, 24),
        (false, true) => (parse_pcap_frame_be, 16),
        (false, false) => (parse_pcap_frame, 16),
    };
    let nanos_per_tick = if header.is_nanosecond_precision() { 1 } else { 1000 };
    // The upper bits hold the length of the frame check sequence.
    FileFormat::Pcap { parse, record_header, big_endian, nanos_per_tick, link_type: header.network.0 as u32 & 0xFFFF }
}

/// Parses a whole block; `None` if it is damaged.
fn parse_block(bytes: &[u8], big_endian: bool) -> Option<Block<'_>> {
    let parsed = if big_endian { parse_block_be(bytes) } else { parse_block_le(bytes) };
    match parsed {
        Ok((_, block)) => Some(block),
        Err(NomError::Incomplete(_) | NomError::Error(_) | NomError::Failure(_)) => None,
    }
}

impl FrameInterface {
    fn from_description(description: &InterfaceDescriptionBlock<'_>, big_endian: bool) -> Self {
        let exponent = u32::from(description.if_tsresol & 0x7F);
        let base: u128 = if description.if_tsresol & 0x80 == 0 { 10 } else { 2 };
        let offset = description.options.iter().find(|option| option.code == OptionCode::IfTsoffset);
        let offset = offset.and_then(|option| option.value.first_chunk().copied());
        FrameInterface {
            link_type: u32::from(description.linktype.0 as u16),
            ticks: base.checked_pow(exponent),
            offset: offset
                .map_or(0, |bytes| if big_endian { i64::from_be_bytes(bytes) } else { i64::from_le_bytes(bytes) }),
            snap: description.snaplen,
        }
    }

    /// Nanoseconds since 1970 of a timestamp, rounded down.
    fn to_nanos(&self, timestamp: u64) -> i128 {
        const SECOND: u128 = 1_000_000_000;
        let nanos = self.ticks.map_or(0, |ticks| u128::from(timestamp) * SECOND / ticks);
        // Both terms are below 2^94.
        nanos as i128 + i128::from(self.offset) * SECOND as i128
    }
}
