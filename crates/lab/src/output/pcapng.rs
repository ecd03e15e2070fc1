//! Captures, one for each node, as if tcpdump had run there.

use std::io;
use std::path::PathBuf;

use engine::Time;
use sim::{Event, NodeEvent};
use wire::pcapng::{Direction, Writer};

use super::file::TraceFile;
use super::{Output, Stage};

struct Capture {
    node: u32,
    path: PathBuf,
    /// Gone once finished.
    writer: Option<Writer<TraceFile>>,
}

pub(super) fn open(stage: &Stage<'_>) -> Vec<Box<dyn Output>> {
    let open = |number: usize| -> Box<dyn Output> {
        let name = stage.node(number);
        let path = stage.dir.join(format!("{name}.pcapng"));
        // The head stays in memory until the first flush, so it cannot fail.
        let writer = Writer::new(TraceFile::new(path.clone()), &[name]).ok();
        Box::new(Capture { node: number as u32, path, writer })
    };
    (0..stage.network.nodes.len()).map(open).collect()
}

impl Output for Capture {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        let Event::Node { node, event } = event else { return Ok(()) };
        let Some(writer) = self.writer.as_mut().filter(|_| *node == self.node) else { return Ok(()) };
        match event {
            NodeEvent::Sent { packet } => writer.packet(0, at, Direction::Out, packet),
            NodeEvent::Received { packet } | NodeEvent::Transit { packet } => {
                writer.packet(0, at, Direction::In, packet)
            }
            NodeEvent::BufferFull { .. } => Ok(()),
        }
    }

    fn finish(&mut self, _: Time) -> io::Result<()> {
        self.writer.take().map_or(Ok(()), |writer| writer.finish().map(drop))
    }

    fn path(&self) -> PathBuf {
        self.path.clone()
    }
}
