//! Contracts of all applications, built from their names alone: each runs over a lossy link, and acknowledged data was
//! written before.

use engine::{Span, Time};
use path::agent::{AgentConfig, unmodified};
use path::channel::{ChannelConfig, uniform};
use path::link::Timing;
use path::mac::arq::{ArqConfig, none};
use path::queue::{Limit, Tie};
use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer};
use sim::event::Event;
use sim::{ApplicationConfig, FlowSpec, LinkSpec, Network, NodeKind, NodeSpec, Radio, Results, Sink, World};

fn network(traffic: ApplicationConfig, seed: u64) -> Network {
    let host = |name: &str| NodeSpec {
        name: name.to_owned(),
        kind: NodeKind::Host,
        buffer: None,
        processing_delay: Span::ZERO,
        radio: Radio::PerLink,
        scheduler: Default::default(),
        agent: AgentConfig::Unmodified(unmodified::Config::default()),
        place: None,
        association: None,
    };
    let wire = LinkSpec {
        name: "wire".to_owned(),
        between: [0, 1],
        wireless: false,
        rate: "8 Mbps".parse().unwrap(),
        delay: "5 ms".parse().unwrap(),
        timing: Timing::Exact,
        queue: Limit::Packets(20).into(),
        queue_tie: Tie::default(),
        changes: None,
        channel: ChannelConfig::Uniform(uniform::Config { loss: 0.01 }),
        arq: ArqConfig::None(none::Config::default()),
        medium: None,
        medium_rate: None,
        random_seed: 0,
    };
    let flow = FlowSpec {
        name: "flow".to_owned(),
        from: 0,
        to: 1,
        traffic,
        start: Time::from_millis(100),
        tcp: tcp::Config::default(),
    };
    Network {
        nodes: vec![host("a"), host("b")],
        links: vec![wire],
        media: Vec::new(),
        flows: vec![flow],
        duration: Span::from_secs(5),
        seed,
        replication: 0,
    }
}

/// Collects the times of all events, and those of the flow's start.
#[derive(Default)]
struct Log {
    events: Vec<String>,
    starts: Vec<Time>,
    last: Time,
}

impl Sink for Log {
    const ACTIVE: bool = true;
    fn event(&mut self, at: Time, event: &Event) {
        assert!(at >= self.last, "an event in the past: {event:?}");
        self.last = at;
        if let Event::FlowStarted { .. } = event {
            self.starts.push(at);
        }
        self.events.push(format!("{at:?} {event:?}"));
    }
}

fn run(traffic: &ApplicationConfig, seed: u64) -> (Log, Results) {
    let mut world = World::new(&network(traffic.clone(), seed), true);
    let mut log = Log::default();
    world.run(&mut log);
    (log, world.results())
}

fn every_application() -> Vec<ApplicationConfig> {
    let member = |name: &str| {
        let kind = MapDeserializer::<_, Error>::new([("kind", name)].into_iter());
        ApplicationConfig::deserialize(kind)
            .unwrap_or_else(|error| panic!("{name} has settings without defaults: {error}"))
    };
    let all: Vec<_> = ApplicationConfig::MEMBERS.iter().map(|(name, _)| member(name)).collect();
    assert!(all.iter().all(|config| config.check().is_empty()));
    all
}

#[test]
fn application_starts_once_sends_data_and_the_same_seed_gives_the_same_events() {
    for traffic in every_application() {
        let name = traffic.name();
        let (log, results) = run(&traffic, 3);
        assert_eq!(log.starts, [Time::from_millis(100)], "{name}");
        let flow = &results.flows[0];
        assert!(flow.bytes_delivered > 0, "{name} sends nothing");
        if let Some(total) = traffic.total() {
            assert!(flow.bytes_delivered <= total, "{name} sends more than it says");
            assert_eq!(flow.completed.is_some(), flow.bytes_delivered == total, "{name}");
        }
        assert_eq!(log.events, run(&traffic, 3).0.events, "{name}");
    }
}

#[test]
fn bulk_transfer_is_complete_when_all_of_it_is_acknowledged() {
    let (_, results) = run(&ApplicationConfig::bulk(Some(100_000)), 1);
    let flow = &results.flows[0];
    assert_eq!(flow.bytes_delivered, 100_000);
    // It starts at 100 ms, and 100 kB take 100 ms at 8 Mbps.
    assert!(flow.completed.is_some_and(|at| at > Time::from_millis(200)));
    let (_, endless) = run(&ApplicationConfig::bulk(None), 1);
    assert!(endless.flows[0].completed.is_none() && endless.flows[0].bytes_delivered > 100_000);
}
