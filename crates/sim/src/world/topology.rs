//! Destinations of packets: nodes, the ends of hops, and routes over open links.

use engine::{IdVec, Order, Time};
use path::mac::dcf;
use wire::Addr;

use super::agenda::{Agenda, Wakeup};
use crate::association::{Move, Reachable, Roamer};
use crate::ids::{HopIndex, LinkId, NodeId};
use crate::network::{Network, NodeSpec};
use crate::results::RoamingResult;
use crate::routing::Routes;
use crate::world::ids::RoamerId;

/// Handling of packets that arrive at a node.
pub(super) struct NodeRole {
    /// Whether the node forwards packets to other nodes.
    pub forwards: bool,
    /// Whether the node forwards packets unchanged and immediately: no scheme, no processing delay, no buffer limit.
    pub passes_on: bool,
}

/// The hops and routes of a network. A hop leads from the far end of its reverse hop to its own far end. Routes use
/// open links only. An associating mobile has at most one open link.
pub(super) struct Topology {
    nodes: IdVec<NodeId, NodeRole>,
    /// Packets dropped without a route.
    no_route: IdVec<NodeId, u64>,
    far_ends: IdVec<HopIndex, NodeId>,
    /// Whether a hop is wireless.
    wireless: IdVec<HopIndex, bool>,
    routes: Routes,
    roamers: IdVec<RoamerId, Roamer>,
}

impl Topology {
    /// Creates the nodes and hops of a network, with all links open. `passes_on` returns true for nodes that forward
    /// packets immediately.
    pub fn new(network: &Network, passes_on: impl Fn(NodeId) -> bool) -> Self {
        let role = |(index, spec): (usize, &NodeSpec)| NodeRole {
            forwards: spec.kind.forwards(),
            passes_on: passes_on(NodeId::from_index(index)),
        };
        let far_ends = |[a, b]: [usize; 2]| [b, a].map(NodeId::from_index);
        Topology {
            nodes: network.nodes.iter().enumerate().map(role).collect(),
            no_route: vec![0; network.nodes.len()].into(),
            far_ends: network.links.iter().flat_map(|link| far_ends(link.between)).collect(),
            wireless: network.links.iter().flat_map(|link| [link.wireless; 2]).collect(),
            routes: Routes::new(network),
            roamers: IdVec::default(),
        }
    }

    /// Adds the mobiles that use one link at a time.
    pub fn add_roamers(&mut self, network: &Network, agenda: &mut Agenda) {
        let until = agenda.until();
        for (node, links) in network.links_by_node().iter().enumerate() {
            let spec = &network.nodes[node];
            let (Some(association), Some(path)) = (spec.association, spec.place.clone()) else { continue };
            let reachable = |link: LinkId| {
                let spec = &network.links[link.index()];
                let [one, other] = spec.between;
                let other = if one == node { other } else { one };
                let range = network.media[spec.medium?].config.range?;
                Some(Reachable { link, station: network.nodes[other].place.clone()?, range })
            };
            let candidates = links.iter().copied().filter_map(reachable);
            let media = links.iter().filter_map(|link| network.links[link.index()].medium);
            let mut media = media.map(|medium| &network.media[medium].config);
            let path_loss = media.find(|medium| medium.range.is_some()).map(dcf::Config::path_loss);
            let slot = agenda.slot(Wakeup::Roamer(self.roamers.next_id()));
            let node = NodeId::from_index(node);
            self.roamers.push(Roamer::new(node, association, path, candidates, path_loss, until, slot));
        }
    }

    /// Arms the wake-ups of associating mobiles for time zero, before the flows that start then. Closes the links of
    /// these mobiles, and returns the links.
    pub fn begin_roaming(&mut self, agenda: &mut Agenda) -> Vec<LinkId> {
        let mut closed = Vec::new();
        for (number, roamer) in (0..).zip(&self.roamers) {
            closed.extend(roamer.links());
            agenda.schedule().arm_as(roamer.slot(), Time::ZERO, Order::early(number));
        }
        closed.iter().for_each(|link| self.set_open(*link, false));
        closed
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    #[inline(always)]
    pub fn role(&self, node: NodeId) -> &NodeRole {
        &self.nodes[node]
    }

    /// Node at the end of a hop.
    #[inline(always)]
    pub fn far_end(&self, hop: HopIndex) -> NodeId {
        self.far_ends[hop]
    }

    /// The node at the start of a hop.
    #[inline(always)]
    pub fn near_end(&self, hop: HopIndex) -> NodeId {
        self.far_ends[hop.opposite()]
    }

    #[inline(always)]
    pub fn is_wireless(&self, hop: HopIndex) -> bool {
        self.wireless[hop]
    }

    /// The hop on which a node sends packets to an address, if there is a route.
    #[inline(always)]
    pub fn next_hop(&mut self, node: NodeId, to: Addr) -> Option<HopIndex> {
        self.routes.hop(node, NodeId::of(to))
    }

    /// Counts a packet without a route.
    pub fn count_no_route(&mut self, node: NodeId) {
        self.no_route[node] += 1;
    }

    /// Packets dropped because a node had no route, by node.
    pub fn no_route(&self) -> Vec<u64> {
        self.no_route.as_slice().to_vec()
    }

    /// The node of a mobile.
    pub fn node_of(&self, roamer: RoamerId) -> NodeId {
        self.roamers[roamer].node()
    }

    /// Opens or closes the link of the next action of a mobile, if one is due.
    pub fn next_move(&mut self, roamer: RoamerId, now: Time) -> Option<Move> {
        let next = self.roamers[roamer].next_move(now)?;
        match next {
            Move::Joins(link) => self.set_open(link, true),
            Move::Leaves(link) => self.set_open(link, false),
        }
        Some(next)
    }

    /// Arms the wake-up for the next time at which an action of a mobile may be due.
    pub fn schedule_move(&mut self, roamer: RoamerId, agenda: &mut Agenda) {
        let roamer = &mut self.roamers[roamer];
        match roamer.next_look(agenda.now()) {
            Some(at) => agenda.schedule().arm(roamer.slot(), at),
            None => agenda.schedule().disarm(roamer.slot()),
        }
    }

    fn set_open(&mut self, link: LinkId, open: bool) {
        let between = link.hops().map(|hop| self.near_end(hop));
        self.routes.set_open(link, between, open);
    }

    /// Handovers of associating mobiles, by node.
    pub fn roaming(&self, now: Time) -> Vec<Option<RoamingResult>> {
        let mut results = IdVec::<NodeId, _>::from(vec![None; self.nodes.len()]);
        for roamer in &self.roamers {
            results[roamer.node()] = Some(roamer.roaming_result(now));
        }
        results.into_iter().collect()
    }
}
