//! Captures in files: their connections, explained.
//!
//! A file is read four times: for the table of connections, for what must be known of a connection beforehand, up to
//! [`rate::PassedPackets`]' limit for the rate of the slowest link, and for the facts. So a capture may be larger than memory.

mod fact_channel;
mod failure;
mod joined;
mod non_tcp;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use capture::transfer::{Replay, SegmentCounts, Survey, Surveyor, Truth, Vantage, rate};
use capture::{BadTimestamps, Capture, GZIP, Packet, SkippedFrames, Stream};
use engine::Rate;
use flate2::read::MultiGzDecoder;
use observe::explain::{CaptureParts, CaptureReport, ExplainCapture, shown_kinds};
use observe::observation::{CapturedConnection, CapturedSink, Evidence};

use fact_channel::FactSender;

pub use failure::CaptureFailure;
pub use joined::BothEnds;
pub use non_tcp::{NonTcp, UnexplainedFrames};

/// A capture, and the table of its connections.
#[derive(Debug)]
pub struct CaptureFile {
    /// The file.
    pub path: PathBuf,
    /// The TCP connections, by number.
    pub streams: Vec<Stream>,
    /// Frames that cannot be decoded.
    pub skipped: SkippedFrames,
    /// Frames whose damaged timestamps were replaced.
    pub bad_timestamps: BadTimestamps,
    /// Packets of other protocols, which are not analysed.
    pub non_tcp: NonTcp,
    /// The number of frames.
    pub frames: u64,
    /// Epoch of packet times: the arrival of the first frame, in nanoseconds since 1970-01-01 00:00 UTC.
    pub start: i128,
    /// Reason why the file could not be read to its end; `None` if it was read completely. The packets before the error
    /// are used.
    pub incomplete: Option<String>,
    /// Whether the capture is known to be from an end of its connections.
    pub at_end: bool,
}

/// A connection of a capture, explained.
#[derive(Debug)]
pub struct ExplainedConnection {
    /// The measurements that precede its facts.
    pub survey: Survey,
    /// Counts of the connection's segments.
    pub counts: SegmentCounts,
    /// The explanation.
    pub report: CaptureReport,
}

/// Whether a file is a capture, by its first bytes; the capture may be compressed by gzip. False for a path that cannot
/// be read as a file.
pub fn is_capture(path: &Path) -> bool {
    let mut first = [0; 4];
    path.is_file()
        && open_decompressed(path).and_then(|mut file| file.read_exact(&mut first)).is_ok()
        && capture::is_capture(&first)
}

/// A file, decompressed if it is compressed by gzip.
///
/// # Errors
/// The file cannot be read.
pub fn open_decompressed(path: &Path) -> io::Result<Box<dyn Read>> {
    let mut file = File::open(path)?;
    let mut first = [0; 2];
    let packed = file.read(&mut first)? == first.len() && first == GZIP;
    file.rewind()?;
    Ok(if packed { Box::new(DecompressedFile(MultiGzDecoder::new(BufReader::new(file)))) } else { Box::new(file) })
}

/// A decompressed file. An error of the compressed data has an error kind that reading a file never has.
struct DecompressedFile<R>(R);

impl<R: Read> Read for DecompressedFile<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => io::Error::new(io::ErrorKind::InvalidData, error),
            _ => error,
        })
    }
}

impl CaptureFile {
    /// Frames outside of the explanation.
    pub fn unexplained_frames_by_kind(&self) -> UnexplainedFrames {
        UnexplainedFrames(self.non_tcp, self.skipped)
    }

    /// Number of frames outside of the explanation.
    pub fn unexplained_frames(&self) -> u64 {
        let UnexplainedFrames(NonTcp { udp, icmp, other }, SkippedFrames { not_ip, foreign, damaged }) =
            self.unexplained_frames_by_kind();
        udp + icmp + other + not_ip + foreign + damaged
    }

    /// Reads the table of connections.
    ///
    /// # Errors
    /// The file cannot be read, is not a capture, or has no TCP connection. A truncated or damaged capture is read up to
    /// the damage, see [`incomplete`](Self::incomplete).
    pub fn open(path: &Path) -> Result<Self, CaptureFailure> {
        let mut capture = open_capture(path)?;
        let (mut incomplete, mut non_tcp) = (None, NonTcp::default());
        for packet in &mut capture {
            match packet {
                Ok(packet) => non_tcp.add(&packet.transport),
                Err(error) if error.is_incomplete() => incomplete = Some(error.to_string()),
                Err(error) => return Err(CaptureFailure::Contents { path: path.to_owned(), error }),
            }
        }
        let (frames, path) = (capture.frames(), path.to_owned());
        if capture.streams().is_empty() {
            let others = UnexplainedFrames(non_tcp, capture.skipped_frames());
            return Err(CaptureFailure::NoConnection { path, frames, others });
        }
        let (streams, skipped, bad_timestamps) =
            (capture.streams().to_vec(), capture.skipped_frames(), capture.bad_timestamps());
        Ok(CaptureFile {
            at_end: false,
            path,
            streams,
            skipped,
            bad_timestamps,
            non_tcp,
            frames,
            start: capture.start().unwrap_or(0),
            incomplete,
        })
    }

