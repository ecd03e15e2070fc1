//! Routes of the fewest hops, computed when a destination is first used [goel1997 4.2 (6)].
//!
//! Only routers forward, so that routes lead through routers alone: what is stored for a destination is the hop of each
//! router. A host with one open link needs no routes of its own: packets to it follow those to its neighbour, and its
//! own packets have no choice. Opening or closing a link of a host thus changes no other node's routes: a mobile that
//! changes its base station is found at another neighbour, and nothing is searched again.

use std::collections::VecDeque;

use crate::network::Network;

/// There is no route, or no such node.
const NOWHERE: u32 = u32::MAX;

/// The links between nodes, and the routes computed so far. A hop is numbered `2 x link + direction`.
pub struct Routes {
    /// The links of all nodes, in the order of nodes, then of links.
    links: Vec<Adjacent>,
    /// By node: its first place in `links`; one more at the end.
    first: Vec<u32>,
    /// By node: the number among the routers; `NOWHERE` for a host.
    router: Vec<u32>,
    routers: usize,
    /// By link: whether it is closed at present.
    closed: Vec<bool>,
    /// By node: the only open link of a host; its fields are `NOWHERE` if it has none or several, and for routers.
    only: Vec<Adjacent>,
    /// By destination: the routes to it; `None` if not in use, or if they are those to another node.
    to: Vec<Option<Box<RoutesTo>>>,
}

/// A link of a node: the node at its other end, and the hop to there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Adjacent {
    node: u32,
    hop: u32,
}

impl Adjacent {
    const NONE: Adjacent = Adjacent { node: NOWHERE, hop: NOWHERE };
}

/// The routes to one destination.
struct RoutesTo {
    /// By router: the hop on which it sends; `NOWHERE` without a route.
    next: Box<[u32]>,
    /// By router: the number of hops; `NOWHERE` without a route.
    distance: Box<[u32]>,
}

impl Routes {
    /// Routes of a network in which all links are open.
    pub fn new(network: &Network) -> Self {
        let ends = network.links.iter().map(|link| link.between);
        Self::between(ends, network.nodes.iter().map(|node| node.kind.forwards()))
    }

    /// Routes between nodes, given as whether each forwards, which are connected by links with these ends.
    fn between(
        ends: impl ExactSizeIterator<Item = [usize; 2]> + Clone,
        forwards: impl ExactSizeIterator<Item = bool>,
    ) -> Self {
        let nodes = forwards.len();
        let mut first = vec![0; nodes + 1];
        ends.clone().flatten().for_each(|node| first[node + 1] += 1);
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut free = first.clone();
        let mut links = vec![Adjacent::NONE; 2 * ends.len()];
        let closed = vec![false; ends.len()];
        for (number, [a, b]) in ends.enumerate() {
            for (direction, [from, to]) in [[a, b], [b, a]].into_iter().enumerate() {
                links[free[from] as usize] = Adjacent { node: to as u32, hop: (2 * number + direction) as u32 };
                free[from] += 1;
            }
        }
        let mut routers = 0;
        let number = |forwards: bool| {
            let number = if forwards { routers } else { NOWHERE };
            routers += u32::from(forwards);
            number
        };
        let router: Vec<u32> = forwards.map(number).collect();
        let (only, to) = (vec![Adjacent::NONE; nodes], (0..nodes).map(|_| None).collect());
        let mut routes = Routes { links, first, router, routers: routers as usize, closed, only, to };
        for node in 0..nodes {
            routes.only[node] = routes.only_open(node);
        }
        routes
    }

    fn forwards(&self, node: usize) -> bool {
        self.router[node] != NOWHERE
    }

    /// The open links of a node.
    fn open_links(&self, node: usize) -> impl Iterator<Item = Adjacent> {
        let links = &self.links[self.first[node] as usize..self.first[node + 1] as usize];
        links.iter().copied().filter(|link| !self.closed[link.hop as usize / 2])
    }

    /// The only open link of a host.
    fn only_open(&self, node: usize) -> Adjacent {
        if self.forwards(node) {
            return Adjacent::NONE;
        }
        let mut links = self.open_links(node);
        match (links.next(), links.next()) {
            (Some(link), None) => link,
            _ => Adjacent::NONE,
        }
    }

    /// Opens or closes link number `link` between two nodes. Routes that can change are discarded: those to its ends
    /// that are hosts, and all if both ends are routers.
    pub fn set_open(&mut self, link: usize, between: [usize; 2], open: bool) {
        if self.closed[link] != open {
            return;
        }
        self.closed[link] = !open;
        let mut hosts = between.into_iter().filter(|node| self.router[*node] == NOWHERE).peekable();
        if hosts.peek().is_none() {
            return self.to.fill_with(|| None);
        }
        for host in hosts {
            self.only[host] = self.only_open(host);
            self.to[host] = None;
        }
    }

