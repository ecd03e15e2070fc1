//! Contracts of agents, for random traffic and random failures of the link layer.

mod driver;
mod forwarding;
pub mod hosts;
mod repeat;
pub mod reports;
mod state;
mod traffic;

use path::agent::AgentConfig;

use crate::breach::Breach;
pub use driver::Driver;
use forwarding::Received;
use repeat::Effect;
pub use traffic::{AgentOutput, Input, Traffic, feed_agent};

/// Checks an agent: it forwards only data and acknowledgments that it has received (other acknowledgments if it
/// declares that semantics are lost), its messages quote data segments whose transmission failed, its counters have
/// valid and constant names, its state is bounded, its deadlines lie in the future, and the same traffic gives the same
/// results. A scheme without an agent has no contracts.
///
/// # Errors
/// The first broken contract.
pub fn check_agent(config: &AgentConfig, seed: u64) -> Result<(), Breach> {
    observe_agent(config, &AgentOptions::default(), seed).map(drop)
}

/// Exceptions of an agent from the contracts of most agents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgentOptions {
    /// Whether the agent may send received bytes in other segments than those that it received.
    pub resegments: bool,
    /// Whether the agent may withhold the last byte of an acknowledgment.
    pub withholds_last_byte: bool,
    /// An agent that takes, changes or sends packets must have the counters `flows`, `state_bytes` and
    /// `state_bytes_most`. Otherwise they only need to occur together.
    pub must_report_state: bool,
    /// Maximum size of its state in bytes.
    pub max_state_bytes: u64,
}

impl Default for AgentOptions {
    fn default() -> Self {
        AgentOptions {
            resegments: false,
            withholds_last_byte: false,
            must_report_state: false,
            max_state_bytes: 64 << 20,
        }
    }
}

/// Observations of a check on an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AgentObservation {
    /// Whether the agent sent an acknowledgment that it had not received.
    pub acknowledges: bool,
    /// Number of messages sent in response to reports of the link layer.
    pub messages: u64,
}

/// Checks an agent as [`check_agent`] does, with these options. Returns the observations.
///
/// # Errors
/// The first broken contract.
pub fn observe_agent(config: &AgentConfig, options: &AgentOptions, seed: u64) -> Result<AgentObservation, Breach> {
    /// Number of inputs: packets, reports and changes of the channel.
    const INPUTS: usize = 30_000;
    const FLOWS: u16 = 4;
    if Driver::new(config)?.is_none() {
        return Ok(AgentObservation::default());
    }
    let messages = reports::check_reports(config, seed)?;
    let mut seen = Vec::with_capacity(INPUTS);
    let mut forwarding = Received::new(options, config);
    feed_agent(config, Traffic::new(seed, FLOWS), INPUTS, |driver, input, output| {
        forwarding.check(driver, input, &output)?;
        seen.push(Effect::of(driver, output)?);
        Ok(())
    })?;
    let mut earlier = seen.iter();
    feed_agent(config, Traffic::new(seed, FLOWS), INPUTS, |driver, _, output| {
        earlier.next().map_or(Ok(()), |earlier| Effect::of(driver, output)?.repeats(earlier, driver))
    })?;
    state::check_state(config, options, seed)?;
    Ok(AgentObservation { acknowledges: forwarding.acknowledges, messages })
}