    /// The numbers of the connections, in descending order of data.
    pub fn by_size(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..self.streams.len() as u32).collect();
        numbers.sort_by_key(|number| std::cmp::Reverse(self.streams[*number as usize].bytes.iter().sum::<u64>()));
        numbers
    }

    /// Returns the given connection, or, without a number, the one with the most data.
    ///
    /// # Errors
    /// No connection has this number.
    pub fn choose_connection(&self, number: Option<u32>) -> Result<u32, CaptureFailure> {
        let count = self.streams.len();
        match number {
            None => Ok(self.by_size()[0]),
            Some(number) if (number as usize) < count => Ok(number),
            Some(number) => Err(CaptureFailure::UnknownStream { path: self.path.clone(), number, count }),
        }
    }

    /// Explains connections, and passes their facts to a sink for each. `at` is the place of the capture, if it is
    /// known.
    ///
    /// # Errors
    /// The file cannot be read again.
    pub fn explain<S: CapturedSink>(
        &self,
        numbers: &[u32],
        at: Option<Vantage>,
        sink: impl FnMut(&CapturedConnection) -> S,
    ) -> Result<Vec<(ExplainedConnection, S)>, CaptureFailure> {
        let surveys = self.surveys(numbers, at)?;
        self.explain_surveyed(numbers, surveys, None, sink)
    }

    /// Surveys of connections, required before their explanation.
    fn surveys(&self, numbers: &[u32], at: Option<Vantage>) -> Result<Vec<Survey>, CaptureFailure> {
        let places = self.places(numbers);
        let senders = numbers.iter().map(|number| self.streams[*number as usize].main_sender());
        let mut surveyors: Vec<Surveyor> = senders.map(Surveyor::new).collect();
        self.read(&places, |place, packet, stream| {
            surveyors[place].on_packet(packet, stream);
            true
        })?;
        let surveys = surveyors.into_iter().zip(numbers);
        let finish =
            |(surveyor, number): (Surveyor, &u32)| surveyor.finish(*number, &self.streams[*number as usize], at);
        Ok(surveys.map(finish).collect())
    }

    fn explain_surveyed<S: CapturedSink>(
        &self,
        numbers: &[u32],
        mut surveys: Vec<Survey>,
        truth: Option<&Truth>,
        mut sink: impl FnMut(&CapturedConnection) -> S,
    ) -> Result<Vec<(ExplainedConnection, S)>, CaptureFailure> {
        let places = self.places(numbers);
        for (survey, rate) in self.rates(&places, &surveys, truth)?.into_iter().enumerate() {
            surveys[survey].rate = rate.or(surveys[survey].rate);
        }
        let sink = |survey: &Survey| {
            let connection = survey.connection();
            (ExplainCapture::new(&connection), sink(&connection))
        };
        let mut sinks: Vec<_> = surveys.iter().map(sink).collect();
        let (senders, receiver) = fact_channel::open_channel(numbers.len());
        let replay = |(survey, sender)| replay_of(survey, truth, sender);
        let mut replays: Vec<_> = surveys.iter().zip(senders).map(replay).collect();
        let make = || {
            self.read(&places, |place, packet, _| {
                replays[place].on_packet(packet);
                true
            })?;
            let finish = |replay: Replay<'_, FactSender>| {
                let (mut sender, counts, end) = replay.finish();
                sender.flush();
                (counts, end)
            };
            Ok(replays.into_iter().map(finish).collect::<Vec<_>>())
        };
        let finished = thread::scope(|scope| {
            let producer = scope.spawn(make);
            receiver.forward(&mut sinks);
            producer.join().unwrap_or_else(|panic| resume_unwind(panic))
        })?;
        let explained = finished.into_iter().zip(sinks).zip(surveys.iter().cloned());
        let explained = explained.filter_map(|(((counts, end), (explain, sink)), survey)| {
            let report = explain.finish(end)?;
            Some((ExplainedConnection { survey, counts, report }, sink))
        });
        Ok(explained.collect())
    }

    /// The rate of the slowest link of each connection, where enough packets waited there.
    fn rates(
        &self,
        places: &[Option<usize>],
        surveys: &[Survey],
        truth: Option<&Truth>,
    ) -> Result<Vec<Evidence<Rate>>, CaptureFailure> {
        let mut replays: Vec<_> = surveys
            .iter()
            .map(|survey| replay_of(survey, truth, rate::PassedPackets::new(survey, truth.is_some())))
            .collect();
        let mut filling = replays.len();
        self.read(places, |place, packet, _| {
            let replay = &mut replays[place];
            if !replay.sink().is_full() {
                replay.on_packet(packet);
                filling -= usize::from(replay.sink().is_full());
            }
            filling > 0
        })?;
        Ok(replays.into_iter().map(|replay| replay.finish().0.estimate_rate()).collect())
    }

    /// Returns for each connection its index in `numbers`.
    fn places(&self, numbers: &[u32]) -> Vec<Option<usize>> {
        let mut places = vec![None; self.streams.len()];
        for (place, number) in numbers.iter().enumerate() {
            places[*number as usize] = Some(place);
        }
        places
    }

    /// Reads the packets of the connections with an index, up to the first damage of the file and while `each` returns
    /// true.
    fn read(
        &self,
        places: &[Option<usize>],
        mut each: impl FnMut(usize, &Packet, &Stream) -> bool,
    ) -> Result<(), CaptureFailure> {
        let mut capture = open_capture(&self.path)?;
        // No packets follow an error.
        while let Some(Ok(packet)) = capture.next() {
            if let Some(of) = packet.stream
                && let Some(place) = places.get(of.stream as usize).copied().flatten()
                && !each(place, &packet, &capture.streams()[of.stream as usize])
            {
                break;
            }
        }
        Ok(())
    }
}

