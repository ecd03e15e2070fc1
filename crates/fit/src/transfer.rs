//! The transmissions of a captured connection with their fates, which are the input of a fit.

mod facts;

use std::collections::BTreeMap;
use std::io::Read;

use capture::transfer::{Replay, SegmentCounts, Survey, Surveyor, Truth, Vantage};
use capture::{BadTimestamps, Capture, CaptureError, End, SkippedFrames, Stream};
use engine::{Histogram, Span};
use wire::Flags;

use crate::transmission::Transmission;
use facts::CapturedTransfer;

/// A captured transfer.
#[derive(Clone, Debug)]
pub struct MeasuredTransfer {
    /// The measurements that precede the facts.
    pub survey: Survey,
    /// Counts of the transfer's segments.
    pub counts: SegmentCounts,
    /// All transmissions, in the order of sending.
    pub transmissions: Vec<Transmission>,
    /// Bytes of headers in each segment with data.
    pub overhead: u32,
    /// Transmissions classified as lost that arrived, because the receiver reported duplicates.
    pub spurious: u64,
    /// Round trips in nanoseconds.
    pub rtt: Histogram,
    /// The min RTT of packets of each size in bytes, measured at the sender.
    pub least: BTreeMap<u32, Span>,
    /// Bytes of the packet that ends the handshake, the client's first packet after its SYN; `None` if it was not
    /// captured.
    pub answer: Option<u32>,
    /// Expiries of the sender's timer.
    pub timeouts: u64,
    /// Segments that were sent before the first acknowledgment of data: the initial window.
    pub initial_window: u32,
    /// The maximum receive window in bytes; `None` if its scale is not known.
    pub receive_window: Option<u64>,
    /// Bytes acknowledged.
    pub bytes: u64,
    /// Time from the first segment with data to the last acknowledgment.
    pub took: Span,
    /// Cause that the capture could not be read to its end; `None` if it was read completely.
    pub incomplete: Option<String>,
    /// Frames that are not read.
    pub skipped: SkippedFrames,
    /// Frames whose damaged timestamps were replaced.
    pub bad_timestamps: BadTimestamps,
}

/// The reason why a connection cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The file is no capture, or cannot be read.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The capture has no such connection.
    #[error("found no connection {number}, expected {}", describe_connections(*streams))]
    NoConnection {
        /// The requested number.
        number: u32,
        /// The number of connections.
        streams: usize,
    },
    /// No connection of the capture has data.
    #[error("found no TCP connection with data, expected one")]
    NoData,
}

fn describe_connections(streams: usize) -> String {
    match streams {
        0 => "a capture with a TCP connection".to_owned(),
        1 => "0, the only one".to_owned(),
        more => format!("0 to {}", more - 1),
    }
}

/// Returns the connection with this number, or else the one with most data.
fn choose_connection(streams: &[Stream], number: Option<u32>) -> Result<(u32, Stream), TransferError> {
    let bytes = |stream: &Stream| stream.bytes.iter().sum::<u64>();
    let Some(number) = number else {
        // Among equal connections, the first.
        let largest = streams.iter().enumerate().rev().max_by_key(|(_, stream)| bytes(stream));
        let largest = largest.filter(|(_, stream)| bytes(stream) > 0);
        return largest.map(|(number, stream)| (number as u32, stream.clone())).ok_or(TransferError::NoData);
    };
    let given = streams.get(number as usize).map(|stream| (number, stream.clone()));
    given.ok_or(TransferError::NoConnection { number, streams: streams.len() })
}

impl MeasuredTransfer {
    /// The connection `number` of a capture, or the one with most data; `open` opens the file again for each of three
    /// passes, and `given` is the place of the capture, if it is known. A file that is cut off is read as far as it
    /// goes.
    ///
    /// # Errors
    /// The file cannot be read, or has no such connection.
    pub fn read<R: Read>(
        open: impl FnMut() -> Result<R, std::io::Error>,
        number: Option<u32>,
        given: Option<Vantage>,
    ) -> Result<MeasuredTransfer, TransferError> {
        MeasuredTransfer::read_with_truth(open, number, given, None)
    }

    /// Reads a capture at the sender, with the fates of transmissions from a capture at the receiver.
    ///
    /// # Errors
    /// The file cannot be read, or has no such connection.
    pub fn read_with_truth<R: Read>(
        mut open: impl FnMut() -> Result<R, std::io::Error>,
        number: Option<u32>,
        given: Option<Vantage>,
        truth: Option<&Truth>,
    ) -> Result<MeasuredTransfer, TransferError> {
        let mut first = Capture::open(open().map_err(wrap_open_error)?)?;
        let incomplete = match first.by_ref().find_map(Result::err) {
            Some(error) if !error.is_incomplete() => return Err(error.into()),
            error => error.map(|error| error.to_string()),
        };
        let (skipped, bad_timestamps) = (first.skipped_frames(), first.bad_timestamps());
        let (number, stream) = choose_connection(first.streams(), number)?;
        let (sender, receiver) = (stream.main_sender(), stream.main_sender().other());
        let (mut surveyor, mut window, mut overhead, mut answer) = (Surveyor::new(sender), 0, 40, None);
        let mut capture = Capture::open(open().map_err(wrap_open_error)?)?;
        while let Some(Ok(packet)) = capture.next() {
            let Some(of) = packet.stream.filter(|of| of.stream == number) else { continue };
            surveyor.on_packet(&packet, &capture.streams()[number as usize]);
            let Some(segment) = packet.segment() else { continue };
            if of.from == End::Client && !segment.flags.has(Flags::SYN) {
                answer.get_or_insert(packet.ip_len);
            }
            if of.from == receiver {
                window = window.max(u64::from(segment.window));
            } else if segment.len > 0 && !packet.fragment {
                overhead = packet.ip_len.saturating_sub(segment.len).clamp(40, 120);
            }
        }
        let survey = surveyor.finish(number, &stream, given);
        let mut replay = Replay::new(&survey, CapturedTransfer::new(overhead));
        if let Some(truth) = truth {
            replay = replay.with_truth(truth);
        }
        for packet in Capture::open(open().map_err(wrap_open_error)?)?.map_while(Result::ok) {
            replay.on_packet(&packet);
        }
        let (transfer, counts, _) = replay.finish();
        let bytes = transfer.acknowledged_bytes();
        let CapturedTransfer {
            mut transmissions, duplicates, rtt, least, timeouts, initial_window, first, last, ..
        } = transfer;
        let spurious = if truth.is_none() { duplicates.correct_fates(&mut transmissions) } else { 0 };
        Ok(MeasuredTransfer {
            receive_window: Some(window).filter(|_| survey.scale_known),
            survey,
            counts,
            transmissions,
            overhead,
            spurious,
            rtt,
            least,
            answer,
            timeouts,
            initial_window,
            bytes,
            took: last.since(first.unwrap_or(last)),
            incomplete,
            skipped,
            bad_timestamps,
        })
    }

    /// Bits acknowledged per second.
    pub fn goodput(&self) -> f64 {
        8.0 * self.bytes as f64 / self.took.as_secs_f64().max(1e-9)
    }
}

fn wrap_open_error(error: std::io::Error) -> CaptureError {
    CaptureError::Read { offset: 0, error }
}
