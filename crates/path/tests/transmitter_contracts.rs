//! Contracts of all transmitters with all queue disciplines: each gives a discipline's own fates, those of a transmitter
//! that takes the next packet whenever it is free, and finds out once that none waits.

use crate::common;

use std::collections::BTreeMap;

use common::{EventLog, LoggedEvent, collect, packet};
use engine::{IdVec, Rate, Schedule, Slot, Span, Stream, Time};
use path::channel::{Channel, ChannelConfig, perfect, uniform};
use path::link::fifo::{FifoArrival, FifoLink};
use path::link::jitter::{self, DelayConfig, Jitter};
use path::link::priority::PriorityLink;
use path::link::variable::VariableLink;
use path::link::variable::plan::{Changes, During, Gap, Spike};
use path::link::variable::recorded::LinkConditions;
use path::link::{HopCounters, Link, LinkParts, Timing, TransmissionLine};
use path::mac::arq::{ArqConfig, ArqSender};
use path::mac::dcf;
use path::medium::{Medium, QueueId, StationSpec, TxQueueSpec};
use path::outcome::LinkOutcome;
use path::queue::{Backlog, DropCause, Limit, QueueAction, QueueConfig, QueueCx, Queued, RouterBuffer, Tie, drop_tail};
use path::scheduler::SchedulerConfig;
use path::station::{Station, TxQueue};
use path::{Cx, HopId, LinkDirection, LinkDirections, LinkEvent, LinkId, MediumId, MediumStationId};
use serde_json::json;
use wire::{Body, CompactPacket, Dscp, Ecn, Packet};

const HOP: HopId = LinkId::new(0).hop(LinkDirection::Forward);
const DELAY: Span = Span::from_nanos(700_000);
/// Size of a link acknowledgment.
const ACK: u32 = 14;

fn default_rate() -> Rate {
    "8 Mbps".parse().unwrap()
}

fn make_line(rate: Rate) -> TransmissionLine {
    TransmissionLine::new(rate, DELAY, Timing::Exact)
}

fn make_queue_stream() -> Stream {
    Stream::named(5, 0, "queue")
}

/// Returns every discipline, with settings under which each of them acts within tens of milliseconds. A discipline that
/// the list does not name has its defaults.
fn list_disciplines() -> Vec<QueueConfig> {
    let all = [
        json!({ "kind": "drop-tail", "limit": "4 packets", "ecn_threshold": "2 packets" }),
        json!({ "kind": "head-drop", "limit": "4 packets" }),
        json!({ "kind": "red", "weight": 0.2, "min_threshold": "1 packets", "max_threshold": "6 packets" }),
        json!({ "kind": "codel", "target": "1 ms", "interval": "8 ms", "mtu": "600 B", "ecn": true }),
        json!({ "kind": "pie", "target": "1 ms", "t_update": "2 ms", "max_burst": "1 ms", "alpha": 20.0, "beta": 40.0,
                "mtu": "300 B" }),
        json!({ "kind": "fq-codel", "flows": 64, "quantum": "300 B", "limit": "6 packets", "target": "1 ms",
                "interval": "8 ms", "mtu": "300 B" }),
        json!({ "kind": "dualpi2", "target": "2 ms", "t_update": "2 ms", "alpha": 20.0, "beta": 40.0 }),
        json!({ "kind": "priority", "limit": "6 packets" }),
        json!({ "kind": "drr", "quanta": ["700 B"], "limit": "6 packets" }),
    ];
    let mut all: Vec<QueueConfig> = all.into_iter().map(|settings| serde_json::from_value(settings).unwrap()).collect();
    for (name, _) in QueueConfig::MEMBERS {
        if all.iter().all(|config| config.name() != *name) {
            all.push(serde_json::from_value(json!({ "kind": name })).unwrap());
        }
    }
    assert!(all.iter().all(|config| config.check().is_empty()));
    all
}

/// An arrival: time and packet. Each packet has a number of its own.
type Arrival = (Time, Packet);

fn seq_number(packet: &Packet) -> u32 {
    packet.data().expect("a segment").seq.0
}

