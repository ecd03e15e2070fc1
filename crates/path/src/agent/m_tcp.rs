//! M-TCP at the base station (Brown1997): a sender whose receiver is gone is frozen, not left to time out.
//!
//! Of every acknowledgment the last byte is kept back: one of N goes on as one of N - 1, with the same right edge of
//! the window. When the mobile is gone, N is acknowledged with a window of zero; the sender goes into persist mode, its
//! congestion window stays. The mobile's next acknowledgment opens the window again.
//!
//! The mobile is gone if data is outstanding in the air and no acknowledgment has come for `silence`, or, with
//! `notices`, when a link layer that tries more than once has given up on a segment. Two packets of the station's own
//! replace what the paper has its hosts do: while the mobile is gone, an empty segment below what it has, every `probe`
//! for 100 s, which it must answer [RFC9293 s3.10.7.4] (there: the mobile greets); and when nothing is outstanding any
//! more for `idle`, the acknowledgment of the last byte (there: left to the end of the connection), or the sender would
//! time out waiting for it.
//!
//! Deviations: the paper splits the connection at the base station, which resends what was lost in the air; here the
//! sender does. Its bandwidth management (compaction, smaller windows for some) is not modelled.
//!
//! Limits: the flows of a `FlowTable`; flows that begin or end at the node itself pass untouched.

use engine::registry::{Fault, Settings};
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Body, Ecn, Flags, Packet, Segment, SeqNum};

use super::flow_table::{Flow, MOST_FLOWS, TimedFlows};
use super::{Agent, AgentCx, Place, Semantics, Traits, Verdict};
use crate::station::RadioNotice;

/// The requirements of the scheme, and its effect on acknowledgments.
pub fn traits() -> Traits {
    Traits { semantics: Semantics::Kept, changes: &[Place::BaseStation], uploads: &[], hears_link_layer: false }
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The mobile counts as gone when outstanding data is unacknowledged for this long; less than the sender's timeout.
    #[serde(default = "half_a_second")]
    pub silence: Span,
    /// Whether it is also gone when the link layer has given up on a segment, if it tries more than once.
    #[serde(default = "yes")]
    pub notices: bool,
    /// How often a mobile that is gone is asked whether it is back.
    #[serde(default = "tenth_of_a_second")]
    pub probe: Span,
    /// How long the last byte is kept back when nothing is outstanding behind it.
    #[serde(default = "tenth_of_a_second")]
    pub idle: Span,
}

fn half_a_second() -> Span {
    Span::from_millis(500)
}

fn tenth_of_a_second() -> Span {
    Span::from_millis(100)
}

fn yes() -> bool {
    true
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let times = [("silence", self.silence), ("probe", self.probe), ("idle", self.idle)];
        let wrong = times.into_iter().filter(|(_, time)| *time < Span::from_millis(1) || *time > Span::from_secs(60));
        wrong.map(|(key, time)| Fault::new(key, time, "1 ms to 60 s")).collect()
    }
}

impl Config {
    /// The agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        let (flows, counters) = (TimedFlows::new(MOST_FLOWS), Counters::default());
        Some(Box::new(MTcp { config: self.clone(), flows, counters }))
    }
}

/// A mobile that is gone for this long is probed no more: a connection may be given up then [RFC9293 s3.8.3]. The
/// sender's own probes go on, and an answer to one of them opens the window.
const LONGEST_ASKING: Span = Span::from_secs(100);

/// The bytes of state that are counted for a flow.
const FLOW_BYTES: u64 = 220;

struct MTcp {
    config: Config,
    flows: TimedFlows<Known>,
    counters: Counters,
}

#[derive(Default)]
struct Counters {
    kept_back: u64,
    freezes: u64,
    probes: u64,
    given_up: u64,
    released: u64,
    acks_of_unseen: u64,
}

/// The state of a flow of data towards the radio link.
struct Known {
    /// The first byte seen, and the first behind all seen.
    first: SeqNum,
    top: SeqNum,
    /// The first number behind the sender's FIN.
    fin: Option<SeqNum>,
    /// The sender's last segment without its data: what it acknowledges, and its window. A SYN says neither.
    sender: Option<Segment>,
    /// The mobile's last acknowledgment, without data; whether the agent withheld its last byte from the sender, and
    /// whether it was a duplicate.
    acked: Option<Segment>,
    kept_back: bool,
    repeated: bool,
    /// Since when the mobile is gone, if it is: the sender has received a window of zero.
    gone: Option<Time>,
}

impl Known {
    fn new(segment: &Segment) -> Self {
        let first = segment.seq;
        let (sender, top) = (acknowledging(segment), first + segment.seq_len());
        let fin = segment.flags.has(Flags::FIN).then_some(top);
        Known { first, top, fin, sender, acked: None, kept_back: false, repeated: false, gone: None }
    }

    /// The outstanding data on the radio link; none before the mobile has acknowledged anything.
    fn outstanding(&self) -> bool {
        self.acked.is_some_and(|acked| self.top.since(acked.ack) > 0)
    }

    /// The acknowledgment to send for one of `ack`.
    fn shortened(&self, ack: SeqNum, whole: bool) -> SeqNum {
        let less = SeqNum(ack.0.wrapping_sub(1));
        // Only a byte of data can be kept back.
        let data = less.since(self.first) > 0 && self.fin != Some(ack);
        if data && !whole { less } else { ack }
    }

