//! Links: ends, channel, link layer.

use engine::Span;
use path::channel::{ChannelConfig, recorded, scripted, two_state};
use path::mac::arq::{ArqConfig, none, stop_and_wait};
use path::queue::{Limit, Tie};

use super::components::{AirStates, LinkComponent, Medium};
use super::quantities::TraceMode;
use super::translate::Translator;
use crate::model::{self, Directed, LinkKind};
use crate::problem::Problem;
use engine::{Named, Share};

impl Translator<'_, '_, '_> {
    /// A link of the scenario.
    pub(super) fn link(&mut self, link: &LinkComponent<'_>, mode: Option<TraceMode>, file: &str) -> model::Link {
        for (end, name) in link.ends.iter().zip(["node_id1", "node_id2"]) {
            if !self.nodes.contains_key(&end.value) {
                let problem = self.no_node(end.value).key(format!("{}.{name}", link.component));
                self.report.at(end.at, problem);
            }
        }
        let [one, other] = link.ends.map(|end| end.value);
        if one == other {
            let problem = Problem::new("two different nodes").key(format!("{}.node_id2", link.component));
            let problem = problem.found(format!("{other} twice")).hint("a link joins a node with another");
            self.report.at(link.ends[1].at, problem);
        }
        let mut translated = model::Link {
            kind: LinkKind::Wired,
            between: [one.to_string(), other.to_string()],
            rate: Some(Directed::Both(link.rate.value)),
            medium: None,
            delay: Some(Directed::Both(link.delay.value)),
            queue: Default::default(),
            queue_tie: Tie::default(),
            ecn_threshold: Limit::default(),
            loss: None,
            channel: None,
            jitter: None,
            delay_spikes: Vec::new(),
            outages: Vec::new(),
            delivery_trace: Default::default(),
            link_trace: None,
            arq: None,
            random_seed: link.seed,
        };
        match &link.medium {
            Medium::Wire { loss } => {
                translated.loss = Some(*loss).filter(|loss| *loss > 0.0).map(|loss| Directed::Both(Share(loss)));
            }
            Medium::Air(air) => {
                translated.kind = LinkKind::Wireless;
                translated.channel = Some(Directed::Both(Named(self.channel(link, air, mode, file))));
                translated.arq = Some(Directed::Both(Named(self.arq(link))));
            }
        }
        translated
    }

    fn channel(
        &mut self,
        link: &LinkComponent<'_>,
        air: &AirStates,
        mode: Option<TraceMode>,
        file: &str,
    ) -> ChannelConfig {
        if let (Some(first), false) = (air.bad.first(), mode == Some(TraceMode::Script)) {
            let problem = Problem::new("bad_interval has an effect only if read_from_trace is 2; ignored");
            self.warnings.at(first.at, problem.key("wireless_link.bad_interval"));
        }
        match mode {
            Some(TraceMode::Read) => {
                ChannelConfig::Recorded(recorded::Config { file: Some(file.into()), switches: None })
            }
            Some(TraceMode::Script) => {
                self.script(link, air);
                let bad = air.bad.iter().map(|interval| interval.value).collect();
                ChannelConfig::Scripted(scripted::Config { bad, drop: Vec::new(), drop_backward: Vec::new() })
            }
            Some(TraceMode::Record) | None => {
                let (mean_good, mean_bad) = (air.mean_good.value, air.mean_bad.value);
                if mean_good == Span::ZERO {
                    let problem = Problem::new("more than 0: the channel begins in GOOD").found("0");
                    let problem = problem.key("wireless_link.mean_exp_distrib_good_state");
                    self.report.at(
                        air.mean_good.at,
                        problem
                            .hint("write any other value; for a channel that is always GOOD set the mean of BAD to 0"),
                    );
                }
                ChannelConfig::TwoState(two_state::Config { mean_good, mean_bad, loss_good: 0.0, loss_bad: 1.0 })
            }
        }
    }

    /// Checks a link whose channel states are scripted.
    fn script(&mut self, link: &LinkComponent<'_>, air: &AirStates) {
        if air.mean_bad.value > Span::ZERO {
            let problem = Problem::new("0, because read_from_trace is 2").found(air.mean_bad.value.to_string());
            let problem = problem.key("wireless_link.mean_exp_distrib_bad_state");
            self.report.at(air.mean_bad.at, problem.hint("bad_interval gives the times in BAD"));
        }
        if air.bad.is_empty() {
            let problem = Problem::new("bad_interval is missing, and read_from_trace is 2");
            let problem = problem.key("wireless_link.bad_interval");
            self.report.at(link.at, problem.hint("add a line such as bad_interval = 940 1040"));
        }
        for pair in air.bad.windows(2).filter(|pair| pair[1].value[0] <= pair[0].value[1]) {
            let [[_, earlier], [from, _]] = [pair[0].value, pair[1].value];
            let problem = Problem::new(format!("a time after {earlier}, the end of the interval above"));
            let problem = problem.key("wireless_link.bad_interval").found(from.to_string());
            self.report.at(pair[1].at, problem.hint("write the intervals in order, and join those that meet"));
        }
    }

    /// The link layer that both ends of a wireless link implement.
    fn arq(&mut self, link: &LinkComponent<'_>) -> ArqConfig {
        let [Some(one), Some(other)] = link.ends.map(|end| self.nodes.get(&end.value).copied()) else {
            return ArqConfig::None(none::Config::default());
        };
        let (with, without, key, at) = match (one.implements_link_layer(), other.implements_link_layer()) {
            (true, true) => return ArqConfig::StopAndWait(stop_and_wait::Config::default()),
            (false, false) => return ArqConfig::None(none::Config::default()),
            (true, false) => (one, other, "node_id2", link.ends[1].at),
            (false, true) => (other, one, "node_id1", link.ends[0].at),
        };
        let problem = Problem::new(format!(
            "the link layer for wireless links at both ends or at neither: {}, a {}, has it, and {}, a {}, has not",
            with.id.value, with.component, without.id.value, without.component
        ));
        let hint = format!("make {} a {}", without.id.value, without.counterpart());
        self.report.at(at, problem.key(format!("wireless_link.{key}")).hint(hint));
        ArqConfig::None(none::Config::default())
    }
}
