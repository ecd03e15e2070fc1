//! Checks of the changes of a link over time.

use engine::Rate;
use engine::registry::Fault;
use path::link::variable::plan::{Changes, check_gaps, check_spikes};
use path::mac::arq::ArqConfig;

use super::Checker;
use crate::model::{DeliveryTrace, Link, Recording, Way};
use crate::problem::Problem;
use crate::recordings::format::Format;

impl Checker<'_> {
    /// Changes of the link over time, if any.
    pub(super) fn changes(&mut self, key: &str, link: &Link) -> Option<Box<Changes>> {
        if let Some(jitter) = &link.jitter {
            self.faults(&format!("{key}.jitter.delay"), jitter.delay.check());
        }
        self.report_item_faults(&format!("{key}.delay_spikes"), check_spikes(&link.delay_spikes));
        self.report_item_faults(&format!("{key}.outages"), check_gaps(&link.outages));
        let DeliveryTrace { forward, backward } = &link.delivery_trace;
        let read = self.recordings;
        let mut direction = |direction: &str, recording: &Option<Recording>| {
            let key = format!("{key}.delivery_trace.{direction}");
            let recording = recording.as_ref()?;
            self.always_mahimahi(&key, recording);
            self.recording(&key, recording, |file, text| read.opportunities(file, text))
        };
        let opportunities = [direction("forward", forward), direction("backward", backward)];
        let (key_of_trace, duration) = (format!("{key}.link_trace"), self.scenario.duration);
        let rows = link.link_trace.as_ref().and_then(|given| {
            self.recording(&key_of_trace, given, |file, text| {
                let (_, recorded) = read.table(file, text, given.format)?;
                if given.repeat { recorded.repeat_rows(file, duration) } else { recorded.once(file, text) }
            })
        });
        let changes = Changes {
            jitter: link.jitter.clone(),
            spikes: link.delay_spikes.clone(),
            gaps: link.outages.clone(),
            opportunities,
            rows: rows.unwrap_or_default(),
        };
        let arq = link.ways().filter_map(|way| way.arq()).find(|arq| !matches!(arq, ArqConfig::None(_)));
        if let (Some(setting), Some(arq)) = (find_variable_setting(link), arq) {
            let expected = "no value: changes over time are only valid for links without a link layer";
            let hint = format!("remove arq = \"{}\"", arq.name());
            self.report_problem(Problem::new(expected).key(format!("{key}.{setting}")).hint(hint));
        }
        if let (Some(setting), Some(medium)) = (find_variable_setting(link), &link.medium) {
            let expected = "no value: changes over time are only valid for links without a medium";
            let problem = Problem::new(expected).key(format!("{key}.{setting}"));
            self.report_problem(problem.hint(format!("leave out medium = \"{medium}\"")));
        }
        changes.any().then(|| Box::new(changes))
    }

    /// The rate of a link; with delivery traces in both directions, the mean rate of the slower direction.
    pub(super) fn rate(&mut self, key: &str, way: Way<'_>, changes: Option<&Changes>) -> Rate {
        let link = way.link;
        if link.medium.is_some() {
            return way.rate().unwrap_or_else(|| self.medium(link).data_rate());
        }
        let recorded = match changes.map(|changes| &changes.opportunities) {
            Some([Some(forward), Some(backward)]) => Some(forward.mean_rate().min(backward.mean_rate())),
            _ => None,
        };
        if recorded.is_some() && changes.is_some_and(|changes| changes.rows.iter().any(|row| row.rate.is_some())) {
            let expected = "a table without a column `rate`: a `delivery_trace` in both directions replaces it";
            self.report_problem(Problem::new(expected).key(format!("{key}.link_trace")));
        }
        let key = format!("{key}.{}", way.key("rate"));
        match (way.rate(), recorded) {
            (Some(rate), Some(_)) => {
                let problem = Problem::new("no value: a `delivery_trace` in both directions replaces the rate");
                self.report_problem(problem.key(key).found(format!("\"{rate}\"")));
                rate
            }
            (Some(rate), None) | (None, Some(rate)) => rate,
            (None, None) => {
                // The error of an unreadable recording is reported; its effect on the rate is unknown.
                let DeliveryTrace { forward, backward } = &link.delivery_trace;
                if forward.is_none() || backward.is_none() {
                    self.report_problem(Problem::new("`rate` is missing").key(key));
                }
                Rate::from_bits_per_sec(1).unwrap_or_else(|| unreachable!("more than 0"))
            }
        }
    }

    /// Refuses settings that a delivery trace does not have.
    fn always_mahimahi(&mut self, key: &str, recording: &Recording) {
        if !matches!(recording.format, Format::Auto | Format::Mahimahi) {
            let problem = Problem::new("`mahimahi`, the format of delivery traces").key(format!("{key}.format"));
            self.report_problem(problem.hint("rates and delays of other formats: `link_trace`"));
        }
        if recording.repeat {
            let problem = Problem::new("no value: a delivery trace always repeats").key(format!("{key}.repeat"));
            self.report_problem(problem.found("true"));
        }
    }

    /// Parses a recording.
    fn recording<T>(
        &mut self,
        key: &str,
        recording: &Recording,
        parse: impl FnOnce(&str, &str) -> Result<T, Problem>,
    ) -> Option<T> {
        match recording {
            Recording { file: Some(file), contents: Some(_), .. } => {
                let problem = Problem::new("either `file` or `contents`, not both").key(format!("{key}.file"));
                self.report_problem(problem.found(format!("\"{file}\"")));
            }
            // The caller has read the contents of `file` into `contents`.
            Recording { contents: Some(text), .. } => match parse(&format!("{key}.contents"), text) {
                Ok(read) => return Some(read),
                Err(problem) => self.report_problem(problem),
            },
            Recording { file: Some(_), .. } => {
                self.report_problem(Problem::new("`contents`, with the text of the file").key(key));
            }
            Recording { .. } => self.report_problem(Problem::new("`file` is missing").key(key)),
        }
        None
    }

    /// Reports faults in the items of a list.
    fn report_item_faults(&mut self, key: &str, faults: Vec<(usize, Fault)>) {
        for (index, fault) in faults {
            self.faults(&format!("{key}[{index}]"), vec![fault]);
        }
    }
}

/// The key of the first setting that makes a link variable.
fn find_variable_setting(link: &Link) -> Option<&'static str> {
    let settings = [
        ("jitter", link.jitter.is_some()),
        ("delay_spikes", !link.delay_spikes.is_empty()),
        ("outages", !link.outages.is_empty()),
        ("delivery_trace", link.delivery_trace != DeliveryTrace::default()),
        ("link_trace", link.link_trace.is_some()),
    ];
    settings.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
}
