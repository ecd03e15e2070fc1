//! Current time and pending wake-ups.

use engine::{Schedule, Slot, Span, Time};
use path::MediumId;

use crate::ids::{ArrivalsId, HopIndex, NodeId};
use crate::world::ids::EndId;
use crate::world::ids::RoamerId;
use crate::world::ids::SessionId;
use crate::world::ids::StationId;

/// Component woken by a slot.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wakeup {
    /// The first packet on a FIFO link arrives.
    Fifo(HopIndex),
    /// A link called through the trait.
    Link(HopIndex),
    /// A station's outstanding frame or its acknowledgment arrives.
    StationArrival(StationId),
    /// A station's acknowledgment timeout expires.
    StationTimer(StationId),
    /// A station of a shared medium.
    Medium { medium: u16, station: u16 },
    /// A beacon of a station of a medium is due.
    Beacons { medium: u16, station: u16 },
    /// Stations of a medium enter or leave each other's range.
    Crossing(MediumId),
    /// A mobile may change its base station.
    Roamer(RoamerId),
    /// A connection's timer.
    End(EndId),
    /// The application at an end reads.
    Reader(EndId),
    /// An agent's timer.
    Agent(NodeId),
    /// The channel of one of a node's links is about to change its state.
    Forecast(NodeId),
    /// A node has completed the processing of its first packet.
    Processing(NodeId),
    /// A packet forwarded by an agent has waited for the delay of the agent's end of a hop.
    AgentDelay(HopIndex),
    /// A session's application starts, or its deadline is reached.
    Application(SessionId),
    /// A flow arrives.
    Arrivals(ArrivalsId),
}

/// The agenda of a world. Every slot of the schedule wakes one component, and the current time is never before a
/// wake-up that was taken.
pub(super) struct Agenda {
    schedule: Schedule,
    /// By slot.
    wakeups: Vec<Wakeup>,
    now: Time,
    /// Maximum duration of the run.
    until: Time,
    /// Wake-ups taken.
    taken: u64,
}

impl Agenda {
    /// An empty agenda at time zero, of a run of at most `duration`.
    pub fn new(duration: Span) -> Self {
        Agenda {
            schedule: Schedule::default(),
            wakeups: Vec::new(),
            now: Time::ZERO,
            until: Time::ZERO + duration,
            taken: 0,
        }
    }

    /// Allocates a slot that wakes a component.
    pub fn slot(&mut self, wakeup: Wakeup) -> Slot {
        self.wakeups.push(wakeup);
        self.schedule.slot()
    }

    #[inline(always)]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Maximum duration of the run.
    pub fn until(&self) -> Time {
        self.until
    }

    /// Wake-ups taken so far.
    pub fn wakeups_taken(&self) -> u64 {
        self.taken
    }

    /// The time of the next wake-up within the run.
    pub fn next_time(&self) -> Option<Time> {
        self.schedule.peek().filter(|at| *at <= self.until)
    }

    /// Takes the next wake-up at or before `limit`. If there is none, the time advances to `limit`.
    #[inline(always)]
    pub fn take_next(&mut self, limit: Time) -> Option<Wakeup> {
        let Some((at, slot)) = self.schedule.next(limit) else {
            self.now = limit;
            return None;
        };
        self.now = at;
        self.taken += 1;
        Some(self.wakeups[slot.0 as usize])
    }

    /// The schedule, in which components arm their slots.
    #[inline(always)]
    pub fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }
}
