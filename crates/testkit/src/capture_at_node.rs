//! A capture of a simulated run.

use engine::Time;
use sim::{Event, NodeEvent, NodeId, Sink};
use wire::pcapng::{Direction, Writer};

/// Captures the packets at a node, as `--trace pcapng` does.
pub struct CaptureAtNode {
    node: NodeId,
    writer: Writer<Vec<u8>>,
}

impl CaptureAtNode {
    /// Creates the capture of a node, by its number in the network.
    pub fn new(node: usize) -> Self {
        let writer = Writer::new(Vec::new(), &["node"]).expect("memory");
        CaptureAtNode { node: NodeId::from_index(node), writer }
    }

    /// Returns the file.
    pub fn finish(self) -> Vec<u8> {
        self.writer.finish().expect("memory")
    }
}

impl Sink for CaptureAtNode {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        let Event::Node { node, event, .. } = event else { return };
        if *node != self.node {
            return;
        }
        match event {
            NodeEvent::Sent { packet } => self.writer.packet(0, at, Direction::Out, packet).expect("memory"),
            NodeEvent::Received { packet } | NodeEvent::Transit { packet } => {
                self.writer.packet(0, at, Direction::In, packet).expect("memory");
            }
            _ => {}
        }
    }
}
