//! Transmission on a variable link: the service, and the packets in transit.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use engine::{Order, Schedule, Slot, Stream, Time};
use wire::Packet;

use super::plan::{self, Changes, Outages, Spike};
use super::service::{Server, Service};
use crate::channel::{ChannelFrame, FrameFate};
use crate::context::LinkCx;
use crate::ids::HopId;
use crate::link::jitter::DelayDistribution;
use crate::link::{HopCounters, TransmissionLine, report_delivery};

/// A packet in transit.
struct Flight {
    packet: Packet,
    lost: bool,
    /// Position of the packet's arrival in the schedule.
    order: Order,
}

/// Extra delays.
struct HopJitter {
    distribution: Box<dyn DelayDistribution>,
    from: Time,
    reordering: bool,
}

/// Computation of transmission times.
pub(super) struct Timing {
    line: TransmissionLine,
    service: Service,
    server: Server,
    outages: Outages,
}

/// Planned times of a transmission.
#[derive(Clone, Copy)]
pub(super) struct PlannedTransmission {
    /// Time since which the line has been free for the packet.
    ready: Time,
    pub starts: Time,
    pub leaves: Time,
    /// The state of the service afterwards.
    after: Server,
}

impl Timing {
    /// Returns the time at which the last transmission ends.
    pub fn free_at(&self) -> Time {
        self.server.free_at
    }

    /// Returns true if packets are sent at recorded opportunities instead of at a rate.
    pub fn sends_at_opportunities(&self) -> bool {
        matches!(self.service, Service::Opportunities(..))
    }

    /// Computes the transmission of a packet of `size` bytes that has been ready since `queued`.
    pub fn plan(&mut self, queued: Time, size: u32) -> PlannedTransmission {
        let (ready, mut after) = (self.server.free_at.max(queued), self.server);
        let (starts, leaves) = self.service.serve(&mut after, &mut self.line, &self.outages, queued, size);
        PlannedTransmission { ready, starts, leaves, after }
    }

    /// Returns the earliest start of the next transmission, for a packet that has been ready since `queued`. The start
    /// does not depend on the packet's size.
    pub fn can_begin_at(&mut self, queued: Time) -> Time {
        self.plan(queued, 1).starts
    }
}

/// The arrival of a packet, in order of time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PlannedArrival {
    at: Time,
    /// Number of the packet on this line.
    number: u64,
    /// Index in `packets`.
    place: u32,
}

/// One direction of the link behind the queue.
pub(super) struct Transmitter {
    pub hop: HopId,
    pub timing: Timing,
    jitter: Option<HopJitter>,
    spikes: Vec<Spike>,
    delays: Stream,
    losses: Stream,
    /// The last start of a transmission, and the number of packets that started then. Several packets of zero
    /// transmission time can start at the same time.
    last_start: (Time, u32),
    last_arrival: Time,
    lossy: bool,
    slot: Slot,
    /// The first on top.
    arrivals: BinaryHeap<Reverse<PlannedArrival>>,
    packets: Vec<Flight>,
    /// Free indices in `packets`.
    free: Vec<u32>,
    pub counters: HopCounters,
}

impl Transmitter {
    pub fn new(hop: HopId, line: TransmissionLine, changes: &Changes, stream: Stream, lossy: bool, slot: Slot) -> Self {
        let jitter = changes.jitter.as_ref().filter(|jitter| jitter.directions.include(hop.direction));
        let jitter = jitter.map(|jitter| HopJitter {
            distribution: jitter.delay.build(),
            from: Time::ZERO + jitter.from,
            reordering: jitter.reordering,
        });
        Transmitter {
            hop,
            timing: Timing {
                line,
                service: Service::new(changes, hop.direction),
                server: Server::default(),
                outages: Outages::new(&changes.gaps, hop.direction),
            },
            jitter,
            spikes: changes.spikes.iter().filter(|spike| spike.directions.include(hop.direction)).copied().collect(),
            delays: stream.sub("delays"),
            losses: stream.sub("losses"),
            last_start: (Time::NEVER, 0),
            last_arrival: Time::ZERO,
            lossy,
            slot,
            arrivals: BinaryHeap::new(),
            packets: Vec::new(),
            free: Vec::new(),
            counters: HopCounters::default(),
        }
    }

