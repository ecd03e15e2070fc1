//! Routes of the fewest hops, computed when a destination is first used [goel1997 4.2 (6)].
//!
//! Only routers forward, so that routes lead through routers alone: for each destination the next hop of each router is
//! stored. A host with one open link needs no stored routes: packets to it follow the route to its neighbour, and its
//! own packets leave by that link. Opening or closing a link of a host thus changes no other node's routes: a mobile
//! that changes its base station is found at another neighbour, and nothing is searched again.

use std::collections::VecDeque;

use engine::IdVec;

use crate::ids::{HopIndex, LinkId, NodeId};
use crate::network::Network;

engine::define_ids! {
    /// The number of a node among the routers.
    struct RouterId;
}

/// No node has this index.
const NO_NODE: NodeId = NodeId::new(u32::MAX);
/// There is no route.
const NO_HOP: HopIndex = HopIndex::new(u32::MAX);
/// The node is a host.
const NO_ROUTER: RouterId = RouterId::new(u32::MAX);
/// The distance without a route.
const UNREACHABLE: u32 = u32::MAX;

/// The links between nodes, and the routes computed so far.
pub struct Routes {
    /// The links of all nodes, in the order of nodes, then of links.
    links: Vec<Adjacent>,
    /// By node: the node's first index in `links`, and the index after its last one.
    places: IdVec<NodeId, [usize; 2]>,
    /// By node: the node's number among the routers; `NO_ROUTER` for a host.
    router: IdVec<NodeId, RouterId>,
    routers: usize,
    /// By link: whether the link is currently closed.
    closed: IdVec<LinkId, bool>,
    /// By node: the only open link of a host; `Adjacent::NONE` for a host with no or several open links, and for
    /// routers.
    only: IdVec<NodeId, Adjacent>,
    /// By destination: the routes to that node; `None` if unused, or if the routes equal those to another node.
    to: IdVec<NodeId, Option<Box<RoutesTo>>>,
}

/// A link of a node: the node at its other end, and the hop to that node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Adjacent {
    node: NodeId,
    hop: HopIndex,
}

impl Adjacent {
    const NONE: Adjacent = Adjacent { node: NO_NODE, hop: NO_HOP };
}

/// The routes to one destination.
struct RoutesTo {
    /// By router: the hop on which the router sends; `NO_HOP` without a route.
    next: IdVec<RouterId, HopIndex>,
    /// By router: the number of hops; `UNREACHABLE` without a route.
    distance: IdVec<RouterId, u32>,
}

impl Routes {
    /// Routes of a network in which all links are open.
    pub fn new(network: &Network) -> Self {
        let ends = network.links.iter().map(|link| link.between.map(NodeId::from_index));
        Self::between(ends, network.nodes.iter().map(|node| node.kind.forwards()))
    }

    /// Computes routes between nodes; `forwards` states for each whether it forwards, and the links have these ends.
    fn between(
        ends: impl ExactSizeIterator<Item = [NodeId; 2]> + Clone,
        forwards: impl ExactSizeIterator<Item = bool>,
    ) -> Self {
        let nodes = forwards.len();
        let mut counts = IdVec::<NodeId, usize>::from(vec![0; nodes]);
        ends.clone().flatten().for_each(|node| counts[node] += 1);
        let mut free = 0;
        let mut places: IdVec<NodeId, [usize; 2]> = counts
            .into_iter()
            .map(|count| {
                free += count;
                [free - count; 2]
            })
            .collect();
        let mut links = vec![Adjacent::NONE; 2 * ends.len()];
        let closed: IdVec<LinkId, bool> = vec![false; ends.len()].into();
        for (link, [a, b]) in closed.ids().zip(ends) {
            for (hop, [from, to]) in link.hops().into_iter().zip([[a, b], [b, a]]) {
                let [_, end] = &mut places[from];
                links[*end] = Adjacent { node: to, hop };
                *end += 1;
            }
        }
        let mut routers = 0;
        let number = |forwards: bool| {
            let number = if forwards { RouterId::from_index(routers) } else { NO_ROUTER };
            routers += usize::from(forwards);
            number
        };
        let router: IdVec<NodeId, RouterId> = forwards.map(number).collect();
        let (only, to) = (vec![Adjacent::NONE; nodes].into(), (0..nodes).map(|_| None).collect());
        let mut routes = Routes { links, places, router, routers, closed, only, to };
        for node in routes.router.ids() {
            routes.only[node] = routes.only_open(node);
        }
        routes
    }

    fn forwards(&self, node: NodeId) -> bool {
        self.router[node] != NO_ROUTER
    }

    /// The open links of a node.
    fn open_links(&self, node: NodeId) -> impl Iterator<Item = Adjacent> {
        let [first, end] = self.places[node];
        self.links[first..end].iter().copied().filter(|adjacent| !self.closed[adjacent.hop.link()])
    }

