//! The node at which packets leave for the machine's own network.

use std::net::SocketAddr;

use host::Error;
use host::outside::{Inside, Outside};
use scenario::problem::Problem;
use sim::Network;
use wire::Flags;

use super::Plan;
use super::nodes::{DEVICE, NodeNamespace, RealHost, own_ipv6};
use crate::addresses::ipv4_of_node;
use crate::frame::{IpFrame, Payload};

/// Returns the index of the place at which packets leave: the node `name`, or else the node of the second place. A
/// missing place is added.
///
/// # Errors
///
/// If the node does not exist, or is the node of the command.
pub fn gateway_place(network: &Network, places: &mut Vec<RealHost>, name: Option<&str>) -> Result<usize, Problem> {
    let Some(name) = name else { return Ok(1) };
    let place = super::nodes::find_node(network, "--outside", name)?;
    match places.iter().position(|known| known.node == place.node) {
        Some(0) => Err(Problem::new("another node").in_file("--outside").found(format!("`{name}`, the command's own"))),
        Some(index) => Ok(index),
        None => {
            places.push(place);
            Ok(places.len() - 1)
        }
    }
}

/// The node, and the networks reached through it.
pub(super) struct Gateway<'a> {
    device: usize,
    node: &'a NodeNamespace,
    outside: Outside,
}

impl<'a> Gateway<'a> {
    /// Opens the gateway of `plan`, if the plan has one, for `nodes`. The network has `all` nodes.
    pub fn open(plan: &Plan, nodes: &'a [NodeNamespace], all: usize) -> Result<Option<Self>, Error> {
        let Some((device, node)) = plan.outside.and_then(|index| Some((index, nodes.get(index)?))) else {
            return Ok(None);
        };
        for (node, error) in nodes.iter().filter_map(|node| Some((node, node.unresolved.as_ref()?))) {
            let name = &node.place.name;
            plan.warn(&format!("programs at {name} find outside hosts by address only: /etc/resolv.conf: {error}"));
        }
        let inside = Inside {
            device: DEVICE.to_owned(),
            ipv4: ipv4_of_node(node.place.node),
            ipv6: own_ipv6(node.place.node),
            source: ipv4_of_node(plan.places[0].node),
            prefix: prefix_length(all),
            mtu: plan.mtu,
        };
        let outside = Outside::start(&node.namespace, &inside, plan.program.as_deref())?;
        Ok(Some(Gateway { device, node, outside }))
    }

    /// Handles a packet that is about to be delivered to a device. If the packet opens a connection to an outside host,
    /// the node will accept the connection.
    pub fn delivers(&mut self, device: usize, bytes: &[u8]) {
        if device != self.device {
            return;
        }
        let Some(IpFrame { dst, payload: Payload::Tcp { segment, .. }, .. }) = IpFrame::read(bytes) else { return };
        if segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK) {
            self.outside.accept(&self.node.namespace, SocketAddr::new(dst, segment.dst_port));
        }
    }
}

/// Returns the length of the prefix for the addresses of this number of nodes, of which the first one has the host
/// number 1.
fn prefix_length(nodes: usize) -> u8 {
    let bits = usize::BITS - nodes.leading_zeros();
    32 - bits.min(24) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_is_the_longest_that_covers_all_nodes() {
        for (nodes, length) in [(1, 31), (3, 30), (4, 29), (255, 24), (256, 23), (65_535, 16)] {
            assert_eq!(prefix_length(nodes), length, "{nodes}");
            let mask = u32::MAX << (32 - u32::from(length));
            assert_eq!(u32::from(ipv4_of_node(0)) & mask, u32::from(ipv4_of_node(nodes - 1)) & mask);
        }
    }
}
