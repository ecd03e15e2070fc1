//! Contracts of all applications, which are built from their names alone. Each runs over a lossy link, and only data
//! that was written before is acknowledged.

use engine::{Bytes, Span, Stream, Time};
use path::agent::{AgentConfig, unmodified};
use path::channel::{ChannelConfig, uniform};
use path::link::Timing;
use path::mac::arq::{ArqConfig, none};
use path::queue::{Limit, Tie};
use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer};
use sim::app::{cbr, on_off, ping, recorded, requests, video, voip};
use sim::event::Event;
use sim::{
    ApplicationConfig, FlowSpec, LinkSpec, Network, NodeKind, NodeSpec, NullSink, Radio, Results, Sink, SizeConfig,
    Transport, World,
};

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
        backward: None,
    };
    let application = traffic.build(Stream::default());
    let transport = application.usual_transport();
    let (start, connections) = (Time::from_millis(100), application.connections());
    let flow = FlowSpec { traffic, start, transport, ..FlowSpec::bulk("flow", [0, 1], None) };
    let further = (1..connections).map(|number| FlowSpec {
        name: format!("flow-{number}"),
        further_connection: true,
        ..flow.clone()
    });
    let flows = [flow.clone()].into_iter().chain(further).collect();
    Network {
        nodes: vec![host("a"), host("b")],
        links: vec![wire],
        media: Vec::new(),
        flows,
        duration: Span::from_secs(5),
        seed,
        replication: 0,
        arrivals: Vec::new(),
    }
}

/// Collects the times of all events, and of the flow's start.
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
        if name == "recorded" {
            let writes = (0..50).map(|number| (Span::from_millis(40 * number), Bytes(100 * number + 1)));
            let config = recorded::Config { file: None, writes: Some(writes.collect()) };
            return ApplicationConfig::Recorded(config);
        }
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
    // The flow starts at 100 ms, and 100 kB take 100 ms at 8 Mbps.
    assert!(flow.completed.is_some_and(|at| at > Time::from_millis(200)));
    let (_, endless) = run(&ApplicationConfig::bulk(None), 1);
    assert!(endless.flows[0].completed.is_none() && endless.flows[0].bytes_delivered > 100_000);
}

/// Runs ten seconds over a link without losses. `change` changes the network first.
fn lossless(traffic: ApplicationConfig, change: impl FnOnce(&mut Network)) -> Results {
    let mut network = network(traffic, 1);
    network.links[0].channel = ChannelConfig::Perfect(Default::default());
    network.duration = Span::from_millis(10_100);
    change(&mut network);
    let mut world = World::new(&network, false);
    world.run(&mut NullSink);
    world.results()
}

#[test]
fn cbr_over_udp_sends_at_its_rate_and_measures_the_delay_of_the_empty_path() {
    let traffic = ApplicationConfig::Cbr(cbr::Config { bytes: Some(Bytes(500_000)), ..cbr::Config::default() });
    let results = lossless(traffic, |network| network.flows[0].transport = Transport::Udp);
    let flow = &results.flows[0];
    let datagrams = flow.datagrams.as_ref().unwrap();
    assert_eq!((datagrams.sent, datagrams.received, datagrams.reordered), (500, 500, 0));
    // 500 packets of 1000 bytes every 8 ms from 100 ms on; 1028 bytes at 8 Mbps take 1.028 ms, and 5 ms of propagation.
    let last = Time::from_nanos(100_000_000 + 499 * 8_000_000 + 6_028_000);
    assert_eq!(flow.completed, Some(last));
    assert_eq!((datagrams.delay.min(), datagrams.delay.max()), (Some(6_028_000), Some(6_028_000)));
    assert_eq!(datagrams.jitter, Some(Span::ZERO));
}

/// Over a rate of 8 Mbps datagrams of 1028 bytes at 10 Mbps of data fill the queue of 20 packets: the share of arriving
/// datagrams is the ratio of the rates.
#[test]
fn excess_datagrams_are_lost_at_the_queue() {
    let rate = "10 Mbps".parse().unwrap();
    let traffic = ApplicationConfig::Cbr(cbr::Config { rate, ..cbr::Config::default() });
    let results = lossless(traffic, |network| network.flows[0].transport = Transport::Udp);
    let datagrams = results.flows[0].datagrams.as_ref().unwrap();
    let share = datagrams.received as f64 / datagrams.sent as f64;
    let expected = 8.0 / (10.0 * 1.028);
    assert!((share - expected).abs() < 0.003, "{share}, expected {expected}");
    // The longest delay consists of the packet in transmission, 20 packets before this one, its own transmission, and
    // propagation.
    let longest = datagrams.delay.max().unwrap();
    assert!((5_000_000 + 21 * 1_028_000..=5_000_000 + 22 * 1_028_000).contains(&longest), "{longest}");
}

#[test]
fn ping_measures_the_round_trip_of_the_empty_path() {
    let config = ping::Config { requests: Some(5), ..ping::Config::default() };
    let results = lossless(ApplicationConfig::Ping(config), |_| ());
    let datagrams = results.flows[0].datagrams.as_ref().unwrap();
    assert_eq!((datagrams.sent, datagrams.received, datagrams.round_trip), (5, 5, true));
    // 84 bytes at 8 Mbps and 5 ms, twice.
    assert_eq!((datagrams.delay.min(), datagrams.delay.max()), (Some(10_168_000), Some(10_168_000)));
    assert_eq!(results.flows[0].completed, Some(Time::from_nanos(100_000_000 + 4_000_000_000 + 10_168_000)));
}

