//! Papers, reproduced: their scenarios, their numbers, and ours beside them.
//!
//! A paper is one file and one line in [`PAPERS`]. What it prints is copied from the text; what we get is computed from
//! runs, never written down.

pub mod disconnections2012;
pub mod goel1997;
pub mod packetcontrol2014;
pub mod reproduce;
pub mod snoop2002;
pub mod wlan_iw;

use engine::Time;
use serde_json::{Map, Value, json};
use sim::{Event, World};
use stats::{Interval, Level, Moments};

use crate::export::shown;
use crate::load::{self, Loaded, Overrides};
use crate::problem::Problem;
use crate::sweep::Plan;
use crate::sweep::analysis::Analysis;

/// Every paper that can be reproduced.
pub static PAPERS: &[&Paper] =
    &[&disconnections2012::PAPER, &goel1997::PAPER, &packetcontrol2014::PAPER, &snoop2002::PAPER, &wlan_iw::PAPER];

/// A paper.
pub struct Paper {
    /// Its short name.
    pub name: &'static str,
    /// Author, title, place, year.
    pub reference: &'static str,
    /// Replications unless asked otherwise.
    pub replications: u64,
    /// Its sweeps.
    pub sweeps: &'static [Source],
    /// Its numbers, from its sweeps in their order.
    pub numbers: fn(&[Analysis]) -> Vec<Number>,
    /// Its bar charts and curves.
    pub charts: &'static [Chart],
    /// Its pictures of single runs.
    pub pictures: &'static [Picture],
    /// What reproduces, what does not, and why, in Markdown.
    pub words: &'static str,
}

/// A scenario that belongs to a paper.
pub struct Source {
    /// What its results are called.
    pub name: &'static str,
    /// TOML.
    pub text: &'static str,
}

impl Source {
    /// The text, changed as the command line would.
    pub fn open(&self, overrides: &Overrides) -> Result<load::Source, Vec<Problem>> {
        load::Source::of_text(
            self.name.to_owned(),
            format!("{}.toml", self.name).into(),
            self.text.as_bytes(),
            overrides,
        )
    }

    /// The scenario, under a scheme if not its own, and with changes.
    pub fn load(&self, scheme: Option<&str>, set: &[&str]) -> Result<Loaded, Vec<Problem>> {
        let set = set.iter().map(|change| (*change).to_owned()).collect();
        let source = self.open(&Overrides { set, scheme: scheme.map(str::to_owned), ..Overrides::default() })?;
        source.resolve(&source.document)
    }

    /// Everything that happens in it; nothing if it is wrong, which a test excludes for all of them.
    fn events(&self, scheme: Option<&str>, set: &[&str]) -> Vec<(Time, Event)> {
        let mut events = Vec::new();
        if let Ok(loaded) = self.load(scheme, set) {
            World::new(&loaded.network, true).run(&mut events);
        }
        events
    }

    /// The sweep, with so many replications.
    pub fn plan(&self, replications: u64) -> Result<Plan, Vec<Problem>> {
        let set = vec![format!("sweep.replications={replications}")];
        Plan::of(&self.open(&Overrides { set, ..Overrides::default() })?)
    }
}

/// A figure with bars: one figure of one sweep, a group of bars for each value of a key, a bar for each case.
pub struct Chart {
    /// Which: "figure 5.8".
    pub place: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// The sweep's name.
    pub sweep: &'static str,
    /// The metric.
    pub metric: &'static str,
    /// The key along the horizontal axis.
    pub along: &'static str,
    /// The points shown: keys and the values they have, as the scenario writes them.
    pub only: &'static [(&'static str, &'static str)],
    /// The cases shown, in order.
    pub cases: &'static [&'static str],
}

/// A figure that shows one run.
pub struct Picture {
    /// Which: "figure 2.1".
    pub place: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What runs.
    pub scenario: Source,
    /// The scheme, if not the scenario's.
    pub scheme: Option<&'static str>,
    /// Changes to it, as the command line takes them.
    pub set: &'static [&'static str],
    /// Which part of it.
    pub panel: Panel,
    /// From when to when, as "1.2 s".
    pub part: Option<(&'static str, &'static str)>,
}

