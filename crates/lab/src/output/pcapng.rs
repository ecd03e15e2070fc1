//! Captures, one for each node, as if tcpdump had run there.

use std::io;
use std::path::PathBuf;

use engine::Time;
use sim::{Event, NodeEvent};
use wire::pcapng::{Direction, Writer};

use super::file::TraceFile;
use super::{Output, Stage};

struct Captures {
    paths: Vec<PathBuf>,
    /// By node; gone once finished.
    writers: Vec<Option<Writer<TraceFile>>>,
}

pub(super) fn open(stage: &Stage<'_>) -> Box<dyn Output> {
    let nodes = || stage.network.nodes.iter().map(|node| node.name.as_str());
    let paths: Vec<PathBuf> = nodes().map(|name| stage.dir.join(format!("{name}.pcapng"))).collect();
    // The head stays in memory until the first flush, so it cannot fail.
    let open = |(name, path): (&str, &PathBuf)| Writer::new(TraceFile::new(path.clone()), &[name]).ok();
    let writers = nodes().zip(&paths).map(open).collect();
    Box::new(Captures { paths, writers })
}

impl Output for Captures {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        let Event::Node { node, event } = event else { return Ok(()) };
        let Some(writer) = &mut self.writers[*node as usize] else { return Ok(()) };
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
        self.writers.iter_mut().try_for_each(|writer| writer.take().map_or(Ok(()), |writer| writer.finish().map(drop)))
    }

    fn paths(&self) -> Vec<PathBuf> {
        self.paths.clone()
    }
}
