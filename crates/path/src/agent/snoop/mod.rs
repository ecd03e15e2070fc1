//! Snoop: the base station caches packets to the mobile, retransmits lost ones, and suppresses the duplicate
//! acknowledgments that report their loss.
//!
//! Source: [balakrishnan1995 3]; its two procedures as in [snoop2002 2], with the local timer of [snoop2002 3.4], which
//! ns-2's agent also uses. Rules missing in both are taken from ns-2's agent (a limit of 10 local retransmissions;
//! packets that do not fit in the cache are forwarded without caching). Data from the mobile passes unchanged.
//!
//! Deviations, readings and limits: `docs/models/snoop.md`.

mod cache;
mod flow;
pub(super) mod rtt;

use engine::registry::{Fault, Settings};
use engine::{Bytes, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Flags, Packet};

use super::flow_table::{FlowKey, TimedFlows};
use super::{Agent, AgentCx, AgentVerdict, Effect, SchemeAction, SchemeNode, Semantics, Traits};
use flow::{SnoopAckAction, SnoopDataAction, SnoopFlow};

/// Actions that pictures mark.
const ACTIONS: &[SchemeAction] = &[
    SchemeAction { event: "local_retransmissions", label: "local retransmission", effect: Effect::Resends },
    SchemeAction { event: "local_timeouts", label: "local retransmission", effect: Effect::Resends },
    SchemeAction { event: "persist_timeouts", label: "local retransmission", effect: Effect::Resends },
    SchemeAction { event: "answered_for_the_mobile", label: "ACK sent for the mobile", effect: Effect::Acknowledges },
    SchemeAction { event: "duplicates_suppressed", label: "ACK suppressed", effect: Effect::DropsAck },
    SchemeAction { event: "acks_spurious", label: "ACK suppressed", effect: Effect::DropsAck },
];

/// Returns the properties of the scheme.
pub fn traits() -> Traits {
    Traits {
        semantics: Semantics::Kept,
        changes: &[SchemeNode::BaseStation],
        uploads: &[],
        needs_link_reports: false,
        actions: ACTIONS,
    }
}

/// Settings of the scheme.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Maximum number of packets cached per flow.
    pub cache: u32,
    /// Maximum size of the cached packets of all flows, in bytes.
    pub memory: Bytes,
    /// Maximum number of flows with state; another flow evicts the least recently used one.
    pub flows: u32,
    /// Minimum of the local timer.
    pub tick: Span,
    /// Weight of the old estimate in the smoothed round trip time, and of the new sample in its deviation.
    pub gain: f64,
    /// Smoothed round trip time of the radio link before the first sample.
    pub srtt: Span,
    /// Deviation of the round trip time before the first sample.
    pub rttvar: Span,
    /// Number of duplicate acknowledgments that trigger a local retransmission; earlier ones are forwarded to the
    /// sender.
    pub duplicates: u32,
    /// Maximum number of local retransmissions of a packet between transmissions by the sender.
    pub retransmissions: u32,
    /// True if one duplicate acknowledgment is suppressed for each possibly needless copy; if false, as in the papers,
    /// such a duplicate triggers a retransmission of the next packet.
    pub late_duplicates: bool,
    /// Time without a packet from either end after which the first cached packet is retransmitted; unset disables this
    /// timer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persist: Option<Span>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            cache: 100,
            memory: Bytes(32_000_000),
            flows: 1000,
            tick: Span::from_millis(100),
            gain: 0.125,
            srtt: Span::from_millis(100),
            rttvar: Span::from_millis(250),
            duplicates: 1,
            retransmissions: 10,
            late_duplicates: true,
            persist: None,
        }
    }
}

const MAX_TIME: Span = Span::from_secs(3600);

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (key, value, max) in [
            ("cache", self.cache, 100_000),
            ("flows", self.flows, 1_000_000),
            ("duplicates", self.duplicates, 1000),
            ("retransmissions", self.retransmissions, 1000),
        ] {
            faults.extend(Fault::unless_some(key, value, max));
        }
        for (key, value) in [("tick", Some(self.tick)), ("persist", self.persist)] {
            if let Some(value) = value.filter(|value| !(Span::from_millis(1)..=MAX_TIME).contains(value)) {
                faults.push(Fault::new(key, value, "1 ms to 1 h"));
            }
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
        let flows = TimedFlows::new(self.flows as usize);
        Some(Box::new(Snoop {
            config: self.clone(),
            flows,
            bytes: 0,
            most_bytes: 0,
            counters: SnoopCounters::default(),
        }))
    }
}

/// Counters, with the names of the results.
#[derive(Clone, Copy, Default)]
struct SnoopCounters {
    forgotten: u64,
    cached: u64,
    cache_full: u64,
    refused: u64,
    sender_retransmissions: u64,
    out_of_sequence: u64,
    answered: u64,
    new_acks: u64,
    spurious_acks: u64,
    duplicates_suppressed: u64,
    duplicates_passed: u64,
    local_retransmissions: u64,
    local_timeouts: u64,
    persist_timeouts: u64,
    rtt_samples: u64,
    implausible: u64,
}