impl Picture {
    /// A picture.
    pub const fn new(
        place: &'static str,
        title: &'static str,
        scenario: Source,
        scheme: Option<&'static str>,
        panel: Panel,
        part: Option<(&'static str, &'static str)>,
    ) -> Self {
        Picture { place, title, scenario, scheme, set: &[], panel, part }
    }

    /// The same, with changes to the scenario.
    pub const fn with(self, set: &'static [&'static str]) -> Self {
        Picture { set, ..self }
    }

    /// What runs.
    pub fn load(&self) -> Result<Loaded, Vec<Problem>> {
        self.scenario.load(self.scheme, self.set)
    }
}

/// What a picture shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Panel {
    /// Sequence and acknowledgment numbers.
    Sequence,
    /// cwnd and ssthresh.
    Window,
}

/// A number that a paper prints, and ours.
#[derive(Clone, PartialEq, Debug)]
pub struct Number {
    /// Where it stands: "table 5.4".
    pub place: String,
    /// Which of the numbers there: axes and their values.
    pub what: Map<String, Value>,
    /// The unit of all values.
    pub unit: &'static str,
    /// The paper's value.
    pub paper: f64,
    /// Our values' moments, a value for each replication. A number that is not left to chance has one.
    pub ours: Moments,
    /// Ours are of a reading of the paper that cannot be meant, and stand beside those of the one that can to show it.
    pub rejected: bool,
}

/// How many numbers of a paper come out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Score {
    /// Inside.
    pub inside: usize,
    /// Of so many.
    pub of: usize,
    /// Those of readings that cannot be meant, which are not counted.
    pub rejected: usize,
}

impl Score {
    /// Counts.
    pub fn of(numbers: &[Number], level: Level) -> Self {
        let meant = || numbers.iter().filter(|number| !number.rejected);
        let (inside, of) = (meant().filter(|number| number.inside(level)).count(), meant().count());
        Score { inside, of, rejected: numbers.len() - of }
    }
}

impl Number {
    /// A number that is not left to chance.
    pub fn exact(place: &str, what: Value, unit: &'static str, paper: f64, ours: Option<f64>) -> Self {
        Number::new(place, what, unit, paper, Moments::of(ours).unwrap_or_default())
    }

    /// A number with its values by replication.
    pub fn new(place: &str, what: Value, unit: &'static str, paper: f64, ours: Moments) -> Self {
        let Value::Object(what) = what else { unreachable!("axes are an object") };
        Number { place: place.to_owned(), what, unit, paper, ours, rejected: false }
    }

    /// The same, of a reading of the paper that cannot be meant.
    pub fn rejected(self) -> Self {
        Number { rejected: true, ..self }
    }

    /// Which of the numbers at its place, in words.
    pub fn label(&self) -> String {
        let axis = |(axis, value): (&String, &Value)| {
            let value = shown(value);
            // A scheme, an event or a figure says itself what it is; other values do not.
            if ["scheme", "event", "figure"].contains(&axis.as_str()) {
                value
            } else {
                format!("{} {value}", axis.replace('_', " "))
            }
        };
        self.what.iter().map(axis).collect::<Vec<_>>().join(", ")
    }

    /// Decimals that suit it: percent have two, what is counted or timed in whole milliseconds none.
    pub fn places(&self) -> usize {
        if self.unit == "%" { 2 } else { 0 }
    }

    /// Decimals of half an interval: those of the number, unless it is so small that they would tell little of it.
    pub fn places_of(&self, half_width: f64) -> usize {
        if half_width < 10.0 { 2 } else { self.places() }
    }