/// Returns `count` packets of four flows with various sizes, classes and ECN fields, in bursts and pauses, from `from`
/// on. With a grid all times are multiples of it.
fn make_arrivals(seed: u64, from: Time, count: u32, grid: Option<u64>) -> Vec<Arrival> {
    let mut draws = Stream::named(seed, 0, "arrivals").draws();
    let mut at = from.as_nanos();
    let mut arrival = |seq: u32| {
        let mean = if draws.next_u64().is_multiple_of(12) { 9_000_000.0 } else { 450_000.0 };
        at += draws.exponential(mean) as u64 | 1;
        let size = if grid.is_some() { 500 } else { 60 + (draws.next_u64() % 1400) as u32 };
        let mut packet = packet(seq, size - 40);
        let flow = (draws.next_u64() % 4) as u16;
        let Body::Tcp(segment) = &mut packet.body else { unreachable!() };
        segment.src_port = 1000 + flow;
        packet.ecn = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::NotEct][usize::from(flow)];
        packet.dscp = if flow == 3 { Dscp::EF } else { Dscp::DEFAULT };
        (Time::from_nanos(grid.map_or(at, |grid| at / grid * grid)), packet)
    };
    (0..count).map(&mut arrival).collect()
}

/// Fate of a packet in a queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fate {
    Departed,
    Marked,
    Full,
    Early,
}

/// Fates of packets by their numbers, with times, in order.
type Fates = Vec<(Time, u32, Fate)>;

/// Returns the fates that a discipline gives packets of a transmitter that needs `service` for each.
fn compute_fates(config: &QueueConfig, arrivals: &[Arrival], service: impl Fn(&Packet) -> Span) -> Fates {
    compute_run(config, arrivals, service).0
}

/// Returns these fates, and the maximum number of waiting packets.
fn compute_run(config: &QueueConfig, arrivals: &[Arrival], service: impl Fn(&Packet) -> Span) -> (Fates, u64) {
    let mut most = 0;
    let mut queue = config.build(make_queue_stream());
    let (mut fates, mut actions) = (Fates::new(), Vec::new());
    // Time of the transmitter's next request; `None` after it found nothing.
    let mut request: Option<Time> = None;
    let end = (Time::NEVER, packet(u32::MAX, 0));
    for (now, packet) in arrivals.iter().chain([&end]) {
        while let Some(at) = request.filter(|at| at <= now) {
            let taken = queue.dequeue(&mut QueueCx::new(at, (0, 0), &mut actions));
            note_actions(&mut fates, &mut actions, at);
            fates.extend(taken.map(|queued| (at, seq_number(&queued.packet), Fate::Departed)));
            request = taken.map(|queued| at + service(&queued.packet));
        }
        if *now == Time::NEVER {
            break;
        }
        let (at_once, order) = (request.is_none(), engine::Order::default());
        let queued = Queued { packet: *packet, arrived: *now, order, expedited: false, at_once };
        let refused = queue.enqueue(queued, &mut QueueCx::new(*now, (0, 0), &mut actions));
        note_actions(&mut fates, &mut actions, *now);
        if let Err(cause) = refused {
            actions.push(QueueAction::Dropped(queued, cause));
        }
        note_actions(&mut fates, &mut actions, *now);
        if at_once {
            request = Some(*now);
        } else {
            most = most.max(queue.len());
        }
    }
    (fates, most as u64)
}

/// Returns the sum of the times from the arrival of packets to their fates.
fn sum_waits(fates: &Fates, arrivals: &[Arrival]) -> Span {
    let arrived: BTreeMap<u32, Time> = arrivals.iter().map(|(at, packet)| (seq_number(packet), *at)).collect();
    let leaves = fates.iter().filter(|(.., fate)| *fate != Fate::Marked);
    leaves.map(|(at, number, _)| at.since(arrived[number])).fold(Span::ZERO, |sum, wait| sum + wait)
}

fn note_actions(fates: &mut Fates, actions: &mut Vec<QueueAction>, at: Time) {
    fates.extend(actions.drain(..).map(|action| match action {
        QueueAction::Marked(packet) => (at, seq_number(&packet), Fate::Marked),
        QueueAction::Dropped(queued, DropCause::Full) => (at, seq_number(&queued.packet), Fate::Full),
        QueueAction::Dropped(queued, DropCause::Early) => (at, seq_number(&queued.packet), Fate::Early),
    }));
}

/// A transmitter under test.
enum Kind {
    Fifo(Box<FifoLink>),
    Link(Box<dyn Link>),
    Station { station: Box<Station>, arrival: Slot },
    Medium(Box<Medium>),
}

