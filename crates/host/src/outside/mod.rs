//! A namespace as the gateway to the machine's own network.
//!
//! Packets that the namespace's first device receives for addresses outside are forwarded through a second device,
//! which is connected to pasta: an unprivileged program that sends datagrams and echo requests through sockets of the
//! machine. TCP connections end in the namespace instead and are relayed to the machine's network: the TCP of pasta has
//! no congestion control, because it is designed for paths without losses and queues.

mod connection;
mod pasta;
mod relay;

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::Path;

use socket2::SockRef;

use crate::Error;
use crate::ip::run_ip;
use crate::namespace::Namespace;

pub use pasta::require_pasta;

/// The address at which programs in the namespaces reach the machine's own loopback address. It belongs to a block that
/// no network uses [RFC5737 s3].
pub const MACHINE: Ipv4Addr = Ipv4Addr::new(203, 0, 113, 1);

/// The address of the machine's resolver for programs in the namespaces.
pub const RESOLVER: Ipv4Addr = Ipv4Addr::new(203, 0, 113, 53);

/// The name of pasta's device.
const DEVICE: &str = "out0";

/// Number of the protocol TCP, whose name is known only with an `/etc/protocols`.
const TCP: &str = "6";

/// The routing table of TCP packets.
const TABLE: &str = "100";

/// What a gateway connects.
#[derive(Clone, Debug)]
pub struct Inside {
    /// The device by which packets arrive.
    pub device: String,
    /// The namespace's own address.
    pub ipv4: Ipv4Addr,
    /// IPv6 address of the gateway; `None` without IPv6.
    pub ipv6: Option<Ipv6Addr>,
    /// Address of the host whose packets leave for outside hosts.
    pub source: Ipv4Addr,
    /// Length of the prefix of all addresses that are not outside.
    pub prefix: u8,
    /// MTU of the devices.
    pub mtu: u16,
}

/// A running gateway; it ends when the value is dropped.
pub struct Outside {
    _pasta: pasta::Pasta,
    relays: relay::Relays,
    /// Addresses to which connections are accepted, in the order in which the relays have added them.
    known: VecDeque<SocketAddr>,
    own: [Option<IpAddr>; 2],
}

impl Outside {
    /// Makes `namespace` the gateway. `program` starts pasta, so that pasta ends with this process.
    ///
    /// # Errors
    /// If pasta is not installed or fails, or the namespace cannot be configured.
    pub fn start(namespace: &Namespace, inside: &Inside, program: Option<&Path>) -> Result<Self, Error> {
        let pasta = pasta::Pasta::start(namespace, inside, DEVICE, program)?;
        let settings = inside.clone();
        namespace.call(move || set_routes(&settings))??;
        let own = [Some(inside.ipv4.into()), inside.ipv6.map(IpAddr::from)];
        Ok(Outside { _pasta: pasta, relays: relay::Relays::start_connection()?, known: VecDeque::new(), own })
    }

    /// Prepares for a new connection to an outside address, so that it will be accepted. No effect for addresses of the
    /// namespace. If another program listens on the port, that program gets the connection.
    pub fn accept(&mut self, namespace: &Namespace, to: SocketAddr) {
        if self.own.contains(&Some(to.ip())) || self.known.contains(&to) {
            return;
        }
        let listener = move || {
            let listener = TcpListener::bind(to)?;
            if to.is_ipv4() {
                // There is no route from addresses outside of the namespace without this setting.
                SockRef::from(&listener).set_ip_transparent_v4(true)?;
            }
            Ok::<_, io::Error>(listener)
        };
        if let Ok(Ok(listener)) = namespace.call(listener) {
            self.relays.listen(listener, to);
            self.known.push_back(to);
            if self.known.len() > relay::MAX_LISTENERS {
                self.known.pop_front();
            }
        }
    }
}

/// Sets the routes in the namespace. TCP segments with any destination are delivered to the namespace itself, and other
/// packets are forwarded.
fn set_routes(inside: &Inside) -> Result<(), Error> {
    let refused = |source: io::Error| Error::Other { what: "the namespace cannot forward packets", source };
    let set = |key: &str, value: &str| fs::write(format!("/proc/sys/net/{key}"), value).map_err(refused);
    let device = inside.device.as_str();
    let (own, all) = (inside.ipv4, Ipv4Addr::from(u32::from(inside.ipv4) & prefix_mask(inside.prefix)));
    set("ipv4/ip_forward", "1")?;
    // Connections are accepted at addresses that the namespace does not have.
    set("ipv4/ip_nonlocal_bind", "1")?;
    run_ip(&["address", "del", &format!("{own}/8"), "dev", device])?;
    run_ip(&["address", "add", &format!("{own}/32"), "dev", device])?;
    if inside.ipv6.is_some() {
        set("ipv6/conf/all/forwarding", "1")?;
        set("ipv6/ip_nonlocal_bind", "1")?;
        // Duplicate address detection is off, since it would delay the start by a second.
        set(&format!("ipv6/conf/{DEVICE}/accept_dad"), "0")?;
        run_ip(&["-6", "route", "del", "default", "dev", device])?;
    }
    run_ip(&["link", "set", DEVICE, "mtu", &inside.mtu.to_string(), "up"])?;
    run_ip(&["route", "replace", &format!("{all}/{}", inside.prefix), "dev", device])?;
    run_ip(&["route", "replace", "default", "dev", DEVICE])?;
    let families: &[&str] = if inside.ipv6.is_some() { &["-4", "-6"] } else { &["-4"] };
    for family in families {
        if *family == "-6" {
            run_ip(&["-6", "route", "add", "default", "dev", DEVICE])?;
        }
        run_ip(&[family, "rule", "add", "iif", device, "ipproto", TCP, "lookup", TABLE])?;
        run_ip(&[family, "route", "add", "local", "default", "dev", "lo", "table", TABLE])?;
    }
    Ok(())
}

/// The mask of a prefix of IPv4.
fn prefix_mask(length: u8) -> u32 {
    u32::MAX.checked_shl(32 - u32::from(length.min(32))).unwrap_or(0)
}
