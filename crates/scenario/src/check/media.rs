//! Air that several links share.

use path::mac::arq::ArqConfig;
use path::mac::dcf;
use sim::network::MediumSpec;

use super::Checker;
use crate::model::{Link, LinkKind, MAX_STATIONS};
use crate::problem::Problem;
use engine::Named;

impl Checker<'_> {
    /// The medium that a link is part of. That it names none that there is has been told of; what any would say stands for it.
    pub(super) fn medium(&self, link: &Link) -> dcf::Config {
        let named = link.medium.as_ref().and_then(|name| self.scenario.media.get(name));
        named.cloned().unwrap_or_default()
    }

    /// A medium and what is wrong with it.
    pub(super) fn medium_spec(&mut self, name: &str, config: &dcf::Config) -> MediumSpec {
        let key = format!("media.{name}");
        self.name(&key, name);
        self.faults(&key, config.check());
        self.faults(&format!("{key}.rate_control"), config.rate_control().check());
        let links = self.names.links_in(name).len();
        // A medium without links can be another one's misspelt name.
        if links == 0 && self.names.media_exist {
            let problem = Problem::new("at least one link that is part of it").key(key.clone()).found("none");
            self.wrong(problem.hint(format!("write medium = \"{name}\" in a link")));
        }
        if links >= MAX_STATIONS {
            self.wrong(Problem::new(format!("less than {MAX_STATIONS} links")).key(key).found(links.to_string()));
        }
        if config.range.is_some() {
            self.stations_have_places(name);
        }
        MediumSpec { name: name.to_owned(), config: config.clone() }
    }

    /// The number of the medium of a link, which leaves to it what is its own.
    pub(super) fn share(&mut self, key: &str, link: &Link) -> Option<usize> {
        let name = link.medium.as_ref()?;
        let Some((number, _, medium)) = self.scenario.media.get_full(name) else {
            let problem = Problem::new("a medium").key(format!("{key}.medium")).found(format!("\"{name}\""));
            let known = self.scenario.media.keys().map(String::as_str);
            let problem = match self.scenario.media.is_empty() {
                true => problem.hint(format!("add a table [media.{name}]")),
                false => self.names.suggest(problem, name, known),
            };
            self.wrong(problem);
            return None;
        };
        if link.kind == LinkKind::Wired {
            let problem = Problem::new("\"wireless\": a medium is air").key(format!("{key}.kind"));
            self.wrong(problem.found("\"wired\"").hint("write kind = \"wireless\", or leave out medium"));
        }
        if let Some(fault) = link.rate.and_then(|rate| medium.rate_fault("rate", rate)) {
            self.faults(key, vec![fault]);
        }
        if let Some(delay) = link.delay {
            let problem = Problem::new("nothing: the medium has a delay of its own").key(format!("{key}.delay"));
            self.wrong(problem.found(format!("\"{delay}\"")).hint(format!("write it in [media.{name}]")));
        }
        if let Some(Named(arq)) = link.arq.as_ref().filter(|Named(arq)| !matches!(arq, ArqConfig::None(_))) {
            let problem = Problem::new("nothing: the medium has a link layer of its own").key(format!("{key}.arq"));
            let problem = problem.found(format!("\"{}\"", arq.name()));
            self.wrong(
                problem.hint(format!("leave it out; short_retry_limit in [media.{name}] says how often it tries")),
            );
        }
        Some(number)
    }
}