    /// The only open link of a host.
    fn only_open(&self, node: NodeId) -> Adjacent {
        if self.forwards(node) {
            return Adjacent::NONE;
        }
        let mut links = self.open_links(node);
        match (links.next(), links.next()) {
            (Some(link), None) => link,
            _ => Adjacent::NONE,
        }
    }

    /// Opens or closes a link between two nodes. Routes that can change are discarded: routes to ends of the link that
    /// are hosts, or all routes if both ends are routers.
    pub fn set_open(&mut self, link: LinkId, between: [NodeId; 2], open: bool) {
        if self.closed[link] != open {
            return;
        }
        self.closed[link] = !open;
        let mut hosts = between.into_iter().filter(|node| self.router[*node] == NO_ROUTER).peekable();
        if hosts.peek().is_none() {
            return self.to.iter_mut().for_each(|routes| *routes = None);
        }
        for host in hosts {
            self.only[host] = self.only_open(host);
            self.to[host] = None;
        }
    }

    /// The hop on which `node` sends packets for another node, `to`; `None` without a route.
    #[inline]
    pub fn hop(&mut self, node: NodeId, to: NodeId) -> Option<HopIndex> {
        let (only, last) = (self.only[node], self.only[to]);
        if only.node == to {
            return Some(only.hop);
        }
        if last.node == node {
            return Some(last.hop.opposite());
        }
        // The nodes are neighbours of the same node, such as the ends of a dumbbell or the leaves of a star.
        if only.node == last.node && only != Adjacent::NONE {
            return self.forwards(only.node).then_some(only.hop);
        }
        let hop = self.hop_to_others(node, to, [only, last]);
        (hop != NO_HOP).then_some(hop)
    }

    /// Returns the hop between two nodes that are not adjacent by their only links, and whose only links do not lead to
    /// the same node. `only` and `last` are the only open links of the two nodes.
    fn hop_to_others(&mut self, node: NodeId, to: NodeId, [only, last]: [Adjacent; 2]) -> HopIndex {
        let router = self.router[node];
        if router != NO_ROUTER {
            return self.routes_to(to, last).map_or(NO_HOP, |routes| routes.next[router]);
        }
        if only == Adjacent::NONE {
            return self.hop_of_multihomed(node, to, last);
        }
        let router = self.router[only.node];
        if router == NO_ROUTER {
            return NO_HOP;
        }
        let reaches = self.routes_to(to, last).is_some_and(|routes| routes.next[router] != NO_HOP);
        if reaches { only.hop } else { NO_HOP }
    }

    /// The hop of a host with several open links, or none: to the nearest neighbour, over the link that was named first.
    #[cold]
    fn hop_of_multihomed(&mut self, node: NodeId, to: NodeId, last: Adjacent) -> HopIndex {
        let mut nearest = (UNREACHABLE, NO_HOP);
        let links: Vec<Adjacent> = self.open_links(node).collect();
        for Adjacent { node: neighbour, hop } in links {
            let distance = match self.router[neighbour] {
                _ if neighbour == to => 0,
                NO_ROUTER => UNREACHABLE,
                // The last hop of a route always leads nearer to the destination.
                _ if neighbour == last.node => 1,
                router => {
                    let beyond = u32::from(last != Adjacent::NONE);
                    let routes = self.routes_to(to, last);
                    routes.map_or(UNREACHABLE, |routes| routes.distance[router].saturating_add(beyond))
                }
            };
            if distance < nearest.0 {
                nearest = (distance, hop);
            }
        }
        nearest.1
    }

    /// Returns the routes to a destination whose only open link is `last`. These are the routes to its neighbour;
    /// `None` if the neighbour does not forward.
    #[inline]
    fn routes_to(&mut self, to: NodeId, last: Adjacent) -> Option<&RoutesTo> {
        let target = match last {
            Adjacent::NONE => to,
            Adjacent { node, .. } if self.forwards(node) => node,
            _ => return None,
        };
        if self.to[target].is_none() {
            self.to[target] = Some(Box::new(self.search(target)));
        }
        self.to[target].as_deref()
    }

