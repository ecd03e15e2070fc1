//! The thesis's traces: two columns, time in milliseconds and a value, as gnuplot reads them [goel1997 B.4].

use std::io::{self, Write};
use std::path::PathBuf;

use engine::{Stream, Time};
use path::channel::{ChannelConfig, State};
use sim::{Event, NodeEvent};

use super::file::{Millis, TraceFile};
use super::{Output, Stage};

/// One file of two columns.
struct Columns<P> {
    file: TraceFile,
    pick: P,
}

impl<P: FnMut(&Event) -> Option<f64>> Output for Columns<P> {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        match (self.pick)(event) {
            Some(value) => row(&mut self.file, at, value),
            None => Ok(()),
        }
    }

    fn finish(&mut self, _: Time) -> io::Result<()> {
        self.file.flush()
    }

    fn path(&self) -> PathBuf {
        self.file.path()
    }
}

/// Whole numbers as such, others with three decimals at most.
fn row(file: &mut TraceFile, at: Time, value: f64) -> io::Result<()> {
    let text = format!("{value:.3}");
    writeln!(file, "{} {}", Millis(at), text.trim_end_matches('0').trim_end_matches('.'))
}

/// A trace of each flow's sender.
fn of_senders(stage: &Stage<'_>, name: &str, pick: fn(&tcp::Event) -> Option<f64>) -> Vec<Box<dyn Output>> {
    let open = |flow: usize| -> Box<dyn Output> {
        let file = TraceFile::new(stage.dir.join(format!("{}-{name}", stage.sender_stem(flow))));
        let pick = move |event: &Event| match event {
            Event::Sender { flow: number, event } if *number as usize == flow => pick(event),
            _ => None,
        };
        Box::new(Columns { file, pick })
    };
    (0..stage.network.flows.len()).map(open).collect()
}

pub(super) fn seqno(stage: &Stage<'_>) -> Vec<Box<dyn Output>> {
    of_senders(stage, "seqno", |event| match event {
        tcp::Event::SegmentSent { seq, .. } => Some(*seq as f64),
        _ => None,
    })
}

pub(super) fn ackno(stage: &Stage<'_>) -> Vec<Box<dyn Output>> {
    of_senders(stage, "ackno", |event| match event {
        tcp::Event::AckReceived { ack, .. } => Some(*ack as f64),
        _ => None,
    })
}

pub(super) fn congestion(stage: &Stage<'_>) -> Vec<Box<dyn Output>> {
    of_senders(stage, "congestion", |event| match event {
        tcp::Event::Window { cwnd, .. } => Some(*cwnd),
        _ => None,
    })
}

pub(super) fn threshold(stage: &Stage<'_>) -> Vec<Box<dyn Output>> {
    of_senders(stage, "threshold", |event| match event {
        // Infinite means that there is none yet.
        tcp::Event::Window { ssthresh, .. } if ssthresh.is_finite() => Some(*ssthresh),
        _ => None,
    })
}

pub(super) fn swnd_size(stage: &Stage<'_>) -> Vec<Box<dyn Output>> {
    of_senders(stage, "swnd_size", |event| match event {
        tcp::Event::Flight { bytes } => Some(*bytes as f64),
        _ => None,
    })
}

pub(super) fn router_pkt_arrival(stage: &Stage<'_>) -> Vec<Box<dyn Output>> {
    let routers = stage.network.nodes.iter().enumerate().filter(|(_, node)| node.kind == sim::NodeKind::Router);
    let open = |(number, node): (usize, &sim::NodeSpec)| -> Box<dyn Output> {
        let file = TraceFile::new(stage.dir.join(format!("{}-router_pkt_arrival", node.name)));
        let pick = move |event: &Event| match event {
            Event::Node { node, event: NodeEvent::Transit { packet } } if *node as usize == number => {
                packet.data().map(|segment| f64::from(segment.seq.0))
            }
            _ => None,
        };
        Box::new(Columns { file, pick })
    };
    routers.map(open).collect()
}

/// Draw it `with steps`.
pub(super) fn wless_state(stage: &Stage<'_>) -> Vec<Box<dyn Output>> {
    let wireless = stage.network.links.iter().enumerate().filter(|(_, link)| has_states(&link.channel));
    let open = |(number, link): (usize, &sim::LinkSpec)| -> Box<dyn Output> {
        let [a, b] = link.between.map(|node| stage.node(node));
        let mut file = TraceFile::new(stage.dir.join(format!("wless_state-{a}-{b}")));
        // The air is GOOD at the beginning; a line in memory cannot fail.
        let _ = row(&mut file, Time::ZERO, 1.0);
        let pick = move |event: &Event| match event {
            Event::Air { link, state } if *link as usize == number => Some(f64::from(u8::from(*state == State::Good))),
            _ => None,
        };
        Box::new(Columns { file, pick })
    };
    wireless.map(open).collect()
}

/// Whether a channel has states to show.
pub(super) fn has_states(channel: &ChannelConfig) -> bool {
    channel.build(Stream::named(0, 0, "a look at the kind")).has_states()
}
