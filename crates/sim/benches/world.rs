//! The cost of an event: the reference workloads, shortened, without files or parsing. `cargo bench -p lasthop-sim`.
//! Items are events; a packet causes four events over two links, two over one.

use divan::counter::ItemsCount;
use engine::{Bytes, Rate, Span, Time};
use path::agent::{AgentConfig, unmodified};
use path::channel::{ChannelConfig, perfect, two_state};
use path::link::Timing;
use path::mac::arq::{ArqConfig, none, stop_and_wait};
use path::queue::{Limit, Tie};
use sim::network::{ArrivalSpec, MediumSpec};
use sim::size::{SizeConfig, exponential};
use sim::{FlowSpec, LinkSpec, Network, NodeKind, NodeSpec, NullSink, Radio, World};

fn main() {
    divan::main();
}

fn build_bench_node(name: &str, kind: NodeKind) -> NodeSpec {
    NodeSpec {
        name: name.into(),
        kind,
        buffer: None,
        processing_delay: Span::ZERO,
        radio: Radio::PerLink,
        scheduler: Default::default(),
        agent: AgentConfig::Unmodified(unmodified::Config::default()),
        place: None,
        association: None,
    }
}

fn build_bench_wire(between: [usize; 2], rate: &str, delay: &str, packets: u32) -> LinkSpec {
    LinkSpec {
        name: format!("{between:?}"),
        between,
        wireless: false,
        rate: rate.parse::<Rate>().expect("a rate"),
        delay: delay.parse().expect("a delay"),
        timing: Timing::Exact,
        queue: Limit::Packets(packets).into(),
        channel: ChannelConfig::Perfect(perfect::Config::default()),
        arq: ArqConfig::None(none::Config::default()),
        medium: None,
        medium_rate: None,
        queue_tie: Tie::default(),
        changes: None,
        random_seed: 0,
        backward: None,
    }
}

fn build_bench_flow(number: usize, to: usize, window: u64, bytes: Option<u64>) -> FlowSpec {
    FlowSpec {
        start: Time::from_millis(number as u64 % 100),
        tcp: tcp::Config { segment: 1000, window: Bytes(window).into(), ..tcp::Config::default() },
        ..FlowSpec::bulk(&format!("flow{number}"), [0, to], bytes)
    }
}

fn bench_events(bencher: divan::Bencher<'_, '_>, network: &Network) {
    let events = |network: &Network| {
        let mut world = World::new(network, false);
        world.run(&mut NullSink);
        world.results().events
    };
    let count = events(network);
    bencher.counter(ItemsCount::new(count)).bench(|| events(network));
}

/// P1: one flow, 8 Mbps / 50 ms then 10 Mbps / 1 ms.
#[divan::bench(sample_count = 20)]
fn one_flow_over_two_links(bencher: divan::Bencher<'_, '_>) {
    let network = Network {
        nodes: vec![
            build_bench_node("a", NodeKind::Host),
            build_bench_node("r", NodeKind::Router),
            build_bench_node("b", NodeKind::Host),
        ],
        links: vec![
            build_bench_wire([0, 1], "8 Mbps", "50 ms", 1000),
            build_bench_wire([1, 2], "10 Mbps", "1 ms", 1000),
        ],
        media: Vec::new(),
        flows: vec![build_bench_flow(0, 2, 128_000, None)],
        duration: Span::from_secs(200),
        seed: 1,
        replication: 0,
        arrivals: Vec::new(),
    };
    bench_events(bencher, &network);
}

/// P2: many flows over one link of 1 Gbps / 10 ms.
#[divan::bench(sample_count = 20, args = [1, 10, 100, 1000])]
fn flows_over_one_link(bencher: divan::Bencher<'_, '_>, flows: usize) {
    let network = Network {
        nodes: vec![build_bench_node("a", NodeKind::Host), build_bench_node("b", NodeKind::Host)],
        links: vec![build_bench_wire([0, 1], "1 Gbps", "10 ms", 3000)],
        media: Vec::new(),
        flows: (0..flows).map(|number| build_bench_flow(number, 1, 10_000_000, None)).collect(),
        duration: Span::from_secs(2),
        seed: 1,
        replication: 0,
        arrivals: Vec::new(),
    };
    bench_events(bencher, &network);
}

