//! A shared medium driven step by step, with packets at chosen times and known back-offs.

pub mod slow;

use engine::{IdVec, Rate, Schedule, Slot, Span, Stream, Time};
use path::MediumStationId;
use path::channel::{Channel, ChannelConfig, scripted};
use path::link::HopCounters;
use path::mac::dcf::Config;
use path::medium::{Medium, QueueId, StationSpec, TxQueueSpec};
use path::outcome::LinkOutcome;
use path::queue::{Limit, RouterBuffer};
use path::scheduler::SchedulerConfig;
use path::{Cx, HopId, LinkDirection, LinkEvent, LinkId, MediumEvent, MediumId};
use wire::{Addr, Body, Flags, Packet, Segment, SeqNum};

use crate::common::{EventLog, LoggedEvent};

/// Configuration of a cell.
#[derive(Clone, Debug)]
pub struct Plan {
    pub config: Config,
    /// Numbers of the two stations of each link.
    pub links: Vec<[u32; 2]>,
    /// Channel of each link; perfect if missing.
    pub channels: Vec<ChannelConfig>,
    /// Data rate of each link; if missing, the rate of the medium.
    pub rates: Vec<Option<Rate>>,
    /// Random stream of each station's back-offs.
    pub streams: Vec<Stream>,
    pub scheduler: SchedulerConfig,
    pub limit: Limit,
    /// True to handle wake-ups of different stations at the same time in the opposite order.
    pub slots_reversed: bool,
}

impl Plan {
    /// Returns a plan with stations 1, 2, ... `count`, each with a link to station 0; the forward direction is to
    /// station 0.
    pub fn around_one(config: Config, count: u32) -> Self {
        Plan {
            config,
            links: (1..=count).map(|station| [station, 0]).collect(),
            channels: Vec::new(),
            rates: Vec::new(),
            streams: (0..=count).map(|station| Stream::named(1, 0, &format!("station {station}"))).collect(),
            scheduler: SchedulerConfig::default(),
            limit: Limit::None,
            slots_reversed: false,
        }
    }

    /// Chooses the first back-offs of a station, as pairs of the contention window and the slots drawn from it.
    pub fn drawing(mut self, station: usize, draws: &[(u32, u64)]) -> Self {
        self.streams[station] = stream_that_draws(draws);
        self
    }

    pub fn scripted(mut self, link: usize, script: scripted::Config) -> Self {
        self.channels.resize(self.links.len(), ChannelConfig::Perfect(Default::default()));
        self.channels[link] = ChannelConfig::Scripted(script);
        self
    }
}

/// Returns the first of the streams 0, 1, 2, ... whose back-offs begin with these slots for these windows. The medium
/// draws normally, and its back-offs are checked in the log.
fn stream_that_draws(wanted: &[(u32, u64)]) -> Stream {
    let fits = |stream: &Stream| {
        let mut draws = stream.draws();
        wanted.iter().all(|(window, slots)| (draws.next_u64() >> 32) & u64::from(*window) == *slots)
    };
    (0..100_000_000).map(|seed| Stream::named(seed, 0, "back-off")).find(fits).expect("a stream with these draws")
}

/// A running cell.
pub struct Cell {
    pub medium: Medium,
    pub schedule: Schedule,
    pub channels: IdVec<LinkId, Box<dyn Channel>>,
    slots: Vec<Slot>,
    /// Timer slot of the beacons of station 0, if the cell has beacons.
    beacons: Option<Slot>,
    /// Transmit queues of each link, in both directions.
    places: Vec<[QueueId; 2]>,
    pub log: EventLog,
    pub outcomes: Vec<(Time, HopId, LinkOutcome)>,
    /// Number of packets offered, by link and direction.
    pub offered: Vec<[u64; 2]>,
    /// Number of packets refused, by link and direction.
    pub refused: Vec<[u64; 2]>,
    pub wakeups: u64,
    /// Period of the expedited packets, in packets; `None` for no expedited packets.
    pub expedited: Option<u32>,
    sequence: u32,
}