    /// The hop on which `node` sends packets for another node, `to`, if there is a route.
    #[inline]
    pub fn hop(&mut self, node: usize, to: usize) -> Option<usize> {
        let (only, last) = (self.only[node], self.only[to]);
        if only.node as usize == to {
            return Some(only.hop as usize);
        }
        if last.node as usize == node {
            return Some(last.hop as usize ^ 1);
        }
        // Neighbours of the same node, such as the ends of a dumbbell or the leaves of a star.
        if only.node == last.node && only != Adjacent::NONE {
            return self.forwards(only.node as usize).then_some(only.hop as usize);
        }
        let hop = self.hop_to_others(node, to, [only, last]);
        (hop != NOWHERE).then_some(hop as usize)
    }

    /// The hop between nodes of which none is the only neighbour of the other, and which have not the same only neighbour;
    /// `only` and `last` are their only open links.
    fn hop_to_others(&mut self, node: usize, to: usize, [only, last]: [Adjacent; 2]) -> u32 {
        let router = self.router[node];
        if router != NOWHERE {
            return self.routes_to(to, last).map_or(NOWHERE, |routes| routes.next[router as usize]);
        }
        if only == Adjacent::NONE {
            return self.hop_of_multihomed(node, to, last);
        }
        let router = self.router[only.node as usize];
        if router == NOWHERE {
            return NOWHERE;
        }
        let reaches = self.routes_to(to, last).is_some_and(|routes| routes.next[router as usize] != NOWHERE);
        if reaches { only.hop } else { NOWHERE }
    }

    /// The hop of a host with several open links, or none: to the nearest neighbour, over the link that was named first.
    #[cold]
    fn hop_of_multihomed(&mut self, node: usize, to: usize, last: Adjacent) -> u32 {
        let mut nearest = (NOWHERE, NOWHERE);
        let links: Vec<Adjacent> = self.open_links(node).collect();
        for Adjacent { node: neighbour, hop } in links {
            let distance = match self.router[neighbour as usize] {
                _ if neighbour as usize == to => 0,
                NOWHERE => NOWHERE,
                // A destination is nearer by its last hop.
                _ if neighbour == last.node => 1,
                router => {
                    let beyond = u32::from(last != Adjacent::NONE);
                    let routes = self.routes_to(to, last);
                    routes.map_or(NOWHERE, |routes| routes.distance[router as usize].saturating_add(beyond))
                }
            };
            if distance < nearest.0 {
                nearest = (distance, hop);
            }
        }
        nearest.1
    }

    /// The routes to a destination with the only open link `last`: to its neighbour, if it has one; `None` if that does
    /// not forward.
    #[inline]
    fn routes_to(&mut self, to: usize, last: Adjacent) -> Option<&RoutesTo> {
        let target = match last {
            Adjacent::NONE => to,
            Adjacent { node, .. } if self.forwards(node as usize) => node as usize,
            _ => return None,
        };
        if self.to[target].is_none() {
            self.to[target] = Some(Box::new(self.search(target)));
        }
        self.to[target].as_deref()
    }

    /// Breadth-first distances from a destination, equal to Dijkstra's with unit costs. Each router sends to a neighbour
    /// one hop nearer; if there are several, over the link that was named first.
    #[cold]
    fn search(&self, to: usize) -> RoutesTo {
        let mut distance = vec![NOWHERE; self.routers].into_boxed_slice();
        let mut frontier = VecDeque::from([(to, 0)]);
        if self.forwards(to) {
            distance[self.router[to] as usize] = 0;
        }
        let mut reached = Vec::new();
        while let Some((node, hops)) = frontier.pop_front() {
            for Adjacent { node: neighbour, .. } in self.open_links(node) {
                let router = self.router[neighbour as usize];
                if router != NOWHERE && distance[router as usize] == NOWHERE {
                    distance[router as usize] = hops + 1;
                    frontier.push_back((neighbour as usize, hops + 1));
                    reached.push(neighbour as usize);
                }
            }
        }
        let mut next = vec![NOWHERE; self.routers].into_boxed_slice();
        for node in reached {
            let router = self.router[node] as usize;
            let nearer = |link: &Adjacent| match self.router[link.node as usize] {
                _ if link.node as usize == to => distance[router] == 1,
                NOWHERE => false,
                other => distance[other as usize] != NOWHERE && distance[other as usize] + 1 == distance[router],
            };
            next[router] = self.open_links(node).find(nearer).map_or(NOWHERE, |link| link.hop);
        }
        RoutesTo { next, distance }
    }
}

#[cfg(test)]
mod tests {
    use engine::Stream;

    use super::*;

    /// A server, a router, two base stations, and a mobile with a link to each: links 0 to 4.
    const DIAMOND: [[usize; 2]; 5] = [[0, 1], [1, 2], [1, 3], [2, 4], [3, 4]];

    fn diamond() -> Routes {
        Routes::between(DIAMOND.into_iter(), [false, true, true, true, false].into_iter())
    }

