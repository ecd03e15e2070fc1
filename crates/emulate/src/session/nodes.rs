//! Nodes as network namespaces.

use std::fs;
use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use host::namespace::{Namespace, mount_over};
use host::tun::{self, Tun};
use host::{Error, clock};
use scenario::problem::Problem;
use sim::{Network, NodeKind};

use crate::addresses::{ipv4_of_node, ipv6_of_node};

/// The name of the device in each namespace.
pub(super) const DEVICE: &str = "tun0";

/// Limit of the kernel's queue of packets for the emulation, which is more than a host sends in one burst.
const QUEUE: u32 = 2000;

/// A node that is a real host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RealHost {
    /// The node's number.
    pub node: usize,
    /// Name of the node.
    pub name: String,
    /// A shell command line that runs at the node in addition to the command.
    pub command: Option<String>,
}

/// The device of a node, as `NODE=DEVICE`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Device {
    /// The node.
    pub place: RealHost,
    /// The device's name.
    pub name: String,
}

/// The number of the node that `option` names.
pub(super) fn find_node(network: &Network, option: &str, name: &str) -> Result<RealHost, Problem> {
    let number = network.nodes.iter().position(|node| node.name == name);
    let unknown = || {
        const SHOWN: usize = 12;
        let known = || network.nodes.iter().map(|node| node.name.as_str());
        let names: Vec<&str> = known().take(SHOWN).collect();
        let more = if network.nodes.len() > SHOWN { ", ..." } else { "" };
        let problem = Problem::new(format!("the name of a node: {}{more}", names.join(", "))).in_file(option);
        problem.found(format!("{name:?}")).did_you_mean(name, known())
    };
    Ok(RealHost { node: number.ok_or_else(unknown)?, name: name.to_owned(), command: None })
}

/// Splits `NODE=VALUE`.
fn split_assignment<'a>(option: &str, text: &'a str, value: &str) -> Result<(&'a str, &'a str), Problem> {
    let wrong = || Problem::new(format!("NODE={value}")).in_file(option).found(format!("{text:?}"));
    text.split_once('=').filter(|(node, value)| !node.is_empty() && !value.is_empty()).ok_or_else(wrong)
}

/// The nodes of `--node` and `--and NODE=COMMAND`, the command's first, and at least two.
///
/// Without `--node` the first node is `mobile`, otherwise the receiver of the first flow, or the last host. If no
/// second node is given, it is the other end of the first flow of the first node, or the first other host.
///
/// # Errors
///
/// If a node does not exist, or is named twice, or no second node exists.
pub fn parse_hosts(network: &Network, name: Option<&str>, others: &[String]) -> Result<Vec<RealHost>, Problem> {
    let hosts = || network.nodes.iter().enumerate().filter(|(_, node)| node.kind == NodeKind::Host);
    let named = |number: usize| RealHost { node: number, name: network.nodes[number].name.clone(), command: None };
    let default = || {
        let mobile = network.nodes.iter().position(|node| node.name == "mobile");
        let receiver = || network.flows.first().map(|flow| flow.to);
        mobile.or_else(receiver).or_else(|| hosts().next_back().map(|(number, _)| number))
    };
    let first = match name {
        Some(name) => find_node(network, "--node", name)?,
        None => default().map(named).ok_or_else(|| Problem::new("a scenario with a host").in_file("--node"))?,
    };
    let mut places = vec![first];
    for other in others {
        let (name, command) = split_assignment("--and", other, "COMMAND")?;
        let place = find_node(network, "--and", name)?;
        if places.iter().any(|known| known.node == place.node) {
            let twice = format!("`{name}`, which already runs a command");
            return Err(Problem::new("another node").in_file("--and").found(twice));
        }
        places.push(RealHost { command: Some(command.to_owned()), ..place });
    }
    if let [first] = places[..].as_ref() {
        let here = first.node;
        let flow = network.flows.iter().find(|flow| flow.from == here || flow.to == here);
        let peer = flow.map(|flow| if flow.from == here { flow.to } else { flow.from });
        let peer = peer.or_else(|| hosts().map(|(number, _)| number).find(|number| *number != here));
        let peer = peer.ok_or_else(|| Problem::new("a scenario with a second host").in_file("--node"))?;
        places.push(named(peer));
    }
    Ok(places)
}

