//! A printed number of a paper, and the simulated one.

use serde_json::{Map, Value, json};
use stats::{Interval, Level};

use super::mark::Mark;
use super::printed::{Contradiction, PrintedValue, Reading};
use super::quantity::{ModalQuantity, Mode};
use crate::value_text::format_json_value;

/// A number of a paper, and its simulated counterpart.
#[derive(Clone, PartialEq, Debug)]
pub struct Number {
    /// The place where the paper prints the number, such as "table 5.4".
    pub place: String,
    /// Axes and their values that select the number at that place.
    pub what: Map<String, Value>,
    /// The unit of all values.
    pub unit: &'static str,
    /// The value that the paper prints.
    pub paper: PrintedValue,
    /// Simulated under the paper's primary reading.
    pub ours: ModalQuantity,
    /// Simulated under other readings, the most plausible first.
    pub alternatives: Vec<(&'static Reading, ModalQuantity)>,
    /// Another statement of the paper, which contradicts the number.
    pub contradiction: Option<Contradiction>,
}

impl Number {
    /// Creates a number with the simulated value under the primary reading. `what` is an object.
    pub fn new(
        place: &str,
        what: Value,
        unit: &'static str,
        paper: impl Into<PrintedValue>,
        ours: impl Into<ModalQuantity>,
    ) -> Self {
        let Value::Object(what) = what else { unreachable!("axes are an object") };
        let (place, paper, ours) = (place.to_owned(), paper.into(), ours.into());
        Number { place, what, unit, paper, ours, alternatives: Vec::new(), contradiction: None }
    }

    /// Returns the number with simulated values under another reading.
    #[must_use]
    pub fn or(mut self, reading: &'static Reading, ours: impl Into<ModalQuantity>) -> Self {
        self.alternatives.push((reading, ours.into()));
        self
    }

    /// Returns the number, marked as contradicted by another statement of the paper.
    #[must_use]
    pub fn with_contradiction(self, contradiction: Contradiction) -> Self {
        Number { contradiction: Some(contradiction), ..self }
    }

    /// Adds the numbers of another reading to the numbers of the primary one; `others` may have fewer.
    ///
    /// # Panics
    ///
    /// If a number of `others` has no counterpart with equal place, axes and printed value. This is an error of the
    /// program, which contains the papers.
    #[must_use]
    pub fn with_reading(mut numbers: Vec<Number>, reading: &'static Reading, others: Vec<Number>) -> Vec<Number> {
        for other in others {
            let same = |number: &&mut Number| {
                number.place == other.place && number.what == other.what && number.paper == other.paper
            };
            match numbers.iter_mut().find(same) {
                Some(number) => number.alternatives.push((reading, other.ours)),
                None => panic!("{}, {}: no such number under the primary reading", other.place, other.label()),
            }
        }
        numbers
    }

    /// Simulated values under each reading; `None` is the primary reading, which comes first.
    pub fn readings(&self) -> impl Iterator<Item = (Option<&'static Reading>, &ModalQuantity)> {
        let others = self.alternatives.iter().map(|(reading, ours)| (Some(*reading), ours));
        std::iter::once((None, &self.ours)).chain(others)
    }

    /// The first reading under which the number lies within the range of single simulated runs, and the mode that
    /// contains it.
    fn fitting(&self, level: Level) -> Option<(Option<&'static Reading>, &ModalQuantity, &Mode)> {
        self.readings().find_map(|(reading, ours)| Some((reading, ours, ours.fits(self.paper, level)?)))
    }

    /// The verdict.
    pub fn mark(&self, level: Level) -> Mark {
        match (self.fitting(level), self.contradiction) {
            (Some((None, ..)), _) => Mark::Reproduced,
            (Some((Some(reading), ..)), _) => Mark::ReproducedUnder(reading),
            (None, Some(contradiction)) => Mark::Contradicts(contradiction),
            (None, None) => Mark::NotReproduced,
        }
    }

    /// Whether the paper's value matches only because the range of single runs also contains 0.
    pub fn holds_zero(&self, level: Level) -> bool {
        self.fitting(level).is_some_and(|(_, _, mode)| mode.holds_zero(self.paper, level))
    }

