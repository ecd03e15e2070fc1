//! The observation of captures of both ends, and the observation of the run.

use std::path::Path;

use engine::{Span, Time};
use lab::captures::{BothEnds, CaptureFailure, CaptureFile};
use observe::observation::{CapturedConnection, CapturedFact, CapturedSink, Observation};
use sim::{FlowId, Network};

use super::transfer_story::TransferStory;

/// A connection by the captures of both ends, with the times of the run.
pub struct CapturedStory {
    pub connection: CapturedConnection,
    pub story: TransferStory,
    /// Every fact with its evidence.
    pub facts: Vec<(Time, CapturedFact)>,
    /// The difference added to the times of the capture.
    pub epoch: Span,
}

/// Observes what captures show.
struct CaptureObserver {
    observation: Observation,
    captured: CapturedStory,
}

impl CapturedSink for CaptureObserver {
    fn on_captured(&mut self, at: Time, fact: &CapturedFact) {
        self.captured.facts.push((at, *fact));
        self.observation.apply_captured(at, fact, &mut self.captured.story);
    }
}

impl CaptureObserver {
    fn new(connection: &CapturedConnection) -> Self {
        let (story, facts) = (TransferStory::of_flow(0), Vec::new());
        let captured = CapturedStory { connection: connection.clone(), story, facts, epoch: Span::ZERO };
        CaptureObserver { observation: Observation::of_capture(connection), captured }
    }
}

/// Joins the captures of a flow's ends in a result directory, as `lasthop explain` does of two files.
pub fn observe_captures(
    dir: &Path,
    network: &Network,
    run: &TransferStory,
    flow: usize,
) -> Result<CapturedStory, CaptureFailure> {
    let spec = &network.flows[flow];
    let open = |node: usize| CaptureFile::open(&dir.join(format!("{}.pcapng", network.nodes[node].name)));
    let files = [open(spec.from)?, open(spec.to)?];
    let ports = run.ports.unwrap_or_default();
    let is_of_flow = |ends: [u16; 2]| ends == ports || ends == [ports[1], ports[0]];
    let number = files[0].streams.iter().position(|stream| is_of_flow(stream.ends.map(|end| end.port())));
    let both = BothEnds::of([&files[0], &files[1]], number.map(|number| number as u32))?;
    let (explained, observer) = both.explain(CaptureObserver::new)?;
    let CaptureObserver { mut observation, mut captured } = observer;
    observation.end(explained.survey.stream.end, FlowId::new(0), &mut captured.story);
    // Times of a capture count from its first frame, while the files of a run contain the times of the run.
    captured.epoch = Span::from_nanos(u64::try_from(both.files[0].start).unwrap_or_default());
    captured.story.shift(captured.epoch);
    captured.facts.iter_mut().for_each(|(at, _)| *at += captured.epoch);
    Ok(captured)
}
