//! Captures: one for each node, as tcpdump would write it there, and one for each medium.

use std::io;
use std::rc::Rc;

use engine::{IdVec, Time};
use path::{LinkEvent, MediumId};
use sim::{Event, LinkId, NodeEvent, NodeId};
use wire::pcapng::{Direction, Writer};

use super::file::{NamedFile, TraceFile};
use super::monitor::Monitor;
use super::{Output, Stage};

struct Captures {
    files: Vec<NamedFile>,
    /// The capture of each node; `None` once finished.
    writers: IdVec<NodeId, Option<Writer<TraceFile>>>,
    monitors: IdVec<MediumId, Monitor>,
    /// The medium of each link.
    media: IdVec<LinkId, Option<MediumId>>,
}

pub(super) fn open_captures(stage: &Stage<'_>) -> Box<dyn Output> {
    let nodes = || stage.network.nodes.iter().map(|node| node.name.as_str());
    let file = |name: String, about: String| NamedFile { name, about };
    let of_node = |name: &str| file(format!("{name}.pcapng"), format!("pcapng of node \"{name}\""));
    // The header stays in memory until the first flush, so that writing it cannot fail.
    let open = |name: &str| Writer::new(TraceFile::new(of_node(name), Rc::clone(&stage.files)), &[name]).ok();
    let writers = nodes().map(open).collect();
    // Names contain no dot, so no node has a file with this name.
    let air = |medium: usize| {
        let name = &stage.network.media[medium].name;
        file(format!("{name}.air.pcapng"), format!("pcapng of medium \"{name}\""))
    };
    let media = 0..stage.network.media.len();
    let monitor = |medium| Monitor::new(stage.network, medium, TraceFile::new(air(medium), Rc::clone(&stage.files)));
    let monitors = media.clone().map(monitor).collect();
    let files = nodes().map(of_node).chain(media.map(air)).collect();
    let media = stage.network.links.iter().map(|link| link.medium.map(MediumId::from_index)).collect();
    Box::new(Captures { files, writers, monitors, media })
}

impl Output for Captures {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        if let Event::Medium { medium, event } = event {
            return self.monitors[*medium].event(event);
        }
        if let Event::Link { hop, event: LinkEvent::FrameSent { number, attempt, packet }, .. } = event {
            if let Some(medium) = self.media[hop.link] {
                self.monitors[medium].carries(*hop, *number, *attempt, *packet);
            }
            return Ok(());
        }
        let Event::Node { node, event, .. } = event else { return Ok(()) };
        let Some(writer) = &mut self.writers[*node] else { return Ok(()) };
        match event {
            NodeEvent::Sent { packet } => writer.packet(0, at, Direction::Out, packet),
            NodeEvent::Received { packet } | NodeEvent::Transit { packet } => {
                writer.packet(0, at, Direction::In, packet)
            }
            NodeEvent::BufferFull { .. }
            | NodeEvent::Taken { .. }
            | NodeEvent::NoRoute { .. }
            | NodeEvent::Associated { .. }
            | NodeEvent::Left { .. } => Ok(()),
        }
    }

    fn finish(&mut self, _: Time) -> io::Result<()> {
        self.monitors.iter_mut().try_for_each(Monitor::finish)?;
        self.writers.iter_mut().try_for_each(|writer| writer.take().map_or(Ok(()), |writer| writer.finish().map(drop)))
    }

    fn files(&self) -> Vec<NamedFile> {
        self.files.clone()
    }
}
