//! Transmission times of links, insofar as events do not contain them.

use engine::{IdVec, Rate, Span, Time};
use path::link::variable::recorded::LinkConditions;
use path::link::{Timing, TransmissionLine};
use path::{HopIndex, MediumId};
use sim::{Network, NodeId};

use crate::captured::{CapturedConnection, RECEIVER, SENDER};

/// The timing of one direction of a link.
#[derive(Clone, Debug)]
pub struct HopTiming {
    /// Node at the sending end of the hop.
    pub near: NodeId,
    /// Node at the receiving end of the hop.
    pub far: NodeId,
    /// The processing delay of the sending node.
    pub processing: Span,
    /// The propagation delay.
    pub delay: Span,
    /// The number of the hop's medium.
    pub medium: Option<MediumId>,
    /// Transmission time of a link acknowledgment; `None` without a link layer that acknowledges.
    pub link_ack: Option<Span>,
    /// Maximum number of unacknowledged frames; `None` without a link layer that acknowledges.
    window: Option<u32>,
    /// The rows of the link's table, each of which replaces its parameters from a given time on.
    rows: Vec<LinkConditions>,
    line: TransmissionLine,
}

impl HopTiming {
    /// The transmission time of `size` bytes at the rate in force at `at`. For a recording of opportunities this is the
    /// mean rate; for a table without rates, the rate of the link.
    pub fn sending(&self, size: u32, at: Time) -> Span {
        let mut line = self.line.clone();
        let row = self.rows[..self.count_rows(at)].last();
        if let Some(rate) = row.and_then(|row| Rate::from_bits_per_sec(row.rate?)) {
            line.rate = rate;
        }
        line.transmission_time(size)
    }

    /// Returns the time at which a packet that arrives at `at` left the transmitter, without the delays of jitter,
    /// delay spikes and outages.
    pub fn departure(&self, at: Time) -> Time {
        let less = |delay: Span| Time::from_nanos(at.as_nanos().saturating_sub(delay.as_nanos()));
        let in_row = |row: &LinkConditions| {
            Some(less(row.delay.unwrap_or(self.delay))).filter(|left| *left >= Time::ZERO + row.at)
        };
        self.rows[..self.count_rows(at)].iter().rev().find_map(in_row).unwrap_or_else(|| less(self.delay))
    }

    /// The number of rows in force at or before `at`.
    fn count_rows(&self, at: Time) -> usize {
        self.rows.partition_point(|row| Time::ZERO + row.at <= at)
    }

    /// Whether one frame is outstanding at a time (stop-and-wait).
    pub fn stops_and_waits(&self) -> bool {
        self.window == Some(1)
    }

    /// Whether several frames may be outstanding, each acknowledged.
    pub fn has_window(&self) -> bool {
        self.window.is_some_and(|window| window > 1)
    }

    /// The time from a packet's arrival until the transmitter is free: with stop-and-wait, the transmission and
    /// propagation of the link acknowledgment.
    pub fn turnaround(&self) -> Span {
        self.link_ack.filter(|_| self.stops_and_waits()).map_or(Span::ZERO, |link_ack| link_ack + self.delay)
    }

    /// Returns the time between the starts of two packets if packets are queued and none is lost. It is the time of one
    /// exchange divided by the number of frames in a window.
    pub fn cycle(&self, size: u32, at: Time) -> Span {
        let sending = self.sending(size, at);
        let (Some(link_ack), Some(window)) = (self.link_ack, self.window) else { return sending };
        let exchange = sending + self.delay.times(2) + link_ack;
        sending.max(Span::from_nanos(exchange.as_nanos() / u64::from(window.max(1))))
    }
}

/// All hops of a network.
#[derive(Clone, Debug, Default)]
pub struct HopTimings(IdVec<HopIndex, HopTiming>);

impl HopTimings {
    /// The hops of a network: two for each link, forward and backward.
    pub fn of(network: &Network) -> Self {
        let hops = network.links.iter().flat_map(|link| {
            [(0, 1), (1, 0)].map(|(near, far)| {
                let opportunities = link.changes.as_ref().and_then(|changes| changes.opportunities[near].as_ref());
                let spec = link.direction(near);
                let rate = opportunities.map_or(spec.rate, |recorded| recorded.mean_rate());
                // A table's rate has no effect if recorded opportunities determine when packets are sent.
                let of_row = |row: &LinkConditions| LinkConditions {
                    rate: row.rate.filter(|_| opportunities.is_none()),
                    ..*row
                };
                let rows = link.changes.iter().flat_map(|changes| changes.rows.iter().map(of_row)).collect();
                let mut line = TransmissionLine::new(rate, spec.delay, link.timing);
                let [near, far] = [link.between[near], link.between[far]].map(NodeId::from_index);
                let arq = spec.arq.build();
                let link_ack = arq.ack_size().map(|size| line.transmission_time(size));
                let forwarder = network.nodes.get(near.index()).filter(|node| node.kind.forwards());
                let processing = forwarder.map_or(Span::ZERO, |node| node.processing_delay);
                let medium = link.medium.map(MediumId::from_index);
                HopTiming {
                    near,
                    far,
                    processing,
                    delay: spec.delay,
                    medium,
                    link_ack,
                    window: arq.window(),
                    rows,
                    line,
                }
            })
        });
        HopTimings(hops.collect())
    }

    /// Returns the path of a captured connection as one hop; no hop if the rate or the delay is unknown.
    pub fn of_capture(connection: &CapturedConnection) -> Self {
        let known = connection.rate.value().zip(connection.delay.value());
        let hop = known.map(|(rate, delay)| HopTiming {
            near: SENDER,
            far: RECEIVER,
            processing: Span::ZERO,
            delay,
            medium: None,
            link_ack: None,
            window: None,
            rows: Vec::new(),
            line: TransmissionLine::new(rate, delay, Timing::Exact),
        });
        HopTimings(hop.into_iter().collect())
    }

    /// The times of a hop; `None` if the network has no such link.
    pub fn get(&self, hop: impl Into<HopIndex>) -> Option<&HopTiming> {
        self.0.get(hop.into())
    }

    /// The number of hops.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the network has no links.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
