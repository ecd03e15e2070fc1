//! The packets of a capture.

use std::collections::VecDeque;
use std::io::Read;

use engine::Time;

use crate::decode;
use crate::error::CaptureError;
use crate::file::{CapturedFrame, File};
use crate::link::{self, LinkType};
use crate::packet::Packet;
use crate::streams::{Stream, Streams};
use crate::times::{AHEAD, BadTimestamps, Times};

/// The latest time since the first frame, in nanoseconds: two years. Sums of times in damaged files stay in range.
const MAX_AGE: u64 = 1 << 56;

/// Frames that are not among the packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Skipped {
    /// Frames without an IP packet, such as ARP.
    pub not_ip: u64,
    /// Frames of interfaces with a link type that cannot be read, in files with others that can.
    pub foreign: u64,
    /// Frames whose headers are damaged, or cut by the snap length within the fixed part of a header.
    pub damaged: u64,
}

/// A capture, read front to back: an iterator of its packets.
///
/// After an error, which keeps the packets read before, there are no more packets. Memory: one block of the file (at
/// most 16 MB), and the table of connections.
pub struct Capture<R> {
    source: R,
    reader: Reader,
}

/// What does not depend on the source.
struct Reader {
    file: File,
    streams: Streams,
    skipped: Skipped,
    times: Times,
    start: Option<i128>,
    /// Frames that were read to judge the time of one before them.
    ahead: VecDeque<NextFrame>,
    /// The end of the file, or an error behind the frames that were read.
    ended: Option<Result<(), CaptureError>>,
}

/// A frame whose packet is not yet entered into the table of connections.
struct NextFrame {
    number: u64,
    interface: u32,
    /// The time in the file.
    nanos: i128,
    /// `None` if there is none that can be read.
    packet: Option<Packet>,
}

impl<R: Read> Capture<R> {
    /// Opens a capture. The source is read in large pieces, so it needs no buffer.
    ///
    /// # Errors
    /// The file is not a capture, has a link type that cannot be read, or the source fails.
    pub fn open(mut read: R) -> Result<Self, CaptureError> {
        let file = File::open(&mut read)?;
        let reader = Reader {
            file,
            streams: Streams::default(),
            skipped: Skipped::default(),
            times: Times::default(),
            start: None,
            ahead: VecDeque::new(),
            ended: None,
        };
        Ok(Capture { source: read, reader })
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

    /// The frames so far whose damaged timestamps were replaced.
    pub fn bad_timestamps(&self) -> BadTimestamps {
        self.reader.times.bad_timestamps
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
    /// Reads the next frame of the file; `None` at its end.
    fn read(&mut self, source: &mut dyn Read) -> Result<Option<NextFrame>, CaptureError> {
        let Some(frame) = self.file.next(source)? else { return Ok(None) };
        let (interface, nanos) = (frame.interface, frame.nanos);
        let packet = match link::of_number(frame.link_type) {
            Some(link_type) => read_packet(&frame, link_type, &mut self.skipped),
            None => {
                let link_type = frame.link_type;
                self.skipped.foreign += 1;
                if !self.file.has_link_type(|number| link::of_number(number).is_some()) {
                    return Err(CaptureError::ForeignLinkType { link_type });
                }
                None
            }
        };
        Ok(Some(NextFrame { number: self.file.frames, interface, nanos, packet }))
    }

    /// The next frame, unless the file has ended.
    fn frame(&mut self, source: &mut dyn Read) -> Option<NextFrame> {
        if self.ended.is_some() {
            return None;
        }
        match self.read(source) {
            Ok(Some(frame)) => return Some(frame),
            Ok(None) => self.ended = Some(Ok(())),
            Err(error) => self.ended = Some(Err(error)),
        }
        None
    }

    fn next(&mut self, source: &mut dyn Read) -> Option<Result<Packet, CaptureError>> {
        loop {
            let next = self.ahead.pop_front().or_else(|| self.frame(source));
            let Some(NextFrame { number, interface, nanos, packet }) = next else {
                // An error is reported once.
                return self.ended.replace(Ok(())).and_then(Result::err).map(Err);
            };
            if self.times.doubts(interface, nanos) {
                while self.ahead.len() < AHEAD
                    && let Some(frame) = self.frame(source)
                {
                    self.ahead.push_back(frame);
                }
            }
            let behind = self.ahead.iter().filter(|frame| frame.interface == interface).map(|frame| frame.nanos);
            let time = self.times.enter(number, (interface, nanos), behind);
            let start = *self.start.get_or_insert(time);
            if let Some(mut packet) = packet {
                packet.number = number;
                packet.at = Time::from_nanos((time - start).clamp(0, MAX_AGE.into()) as u64);
                self.streams.enter(&mut packet);
                return Some(Ok(packet));
            }
        }
    }
}

/// The packet in a frame, without number and time; `None`, and counted, if there is none that can be read.
fn read_packet(frame: &CapturedFrame<'_>, link_type: LinkType, skipped: &mut Skipped) -> Option<Packet> {
    let Some((ip, direction)) = link::ip_in(link_type, frame.bytes) else {
        skipped.not_ip += 1;
        return None;
    };
    // In damaged files a frame may be shorter than its captured length.
    let before = frame.bytes.len() - ip.len();
    let length = frame.length.max(frame.bytes.len() as u32) - before as u32;
    let Some(packet) = decode::decode_packet(ip, length) else {
        skipped.damaged += 1;
        return None;
    };
    Some(Packet { interface: frame.interface, direction: frame.direction.or(direction), ..packet })
}

impl<R: Read> Iterator for Capture<R> {
    type Item = Result<Packet, CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.reader.next(&mut self.source)
    }
}