    /// Finds distances from a destination breadth-first, which equal Dijkstra's with unit costs. Each router sends to a
    /// neighbour that is one hop nearer. If there are several, the link that was named first is used.
    #[cold]
    fn search(&self, to: NodeId) -> RoutesTo {
        let mut distance = IdVec::<RouterId, u32>::from(vec![UNREACHABLE; self.routers]);
        let mut frontier = VecDeque::from([(to, 0)]);
        if self.forwards(to) {
            distance[self.router[to]] = 0;
        }
        let mut reached = Vec::new();
        while let Some((node, hops)) = frontier.pop_front() {
            for Adjacent { node: neighbour, .. } in self.open_links(node) {
                let router = self.router[neighbour];
                if router != NO_ROUTER && distance[router] == UNREACHABLE {
                    distance[router] = hops + 1;
                    frontier.push_back((neighbour, hops + 1));
                    reached.push(neighbour);
                }
            }
        }
        let mut next = IdVec::<RouterId, HopIndex>::from(vec![NO_HOP; self.routers]);
        for node in reached {
            let router = self.router[node];
            let nearer = |link: &Adjacent| match self.router[link.node] {
                _ if link.node == to => distance[router] == 1,
                NO_ROUTER => false,
                other => distance[other] != UNREACHABLE && distance[other] + 1 == distance[router],
            };
            next[router] = self.open_links(node).find(nearer).map_or(NO_HOP, |link| link.hop);
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
        routes_between(&DIAMOND, &[false, true, true, true, false])
    }

    fn set_open(routes: &mut Routes, link: usize, open: bool) {
        routes.set_open(LinkId::from_index(link), DIAMOND[link].map(NodeId::from_index), open);
    }

    fn routes_between(ends: &[[usize; 2]], forwards: &[bool]) -> Routes {
        Routes::between(ends.iter().map(|ends| ends.map(NodeId::from_index)), forwards.iter().copied())
    }

    fn hop(routes: &mut Routes, node: usize, to: usize) -> Option<usize> {
        routes.hop(NodeId::from_index(node), NodeId::from_index(to)).map(HopIndex::index)
    }

    #[test]
    fn routes_follow_the_open_link() {
        let mut routes = diamond();
        set_open(&mut routes, 4, false);
        assert_eq!((hop(&mut routes, 1, 4), hop(&mut routes, 4, 0)), (Some(2), Some(7)));
        set_open(&mut routes, 3, false);
        assert_eq!((hop(&mut routes, 1, 4), hop(&mut routes, 2, 4), hop(&mut routes, 4, 0)), (None, None, None));
        set_open(&mut routes, 4, true);
        assert_eq!((hop(&mut routes, 1, 4), hop(&mut routes, 4, 0)), (Some(4), Some(9)));
        // Packets that still arrive at the old base station are forwarded back and to the new one.
        assert_eq!(hop(&mut routes, 2, 4), Some(3));
    }

    /// If a mobile changes its base station, the routes among routers remain unchanged, and no route is stored for the
    /// mobile.
    #[test]
    fn association_keeps_routes_of_other_nodes() {
        let mut routes = diamond();
        set_open(&mut routes, 4, false);
        assert_eq!((hop(&mut routes, 3, 4), hop(&mut routes, 2, 0)), (Some(5), Some(3)));
        set_open(&mut routes, 3, false);
        set_open(&mut routes, 4, true);
        let stored: Vec<bool> = routes.to.iter().map(Option::is_some).collect();
        assert_eq!(stored, [false, true, true, false, false]);
        assert_eq!(
            (hop(&mut routes, 3, 4), hop(&mut routes, 2, 0), hop(&mut routes, 1, 4)),
            (Some(8), Some(3), Some(4))
        );
    }

    #[test]
    fn hosts_do_not_forward() {
        // A chain of three hosts, and a router after the last host.
        let mut routes = routes_between(&[[0, 1], [1, 2], [2, 3]], &[false, false, false, true]);
        assert_eq!(
            (hop(&mut routes, 0, 1), hop(&mut routes, 1, 0), hop(&mut routes, 1, 2)),
            (Some(0), Some(1), Some(2))
        );
        assert_eq!(
            (hop(&mut routes, 0, 2), hop(&mut routes, 2, 0), hop(&mut routes, 0, 3), hop(&mut routes, 3, 1)),
            (None, None, None, None)
        );
    }

    /// The hop from `node` to `to` by the definition: over the first open link to a nearer neighbour, with
    /// breadth-first distances from the destination through routers only.
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
            let mut routes = routes_between(&ends, &forwards);
            for _ in 0..6 {
                for (node, to) in (0..nodes).flat_map(|node| (0..nodes).map(move |to| (node, to))) {
                    if node == to {
                        continue;
                    }
                    let expected = by_definition(&links, &forwards, node, to);
                    assert_eq!(hop(&mut routes, node, to), expected, "{node} to {to} over {links:?}, {forwards:?}");
                    *(if expected.is_some() { &mut found } else { &mut missing }) += 1;
                }
                if !links.is_empty() {
                    let link = below(links.len());
                    links[link].1 = !links[link].1;
                    let (between, open) = links[link];
                    routes.set_open(LinkId::from_index(link), between.map(NodeId::from_index), open);
                }
            }
        }
        assert!(found > 10_000 && missing > 10_000, "{found} routes, {missing} missing");
    }
}
