//! Flows by name.

use sim::{Network, Transport};

use crate::problem::Problem;

/// The numbers of the flows over TCP.
pub fn over_tcp(network: &Network) -> Vec<usize> {
    (0..network.flows.len()).filter(|flow| network.flows[*flow].transport == Transport::Tcp).collect()
}

/// The number of the flow over TCP with this name.
///
/// # Errors
/// The flow does not exist, or uses another transport.
pub fn tcp_flow(network: &Network, name: &str) -> Result<usize, Problem> {
    let found = network.flows.iter().position(|flow| flow.name == name);
    match found.map(|number| (number, network.flows[number].transport)) {
        Some((number, Transport::Tcp)) => Ok(number),
        Some((_, other)) => {
            Err(Problem::new("a flow over TCP").found(format!("\"{name}\", a flow over {}", other.name())))
        }
        None => {
            let known = over_tcp(network).into_iter().map(|number| network.flows[number].name.as_str());
            Err(Problem::new("a flow").found(format!("\"{name}\"")).nearest(name, known))
        }
    }
}