/// The devices of `--tun NODE=DEVICE`, at least two.
///
/// # Errors
///
/// If a node does not exist or has two devices, or there are fewer than two.
pub fn parse_devices(network: &Network, given: &[String]) -> Result<Vec<Device>, Problem> {
    let mut devices: Vec<Device> = Vec::new();
    for text in given {
        let (name, device) = split_assignment("--tun", text, "DEVICE")?;
        let place = find_node(network, "--tun", name)?;
        if devices.iter().any(|known| known.place.node == place.node) {
            let twice = format!("a second device of `{name}`");
            return Err(Problem::new("one device for each node").in_file("--tun").found(twice));
        }
        devices.push(Device { place, name: device.to_owned() });
    }
    if devices.len() < 2 {
        let found = format!("{} of them", devices.len());
        return Err(Problem::new("at least two devices").in_file("--tun").found(found));
    }
    Ok(devices)
}

/// A namespace with its device.
pub(super) struct NodeNamespace {
    pub namespace: Namespace,
    /// The number by which the kernel identifies the namespace.
    pub inode: String,
    device: Arc<Tun>,
    pub place: RealHost,
    /// The reason why programs find nodes by address only; `None` if names work.
    pub unnamed: Option<io::Error>,
    /// The reason why programs do not use the resolver although they should; `None` if they use it.
    pub unresolved: Option<io::Error>,
}

/// The IPv6 address of a node in a namespace; `None` without IPv6.
pub(super) fn own_ipv6(node: usize) -> Option<Ipv6Addr> {
    tun::has_ipv6().then(|| ipv6_of_node(node))
}

impl NodeNamespace {
    /// Creates the namespace of a node. `names` lists all nodes: programs in the namespace resolve these names locally,
    /// and other names by the resolver, if any.
    pub fn new(place: &RealHost, mtu: u16, names: &[(usize, &str)], resolver: Option<Ipv4Addr>) -> Result<Self, Error> {
        let namespace = Namespace::new(&place.name)?;
        let (node, names) = (place.node, host_names(names));
        let (device, inode, unnamed, unresolved) = namespace.call(move || {
            clock::wake_exactly()?;
            let device = Tun::new(DEVICE, mtu)?;
            device.configure(ipv4_of_node(node), own_ipv6(node))?;
            device.set_queue(QUEUE)?;
            tun::permit_ping();
            // Programs use addresses if there is no right to mount.
            let (unnamed, unresolved) = (known_by_name(&names).err(), resolver.and_then(|at| resolved_by(at).err()));
            Ok::<_, Error>((device, own_namespace()?, unnamed, unresolved))
        })??;
        Ok(NodeNamespace { namespace, inode, device: Arc::new(device), place: place.clone(), unnamed, unresolved })
    }

    pub fn device(&self) -> Arc<Tun> {
        Arc::clone(&self.device)
    }
}

/// Lines of `/etc/hosts`.
fn host_names(names: &[(usize, &str)]) -> String {
    let has_ipv6 = tun::has_ipv6();
    let addresses =
        |node: usize| [Some(ipv4_of_node(node).to_string()), has_ipv6.then(|| ipv6_of_node(node).to_string())];
    let lines = names
        .iter()
        .flat_map(|(node, name)| addresses(*node).into_iter().flatten().map(move |at| format!("{at} {name}\n")));
    lines.collect()
}

/// Adds lines to the `/etc/hosts` that the programs of this thread see.
fn known_by_name(names: &str) -> io::Result<()> {
    let hosts = fs::read_to_string("/etc/hosts").unwrap_or_default();
    replace_file(&format!("{}\n{names}", hosts.trim_end()), "/etc/hosts")
}

/// Programs of this thread use this resolver instead of the resolver of the machine.
fn resolved_by(resolver: Ipv4Addr) -> io::Result<()> {
    const FILE: &str = "/etc/resolv.conf";
    let machine = fs::read_to_string(FILE).unwrap_or_default();
    let others = machine.lines().filter(|line| !line.starts_with("nameserver")).map(|line| format!("{line}\n"));
    replace_file(&format!("nameserver {resolver}\n{}", others.collect::<String>()), FILE)
}

/// Programs of this thread read `text` instead of a file of the machine.
fn replace_file(text: &str, path: &str) -> io::Result<()> {
    // The folder named by TMPDIR may belong to another user.
    let mut file = tempfile::NamedTempFile::new().or_else(|_| tempfile::NamedTempFile::new_in("/tmp"))?;
    file.write_all(text.as_bytes())?;
    fs::set_permissions(file.path(), std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    mount_over(file.path(), path.as_ref())
    // The file is removed here; its contents remain available through the mount.
}

fn own_namespace() -> Result<String, Error> {
    let link = fs::read_link("/proc/thread-self/ns/net");
    let link = link.map_err(|source| Error::Other { what: "the namespace cannot be identified", source })?;
    Ok(link.to_string_lossy().into_owned())
}
