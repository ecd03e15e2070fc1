//! Snoop with the rules of ns-2's agent (`LL/LLSnoop` and `Snoop`), with which snoop2002 was measured. The rules differ
//! from the papers about Snoop, which the scheme [`snoop`](super::snoop) follows.
//!
//! Source: ns-2.35, tcp/snoop.cc, tcp/snoop.h, tcl/lan/ns-ll.tcl; version 2.1b9, used by snoop2002, has the same agent.
//! The rules are ns-2's, with stream offsets in bytes in place of packet numbers. Each deviation from the papers, with
//! ns-2's function, and the deviations from ns-2: `docs/models/snoop.md`.

mod flow;

use engine::registry::{Fault, Settings};
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Flags, Packet};

use super::flow_table::{FlowKey, TimedFlows};
use super::{Agent, AgentCx, AgentVerdict, Effect, LinkView, SchemeAction, Traits};
use crate::queue::Limit;
use flow::{SnoopNs2AckAction, SnoopNs2Flow};

/// Actions that pictures mark.
const ACTIONS: &[SchemeAction] = &[
    SchemeAction { event: "local_retransmissions", label: "local retransmission", effect: Effect::Resends },
    SchemeAction { event: "local_timeouts", label: "local retransmission", effect: Effect::Resends },
    SchemeAction { event: "duplicates_suppressed", label: "ACK suppressed", effect: Effect::DropsAck },
    SchemeAction { event: "acks_spurious", label: "ACK suppressed", effect: Effect::DropsAck },
];

/// Returns the properties of the scheme.
pub fn traits() -> Traits {
    Traits { actions: ACTIONS, ..super::snoop::traits() }
}

/// Settings, with ns-2's defaults [tcl/lan/ns-ll.tcl].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Maximum number of packets cached per flow: `maxbufs_`, at most `SNOOP_MAXWIND`.
    #[schemars(range(min = 2, max = 100))]
    pub cache: u32,
    /// Maximum number of flows with state; another flow evicts the least recently used one.
    pub flows: u32,
    /// Minimum of the local timer: `snoopTick_`.
    pub tick: Span,
    /// Weight of the old estimate in the smoothed round trip time, and of the new sample in its deviation: `g_`.
    pub gain: f64,
    /// Smoothed round trip time of the radio link before the first sample.
    pub srtt: Span,
    /// Deviation of the round trip time before the first sample.
    pub rttvar: Span,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            cache: 100,
            flows: 1000,
            tick: Span::from_millis(100),
            gain: 0.125,
            srtt: Span::from_millis(100),
            rttvar: Span::from_millis(250),
        }
    }
}

/// `RTX_THRESH`: number of unexpected duplicates forwarded to the sender before one triggers a retransmission [ns-2
/// tcp/snoop.cc, `Snoop::snoop_ack`].
const THRESHOLD: u32 = 1;
/// Maximum number of local retransmissions [ns-2 tcp/snoop.h: `SNOOP_MAX_RXMIT`].
const MAX_RETRANSMISSIONS: u32 = 10;
/// Maximum number of cached packets per flow [ns-2 tcp/snoop.h: `SNOOP_MAXWIND`].
const MAX_CACHE: u32 = 100;
const MAX_TIME: Span = Span::from_secs(3600);

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !(2..=MAX_CACHE).contains(&self.cache) {
            faults.push(Fault::new("cache", self.cache, "2 to 100, the size of ns-2's ring"));
        }
        faults.extend(Fault::unless_some("flows", self.flows, 1_000_000));
        if !(Span::from_millis(1)..=MAX_TIME).contains(&self.tick) {
            faults.push(Fault::new("tick", self.tick, "1 ms to 1 h"));
        }
        for (key, value) in [("srtt", self.srtt), ("rttvar", self.rttvar)] {
            if value > MAX_TIME {
                faults.push(Fault::new(key, value, "at most 1 h"));
            }
        }
        // This form of the condition also refuses NaN.
        if !(self.gain >= 0.0 && self.gain < 1.0) {
            faults.push(Fault::new("gain", self.gain, "0 to less than 1"));
        }
        faults
    }
}

impl Config {
    /// Creates the agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        Some(Box::new(SnoopNs2 {
            config: self.clone(),
            flows: TimedFlows::new(self.flows as usize),
            passed: 0,
            queue_has_room: true,
            bytes: 0,
            max_bytes: 0,
            counters: SnoopNs2Counters::default(),
        }))
    }
}

/// Counters, with the names of the results.
#[derive(Clone, Copy, Default)]
struct SnoopNs2Counters {
    forgotten: u64,
    cached: u64,
    cache_full: u64,
    queue_full: u64,
    sender_retransmissions: u64,
    out_of_sequence: u64,
    new_acks: u64,
    spurious_acks: u64,
    duplicates_suppressed: u64,
    duplicates_passed: u64,
    local_retransmissions: u64,
    local_timeouts: u64,
    rtt_samples: u64,
    implausible: u64,
}

/// Size of a flow's state without its packets, in bytes, as reported in the counters.
const FLOW_BYTES: u64 = 200;
/// Maximum size of an IP packet in bytes.
const MAX_PACKET: u32 = 65_535;

struct SnoopNs2 {
    config: Config,
    flows: TimedFlows<SnoopNs2Flow>,
    /// Number of unexpected duplicates of any flow forwarded since the last one that triggered a retransmission. In
    /// ns-2 a static variable shared by all agents.
    passed: u32,
    /// True if the queue of the next packet has space for more than one packet.
    queue_has_room: bool,
    /// Total size of the cached packets of all flows, in bytes.
    bytes: u64,
    max_bytes: u64,
    counters: SnoopNs2Counters,
}

