//! What changes on a link with time.

use engine::Rate;
use engine::registry::Fault;
use path::link::variable::plan::{Changes, check_gaps, check_spikes};
use path::mac::arq::ArqConfig;

use super::Checker;
use crate::model::{Link, Opportunities, Recording};
use crate::problem::Problem;
use engine::Named;

impl Checker<'_> {
    /// What changes on a link, if anything does.
    pub(super) fn changes(&mut self, key: &str, link: &Link) -> Option<Box<Changes>> {
        if let Some(jitter) = &link.jitter {
            self.faults(&format!("{key}.jitter.delay"), jitter.delay.check());
        }
        self.listed(&format!("{key}.spikes"), check_spikes(&link.spikes));
        self.listed(&format!("{key}.gaps"), check_gaps(&link.gaps));
        let Opportunities { forward, backward } = &link.opportunities;
        let read = self.recordings;
        let mut way = |way: &str, recording: &Option<Recording>| {
            let key = format!("{key}.opportunities.{way}");
            self.recording(&key, recording.as_ref()?, |file, text| read.opportunities(file, text))
        };
        let opportunities = [way("forward", forward), way("backward", backward)];
        let table = |file: &str, text: &str| read.table(file, text);
        let rows = link.table.as_ref().and_then(|given| self.recording(&format!("{key}.table"), given, table));
        let changes = Changes {
            jitter: link.jitter.clone(),
            spikes: link.spikes.clone(),
            gaps: link.gaps.clone(),
            opportunities,
            rows: rows.unwrap_or_default(),
        };
        let arq = link.arq.as_ref().filter(|Named(arq)| !matches!(arq, ArqConfig::None(_)));
        if let (Some(setting), Some(Named(arq))) = (given(link), arq) {
            let expected =
                "nothing: what changes with time is for links without a link layer, whose frames it would delay";
            let hint = format!("leave out arq = \"{}\"", arq.name());
            self.wrong(Problem::new(expected).key(format!("{key}.{setting}")).hint(hint));
        }
        if let (Some(setting), Some(medium)) = (given(link), &link.medium) {
            let expected = "nothing: what changes with time is for links that share their air with no other";
            let problem = Problem::new(expected).key(format!("{key}.{setting}"));
            self.wrong(problem.hint(format!("leave out medium = \"{medium}\"")));
        }
        changes.any().then(|| Box::new(changes))
    }

    /// The rate of a link: where opportunities stand for it both ways, what the slower one carries in the mean.
    pub(super) fn rate(&mut self, key: &str, link: &Link, changes: Option<&Changes>) -> Rate {
        if link.medium.is_some() {
            return link.rate.unwrap_or_else(|| self.medium(link).data_rate());
        }
        let recorded = match changes.map(|changes| &changes.opportunities) {
            Some([Some(forward), Some(backward)]) => Some(forward.mean_rate().min(backward.mean_rate())),
            _ => None,
        };
        if recorded.is_some() && changes.is_some_and(|changes| changes.rows.iter().any(|row| row.rate.is_some())) {
            let expected = "a table without a column `rate`: `opportunities` say when packets are sent, both ways";
            self.wrong(Problem::new(expected).key(format!("{key}.table")));
        }
        let key = format!("{key}.rate");
        match (link.rate, recorded) {
            (Some(rate), Some(_)) => {
                let problem = Problem::new("nothing: `opportunities` say when packets are sent, both ways");
                self.wrong(problem.key(key).found(format!("\"{rate}\"")));
                rate
            }
            (Some(rate), None) | (None, Some(rate)) => rate,
            (None, None) => {
                // A recording that cannot be read is told of; whether it would have stood for the rate is not known.
                let Opportunities { forward, backward } = &link.opportunities;
                if forward.is_none() || backward.is_none() {
                    self.wrong(Problem::new("`rate` is missing").key(key));
                }
                Rate::from_bits_per_sec(1).unwrap_or_else(|| unreachable!("more than 0"))
            }
        }
    }

    /// What a recording says.
    fn recording<T>(
        &mut self,
        key: &str,
        recording: &Recording,
        parse: impl FnOnce(&str, &str) -> Result<T, Problem>,
    ) -> Option<T> {
        match recording {
            Recording { file: Some(file), contents: Some(_) } => {
                let problem = Problem::new("either `file` or `contents`, not both").key(format!("{key}.file"));
                self.wrong(problem.found(format!("\"{file}\"")));
            }
            // Whoever reads scenarios has put the contents of `file` into `contents`.
            Recording { contents: Some(text), .. } => match parse(&format!("{key}.contents"), text) {
                Ok(read) => return Some(read),
                Err(problem) => self.wrong(problem),
            },
            Recording { file: Some(_), .. } => {
                self.wrong(Problem::new("`contents`, with the text of the file").key(key));
            }
            Recording { .. } => self.wrong(Problem::new("`file` is missing").key(key)),
        }
        None
    }

    /// Faults in the items of a list.
    fn listed(&mut self, key: &str, faults: Vec<(usize, Fault)>) {
        for (index, fault) in faults {
            self.faults(&format!("{key}[{index}]"), vec![fault]);
        }
    }
}

/// The first setting that makes a link change.
fn given(link: &Link) -> Option<&'static str> {
    let settings = [
        ("jitter", link.jitter.is_some()),
        ("spikes", !link.spikes.is_empty()),
        ("gaps", !link.gaps.is_empty()),
        ("opportunities", link.opportunities != Opportunities::default()),
        ("table", link.table.is_some()),
    ];
    settings.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
}
