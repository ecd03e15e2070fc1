//! Random traffic of several flows in both directions, and random reports of the link layer.

use std::collections::BTreeMap;

use engine::{Draws, Rate, Span, Stream, Time};
use path::agent::{AgentConfig, AgentVerdict, Departure, LinkView};
use path::channel::ChannelState;
use path::outcome::{DeliveryNotice, RadioNotice};
use path::queue::Limit;
use path::{HopId, LinkDirection, LinkId};
use wire::{Flags, Options, Packet, SackBlocks, Segment, SeqNum, Timestamps};

use super::driver::Driver;
use super::hosts::{FIXED, from_fixed, from_mobile, of_flow};
use crate::breach::Breach;
use crate::draw::Draw;

const HOP: HopId = LinkId::new(0).hop(LinkDirection::Forward);

/// A random input of an agent.
#[derive(Clone, Copy, Debug)]
pub enum Input {
    /// A packet that is about to be queued for the radio link.
    ToAir(Packet),
    /// A packet that has arrived over the radio link.
    FromAir(Packet),
    /// A failed attempt of the link layer.
    Failed(RadioNotice),
    /// A change of the channel; reported only to an agent with foresight.
    Air(ChannelState),
}

/// What followed an input.
#[derive(Clone, PartialEq, Debug)]
pub struct AgentOutput {
    /// The packet, as changed by the agent, if it was forwarded.
    pub passed: Option<Packet>,
    /// The packets that the agent sent since the input before.
    pub sent: Vec<Departure>,
}

/// Random traffic of several flows in both directions, with losses, repetitions, reordering and invalid packets.
pub struct Traffic {
    draws: Draws,
    flows: u16,
    /// For each flow, the number of bytes sent by the fixed host and by the mobile.
    sent: BTreeMap<u16, [u32; 2]>,
    now: Time,
    mirrored: bool,
}

impl Traffic {
    /// Creates the traffic of a number of flows, at an agent in a base station.
    pub fn new(seed: u64, flows: u16) -> Self {
        let draws = Stream::named(seed, 0, "traffic").draws();
        Traffic { draws, flows, sent: BTreeMap::new(), now: Time::ZERO, mirrored: false }
    }

    /// Returns the same traffic for an agent in the mobile, with the fixed host on the radio link's side.
    pub fn mirror(self) -> Self {
        Traffic { mirrored: true, ..self }
    }

    fn next(&mut self) -> (Time, Input) {
        let most = if self.draws.chance(0.001) { 20_000_000 } else { 3_000 };
        let wait = self.draws.below(most);
        self.now += Span::from_nanos(wait * 1000);
        let packet = self.packet();
        let input = match (self.draws.unit(), (packet.src == FIXED) != self.mirrored) {
            (0.97.., true) => {
                let attempt = 1 + self.draws.below(9) as u32;
                Input::Failed(RadioNotice { hop: HOP, packet, attempt, last: attempt == 9 })
            }
            (0.97.., false) => Input::Air(if self.draws.chance(0.5) { ChannelState::Good } else { ChannelState::Bad }),
            (_, true) => Input::ToAir(packet),
            (_, false) => Input::FromAir(packet),
        };
        (self.now, input)
    }

    fn packet(&mut self) -> Packet {
        let flow = self.draws.below(u64::from(self.flows)) as u16;
        let fixed = self.draws.chance(0.5);
        let mut segment = Segment { flags: Flags::ACK, window: 8000, ..Segment::default() };
        if self.draws.chance(0.02) {
            self.absurd(&mut segment);
        } else {
            self.plausible(&mut segment, flow, usize::from(!fixed));
        }
        let change = |own: &mut Segment| {
            *own = Segment { src_port: own.src_port, dst_port: own.dst_port, ..segment };
        };
        of_flow(flow, if fixed { from_fixed(change) } else { from_mobile(change) })
    }

    /// Makes a plausible packet of an end: mostly new data, or an acknowledgment of received data.
    fn plausible(&mut self, segment: &mut Segment, flow: u16, side: usize) {
        const LEN: u32 = 1000;
        let mut sent = self.sent.get(&flow).copied().unwrap_or_default();
        // The fixed host sends most of the data.
        if self.draws.chance([0.8, 0.1][side]) {
            let (len, what) = (if self.draws.chance(0.05) { 1 } else { LEN }, self.draws.unit());
            // 10 % are retransmissions, and another 10 % are lost before the node.
            let back = if what < 0.1 { self.draws.below(20) as u32 * LEN } else { 0 };
            segment.seq = SeqNum(sent[side].saturating_sub(back));
            segment.len = len;
            sent[side] += if back > 0 { 0 } else { len };
            if what > 0.9 {
                sent[side] += LEN;
            }
        } else {
            segment.seq = SeqNum(sent[side]);
        }
        let behind = if self.draws.chance(0.5) { 3 * LEN } else { self.draws.below(30) as u32 * LEN };
        segment.ack = SeqNum(sent[1 - side].saturating_sub(behind) / LEN * LEN);
        if self.draws.chance(0.3) {
            let from = segment.ack + LEN;
            segment.options.sack = [(from, from + LEN)].into_iter().collect();
        }
        self.sent.insert(flow, sent);
    }

