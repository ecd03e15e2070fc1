//! The table of split flows with their alarms.

use std::collections::{BTreeMap, BTreeSet};

use engine::{Stream, Time};
use tcp::Failure;
use tcp::config::ReceiveWindow;
use wire::{Addr, Body, Ecn, Flags, Packet, Segment};

use super::Config;
use super::ends::FlowEndpoints;
use super::flow::{Acknowledges, SplitFlow, SplitOutcome};
use super::opening::{NegotiatedOptions, Opening};
use crate::agent::table::LruTable;
use crate::agent::{Agent, AgentCx, AgentVerdict, SplitLegs};

/// State of a table entry.
enum ProxyEntry {
    /// SYNs were seen; the handshake is not complete.
    Opening(Opening),
    /// The flow is split.
    Split(Box<SplitFlow>),
}

#[derive(Default)]
struct SplitCounters {
    flows_split: u64,
    flows_forgotten: u64,
    flows_let_go: u64,
    flows_given_up: u64,
    flows_reset: u64,
    packets_taken: u64,
    packets_passed: u64,
    acks_ahead: u64,
    bytes_early: u64,
    bytes_lost: u64,
    state_bytes_most: u64,
}

/// Memory of two connections without buffered data, in bytes, which crates/tcp/tests/memory.rs checks.
const FLOW_BYTES: u64 = 2 * 2048;

/// The agent of the scheme `split`.
pub(super) struct Proxy {
    table: LruTable<FlowEndpoints, ProxyEntry>,
    /// Times of the alarms with the table indices of the flows.
    alarms: BTreeSet<(Time, u32)>,
    /// Configuration of the connections toward the fixed host.
    wired: tcp::Config,
    /// Configuration of the connections toward the mobile.
    wireless: tcp::Config,
    /// The receive window of the legs of every flow; `None` for the window of the flow.
    window: Option<ReceiveWindow>,
    /// The receive windows of flows, except of flows with the default window.
    flow_windows: BTreeMap<FlowEndpoints, ReceiveWindow>,
    assume_sack: bool,
    /// Buffered bytes of all flows.
    buffered: u64,
    counters: SplitCounters,
    /// A buffer for packets of the connections: initializing an empty packet costs as much as filling it.
    spare: Packet,
}

impl Proxy {
    pub fn new(config: &Config) -> Self {
        Proxy {
            table: LruTable::new(config.flows as usize),
            alarms: BTreeSet::new(),
            wired: config.wired.tcp(),
            wireless: config.wireless.tcp(),
            window: config.buffer,
            flow_windows: BTreeMap::new(),
            assume_sack: config.assume_sack,
            buffered: 0,
            counters: SplitCounters::default(),
            spare: Packet::blank(Addr::of_node(0), Addr::of_node(0)),
        }
    }

    fn state_bytes(&self) -> u64 {
        self.table.len() as u64 * FLOW_BYTES + self.buffered
    }

    /// Updates the maximum of the state size.
    fn update_peak(&mut self) {
        self.counters.state_bytes_most = self.counters.state_bytes_most.max(self.state_bytes());
    }

    /// Processes a packet that crosses the node. If `to_air`, the packet's destination is on the radio link, otherwise
    /// its source.
    fn process_packet(&mut self, packet: &Packet, to_air: bool, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let Body::Tcp(segment) = &packet.body else { return AgentVerdict::Pass };
        // Flows of the node itself are not split.
        if packet.src == cx.here || packet.dst == cx.here || packet.src == packet.dst {
            return AgentVerdict::Pass;
        }
        let (ends, from) = FlowEndpoints::of(packet, segment);
        let air = if to_air { 1 - from } else { from };
        let number = self.table.find(&ends);
        if let Some(number) = number {
            self.table.touch(number);
        }
        let split = number.and_then(|number| match self.table.get(number) {
            Some((_, ProxyEntry::Split(flow))) if flow.is_replaced_by(segment) => None,
            Some((_, ProxyEntry::Split(flow))) => Some((number, flow.begins_before(from, segment))),
            _ => None,
        });
        match split {
            Some((number, false)) => self.take(number, from, segment, packet.ecn, cx),
            Some((number, true)) => {
                // An earlier segment of the flow: split the flow again from there.
                self.forget(number);
                self.counters.flows_split -= 1;
                self.begin(ends, from, air, segment, packet.ecn, cx)
            }
            None if segment.flags.has(Flags::SYN) => self.record_syn(number, ends, from, segment),
            None => match self.negotiate(number, from, segment) {
                Some(agreed) => {
                    // The node must send the segment that completes the handshake to the other end.
                    let number = self.split(number, ends, &agreed, air, None);
                    if let Some((_, ProxyEntry::Split(flow))) = self.table.get(number) {
                        flow.complete_handshake(1 - from);
                    }
                    self.take(number, from, segment, packet.ecn, cx)
                }
                None if segment.flags.has(Flags::RST) => {
                    if let Some(number) = number {
                        self.forget(number);
                    }
                    AgentVerdict::Pass
                }
                None => self.begin(ends, from, air, segment, packet.ecn, cx),
            },
        }
    }

