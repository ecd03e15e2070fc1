//! The summary of a run: what `--json` prints and `summary.json` holds.

pub(crate) mod part;

mod flows;
mod links;
mod media;
mod nodes;
mod recorded;
mod whole;

use engine::Span;
use scenario::Scenario;
use sim::{Network, Results};

pub use flows::{FlowSummary, flow};
pub use links::{DirectionSummary, LinkSummary, direction, link};
pub use media::{MediumSummary, StationSummary, medium, station};
pub use nodes::{NodeSummary, node};
pub use recorded::Recorded;
pub use whole::{Schemes, Summary, run};

/// The summary of a run of `scenario`, whose checked form is `network`. The unit of each number is in its name; the
/// definitions are in `docs/metrics.md`.
pub fn summary(title: &str, scenario: &Scenario, network: &Network, results: &Results) -> Summary {
    whole::summary(title, scenario, network, results)
}

/// The JSON Schema of a summary.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Summary)
}

/// A time as a share of the run.
fn share(span: Span, results: &Results) -> f64 {
    span.as_secs_f64() / results.ended.as_secs_f64().max(f64::MIN_POSITIVE)
}
