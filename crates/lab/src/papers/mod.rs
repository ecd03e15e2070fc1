//! Reproduction of papers: their scenarios, and their numbers compared with simulated ones.
//!
//! A paper is one file and one line in [`PAPERS`]. Its printed numbers are copied from the text; the simulated numbers
//! are always computed from runs.

pub mod disconnections2012;
pub mod goel1997;
mod mark;
mod number;
pub mod packetcontrol2014;
mod printed;
mod quantity;
pub mod reproduce;
mod score;
pub mod snoop2002;
pub mod wlan_iw;

pub use mark::Mark;
pub use number::Number;
pub use printed::{Contradiction, PrintedValue, Reading};
pub use quantity::{ModalQuantity, Mode};
pub use score::Score;

use engine::Time;
use observe::observation::{Fact, FlowObservation, ObservingSink, PathObservation, Subscriber};
use sim::{FlowId, World};

use crate::load::{self, Loaded, Overrides};
use crate::sweep::Plan;
use crate::sweep::analysis::Analysis;
use scenario::problem::Problem;

/// Every paper that can be reproduced.
pub static PAPERS: &[&Paper] =
    &[&disconnections2012::PAPER, &goel1997::PAPER, &packetcontrol2014::PAPER, &snoop2002::PAPER, &wlan_iw::PAPER];

/// A paper.
pub struct Paper {
    /// The short name.
    pub name: &'static str,
    /// Author, title, place, year.
    pub reference: &'static str,
    /// The default number of replications.
    pub replications: u64,
    /// The paper's sweeps.
    pub sweeps: &'static [PaperScenario],
    /// The readings: the primary one first, then the readings under which one of its numbers has alternatives.
    pub readings: &'static [&'static Reading],
    /// Computes the paper's numbers from its sweeps, given in their order.
    pub numbers: fn(&[Analysis]) -> Vec<Number>,
    /// Bar charts and curves.
    pub charts: &'static [Chart],
    /// Plots of single runs.
    pub pictures: &'static [Picture],
    /// The discussion of the numbers that are reproduced and that are not, in Markdown.
    pub words: &'static str,
}

/// A scenario that belongs to a paper.
pub struct PaperScenario {
    /// Name of the scenario's results.
    pub name: &'static str,
    /// The scenario, as TOML.
    pub text: &'static str,
}

impl PaperScenario {
    /// The text with changes applied as by `--set`.
    pub fn open(&self, overrides: &Overrides) -> Result<load::Source, Vec<Problem>> {
        load::of_text(self.name.to_owned(), format!("{}.toml", self.name).into(), self.text.as_bytes(), overrides)
    }

    /// The scenario with changes, under `scheme` if one is given.
    pub fn load(&self, scheme: Option<&str>, set: &[&str]) -> Result<Loaded, Vec<Problem>> {
        let set = set.iter().map(|change| (*change).to_owned()).collect();
        let source = self.open(&Overrides { set, scheme: scheme.map(str::to_owned), ..Overrides::default() })?;
        source.resolve(&source.document)
    }

    /// Runs the scenario for a subscriber. If the scenario is invalid the subscriber receives nothing; a test excludes
    /// this for all scenarios.
    fn observe<S: Subscriber>(&self, scheme: Option<&str>, set: &[&str], subscriber: S) -> S {
        let Ok(loaded) = self.load(scheme, set) else { return subscriber };
        let mut sink = ObservingSink::new(&loaded.network, subscriber);
        let mut world = World::new(&loaded.network, true);
        world.run(&mut sink);
        sink.finish(world.results().ended)
    }

    /// Runs the scenario, and collects the facts of its flow.
    fn facts(&self, scheme: Option<&str>, set: &[&str]) -> Vec<FlowFact> {
        self.observe(scheme, set, CollectedFacts::default()).0
    }

    /// Returns the sweep with this number of replications.
    pub fn plan(&self, replications: u64) -> Result<Plan, Vec<Problem>> {
        let set = vec![format!("sweep.replications={replications}")];
        Plan::of(&self.open(&Overrides { set, ..Overrides::default() })?)
    }
}

/// A fact of a flow.
struct FlowFact {
    at: Time,
    fact: Fact,
    /// The first unacknowledged byte after the fact.
    una: u64,
}

/// Every fact of a flow.
#[derive(Default)]
struct CollectedFacts(Vec<FlowFact>);

impl Subscriber for CollectedFacts {
    fn on_facts(&mut self, at: Time, _: FlowId, facts: &[Fact], flow: &FlowObservation, _: &PathObservation) {
        self.0.extend(facts.iter().map(|fact| FlowFact { at, fact: *fact, una: flow.sender.una }));
    }
}

/// A bar chart of one metric of one sweep, with a group of bars for each value of a key, and a bar for each case.
pub struct Chart {
    /// The number in the paper, such as "figure 5.8".
    pub place: &'static str,
    /// The title.
    pub title: &'static str,
    /// The name of the sweep.
    pub sweep: &'static str,
    /// The metric.
    pub metric: &'static str,
    /// The key along the horizontal axis.
    pub along: &'static str,
    /// The points shown, by keys and their values as the scenario writes them.
    pub only: &'static [(&'static str, &'static str)],
    /// The cases shown, in order.
    pub cases: &'static [&'static str],
}

/// A plot of one run.
pub struct Picture {
    /// The number in the paper, such as "figure 2.1".
    pub place: &'static str,
    /// The title.
    pub title: &'static str,
    /// The scenario.
    pub scenario: PaperScenario,
    /// The scheme; `None` for the scheme of the scenario.
    pub scheme: Option<&'static str>,
    /// Changes to the scenario, in the syntax of `--set`.
    pub set: &'static [&'static str],
    /// Panel shown in the plot.
    pub panel: PicturePanel,
    /// Start and end of the time shown, such as "1.2 s".
    pub part: Option<(&'static str, &'static str)>,
}

impl Picture {
    /// A plot of one run without changes.
    pub const fn new(
        place: &'static str,
        title: &'static str,
        scenario: PaperScenario,
        scheme: Option<&'static str>,
        panel: PicturePanel,
        part: Option<(&'static str, &'static str)>,
    ) -> Self {
        Picture { place, title, scenario, scheme, set: &[], panel, part }
    }

    /// Returns the plot with changes to the scenario.
    pub const fn with(self, set: &'static [&'static str]) -> Self {
        Picture { set, ..self }
    }

    /// Loads the scenario.
    pub fn load(&self) -> Result<Loaded, Vec<Problem>> {
        self.scenario.load(self.scheme, self.set)
    }
}

/// The panel of a plot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PicturePanel {
    /// Sequence and acknowledgment numbers.
    Sequence,
    /// cwnd and ssthresh.
    Window,
}

/// The paper with the short name `name`.
pub fn find_paper(name: &str) -> Option<&'static Paper> {
    PAPERS.iter().copied().find(|paper| paper.name == name)
}
