//! What a scheme costs: transfers through a base station that follows each, beside `unmodified`. Items are packets of data
//! that arrived. `cargo bench -p lasthop-sim --bench agents`.

use divan::counter::ItemsCount;
use engine::serde::Deserialize;
use engine::serde::de::value::{Error, MapDeserializer};
use engine::{Bytes, Rate, Span, Time};
use path::agent::AgentConfig;
use path::channel::{ChannelConfig, perfect, uniform};
use path::link::Timing;
use path::mac::arq::{ArqConfig, none};
use path::queue::{Limit, Tie};
use sim::{FlowSpec, LinkSpec, Network, Nobody, NodeKind, NodeSpec, Radio, World};

fn main() {
    divan::main();
}

const SEGMENT: u32 = 1000;

fn schemes() -> impl Iterator<Item = &'static str> {
    AgentConfig::MEMBERS.iter().map(|(name, _)| *name)
}

/// A member of a registry with its defaults.
fn member<T: for<'de> Deserialize<'de>>(name: &str) -> Option<T> {
    T::deserialize(MapDeserializer::<_, Error>::new([("kind", name)].into_iter())).ok()
}

fn link(between: [usize; 2], rate: &str, delay: Span, loss: f64) -> LinkSpec {
    LinkSpec {
        name: format!("{between:?}"),
        between,
        wireless: loss > 0.0,
        rate: rate.parse::<Rate>().expect("a rate"),
        delay,
        timing: Timing::Exact,
        queue: Limit::Packets(20_000),
        ecn_threshold: Limit::None,
        changes: None,
        channel: match loss > 0.0 {
            true => ChannelConfig::Uniform(uniform::Config { loss }),
            false => ChannelConfig::Perfect(perfect::Config::default()),
        },
        arq: ArqConfig::None(none::Config::default()),
        queue_tie: Tie::default(),
        random_seed: 0,
        medium: None,
        medium_rate: None,
    }
}

/// `flows` downloads over one base station that follows `scheme`, for `duration`.
fn network(scheme: &str, flows: usize, rate: &str, window: u64, duration: Span) -> Network {
    let node = |name: &str, kind, scheme: &str| NodeSpec {
        name: name.into(),
        kind,
        buffer: None,
        processing_delay: Span::ZERO,
        radio: Radio::PerLink,
        scheduler: Default::default(),
        agent: member(scheme).unwrap_or_else(|| panic!("{scheme} needs defaults")),
        place: None,
        association: None,
    };
    let flow = |number: usize| FlowSpec {
        name: format!("flow{number}"),
        from: 0,
        to: 2,
        bytes: None,
        start: Time::from_millis(number as u64 % 100),
        handshake: false,
        close: false,
        tcp: tcp::Config {
            segment: SEGMENT,
            window: Bytes(window),
            response: member(scheme).unwrap_or_else(|| tcp::Config::default().response),
            ..tcp::Config::default()
        },
    };
    Network {
        media: Vec::new(),
        nodes: vec![
            node("server", NodeKind::Host, "unmodified"),
            node("station", NodeKind::Router, scheme),
            node("mobile", NodeKind::Host, "unmodified"),
        ],
        links: vec![link([0, 1], rate, Span::from_millis(5), 0.0), link([1, 2], rate, Span::from_millis(1), 0.0001)],
        flows: (0..flows).map(flow).collect(),
        duration,
        seed: 1,
        replication: 0,
    }
}

fn measure(bencher: divan::Bencher<'_, '_>, network: &Network) {
    let packets = |network: &Network| {
        let mut world = World::new(network, false);
        world.run(&mut Nobody);
        world.results().flows.iter().map(|flow| flow.bytes_delivered).sum::<u64>() / u64::from(SEGMENT)
    };
    let count = packets(network);
    bencher.counter(ItemsCount::new(count)).bench(|| packets(network));
}

#[divan::bench(sample_count = 20, args = schemes())]
fn one_flow(bencher: divan::Bencher<'_, '_>, scheme: &str) {
    measure(bencher, &network(scheme, 1, "100 Mbps", 60_000, Span::from_secs(10)));
}

#[divan::bench(sample_count = 5, args = schemes())]
fn a_hundred_flows(bencher: divan::Bencher<'_, '_>, scheme: &str) {
    measure(bencher, &network(scheme, 100, "1 Gbps", 60_000, Span::from_secs(1)));
}

#[divan::bench(sample_count = 5, args = schemes())]
fn ten_thousand_flows(bencher: divan::Bencher<'_, '_>, scheme: &str) {
    measure(bencher, &network(scheme, 10_000, "1 Gbps", 8_000, Span::from_secs(2)));
}