    /// Makes an implausible packet.
    fn absurd(&mut self, segment: &mut Segment) {
        let mut any = || self.draws.next_u64() as u32;
        segment.seq = SeqNum(any());
        segment.ack = SeqNum(any());
        segment.window = any() >> (any() % 32);
        segment.len = any() >> (any() % 32);
        segment.flags = Flags(any() as u16);
        let sack: SackBlocks = (0..any() % 5).map(|_| (SeqNum(any()), SeqNum(any()))).collect();
        let timestamps = (any() % 2 == 0).then(|| Timestamps { value: any(), echo: any() });
        segment.options = Options { sack, timestamps, ..Options::default() };
    }

    /// Makes the state of the radio link's queue.
    fn link(&mut self) -> LinkView {
        let waiting = self.draws.below(100);
        LinkView {
            hop: HOP,
            waiting: waiting as usize,
            waiting_bytes: 1040 * waiting,
            outstanding: self.draws.below(8) as usize,
            limit: Limit::Packets(100),
            rate: Rate::from_bits_per_sec(2_000_000).expect("a rate above 0"),
            busy: self.now.since(Time::ZERO),
        }
    }
}

/// Passes random inputs to an agent, as its node would, with the optional calls that it declares. Calls `observe` after
/// each input. Returns the agent, or `None` if the scheme has none.
///
/// # Errors
/// Errors of [`Driver`] and of `observe`.
pub fn feed_agent(
    config: &AgentConfig,
    mut traffic: Traffic,
    inputs: usize,
    mut observe: impl FnMut(&Driver, &Input, AgentOutput) -> Result<(), Breach>,
) -> Result<Option<Driver>, Breach> {
    let Some(mut driver) = Driver::new(config)? else { return Ok(None) };
    let declared = driver.constants();
    // A forwarded packet that the link layer has not acknowledged, and when it was queued.
    let mut queued = None;
    for _ in 0..inputs {
        let (at, input) = traffic.next();
        let mut sent = Vec::new();
        driver.advance(at, |_, more| sent.extend(more))?;
        let mut passed = None;
        match input {
            Input::ToAir(mut packet) => {
                if declared.looks_at_link {
                    let link = traffic.link();
                    sent.extend(driver.call("on_link", |agent, cx| agent.on_link(&link, cx))?.1);
                }
                let (verdict, more) = driver.call("before_air", |agent, cx| agent.before_air(&mut packet, cx))?;
                sent.extend(more);
                passed = (verdict == AgentVerdict::Pass).then_some(packet);
                if let Some(packet) = passed {
                    if traffic.draws.chance(0.05) {
                        sent.extend(driver.call("on_queue_full", |agent, cx| agent.on_queue_full(&packet, cx))?.1);
                    } else {
                        queued = Some((packet, at));
                    }
                }
            }
            Input::FromAir(mut packet) => {
                let (verdict, more) = driver.call("after_air", |agent, cx| agent.after_air(&mut packet, cx))?;
                sent.extend(more);
                passed = (verdict == AgentVerdict::Pass).then_some(packet);
                if declared.looks_at_deliveries
                    && let Some((packet, queued)) = queued.take()
                {
                    let attempts = 1 + traffic.draws.below(8) as u32;
                    let notice = DeliveryNotice { hop: HOP, packet, queued, attempts };
                    sent.extend(driver.call("on_delivered", |agent, cx| agent.on_delivered(&notice, cx))?.1);
                }
            }
            Input::Failed(notice) => {
                sent.extend(driver.call("on_radio", |agent, cx| agent.on_radio(&notice, cx))?.1);
            }
            Input::Air(state) if declared.foresight.is_some() => {
                sent.extend(driver.call("on_forecast", |agent, cx| agent.on_forecast(state, cx))?.1);
            }
            Input::Air(_) => {}
        }
        observe(&driver, &input, AgentOutput { passed, sent })?;
    }
    Ok(Some(driver))
}
