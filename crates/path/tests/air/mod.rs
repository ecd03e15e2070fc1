//! A medium with positions of stations, driven step by step.

use engine::{IdVec, Length, Schedule, Slot, Stream, Time};
use path::MediumStationId;
use path::channel::{Channel, ChannelConfig, perfect};
use path::mac::dcf::{Config, FrameKind};
use path::medium::places::Places;
use path::medium::{Medium, QueueId, StationSpec, TxQueueSpec};
use path::outcome::LinkOutcome;
use path::place::NodePath;
use path::queue::{QueueConfig, RouterBuffer};
use path::scheduler::SchedulerConfig;
use path::{AirFrame, Cx, HopIndex, LinkDirection, LinkId, MediumEvent, MediumId, Reach, Reception};
use wire::{Addr, Body, Flags, Packet, Segment};

use crate::common::EventLog;

/// A medium with its stations and its log.
pub struct Air {
    pub medium: Medium,
    pub log: EventLog,
    pub delivered: Vec<u64>,
    pub given_up: u64,
    /// For each hop, the number of packets offered and not yet delivered or given up.
    pub in_hand: Vec<u64>,
    schedule: Schedule,
    stations: Vec<Slot>,
    crossing: Slot,
    channels: IdVec<LinkId, Box<dyn Channel>>,
    /// Transmit queue of each hop.
    queues: Vec<QueueId>,
    /// True if a new packet follows each completed packet.
    saturated: bool,
}

pub fn metres(at: [i128; 2]) -> NodePath {
    NodePath::still(at.map(|part| part * 1000))
}

/// Returns the settings of an 802.11b cell with this range and carrier-sense range, in metres.
pub fn config(range: u64, sensed: u64) -> Config {
    let metres = |length: u64| Some(Length(1000 * length));
    Config { range: metres(range), carrier_sense_range: metres(sensed), ..Config::default() }
}

impl Air {
    /// Creates stations that move along `paths`, and links between them.
    pub fn new(config: &Config, paths: &[NodePath], links: &[[usize; 2]], until: Time) -> Self {
        let mut schedule = Schedule::new();
        let mut queues: Vec<Vec<TxQueueSpec>> = vec![Vec::new(); paths.len()];
        let mut of_hops = Vec::new();
        for (link, ends) in links.iter().enumerate() {
            for direction in [LinkDirection::Forward, LinkDirection::Backward] {
                let (here, there) = (ends[direction.index()], ends[1 - direction.index()]);
                of_hops.push(QueueId { station: MediumStationId::from_index(here), queue: queues[here].len() as u32 });
                queues[here].push(TxQueueSpec {
                    hop: LinkId::from_index(link).hop(direction),
                    to: MediumStationId::from_index(there),
                    queue: QueueConfig::default(),
                    stream: Stream::default(),
                    rate: None,
                    reports_deliveries: true,
                });
            }
        }
        let stations: Vec<Slot> = paths.iter().map(|_| schedule.slot()).collect();
        let spec = |(number, queues): (usize, Vec<TxQueueSpec>)| StationSpec {
            slot: stations[number],
            scheduler: SchedulerConfig::default(),
            queues,
            stream: Stream::named(1, 0, &format!("station {number}")),
            beacons: None,
        };
        let specs = queues.into_iter().enumerate().map(spec).collect();
        let crossing = schedule.slot();
        let places = Places { slot: crossing, paths: paths.to_vec(), until };
        let mut medium = Medium::new(MediumId::new(0), config, specs, Some(places));
        medium.schedule_first_crossing(&mut schedule);
        let perfect = |_| ChannelConfig::Perfect(perfect::Config::default()).build(Stream::default());
        let channels = links.iter().map(perfect).collect();
        let delivered = vec![0; 2 * links.len()];
        Air {
            medium,
            log: EventLog::default(),
            in_hand: vec![0; delivered.len()],
            delivered,
            given_up: 0,
            schedule,
            stations,
            crossing,
            channels,
            queues: of_hops,
            saturated: false,
        }
    }

    /// Offers a packet of 1,500 bytes to a hop.
    pub fn offer(&mut self, now: Time, hop: usize) {
        let segment = Segment { flags: Flags::ACK, len: 1460, ..Segment::default() };
        let packet = Packet::new(Addr::of_node(0), Addr::of_node(1), Body::Tcp(segment));
        self.in_hand[hop] += 1;
        let mut cx = Cx { now, schedule: &mut self.schedule, channels: &mut self.channels, observer: &mut self.log };
        assert!(self.medium.on_packet(self.queues[hop], packet, false, &mut RouterBuffer::default(), &mut cx));
    }

    /// Runs all events up to `until`.
    pub fn run(&mut self, until: Time) {
        while let Some((now, slot)) = self.schedule.next(until) {
            let mut cx =
                Cx { now, schedule: &mut self.schedule, channels: &mut self.channels, observer: &mut self.log };
            if slot == self.crossing {
                self.medium.on_crossing(&mut cx);
            } else {
                let number = self.stations.iter().position(|station| *station == slot).unwrap();
                self.medium.on_wake(MediumStationId::from_index(number), &mut cx);
            }
            while let Some((hop, outcome)) = self.medium.outcome() {
                let hop = HopIndex::from(hop).index();
                match outcome {
                    LinkOutcome::Delivered(_) => self.delivered[hop] += 1,
                    LinkOutcome::Failed(notice) => self.given_up += u64::from(notice.last),
                    LinkOutcome::Acknowledged(_) => {}
                    LinkOutcome::Freed(_) => {
                        self.in_hand[hop] -= 1;
                        if self.saturated {
                            self.offer(now, hop);
                        }
                    }
                }
            }
        }
    }

    /// Keeps these hops saturated until `until`.
    pub fn saturate(&mut self, hops: &[usize], until: Time) {
        self.saturated = true;
        for hop in hops {
            self.offer(Time::ZERO, *hop);
            self.offer(Time::ZERO, *hop);
        }
        self.run(until);
        self.saturated = false;
    }

    /// Returns the frames of a kind that a station has sent.
    pub fn sent(&self, station: u32, wanted: FrameKind) -> Vec<AirFrame> {
        let frame = |(_, event): (Time, MediumEvent)| match event {
            MediumEvent::Sent { from, frame, .. } if from.number() == station && frame.kind == wanted => Some(frame),
            _ => None,
        };
        self.log.medium_events().filter_map(frame).collect()
    }

    /// Returns the end times in microseconds and the receptions of a station's frames of a kind.
    pub fn ended(&self, station: u32, wanted: FrameKind) -> Vec<(u64, Reception)> {
        let end = |(at, event): (Time, MediumEvent)| match event {
            MediumEvent::Ended { from, kind, reception, .. } if from.number() == station && kind == wanted => {
                Some((at.as_nanos() / 1000, reception))
            }
            _ => None,
        };
        self.log.medium_events().filter_map(end).collect()
    }

    /// Returns the changes of audibility between pairs of stations, with their times.
    pub fn reaches(&self) -> Vec<(Time, [u32; 2], Reach)> {
        let reach = |(at, event): (Time, MediumEvent)| match event {
            MediumEvent::Reaches { a, b, reach } => Some((at, [a, b].map(MediumStationId::number), reach)),
            _ => None,
        };
        self.log.medium_events().filter_map(reach).collect()
    }
}
