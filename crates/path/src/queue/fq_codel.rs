//! Fair queueing with CoDel: packets are hashed by flow into many queues, which a deficit round robin serves, new ones
//! first, and each of which is a CoDel queue (RFC 8290).
//!
//! ```text
//! classify   hash(source, destination, protocol, ports, perturbation) mod flows            [s4.1]
//! overflow   half of the packets of the queue with the most bytes are dropped from its head, at most 64       [s4.1]
//! new        a queue that was empty gets a quantum and joins the list of new queues         [s4.1]
//! dequeue    the first new queue, else the first old one; without deficit: a quantum, and to the end of the old list;
//!            an empty new queue goes to the end of the old list, an empty old one leaves    [s4.2]
//! ```
//!
//! Deviations: CoDel compares the bytes of one queue with `mtu`. Linux compares the bytes of all queues, so that a
//! sparse queue can lose its last packet while another queue is long. Expedited packets precede the packets of all
//! flows.

use std::collections::VecDeque;

use engine::registry::{Fault, Settings};
use engine::{Bytes, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Body, Packet};

use super::codel::{self, CodelControl};
use super::packet_fifo::PacketFifo;
use super::{DropCause, Limit, QueueCx, QueueDiscipline, Queued};

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The acceptable standing sojourn time, more than 0 and less than `interval`.
    pub target: Span,
    /// The time within which the sojourn time must have been below the target.
    pub interval: Span,
    /// The maximum backlog of all queues together.
    pub limit: Limit,
    /// The number of queues, 1 to 65,536.
    #[schemars(range(min = 1, max = 65_536))]
    pub flows: u32,
    /// Bytes that a queue may send in a round, more than 0.
    pub quantum: Bytes,
    /// Whether ECN-capable packets are marked instead of dropped.
    pub ecn: bool,
    /// Nothing is dropped while the waiting bytes of a queue do not exceed this size, which is that of the largest
    /// packet.
    pub mtu: Bytes,
}

impl Default for Config {
    /// Returns the defaults of RFC 8290 section 5.2: 1024 queues, a quantum of 1514 bytes, 10,240 packets, ECN;
    /// otherwise the defaults of CoDel.
    fn default() -> Self {
        let codel = codel::Config::default();
        Config {
            target: codel.target,
            interval: codel.interval,
            limit: Limit::Packets(10_240),
            flows: 1024,
            quantum: Bytes(1514),
            ecn: true,
            mtu: codel.mtu,
        }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = codel::check_target_and_interval(self.target, self.interval);
        faults.extend(Fault::unless_some("flows", self.flows, 65_536));
        if self.quantum == Bytes(0) {
            faults.push(Fault::new("quantum", self.quantum, "more than 0"));
        }
        faults
    }
}

impl Config {
    /// Creates the queue; the perturbation of the hash is drawn from `stream`.
    pub fn build(&self, stream: Stream) -> Box<dyn QueueDiscipline> {
        Box::new(FqCoDel {
            config: self.clone(),
            perturbation: stream.draws().next_u64(),
            flows: (0..self.flows).map(|_| None).collect(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            expedited: PacketFifo::default(),
            packets: 0,
            bytes: 0,
        })
    }
}

/// The queue of the flows with one hash.
struct FlowQueue {
    packets: PacketFifo,
    control: CodelControl,
    deficit: i64,
    /// Whether the queue is in one of the lists.
    listed: bool,
}

struct FqCoDel {
    config: Config,
    perturbation: u64,
    /// The queues by hash; `None` for a queue that was never used.
    flows: Vec<Option<Box<FlowQueue>>>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    expedited: PacketFifo,
    /// Number of packets in the flows' queues.
    packets: usize,
    /// Number of bytes in the flows' queues.
    bytes: u64,
}

/// The protocol number of a packet (RFC 790).
fn protocol_number(packet: &Packet) -> u8 {
    match &packet.body {
        Body::Tcp(_) => 6,
        Body::Datagram(datagram) if datagram.protocol == wire::Protocol::Udp => 17,
        Body::Datagram(datagram) if datagram.protocol == wire::Protocol::Other => 253,
        Body::Datagram(_) | Body::Icmp(_) => 1,
    }
}

/// Maximum number of packets that one overflow drops [RFC8290 s4.1].
const MAX_BATCH: usize = 64;

impl FqCoDel {
    /// The number of the queue of a packet.
    fn classify(&self, packet: &Packet) -> usize {
        let addresses = [packet.src, packet.dst].map(std::net::Ipv4Addr::from);
        let ports = packet.ports();
        let key = addresses.iter().flat_map(|address| address.octets());
        let key = key.chain(ports.iter().flat_map(|port| port.to_be_bytes())).chain([protocol_number(packet)]);
        let hash = engine::random::hash_bytes(key.chain(self.perturbation.to_be_bytes()));
        // The multiply-shift reduction of Lemire (2019) uses the upper bits, which FNV mixes best.
        ((u128::from(hash) * u128::from(self.config.flows)) >> 64) as usize
    }

