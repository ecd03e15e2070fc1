//! How long links take, as far as events do not say.

use engine::Span;
use path::HopId;
use path::link::Line;
use sim::Network;

/// One direction of one link.
pub(super) struct Hop {
    /// The node it leaves.
    pub near: usize,
    /// The node it leads to.
    pub far: usize,
    /// How long the node keeps a packet before it queues it.
    pub processing: Span,
    pub delay: Span,
    /// With a link layer, how long a link acknowledgment takes to send.
    pub link_ack: Option<Span>,
    /// With a link layer that acknowledges, how many frames may be on their way unacknowledged.
    window: Option<u32>,
    line: Line,
}

impl Hop {
    /// How long `size` bytes take to send.
    pub fn sending(&self, size: u32) -> Span {
        self.line.clone().transmission_time(size)
    }

    /// Whether one frame is outstanding at a time.
    pub fn stops_and_waits(&self) -> bool {
        self.window == Some(1)
    }

    /// Whether several may be, each acknowledged.
    pub fn has_window(&self) -> bool {
        self.window.is_some_and(|window| window > 1)
    }

    /// From a packet's arrival to the moment the transmitter is free: with stop and wait, the link acknowledgment's way.
    pub fn turnaround(&self) -> Span {
        self.link_ack.filter(|_| self.stops_and_waits()).map_or(Span::ZERO, |link_ack| link_ack + self.delay)
    }

    /// From the beginning of one packet to that of the next, where packets wait and nothing is lost: in the time of one
    /// exchange a window of them.
    pub fn cycle(&self, size: u32) -> Span {
        let sending = self.sending(size);
        let (Some(link_ack), Some(window)) = (self.link_ack, self.window) else { return sending };
        let exchange = sending + self.delay.times(2) + link_ack;
        sending.max(Span::from_nanos(exchange.as_nanos() / u64::from(window.max(1))))
    }
}

/// All hops of a network.
pub(super) struct Hops(Vec<Hop>);

impl Hops {
    pub fn of(network: &Network) -> Self {
        let hops = network.links.iter().flat_map(|link| {
            [(0, 1), (1, 0)].map(|(near, far)| {
                let mut line = Line::new(link.rate, link.delay, link.timing);
                let [near, far] = [link.between[near], link.between[far]];
                let arq = link.arq.build();
                let link_ack = arq.ack_size().map(|size| line.transmission_time(size));
                let host = near >= network.nodes.len() || network.nodes[near].kind == sim::NodeKind::Host;
                let processing = if host { Span::ZERO } else { network.nodes[near].processing_delay };
                Hop { near, far, processing, delay: link.delay, link_ack, window: arq.window(), line }
            })
        });
        Hops(hops.collect())
    }

    /// The hop of that name; `None` for one the network does not have.
    pub fn get(&self, id: HopId) -> Option<&Hop> {
        self.0.get(number(id))
    }
}

/// `2 x link + way`.
pub(super) fn number(id: HopId) -> usize {
    2 * id.link as usize + id.way.index()
}