/// The thesis's run: 10 MB over a bursty wireless hop.
#[divan::bench(sample_count = 20)]
fn ten_megabytes_over_the_air(bencher: divan::Bencher<'_, '_>) {
    let air = LinkSpec {
        wireless: true,
        channel: ChannelConfig::TwoState(two_state::Config {
            mean_good: Span::from_secs(5),
            mean_bad: Span::from_millis(100),
            loss_good: 0.0,
            loss_bad: 1.0,
        }),
        arq: ArqConfig::StopAndWait(stop_and_wait::Config::default()),
        ..build_bench_wire([1, 2], "1 Mbps", "1 ms", 1000)
    };
    let network = Network {
        nodes: vec![
            build_bench_node("a", NodeKind::Host),
            build_bench_node("b", NodeKind::Router),
            build_bench_node("c", NodeKind::Host),
        ],
        links: vec![build_bench_wire([0, 1], "8 Mbps", "100 ms", 1000), air],
        media: Vec::new(),
        flows: vec![build_bench_flow(0, 2, 16_384, Some(10_000_000))],
        duration: Span::from_secs(4300),
        seed: 1,
        replication: 0,
        arrivals: Vec::new(),
    };
    bench_events(bencher, &network);
}

/// 100,000 flows of 20 kB on average that arrive during the run, at a load of 0.8. Items are flows.
#[divan::bench(sample_count = 5)]
fn arriving_flows(bencher: divan::Bencher<'_, '_>) {
    const FLOWS: u64 = 100_000;
    let arrivals = ArrivalSpec {
        peer: None,
        name: "short".into(),
        from: 0,
        to: 1,
        rate: "5000 /s".parse().expect("a frequency"),
        sizes: SizeConfig::Exponential(exponential::Config { mean: Bytes(20_000) }),
        start: Time::ZERO,
        stop: Time::NEVER,
        count: Some(FLOWS),
        tcp: tcp::Config { segment: 1000, window: Bytes(64_000).into(), ..tcp::Config::default() },
        class: Default::default(),
        reader: None,
    };
    let network = Network {
        nodes: vec![build_bench_node("a", NodeKind::Host), build_bench_node("b", NodeKind::Host)],
        links: vec![build_bench_wire([0, 1], "1 Gbps", "1 ms", 3000)],
        media: Vec::new(),
        flows: Vec::new(),
        duration: Span::from_secs(60),
        seed: 1,
        replication: 0,
        arrivals: vec![arrivals],
    };
    let completed = |network: &Network| {
        let mut world = World::new(network, false);
        world.run(&mut NullSink);
        world.results().short_flows.len()
    };
    assert_eq!(completed(&network) as u64, FLOWS);
    bencher.counter(ItemsCount::new(FLOWS)).bench(|| completed(&network));
}

/// A medium, by the number of contending stations: each uploads to the access point without end. Items are data frames
/// sent, including the access point's.
#[divan::bench(sample_count = 10, args = [1, 10, 100, 500])]
fn frames_of_a_cell(bencher: divan::Bencher<'_, '_>, stations: usize) {
    let air = |number: usize| LinkSpec {
        name: format!("air{number}"),
        wireless: true,
        medium: Some(0),
        ..build_bench_wire([0, number], "11 Mbps", "1 us", 1000)
    };
    let upload = |number: usize| FlowSpec { from: number, to: 0, ..build_bench_flow(number, 0, 64_000, None) };
    let hosts = (1..=stations).map(|number| build_bench_node(&format!("s{number}"), NodeKind::Host));
    let network = Network {
        nodes: std::iter::once(build_bench_node("ap", NodeKind::Host)).chain(hosts).collect(),
        links: (1..=stations).map(air).collect(),
        media: vec![MediumSpec { name: "cell".into(), config: path::mac::dcf::Config::default() }],
        flows: (1..=stations).map(upload).collect(),
        duration: Span::from_secs(20),
        seed: 1,
        replication: 0,
        arrivals: Vec::new(),
    };
    let frames = |network: &Network| {
        let mut world = World::new(network, false);
        world.run(&mut NullSink);
        world.results().media.iter().flat_map(|medium| &medium.stations).map(|station| station.attempts).sum::<u64>()
    };
    let count = frames(&network);
    bencher.counter(ItemsCount::new(count)).bench(|| frames(&network));
}
