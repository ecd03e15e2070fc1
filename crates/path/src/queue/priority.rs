//! Strict priority by class: a packet leaves only if no packet of a better band waits.
//!
//! All bands share one limit. A packet that exceeds the limit displaces the last packet of the lowest band, if that
//! band is below its own.

use engine::Stream;
use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::Packet;

use super::classes::Bands;
use super::packet_fifo::PacketFifo;
use super::{DEFAULT_LIMIT, DropCause, Limit, QueueCx, QueueDiscipline, QueueTraits, Queued};

/// Settings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Lists of classes, the first served first; all other classes come last.
    pub bands: Bands,
    /// The maximum backlog of all bands together.
    pub limit: Limit,
}

impl Default for Config {
    fn default() -> Self {
        Config { bands: Bands::default(), limit: DEFAULT_LIMIT }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        self.bands.check()
    }
}

impl Config {
    /// Returns the properties of the queue.
    pub fn traits(&self) -> QueueTraits {
        QueueTraits { fills: true, ..QueueTraits::default() }
    }

    /// Creates the queue.
    pub fn build(&self, _: Stream) -> Box<dyn QueueDiscipline> {
        let queues = (0..self.bands.count()).map(|_| PacketFifo::default()).collect();
        Box::new(Priority { limit: self.limit, bands: self.bands.by_class(), expedited: PacketFifo::default(), queues })
    }
}

struct Priority {
    limit: Limit,
    /// The band of each class.
    bands: [u8; 64],
    expedited: PacketFifo,
    queues: Vec<PacketFifo>,
}

impl Priority {
    fn first(&mut self) -> Option<&mut PacketFifo> {
        [&mut self.expedited].into_iter().chain(&mut self.queues).find(|queue| !queue.is_empty())
    }

    fn all(&self) -> impl Iterator<Item = &PacketFifo> {
        [&self.expedited].into_iter().chain(&self.queues)
    }
}

impl QueueDiscipline for Priority {
    fn enqueue(&mut self, queued: Queued, cx: &mut QueueCx<'_>) -> Result<(), DropCause> {
        let band = usize::from(self.bands[usize::from(queued.packet.dscp.number())]);
        // A packet that exceeds the limit even with empty bands displaces no packet.
        if !cx.admits(self.limit, (0, 0), &queued) {
            return Err(DropCause::Full);
        }
        while !cx.admits(self.limit, (self.len(), self.bytes()), &queued) {
            let better = if queued.expedited { 0 } else { band + 1 };
            let lowest = self.queues.iter_mut().skip(better).rev().find(|queue| !queue.is_empty());
            let Some(last) = lowest.and_then(PacketFifo::pop_back) else { return Err(DropCause::Full) };
            cx.drop(last, DropCause::Full);
        }
        if queued.expedited {
            self.expedited.push(queued);
        } else {
            self.queues[band].push(queued);
        }
        Ok(())
    }

    fn dequeue(&mut self, _: &mut QueueCx<'_>) -> Option<Queued> {
        self.first()?.pop()
    }

    fn packets(&self) -> Box<dyn Iterator<Item = &Packet> + '_> {
        Box::new(self.all().flat_map(PacketFifo::iter))
    }

    fn len(&self) -> usize {
        self.all().map(PacketFifo::len).sum()
    }

    fn bytes(&self) -> u64 {
        self.all().map(PacketFifo::bytes).sum()
    }

    fn limit(&self) -> Limit {
        self.limit
    }

    fn marks(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use engine::Time;
    use wire::Dscp;

    use super::super::tests::{Driver, packet_of};
    use super::*;

    fn voice(number: u16) -> Packet {
        Packet { dscp: Dscp::EF, ..packet_of(number, 200) }
    }

    #[test]
    fn higher_band_is_served_first_and_displaces_the_last_packet_of_the_lowest() {
        let mut driver = Driver::new(Config { limit: Limit::Packets(3), ..Config::default() }.build(Stream::default()));
        for packet in [packet_of(1, 1000), packet_of(2, 1000), voice(3), voice(4), packet_of(5, 1000)] {
            driver.arrive(Time::ZERO, packet);
        }
        assert_eq!((driver.take_dropped(), driver.refused()), (vec![2], 1));
        let order: Vec<u16> = (0..3).filter_map(|_| driver.depart(Time::ZERO)).collect();
        assert_eq!(order, [3, 4, 1]);
    }
}