/// Builds a transmitter of a rate in front of which a discipline stands.
type Build = Box<dyn Fn(&QueueConfig, Rate, &mut Schedule) -> Kind>;

fn build_backlog(config: &QueueConfig) -> Backlog {
    Backlog::new(config, make_queue_stream())
}

fn build_plain(tie: Tie) -> Build {
    Box::new(move |config, rate, schedule| {
        Kind::Link(Box::new(PriorityLink::new(
            HOP,
            make_line(rate),
            (build_backlog(config), tie),
            true,
            schedule.slot(),
        )))
    })
}

fn build_changing(changes: Changes, tie: Tie) -> Build {
    Box::new(move |config, rate, schedule| {
        let (stream, queue) = (Stream::named(1, 0, "changes"), (Limit::None, tie));
        let link = VariableLink::new(HOP, make_line(rate), &changes, stream, queue, true, schedule.slot());
        Kind::Link(Box::new(link.with_backlog(build_backlog(config))))
    })
}

fn find_drop_tail(config: &QueueConfig) -> drop_tail::Config {
    config.drop_tail().expect("only drop-tail departures are known in advance")
}

/// A line that computes departures when packets arrive, which only drop-tail allows.
fn build_fifo(tie: Tie) -> Build {
    Box::new(move |config, rate, schedule| {
        Kind::Fifo(Box::new(FifoLink::new(HOP, make_line(rate), (find_drop_tail(config), tie), true, schedule.slot())))
    })
}

/// A changing line that computes departures when packets arrive.
fn build_booked(changes: Changes, tie: Tie) -> Build {
    Box::new(move |config, rate, schedule| {
        let (stream, queue) = (Stream::named(1, 0, "changes"), (find_drop_tail(config), tie));
        Kind::Link(Box::new(VariableLink::new(HOP, make_line(rate), &changes, stream, queue, true, schedule.slot())))
    })
}

/// A link with the link layer of these settings.
fn build_layered(settings: serde_json::Value) -> Build {
    let arq: ArqConfig = serde_json::from_value(settings).unwrap();
    Box::new(move |config, rate, schedule| match arq.build().sender() {
        ArqSender::Plain => panic!("no link layer"),
        ArqSender::Station(arq) => {
            let queue = TxQueue::new(HOP, make_line(rate), *arq, build_backlog(config)).reporting_deliveries(true);
            let arrival = schedule.slot();
            let station = Station::new(vec![queue], &SchedulerConfig::default(), arrival, schedule.slot());
            Kind::Station { station: Box::new(station), arrival }
        }
        ArqSender::Own(build) => Kind::Link(build(LinkParts {
            hop: HOP,
            line: make_line(rate),
            queue: build_backlog(config),
            slot: schedule.slot(),
            agent_at_far_end: false,
            reports_deliveries: true,
        })),
    })
}

/// The sender of a cell with two stations.
fn build_cell(settings: serde_json::Value) -> Build {
    let cell: dcf::Config = serde_json::from_value(settings).unwrap();
    Box::new(move |config, _, schedule| {
        let queue = |end: usize, direction| TxQueueSpec {
            hop: LinkId::new(0).hop(direction),
            to: MediumStationId::from_index(1 - end),
            queue: config.clone(),
            stream: make_queue_stream(),
            rate: None,
            reports_deliveries: true,
        };
        let queues = [queue(0, LinkDirection::Forward), queue(1, LinkDirection::Backward)];
        let station = |(number, queue): (usize, TxQueueSpec)| StationSpec {
            slot: schedule.slot(),
            scheduler: SchedulerConfig::default(),
            queues: vec![queue],
            stream: Stream::named(1, 0, &format!("station {number}")),
            beacons: None,
        };
        let stations = queues.into_iter().enumerate().map(station).collect();
        Kind::Medium(Box::new(Medium::new(MediumId::new(0), &cell, stations, None)))
    })
}

/// The outcome of a run.
struct Run {
    fates: Fates,
    /// Time at which the link layer was done with each packet.
    done: BTreeMap<u32, Time>,
    counters: HopCounters,
}

/// Sends packets at 8 Mbps over a perfect channel.
fn run_fates(build: &Build, config: &QueueConfig, arrivals: &[Arrival]) -> Fates {
    run_over(build, config, (default_rate(), &ChannelConfig::Perfect(perfect::Config::default())), arrivals).fates
}