impl Cell {
    pub fn new(plan: &Plan) -> Self {
        let mut schedule = Schedule::new();
        let mut queues: Vec<Vec<TxQueueSpec>> = vec![Vec::new(); plan.streams.len()];
        let mut places = Vec::new();
        for (link, ends) in plan.links.iter().enumerate() {
            let mut place = [QueueId { station: MediumStationId::new(0), queue: 0 }; 2];
            for direction in [LinkDirection::Forward, LinkDirection::Backward] {
                let (here, there) = (ends[direction.index()], ends[1 - direction.index()]);
                place[direction.index()] =
                    QueueId { station: MediumStationId::new(here), queue: queues[here as usize].len() as u32 };
                let hop = LinkId::from_index(link).hop(direction);
                let (queue, stream) = (plan.limit.into(), Stream::default());
                let rate = plan.rates.get(link).copied().flatten();
                queues[here as usize].push(TxQueueSpec {
                    hop,
                    to: MediumStationId::new(there),
                    queue,
                    stream,
                    rate,
                    reports_deliveries: true,
                });
            }
            places.push(place);
        }
        let mut slots: Vec<Slot> = queues.iter().map(|_| schedule.slot()).collect();
        if plan.slots_reversed {
            slots.reverse();
        }
        let beacons = plan.config.beacon_interval.map(|_| schedule.slot());
        let specs = queues.into_iter().zip(&slots).zip(&plan.streams).enumerate();
        let specs = specs.map(|(number, ((queues, slot), stream))| StationSpec {
            slot: *slot,
            scheduler: plan.scheduler.clone(),
            queues,
            stream: *stream,
            beacons: beacons.filter(|_| number == 0),
        });
        let channel = |link: usize| {
            let config = plan.channels.get(link).cloned().unwrap_or(ChannelConfig::Perfect(Default::default()));
            config.build(Stream::named(1, 0, &format!("channel {link}")))
        };
        let mut medium = Medium::new(MediumId::new(0), &plan.config, specs.collect(), None);
        medium.announce_first(&mut schedule);
        Cell {
            medium,
            channels: (0..plan.links.len()).map(channel).collect(),
            offered: vec![[0; 2]; plan.links.len()],
            refused: vec![[0; 2]; plan.links.len()],
            schedule,
            slots,
            beacons,
            places,
            log: EventLog::default(),
            outcomes: Vec::new(),
            wakeups: 0,
            expedited: None,
            sequence: 0,
        }
    }

    /// Offers a packet of `size` bytes, including headers, to the sending station of a link.
    pub fn offer(&mut self, now: Time, link: usize, direction: LinkDirection, size: u32) {
        let queue = self.places[link][direction.index()];
        self.offered[link][direction.index()] += 1;
        let packet = packet(self.sequence, size);
        let expedited = self.expedited.is_some_and(|every| self.sequence.is_multiple_of(every));
        self.sequence += 1;
        let Cell { schedule, channels, log, .. } = self;
        let mut cx = Cx { now, schedule, channels, observer: log };
        if !self.medium.on_packet(queue, packet, expedited, &mut RouterBuffer::default(), &mut cx) {
            self.refused[link][direction.index()] += 1;
        }
        self.take_outcomes(now);
    }

    fn take_outcomes(&mut self, now: Time) {
        while let Some((hop, outcome)) = self.medium.outcome() {
            self.outcomes.push((now, hop, outcome));
        }
    }

    /// Handles the next wake-up up to `until`.
    pub fn step(&mut self, until: Time) -> Option<Time> {
        let (now, slot) = self.schedule.next(until)?;
        self.wakeups += 1;
        let Cell { schedule, channels, log, .. } = self;
        let mut cx = Cx { now, schedule, channels, observer: log };
        if self.beacons == Some(slot) {
            self.medium.on_beacon(MediumStationId::new(0), &mut cx);
        } else {
            let station = self.slots.iter().position(|of| *of == slot).expect("each wake-up belongs to a station");
            self.medium.on_wake(MediumStationId::from_index(station), &mut cx);
        }
        self.take_outcomes(now);
        Some(now)
    }

