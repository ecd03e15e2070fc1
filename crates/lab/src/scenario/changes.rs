//! What changes on a link with time.

use engine::registry::Fault;
use path::link::changing::plan::{Changes, check_gaps, check_spikes};
use path::mac::arq::ArqConfig;

use super::check::Checker;
use super::model::Link;
use super::named::Named;
use crate::problem::Problem;

impl Checker<'_> {
    /// What changes on a link, if anything does.
    pub(super) fn changes(&mut self, key: &str, link: &Link) -> Option<Box<Changes>> {
        if let Some(jitter) = &link.jitter {
            self.faults(&format!("{key}.jitter.delay"), jitter.delay.check());
        }
        self.listed(&format!("{key}.spikes"), check_spikes(&link.spikes));
        self.listed(&format!("{key}.gaps"), check_gaps(&link.gaps));
        let changes = Changes {
            jitter: link.jitter.clone(),
            spikes: link.spikes.clone(),
            gaps: link.gaps.clone(),
            ..Changes::default()
        };
        let arq = link.arq.as_ref().filter(|Named(arq)| !matches!(arq, ArqConfig::None(_)));
        if let (Some(setting), Some(Named(arq))) = (given(link), arq) {
            let expected =
                "nothing: what changes with time is for links without a link layer, whose frames it would delay";
            let hint = format!("leave out arq = \"{}\"", arq.name());
            self.wrong(Problem::new(expected).key(format!("{key}.{setting}")).hint(hint));
        }
        changes.any().then(|| Box::new(changes))
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
    let settings =
        [("jitter", link.jitter.is_some()), ("spikes", !link.spikes.is_empty()), ("gaps", !link.gaps.is_empty())];
    settings.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
}
