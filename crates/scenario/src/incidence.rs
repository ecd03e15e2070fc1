//! The links at each node and in each medium, found without a pass over all links: checking a network takes time linear
//! in nodes plus links.

use sim::{LinkId, LinkSpec, Network};

/// Links, in the order of the network.
pub(super) struct Incidence {
    by_node: Vec<Vec<LinkId>>,
    by_medium: Vec<Vec<LinkId>>,
}

impl Incidence {
    /// Finds the links of all nodes and media of a network.
    pub(super) fn new(network: &Network) -> Self {
        let mut by_medium = vec![Vec::new(); network.media.len()];
        for (number, link) in network.links.iter().enumerate() {
            link.medium.iter().for_each(|medium| by_medium[*medium].push(LinkId::from_index(number)));
        }
        Incidence { by_node: network.links_by_node(), by_medium }
    }

    /// The links at `node`.
    pub(super) fn links<'a>(&'a self, network: &'a Network, node: usize) -> impl Iterator<Item = &'a LinkSpec> + Clone {
        self.by_node[node].iter().map(|link| &network.links[link.index()])
    }

    /// The links in `medium`.
    pub(super) fn links_in<'a>(&'a self, network: &'a Network, medium: usize) -> impl Iterator<Item = &'a LinkSpec> {
        self.by_medium[medium].iter().map(|link| &network.links[link.index()])
    }
}
