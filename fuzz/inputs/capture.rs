//! Fuzz input: bytes as a capture, all of whose connections are explained, alone and joined with a part of the same
//! capture.

use capture::joined::{Joined, Track};
use capture::transfer::{Replay, Survey, Surveyor, Truth, network, rate};
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
        let mut tracks = [(); 2].map(|()| Track::new(survey.number, survey.sender, survey.mss));
        each(bytes, |packet, _| {
            tracks[0].packet(packet);
            if !packet.number.is_multiple_of(3) {
                tracks[1].packet(packet);
            }
        });
        let joined = Joined::of(&tracks[0], &tracks[1]);
        let truth = joined.map_or_else(|_| Truth::default(), |joined| joined.truth(survey));
        explain(bytes, survey, &Truth::default());
        explain(bytes, survey, &truth);
    }
}

/// Explains a connection with what is known of its transmissions.
fn explain(bytes: &[u8], survey: &Survey, truth: &Truth) {
    let sink = (Explain::of_capture(&network(survey), survey.is_at_sender()), rate::Arrivals::new(survey, false));
    let mut replay = Replay::new(survey, sink).with_truth(truth);
    each(bytes, |packet, _| replay.packet(packet));
    let ((explain, arrivals), _, end) = replay.finish();
    assert!(arrivals.rate().is_none_or(|rate| rate.bits_per_sec() > 0));
    let report = explain.finish(end).remove(0);
    let causes = captured_causes(&report.budget, survey.scale_known);
    let sum = causes.iter().fold(Span::ZERO, |sum, cause| sum + cause.time);
    assert_eq!(sum, report.took, "the causes add up to the time");
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