    /// The verdict in one or two sentences.
    pub fn sentence(&self, level: Level) -> String {
        let mut out = match self.fitting(level) {
            Some((reading, ours, mode)) => {
                let mut out = self.describe_mode(ours, mode, level);
                match reading {
                    Some(reading) => {
                        let outside = self.ours.modes().iter().map(|mode| self.describe_mode(&self.ours, mode, level));
                        let outside = outside.collect::<Vec<_>>().join(", ");
                        let Reading { what, source, .. } = reading;
                        out = format!(
                            "The paper's value is outside: {outside}. Under another reading it is inside: {out}; the reading: {what} \
                             ({source})."
                        );
                    }
                    None => out = format!("The paper's value is inside: {out}."),
                }
                if mode.holds_zero(self.paper, level) {
                    out.push_str(" The interval also contains 0, so the match is inconclusive.");
                }
                out
            }
            None if self.ours.n() == 0 => "No run of ours gave a value.".to_owned(),
            None => {
                let outside = self.ours.modes().iter().map(|mode| self.describe_mode(&self.ours, mode, level));
                let outside = outside.collect::<Vec<_>>().join(", ");
                let others = match self.alternatives.len() {
                    0 => "",
                    1 => " The value is outside under the other reading too.",
                    _ => " The value is outside under every other reading too.",
                };
                format!("The paper's value is outside: {outside}.{others}")
            }
        };
        if let Some(Contradiction { pages, values: [own, other], why }) = self.contradiction {
            out.push_str(&format!(" The paper contradicts it ({pages}: {own}, but {other}): {why}"));
        }
        out
    }

    /// The single runs of a mode as text.
    fn describe_mode(&self, ours: &ModalQuantity, mode: &Mode, level: Level) -> String {
        let places = self.places();
        let unit = if self.unit == "count" { String::new() } else { format!(" {}", self.unit) };
        let mut out = match (self.run_shown(mode, level), mode.moments.mean()) {
            (Some(run), _) if run.low < run.high => {
                let share = 100.0 * level.get();
                format!("{share} % of our single runs give {:.places$} to {:.places$}{unit}", run.low, run.high)
            }
            (_, Some(mean)) => format!("all our runs give {mean:.places$}{unit}"),
            (_, None) => "our runs give no value".to_owned(),
        };
        if !mode.name.is_empty() {
            out.push_str(&format!(" where {} ({:.0} % of the runs)", mode.name, 100.0 * ours.share(mode)));
        }
        out
    }

    /// The axes and values that select the number, as text.
    pub fn label(&self) -> String {
        let axis = |(axis, value): (&String, &Value)| {
            let value = format_json_value(value);
            // The value of a scheme, event or metric is clear without a key in the text. Other values need a key.
            if ["scheme", "event", "figure"].contains(&axis.as_str()) {
                value
            } else {
                format!("{} {value}", axis.replace('_', " "))
            }
        };
        self.what.iter().map(axis).collect::<Vec<_>>().join(", ")
    }

    /// Decimals of the paper's value; 0 for large values.
    pub fn places_printed(&self) -> usize {
        let value = self.paper.value().abs();
        let printed = value.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
        printed.min(if value < 1e4 { 3 } else { 0 })
    }

    /// Decimals of the simulated number: the decimals printed, at least two for percentages.
    pub fn places(&self) -> usize {
        self.places_printed().max(if self.unit == "%" { 2 } else { 0 })
    }

    /// Decimals of the half-width of an interval: the decimals of the number, or more if the half-width would round to
    /// almost 0.
    pub fn places_of(&self, half_width: f64) -> usize {
        if half_width < 10.0 { self.places().max(2) } else { self.places() }
    }

    /// Returns the interval of a mode's single runs as it is displayed. A normal distribution may extend below 0, so
    /// counts and times are cut off at 0. Only changes in percent can be negative.
    pub fn run_shown(&self, mode: &Mode, level: Level) -> Option<Interval> {
        let least = if self.unit == "%" { f64::NEG_INFINITY } else { 0.0 };
        mode.prediction_interval(level).map(|run| Interval { low: run.low.max(least), ..run })
    }

