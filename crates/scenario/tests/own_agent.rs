//! An agent from outside, written with public items only, that receives reports of deliveries and of the state of the air.
//! They are compared with the events of the links.

use std::collections::HashMap;

use engine::{Kind, Member, Members, Span, Time};
use path::LinkEvent;
use path::agent::{Agent, AgentConfig, AgentCx};
use path::channel::ChannelState;
use path::outcome::DeliveryNotice;
use schemars::JsonSchema;
use serde::Deserialize;
use sim::{Event, Sink};
use wire::Packet;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Config {}

impl Member<AgentConfig> for Config {
    fn build(&self, (): ()) -> Option<Box<dyn Agent>> {
        Some(Box::new(Watch))
    }
}

/// Emits an event for each notice.
struct Watch;

impl Agent for Watch {
    fn looks_at_deliveries(&self) -> bool {
        true
    }

    fn on_delivered(&mut self, notice: &DeliveryNotice, cx: &mut AgentCx<'_>) {
        cx.emit("delay_us", cx.now.since(notice.queued).as_nanos() as f64 / 1000.0, Some(&notice.packet));
        cx.emit("attempts", f64::from(notice.attempts), Some(&notice.packet));
    }

    fn foresight(&self) -> Option<Span> {
        Some(Span::ZERO)
    }

    fn on_forecast(&mut self, state: ChannelState, cx: &mut AgentCx<'_>) {
        cx.emit("air_is_bad", f64::from(u8::from(state == ChannelState::Bad)), None);
    }
}

/// The reports to the agent, and the events of the links.
#[derive(Default)]
struct Seen {
    /// Time, delay in microseconds and attempts of each delivery.
    reported: Vec<(u64, f64, f64)>,
    air: Vec<(u64, f64)>,
    /// For each packet, by its identification: the time at which it was queued, and the number of its transmissions.
    sent: HashMap<u64, (Time, u32)>,
    /// Number of packets that arrived and were not given up.
    arrived: u64,
    /// Differing reports.
    wrong: Vec<String>,
}

/// A packet's sequence number, or the number of a datagram.
fn number(packet: &Packet) -> u64 {
    packet.data().map_or(0, |segment| u64::from(segment.seq.0))
}

impl Sink for Seen {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        let micros = at.as_nanos() / 1000;
        match event {
            Event::Agent { name: "delay_us", value, packet, .. } => {
                self.reported.push((micros, *value, 0.0));
                let known = packet.and_then(|packet| self.sent.get(&number(&packet)));
                if let Some((queued, _)) = known.filter(|_| packet.is_some_and(|packet| packet.data().is_some()))
                    && at.since(*queued).as_nanos() as f64 / 1000.0 != *value
                {
                    self.wrong.push(format!("{micros}: {value} us, queued at {queued}"));
                }
            }
            Event::Agent { name: "attempts", value, packet, .. } => {
                self.reported.last_mut().unwrap().2 = *value;
                let known = packet.and_then(|packet| self.sent.remove(&number(&packet)));
                if let Some((_, sent)) = known.filter(|_| packet.is_some_and(|packet| packet.data().is_some()))
                    && f64::from(sent) != *value
                {
                    self.wrong.push(format!("{micros}: {value} attempts, sent {sent} times"));
                }
            }
            Event::Agent { name: "air_is_bad", value, .. } => self.air.push((micros, *value)),
            Event::Link { hop, event, .. } if hop.direction.index() == 0 => match event {
                LinkEvent::Dequeued { packet, arrived, .. } => {
                    self.sent.insert(number(packet), (*arrived, 0));
                }
                LinkEvent::FrameSent { packet, .. } => {
                    self.sent.entry(number(packet)).and_modify(|(_, sent)| *sent += 1);
                }
                LinkEvent::Arrived { .. } => self.arrived += 1,
                LinkEvent::GivenUp { arrived: true, .. } => self.arrived -= 1,
                _ => {}
            },
            _ => {}
        }
    }
}