    /// Records a SYN and lets it pass; the ends decide whether a connection follows.
    fn record_syn(&mut self, number: Option<u32>, ends: FlowEndpoints, from: usize, segment: &Segment) -> AgentVerdict {
        let mut opening = Opening::default();
        if let Some(number) = number
            && let Some(ProxyEntry::Opening(begun)) = self.forget(number)
        {
            opening = begun;
        }
        opening.note(from, segment);
        if self.make_room() {
            self.table.insert(ends, ProxyEntry::Opening(opening));
            self.update_peak();
        } else {
            self.counters.packets_passed += 1;
        }
        AgentVerdict::Pass
    }

    fn negotiate(&mut self, number: Option<u32>, from: usize, segment: &Segment) -> Option<NegotiatedOptions> {
        match self.table.get(number?)? {
            (_, ProxyEntry::Opening(opening)) => opening.negotiate(from, segment),
            _ => None,
        }
    }

    /// Splits a flow without an observed handshake, at its first data segment.
    fn begin(
        &mut self,
        ends: FlowEndpoints,
        from: usize,
        air: usize,
        segment: &Segment,
        ecn: Ecn,
        cx: &mut AgentCx<'_>,
    ) -> AgentVerdict {
        let data = segment.len > 0 && segment.flags.has(Flags::ACK) && !segment.flags.has(Flags::RST);
        // Data during an incomplete handshake belongs to no established connection.
        let opening = self.table.find(&ends).is_some();
        if !data || opening {
            return AgentVerdict::Pass;
        }
        if !self.make_room() {
            self.counters.packets_passed += 1;
            return AgentVerdict::Pass;
        }
        let agreed = NegotiatedOptions::of_first(from, segment, ecn, self.assume_sack);
        let number = self.split(None, ends, &agreed, air, Some(from));
        self.take(number, from, segment, ecn, cx)
    }

    /// Creates the split flow.
    fn split(
        &mut self,
        number: Option<u32>,
        ends: FlowEndpoints,
        agreed: &NegotiatedOptions,
        air: usize,
        from: Option<usize>,
    ) -> u32 {
        if let Some(number) = number {
            self.forget(number);
        }
        let window = self.window.unwrap_or_else(|| self.flow_windows.get(&ends).copied().unwrap_or_default());
        let config = |end: usize| {
            let config = if end == air { &self.wireless } else { &self.wired };
            let name = format!("split flow {} end {end}", self.counters.flows_split);
            tcp::Config { window, stream: Stream::default().sub(&name), ..config.clone() }
        };
        let flow = SplitFlow::new(&ends, agreed, [config(0), config(1)], from);
        self.counters.flows_split += 1;
        let number = self.table.insert(ends, ProxyEntry::Split(Box::new(flow)));
        self.update_peak();
        number
    }

    fn take(&mut self, number: u32, from: usize, segment: &Segment, ecn: Ecn, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let Some((_, ProxyEntry::Split(flow))) = self.table.get(number) else { return AgentVerdict::Pass };
        let acknowledges = flow.classify_acknowledgment(from, segment);
        self.counters.acks_ahead += u64::from(acknowledges != Acknowledges::Sent);
        if acknowledges == Acknowledges::Everything {
            self.forget(number);
            self.counters.flows_let_go += 1;
            return AgentVerdict::Pass;
        }
        self.counters.packets_taken += 1;
        // A segment that acknowledges bypassed data too early is dropped; its sender retransmits it.
        if acknowledges != Acknowledges::TooEarly {
            let before = flow.buffered_bytes();
            flow.take(from, segment, acknowledges, ecn, cx.now);
            let outcome = flow.pump(&mut self.spare, cx);
            self.after_event(number, before, &outcome);
        }
        AgentVerdict::Take
    }

