//! The packets of a capture.

use std::io::Read;

use engine::Time;

use crate::decode;
use crate::error::CaptureError;
use crate::file::{File, Frame};
use crate::link::{self, LinkType};
use crate::packet::Packet;
use crate::streams::{Stream, Streams};

/// The latest time since the first frame, in nanoseconds: two years. Sums of times in damaged files stay in range.
const MAX_AGE: u64 = 1 << 56;

/// Frames that are not among the packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Skipped {
    /// Frames without an IP packet, such as ARP.
    pub not_ip: u64,
    /// Frames of interfaces with a link type that cannot be read, beside others that can.
    pub foreign: u64,
    /// Frames whose headers are damaged, or cut by the snap length within the fixed part of a header.
    pub damaged: u64,
}

/// A capture, read front to back: an iterator of its packets.
///
/// After an error, which keeps what was read before, there are no more packets. Memory: one block of the file (at most
/// 16 MB), and the table of connections.
pub struct Capture<R> {
    source: R,
    reader: Reader,
}

/// What does not depend on the source.
struct Reader {
    file: File,
    streams: Streams,
    skipped: Skipped,
    start: Option<i128>,
    failed: bool,
}

impl<R: Read> Capture<R> {
    /// Opens a capture. The source is read in large pieces, so it needs no buffer of its own.
    ///
    /// # Errors
    /// The file is not a capture, has a link type that cannot be read, or the source fails.
    pub fn open(mut read: R) -> Result<Self, CaptureError> {
        let file = File::open(&mut read)?;
        let (streams, skipped) = (Streams::default(), Skipped::default());
        Ok(Capture { source: read, reader: Reader { file, streams, skipped, start: None, failed: false } })
    }

    /// The TCP connections of the packets read so far, in order of their first segments; complete when the iterator has
    /// ended. Limited to [`MAX_STREAMS`](crate::MAX_STREAMS).
    pub fn streams(&self) -> &[Stream] {
        &self.reader.streams.streams
    }

    /// The frames read so far that are not among the packets.
    pub fn skipped(&self) -> Skipped {
        self.reader.skipped
    }

    /// The number of frames read so far.
    pub fn frames(&self) -> u64 {
        self.reader.file.frames
    }

    /// The time of the first frame, in nanoseconds since 1970-01-01 00:00 UTC; `None` before it is read.
    pub fn start(&self) -> Option<i128> {
        self.reader.start
    }
}

impl Reader {
    /// Reads the next frame. `Ok(None)` at the end, `Ok(Some(None))` for a frame that is skipped.
    fn read(&mut self, source: &mut dyn Read) -> Result<Option<Option<Packet>>, CaptureError> {
        let Some(frame) = self.file.next(source)? else { return Ok(None) };
        let start = *self.start.get_or_insert(frame.nanos);
        let since = (frame.nanos - start).clamp(0, MAX_AGE.into()) as u64;
        let Some(link_type) = link::of_number(frame.link_type) else {
            let link_type = frame.link_type;
            self.skipped.foreign += 1;
            let others = self.file.has_link_type(|number| link::of_number(number).is_some());
            return if others { Ok(Some(None)) } else { Err(CaptureError::ForeignLinkType { link_type }) };
        };
        let packet = packet(&frame, link_type, Time::from_nanos(since), &mut self.skipped);
        let number = self.file.frames;
        Ok(Some(packet.map(|mut packet| {
            packet.number = number;
            self.streams.enter(&mut packet);
            packet
        })))
    }

    fn next(&mut self, source: &mut dyn Read) -> Option<Result<Packet, CaptureError>> {
        while !self.failed {
            match self.read(source) {
                Ok(Some(Some(packet))) => return Some(Ok(packet)),
                Ok(Some(None)) => {}
                Ok(None) => return None,
                Err(error) => {
                    self.failed = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

/// The packet in a frame; `None`, and counted, if there is none that can be read.
fn packet(frame: &Frame<'_>, link_type: LinkType, at: Time, skipped: &mut Skipped) -> Option<Packet> {
    let Some((ip, direction)) = link::ip_in(link_type, frame.bytes) else {
        skipped.not_ip += 1;
        return None;
    };
    // In damaged files a frame may be shorter than what was captured of it.
    let before = frame.bytes.len() - ip.len();
    let length = frame.length.max(frame.bytes.len() as u32) - before as u32;
    let Some(packet) = decode::packet(ip, length) else {
        skipped.damaged += 1;
        return None;
    };
    Some(Packet { at, interface: frame.interface, direction: frame.direction.or(direction), ..packet })
}

impl<R: Read> Iterator for Capture<R> {
    type Item = Result<Packet, CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.reader.next(&mut self.source)
    }
}
