//! Fuzz input: bytes as a capture, all of whose connections are explained, alone and joined with a part of the same
//! capture.

use capture::joined::{ConnectionTrack, JoinedConnection};
use capture::transfer::{Replay, Survey, Surveyor, Truth, rate};
use capture::{Capture, Packet, Stream};
use engine::{Span, Time};
use observe::explain::ExplainCapture;
use observe::observation::captured::CapturedFate;
use observe::observation::{CapturedFact, CapturedSink, Evidence};

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
            surveyor.on_packet(packet, &streams[of.stream as usize]);
        }
    });
    let numbered = surveyors.into_iter().zip(&streams).zip(0..);
    let surveys: Vec<Survey> =
        numbered.map(|((surveyor, stream), number)| surveyor.finish(number, stream, None)).collect();
    for survey in &surveys {
        let mut tracks = [(); 2].map(|()| ConnectionTrack::new(survey.number, survey.sender, survey.mss));
        each(bytes, |packet, _| {
            tracks[0].on_packet(packet);
            if !packet.number.is_multiple_of(3) {
                tracks[1].on_packet(packet);
            }
        });
        let joined = JoinedConnection::join(&tracks[0], &tracks[1]);
        let truth = joined.map_or_else(|_| Truth::default(), |joined| joined.arrivals_of_data(survey));
        explain(bytes, survey, &Truth::default());
        explain(bytes, survey, &truth);
    }
}

/// Checks that inferred values lie within their bounds.
struct BoundsCheck;

impl CapturedSink for BoundsCheck {
    fn on_captured(&mut self, at: Time, fact: &CapturedFact) {
        match *fact {
            CapturedFact::Sent(sent) => {
                let time = |fate: CapturedFate| match fate {
                    CapturedFate::Arrived(time) => time,
                    CapturedFate::Lost => at,
                };
                if let Evidence::Inferred { value, low, high, .. } = sent.fate {
                    assert!(time(low) <= time(value) && time(value) <= time(high), "{sent:?}");
                }
            }
            CapturedFact::Window { cwnd, ssthresh } => {
                for window in [cwnd, ssthresh] {
                    let value = window.value().expect("it is inferred");
                    assert!(window.bounds().is_some_and(|(low, high)| low <= value && value <= high), "{window:?}");
                }
            }
            _ => {}
        }
    }
}

/// Explains a connection with the known fates of its transmissions.
fn explain(bytes: &[u8], survey: &Survey, truth: &Truth) {
    let sink = (ExplainCapture::new(&survey.connection()), rate::PassedPackets::new(survey, false));
    let mut replay = Replay::new(survey, (sink, BoundsCheck)).with_truth(truth);
    each(bytes, |packet, _| replay.on_packet(packet));
    let (((explain, packets), _), _, end) = replay.finish();
    assert!(packets.estimate_rate().value().is_none_or(|rate| rate.bits_per_sec() > 0));
    let report = explain.finish(end).expect("a report");
    let sum = report.causes.iter().fold(Span::ZERO, |sum, cause| sum + cause.time);
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