    /// Updates the counters and the flow's alarm after an event. `before` is the number of bytes that were buffered
    /// before the event.
    fn after_event(&mut self, number: u32, before: u64, outcome: &SplitOutcome) {
        self.buffered = self.buffered - before + outcome.buffered;
        self.update_peak();
        let counters = &mut self.counters;
        counters.bytes_early = counters.bytes_early.max(outcome.early);
        if let Some(failure) = outcome.failure {
            counters.bytes_lost += outcome.buffered;
            match failure {
                Failure::TimedOut => counters.flows_given_up += 1,
                Failure::Refused | Failure::Reset => counters.flows_reset += 1,
            }
        }
        if outcome.over {
            self.forget(number);
        } else {
            self.set_alarm(number);
        }
    }

    /// Sets the flow's alarm if its deadline is earlier. A postponed alarm is kept, since each acknowledgment postpones
    /// it.
    fn set_alarm(&mut self, number: u32) {
        let Some((_, ProxyEntry::Split(flow))) = self.table.get(number) else { return };
        let wanted = flow.deadline();
        if wanted < flow.armed {
            let old = std::mem::replace(&mut flow.armed, wanted);
            self.alarms.remove(&(old, number));
            self.alarms.insert((wanted, number));
        }
    }

    fn forget(&mut self, number: u32) -> Option<ProxyEntry> {
        let (_, entry) = self.table.remove(number)?;
        if let ProxyEntry::Split(flow) = &entry {
            self.alarms.remove(&(flow.armed, number));
            self.buffered -= flow.buffered_bytes();
        }
        Some(entry)
    }

    /// Returns true if there is space for another flow. A full table evicts the least recently used flow if its ends
    /// can continue without the node.
    fn make_room(&mut self) -> bool {
        if !self.table.is_full() {
            return true;
        }
        let idle = match self.table.oldest() {
            Some((number, ProxyEntry::Opening(_))) => Some(number),
            Some((number, ProxyEntry::Split(flow))) if flow.is_idle() => Some(number),
            _ => None,
        };
        if let Some(number) = idle {
            self.forget(number);
            self.counters.flows_forgotten += 1;
        }
        idle.is_some()
    }
}

/// Emits an event about a packet without data that is not forwarded.
fn emit_consumed(packet: &Packet, verdict: AgentVerdict, cx: &mut AgentCx<'_>) {
    if cx.events.is_some() && verdict == AgentVerdict::Take && packet.data().is_none() {
        cx.emit("acks_consumed", 1.0, Some(packet));
    }
}

impl Agent for Proxy {
    fn split_legs(&self) -> Option<SplitLegs> {
        Some(SplitLegs {
            window: self.window,
            wired: self.wired.clone(),
            wireless: self.wireless.clone(),
            assume_sack: self.assume_sack,
        })
    }

    fn on_flow(&mut self, ends: [(Addr, u16); 2], window: ReceiveWindow) {
        let ends = FlowEndpoints::between(ends);
        if window == ReceiveWindow::default() {
            self.flow_windows.remove(&ends);
        } else {
            self.flow_windows.insert(ends, window);
        }
    }

    fn before_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let verdict = self.process_packet(packet, true, cx);
        emit_consumed(packet, verdict, cx);
        verdict
    }

    fn after_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let verdict = self.process_packet(packet, false, cx);
        emit_consumed(packet, verdict, cx);
        verdict
    }

    fn deadline(&self) -> Time {
        self.alarms.first().map_or(Time::NEVER, |(at, _)| *at)
    }

    fn on_wake(&mut self, cx: &mut AgentCx<'_>) {
        while let Some(&(at, number)) = self.alarms.first()
            && at <= cx.now
        {
            self.alarms.pop_first();
            let Some((_, ProxyEntry::Split(flow))) = self.table.get(number) else { continue };
            flow.armed = Time::NEVER;
            if flow.deadline() <= cx.now {
                let before = flow.buffered_bytes();
                flow.wake(cx.now);
                let outcome = flow.pump(&mut self.spare, cx);
                self.after_event(number, before, &outcome);
            } else {
                self.set_alarm(number);
            }
        }
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let counted = &self.counters;
        vec![
            ("flows", self.table.len() as u64),
            ("flows_split", counted.flows_split),
            ("flows_forgotten", counted.flows_forgotten),
            ("flows_let_go", counted.flows_let_go),
            ("flows_given_up", counted.flows_given_up),
            ("flows_reset", counted.flows_reset),
            ("packets_taken", counted.packets_taken),
            ("packets_passed", counted.packets_passed),
            ("acks_ahead", counted.acks_ahead),
            ("bytes_acknowledged_early", counted.bytes_early),
            ("bytes_lost", counted.bytes_lost),
            ("state_bytes", self.state_bytes()),
            ("state_bytes_most", counted.state_bytes_most),
        ]
    }
}