    /// Drops half of the packets of the queue with the most bytes, from its head; returns false if all queues are
    /// empty.
    fn drop_from_longest(&mut self, cx: &mut QueueCx<'_>) -> bool {
        let bytes = |flow: &Option<Box<FlowQueue>>| flow.as_ref().map_or(0, |flow| flow.packets.bytes());
        let longest = (0..self.flows.len()).max_by_key(|number| (bytes(&self.flows[*number]), usize::MAX - number));
        let longest = longest.and_then(|number| self.flows[number].as_mut());
        let Some(flow) = longest.filter(|flow| !flow.packets.is_empty()) else { return false };
        let half = flow.packets.len().div_ceil(2).min(MAX_BATCH);
        for dropped in std::iter::from_fn(|| flow.packets.pop()).take(half) {
            cx.drop(dropped, DropCause::Full);
            self.packets -= 1;
            self.bytes -= u64::from(dropped.packet.size());
        }
        true
    }

    /// Packets and bytes that wait and are not in the flows' queues.
    fn outside(&self, cx: &QueueCx<'_>) -> (usize, u64) {
        (self.expedited.len() + cx.others.0, self.expedited.bytes() + cx.others.1)
    }

    /// Adds a packet to the queue of its flow.
    fn join(&mut self, queued: Queued) {
        let size = queued.packet.size();
        let number = self.classify(&queued.packet);
        let config = &self.config;
        let flow = self.flows[number].get_or_insert_with(|| {
            let codel = codel::Config {
                target: config.target,
                interval: config.interval,
                limit: Limit::None,
                ecn: config.ecn,
                mtu: config.mtu,
            };
            Box::new(FlowQueue {
                packets: PacketFifo::default(),
                control: CodelControl::new(&codel),
                deficit: 0,
                listed: false,
            })
        });
        if !flow.listed {
            flow.listed = true;
            flow.deficit = config.quantum.0 as i64;
            self.new.push_back(number as u32);
        }
        flow.packets.push(queued);
        self.packets += 1;
        self.bytes += u64::from(size);
    }

    /// The next packet of the flows [RFC8290 s4.2].
    fn serve(&mut self, cx: &mut QueueCx<'_>) -> Option<Queued> {
        loop {
            let is_new = !self.new.is_empty();
            let number = *(if is_new { self.new.front() } else { self.old.front() })?;
            let flow = self.flows[number as usize].as_mut()?;
            if flow.deficit <= 0 {
                flow.deficit += self.config.quantum.0 as i64;
                let list = if is_new { &mut self.new } else { &mut self.old };
                list.pop_front();
                self.old.push_back(number);
                continue;
            }
            let before = (flow.packets.len(), flow.packets.bytes());
            let queued = flow.control.dequeue(&mut flow.packets, cx);
            self.packets -= before.0 - flow.packets.len();
            self.bytes -= before.1 - flow.packets.bytes();
            match queued {
                Some(queued) => {
                    flow.deficit -= i64::from(queued.packet.size());
                    return Some(queued);
                }
                None => {
                    if is_new {
                        self.new.pop_front();
                        self.old.push_back(number);
                    } else {
                        self.old.pop_front();
                        flow.listed = false;
                    }
                }
            }
        }
    }
}

impl QueueDiscipline for FqCoDel {
    fn enqueue(&mut self, queued: Queued, cx: &mut QueueCx<'_>) -> Result<(), DropCause> {
        let size = queued.packet.size();
        let at_once = queued.at_once;
        let (packets, bytes) = self.outside(cx);
        // A packet that exceeds the limit even with empty queues displaces no packet.
        if !at_once && !self.config.limit.admits(packets, bytes, size) {
            return Err(DropCause::Full);
        }
        if queued.expedited {
            self.expedited.push(queued);
        } else {
            self.join(queued);
        }
        while !at_once
            && let (packets, bytes) = self.outside(cx)
            && self.config.limit.is_exceeded(packets + self.packets, bytes + self.bytes)
            && self.drop_from_longest(cx)
        {}
        Ok(())
    }