    /// Offers packets (microsecond, link, direction, size) in chronological order, and runs until no event remains.
    pub fn play(&mut self, offers: &[(u64, usize, LinkDirection, u32)]) {
        for (at, link, direction, size) in offers {
            let at = Time::from_nanos(at * 1000);
            self.run_before(at);
            self.offer(at, *link, *direction, *size);
        }
        while self.step(Time::NEVER).is_some() {}
    }

    /// Handles all events before `at`; events at `at` remain.
    pub fn run_before(&mut self, at: Time) {
        let before = Time::from_nanos(at.as_nanos().saturating_sub(1));
        while at > Time::ZERO && self.step(before).is_some() {}
    }

    /// Opens or closes a link in both directions.
    pub fn set_open(&mut self, link: usize, open: bool) {
        for queue in self.places[link] {
            self.medium.set_open(queue, open);
        }
    }

    pub fn counters(&self, link: usize, direction: LinkDirection, now: Time) -> HopCounters {
        let queue = self.places[link][direction.index()];
        self.medium.counters(queue, now)
    }

    /// Returns the recorded events as lines, with times in microseconds.
    pub fn lines(&self) -> Vec<String> {
        self.log.0.iter().filter_map(|(at, saw)| line(*at, saw)).collect()
    }
}

/// Returns a packet of `size` bytes, including all headers.
pub fn packet(seq: u32, size: u32) -> Packet {
    let segment = Segment {
        src_port: 1,
        dst_port: 2,
        seq: SeqNum(seq),
        ack: SeqNum(0),
        flags: Flags::ACK,
        len: size - Packet::HEADER - Segment::HEADER,
        ..Segment::default()
    };
    Packet::new(Addr::of_node(0), Addr::of_node(1), Body::Tcp(segment))
}

fn micros(nanos: u64) -> u64 {
    assert_eq!(nanos % 1000, 0, "{nanos} ns are not whole microseconds");
    nanos / 1000
}

fn span(span: Span) -> u64 {
    micros(span.as_nanos())
}

fn line(at: Time, saw: &LoggedEvent) -> Option<String> {
    let (at, text) = match saw {
        LoggedEvent::Medium(MediumEvent::Sent { from, to, frame, .. }) => {
            let again = if frame.again { " again" } else { "" };
            let reserving = match span(frame.reserves) {
                0 => String::new(),
                reserves => format!(", reserving {reserves}"),
            };
            let (kind, number) = (frame.kind.name(), frame.packets.first());
            let [from, to] = [from, to].map(|station| station.number());
            let text = format!("{from}>{to} {kind} {number}{again} takes {}{reserving}", span(frame.duration));
            (frame.start, text)
        }
        LoggedEvent::Medium(MediumEvent::Ended { from, to, kind, reception, .. }) => {
            (at, format!("{}>{} {} {}", from.number(), to.number(), kind.name(), reception.name()))
        }
        LoggedEvent::Medium(MediumEvent::BackOff { station, slots, window }) => {
            (at, format!("{} draws {slots} of {window}", station.number()))
        }
        LoggedEvent::Medium(MediumEvent::Reaches { .. }) => return None,
        LoggedEvent::Link(hop, event) => {
            let text = match event {
                LinkEvent::GivenUp { attempts, number, arrived, .. } => {
                    let arrived = if *arrived { ", though it arrived" } else { "" };
                    format!("gives up {number} after {attempts} attempts of data{arrived}")
                }
                LinkEvent::FrameDuplicate { number, .. } => format!("{number} is a duplicate"),
                LinkEvent::Arrived { .. } => "a packet arrives".to_owned(),
                LinkEvent::QueueFull { .. } => "no room".to_owned(),
                _ => return None,
            };
            (at, format!("link {}: {text}", hop.link.number()))
        }
    };
    Some(format!("{:>6} {text}", micros(at.as_nanos())))
}
