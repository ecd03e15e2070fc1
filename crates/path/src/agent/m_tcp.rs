//! M-TCP at the base station (Brown1997): the sender is frozen while its receiver is disconnected, instead of timing
//! out.
//!
//! The last byte of every acknowledgment is withheld: an acknowledgment of N is forwarded as N - 1, with the same right
//! edge of the window. When the mobile is disconnected, N is acknowledged with a window of zero; the sender enters
//! persist mode and keeps its congestion window. The mobile's next acknowledgment reopens the window.
//!
//! The mobile counts as disconnected if data is outstanding on the radio link and no acknowledgment has arrived for
//! `ack_timeout`, or, with `link_failures`, when a link layer with retransmissions has given up a segment. Two packets
//! sent by the base station replace actions of the paper's hosts. While the mobile is disconnected, the base station
//! sends a segment without data below the acknowledged number every `probe` for 100 s, which the mobile must answer
//! [RFC9293 s3.10.7.4] (in the paper: a greeting of the mobile). When nothing has been outstanding for `idle`, the base
//! station acknowledges the withheld byte (in the paper: at the end of the connection), since the sender would otherwise
//! time out.
//!
//! Deviations: the paper splits the connection at the base station, which retransmits data lost on the radio link; here
//! the sender does. The paper's bandwidth management (compaction, smaller windows for some mobiles) is not modelled.
//!
//! Limits: as for a `FlowTable`; flows of the base station itself pass unchanged.

use engine::registry::{Fault, Settings};
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Body, Flags, Packet, Segment, SeqNum};

use super::flow_table::{FlowKey, MAX_FLOWS, TimedFlows};
use super::{Agent, AgentCx, AgentVerdict, Effect, SchemeAction, SchemeNode, Semantics, Traits};
use crate::outcome::RadioNotice;

/// Actions that pictures mark.
const ACTIONS: &[SchemeAction] = &[
    SchemeAction { event: "probes", label: "mobile probed", effect: Effect::Forwards },
    SchemeAction { event: "bytes_released", label: "withheld byte acknowledged", effect: Effect::Acknowledges },
    SchemeAction { event: "freezes", label: "window closed", effect: Effect::Pauses },
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
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Time without an acknowledgment of outstanding data after which the mobile counts as disconnected; less than the
    /// sender's retransmission timeout.
    #[serde(default = "half_a_second")]
    pub ack_timeout: Span,
    /// True if the mobile also counts as disconnected when a link layer with retransmissions has given up a segment.
    #[serde(default = "default_link_failures")]
    pub link_failures: bool,
    /// Interval of probes to a disconnected mobile.
    #[serde(default = "tenth_of_a_second")]
    pub probe: Span,
    /// Time for which the last byte is withheld when no data is outstanding.
    #[serde(default = "tenth_of_a_second")]
    pub idle: Span,
}

fn half_a_second() -> Span {
    Span::from_millis(500)
}

fn tenth_of_a_second() -> Span {
    Span::from_millis(100)
}

fn default_link_failures() -> bool {
    true
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let times = [("ack_timeout", self.ack_timeout), ("probe", self.probe), ("idle", self.idle)];
        let wrong = times.into_iter().filter(|(_, time)| *time < Span::from_millis(1) || *time > Span::from_secs(60));
        wrong.map(|(key, time)| Fault::new(key, time, "1 ms to 60 s")).collect()
    }
}

impl Config {
    /// Creates the agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        let (flows, counters) = (TimedFlows::new(MAX_FLOWS), MTcpCounters::default());
        Some(Box::new(MTcp { config: self.clone(), flows, counters }))
    }
}

/// Time after which a disconnected mobile is no longer probed: a connection may be given up then [RFC9293 s3.8.3]. An
/// answer to the sender's own probes still reopens the window.
const MAX_PROBING: Span = Span::from_secs(100);

/// Size of a flow's state in bytes, as reported in the counters.
const FLOW_BYTES: u64 = 220;

struct MTcp {
    config: Config,
    flows: TimedFlows<MTcpFlow>,
    counters: MTcpCounters,
}

#[derive(Default)]
struct MTcpCounters {
    kept_back: u64,
    freezes: u64,
    probes: u64,
    given_up: u64,
    released: u64,
    acks_of_unseen: u64,
}

