//! Checks of shared media.

use path::mac::arq::ArqConfig;
use path::mac::dcf;
use sim::network::MediumSpec;

use super::Checker;
use crate::model::{Link, LinkKind, MAX_STATIONS, Way};
use crate::problem::Problem;

impl Checker<'_> {
    /// Returns the medium of a link. If the medium is missing, which has been reported, the default replaces it.
    pub(super) fn medium(&self, link: &Link) -> dcf::Config {
        let named = link.medium.as_ref().and_then(|name| self.scenario.media.get(name));
        named.cloned().unwrap_or_default()
    }

    /// Checks a medium.
    pub(super) fn medium_spec(&mut self, name: &str, config: &dcf::Config) -> MediumSpec {
        let key = format!("media.{name}");
        self.name(&key, name);
        self.faults(&key, config.check());
        self.faults(&format!("{key}.rate_control"), config.rate_control().check());
        let links = self.names.links_in(name).len();
        // A medium without links may be meant by a misspelled name.
        if links == 0 && self.names.media_exist {
            let problem = Problem::new("at least one link with this medium").key(key.clone()).found("none");
            self.report_problem(problem.hint(format!("write medium = \"{name}\" in a link")));
        }
        if links >= MAX_STATIONS {
            self.report_problem(
                Problem::new(format!("less than {MAX_STATIONS} links")).key(key).found(links.to_string()),
            );
        }
        if config.range.is_some() {
            self.stations_have_places(name);
        }
        MediumSpec { name: name.to_owned(), config: config.clone() }
    }

    /// Returns the number of a link's medium. Reports settings at the link that belong to the medium.
    pub(super) fn share(&mut self, key: &str, link: &Link) -> Option<usize> {
        let name = link.medium.as_ref()?;
        let Some((number, _, medium)) = self.scenario.media.get_full(name) else {
            let problem = Problem::new("a medium").key(format!("{key}.medium")).found(format!("\"{name}\""));
            let known = self.scenario.media.keys().map(String::as_str);
            let problem = if self.scenario.media.is_empty() {
                problem.hint(format!("add a table [media.{name}]"))
            } else {
                self.names.suggest(problem, name, known)
            };
            self.report_problem(problem);
            return None;
        };
        if link.kind == LinkKind::Wired {
            let problem = Problem::new("\"wireless\", as media are radio channels").key(format!("{key}.kind"));
            self.report_problem(problem.found("\"wired\"").hint("write kind = \"wireless\", or leave out medium"));
        }
        for way in link.ways() {
            self.of_medium(key, name, medium, way);
        }
        Some(number)
    }

    /// Settings of a direction of a link of a medium.
    fn of_medium(&mut self, key: &str, name: &str, medium: &dcf::Config, way: Way<'_>) {
        if way.states("rate")
            && let Some(fault) = way.rate().and_then(|rate| medium.rate_fault("rate", rate))
        {
            self.fault(format!("{key}.{}", way.key("rate")), fault);
        }
        if way.states("delay")
            && let Some(delay) = way.delay()
        {
            let problem = Problem::new("no value: the delay is a setting of the medium");
            let problem = problem.key(format!("{key}.{}", way.key("delay"))).found(format!("\"{delay}\""));
            self.report_problem(problem.hint(format!("write it in [media.{name}]")));
        }
        if way.states("arq")
            && let Some(arq) = way.arq().filter(|arq| !matches!(arq, ArqConfig::None(_)))
        {
            let problem = Problem::new("no value: links of a medium use its 802.11 link layer");
            let problem = problem.key(format!("{key}.{}", way.key("arq"))).found(format!("\"{}\"", arq.name()));
            self.report_problem(
                problem.hint(format!("leave it out; short_retry_limit in [media.{name}] limits its attempts")),
            );
        }
    }
}
