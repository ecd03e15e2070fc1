//! A link layer from outside, written with public items only: it sends each packet a fixed number of times, without
//! acknowledgments.

use std::collections::VecDeque;

use engine::registry::Fault;
use engine::{Kind, Member, Members, Slot, Time};
use path::channel::{ChannelFrame, FrameFate};
use path::link::{HopCounters, Link, LinkParts, TransmissionLine};
use path::mac::arq::{Arq, ArqConfig};
use path::outcome::Outcomes;
use path::queue::backlog::Offer;
use path::queue::{Backlog, RouterBuffer};
use path::{HopId, HopState, LinkCx, LinkEvent};
use schemars::JsonSchema;
use serde::Deserialize;
use wire::Packet;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Config {
    /// Transmissions of each packet, at least 1.
    copies: u32,
}

impl Member<ArqConfig> for Config {
    fn check(&self) -> Vec<Fault> {
        Fault::unless_some("copies", self.copies, 9).into_iter().collect()
    }

    fn build(&self, (): ()) -> Arq {
        let copies = self.copies;
        Arq::own(move |parts| Repeater::new(parts, copies)).in_order(true)
    }
}

/// The packet being sent.
struct RepeatedPacket {
    packet: Packet,
    /// Copies that are not sent yet.
    left: u32,
    /// Whether a copy has survived.
    survived: bool,
}

struct Repeater {
    hop: HopId,
    line: TransmissionLine,
    queue: Backlog,
    slot: Slot,
    copies: u32,
    current: Option<RepeatedPacket>,
    free: Time,
    arriving: VecDeque<(Time, Packet)>,
    counters: HopCounters,
}

impl Repeater {
    fn new(LinkParts { hop, line, queue, slot, .. }: LinkParts, copies: u32) -> Self {
        let (current, free, arriving, counters) = (None, Time::ZERO, VecDeque::new(), HopCounters::default());
        Repeater { hop, line, queue, slot, copies, current, free, arriving, counters }
    }

    /// Sends a copy if the line is free, and arms the slot.
    fn proceed(&mut self, buffer: &mut RouterBuffer, cx: &mut LinkCx<'_>) {
        if self.free <= cx.now {
            let left = self.copies;
            let begin = |packet| RepeatedPacket { packet, left, survived: false };
            let next = || self.queue.pop(self.hop, &mut self.counters, cx, |queued| begin(queued.packet));
            if let Some(current) = self.current.take().or_else(next) {
                self.send(current, buffer, cx);
            }
        }
        let busy = (self.current.is_some() || !self.queue.is_empty()).then_some(self.free);
        let first = self.arriving.front().map(|(at, _)| *at);
        match busy.into_iter().chain(first).min() {
            Some(at) => cx.schedule.arm(self.slot, at),
            None => cx.schedule.disarm(self.slot),
        }
    }

    fn send(&mut self, current: RepeatedPacket, buffer: &mut RouterBuffer, cx: &mut LinkCx<'_>) {
        let RepeatedPacket { packet, left, survived } = current;
        let (now, size, number) = (cx.now, packet.size(), Some(self.counters.frames_sent));
        let duration = self.line.transmission_time(size);
        let frame = ChannelFrame { now, start: now, duration, size, direction: self.hop.direction, number };
        let survives = cx.channels[self.hop.link].fate(&frame) == FrameFate::Arrives;
        self.free = now + duration;
        self.counters.frames_sent += 1;
        self.counters.busy = self.counters.busy + duration;
        if !survives {
            self.counters.frames_corrupted += 1;
        } else if survived {
            self.counters.duplicates += 1;
        } else {
            self.arriving.push_back((self.free + self.line.delay, packet));
        }
        if left > 1 {
            self.current = Some(RepeatedPacket { packet, left: left - 1, survived: survived || survives });
            return;
        }
        buffer.leaves_at(self.free, size);
        if !survived && !survives {
            self.counters.packets_dropped += 1;
            cx.emit(self.hop, || LinkEvent::Lost { packet });
        }
    }
}

impl Link for Repeater {
    fn accept(&mut self, packet: &Packet, expedited: bool, buffer: &mut RouterBuffer, cx: &mut LinkCx<'_>) -> bool {
        let at_once = self.current.is_none() && self.queue.is_empty() && self.free <= cx.now;
        let offer = Offer { expedited, at_once, ..Offer::default() };
        let accepted = self.queue.offer(packet, offer, self.hop, &mut self.counters, cx);
        if !accepted {
            buffer.release(packet.size());
        }
        self.proceed(buffer, cx);
        buffer.release(self.queue.take_dropped().bytes);
        accepted
    }

    fn wake(&mut self, buffer: &mut RouterBuffer, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        if self.arriving.front().is_some_and(|(at, _)| *at <= cx.now)
            && let Some((_, packet)) = self.arriving.pop_front()
        {
            self.counters.packets_delivered += 1;
            cx.emit(self.hop, || LinkEvent::Arrived { packet });
            outcomes.deliver(self.hop, &packet);
        }
        self.proceed(buffer, cx);
        buffer.release(self.queue.take_dropped().bytes);
    }

    fn counters(&self, now: Time) -> HopCounters {
        let mut counters = self.counters;
        counters.busy = counters.busy - self.free.since(now);
        counters
    }

    fn state(&self, _: Time) -> HopState {
        let outstanding = self.arriving.len() + usize::from(self.current.is_some());
        HopState { waiting: self.queue.len(), waiting_bytes: self.queue.bytes(), outstanding, link_layer: None }
    }
}

fn load(arq: &str) -> Result<scenario::Loaded, Vec<scenario::problem::Problem>> {
    let mut members = Members::default();
    members.add::<ArqConfig>(Kind::<Config>::new("repeat", "Each packet is sent several times").version("1")).unwrap();
    let text = format!(
        r#"
duration = "600 s"
[nodes]
server = {{ kind = "host" }}
mobile = {{ kind = "host" }}
[links.air]
kind = "wireless"
between = ["server", "mobile"]
rate = "2 Mbps"
delay = "10 ms"
channel = {{ kind = "uniform", loss = 0.05 }}
arq = {arq}
[flows.download]
from = "server"
to = "mobile"
bytes = "400 kB"
mss = "1000 B"
"#
    );
    scenario::from_toml_with("net.toml", &text, &members)
}

/// Returns the downstream counters of the radio link after a flow of 400 packets.
fn run(arq: &str) -> HopCounters {
    let loaded = load(arq).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let mut world = sim::World::new(&loaded.network, false);
    world.run(&mut sim::NullSink);
    let results = world.results();
    assert!(results.flows[0].completed.is_some(), "{arq}");
    results.links[0].directions[0]
}

#[test]
fn copies_replace_retransmissions_of_tcp() {
    let once = run(r#""none""#);
    assert!(once.packets_dropped > 10, "{once:?}");
    let four = run(r#"{ kind = "repeat", copies = 4 }"#);
    // One packet in 160,000 is lost with all its copies.
    assert_eq!((four.packets_dropped, four.packets_delivered), (0, 400), "{four:?}");
    assert_eq!(four.frames_sent, 4 * 400);
    assert_eq!(four.frames_sent - four.frames_corrupted, four.packets_delivered + four.duplicates);
}

#[test]
fn zero_copies_are_refused_with_their_key() {
    let problems = load(r#"{ kind = "repeat", copies = 0 }"#).unwrap_err();
    let keys: Vec<_> = problems.iter().filter_map(|problem| problem.key.as_deref()).collect();
    assert_eq!(keys, ["links.air.arq.copies"]);
}