/// Size of a flow's state without its packets, in bytes, as reported in the counters.
const FLOW_BYTES: u64 = 200;
/// Maximum size of an IP packet in bytes.
const MAX_PACKET: u32 = 65_535;

struct Snoop {
    config: Config,
    flows: TimedFlows<SnoopFlow>,
    /// Total size of the cached packets of all flows, in bytes.
    bytes: u64,
    most_bytes: u64,
    counters: SnoopCounters,
}

impl Snoop {
    fn state_bytes(&self) -> u64 {
        self.bytes + self.flows.len() as u64 * FLOW_BYTES
    }

    /// Updates the maximum of the state size.
    fn update_peak(&mut self) {
        self.most_bytes = self.most_bytes.max(self.state_bytes());
    }

    fn forget(&mut self, gone: Option<SnoopFlow>) {
        self.bytes -= gone.map_or(0, |flow| flow.cache.bytes());
    }

    /// Calls `act` with a flow's state, then updates the cache size and the flow's wake-up time.
    fn with<T>(
        &mut self,
        number: u32,
        act: impl FnOnce(&mut SnoopFlow, &Config, &mut SnoopCounters) -> T,
    ) -> Option<T> {
        let flow = self.flows.state_at(number)?;
        let before = flow.cache.bytes();
        let given = act(flow, &self.config, &mut self.counters);
        self.bytes = self.bytes - before + flow.cache.bytes();
        let deadline = flow.deadline(&self.config);
        self.flows.wake_numbered_at(number, deadline);
        self.update_peak();
        Some(given)
    }
}

impl Agent for Snoop {
    fn acts_on_losses(&self) -> bool {
        true
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
            let gone = self.flows.insert(key, SnoopFlow::new(segment, &self.config, cx.now));
            self.counters.forgotten += u64::from(gone.is_some());
            self.forget(gone.map(|(_, known)| known));
            self.update_peak();
        }
        if begins {
            return AgentVerdict::Pass;
        }
        let Some(number) = known.or_else(|| self.flows.find(&key)) else { return AgentVerdict::Pass };
        let room = self.bytes + u64::from(packet.size()) <= self.config.memory.0;
        let done = self.with(number, |flow, config, counters| {
            let room = room && flow.cache.len() < config.cache as usize;
            flow.on_data(packet, segment, room, cx.now, counters)
        });
        match done {
            Some(SnoopDataAction::Answer(ack)) => {
                cx.emit("answered_for_the_mobile", 1.0, Some(&ack));
                cx.send(ack);
                AgentVerdict::Take
            }
            Some(SnoopDataAction::Forward) | None => AgentVerdict::Pass,
        }
    }

    fn on_queue_full(&mut self, packet: &Packet, cx: &mut AgentCx<'_>) {
        let Some((key, segment)) = FlowKey::of(packet) else { return };
        // Only packets that `before_air` handled as data are considered: an acknowledgment may have the sequence number
        // of a cached packet.
        let other = segment.flags.has(Flags::SYN) || segment.flags.has(Flags::RST) || packet.size() > MAX_PACKET;
        if segment.seq_len() > 0
            && !other
            && packet.src != cx.here
            && let Some(number) = self.flows.find(&key)
        {
            self.with(number, |flow, _, counters| flow.on_queue_overflow(segment, counters));
        }
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
        match self.with(number, |flow, config, counters| flow.on_ack(packet, segment, config, counters, cx)) {
            Some(SnoopAckAction::Suppress) => AgentVerdict::Take,
            Some(SnoopAckAction::Forward) | None => AgentVerdict::Pass,
        }
    }

    fn deadline(&self) -> Time {
        self.flows.deadline()
    }

    fn on_wake(&mut self, cx: &mut AgentCx<'_>) {
        while let Some(key) = self.flows.pop_due(cx.now) {
            if let Some(number) = self.flows.find(&key) {
                self.with(number, |flow, config, counters| flow.wake(config, counters, cx));
            }
        }
    }

    fn sends_expedited(&self) -> bool {
        true
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let counted = &self.counters;
        vec![
            ("flows", self.flows.len() as u64),
            ("flows_forgotten", counted.forgotten),
            ("state_bytes", self.state_bytes()),
            ("state_bytes_most", self.most_bytes),
            ("packets_cached", counted.cached),
            ("packets_not_cached", counted.cache_full),
            ("packets_lost_in_queue", counted.refused),
            ("local_retransmissions", counted.local_retransmissions),
            ("local_timeouts", counted.local_timeouts),
            ("persist_timeouts", counted.persist_timeouts),
            ("sender_retransmissions", counted.sender_retransmissions),
            ("out_of_sequence", counted.out_of_sequence),
            ("answered_for_the_mobile", counted.answered),
            ("acks_new", counted.new_acks),
            ("acks_spurious", counted.spurious_acks),
            ("duplicates_suppressed", counted.duplicates_suppressed),
            ("duplicates_passed", counted.duplicates_passed),
            ("rtt_samples", counted.rtt_samples),
            ("implausible", counted.implausible),
        ]
    }
}