/// Runs a flow over a link with these lines in its table, from a node with the agent.
fn run(link: &str, flow: &str) -> Seen {
    let mut members = Members::default();
    members.add::<AgentConfig>(Kind::<Config>::new("watch", "Emits its reports as events").version("1")).unwrap();
    let text = format!(
        r#"
duration = "20 s"
[nodes]
station = {{ kind = "host", scheme = "watch" }}
mobile = {{ kind = "host" }}
[links.air]
kind = "wireless"
between = ["station", "mobile"]
queue = "unlimited"
{link}
[flows.down]
from = "station"
to = "mobile"
{flow}
# The run goes on when the flow has ended, until the last link acknowledgment.
[flows.up]
from = "mobile"
to = "station"
transport = "udp"
traffic = {{ kind = "cbr", rate = "1 kbps" }}
"#
    );
    let loaded =
        scenario::from_toml_with("net.toml", &text, &members).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let mut world = sim::World::new(&loaded.network, false);
    let mut seen = Seen::default();
    world.run(&mut seen);
    seen
}

/// A datagram of 125 bytes each millisecond takes 1 ms at 1 Mbps; its acknowledgment of 14 bytes, 112 us. With 2 ms of
/// delay each way an acknowledgment arrives 5112 us after the start of the frame, and is overdue 1 ms later. The second
/// datagram's first frame is lost.
#[test]
fn delay_counts_from_the_queue_to_the_acknowledgment() {
    let link = r#"rate = "1 Mbps"
delay = "2 ms"
channel = { kind = "scripted", drop = [1] }
arq = { kind = "stop-and-wait", margin = "1 ms"}"#;
    let flow = r#"transport = "udp"
traffic = { kind = "cbr", rate = "776 kbps", packet = "97 B", bytes = "291 B" }"#;
    let seen = run(link, flow);
    let expected = [(5112, 5112.0, 1.0), (5112 + 6112 + 5112, 15336.0, 2.0), (21448, 19448.0, 1.0)];
    assert_eq!(seen.reported, expected);
}

#[test]
fn every_link_layer_with_acknowledgments_reports_each_delivery_once() {
    let flow = r#"bytes = "300 kB"
mss = "1000 B""#;
    let wire = "rate = \"2 Mbps\"\ndelay = \"5 ms\"\nchannel = { kind = \"uniform\", loss = 0.2 }\n";
    for arq in ["stop-and-wait", "go-back-n", "selective-repeat"] {
        let seen = run(&format!("{wire}arq = {{ kind = \"{arq}\", max_transmissions = 20 }}"), flow);
        assert!(seen.reported.len() >= 300, "{arq}: {}", seen.reported.len());
        assert_eq!((seen.reported.len() as u64, seen.wrong), (seen.arrived, vec![]), "{arq}");
        assert!(seen.reported.iter().any(|(.., attempts)| *attempts > 2.0), "{arq}");
    }
    let air = "medium = \"cell\"\nchannel = { kind = \"uniform\", loss = 0.1 }\n[media.cell]\n";
    let cells =
        [r#"standard = "802.11g""#, "standard = \"802.11n\"\nrate = \"65 Mbps\"\naggregation = { frames = 32 }"];
    for cell in cells {
        let seen = run(&format!("{air}{cell}"), flow);
        assert!(seen.reported.len() >= 300, "{cell}: {}", seen.reported.len());
        assert_eq!((seen.reported.len() as u64, seen.wrong), (seen.arrived, vec![]), "{cell}");
        assert!(seen.reported.iter().any(|(.., attempts)| *attempts > 2.0), "{cell}");
    }
    // Without link acknowledgments the agent receives no reports.
    assert_eq!(run(&format!("{wire}arq = \"none\""), flow).reported, []);
}

#[test]
fn measured_air_is_reported_when_it_changes() {
    let link = r#"rate = "1 Mbps"
delay = "2 ms"
channel = { kind = "scripted", bad = [["30 ms", "80 ms"], ["1 s", "1.5 s"]] }"#;
    let seen = run(link, r#"bytes = "300 kB""#);
    assert_eq!(seen.air, [(30_000, 1.0), (80_000, 0.0), (1_000_000, 1.0), (1_500_000, 0.0)]);
}
