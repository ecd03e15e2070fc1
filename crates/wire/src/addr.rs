//! IPv4 addresses of simulated nodes.

use std::fmt;
use std::net::Ipv4Addr;

/// An IPv4 address of the simulated network: node number `n`, counted from 0, has 10.0.0.0 + `n` + 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Addr(u32);

const NETWORK: u32 = 10 << 24;

impl Addr {
    /// Maximum number of nodes of a network, which is the host part of 10.0.0.0/8 without its two reserved addresses.
    pub const MAX_NODES: usize = (1 << 24) - 2;

    /// Returns the address of node number `index`.
    pub const fn of_node(index: usize) -> Self {
        Addr(NETWORK + index as u32 + 1)
    }

    /// Returns the number of the node with this address; `None` for an address outside of the simulated network.
    pub const fn checked_node(self) -> Option<usize> {
        if self.0 > NETWORK { Some((self.0 - NETWORK - 1) as usize) } else { None }
    }

    /// Returns the number of the node with this address, which must be one of the simulated network.
    pub const fn node(self) -> usize {
        (self.0 - NETWORK - 1) as usize
    }
}

impl From<Addr> for Ipv4Addr {
    fn from(addr: Addr) -> Self {
        Ipv4Addr::from(addr.0)
    }
}

impl fmt::Debug for Addr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Ipv4Addr::from(*self))
    }
}
