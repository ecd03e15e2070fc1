//! The cost of a scheme: transfers through a base station that runs it, compared with `unmodified`. Items are data
//! packets that arrived. `cargo bench -p lasthop-sim --bench agents`.

use divan::counter::ItemsCount;
use engine::registry::by_name;
use engine::{Bytes, Rate, Span, Time};
use path::agent::{AgentConfig, snoop, split};
use path::channel::{ChannelConfig, perfect, uniform};
use path::link::Timing;
use path::mac::arq::{ArqConfig, none};
use path::queue::{Limit, Tie};
use sim::{FlowSpec, LinkSpec, Network, NodeKind, NodeSpec, NullSink, Radio, World};

fn main() {
    divan::main();
}

const SEGMENT: u32 = 1000;

fn list_schemes() -> impl Iterator<Item = &'static str> {
    AgentConfig::MEMBERS.iter().map(|(name, _)| *name)
}

/// A scheme with state for 10,000 flows and windows of 1000 segments.
fn configure_large_scheme(scheme: &str) -> AgentConfig {
    match scheme {
        "snoop" => AgentConfig::Snoop(snoop::Config {
            cache: 2000,
            memory: Bytes(1_000_000_000),
            flows: 10_000,
            ..snoop::Config::default()
        }),
        "split" => AgentConfig::Split(split::Config { flows: 10_000, ..split::Config::default() }),
        other => configure_scheme(other),
    }
}

/// A scheme with its defaults.
fn configure_scheme(scheme: &str) -> AgentConfig {
    by_name(scheme).unwrap_or_else(|| panic!("{scheme} needs defaults"))
}

/// Random losses, rare enough to have little effect.
const RARE: f64 = 0.0001;

fn build_bench_link(between: [usize; 2], rate: &str, delay: Span, loss: f64) -> LinkSpec {
    LinkSpec {
        name: format!("{between:?}"),
        between,
        wireless: loss > 0.0,
        rate: rate.parse::<Rate>().expect("a rate"),
        delay,
        timing: Timing::Exact,
        queue: Limit::Packets(20_000).into(),
        changes: None,
        channel: if loss > 0.0 {
            ChannelConfig::Uniform(uniform::Config { loss })
        } else {
            ChannelConfig::Perfect(perfect::Config::default())
        },
        arq: ArqConfig::None(none::Config::default()),
        queue_tie: Tie::default(),
        random_seed: 0,
        backward: None,
        medium: None,
        medium_rate: None,
    }
}

/// Returns a network with `flows` downloads over one base station that runs a scheme, for `duration`.
fn build_bench_network(
    agent: AgentConfig,
    flows: usize,
    rate: &str,
    window: u64,
    duration: Span,
    loss: f64,
) -> Network {
    let scheme = agent.name().to_owned();
    let node = |name: &str, kind, agent: AgentConfig| NodeSpec {
        name: name.into(),
        kind,
        buffer: None,
        processing_delay: Span::ZERO,
        radio: Radio::PerLink,
        scheduler: Default::default(),
        agent,
        place: None,
        association: None,
    };
    let flow = |number: usize| FlowSpec {
        start: Time::from_millis(number as u64 % 100),
        tcp: tcp::Config {
            segment: SEGMENT,
            window: Bytes(window).into(),
            response: by_name(&scheme).unwrap_or_else(|| tcp::Config::default().response),
            ..tcp::Config::default()
        },
        ..FlowSpec::bulk(&format!("flow{number}"), [0, 2], None)
    };
    Network {
        media: Vec::new(),
        nodes: vec![
            node("server", NodeKind::Host, configure_scheme("unmodified")),
            node("station", NodeKind::BaseStation, agent),
            node("mobile", NodeKind::Host, configure_scheme("unmodified")),
        ],
        links: vec![
            build_bench_link([0, 1], rate, Span::from_millis(5), 0.0),
            build_bench_link([1, 2], rate, Span::from_millis(1), loss),
        ],
        flows: (0..flows).map(flow).collect(),
        duration,
        seed: 1,
        replication: 0,
        arrivals: Vec::new(),
    }
}

fn bench_packets(bencher: divan::Bencher<'_, '_>, network: &Network) {
    let packets = |network: &Network| {
        let mut world = World::new(network, false);
        world.run(&mut NullSink);
        world.results().flows.iter().map(|flow| flow.bytes_delivered).sum::<u64>() / u64::from(SEGMENT)
    };
    let count = packets(network);
    bencher.counter(ItemsCount::new(count)).bench(|| packets(network));
}

#[divan::bench(sample_count = 20, args = list_schemes())]
fn one_flow(bencher: divan::Bencher<'_, '_>, scheme: &str) {
    bench_packets(
        bencher,
        &build_bench_network(configure_scheme(scheme), 1, "100 Mbps", 60_000, Span::from_secs(10), RARE),
    );
}

#[divan::bench(sample_count = 5, args = list_schemes())]
fn a_hundred_flows(bencher: divan::Bencher<'_, '_>, scheme: &str) {
    bench_packets(
        bencher,
        &build_bench_network(configure_scheme(scheme), 100, "1 Gbps", 60_000, Span::from_secs(1), RARE),
    );
}

#[divan::bench(sample_count = 5, args = list_schemes())]
fn ten_thousand_flows(bencher: divan::Bencher<'_, '_>, scheme: &str) {
    bench_packets(
        bencher,
        &build_bench_network(configure_scheme(scheme), 10_000, "1 Gbps", 8_000, Span::from_secs(2), RARE),
    );
}

/// Runs the flows of the benchmark above, with state for all of them.
#[divan::bench(sample_count = 5, args = ["unmodified", "snoop", "split"])]
fn ten_thousand_flows_remembered(bencher: divan::Bencher<'_, '_>, scheme: &str) {
    bench_packets(
        bencher,
        &build_bench_network(configure_large_scheme(scheme), 10_000, "1 Gbps", 8_000, Span::from_secs(2), RARE),
    );
}

/// Runs one flow with a constant window of `segments` in flight, about 100,000 segments in all. Frequent losses would
/// keep a normal window smaller.
fn one_window(bencher: divan::Bencher<'_, '_>, scheme: &str, segments: u64) {
    let duration = Span::from_millis(1_200_000 / segments);
    bench_packets(
        bencher,
        &build_bench_network(
            configure_large_scheme(scheme),
            1,
            "1 Gbps",
            segments * u64::from(SEGMENT),
            duration,
            1e-9,
        ),
    );
}

#[divan::bench(sample_count = 20, args = [10, 100, 1000])]
fn window_unmodified(bencher: divan::Bencher<'_, '_>, segments: u64) {
    one_window(bencher, "unmodified", segments);
}

#[divan::bench(sample_count = 20, args = [10, 100, 1000])]
fn window_snoop(bencher: divan::Bencher<'_, '_>, segments: u64) {
    one_window(bencher, "snoop", segments);
}