    fn when(&self, config: &Config, now: Time) -> Time {
        match () {
            () if self.gone.is_some() => now + config.probe,
            () if self.outstanding() => now + config.silence,
            () if self.kept_back => now + config.idle,
            () => Time::NEVER,
        }
    }
}

/// A bare acknowledgment that follows the segment: no data, and of its options only the timestamps.
fn bare(segment: &Segment) -> Segment {
    let mut bare = Segment { seq: segment.seq + segment.seq_len(), len: 0, flags: Flags::ACK, ..*segment };
    let timestamps = bare.options.timestamps;
    bare.options.clear();
    bare.options.timestamps = timestamps;
    bare
}

fn acknowledging(segment: &Segment) -> Option<Segment> {
    segment.flags.has(Flags::ACK).then(|| bare(segment))
}

fn packet(flow: Flow, segment: Segment) -> Packet {
    Packet { src: flow.src, dst: flow.dst, ecn: Ecn::NotEct, body: Body::Tcp(segment) }
}

impl MTcp {
    fn freeze(&mut self, flow: Flow, cx: &mut AgentCx<'_>) {
        let Some(known) = self.flows.peek(&flow) else { return };
        let Some(acked) = known.acked.filter(|_| known.gone.is_none()) else { return };
        known.gone = Some(cx.now);
        known.kept_back = false;
        self.counters.freezes += 1;
        cx.send(packet(flow.reversed(), Segment { window: 0, ..acked }));
        let due = known.when(&self.config, cx.now);
        self.flows.wake_at(&flow, due);
    }
}

impl Agent for MTcp {
    fn before_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> Verdict {
        let Some((flow, segment)) = Flow::of(packet) else { return Verdict::Pass };
        if flow.src == cx.here || segment.seq_len() == 0 {
            return Verdict::Pass;
        }
        if segment.flags.has(Flags::RST) || segment.flags.has(Flags::SYN) {
            self.flows.remove(&flow);
        }
        if segment.flags.has(Flags::RST) {
            return Verdict::Pass;
        }
        let Some(known) = self.flows.get(&flow) else {
            self.flows.insert(flow, Known::new(segment));
            return Verdict::Pass;
        };
        let end = segment.seq + segment.seq_len();
        let idle = !known.outstanding();
        if end.since(known.top) > 0 {
            known.top = end;
            known.sender = acknowledging(segment).or(known.sender);
        }
        if segment.flags.has(Flags::FIN) {
            known.fin = Some(end);
        }
        if idle && known.outstanding() && known.gone.is_none() {
            let due = known.when(&self.config, cx.now);
            self.flows.wake_at(&flow, due);
        }
        Verdict::Pass
    }

    fn after_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> Verdict {
        let Some((back, segment)) = Flow::of(packet) else { return Verdict::Pass };
        let flow = back.reversed();
        if segment.flags.has(Flags::RST) {
            self.flows.remove(&flow);
            return Verdict::Pass;
        }
        let Some(known) = self.flows.get(&flow).filter(|_| segment.flags.has(Flags::ACK)) else { return Verdict::Pass };
        if segment.ack.since(known.top) > 0 {
            self.counters.acks_of_unseen += 1;
            return Verdict::Pass;
        }
        if known.acked.is_some_and(|acked| segment.ack.since(acked.ack) < 0) {
            // An old one. It opens no window, but it shows that the mobile is reachable.
            return Verdict::Pass;
        }
        // Said again, it asks for the byte behind: a sender that lacks the last one would resend what the mobile has.
        // So it would if the one that ends its recovery did not say all.
        let repeats = known.acked.is_some_and(|acked| acked.ack == segment.ack);
        let after_repeats = std::mem::replace(&mut known.repeated, repeats);
        known.acked = Some(bare(segment));
        known.gone = None;
        let whole = repeats || after_repeats || segment.flags.has(Flags::FIN) || segment.flags.has(Flags::SYN);
        let says = known.shortened(segment.ack, whole);
        known.kept_back = says != segment.ack;
        let due = known.when(&self.config, cx.now);
        if let Body::Tcp(segment) = &mut packet.body
            && says != segment.ack
        {
            segment.ack = says;
            // The right edge stays, where the wire can say so.
            if segment.window_shift == 0 && segment.window > 0 && segment.window < u32::from(u16::MAX) {
                segment.window += 1;
            }
            self.counters.kept_back += 1;
        }
        self.flows.wake_at(&flow, due);
        Verdict::Pass
    }

    fn on_radio(&mut self, notice: &RadioNotice, cx: &mut AgentCx<'_>) {
        // One that tries once has lost a frame, and knows no more than that.
        let tried = notice.last && notice.attempt > 1;
        if !self.config.notices || !tried || notice.packet.data().is_none() {
            return;
        }
        if let Some((flow, _)) = Flow::of(&notice.packet) {
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
                if cx.now.since(since) >= LONGEST_ASKING {
                    self.counters.given_up += 1;
                    continue;
                }
                let seq = SeqNum(acked.ack.0.wrapping_sub(1));
                if let Some(sender) = known.sender {
                    self.counters.probes += 1;
                    cx.send(packet(flow, Segment { seq, ..sender }));
                }
                self.flows.wake_at(&flow, cx.now + self.config.probe);
            } else if known.outstanding() {
                self.freeze(flow, cx);
            } else {
                known.kept_back = false;
                self.counters.released += 1;
                cx.send(packet(flow.reversed(), acked));
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