    /// Whether the paper's value is inside, in a word.
    pub fn verdict(&self, level: Level) -> &'static str {
        match (self.rejected, self.inside(level)) {
            (true, _) => "not meant so",
            (false, true) if self.holds_zero(level) => "inside, as 0 is",
            (false, true) => "inside",
            (false, false) => "outside",
        }
    }

    /// Whether single runs of ours are so far apart that 0 is as likely as the paper's value, which is another: then that it is
    /// inside says little.
    pub fn holds_zero(&self, level: Level) -> bool {
        self.paper != 0.0 && self.inside(level) && self.run(level).is_some_and(|run| run.contains(0.0))
    }

    /// Where our true mean lies.
    pub fn ci(&self, level: Level) -> Option<Interval> {
        Interval::of_mean(&self.ours, level)
    }

    /// Where one more single run of ours lies: the paper's is one.
    pub fn run(&self, level: Level) -> Option<Interval> {
        Interval::of_next(&self.ours, level)
    }

    /// The same as people are told it: what is counted or timed is not below 0, whatever is assumed of single runs; only a change
    /// in percent can be.
    pub fn run_shown(&self, level: Level) -> Option<Interval> {
        let least = if self.unit == "%" { f64::NEG_INFINITY } else { 0.0 };
        self.run(level).map(|run| Interval { low: run.low.max(least), ..run })
    }

    /// Whether the paper's value lies where a single run of ours does. What is not left to chance must be equal.
    pub fn inside(&self, level: Level) -> bool {
        match self.run(level) {
            Some(run) => run.contains(self.paper),
            None => self.ours.mean() == Some(self.paper),
        }
    }

    /// As `lasthop reproduce --json` prints it.
    pub fn to_json(&self, level: Level) -> Value {
        let exact = self.ours.mean().map(|mean| Interval { low: mean, high: mean });
        let bounds = |interval: Option<Interval>| interval.map(|interval| [interval.low, interval.high]);
        json!({
            "where": self.place,
            "what": self.what,
            "unit": self.unit,
            "paper": self.paper,
            "n": self.ours.n(),
            "mean": self.ours.mean(),
            "ci95": bounds(self.ci(level).or(exact)),
            "run95": bounds(self.run(level).or(exact)),
            "inside": self.inside(level),
            "holds_zero": self.holds_zero(level),
            "rejected": self.rejected,
        })
    }
}

/// The paper called `name`.
pub fn find(name: &str) -> Option<&'static Paper> {
    PAPERS.iter().copied().find(|paper| paper.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_run_is_shown_to_take_less_than_no_time() {
        let run = |unit| Number::new("p", json!({}), unit, 30.0, Moments::of([20.0, 40.0]).unwrap());
        let shown = |unit| run(unit).run_shown(Level::default()).unwrap();
        // 30 - 220.
        assert_eq!(shown("ms").low, 0.0);
        assert!((shown("%").low + 190.0).abs() < 1.0, "{:?}", shown("%"));
        assert_eq!(shown("ms").high, shown("%").high);
        assert!(run("ms").to_json(Level::default())["run95"][0].as_f64().unwrap() < -180.0, "programs get it whole");
    }

    /// By hand, two values a and b: half of the interval of one run is 12.706 |a - b| / sqrt(2) x sqrt(1.5). 29 and 31 reach 22 away
    /// from 30, 20 and 40 reach 220.
    #[test]
    fn an_interval_that_holds_zero_too_says_little() {
        let number = |paper, ours: [f64; 2]| Number::new("p", json!({}), "%", paper, Moments::of(ours).unwrap());
        let verdict = |number: Number| number.verdict(Level::default());
        assert_eq!(verdict(number(30.0, [29.0, 31.0])), "inside");
        assert_eq!(verdict(number(30.0, [20.0, 40.0])), "inside, as 0 is");
        assert_eq!(verdict(number(300.0, [20.0, 40.0])), "outside");
        assert_eq!(verdict(number(0.0, [-1.0, 1.0])), "inside", "0 is what the paper says");
        assert_eq!(verdict(number(30.0, [20.0, 40.0]).rejected()), "not meant so");
        let json = number(30.0, [20.0, 40.0]).to_json(Level::default());
        assert_eq!((&json["inside"], &json["holds_zero"]), (&json!(true), &json!(true)));
    }
}
