//! Links: rate, delay, queue, channel and link layer of each direction.

use engine::Span;
use path::LinkDirection;
use path::channel::{ChannelConfig, uniform};
use path::link::Timing;
use path::link::variable::plan::Changes;
use path::mac::arq::ArqConfig;
use path::queue::{Limit, QueueConfig, Tie};
use sim::{DirectionSpec, LinkSpec};

use super::{Checker, MAX_DELAY, out_of_range};
use crate::model::{Link, LinkKind, Profile, Queue, Way};
use crate::problem::Problem;

impl Checker<'_> {
    pub(super) fn link(&mut self, name: &str, link: &Link) -> LinkSpec {
        let key = format!("links.{name}");
        self.name(&key, name);
        let between = [0, 1].map(|end| self.node_number(&format!("{key}.between[{end}]"), &link.between[end]));
        if link.between[0] == link.between[1] {
            let problem = Problem::new("two different nodes").key(format!("{key}.between"));
            self.report_problem(problem.found(format!("\"{}\" twice", link.between[0])));
        }
        let changes = self.changes(&key, link);
        let medium = self.share(&key, link);
        let forward = self.direction(&key, link.way(LinkDirection::Forward), changes.as_deref(), None);
        let backward = link.is_directed().then(|| {
            let way = link.way(LinkDirection::Backward);
            Box::new(self.direction(&key, way, changes.as_deref(), Some(&forward)))
        });
        let DirectionSpec { rate, delay, queue, channel, arq, medium_rate } = forward;
        LinkSpec {
            name: name.to_owned(),
            between,
            wireless: link.kind == LinkKind::Wireless,
            rate,
            delay,
            timing: match self.scenario.profile {
                Profile::Exact => Timing::Exact,
                Profile::Goel1997 => Timing::WholeMilliseconds,
            },
            queue,
            queue_tie: link.queue_tie,
            changes,
            channel,
            arq,
            medium,
            medium_rate,
            random_seed: link.random_seed,
            backward,
        }
    }

    /// Checks the settings of a direction. Shared settings are taken from `forward`, so that their errors are reported
    /// once.
    fn direction(
        &mut self,
        key: &str,
        way: Way<'_>,
        changes: Option<&Changes>,
        forward: Option<&DirectionSpec>,
    ) -> DirectionSpec {
        let shared = |setting: &str| forward.filter(|_| !way.states(setting));
        DirectionSpec {
            queue: match shared("queue") {
                Some(forward) => forward.queue.clone(),
                None => self.queue(key, way),
            },
            rate: match shared("rate") {
                Some(forward) => forward.rate,
                None => self.rate(key, way, changes),
            },
            delay: match shared("delay") {
                Some(forward) => forward.delay,
                None => self.delay(key, way),
            },
            channel: match shared("channel").filter(|_| !way.states("loss")) {
                Some(forward) => forward.channel.clone(),
                None => self.channel(key, way),
            },
            arq: match shared("arq") {
                Some(forward) => forward.arq.clone(),
                None => self.arq(key, way),
            },
            medium_rate: way.rate().filter(|_| way.link.medium.is_some()),
        }
    }

    /// The queue of a link, with the threshold set at the link.
    fn queue(&mut self, key: &str, way: Way<'_>) -> QueueConfig {
        let (link, setting) = (way.link, way.key("queue"));
        let Queue(mut queue) = way.queue().cloned().unwrap_or_else(|| Queue::of_profile(self.scenario.profile));
        self.faults(&format!("{key}.{setting}"), queue.check());
        if link.ecn_threshold == Limit::None {
            return queue;
        }
        let problem = match &mut queue {
            QueueConfig::DropTail(config) if config.ecn_threshold == Limit::None => {
                config.ecn_threshold = link.ecn_threshold;
                return queue;
            }
            QueueConfig::DropTail(_) => "either `ecn_threshold` or `queue.ecn_threshold`, not both",
            _ => "no value: only a drop-tail queue has this key",
        };
        let found = format!("\"{}\"", link.ecn_threshold);
        self.report_problem(Problem::new(problem).key(format!("{key}.ecn_threshold")).found(found));
        queue
    }

    /// The propagation delay of a link, or of its medium.
    fn delay(&mut self, key: &str, way: Way<'_>) -> Span {
        if way.link.medium.is_some() {
            return self.medium(way.link).delay();
        }
        let key = format!("{key}.{}", way.key("delay"));
        let Some(delay) = way.delay() else {
            self.report_problem(Problem::new("`delay` is missing").key(key));
            return Span::ZERO;
        };
        if delay > MAX_DELAY {
            self.report_problem(out_of_range(&key, delay, "at most an hour"));
        }
        delay
    }

    fn channel(&mut self, key: &str, way: Way<'_>) -> ChannelConfig {
        let link = way.link;
        let [loss_key, channel_key] = ["loss", "channel"].map(|setting| format!("{key}.{}", way.key(setting)));
        match (way.channel(), way.loss()) {
            (Some(_), Some(loss)) => {
                let problem = Problem::new("either `loss` or `channel`, not both").key(loss_key);
                self.report_problem(problem.found(loss.to_string()));
            }
            (None, Some(loss)) if link.kind == LinkKind::Wireless => {
                let hint = format!("write channel = {{ kind = \"uniform\", loss = {loss} }}");
                let problem = Problem::new("a channel: `loss` is only valid for wired links").key(loss_key);
                self.report_problem(problem.found(loss.to_string()).hint(hint));
            }
            (None, Some(loss)) => {
                let channel = ChannelConfig::Uniform(uniform::Config { loss });
                // The setting has the name of the link's key.
                for fault in channel.check() {
                    self.fault(loss_key.clone(), fault);
                }
                return channel;
            }
            (_, None) => {}
        }
        let Some(mut channel) = way.channel().cloned() else {
            return ChannelConfig::default();
        };
        self.faults(&channel_key, channel.check());
        if matches!(channel, ChannelConfig::Signal(_)) && link.medium.is_none() {
            let problem = Problem::new("another channel: `signal` depends on the rates of a medium");
            let problem = problem.key(channel_key).found("\"signal\"");
            self.report_problem(problem.hint("write medium = \"NAME\", and a table [media.NAME]"));
        }
        if self.scenario.profile == Profile::Goel1997 {
            channel.goel1997();
        }
        channel
    }

    fn arq(&mut self, link_key: &str, way: Way<'_>) -> ArqConfig {
        let Some(mut arq) = way.arq().cloned() else { return ArqConfig::default() };
        let (link, key) = (way.link, format!("{link_key}.{}", way.key("arq")));
        let faults = arq.check();
        let is_sound = faults.is_empty();
        self.faults(&key, faults);
        if link.kind == LinkKind::Wired && !matches!(arq, ArqConfig::None(_)) {
            let problem = Problem::new("no value: wired links have no link layer");
            self.report_problem(problem.key(key.clone()).found(format!("\"{}\"", arq.name())));
        }
        if link.queue_tie != Tie::default() && !matches!(arq, ArqConfig::None(_)) {
            let problem = Problem::new("no value: with a link layer the order of events decides");
            self.report_problem(problem.key(format!("{link_key}.queue_tie")).found("\"arrival-first\""));
        }
        if is_sound && arq.build().needs_own_radio() {
            self.no_shared_radio(&key, link, arq.name());
        }
        if self.scenario.profile == Profile::Goel1997 {
            arq.goel1997();
        }
        arq
    }

    /// Reports a shared transmitter. A transmitter that several links share serves one exchange at a time, which only
    /// stop-and-wait allows.
    fn no_shared_radio(&mut self, key: &str, link: &Link, arq: &str) {
        for name in &link.between {
            if self.scenario.nodes.get(name).is_some_and(|node| node.radio.is_shared()) {
                let expected =
                    format!("\"stop-and-wait\": {name} has radio = \"shared\", which only stop-and-wait supports");
                let problem = Problem::new(expected).key(key).found(format!("\"{arq}\""));
                self.report_problem(
                    problem.hint(format!("leave out nodes.{name}.radio, so that each link has a transmitter")),
                );
            }
        }
    }
}
