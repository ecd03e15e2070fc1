//! Deficit round robin by class: each band sends a quantum of bytes in a round (Shreedhar1996).
//!
//! A band with packets receives its quantum in each round and sends while its deficit covers the next packet; the
//! remaining deficit is kept for the next round, and reset when the band becomes empty. All bands share one limit; for
//! a packet that exceeds it, the last packet of the longest band is dropped (McKenney1990).

use std::collections::VecDeque;

use engine::registry::{Fault, Settings};
use engine::{Bytes, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::Packet;

use super::classes::Bands;
use super::packet_fifo::PacketFifo;
use super::{DEFAULT_LIMIT, DropCause, Limit, QueueCx, QueueDiscipline, QueueTraits, Queued};

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Lists of classes; all other classes are the last band.
    pub bands: Bands,
    /// Quantum of each band in bytes: one value for each list and one for the last band, or a single value for all
    /// bands; each more than 0. If the quantum is at least as large as the largest packet, each round sends a packet of
    /// the band.
    pub quanta: Vec<Bytes>,
    /// The maximum backlog of all bands together.
    pub limit: Limit,
}

impl Default for Config {
    fn default() -> Self {
        Config { bands: Bands::default(), quanta: vec![Bytes(1500)], limit: DEFAULT_LIMIT }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = self.bands.check();
        if self.quanta.len() != 1 && self.quanta.len() != self.bands.count() {
            let expected = format!("1 value, or {}: one for each list and one for the rest", self.bands.count());
            faults.push(Fault::new("quanta", format!("{} values", self.quanta.len()), expected));
        }
        if let Some(number) = self.quanta.iter().position(|quantum| *quantum == Bytes(0)) {
            faults.push(Fault::new("quanta", Bytes(0), "more than 0").entry(number));
        }
        faults
    }
}

impl Config {
    /// Returns the properties of the queue.
    pub fn traits(&self) -> QueueTraits {
        QueueTraits { fills: true, ..QueueTraits::default() }
    }

    /// Creates the queue.
    pub fn build(&self, _: Stream) -> Box<dyn QueueDiscipline> {
        let quantum = |band: usize| self.quanta.get(band).or(self.quanta.first()).map_or(1, |quantum| quantum.0.max(1));
        let bands = 0..self.bands.count();
        Box::new(Drr {
            limit: self.limit,
            band_of: self.bands.by_class(),
            expedited: PacketFifo::default(),
            bands: bands
                .map(|band| Band { packets: PacketFifo::default(), quantum: quantum(band), deficit: 0 })
                .collect(),
            active: VecDeque::new(),
            entitled: false,
        })
    }
}

struct Band {
    packets: PacketFifo,
    quantum: u64,
    deficit: u64,
}

struct Drr {
    limit: Limit,
    /// The band of each class.
    band_of: [u8; 64],
    expedited: PacketFifo,
    bands: Vec<Band>,
    /// The bands with packets, in the order of their turns.
    active: VecDeque<usize>,
    /// Whether the first band has received its quantum in this round.
    entitled: bool,
}

impl Drr {
    /// Moves on to the band whose packet leaves next.
    fn settle(&mut self) -> Option<usize> {
        loop {
            let number = *self.active.front()?;
            let band = &mut self.bands[number];
            if !std::mem::replace(&mut self.entitled, true) {
                band.deficit += band.quantum;
            }
            let Some(first) = band.packets.front() else {
                band.deficit = 0;
                self.active.pop_front();
                self.entitled = false;
                continue;
            };
            if u64::from(first.size()) <= band.deficit {
                return Some(number);
            }
            self.active.rotate_left(1);
            self.entitled = false;
        }
    }
}

impl QueueDiscipline for Drr {
    fn enqueue(&mut self, queued: Queued, cx: &mut QueueCx<'_>) -> Result<(), DropCause> {
        let number = usize::from(self.band_of[usize::from(queued.packet.dscp.number())]);
        // A packet that exceeds the limit even with empty bands displaces no packet.
        if !cx.admits(self.limit, (0, 0), &queued) {
            return Err(DropCause::Full);
        }
        while !cx.admits(self.limit, (self.len(), self.bytes()), &queued) {
            let bytes = |band: &Band| band.packets.bytes();
            let longest = (0..self.bands.len()).max_by_key(|number| (bytes(&self.bands[*number]), usize::MAX - number));
            let Some(longest) = longest.filter(|longest| bytes(&self.bands[*longest]) > 0) else {
                return Err(DropCause::Full);
            };
            // The arriving packet is the last one of its band.
            if longest == number {
                return Err(DropCause::Full);
            }
            if let Some(last) = self.bands[longest].packets.pop_back() {
                cx.drop(last, DropCause::Full);
            }
        }
        if queued.expedited {
            self.expedited.push(queued);
            return Ok(());
        }
        if self.bands[number].packets.is_empty() && !self.active.contains(&number) {
            self.active.push_back(number);
        }
        self.bands[number].packets.push(queued);
        Ok(())
    }

    fn dequeue(&mut self, _: &mut QueueCx<'_>) -> Option<Queued> {
        if let Some(expedited) = self.expedited.pop() {
            return Some(expedited);
        }
        let number = self.settle()?;
        let band = &mut self.bands[number];
        let queued = band.packets.pop()?;
        band.deficit -= u64::from(queued.packet.size());
        if band.packets.is_empty() {
            band.deficit = 0;
            self.active.pop_front();
            self.entitled = false;
        }
        Some(queued)
    }

    /// Returns the packets band by band: the actual order of service depends on later arrivals.
    fn packets(&self) -> Box<dyn Iterator<Item = &Packet> + '_> {
        Box::new(self.expedited.iter().chain(self.bands.iter().flat_map(|band| band.packets.iter())))
    }

    fn len(&self) -> usize {
        self.expedited.len() + self.bands.iter().map(|band| band.packets.len()).sum::<usize>()
    }

    fn bytes(&self) -> u64 {
        self.expedited.bytes() + self.bands.iter().map(|band| band.packets.bytes()).sum::<u64>()
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

    /// With quanta of 1000 and 500 bytes and packets of 500 bytes, two packets of the first band are sent for one of
    /// the second.
    #[test]
    fn bands_share_bytes_by_their_quanta() {
        let config = Config { quanta: vec![Bytes(1000), Bytes(500)], ..Config::default() };
        assert!(config.check().is_empty());
        let mut driver = Driver::new(config.build(Stream::default()));
        for _ in 0..6 {
            driver.arrive(Time::ZERO, Packet { dscp: Dscp::EF, ..packet_of(0, 500) });
            driver.arrive(Time::ZERO, packet_of(1, 500));
        }
        let order: Vec<u16> = (0..9).filter_map(|_| driver.depart(Time::ZERO)).collect();
        assert_eq!(order, [0, 0, 1, 0, 0, 1, 0, 0, 1]);
    }

    #[test]
    fn overflow_drops_the_last_of_the_longest_band() {
        let mut driver = Driver::new(Config { limit: Limit::Packets(4), ..Config::default() }.build(Stream::default()));
        (1..5).for_each(|number| driver.arrive(Time::ZERO, packet_of(number, 500)));
        driver.arrive(Time::ZERO, Packet { dscp: Dscp::EF, ..packet_of(9, 500) });
        assert_eq!(driver.take_dropped(), [4]);
        driver.arrive(Time::ZERO, packet_of(5, 500));
        assert_eq!(driver.refused(), 1);
    }
}
