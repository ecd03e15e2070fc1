//! Fuzz input: bytes as a capture, all of whose connections are explained.

use capture::transfer::{Replay, Survey, Surveyor, network};
use capture::{Capture, Packet, Stream};
use engine::Span;
use observe::explain::{Explain, captured_causes};

/// The maximum number of connections that are explained.
const MAX_STREAMS: usize = 4;

/// Runs an arbitrary input; a panic is a finding.
pub fn take(bytes: &[u8]) {
    let mut surveyors: Vec<Surveyor> = Vec::new();
    let streams = each(bytes, |packet, streams| {
        while surveyors.len() < streams.len().min(MAX_STREAMS) {
            surveyors.push(Surveyor::new(streams[surveyors.len()].main_sender()));
        }
        if let Some(of) = packet.stream
            && let Some(surveyor) = surveyors.get_mut(of.stream as usize)
        {
            surveyor.packet(packet, &streams[of.stream as usize]);
        }
    });
    let numbered = surveyors.into_iter().zip(&streams).zip(0..);
    let surveys: Vec<Survey> =
        numbered.map(|((surveyor, stream), number)| surveyor.finish(number, stream, None)).collect();
    for survey in &surveys {
        let mut replay = Replay::new(survey, Explain::of_capture(&network(survey), survey.is_at_sender()));
        each(bytes, |packet, _| replay.packet(packet));
        let (explain, _, end) = replay.finish();
        let report = explain.finish(end).remove(0);
        let causes = captured_causes(&report.budget, survey.scale_known);
        let sum = causes.iter().fold(Span::ZERO, |sum, cause| sum + cause.time);
        assert_eq!(sum, report.took, "the causes add up to the time");
    }
}

/// Reads all packets. Returns the connections.
fn each(bytes: &[u8], mut read: impl FnMut(&Packet, &[Stream])) -> Vec<Stream> {
    let mut capture = match Capture::open(bytes) {
        Ok(capture) => capture,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return Vec::new();
        }
    };
    while let Some(Ok(packet)) = capture.next() {
        read(&packet, capture.streams());
    }
    capture.streams().to_vec()
}