fn replay_of<'a, S: CapturedSink>(survey: &'a Survey, truth: Option<&'a Truth>, sink: S) -> Replay<'a, S> {
    let replay = Replay::new(survey, sink);
    match truth {
        Some(truth) => replay.with_truth(truth),
        None => replay,
    }
}

fn open_capture(path: &Path) -> Result<Capture<Box<dyn Read>>, CaptureFailure> {
    let file = open_decompressed(path).map_err(|error| CaptureFailure::Unreadable { path: path.to_owned(), error })?;
    Capture::open(file).map_err(|error| CaptureFailure::Contents { path: path.to_owned(), error })
}

impl ExplainedConnection {
    /// Describes the connection by its number, its ends and the direction of its data.
    pub fn name(&self) -> String {
        let (from, to) = (self.survey.sender, self.survey.sender.other());
        let ends = &self.survey.stream.ends;
        format!("stream {} from {} to {}", self.survey.number, ends[from.index()], ends[to.index()])
    }

    /// The circumstances that limit what the capture shows, each a sentence.
    pub fn notes(&self) -> Vec<String> {
        let ExplainedConnection { survey, counts, .. } = self;
        let stream = &survey.stream;
        let mut notes = Vec::new();
        if stream.packets[survey.sender.other().index()] == 0 {
            notes.push(
                "no packet of the receiver was captured: arrivals, round trips and losses are unknown".to_owned(),
            );
        }
        if survey.vantage.is_unknown() {
            notes.push("the place of the capture is unknown: its times count as the sender's, and timeouts and pacing are not analysed; --at sets the place".to_owned());
        } else if !survey.is_at_sender() {
            let place = survey.place_of_times().name();
            notes.push(format!(
                "captured at the {place}: the sender's times are estimates, timeouts and pacing are not analysed, and \
                 the wait in a queue before the capture counts as the sender's time"
            ));
        }
        if stream.options_cut > 0 {
            notes.push(format!(
                "the snap length truncated the options of {}: SACK, timestamps, and in a SYN MSS and window scale are \
                 missing; a capture needs 128 bytes of each packet",
                format_segment_count(stream.options_cut)
            ));
        }
        if !survey.scale_known {
            let mut kinds = shown_kinds(CaptureParts::ALL);
            kinds.retain(|kind| !shown_kinds(CaptureParts::SENDER).contains(kind));
            notes.push(format!(
                "the options of the SYN were not captured, so the scale of the receive window is unknown: {} are not \
                 analysed",
                kinds.join(" and ")
            ));
        }
        if survey.offloaded {
            let mss = survey.mss;
            notes.push(format!(
                "segments larger than the MSS were captured (offloading): treated as segments of {mss} bytes"
            ));
        }
        if survey.rate.is_unknown() {
            notes.push("too few acknowledgments follow each other to estimate the rate of the slowest link".to_owned());
        }
        if counts.missing > 0 {
            notes.push(format!(
                "not captured: {} of data, acknowledged or followed by later ones",
                format_segment_count(counts.missing)
            ));
        }
        if counts.unresolved > 0 {
            notes.push(format!("for {} it is unknown whether they arrived", format_segment_count(counts.unresolved)));
        }
        let back = stream.bytes[survey.sender.other().index()];
        if back > 0 {
            notes.push(format!("the explanation omits the {back} bytes that the other end sent"));
        }
        notes
    }
}

/// A number of segments.
fn format_segment_count(number: u64) -> String {
    if number == 1 { "1 segment".to_owned() } else { format!("{number} segments") }
}
