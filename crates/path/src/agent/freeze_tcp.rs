//! Freeze-TCP (Goff2000): a mobile that predicts a disconnection closes its receive window.
//!
//! The agent runs at the mobile host. `warning` before the radio channel becomes BAD, it advertises a window of zero (a
//! ZWA) to each sender that has sent data, and all segments of the mobile until the channel is GOOD again carry that
//! window. Then each sender receives the last acknowledgment three times, with the original window (the paper's
//! TR-ACKs). In between the sender is in persist mode and keeps its congestion window.
//!
//! The warning should be about one round trip time: data sent before the window closes is then still received and
//! acknowledged before the fade. A shorter warning causes losses, a longer one idle time.
//!
//! Deviations: none known. A channel change of any of the node's links counts; a fade within `warning` after the
//! channel becomes GOOD keeps the window closed.
//!
//! Limits: as for a `FlowTable`; flows are removed after a FIN or RST.

use engine::registry::{Fault, Settings};
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Body, Flags, Packet, Segment};

use super::flow_table::{FlowKey, FlowTable, MAX_FLOWS};
use super::{Agent, AgentCx, AgentVerdict, Effect, SchemeAction, SchemeNode, Semantics, Traits};
use crate::channel::ChannelState;

/// Actions that pictures mark.
const ACTIONS: &[SchemeAction] = &[
    SchemeAction { event: "windows_closed", label: "window closed", effect: Effect::Pauses },
    SchemeAction { event: "windows_opened", label: "window opened", effect: Effect::Resumes },
];

/// Returns the properties of the scheme.
pub fn traits() -> Traits {
    Traits {
        semantics: Semantics::Kept,
        changes: &[SchemeNode::Receiver],
        uploads: &[],
        needs_link_reports: false,
        actions: ACTIONS,
    }
}

/// Settings of the scheme.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Time before the channel becomes BAD at which the radio predicts it; about one round trip time is best.
    #[serde(default = "two_hundred_milliseconds")]
    pub warning: Span,
}

fn two_hundred_milliseconds() -> Span {
    Span::from_millis(200)
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let wrong = self.warning > Span::from_secs(60);
        wrong.then(|| Fault::new("warning", self.warning, "at most 60 s")).into_iter().collect()
    }
}

impl Config {
    /// Creates the agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        Some(Box::new(FreezeTcp {
            warning: self.warning,
            flows: FlowTable::new(MAX_FLOWS),
            frozen: false,
            opens: Time::NEVER,
            freezes: 0,
            windows_closed: 0,
            windows_opened: 0,
        }))
    }
}

/// Number of acknowledgments that reopen the window.
const COPIES: u32 = 3;

/// Size of a flow's state in bytes, as reported in the counters.
const FLOW_BYTES: u64 = 92;

struct FreezeTcp {
    warning: Span,
    /// Flows of data to this host, with the last acknowledgment sent by the host.
    flows: FlowTable<Option<Segment>>,
    /// True while the windows are closed.
    frozen: bool,
    /// Time at which the windows are reopened.
    opens: Time,
    freezes: u64,
    windows_closed: u64,
    windows_opened: u64,
}

impl FreezeTcp {
    /// Sends each flow's last acknowledgment `times` times with a different window; `count` is the counter of these
    /// packets.
    fn advertise(&mut self, count: &'static str, cx: &mut AgentCx<'_>, times: u32, window: impl Fn(u32) -> u32) -> u64 {
        let mut sent = 0;
        self.flows.each(|flow, said| {
            let Some(said) = said else { return };
            let segment = Segment { window: window(said.window), ..*said };
            let packet = Packet::new(flow.dst, flow.src, Body::Tcp(segment));
            for _ in 0..times {
                cx.emit(count, 1.0, Some(&packet));
                cx.send(packet);
                sent += 1;
            }
        });
        sent
    }
}

fn ends_connection(segment: &Segment) -> bool {
    segment.flags.has(Flags::FIN) || segment.flags.has(Flags::RST)
}

impl Agent for FreezeTcp {
    fn before_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let Some((flow, segment)) = FlowKey::of(packet) else { return AgentVerdict::Pass };
        if flow.src != cx.here || !segment.flags.has(Flags::ACK) {
            return AgentVerdict::Pass;
        }
        let flow = flow.opposite();
        if ends_connection(segment) {
            self.flows.remove(&flow);
            return AgentVerdict::Pass;
        }
        let Some(said) = self.flows.get(&flow) else { return AgentVerdict::Pass };
        let mut plain = Segment { seq: segment.seq + segment.seq_len(), len: 0, flags: Flags::ACK, ..*segment };
        plain.options.sack = Default::default();
        *said = Some(plain);
        if self.frozen
            && let Body::Tcp(segment) = &mut packet.body
        {
            segment.window = 0;
            self.windows_closed += 1;
        }
        AgentVerdict::Pass
    }

    fn after_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let Some((flow, segment)) = FlowKey::of(packet) else { return AgentVerdict::Pass };
        if flow.dst != cx.here {
            return AgentVerdict::Pass;
        }
        if ends_connection(segment) {
            self.flows.remove(&flow);
        } else if segment.len > 0 && self.flows.get(&flow).is_none() {
            self.flows.insert(flow, None);
        }
        AgentVerdict::Pass
    }

    fn deadline(&self) -> Time {
        self.opens
    }

    fn on_wake(&mut self, cx: &mut AgentCx<'_>) {
        if cx.now < self.opens {
            return;
        }
        self.opens = Time::NEVER;
        if std::mem::take(&mut self.frozen) {
            self.windows_opened += self.advertise("windows_opened", cx, COPIES, |window| window);
        }
    }

    fn foresight(&self) -> Option<Span> {
        Some(self.warning)
    }

    fn on_forecast(&mut self, state: ChannelState, cx: &mut AgentCx<'_>) {
        match state {
            ChannelState::Good => self.opens = cx.now + self.warning,
            ChannelState::Bad => {
                self.opens = Time::NEVER;
                if !std::mem::replace(&mut self.frozen, true) {
                    self.freezes += 1;
                    self.windows_closed += self.advertise("windows_closed", cx, 1, |_| 0);
                }
            }
        }
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let own = [
            ("freezes", self.freezes),
            ("windows_closed", self.windows_closed),
            ("windows_opened", self.windows_opened),
        ];
        own.into_iter().chain(self.flows.counters(FLOW_BYTES)).collect()
    }
}