    /// Returns the number of packets in transit, including those whose transmission has not begun.
    pub fn in_flight(&self) -> usize {
        self.arrivals.len()
    }

    /// Transmits a packet as planned, and determines its fate.
    pub fn transmit(&mut self, packet: Packet, transmission: PlannedTransmission, cx: &mut LinkCx<'_>) {
        let PlannedTransmission { ready, starts, leaves, after } = transmission;
        self.timing.server = after;
        let size = packet.size();
        let sub = self.number_of(starts);
        let arrives = self.arrival(starts, leaves, sub);
        let frame = ChannelFrame {
            now: cx.now,
            start: starts,
            duration: leaves.since(starts),
            size,
            direction: self.hop.direction,
            number: Some(self.counters.frames_sent),
        };
        let corrupted = self.lossy && cx.channels[self.hop.link].fate(&frame) == FrameFate::Corrupted;
        let loss = self.timing.service.loss(starts);
        let lost = corrupted
            || (loss > 0.0 && self.losses.unit(starts.as_nanos(), sub) < loss)
            || self.timing.outages.lose(starts, leaves, arrives);
        self.counters.frames_sent += 1;
        self.counters.busy = self.counters.busy + leaves.since(ready);
        let order = cx.schedule.order();
        self.launch(arrives, Flight { packet, lost, order }, cx.schedule);
    }

    /// Handles the arrival of the next packet at the far end: writes it to `packet`, and returns true if it was not
    /// lost.
    pub fn arrive(&mut self, cx: &mut LinkCx<'_>, packet: &mut Packet) -> bool {
        let Some(Reverse(PlannedArrival { place, .. })) = self.arrivals.pop() else { return false };
        self.wake_at(self.next_arrival(), cx.schedule);
        let flight = &self.packets[place as usize];
        *packet = flight.packet;
        self.free.push(place);
        report_delivery(flight.lost, packet, self.hop, &mut self.counters, cx)
    }

    #[inline]
    fn launch(&mut self, arrives: Time, flight: Flight, schedule: &mut Schedule) {
        let (order, number) = (flight.order, self.counters.frames_sent);
        let place = match self.free.pop() {
            Some(place) => {
                self.packets[place as usize] = flight;
                place
            }
            None => {
                self.packets.push(flight);
                (self.packets.len() - 1) as u32
            }
        };
        if self.arrivals.peek().is_none_or(|Reverse(first)| arrives < first.at) {
            schedule.arm_as(self.slot, arrives, order);
        }
        self.arrivals.push(Reverse(PlannedArrival { at: arrives, number, place }));
    }

    /// Returns the number that distinguishes a packet's random draws from the draws of other packets that start at the
    /// same time, in either direction.
    fn number_of(&mut self, starts: Time) -> u32 {
        let (last, number) = self.last_start;
        self.last_start = (starts, if last == starts { number + 1 } else { 0 });
        self.last_start.1 << 1 | self.hop.direction.index() as u32
    }

    /// Returns the arrival time of a packet whose transmission lasts from `starts` to `leaves`.
    fn arrival(&mut self, starts: Time, leaves: Time, sub: u32) -> Time {
        let mut arrives = leaves + self.timing.service.delay(leaves).unwrap_or(self.timing.line.delay);
        let mut reordering = false;
        if let Some(jitter) = &self.jitter {
            reordering = jitter.reordering;
            if starts >= jitter.from {
                arrives += jitter.distribution.draw(&mut self.delays.draws_at(starts.as_nanos(), sub));
            }
        }
        arrives += plan::extra_delay_at(&self.spikes, arrives);
        arrives = self.timing.outages.end_of_wait(arrives);
        if !reordering {
            arrives = arrives.max(self.last_arrival);
            self.last_arrival = arrives;
        }
        arrives
    }

    /// Returns the time and order of the next arrival.
    pub fn next_arrival(&self) -> Option<(Time, Order)> {
        let Reverse(PlannedArrival { at, place, .. }) = *self.arrivals.peek()?;
        Some((at, self.packets[place as usize].order))
    }

    /// Sets the wake-up; `None` disarms it.
    pub fn wake_at(&self, next: Option<(Time, Order)>, schedule: &mut Schedule) {
        match next {
            Some((at, order)) => schedule.arm_as(self.slot, at, order),
            None => schedule.disarm(self.slot),
        }
    }
}
