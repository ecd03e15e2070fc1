//! Static routes: the fewest hops, found when a destination is first needed [goel1997 4.2 (6)].

use std::collections::VecDeque;

use crate::network::{Network, NodeKind};

/// No way there.
const NOWHERE: u32 = u32::MAX;

/// For each destination in use, the hop each node sends to. A hop is `2 x link + way`.
pub struct Routes {
    /// For each node: its neighbours, and the hop to each, in the order of links.
    neighbours: Vec<Vec<(u32, u32)>>,
    forwards: Vec<bool>,
    /// By destination, then by node.
    next: Vec<Option<Box<[u32]>>>,
}

impl Routes {
    /// Routes of a network, none of them computed yet.
    pub fn new(network: &Network) -> Self {
        let mut neighbours = vec![Vec::new(); network.nodes.len()];
        for (number, link) in network.links.iter().enumerate() {
            let [a, b] = link.between;
            neighbours[a].push((b as u32, 2 * number as u32));
            neighbours[b].push((a as u32, 2 * number as u32 + 1));
        }
        let forwards = network.nodes.iter().map(|node| node.kind == NodeKind::Router).collect();
        Routes { neighbours, forwards, next: vec![None; network.nodes.len()] }
    }

    /// The hop on which `node` sends packets for `to`, if there is a way.
    #[inline]
    pub fn hop(&mut self, node: usize, to: usize) -> Option<usize> {
        if self.next[to].is_none() {
            self.next[to] = Some(self.search(to));
        }
        let hop = self.next[to].as_ref().map_or(NOWHERE, |hops| hops[node]);
        (hop != NOWHERE).then_some(hop as usize)
    }

    /// Distances breadth first from the destination: with every hop costing one, what Dijkstra's algorithm finds. Each
    /// node then sends to a neighbour one hop nearer; of several, over the link that was named first.
    fn search(&self, to: usize) -> Box<[u32]> {
        let mut distance = vec![u32::MAX; self.neighbours.len()];
        distance[to] = 0;
        let mut frontier = VecDeque::from([to]);
        while let Some(node) = frontier.pop_front() {
            if node != to && !self.forwards[node] {
                continue;
            }
            for (neighbour, _) in &self.neighbours[node] {
                let neighbour = *neighbour as usize;
                if distance[neighbour] == u32::MAX {
                    distance[neighbour] = distance[node] + 1;
                    frontier.push_back(neighbour);
                }
            }
        }
        let passable = |node: usize| node == to || self.forwards[node];
        let next = |node: usize| {
            let nearer = |(neighbour, _): &&(u32, u32)| {
                let neighbour = *neighbour as usize;
                passable(neighbour) && distance[neighbour] != u32::MAX && distance[neighbour] + 1 == distance[node]
            };
            self.neighbours[node].iter().find(nearer).map_or(NOWHERE, |(_, hop)| *hop)
        };
        (0..self.neighbours.len()).map(next).collect()
    }
}