    fn set_open(routes: &mut Routes, link: usize, open: bool) {
        routes.set_open(link, DIAMOND[link], open);
    }

    #[test]
    fn routes_follow_the_open_link() {
        let mut routes = diamond();
        set_open(&mut routes, 4, false);
        assert_eq!((routes.hop(1, 4), routes.hop(4, 0)), (Some(2), Some(7)));
        set_open(&mut routes, 3, false);
        assert_eq!((routes.hop(1, 4), routes.hop(2, 4), routes.hop(4, 0)), (None, None, None));
        set_open(&mut routes, 4, true);
        assert_eq!((routes.hop(1, 4), routes.hop(4, 0)), (Some(4), Some(9)));
        // Packets that still arrive at the old base station go back and to the new one.
        assert_eq!(routes.hop(2, 4), Some(3));
    }

    /// A mobile that changes its base station: the routes among routers stay, and none is stored for the mobile.
    #[test]
    fn association_discards_no_routes_of_others() {
        let mut routes = diamond();
        set_open(&mut routes, 4, false);
        assert_eq!((routes.hop(3, 4), routes.hop(2, 0)), (Some(5), Some(3)));
        set_open(&mut routes, 3, false);
        set_open(&mut routes, 4, true);
        let stored: Vec<bool> = routes.to.iter().map(Option::is_some).collect();
        assert_eq!(stored, [false, true, true, false, false]);
        assert_eq!((routes.hop(3, 4), routes.hop(2, 0), routes.hop(1, 4)), (Some(8), Some(3), Some(4)));
    }

    #[test]
    fn hosts_do_not_forward() {
        // A chain of three hosts, and a router behind the last.
        let mut routes = Routes::between([[0, 1], [1, 2], [2, 3]].into_iter(), [false, false, false, true].into_iter());
        assert_eq!((routes.hop(0, 1), routes.hop(1, 0), routes.hop(1, 2)), (Some(0), Some(1), Some(2)));
        assert_eq!((routes.hop(0, 2), routes.hop(2, 0), routes.hop(0, 3), routes.hop(3, 1)), (None, None, None, None));
    }

    /// The hop from `node` to `to` by the definition: over the first open link to a neighbour that is nearer, where
    /// distances are breadth-first from the destination, and only routers pass packets on.
    fn by_definition(links: &[([usize; 2], bool)], forwards: &[bool], node: usize, to: usize) -> Option<usize> {
        let open = || links.iter().enumerate().filter(|(_, (_, open))| *open);
        let mut distance = vec![usize::MAX; forwards.len()];
        distance[to] = 0;
        for hops in 0..forwards.len() {
            for (_, ([a, b], _)) in open() {
                for (near, far) in [(*a, *b), (*b, *a)] {
                    if distance[near] == hops && (near == to || forwards[near]) && distance[far] == usize::MAX {
                        distance[far] = hops + 1;
                    }
                }
            }
        }
        open().find_map(|(number, ([a, b], _))| {
            let (neighbour, direction) = match node {
                node if node == *a => (*b, 0),
                node if node == *b => (*a, 1),
                _ => return None,
            };
            let passes = neighbour == to || forwards[neighbour];
            let nearer = distance[neighbour] != usize::MAX && distance[neighbour] + 1 == distance[node];
            (passes && nearer).then_some(2 * number + direction)
        })
    }

    #[test]
    fn routes_agree_with_their_definition_in_random_networks() {
        let mut draws = Stream::named(7, 0, "routing test").draws();
        let mut below = |most: usize| (draws.next_u64() % most as u64) as usize;
        let (mut found, mut missing) = (0, 0);
        for _ in 0..300 {
            let nodes = 2 + below(9);
            let forwards: Vec<bool> = (0..nodes).map(|_| below(2) == 0).collect();
            let ends = |below: &mut dyn FnMut(usize) -> usize| {
                let a = below(nodes);
                [a, (a + 1 + below(nodes - 1)) % nodes]
            };
            let mut links: Vec<([usize; 2], bool)> = (0..below(2 * nodes)).map(|_| (ends(&mut below), true)).collect();
            let ends: Vec<[usize; 2]> = links.iter().map(|(ends, _)| *ends).collect();
            let mut routes = Routes::between(ends.into_iter(), forwards.iter().copied());
            for _ in 0..6 {
                for (node, to) in (0..nodes).flat_map(|node| (0..nodes).map(move |to| (node, to))) {
                    if node == to {
                        continue;
                    }
                    let expected = by_definition(&links, &forwards, node, to);
                    assert_eq!(routes.hop(node, to), expected, "{node} to {to} over {links:?}, {forwards:?}");
                    *(if expected.is_some() { &mut found } else { &mut missing }) += 1;
                }
                if !links.is_empty() {
                    let link = below(links.len());
                    links[link].1 = !links[link].1;
                    routes.set_open(link, links[link].0, links[link].1);
                }
            }
        }
        assert!(found > 10_000 && missing > 10_000, "{found} routes, {missing} missing");
    }
}