/// The mean share of time that is on is 1.004 / (1.004 + 1.587), over 2000 s within four standard errors of a renewal
/// process with exponential periods, whose share after time T has the variance 2 a b / (T (a + b)^3) a b.
#[test]
fn on_off_source_is_on_for_the_share_of_its_means() {
    let traffic = ApplicationConfig::OnOff(on_off::Config::default());
    let duration = 2000.0;
    let results = lossless(traffic, |network| {
        network.flows[0].transport = Transport::Udp;
        network.duration = Span::from_secs(duration as u64);
    });
    let sent = results.flows[0].datagrams.as_ref().unwrap().bytes_sent as f64;
    let share = 8.0 * sent / 64_000.0 / duration;
    let (on, off) = (1.004_f64, 1.587);
    let expected = on / (on + off);
    let error = (2.0 * (on * off) * (on * off) / ((on + off) * (on + off) * (on + off)) / duration).sqrt();
    // The first packet of each period counts for a whole interval of 20 ms.
    let expected = expected + 0.01 / (on + off);
    assert!((share - expected).abs() < 4.0 * error, "{share}, expected {expected} +- {error}");
}

fn value(results: &Results, name: &str) -> f64 {
    let found = results.flows[0].application.iter().find(|result| result.name == name);
    found.and_then(|result| result.value).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn voip_call_over_an_idle_path_has_the_best_rating_of_its_codec() {
    let results = lossless(ApplicationConfig::Voip(voip::Config::default()), |_| ());
    // 20 ms of speech, 60 ms of jitter buffer, 5 ms of propagation and 200 bytes at 8 Mbps.
    assert!((value(&results, "mouth_to_ear_s") - 0.0852).abs() < 1e-9);
    assert!((value(&results, "mos") - 4.41).abs() < 0.005);
    assert!((value(&results, "r_factor") - 93.2).abs() < 1e-9, "{}", value(&results, "r_factor"));
}

/// A page of three objects of 1000 bytes over two connections takes the request for the document, the document, and
/// then two objects at once.
#[test]
fn page_takes_the_round_trips_of_its_document_and_objects() {
    let config = requests::Config {
        objects: 3,
        connections: 2,
        sizes: SizeConfig::Fixed(sim::size::fixed::Config { bytes: Bytes(1000) }),
        pages: Some(1),
        ..requests::Config::default()
    };
    let results = lossless(ApplicationConfig::Requests(config), |_| ());
    // A request has 390 bytes, an object 1040: 0.39 and 1.04 ms at 8 Mbps, each with 5 ms of propagation. The second
    // request waits behind the first in the queue of the client, and the second object waits behind the first object.
    let first = 0.39 + 5.0 + 1.04 + 5.0;
    let then = 0.04 + 0.39 + 5.0 + 0.39 + 5.0 + 1.04;
    let found = 1e3 * value(&results, "page_time_max_s");
    assert!(found > first + then && found < first + then + 1.5, "{found} ms, expected about {}", first + then);
    assert_eq!((value(&results, "pages"), value(&results, "objects")), (1.0, 3.0));
    assert!(results.flows.iter().all(|flow| flow.completed.is_some()));
}

#[test]
fn video_chooses_the_highest_rung_that_the_path_carries() {
    let rate = |kbps: u64| engine::Rate::from_bits_per_sec(1000 * kbps).unwrap();
    for adaptation in [video::Adaptation::Rate, video::Adaptation::Buffer] {
        let ladder = vec![rate(500), rate(1000), rate(2000), rate(50_000)];
        let config = video::Config { ladder, adaptation, ..video::Config::default() };
        let results = lossless(ApplicationConfig::Video(config), |network| {
            network.duration = Span::from_secs(400);
            let wide = Bytes(1_000_000);
            network.flows[0].tcp.window = wide.into();
        });
        let mean = value(&results, "video_bit_rate_bps");
        assert!(value(&results, "video_segments") > 90.0, "{adaptation:?}");
        assert_eq!(value(&results, "stalls"), 0.0, "{adaptation:?}");
        match adaptation {
            // 8 Mbps never carry 50 Mbps with the margin.
            video::Adaptation::Rate => assert!(mean > 1.9e6 && mean < 2e6, "{mean}"),
            // A full buffer requests the highest rung occasionally, and the buffer absorbs it.
            video::Adaptation::Buffer => assert!(mean > 1.5e6, "{mean}"),
        }
    }
}

#[test]
fn endless_flow_stops_at_its_stop_time() {
    let results = lossless(ApplicationConfig::bulk(None), |network| {
        network.flows[0].stop = Time::from_millis(1100);
        network.flows[0].tcp.window = Bytes(20_000).into();
    });
    let flow = &results.flows[0];
    let completed = flow.completed.unwrap();
    assert!(completed > Time::from_millis(1100) && completed < Time::from_millis(1250), "{completed:?}");
    assert!(flow.bytes_delivered > 700_000 && flow.bytes_delivered < 1_000_000, "{}", flow.bytes_delivered);
}
