//! Addresses of the nodes for real hosts.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use foldhash::fast::FixedState;
use wire::Addr;

type HashMap<K, V> = std::collections::HashMap<K, V, FixedState>;

/// Prefix of the nodes' IPv6 addresses, which are unique local addresses [RFC4193 s3.1]. The global identifier spells
/// "lasthop".
const PREFIX: [u16; 4] = [0xfd6c, 0x6173, 0x7468, 0x6f70];

/// Maximum number of addresses that are learned; others are routed by default.
const MAX_LEARNED: usize = 1 << 16;

/// The IPv4 address of node number `node`: 10.0.0.0 + `node` + 1, as in the simulation.
pub fn ipv4_of_node(node: usize) -> Ipv4Addr {
    Addr::of_node(node).into()
}

/// The IPv6 address of node number `node`: fd6c:6173:7468:6f70:: + `node` + 1.
pub fn ipv6_of_node(node: usize) -> Ipv6Addr {
    let number = node as u32 + 1;
    let [a, b, c, d] = PREFIX;
    Ipv6Addr::new(a, b, c, d, 0, 0, (number >> 16) as u16, number as u16)
}

/// Selection of a packet's node by its destination address.
#[derive(Default)]
pub(crate) struct Addresses {
    /// Number of nodes.
    nodes: usize,
    /// The nodes with a device.
    real: Vec<usize>,
    /// Other addresses at nodes with a device, learned from source addresses.
    learned: HashMap<IpAddr, usize>,
    /// The node that receives packets for all other addresses.
    gateway: Option<usize>,
}

impl Addresses {
    pub fn new(nodes: usize, real: Vec<usize>, gateway: Option<usize>) -> Self {
        Addresses { nodes, real, learned: HashMap::default(), gateway }
    }

    /// Records that a packet with this source address left `node`. Several addresses can be at one node.
    pub fn learn(&mut self, address: IpAddr, node: usize) {
        if find_simulated_node(address, self.nodes).is_none() && self.learned.len() < MAX_LEARNED {
            self.learned.insert(address, node);
        }
    }

    /// Finds the destination of a packet from `node` by its address, or by the hosts that have sent. Otherwise the
    /// destination is the gateway, or the other node if there are two. `None` if the packet stays on the link of the
    /// node, or has no destination.
    pub fn find(&self, node: usize, address: IpAddr) -> Option<usize> {
        if is_local(address) {
            return None;
        }
        let known = find_simulated_node(address, self.nodes).or_else(|| self.learned.get(&address).copied());
        let other = || match self.real[..] {
            [a, b] if a == node => Some(b),
            [a, b] if b == node => Some(a),
            _ => None,
        };
        known.or(self.gateway.filter(|gateway| *gateway != node)).or_else(other).filter(|there| *there != node)
    }
}

/// Returns the node with this simulated address.
fn find_simulated_node(address: IpAddr, nodes: usize) -> Option<usize> {
    let number = match address {
        IpAddr::V4(address) => u32::from(address).wrapping_sub(u32::from(ipv4_of_node(0))) as usize,
        IpAddr::V6(address) => {
            let [a, b, c, d, 0, 0, high, low] = address.segments() else { return None };
            let number = u32::from(high) << 16 | u32::from(low);
            if [a, b, c, d] == PREFIX { number.wrapping_sub(1) as usize } else { return None }
        }
    };
    (number < nodes).then_some(number)
}

/// Whether a packet for this address stays on the link: multicast, broadcast, and link-local addresses.
fn is_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            address.is_multicast()
                || address.is_broadcast()
                || address.is_link_local()
                || address.is_unspecified()
                || address == Ipv4Addr::new(10, 255, 255, 255)
        }
        IpAddr::V6(address) => address.is_multicast() || address.is_unicast_link_local() || address.is_unspecified(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_the_addresses_of_the_simulation() {
        assert_eq!(ipv4_of_node(2), Ipv4Addr::new(10, 0, 0, 3));
        assert_eq!(ipv6_of_node(2).to_string(), "fd6c:6173:7468:6f70::3");
        for node in [0, 2, 299] {
            assert_eq!(find_simulated_node(ipv4_of_node(node).into(), 300), Some(node));
            assert_eq!(find_simulated_node(ipv6_of_node(node).into(), 300), Some(node));
        }
        assert_eq!(find_simulated_node(ipv4_of_node(300).into(), 300), None);
        assert_eq!(find_simulated_node(Ipv4Addr::new(9, 255, 255, 255).into(), 300), None);
        assert_eq!(find_simulated_node("fd6c:6173:7468:6f70::".parse().unwrap(), 300), None);
    }

    #[test]
    fn unknown_destination_is_at_the_gateway_or_the_other_end() {
        let outside: IpAddr = "192.0.2.1".parse().unwrap();
        let two = Addresses::new(3, vec![0, 2], None);
        assert_eq!((two.find(0, outside), two.find(2, outside)), (Some(2), Some(0)));
        let mut three = Addresses::new(3, vec![0, 1, 2], None);
        assert_eq!(three.find(0, outside), None);
        three.learn(outside, 1);
        assert_eq!((three.find(0, outside), three.find(1, outside)), (Some(1), None));
        assert_eq!(Addresses::new(3, vec![0, 1, 2], Some(2)).find(0, outside), Some(2));
    }

    #[test]
    fn link_local_packets_have_no_destination() {
        let two = Addresses::new(3, vec![0, 2], Some(2));
        for address in ["ff02::2", "fe80::1", "224.0.0.22", "255.255.255.255", "::", "0.0.0.0"] {
            assert_eq!(two.find(0, address.parse().unwrap()), None, "{address}");
        }
    }
}
