//! Routes of the fewest hops, computed when a destination is first used [goel1997 4.2 (6)], and recomputed when a link
//! that affects them is opened or closed.

use std::collections::VecDeque;

use crate::network::Network;

/// There is no route.
const NOWHERE: u32 = u32::MAX;

/// For each destination in use, the hop on which each node sends. A hop is numbered `2 x link + direction`.
pub struct Routes {
    /// For each node: its neighbours, and the hop to each, in the order of links.
    neighbours: Vec<Vec<(u32, u32)>>,
    forwards: Vec<bool>,
    /// By link: whether it is closed at present.
    closed: Vec<bool>,
    /// By destination, then by node; empty for a destination not in use.
    next: Vec<Box<[u32]>>,
}

impl Routes {
    /// Routes of a network, initially not computed.
    pub fn new(network: &Network) -> Self {
        let mut neighbours = vec![Vec::new(); network.nodes.len()];
        for (number, link) in network.links.iter().enumerate() {
            let [a, b] = link.between;
            neighbours[a].push((b as u32, 2 * number as u32));
            neighbours[b].push((a as u32, 2 * number as u32 + 1));
        }
        let forwards = network.nodes.iter().map(|node| node.kind.forwards()).collect();
        let closed = vec![false; network.links.len()];
        Routes { neighbours, forwards, closed, next: vec![Box::default(); network.nodes.len()] }
    }

    /// Opens or closes a link. The affected routes are discarded: all if it opens, those over it if it closes.
    pub fn set_open(&mut self, link: usize, open: bool) {
        if self.closed[link] != open {
            return;
        }
        self.closed[link] = !open;
        let over = |hops: &[u32]| hops.iter().any(|hop| *hop != NOWHERE && *hop as usize / 2 == link);
        for next in &mut self.next {
            if open || over(next) {
                *next = Box::default();
            }
        }
    }

    /// For a node with one link that does not forward: its only neighbour, and the hop from there to it. Routes to it
    /// are those to the neighbour, followed by that hop.
    pub fn access(&self, node: usize) -> Option<(usize, usize)> {
        match self.neighbours[node][..] {
            [(neighbour, hop)] if !self.forwards[node] && !self.closed[hop as usize / 2] => {
                Some((neighbour as usize, hop as usize ^ 1))
            }
            _ => None,
        }
    }

    /// The hop on which `node` sends packets for `to`, if there is a route.
    #[inline]
    pub fn hop(&mut self, node: usize, to: usize) -> Option<usize> {
        let hop = match self.next[to].get(node) {
            Some(hop) => *hop,
            None => self.search(node, to),
        };
        (hop != NOWHERE).then_some(hop as usize)
    }

    /// Finds the routes to a destination; returns the hop of `node`.
    #[cold]
    fn search(&mut self, node: usize, to: usize) -> u32 {
        self.next[to] = self.routes_to(to);
        self.next[to][node]
    }

    /// Breadth-first distances from the destination, equal to Dijkstra's with unit costs. Each node sends to a
    /// neighbour one hop nearer; if there are several, over the link that was named first.
    fn routes_to(&self, to: usize) -> Box<[u32]> {
        let mut distance = vec![u32::MAX; self.neighbours.len()];
        distance[to] = 0;
        let mut frontier = VecDeque::from([to]);
        while let Some(node) = frontier.pop_front() {
            if node != to && !self.forwards[node] {
                continue;
            }
            for (neighbour, _) in self.neighbours[node].iter().filter(|(_, hop)| !self.closed[*hop as usize / 2]) {
                let neighbour = *neighbour as usize;
                if distance[neighbour] == u32::MAX {
                    distance[neighbour] = distance[node] + 1;
                    frontier.push_back(neighbour);
                }
            }
        }
        let passable = |node: usize| node == to || self.forwards[node];
        let next = |node: usize| {
            let nearer = |(neighbour, hop): &&(u32, u32)| {
                let neighbour = *neighbour as usize;
                !self.closed[*hop as usize / 2]
                    && passable(neighbour)
                    && distance[neighbour] != u32::MAX
                    && distance[neighbour] + 1 == distance[node]
            };
            self.neighbours[node].iter().find(nearer).map_or(NOWHERE, |(_, hop)| *hop)
        };
        (0..self.neighbours.len()).map(next).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server, a router, two base stations, and a mobile with a link to each: links 0 to 4.
    fn diamond() -> Routes {
        let ends = [[0, 1], [1, 2], [1, 3], [2, 4], [3, 4]];
        let mut neighbours = vec![Vec::new(); 5];
        for (link, [a, b]) in ends.into_iter().enumerate() {
            neighbours[a].push((b as u32, 2 * link as u32));
            neighbours[b].push((a as u32, 2 * link as u32 + 1));
        }
        let forwards = vec![false, true, true, true, false];
        Routes { neighbours, forwards, closed: vec![false; 5], next: vec![Box::default(); 5] }
    }

    #[test]
    fn routes_follow_the_open_link() {
        let mut routes = diamond();
        routes.set_open(4, false);
        assert_eq!((routes.hop(1, 4), routes.hop(4, 0)), (Some(2), Some(7)));
        routes.set_open(3, false);
        assert_eq!((routes.hop(1, 4), routes.hop(2, 4), routes.hop(4, 0)), (None, None, None));
        routes.set_open(4, true);
        assert_eq!((routes.hop(1, 4), routes.hop(4, 0)), (Some(4), Some(9)));
        // Packets that still arrive at the old base station go back and to the new one.
        assert_eq!(routes.hop(2, 4), Some(3));
    }

    #[test]
    fn routes_to_a_host_with_one_link_are_those_to_its_neighbour() {
        let mut routes = diamond();
        assert_eq!(routes.access(0), Some((1, 1)));
        // A host with two links, and a router.
        assert_eq!((routes.access(4), routes.access(1)), (None, None));
        for node in 2..5 {
            assert_eq!(routes.hop(node, 0), routes.hop(node, 1));
        }
        assert_eq!(routes.hop(1, 0), Some(1));
        routes.set_open(0, false);
        assert_eq!(routes.access(0), None);
    }

    #[test]
    fn routes_over_other_links_are_kept() {
        let mut routes = diamond();
        // No route to the second base station crosses the first one's link to the mobile.
        let (to_mobile, to_station) = (routes.hop(0, 4), routes.hop(0, 3));
        routes.set_open(3, false);
        assert!(routes.next[4].is_empty() && !routes.next[3].is_empty());
        assert_eq!((routes.hop(0, 4), routes.hop(0, 3)), (to_mobile, to_station));
    }
}