    /// The number as `lasthop reproduce --json` prints it.
    pub fn to_json(&self, level: Level) -> Value {
        let mark = self.mark(level);
        let mut out = json!({
            "where": self.place,
            "what": self.what,
            "unit": self.unit,
            "paper": self.paper.value(),
            "bound": match self.paper {
                PrintedValue::Value(_) => None,
                PrintedValue::AtLeast(_) => Some("at least"),
                PrintedValue::AtMost(_) => Some("at most"),
            },
            "mark": mark.name(),
            "reading": match mark {
                Mark::ReproducedUnder(reading) => Some(reading.name),
                _ => None,
            },
            "sentence": self.sentence(level),
            "holds_zero": self.holds_zero(level),
        });
        let alternative = |(reading, ours): &(&'static Reading, ModalQuantity)| {
            let mut out = ours.to_json(self.paper, level);
            out.insert("reading".into(), reading.name.into());
            Value::Object(out)
        };
        if let Value::Object(out) = &mut out {
            out.extend(self.ours.to_json(self.paper, level));
            out.insert("alternatives".into(), self.alternatives.iter().map(alternative).collect());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use stats::Moments;

    use super::super::Score;
    use super::*;

    static TEXT: Reading = Reading { name: "text", what: "as written", source: "page 1" };
    static OTHER: Reading = Reading { name: "ns-2", what: "64 bytes of header", source: "ns-2's mac.h" };
    const AGAINST: Contradiction =
        Contradiction { pages: "pages 3 and 5", values: ["68 %", "64 %"], why: "The set-up is the same." };

    /// By hand, for two values a and b: half of the interval of one run is 12.706 |a - b| / sqrt(2) x sqrt(1.5). The
    /// interval of 29 and 31 reaches 22 from 30, and that of 20 and 40 reaches 220.
    fn ours(values: impl IntoIterator<Item = f64>) -> Moments {
        Moments::of(values).unwrap()
    }

    fn number(paper: impl Into<PrintedValue>, values: [f64; 2]) -> Number {
        Number::new("table 1", json!({ "row": 1 }), "%", paper, ours(values))
    }

    fn mark(number: &Number) -> Mark {
        number.mark(Level::default())
    }

    #[test]
    fn verdicts_follow_from_the_prediction_intervals_of_the_readings() {
        let outside = number(60.0, [29.0, 31.0]);
        let under = outside.clone().or(&TEXT, ours([1.0, 1.1])).or(&OTHER, ours([59.0, 62.0]));
        assert_eq!(mark(&number(30.0, [29.0, 31.0])), Mark::Reproduced);
        assert_eq!(mark(&outside), Mark::NotReproduced);
        assert_eq!(mark(&under), Mark::ReproducedUnder(&OTHER));
        assert_eq!(mark(&outside.clone().with_contradiction(AGAINST)), Mark::Contradicts(AGAINST));
        assert_eq!(
            mark(&under.clone().with_contradiction(AGAINST)),
            Mark::ReproducedUnder(&OTHER),
            "evidence goes first"
        );
        assert_eq!(mark(&number(30.0, [29.0, 31.0]).or(&OTHER, ours([9.0, 9.1]))), Mark::Reproduced);
        let numbers = [outside.clone(), under.clone(), outside.with_contradiction(AGAINST)];
        let score = Score::of(&numbers, Level::default());
        assert_eq!(score, Score { reproduced: 0, under: 1, contradicts: 1, not: 1 });
        assert_eq!(
            score.to_string(),
            "0 of 3 numbers reproduced, 1 more under another reading; 1 contradicts its own paper; 1 not reproduced"
        );
        let json = under.to_json(Level::default());
        assert_eq!((&json["mark"], &json["reading"]), (&json!("reproduced under another reading"), &json!("ns-2")));
        assert_eq!((&json["inside"], &json["alternatives"][1]["inside"]), (&json!(false), &json!(true)));
    }

    #[test]
    fn sentences_name_the_interval_the_reading_and_the_pages() {
        let sentence = |number: Number| number.sentence(Level::default());
        // 12.706 / sqrt(2) x sqrt(1.5) x 2 = 22.008.
        assert_eq!(
            sentence(number(31.0, [29.0, 31.0])),
            "The paper's value is inside: 95 % of our single runs give 7.99 to 52.01 %."
        );
        assert_eq!(
            sentence(number(60.0, [29.0, 31.0])),
            "The paper's value is outside: 95 % of our single runs give 7.99 to 52.01 %."
        );
        assert_eq!(
            sentence(number(60.0, [30.0, 30.0]).or(&OTHER, ours([60.0, 60.0]))),
            "The paper's value is outside: all our runs give 30.00 %. Under another reading it is inside: all our runs give \
             60.00 %; the reading: 64 bytes of header (ns-2's mac.h)."
        );
        assert_eq!(
            sentence(number(60.0, [30.0, 30.0]).with_contradiction(AGAINST)),
            "The paper's value is outside: all our runs give 30.00 %. The paper contradicts it (pages 3 and 5: 68 %, but 64 %): The set-up is the same."
        );
        assert_eq!(sentence(Number::new("p", json!({}), "s", 1.0, None)), "No run of ours gave a value.");
    }

    #[test]
    fn bounds_stated_by_a_paper_are_compared_with_single_runs() {
        let of = |paper, values| mark(&number(paper, values));
        assert_eq!(of(PrintedValue::AtLeast(1.0), [29.0, 31.0]), Mark::Reproduced);
        assert_eq!(of(PrintedValue::AtLeast(10.0), [29.0, 31.0]), Mark::NotReproduced, "a run may well have 8");
        assert_eq!(of(PrintedValue::AtMost(53.0), [29.0, 31.0]), Mark::Reproduced);
        assert_eq!(of(PrintedValue::AtMost(51.0), [29.0, 31.0]), Mark::NotReproduced);
        assert_eq!(of(PrintedValue::AtLeast(2.0), [2.0, 2.0]), Mark::Reproduced);
        let json = number(PrintedValue::AtLeast(2.0), [2.0, 2.0]).to_json(Level::default());
        assert_eq!((&json["paper"], &json["bound"]), (&json!(2.0), &json!("at least")));
    }

    #[test]
    fn deterministic_value_must_equal_the_printed_value() {
        let exact = |ours: Option<f64>| mark(&Number::new("p", json!({}), "ms", 945.0, ours));
        assert_eq!(exact(Some(945.0)), Mark::Reproduced);
        assert_eq!([exact(Some(945.5)), exact(None)], [Mark::NotReproduced; 2]);
    }

    /// The mean, 15.2, occurs in no run.
    #[test]
    fn modes_of_a_distribution_are_compared_one_by_one() {
        let modes = ModalQuantity::of_modes([
            ("the MAC still tries", ours([4.9, 5.0, 5.1])),
            ("the timer expires", ours([30.3, 30.4, 30.5])),
            ("neither", ours([])),
        ]);
        assert_eq!((modes.modes().len(), modes.n(), modes.mean()), (2, 6, None));
        let at = |paper: f64| Number::new("figure 7", json!({}), "ms", paper, modes.clone());
        assert_eq!(mark(&at(30.4)), Mark::Reproduced);
        assert_eq!(mark(&at(15.2)), Mark::NotReproduced);
        assert_eq!(
            at(30.4).sentence(Level::default()),
            "The paper's value is inside: 95 % of our single runs give 29.9 to 30.9 ms where the timer expires (50 % of the runs)."
        );
        let json = at(5.0).to_json(Level::default());
        assert_eq!(
            (&json["n"], &json["mean"], &json["modes"][1]["mode"]),
            (&json!(6), &json!(null), &json!("the timer expires"))
        );
    }

    /// One run of 30 is 3 %. Therefore 95 % of single runs belong to the other mode.
    #[test]
    fn mode_of_few_runs_does_not_count() {
        let often = (0..29).map(|run| 100.0 + f64::from(run));
        let modes = ModalQuantity::of_modes([("rare", ours([7.0])), ("often", ours(often))]);
        assert_eq!(mark(&Number::new("p", json!({}), "ms", 7.0, modes)), Mark::NotReproduced);
    }

    #[test]
    fn numbers_of_another_reading_are_matched_by_place_and_axes() {
        let one = |row: u32, values| Number::new("t", json!({ "row": row }), "%", 60.0, ours(values));
        let primary = vec![one(1, [1.0, 1.1]), one(2, [1.0, 1.1])];
        let both = Number::with_reading(primary, &OTHER, vec![one(2, [60.0, 60.0])]);
        assert_eq!(both.iter().map(mark).collect::<Vec<_>>(), [Mark::NotReproduced, Mark::ReproducedUnder(&OTHER)]);
    }

    #[test]
    fn intervals_of_times_are_truncated_at_zero() {
        let shown = |unit| {
            let number = Number::new("p", json!({}), unit, 30.0, ours([20.0, 40.0]));
            number.run_shown(&number.ours.modes()[0], Level::default()).unwrap()
        };
        // 30 - 220.
        assert_eq!(shown("ms").low, 0.0);
        assert!((shown("%").low + 190.0).abs() < 1.0, "{:?}", shown("%"));
        assert_eq!(shown("ms").high, shown("%").high);
        let json = Number::new("p", json!({}), "ms", 30.0, ours([20.0, 40.0])).to_json(Level::default());
        assert!(json["run95"][0].as_f64().unwrap() < -180.0, "programs get it whole");
    }

    #[test]
    fn interval_that_contains_zero_is_inconclusive() {
        let zero = |number: Number| number.holds_zero(Level::default());
        assert!(zero(number(30.0, [20.0, 40.0])));
        assert!(!zero(number(30.0, [29.0, 31.0])));
        assert!(!zero(number(300.0, [20.0, 40.0])), "outside");
        assert!(!zero(number(0.0, [-1.0, 1.0])), "0 is what the paper says");
        assert!(
            number(30.0, [20.0, 40.0])
                .sentence(Level::default())
                .ends_with("The interval also contains 0, so the match is inconclusive.")
        );
    }

    #[test]
    fn value_has_the_decimals_of_the_printed_value() {
        let places = |unit, paper: f64| Number::new("p", json!({}), unit, paper, None).places();
        assert_eq!(
            [places("ms", 18.5), places("ms", 1980.0), places("%", 64.0), places("bit/s", 499_522.796)],
            [1, 0, 2, 0]
        );
    }
}
