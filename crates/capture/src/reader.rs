//! The packets of a capture.

use std::collections::VecDeque;
use std::io::Read;

use engine::Time;

use crate::decode;
use crate::error::CaptureError;
use crate::file::{CapturedFrame, FrameReader};
use crate::link::{self, LinkType};
use crate::packet::Packet;
use crate::streams::{Stream, StreamTable};
use crate::times::{AHEAD, BadTimestamps, FrameTimes};

/// The latest time since the first frame, in nanoseconds: two years. Sums of times in damaged files stay in range.
const MAX_AGE: u64 = 1 << 56;

/// Counts of frames that yielded no packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SkippedFrames {
    /// Frames without an IP packet, such as ARP.
    pub not_ip: u64,
    /// Frames of interfaces with a link type that cannot be read, in files with others that can.
    pub foreign: u64,
    /// Frames whose headers are damaged, or cut by the snap length within the fixed part of a header.
    pub damaged: u64,
}

/// A capture that is read from front to back, as an iterator of its packets.
///
/// After an error there are no more packets; packets read before remain valid. Memory: one block of the file (at most
/// 16 MB), and the table of connections.
pub struct Capture<R> {
    source: R,
    reader: Reader,
}

/// The part of a capture that does not depend on the type of the source.
struct Reader {
    file: FrameReader,
    streams: StreamTable,
    skipped: SkippedFrames,
    times: FrameTimes,
    start: Option<i128>,
    /// Frames read ahead to check the timestamp of an earlier frame.
    ahead: VecDeque<NextFrame>,
    /// The end of the file, or the error after the last frame.
    ended: Option<Result<(), CaptureError>>,
}

/// A frame whose packet is not yet entered in the table of connections.
struct NextFrame {
    number: u64,
    interface: u32,
    /// The time in the file.
    nanos: i128,
    /// `None` if there is none that can be read.
    packet: Option<Packet>,
}

impl<R: Read> Capture<R> {
    /// Opens a capture. The source needs no buffer, because it is read in large pieces.
    ///
    /// # Errors
    /// The file is not a capture, has a link type that cannot be read, or the source fails.
    pub fn open(mut read: R) -> Result<Self, CaptureError> {
        let file = FrameReader::open(&mut read)?;
        let reader = Reader {
            file,
            streams: StreamTable::default(),
            skipped: SkippedFrames::default(),
            times: FrameTimes::default(),
            start: None,
            ahead: VecDeque::new(),
            ended: None,
        };
        Ok(Capture { source: read, reader })
    }

    /// Returns the TCP connections of the packets read so far, in the order of their first segments. The list is
    /// complete when the iterator has ended. It is limited to [`MAX_STREAMS`](crate::MAX_STREAMS).
    pub fn streams(&self) -> &[Stream] {
        &self.reader.streams.streams
    }

    /// The frames read so far that yielded no packet.
    pub fn skipped_frames(&self) -> SkippedFrames {
        self.reader.skipped
    }

    /// Returns the frames so far whose damaged timestamps were replaced.
    pub fn bad_timestamps(&self) -> BadTimestamps {
        self.reader.times.bad_timestamps
    }

    /// The number of frames read so far.
    pub fn frames(&self) -> u64 {
        self.reader.file.frames
    }

    /// Returns the time of the first frame, in nanoseconds since 1970-01-01 00:00 UTC; `None` before that frame is
    /// read.
    pub fn start(&self) -> Option<i128> {
        self.reader.start
    }
}

impl Reader {
    /// Reads the next frame of the file; `None` at its end.
    fn read_frame(&mut self, source: &mut dyn Read) -> Result<Option<NextFrame>, CaptureError> {
        let Some(frame) = self.file.next_frame(source)? else { return Ok(None) };
        let (interface, nanos) = (frame.interface, frame.nanos);
        let packet = match link::find_link_type(frame.link_type) {
            Some(link_type) => read_packet(&frame, link_type, &mut self.skipped),
            None => {
                let link_type = frame.link_type;
                self.skipped.foreign += 1;
                if !self.file.has_link_type(|number| link::find_link_type(number).is_some()) {
                    return Err(CaptureError::ForeignLinkType { link_type });
                }
                None
            }
        };
        Ok(Some(NextFrame { number: self.file.frames, interface, nanos, packet }))
    }

    /// Reads the next frame, and records the end of the file or an error.
    fn read_unless_ended(&mut self, source: &mut dyn Read) -> Option<NextFrame> {
        if self.ended.is_some() {
            return None;
        }
        match self.read_frame(source) {
            Ok(Some(frame)) => return Some(frame),
            Ok(None) => self.ended = Some(Ok(())),
            Err(error) => self.ended = Some(Err(error)),
        }
        None
    }

    fn next_packet(&mut self, source: &mut dyn Read) -> Option<Result<Packet, CaptureError>> {
        loop {
            let next = self.ahead.pop_front().or_else(|| self.read_unless_ended(source));
            let Some(NextFrame { number, interface, nanos, packet }) = next else {
                // An error is reported once.
                return self.ended.replace(Ok(())).and_then(Result::err).map(Err);
            };
            if self.times.is_doubtful(interface, nanos) {
                while self.ahead.len() < AHEAD
                    && let Some(frame) = self.read_unless_ended(source)
                {
                    self.ahead.push_back(frame);
                }
            }
            let behind = self.ahead.iter().filter(|frame| frame.interface == interface).map(|frame| frame.nanos);
            let time = self.times.correct_time(number, (interface, nanos), behind);
            let start = *self.start.get_or_insert(time);
            if let Some(mut packet) = packet {
                packet.number = number;
                packet.at = Time::from_nanos((time - start).clamp(0, MAX_AGE.into()) as u64);
                self.streams.add_packet(&mut packet);
                return Some(Ok(packet));
            }
        }
    }
}

/// Reads the packet in a frame, without number and time. If there is no packet that can be read, the frame is counted,
/// and the result is `None`.
fn read_packet(frame: &CapturedFrame<'_>, link_type: LinkType, skipped: &mut SkippedFrames) -> Option<Packet> {
    let Some((ip, direction)) = link::find_ip_packet(link_type, frame.bytes) else {
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
        self.reader.next_packet(&mut self.source)
    }
}