/// Sends packets with a transmitter of this rate over a channel.
fn run_over(build: &Build, config: &QueueConfig, (rate, channel): (Rate, &ChannelConfig), arrivals: &[Arrival]) -> Run {
    let mut schedule = Schedule::new();
    let mut kind = build(config, rate, &mut schedule);
    let mut channels: IdVec<LinkId, Box<dyn Channel>> = vec![channel.build(Stream::named(1, 0, "channel"))].into();
    let (mut log, mut buffer, mut done) = (EventLog::default(), RouterBuffer::default(), BTreeMap::new());
    let end = (Time::NEVER, packet(u32::MAX, 0));
    for (at, packet) in arrivals.iter().chain([&end]) {
        // An arrival precedes the other events of its time.
        let before = Time::from_nanos(at.as_nanos() - u64::from(*at != Time::NEVER && at.as_nanos() > 0));
        while let Some((now, slot)) = schedule.next(before) {
            let mut cx = Cx { now, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
            let outcomes = wake_kind(&mut kind, slot, &mut buffer, &mut cx);
            for outcome in outcomes {
                let packet = match outcome {
                    LinkOutcome::Acknowledged(notice) => notice.packet,
                    LinkOutcome::Failed(notice) if notice.last => notice.packet,
                    _ => continue,
                };
                done.insert(seq_number(&packet), now);
            }
        }
        if *at == Time::NEVER {
            break;
        }
        let mut cx = Cx { now: *at, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
        match &mut kind {
            Kind::Fifo(link) => link.on_packet(packet, &mut cx).is_some(),
            Kind::Link(link) => cx.with_erased_observer(|cx| link.accept(packet, false, &mut buffer, cx)),
            Kind::Station { station, .. } => station.on_packet(0, packet, false, &mut buffer, &mut cx),
            Kind::Medium(medium) => {
                let queue = QueueId { station: MediumStationId::new(0), queue: 0 };
                medium.on_packet(queue, *packet, false, &mut buffer, &mut cx)
            }
        };
    }
    let counters = match &kind {
        Kind::Fifo(link) => link.counters(Time::NEVER),
        Kind::Link(link) => link.counters(Time::NEVER),
        Kind::Station { station, .. } => station.queues()[0].counters(Time::NEVER),
        Kind::Medium(medium) => medium.counters(QueueId { station: MediumStationId::new(0), queue: 0 }, Time::NEVER),
    };
    Run { fates: log.0.iter().filter_map(|(at, event)| read_fate(*at, event)).collect(), done, counters }
}

fn wake_kind(kind: &mut Kind, slot: Slot, buffer: &mut RouterBuffer, cx: &mut Cx<'_, EventLog>) -> Vec<LinkOutcome> {
    match kind {
        Kind::Fifo(link) => collect(|outcomes| {
            outcomes.deliver_with(HOP, |packet| {
                let mut compact = CompactPacket::of(packet);
                link.on_wake(cx, &mut compact, packet) != FifoArrival::Nothing
            });
        }),
        Kind::Link(link) => collect(|outcomes| cx.with_erased_observer(|cx| link.wake(buffer, outcomes, cx))),
        Kind::Station { station, arrival } if slot == *arrival => {
            collect(|outcomes| station.on_arrival(buffer, outcomes, cx))
        }
        Kind::Station { station, .. } => collect(|outcomes| station.on_timer(buffer, outcomes, cx)),
        Kind::Medium(medium) => {
            // The slots of the stations are the first ones.
            medium.on_wake(MediumStationId::from_index(slot.0 as usize), cx);
            std::iter::from_fn(|| medium.outcome()).map(|(_, outcome)| outcome).collect()
        }
    }
}

fn read_fate(at: Time, event: &LoggedEvent) -> Option<(Time, u32, Fate)> {
    let LoggedEvent::Link(hop, event) = event else { return None };
    if *hop != HOP {
        return None;
    }
    match event {
        LinkEvent::Dequeued { packet, starts, .. } => Some((*starts, seq_number(packet), Fate::Departed)),
        LinkEvent::Marked { packet } => Some((at, seq_number(packet), Fate::Marked)),
        LinkEvent::QueueFull { packet, .. } => Some((at, seq_number(packet), Fate::Full)),
        LinkEvent::DroppedEarly { packet, .. } => Some((at, seq_number(packet), Fate::Early)),
        _ => None,
    }
}

/// Changes of a link that have no effect on arrivals of the first minute.
fn list_changes_without_effect() -> Vec<(&'static str, Changes)> {
    let (from, to) = (Span::from_secs(60), Span::from_secs(61));
    let directions = LinkDirections::Both;
    let gap = |packets| vec![Gap { from, to, packets, directions }];
    let none = DelayConfig::Uniform(jitter::uniform::Config { low: Span::ZERO, high: Span::ZERO });
    let jitter = |reordering| Some(Jitter { delay: none.clone(), reordering, from: Span::ZERO, directions });
    let spike = Spike { at: from, extra_delay: to, duration: to, directions };
    let row = |at, rate| LinkConditions { at, rate: Some(rate), delay: None, loss: 0.0 };
    let rate = default_rate().bits_per_sec();
    vec![
        ("nothing", Changes::default()),
        ("a later outage in which packets wait", Changes { gaps: gap(During::Wait), ..Changes::default() }),
        ("a later outage in which packets are lost", Changes { gaps: gap(During::Lose), ..Changes::default() }),
        ("zero jitter", Changes { jitter: jitter(false), ..Changes::default() }),
        ("zero jitter with reordering", Changes { jitter: jitter(true), ..Changes::default() }),
        ("a later spike", Changes { spikes: vec![spike], ..Changes::default() }),
        ("the same rate", Changes { rows: vec![row(Span::from_millis(40), rate)], ..Changes::default() }),
        ("a later rate", Changes { rows: vec![row(from, rate / 2)], ..Changes::default() }),
    ]
}

/// A transmitter whose time for a packet is known in advance, with this time.
type Timed = (String, Build, Box<dyn Fn(&Packet) -> Span>);

fn list_transmitters() -> Vec<Timed> {
    let sends = |packet: &Packet| default_rate().transmission_time(packet.size());
    let exchange = move |packet: &Packet| sends(packet) + DELAY.times(2) + default_rate().transmission_time(ACK);
    let mut all: Vec<Timed> = Vec::new();
    for tie in [Tie::DepartureFirst, Tie::ArrivalFirst] {
        all.push((format!("a line, {tie:?}"), build_plain(tie), Box::new(sends)));
        for (name, changes) in list_changes_without_effect() {
            all.push((format!("a changing line: {name}, {tie:?}"), build_changing(changes, tie), Box::new(sends)));
        }
    }
    let mut layer = |settings: serde_json::Value, time: Box<dyn Fn(&Packet) -> Span>| {
        all.push((settings.to_string(), build_layered(settings), time));
    };
    layer(json!({ "kind": "stop-and-wait" }), Box::new(exchange));
    for kind in ["go-back-n", "selective-repeat"] {
        layer(json!({ "kind": kind, "ack_size": "14 B", "window": 1 }), Box::new(exchange));
        layer(json!({ "kind": kind, "ack_size": "14 B", "window": 1000 }), Box::new(sends));
    }
    layer(json!({ "kind": "fec", "data": 254, "parity": 1, "flush": "1 h" }), Box::new(sends));
    // After each packet follows its parity.
    layer(json!({ "kind": "fec", "data": 1, "parity": 1 }), Box::new(move |packet: &Packet| sends(packet).times(2)));
    let lan = |packet: &Packet| default_rate().transmission_time(packet.size() + 64);
    layer(json!({ "kind": "ns2-lan" }), Box::new(lan));
    all
}

/// On ns-2's LAN packets join the queue after the delay of the sending end.
fn find_entry_delay(name: &str) -> Span {
    if name.contains("ns2-lan") { DELAY } else { Span::ZERO }
}

#[test]
fn every_transmitter_gives_the_fates_of_the_discipline() {
    for config in list_disciplines() {
        let mut acted = 0;
        for seed in 0..4 {
            let arrivals = make_arrivals(seed, Time::from_millis(3), 240, None);
            for (name, build, service) in list_transmitters() {
                let joined: Vec<Arrival> =
                    arrivals.iter().map(|(at, packet)| (*at + find_entry_delay(&name), *packet)).collect();
                let expected = compute_fates(&config, &joined, service);
                let found = run_fates(&build, &config, &arrivals);
                assert_eq!(found, expected, "{} in front of {name}", config.name());
                acted += expected.iter().filter(|(.., fate)| *fate != Fate::Departed).count();
            }
        }
        assert!(acted > 100, "{} neither drops nor marks", config.name());
    }
}

/// Little's law: the mean backlog times the duration is the sum of the waits of all packets, sent or dropped. Every
/// transmitter counts it, and the maximum backlog.
#[test]
fn every_transmitter_counts_the_backlog() {
    let perfect = ChannelConfig::Perfect(perfect::Config::default());
    for config in list_disciplines() {
        let arrivals = make_arrivals(6, Time::from_millis(3), 240, None);
        let mut all = list_transmitters();
        if config.drop_tail().is_some() {
            let sends = |packet: &Packet| default_rate().transmission_time(packet.size());
            for tie in [Tie::DepartureFirst, Tie::ArrivalFirst] {
                all.push((format!("departures in advance, {tie:?}"), build_fifo(tie), Box::new(sends)));
                all.push((format!("booked, {tie:?}"), build_booked(Changes::default(), tie), Box::new(sends)));
            }
        }
        for (name, build, service) in all {
            let joined: Vec<Arrival> =
                arrivals.iter().map(|(at, packet)| (*at + find_entry_delay(&name), *packet)).collect();
            let (fates, most) = compute_run(&config, &joined, service);
            let backlog = run_over(&build, &config, (default_rate(), &perfect), &arrivals).counters.backlog;
            let expected = (sum_waits(&fates, &joined), most);
            assert_eq!((backlog.waited(), backlog.most()), expected, "{} in front of {name}", config.name());
        }
        let cell =
            run_over(&build_cell(json!({ "standard": "802.11b" })), &config, (default_rate(), &perfect), &arrivals);
        assert_eq!(cell.counters.backlog.waited(), sum_waits(&cell.fates, &arrivals), "{} in a cell", config.name());
    }
}

/// Drop-tail departures that are computed when packets arrive are those of a discipline that is asked.
#[test]
fn departures_known_in_advance_are_those_of_the_discipline() {
    let sorted = |mut fates: Fates| {
        fates.sort();
        fates
    };
    let config = list_disciplines().into_iter().find(|config| config.drop_tail().is_some()).unwrap();
    let arrivals = make_arrivals(2, Time::from_millis(3), 240, None);
    let expected = sorted(compute_fates(&config, &arrivals, |packet| default_rate().transmission_time(packet.size())));
    for tie in [Tie::DepartureFirst, Tie::ArrivalFirst] {
        assert_eq!(sorted(run_fates(&build_fifo(tie), &config, &arrivals)), expected, "{tie:?}");
        for (name, changes) in list_changes_without_effect() {
            assert_eq!(sorted(run_fates(&build_booked(changes, tie), &config, &arrivals)), expected, "{name}, {tie:?}");
        }
    }
}

/// Stop-and-wait with losses, and cells of 802.11: the transmitter is done with a packet when it is acknowledged or given
/// up.
#[test]
fn transmitters_that_repeat_or_contend_give_the_fates_of_the_discipline() {
    let lossy = ChannelConfig::Uniform(uniform::Config { loss: 0.2 });
    let all = [
        ("stop-and-wait", build_layered(json!({ "kind": "stop-and-wait", "max_transmissions": 2 }))),
        ("go-back-n", build_layered(json!({ "kind": "go-back-n", "window": 1, "max_transmissions": 2 }))),
        ("selective-repeat", build_layered(json!({ "kind": "selective-repeat", "window": 1, "max_transmissions": 2 }))),
        ("802.11b", build_cell(json!({ "standard": "802.11b" }))),
        ("802.11n", build_cell(json!({ "standard": "802.11n" }))),
        ("802.11n, aggregates", build_cell(json!({ "standard": "802.11n", "aggregation": { "frames": 1 } }))),
    ];
    for config in list_disciplines() {
        for (name, build) in &all {
            let arrivals = make_arrivals(7, Time::from_millis(3), 240, None);
            let Run { fates, done, .. } = run_over(build, &config, (default_rate(), &lossy), &arrivals);
            let departed = |(at, number, fate): &(Time, u32, Fate)| (*fate == Fate::Departed).then_some((*number, *at));
            let departed: BTreeMap<u32, Time> = fates.iter().filter_map(departed).collect();
            let service = |packet: &Packet| {
                let packet = seq_number(packet);
                done.get(&packet).zip(departed.get(&packet)).map_or(Span::ZERO, |(done, left)| done.since(*left))
            };
            assert_eq!(fates, compute_fates(&config, &arrivals, service), "{} in front of {name}", config.name());
        }
    }
}

/// A packet long before the others changes no departure, but of RED, whose average remembers it.
#[test]
fn packet_long_before_leaves_every_departure_unchanged() {
    let early = (Time::from_nanos(777_777), packet(1_000_000, 1400));
    for config in list_disciplines().into_iter().filter(|config| config.name() != "red") {
        let arrivals = make_arrivals(11, Time::from_millis(10_000), 240, None);
        let with_early: Vec<Arrival> = [early].into_iter().chain(arrivals.iter().copied()).collect();
        for (name, build, _) in list_transmitters() {
            let expected = run_fates(&build, &config, &arrivals);
            let found = run_fates(&build, &config, &with_early);
            assert_eq!(found[1..], expected, "{} in front of {name}", config.name());
        }
    }
}

/// Packets of 500 bytes take 0.5 ms and come at multiples of it, so that arrivals and departures coincide. A line that
/// changes without effect and one that does not change agree about which is first.
#[test]
fn lines_agree_about_simultaneous_arrivals_and_departures() {
    for config in list_disciplines() {
        for tie in [Tie::DepartureFirst, Tie::ArrivalFirst] {
            let arrivals = make_arrivals(3, Time::ZERO, 600, Some(500_000));
            let expected = run_fates(&build_plain(tie), &config, &arrivals);
            for (name, changes) in list_changes_without_effect() {
                let found = run_fates(&build_changing(changes, tie), &config, &arrivals);
                assert_eq!(found, expected, "{} in front of {name}, {tie:?}", config.name());
            }
        }
    }
}

/// Bytes of the bulk flow's packets, and of the sparse flow's packet.
const BULK: u32 = 1500;
const SPARSE: u32 = 300;

/// Returns the waits in microseconds of a bulk flow's packets 1 and 2, and of a sparse flow's packet, behind an FQ-CoDel
/// queue at 10 Mbps. The bulk flow has sent packet 0 long before.
fn measure_waits_behind_fq_codel(build: &Build) -> [u64; 3] {
    let config: QueueConfig = serde_json::from_value(json!({ "kind": "fq-codel" })).unwrap();
    let of = |flow: u16, seq: u32, size: u32, micros: u64| {
        let mut packet = packet(seq, size - 40);
        let Body::Tcp(segment) = &mut packet.body else { unreachable!() };
        segment.src_port = flow;
        (Time::from_nanos(1000 * micros), packet)
    };
    let arrivals = [of(1, 0, BULK, 0), of(1, 1, BULK, 10_000), of(2, 9, SPARSE, 10_300), of(1, 2, BULK, 10_600)];
    let fast = ("10 Mbps".parse().unwrap(), &ChannelConfig::Perfect(perfect::Config::default()));
    let fates = run_over(build, &config, fast, &arrivals).fates;
    let wait = |wanted: u32| {
        let left = fates.iter().find(|(_, number, _)| *number == wanted).expect("it departs").0;
        let came = arrivals.iter().find(|(_, packet)| seq_number(packet) == wanted).expect("it arrives").0;
        left.since(came).as_nanos() / 1000
    };
    [1, 2, 9].map(wait)
}

// covers [RFC8290 s4.2]
/// At 10 ms the bulk flow's queue is a new one with a fresh quantum of 1514 bytes, because it was found empty at 1.2 ms.
/// After its packet of 1500 bytes 14 are left, so its next one leaves at 11.2 ms, after 0.6 ms, and the sparse one at
/// 12.4 ms, after 2.1 ms.
#[test]
fn emptied_queue_is_a_new_one_at_its_next_packet() {
    for tie in [Tie::DepartureFirst, Tie::ArrivalFirst] {
        assert_eq!(measure_waits_behind_fq_codel(&build_plain(tie)), [0, 600, 2_100], "{tie:?}");
        for (name, changes) in list_changes_without_effect().into_iter().filter(|(name, _)| !name.contains("rate")) {
            assert_eq!(
                measure_waits_behind_fq_codel(&build_changing(changes, tie)),
                [0, 600, 2_100],
                "{name}, {tie:?}"
            );
        }
    }
}

/// The lines whose time for a packet is that of its bits.
fn list_lines(packets: u32) -> Vec<(String, Build)> {
    let mut all = Vec::new();
    for tie in [Tie::DepartureFirst, Tie::ArrivalFirst] {
        all.push((format!("departures in advance, {tie:?}"), build_fifo(tie)));
        all.push((format!("a line, {tie:?}"), build_plain(tie)));
        all.push((
            format!("a changing line with departures in advance, {tie:?}"),
            build_booked(Changes::default(), tie),
        ));
        all.push((format!("a changing line, {tie:?}"), build_changing(Changes::default(), tie)));
    }
    for kind in ["go-back-n", "selective-repeat"] {
        all.push((kind.to_owned(), build_layered(json!({ "kind": kind, "window": packets }))));
    }
    all.push(("ns2-lan".to_owned(), build_layered(json!({ "kind": "ns2-lan", "header": "0 B" }))));
    all
}

fn list_starts(build: &Build, rate: &str, arrivals: &[Arrival]) -> Vec<u64> {
    let perfect = ChannelConfig::Perfect(perfect::Config::default());
    let over = (rate.parse().unwrap(), &perfect);
    let fates = run_over(build, &Limit::None.into(), over, arrivals).fates;
    fates.into_iter().map(|(at, ..)| at.as_nanos()).collect()
}

/// Packets of 41 bytes take 32.8 ns at 10 Gbps, so packet n of a burst begins after 32.8 n ns; at 400 Gbps after 0.82 n
/// ns. At 600 Mbps a time of 546.67 ns is rounded down.
#[test]
fn transmissions_above_a_gigabit_carry_their_remainder() {
    let burst: Vec<Arrival> = (0..1000).map(|number| (Time::ZERO, packet(number, 1))).collect();
    for (name, build) in list_lines(1000) {
        let begins = find_entry_delay(&name).as_nanos();
        for (rate, picoseconds) in [("10 Gbps", 32_800), ("400 Gbps", 820), ("600 Mbps", 546_000)] {
            let expected: Vec<u64> = (0..1000).map(|n| begins + n * picoseconds / 1000).collect();
            assert_eq!(list_starts(&build, rate, &burst), expected, "{name} at {rate}");
        }
    }
    // 10 Gbps for 1 us, then 3 Gbps: 328 bits each.
    let row = |at, rate| LinkConditions { at, rate: Some(rate), delay: None, loss: 0.0 };
    let rows = vec![row(Span::ZERO, 10_000_000_000), row(Span::from_nanos(1000), 3_000_000_000)];
    let changes = Changes { rows, ..Changes::default() };
    let expected: Vec<u64> =
        (0..1000).map(|n| n * 328).map(|bits: u64| (bits / 10).min(1000) + bits.saturating_sub(10_000) / 3).collect();
    for build in [build_booked(changes.clone(), Tie::DepartureFirst), build_changing(changes, Tie::DepartureFirst)] {
        assert_eq!(list_starts(&build, "1 Mbps", &burst), expected);
    }
}

/// In no interval is more sent than the rate allows, to a nanosecond, whether packets wait or find the line idle; and no
/// line waits longer than a nanosecond for a remainder.
#[test]
fn no_line_exceeds_its_rate_in_any_interval() {
    for rate in ["1500 Mbps", "10 Gbps", "100 Gbps", "400 Gbps"] {
        let bits_per_ns = rate.parse::<Rate>().unwrap().bits_per_sec() as f64 / 1e9;
        let mut draws = Stream::named(9, 0, rate).draws();
        let (mut at, mut sizes) = (0.0, Vec::new());
        let arrivals: Vec<Arrival> = (0..300)
            .map(|number| {
                let size = 41 + (draws.next_u64() % 1400) as u32;
                sizes.push(size);
                let arrival = (Time::from_nanos(at as u64), packet(number, size - 40));
                at += draws.exponential(750.0 * 8.0 / bits_per_ns);
                arrival
            })
            .collect();
        let lines = list_lines(1000);
        let mut first: Option<Vec<u64>> = None;
        for (name, build) in lines.iter().filter(|(name, _)| name != "ns2-lan") {
            let starts = list_starts(build, rate, &arrivals);
            for (from, begins) in starts.iter().enumerate() {
                let mut bits = 0.0;
                for (next, size) in starts[from + 1..].iter().zip(&sizes[from..]) {
                    bits += f64::from(8 * size);
                    assert!(bits <= bits_per_ns * (next - begins + 1) as f64 + 1e-6, "{name} at {rate}");
                }
            }
            let expected = first.get_or_insert_with(|| starts.clone());
            assert_eq!(&starts, expected, "{name} at {rate}");
        }
    }
}