    fn dequeue(&mut self, cx: &mut QueueCx<'_>) -> Option<Queued> {
        self.expedited.pop().or_else(|| self.serve(cx))
    }

    /// Returns the packets flow by flow: the actual order of service depends on later arrivals.
    fn packets(&self) -> Box<dyn Iterator<Item = &Packet> + '_> {
        let listed = self.new.iter().chain(&self.old);
        let flows = listed.filter_map(|number| self.flows[*number as usize].as_ref());
        Box::new(self.expedited.iter().chain(flows.flat_map(|flow| flow.packets.iter())))
    }

    fn len(&self) -> usize {
        self.expedited.len() + self.packets
    }

    fn bytes(&self) -> u64 {
        self.expedited.bytes() + self.bytes
    }

    fn limit(&self) -> Limit {
        self.config.limit
    }

    fn marks(&self) -> bool {
        self.config.ecn
    }
}

#[cfg(test)]
mod tests {
    use engine::Time;

    use super::super::tests::{Driver, packet_of};
    use super::*;

    fn driver(config: Config) -> Driver {
        Driver::new(config.build(Stream::named(3, 0, "fq-codel")))
    }

    /// Flow 0 has a backlog. The first packet of flow 1 is in a new queue and leaves next. The second packet of flow 1
    /// leaves after a round.
    #[test]
    fn new_flow_is_served_before_a_backlogged_one() {
        let mut driver = driver(Config { quantum: Bytes(1500), ..Config::default() });
        (0..6).for_each(|_| driver.arrive(Time::ZERO, packet_of(0, 1500)));
        let first = driver.depart(Time::from_millis(1));
        driver.arrive(Time::from_millis(1), packet_of(1, 1500));
        driver.arrive(Time::from_millis(1), packet_of(1, 1500));
        let order: Vec<u16> = (2..7).filter_map(|ms| driver.depart(Time::from_millis(ms))).collect();
        assert_eq!((first, &order[..]), (Some(0), &[1, 0, 1, 0, 0][..]));
    }

    /// In a round each flow sends a quantum of bytes: three packets of 500 bytes for one of 1500.
    #[test]
    fn deficit_round_robin_shares_bytes() {
        let mut driver = driver(Config { quantum: Bytes(1500), ..Config::default() });
        (0..8).for_each(|_| driver.arrive(Time::ZERO, packet_of(0, 1500)));
        (0..24).for_each(|_| driver.arrive(Time::ZERO, packet_of(1, 500)));
        let sent: Vec<u16> = (0..16).filter_map(|_| driver.depart(Time::from_millis(1))).collect();
        assert_eq!(sent, [0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1]);
    }

    // covers [RFC8290 s4.1]
    /// Flow 0 has four packets of 1400 bytes and then six of 100, flow 1 one of 1000. With the eleventh packet the
    /// limit of ten is exceeded: the flow with the most bytes, flow 0, loses half of its packets from the head.
    #[test]
    fn overflow_drops_half_of_the_packets_of_the_longest_queue() {
        let mut driver = driver(Config { limit: Limit::Packets(10), ..Config::default() });
        driver.arrive(Time::ZERO, packet_of(1, 1000));
        (0..4).for_each(|_| driver.arrive(Time::ZERO, packet_of(0, 1400)));
        (0..6).for_each(|_| driver.arrive(Time::ZERO, packet_of(0, 100)));
        assert_eq!((driver.take_dropped(), driver.len()), (vec![0; 5], 6));
    }

    // covers [RFC8290 s4.1]
    /// The arriving packet counts, too. It makes flow 1 the longest queue, whose first of two packets is dropped.
    #[test]
    fn arriving_packet_counts_in_the_search_for_the_longest_queue() {
        let mut driver = driver(Config { limit: Limit::Packets(4), ..Config::default() });
        (0..3).for_each(|_| driver.arrive(Time::ZERO, packet_of(0, 500)));
        driver.arrive(Time::ZERO, packet_of(1, 100));
        driver.arrive(Time::ZERO, packet_of(1, 1500));
        assert_eq!((driver.take_dropped(), driver.len(), driver.refused()), (vec![1], 4, 0));
    }
}