impl SnoopNs2 {
    fn state_bytes(&self) -> u64 {
        self.bytes + self.flows.len() as u64 * FLOW_BYTES
    }

    fn forget(&mut self, gone: Option<SnoopNs2Flow>) {
        self.bytes -= gone.map_or(0, |flow| flow.bytes);
    }

    /// Calls `act` with a flow's state, then updates the cache size and the flow's wake-up time.
    fn with<T>(
        &mut self,
        number: u32,
        act: impl FnOnce(&mut SnoopNs2Flow, &Config, &mut u32, &mut SnoopNs2Counters) -> T,
    ) -> Option<T> {
        let flow = self.flows.state_at(number)?;
        let before = flow.bytes;
        let given = act(flow, &self.config, &mut self.passed, &mut self.counters);
        self.bytes = self.bytes - before + flow.bytes;
        let deadline = flow.deadline();
        self.flows.wake_numbered_at(number, deadline);
        self.max_bytes = self.max_bytes.max(self.state_bytes());
        Some(given)
    }
}

impl Agent for SnoopNs2 {
    fn acts_on_losses(&self) -> bool {
        true
    }

    /// The condition is `ifq()->length() < ifq()->limit() - 1` [ns-2 tcp/snoop.cc, `Snoop::snoop_data`], where a queue
    /// of `limit` holds one packet less [ns-2 queue/drop-tail.cc, `DropTail::enque`]: therefore a packet is cached
    /// unless the queue is full.
    fn on_link(&mut self, link: &LinkView, _: &mut AgentCx<'_>) {
        let LinkView { waiting, limit, .. } = *link;
        self.queue_has_room = match limit {
            Limit::Packets(limit) => waiting < limit as usize,
            Limit::None | Limit::Bytes(_) => true,
        };
    }

    fn before_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let Some((key, segment)) = FlowKey::of(packet) else { return AgentVerdict::Pass };
        // Packets that originate in the base station are not cached.
        if packet.src == cx.here {
            return AgentVerdict::Pass;
        }
        if segment.flags.has(Flags::RST) {
            let gone = self.flows.remove(&key);
            self.forget(gone);
            return AgentVerdict::Pass;
        }
        let begins = segment.flags.has(Flags::SYN);
        if (segment.seq_len() == 0 && !begins) || packet.size() > MAX_PACKET {
            return AgentVerdict::Pass;
        }
        let known = if begins { None } else { self.flows.find(&key) };
        if known.is_none() {
            let before = self.flows.remove(&key);
            self.forget(before);
            let gone = self.flows.insert(key, SnoopNs2Flow::new(segment, &self.config));
            self.counters.forgotten += u64::from(gone.is_some());
            self.forget(gone.map(|(_, known)| known));
            self.max_bytes = self.max_bytes.max(self.state_bytes());
        }
        if begins {
            return AgentVerdict::Pass;
        }
        if let Some(number) = known.or_else(|| self.flows.find(&key)) {
            let room = self.queue_has_room;
            self.with(number, |flow, config, _, counters| {
                flow.on_data(packet, segment, room, config, counters, cx.now);
            });
        }
        AgentVerdict::Pass
    }

    fn after_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let Some((back, segment)) = FlowKey::of(packet) else { return AgentVerdict::Pass };
        if packet.dst == cx.here {
            return AgentVerdict::Pass;
        }
        let key = back.opposite();
        if segment.flags.has(Flags::RST) {
            let gone = self.flows.remove(&key);
            self.forget(gone);
            return AgentVerdict::Pass;
        }
        if !segment.flags.has(Flags::ACK) {
            return AgentVerdict::Pass;
        }
        let Some(number) = self.flows.find(&key) else { return AgentVerdict::Pass };
        match self.with(number, |flow, config, passed, counters| flow.on_ack(segment, passed, config, counters, cx)) {
            Some(SnoopNs2AckAction::Suppress) => AgentVerdict::Take,
            Some(SnoopNs2AckAction::Forward) | None => AgentVerdict::Pass,
        }
    }

    fn deadline(&self) -> Time {
        self.flows.deadline()
    }

    fn on_wake(&mut self, cx: &mut AgentCx<'_>) {
        while let Some(key) = self.flows.pop_due(cx.now) {
            if let Some(number) = self.flows.find(&key) {
                self.with(number, |flow, config, _, counters| flow.wake(config, counters, cx));
            }
        }
    }

    fn looks_at_link(&self) -> bool {
        true
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let counted = &self.counters;
        vec![
            ("flows", self.flows.len() as u64),
            ("flows_forgotten", counted.forgotten),
            ("state_bytes", self.state_bytes()),
            ("state_bytes_most", self.max_bytes),
            ("packets_cached", counted.cached),
            ("packets_not_cached", counted.cache_full),
            ("packets_left_to_the_queue", counted.queue_full),
            ("local_retransmissions", counted.local_retransmissions),
            ("local_timeouts", counted.local_timeouts),
            ("sender_retransmissions", counted.sender_retransmissions),
            ("out_of_sequence", counted.out_of_sequence),
            ("acks_new", counted.new_acks),
            ("acks_spurious", counted.spurious_acks),
            ("duplicates_suppressed", counted.duplicates_suppressed),
            ("duplicates_passed", counted.duplicates_passed),
            ("rtt_samples", counted.rtt_samples),
            ("implausible", counted.implausible),
        ]
    }
}