/// State of a flow of data towards the radio link.
struct MTcpFlow {
    /// First sequence number seen.
    first: SeqNum,
    /// Sequence number after all data seen.
    top: SeqNum,
    /// Sequence number after the sender's FIN; `None` before a FIN.
    fin: Option<SeqNum>,
    /// The sender's last segment without data, from which acknowledgment number and window are read; `None` if the
    /// segment was a SYN without ACK.
    sender: Option<Segment>,
    /// The mobile's last acknowledgment, without data.
    acked: Option<Segment>,
    /// Whether the last byte of this acknowledgment is withheld from the sender.
    kept_back: bool,
    /// Whether this acknowledgment was a duplicate.
    repeated: bool,
    /// Start of the mobile's disconnection, from which the sender has a window of zero; `None` while the mobile is
    /// connected.
    gone: Option<Time>,
}

impl MTcpFlow {
    fn new(segment: &Segment) -> Self {
        let first = segment.seq;
        let (sender, top) = (extract_pure_ack(segment), first + segment.seq_len());
        let fin = segment.flags.has(Flags::FIN).then_some(top);
        MTcpFlow { first, top, fin, sender, acked: None, kept_back: false, repeated: false, gone: None }
    }

    /// Returns true if data is outstanding on the radio link; false before the mobile's first acknowledgment.
    fn outstanding(&self) -> bool {
        self.acked.is_some_and(|acked| self.top.since(acked.ack) > 0)
    }

    /// Returns the acknowledgment number to forward for `ack`; `whole` forwards it unchanged.
    fn withhold_last_byte(&self, ack: SeqNum, whole: bool) -> SeqNum {
        let less = SeqNum(ack.0.wrapping_sub(1));
        // Only a byte of data can be withheld, not a SYN or FIN.
        let data = less.since(self.first) > 0 && self.fin != Some(ack);
        if data && !whole { less } else { ack }
    }

    fn next_wake_up(&self, config: &Config, now: Time) -> Time {
        match () {
            () if self.gone.is_some() => now + config.probe,
            () if self.outstanding() => now + config.ack_timeout,
            () if self.kept_back => now + config.idle,
            () => Time::NEVER,
        }
    }
}

/// Returns a pure acknowledgment with the numbers after `segment`, with only the timestamps option.
fn strip_to_pure_ack(segment: &Segment) -> Segment {
    let mut bare = Segment { seq: segment.seq + segment.seq_len(), len: 0, flags: Flags::ACK, ..*segment };
    let timestamps = bare.options.timestamps;
    bare.options.clear();
    bare.options.timestamps = timestamps;
    bare
}

fn extract_pure_ack(segment: &Segment) -> Option<Segment> {
    segment.flags.has(Flags::ACK).then(|| strip_to_pure_ack(segment))
}

fn build_packet(flow: FlowKey, segment: Segment) -> Packet {
    Packet::new(flow.src, flow.dst, Body::Tcp(segment))
}

impl MTcp {
    fn freeze(&mut self, flow: FlowKey, cx: &mut AgentCx<'_>) {
        let Some(known) = self.flows.peek(&flow) else { return };
        let Some(acked) = known.acked.filter(|_| known.gone.is_none()) else { return };
        known.gone = Some(cx.now);
        known.kept_back = false;
        self.counters.freezes += 1;
        let closing = build_packet(flow.opposite(), Segment { window: 0, ..acked });
        cx.emit("freezes", 1.0, Some(&closing));
        cx.send(closing);
        let due = known.next_wake_up(&self.config, cx.now);
        self.flows.wake_at(&flow, due);
    }
}

impl Agent for MTcp {
    fn acts_on_losses(&self) -> bool {
        true
    }

