//! Two captures of one connection, from both ends.

use capture::joined::{ConnectionTrack, JoinedConnection};
use capture::transfer::{Survey, Truth, Vantage};
use capture::{End, Stream};
use observe::observation::{CapturedConnection, CapturedSink};

use super::{CaptureFailure, CaptureFile, ExplainedConnection};

/// A connection in the captures of both ends.
#[derive(Debug)]
pub struct BothEnds<'a> {
    /// The capture at the sender, or nearer to it, and the second capture.
    pub files: [&'a CaptureFile; 2],
    /// Number of the connection in each capture.
    pub numbers: [u32; 2],
    /// Packets of the connection in both captures.
    pub joined: JoinedConnection,
    /// Whether the captures are from both ends. If not, losses outside of the path between them are unknown.
    pub whole_path: bool,
    survey: Survey,
}

impl<'a> BothEnds<'a> {
    /// Joins two captures, in any order: connection `number` of the first; without a number, its connection with the most
    /// data.
    ///
    /// # Errors
    /// The connection is not in both captures, or one of the files cannot be read again.
    pub fn of(files: [&'a CaptureFile; 2], number: Option<u32>) -> Result<Self, CaptureFailure> {
        let number = files[0].choose_connection(number)?;
        let other = files[0].finds_in(number, files[1]).ok_or_else(|| CaptureFailure::NotInBoth {
            path: files[1].path.clone(),
            ends: files[0].streams[number as usize].ends,
        })?;
        let (mut files, mut numbers) = (files, [number, other]);
        let mut surveys =
            [files[0].survey_connection(numbers[0], None)?, files[1].survey_connection(numbers[1], None)?];
        // The farther the receiver, the nearer the sender.
        if surveys[1].to_receiver.value() > surveys[0].to_receiver.value() {
            (files, numbers, surveys) = ([files[1], files[0]], [numbers[1], numbers[0]], {
                let [first, second] = surveys;
                [second, first]
            });
        }
        let sender = surveys[0].sender;
        let senders = [sender, same_end(files[0].stream(numbers[0]), files[1].stream(numbers[1]), sender)];
        let mut tracks = [0, 1].map(|at: usize| ConnectionTrack::new(numbers[at], senders[at], surveys[0].mss));
        for (at, track) in tracks.iter_mut().enumerate() {
            files[at].read(&files[at].places(&[numbers[at]]), |_, packet, _| {
                track.on_packet(packet);
                true
            })?;
        }
        let paths = || files.map(|file| file.path.clone());
        let joined = JoinedConnection::join(&tracks[0], &tracks[1]);
        let joined = joined.map_err(|error| CaptureFailure::NotJoined { paths: paths(), error })?;
        let [near, far] = surveys;
        let is_between = |survey: &Survey| survey.vantage.value() == Some(Vantage::Middle);
        let same_end = near.vantage.value().is_some() && near.vantage.value() == far.vantage.value();
        let at_ends = files.iter().all(|file| file.at_end);
        let whole_path = at_ends || (!is_between(&near) && !is_between(&far) && !same_end);
        let survey = if whole_path { files[0].survey_connection(numbers[0], Some(Vantage::Sender))? } else { near };
        Ok(BothEnds { files, numbers, joined, whole_path, survey })
    }

    /// Returns the time by which the receiver's clock was ahead of the sender's clock when the capture of the sender
    /// began, in nanoseconds.
    pub fn clock_ahead(&self) -> i128 {
        self.joined.clock.offset + self.files[1].start - self.files[0].start
    }

    /// Returns the fates of the sender's transmissions; `None` if one of the captures is not from an end.
    pub fn truth(&self) -> Option<Truth> {
        self.whole_path.then(|| self.joined.arrivals_of_data(&self.survey))
    }

    /// Explains the connection, with the known fates of its transmissions in place of those that acknowledgments show.
    ///
    /// # Errors
    /// The capture of the sender cannot be read again.
    pub fn explain<S: CapturedSink>(
        &self,
        sink: impl FnMut(&CapturedConnection) -> S,
    ) -> Result<(ExplainedConnection, S), CaptureFailure> {
        let truth = self.truth();
        let surveys = vec![self.survey.clone()];
        Ok(self.files[0].explain_surveyed(&self.numbers[..1], surveys, truth.as_ref(), sink)?.remove(0))
    }
}

impl CaptureFile {
    /// Returns the number of connection `number` in another capture; `None` if that capture lacks the connection.
    pub fn finds_in(&self, number: u32, other: &CaptureFile) -> Option<u32> {
        let stream = self.streams.get(number as usize)?;
        let found = other.streams.iter().position(|other| is_same(stream, other))?;
        u32::try_from(found).ok()
    }

    fn survey_connection(&self, number: u32, at: Option<Vantage>) -> Result<Survey, CaptureFailure> {
        Ok(self.surveys(&[number], at)?.remove(0))
    }

    fn stream(&self, number: u32) -> &Stream {
        &self.streams[number as usize]
    }
}

/// Whether a connection of another capture is the same one: by equal ends, or, if addresses are translated on the path,
/// by equal initial sequence numbers.
fn is_same(one: &Stream, other: &Stream) -> bool {
    let [first, second] = one.ends;
    let initial = |stream: &Stream| stream.syn.map(|syn| syn.map(|syn| syn.seq));
    let known = initial(one).iter().all(Option::is_some) && initial(other).iter().all(Option::is_some);
    if known { initial(one) == initial(other) } else { [[first, second], [second, first]].contains(&other.ends) }
}

/// Returns the same end of a connection in another capture, in which a packet of the other end may come first.
fn same_end(one: &Stream, other: &Stream, end: End) -> End {
    let swapped = one.ends[0] != other.ends[0] && one.ends[0] == other.ends[1];
    if swapped { end.other() } else { end }
}
