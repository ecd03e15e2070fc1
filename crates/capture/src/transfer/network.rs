//! The network of a captured connection: two hosts and a link, as far as a capture shows it.

use engine::{Bytes, Rate, Span, Time};
use path::agent::{AgentConfig, unmodified};
use path::channel::{ChannelConfig, perfect};
use path::link::Timing;
use path::mac::arq::{ArqConfig, none};
use path::queue::{Limit, Tie};
use sim::{FlowSpec, LinkSpec, Network, NodeKind, NodeSpec, Radio};

use super::Survey;

/// The rate of a link whose rate is unknown: it takes no time.
const UNKNOWN: u64 = 1_000_000_000_000;

/// The node of the sender, and that of the receiver.
pub(super) const SENDER: usize = 0;
pub(super) const RECEIVER: usize = 1;

/// Two hosts, joined by a link with the rate that the survey estimates and the delay of the least round trip. The flow
/// has number 0.
pub fn network(survey: &Survey) -> Network {
    let sender = survey.sender;
    let name = |end: crate::End| survey.stream.ends[end.index()].to_string();
    let host = |name: String| NodeSpec {
        name,
        kind: NodeKind::Host,
        buffer: None,
        processing_delay: Span::ZERO,
        radio: Radio::PerLink,
        scheduler: Default::default(),
        agent: AgentConfig::Unmodified(unmodified::Config::default()),
        place: None,
        association: None,
    };
    let link = LinkSpec {
        name: "path".to_owned(),
        between: [SENDER, RECEIVER],
        wireless: false,
        rate: rate(survey),
        delay: propagation(survey),
        timing: Timing::Exact,
        queue: Limit::None.into(),
        queue_tie: Tie::default(),
        changes: None,
        channel: ChannelConfig::Perfect(perfect::Config::default()),
        arq: ArqConfig::None(none::Config::default()),
        medium: None,
        medium_rate: None,
        random_seed: 0,
        backward: None,
    };
    let mut flow = FlowSpec::bulk(&format!("stream {}", survey.number), [SENDER, RECEIVER], Some(survey.bytes));
    flow.start = survey.stream.start;
    flow.tcp.segment = survey.mss;
    flow.tcp.window = Bytes(if survey.scale_known { survey.window } else { u32::MAX }.into());
    Network {
        nodes: vec![host(name(sender)), host(name(sender.other()))],
        links: vec![link],
        media: Vec::new(),
        flows: vec![flow],
        duration: survey.stream.end.since(Time::ZERO),
        seed: 0,
        replication: 0,
        arrivals: Vec::new(),
    }
}

fn rate(survey: &Survey) -> Rate {
    survey.rate.or(Rate::from_bits_per_sec(UNKNOWN)).expect("not zero")
}

/// The transmission time of a full segment.
pub(super) fn transmission(survey: &Survey) -> Span {
    rate(survey).transmission_time(survey.mss + survey.headers)
}

/// The delay of the link in either direction: the least round trip has two of them, and the transmission of a segment.
pub(super) fn propagation(survey: &Survey) -> Span {
    let round_trip = survey.round_trip().as_nanos();
    Span::from_nanos((round_trip - transmission(survey).as_nanos().min(round_trip)) / 2)
}
