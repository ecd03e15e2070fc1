//! States that last: channels in the BAD state, associations of mobiles, and the state of schemes.

use std::collections::BTreeMap;

use path::channel::ChannelState;
use sim::{LinkId, Network, NodeEvent, NodeId, World};

/// Collects the states of a time interval.
pub(crate) struct StateRecorder {
    from: f64,
    /// Start of the current BAD state, by link.
    bad_since: BTreeMap<LinkId, f64>,
    /// Start of the current association, by node and link.
    associated_since: BTreeMap<(NodeId, LinkId), f64>,
    /// Rows of link, begin and end.
    pub bad: Vec<[f64; 3]>,
    /// Rows of node, link, begin and end.
    pub associations: Vec<[f64; 4]>,
    /// Nodes whose schemes count their state.
    keepers: Vec<usize>,
    /// Rows of node, time, and bytes from then on.
    pub kept_bytes: Vec<[f64; 3]>,
    last_bytes: BTreeMap<usize, u64>,
}

impl StateRecorder {
    pub fn new(network: &Network, world: &World, from: f64) -> Self {
        StateRecorder {
            from,
            bad_since: BTreeMap::new(),
            associated_since: BTreeMap::new(),
            bad: Vec::new(),
            associations: Vec::new(),
            keepers: (0..network.nodes.len()).filter(|node| world.scheme_state_bytes(*node).is_some()).collect(),
            kept_bytes: Vec::new(),
            last_bytes: BTreeMap::new(),
        }
    }

    /// Number of entries kept so far.
    pub fn count_entries(&self) -> usize {
        self.bad.len() + self.associations.len() + self.kept_bytes.len()
    }

    pub fn on_channel_state(&mut self, at: f64, link: LinkId, state: ChannelState) {
        match state {
            ChannelState::Bad => {
                self.bad_since.entry(link).or_insert(at);
            }
            ChannelState::Good => {
                if let Some(since) = self.bad_since.remove(&link).filter(|_| at >= self.from) {
                    self.bad.push([f64::from(link.number()), since, at]);
                }
            }
        }
    }

    pub fn on_node(&mut self, at: f64, node: NodeId, event: &NodeEvent) {
        match *event {
            NodeEvent::Associated { link } => {
                self.associated_since.insert((node, link), at);
            }
            NodeEvent::Left { link } => {
                if let Some(since) = self.associated_since.remove(&(node, link)).filter(|_| at >= self.from) {
                    self.associations.push([f64::from(node.number()), f64::from(link.number()), since, at]);
                }
            }
            _ => {}
        }
    }

    /// Samples the size of the schemes' state.
    pub fn sample_scheme_state(&mut self, world: &World) {
        let at = world.now().as_secs_f64();
        for node in &self.keepers {
            let Some(bytes) = world.scheme_state_bytes(*node) else { continue };
            if self.last_bytes.insert(*node, bytes) != Some(bytes) {
                self.kept_bytes.push([*node as f64, at, bytes as f64]);
            }
        }
    }

    /// Ends the states that last at infinity, and leaves out what began after `to`.
    pub fn finish(&mut self, to: f64) {
        let still = f64::INFINITY;
        self.bad.extend(self.bad_since.iter().map(|(link, since)| [f64::from(link.number()), *since, still]));
        let lasting = self.associated_since.iter();
        self.associations.extend(
            lasting.map(|((node, link), since)| [f64::from(node.number()), f64::from(link.number()), *since, still]),
        );
        self.bad.retain(|row| row[1] <= to);
        self.associations.retain(|row| row[2] <= to);
        self.bad.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        self.associations.sort_by(|a, b| a[2].total_cmp(&b[2]));
    }
}