    fn before_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let Some((flow, segment)) = FlowKey::of(packet) else { return AgentVerdict::Pass };
        if flow.src == cx.here || segment.seq_len() == 0 {
            return AgentVerdict::Pass;
        }
        if segment.flags.has(Flags::RST) || segment.flags.has(Flags::SYN) {
            self.flows.remove(&flow);
        }
        if segment.flags.has(Flags::RST) {
            return AgentVerdict::Pass;
        }
        let Some(known) = self.flows.get(&flow) else {
            self.flows.insert(flow, MTcpFlow::new(segment));
            return AgentVerdict::Pass;
        };
        let end = segment.seq + segment.seq_len();
        let idle = !known.outstanding();
        if end.since(known.top) > 0 {
            known.top = end;
            known.sender = extract_pure_ack(segment).or(known.sender);
        }
        if segment.flags.has(Flags::FIN) {
            known.fin = Some(end);
        }
        if idle && known.outstanding() && known.gone.is_none() {
            let due = known.next_wake_up(&self.config, cx.now);
            self.flows.wake_at(&flow, due);
        }
        AgentVerdict::Pass
    }

    fn after_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let Some((back, segment)) = FlowKey::of(packet) else { return AgentVerdict::Pass };
        let flow = back.opposite();
        if segment.flags.has(Flags::RST) {
            self.flows.remove(&flow);
            return AgentVerdict::Pass;
        }
        let Some(known) = self.flows.get(&flow).filter(|_| segment.flags.has(Flags::ACK)) else {
            return AgentVerdict::Pass;
        };
        if segment.ack.since(known.top) > 0 {
            self.counters.acks_of_unseen += 1;
            return AgentVerdict::Pass;
        }
        if known.acked.is_some_and(|acked| segment.ack.since(acked.ack) < 0) {
            // An old acknowledgment does not reopen the window, but shows that the mobile is reachable.
            return AgentVerdict::Pass;
        }
        // A duplicate, and the acknowledgment after duplicates, is forwarded unchanged: with the last byte withheld,
        // the sender would retransmit data that the mobile has.
        let repeats = known.acked.is_some_and(|acked| acked.ack == segment.ack);
        let after_repeats = std::mem::replace(&mut known.repeated, repeats);
        known.acked = Some(strip_to_pure_ack(segment));
        known.gone = None;
        let whole = repeats || after_repeats || segment.flags.has(Flags::FIN) || segment.flags.has(Flags::SYN);
        let says = known.withhold_last_byte(segment.ack, whole);
        known.kept_back = says != segment.ack;
        let due = known.next_wake_up(&self.config, cx.now);
        if let Body::Tcp(segment) = &mut packet.body
            && says != segment.ack
        {
            segment.ack = says;
            // Keep the right edge of the window if a window field without scaling can represent it.
            if segment.window_shift == 0 && segment.window > 0 && segment.window < u32::from(u16::MAX) {
                segment.window += 1;
            }
            self.counters.kept_back += 1;
        }
        self.flows.wake_at(&flow, due);
        AgentVerdict::Pass
    }

    fn on_radio(&mut self, notice: &RadioNotice, cx: &mut AgentCx<'_>) {
        // A link layer with a single attempt reports every lost frame, which does not indicate a disconnection.
        let tried = notice.last && notice.attempt > 1;
        if !self.config.link_failures || !tried || notice.packet.data().is_none() {
            return;
        }
        if let Some((flow, _)) = FlowKey::of(&notice.packet) {
            self.freeze(flow, cx);
        }
    }

    fn deadline(&self) -> Time {
        self.flows.deadline()
    }

    fn on_wake(&mut self, cx: &mut AgentCx<'_>) {
        while let Some(flow) = self.flows.pop_due(cx.now) {
            let Some(known) = self.flows.peek(&flow) else { continue };
            let Some(acked) = known.acked else { continue };
            if let Some(since) = known.gone {
                if cx.now.since(since) >= MAX_PROBING {
                    self.counters.given_up += 1;
                    continue;
                }
                let seq = SeqNum(acked.ack.0.wrapping_sub(1));
                if let Some(sender) = known.sender {
                    self.counters.probes += 1;
                    cx.emit("probes", 1.0, Some(&build_packet(flow.opposite(), acked)));
                    cx.send(build_packet(flow, Segment { seq, ..sender }));
                }
                self.flows.wake_at(&flow, cx.now + self.config.probe);
            } else if known.outstanding() {
                self.freeze(flow, cx);
            } else {
                known.kept_back = false;
                self.counters.released += 1;
                let withheld = build_packet(flow.opposite(), acked);
                cx.emit("bytes_released", 1.0, Some(&withheld));
                cx.send(withheld);
            }
        }
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let counters = &self.counters;
        let own = [
            ("bytes_kept_back", counters.kept_back),
            ("freezes", counters.freezes),
            ("probes", counters.probes),
            ("flows_given_up", counters.given_up),
            ("bytes_released", counters.released),
            ("acks_of_unseen", counters.acks_of_unseen),
        ];
        own.into_iter().chain(self.flows.counters(FLOW_BYTES)).collect()
    }
}
