//! Links: a rate, a delay, and a queue in front of them.
//!
//! The directions of a link are separate. Without a link layer a direction is
//!
//! * a [`FifoLink`](fifo::FifoLink) in general, which is called directly and inlined: it is the most frequent one;
//! * a [`VariableLink`](variable::VariableLink) if the link varies with time;
//! * a [`PriorityLink`](priority::PriorityLink) if the node sends expedited packets, or the queue discipline is not
//!   drop-tail.
//!
//! With a link layer it is
//!
//! * a type of the [link layer](crate::mac::arq), built by [`Arq::own`](crate::mac::arq::Arq::own);
//! * a queue of a [`Station`](crate::station::Station) for stop-and-wait, where links of a node may share the
//!   transmitter;
//! * a queue of a station in a [`Medium`](crate::medium::Medium) for 802.11.
//!
//! Variable links, priority links and the types of link layers implement the trait [`Link`].

pub(crate) mod due;
pub mod fifo;
pub mod jitter;
pub mod priority;
pub mod variable;

pub use crate::counters::HopCounters;

use engine::{Rate, Slot, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::Packet;

use crate::context::{Cx, LinkCx, Observer};
use crate::event::LinkEvent;
use crate::hop_state::HopState;
use crate::ids::HopId;
use crate::outcome::Outcomes;
use crate::queue::{Backlog, RouterBuffer, Tie};

/// One direction of one link that schedules its own transmissions, including the far end of its link layer.
///
/// The owner calls [`accept`](Self::accept) for each packet that is to cross the link, and [`wake`](Self::wake) at the
/// wake-up of the link's slot. Time never decreases between calls. Each packet occupies space in the sending node's
/// [`RouterBuffer`] when it is offered, and the link frees it once: when the packet is refused or dropped, at its departure,
/// or with acknowledgments when it is acknowledged or given up.
pub trait Link: Send {
    /// Accepts a packet. An `expedited` packet is queued before all waiting packets that are not expedited. Returns
    /// false for a refused packet, which the link counts and reports. A link with a delay before its queue may drop an
    /// accepted packet later.
    fn accept(&mut self, packet: &Packet, expedited: bool, buffer: &mut RouterBuffer, cx: &mut LinkCx<'_>) -> bool;

    /// Handles the wake-up. Packets that arrive at the far end and failed attempts are added to `outcomes`; the link
    /// arms the slot for its next event, or disarms it.
    fn wake(&mut self, buffer: &mut RouterBuffer, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>);

    /// Returns the counters at `now`, with the elapsed part of a frame in transmission.
    fn counters(&self, now: Time) -> HopCounters;

    /// Returns the packets in the link at `now`.
    fn state(&self, now: Time) -> HopState;
}

/// Packets that waited and whose transmission began at a time. If arrivals come first, they still count as waiting for an
/// arrival at this time.
#[derive(Clone, Copy, Default)]
pub(crate) struct BegunPackets {
    at: Time,
    packets: usize,
    bytes: u64,
}

impl BegunPackets {
    /// Adds a packet of `size` bytes that begins at `now`.
    pub fn add(&mut self, size: u32, now: Time) {
        if self.at != now {
            *self = BegunPackets { at: now, ..BegunPackets::default() };
        }
        self.packets += 1;
        self.bytes += u64::from(size);
    }

    /// Returns the number and bytes of the packets that count as waiting for an arrival at `now`.
    pub fn waiting_at(&self, now: Time, tie: Tie) -> (usize, u64) {
        if tie == Tie::ArrivalFirst && self.at == now { (self.packets, self.bytes) } else { (0, 0) }
    }
}

/// Counts and reports a packet whose only transmission has ended, damaged or not; returns true if it was delivered.
#[inline(always)]
pub(crate) fn report_delivery<O: Observer>(
    damaged: bool,
    packet: &Packet,
    hop: HopId,
    counters: &mut HopCounters,
    cx: &mut Cx<'_, O>,
) -> bool {
    cx.emit_timing(hop, || {
        if damaged { LinkEvent::Lost { packet: *packet } } else { LinkEvent::Arrived { packet: *packet } }
    });
    if damaged {
        counters.frames_corrupted += 1;
        counters.packets_dropped += 1;
    } else {
        counters.packets_delivered += 1;
    }
    !damaged
}

/// The parts from which a link layer builds a [`Link`].
pub struct LinkParts {
    /// The hop.
    pub hop: HopId,
    /// Rate and delay of the hop.
    pub line: TransmissionLine,
    /// Queue in front of the link layer.
    pub queue: Backlog,
    /// Wake-up of the link.
    pub slot: Slot,
    /// True if an agent at the far end receives packets before that end's delay. Only a link layer that [requires
    /// it](crate::mac::arq::Arq::agent_before_delay) sets this.
    pub agent_at_far_end: bool,
    /// True if acknowledged packets are reported to the sending node.
    pub reports_deliveries: bool,
}

/// Rate in bits per second above which a transmission that follows another one without a pause takes up the part of a
/// nanosecond by which that one was rounded down. Below, the part is at most an eighth of a byte.
pub(crate) const CARRIES_ABOVE: u64 = 1_000_000_000;

/// How transmission times are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// bits / rate, to the nanosecond. Above 1 Gbps consecutive transmissions take the exact time together.
    #[default]
    Exact,
    /// bits / rate truncated to whole milliseconds, as in the thesis's program: 8.5 ms becomes 8 ms and an
    /// acknowledgment takes no time. Part of the `goel1997` profile.
    WholeMilliseconds,
}

/// Rate and delay of one direction of a link.
#[derive(Clone, Debug)]
pub struct TransmissionLine {
    /// Bits per second.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
    /// How transmission times are computed.
    pub timing: Timing,
    /// The last size queried, with its [transmission time](Rate::divide_transmission). Most packets of a direction have
    /// the same size, and a division costs as much as an event.
    last: (u32, Span, u64),
    /// End of the last transmission, and what of it is left to be sent after this time, in billionths of a bit.
    carried: (Time, u64),
}

impl TransmissionLine {
    /// Creates a line of the given rate and delay.
    pub fn new(rate: Rate, delay: Span, timing: Timing) -> Self {
        TransmissionLine { rate, delay, timing, last: (0, Span::ZERO, 0), carried: (Time::ZERO, 0) }
    }

    /// Returns the transmission time of `size` bytes, rounded down.
    #[inline]
    pub fn transmission_time(&mut self, size: u32) -> Span {
        if self.last.0 != size {
            let (exact, rest) = self.rate.divide_transmission(size);
            self.last = match self.timing {
                Timing::Exact => (size, exact, rest),
                Timing::WholeMilliseconds => (size, exact.whole_millis(), 0),
            };
        }
        self.last.1
    }

    /// Begins the transmission of `size` bytes at `starts`, and returns its duration.
    #[inline]
    pub fn transmit(&mut self, size: u32, starts: Time) -> Span {
        let duration = self.transmission_time(size);
        if self.rate.bits_per_sec() <= CARRIES_ABOVE {
            return duration;
        }
        let (ended, carried) = self.carried;
        let rest = self.last.2 + if starts == ended { carried } else { 0 };
        let rate = self.rate.bits_per_sec();
        let (duration, rest) =
            if rest >= rate { (duration + Span::from_nanos(1), rest - rate) } else { (duration, rest) };
        self.carried = (starts + duration, rest);
        duration
    }
}
