//! Waits for other stations of a cell.
//!
//! Definition: a packet of the flow, data or acknowledgment, is at a station of a medium that senses an exchange for
//! other flows or a beacon, and no exchange for the flow itself is in progress in the medium. All such times of a flow
//! are one finding.
//!
//! Cost: C = the sum of these times, each from the first frame of the exchange that the station senses to the end of
//! the last one. Idle time and back-offs between exchanges are not counted: all stations wait for them simultaneously.
//!
//! This is not counted as avoidable: the medium is shared. It is the time for which the flow waited only for its
//! neighbours, independent of its sender, window and scheme. Their failed transmissions are included.
//!
//! Limits: it is not examined whether the packet would otherwise have been the next one or would have waited for other
//! packets of its flow, nor whether a scheduler preferred other packets; queues of links outside of media are ignored.

use engine::quantity::format_span;
use engine::{Span, Time};

use super::{FindingCollector, ProblemKind, Watch, format_noun_count};
use observation::{Fact, FlowObservation};

pub(super) const KIND: ProblemKind = ProblemKind {
    name: "contention",
    summary: "packets waited in their cell while other stations transmitted",
    avoidable: false,
    in_runs: true,
    in_captures: None,
    watch: watch_contention,
};

#[derive(Default)]
struct Contention {
    /// First and last time at which packets waited for another station.
    waited: Option<(Time, Time)>,
    exchanges: u32,
    cost: Span,
}

fn watch_contention() -> Option<Box<dyn Watch>> {
    Some(Box::<Contention>::default())
}

impl Watch for Contention {
    fn observe(&mut self, _: Time, fact: &Fact, _: &FlowObservation, out: &mut FindingCollector<'_>) {
        let Fact::Waited { from, to } = *fact else { return };
        out.report_lost_time(from, to, 1.0);
        let (began, _) = self.waited.unwrap_or((from, to));
        self.waited = Some((began, to));
        self.exchanges += 1;
        self.cost = self.cost + to.since(from);
    }

    fn end(&mut self, _: Time, _: &FlowObservation, out: &mut FindingCollector<'_>) {
        let Some((from, to)) = self.waited else { return };
        let exchanges = format_noun_count(self.exchanges, "exchange");
        let text = format!(
            "packets waited in their cell while other stations transmitted: {exchanges}, {}",
            format_span(self.cost)
        );
        out.report_finding(from, to, self.cost, text);
    }
}
