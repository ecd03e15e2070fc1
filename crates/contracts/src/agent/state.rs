//! Bounds of the state of an agent.

use path::agent::AgentConfig;

use super::{AgentOptions, Driver, Input, Traffic, feed_agent};
use crate::breach::{Breach, Contract};

/// Number of inputs.
const INPUTS: usize = 60_000;
/// Numbers of flows: either many flows with a few packets each, or one flow with many.
const FLOWS: [u16; 2] = [9_000, 1];

/// Checks the counters `flows`, `state_bytes` and `state_bytes_most`.
pub fn check_state(config: &AgentConfig, options: &AgentOptions, seed: u64) -> Result<(), Breach> {
    for flows in FLOWS {
        let (mut interferes, mut most) = (false, 0);
        feed_agent(config, Traffic::new(seed, flows), INPUTS, |driver, input, output| {
            if let Input::ToAir(packet) | Input::FromAir(packet) = input {
                interferes |= output.passed != Some(*packet) || !output.sent.is_empty();
            }
            check_counters(driver, options, interferes, &mut most)
        })?;
    }
    Ok(())
}

/// Checks the counters after an input; `most` is the largest size so far.
fn check_counters(driver: &Driver, options: &AgentOptions, interferes: bool, most: &mut u64) -> Result<(), Breach> {
    let counters = driver.counters()?;
    let counter = |name| counters.iter().find_map(|(counter, value)| (*counter == name).then_some(*value));
    let [flows, size, reported] = ["flows", "state_bytes", "state_bytes_most"].map(counter);
    let breach = |found: String, expected: &str| Err(driver.breach(Contract::State, found, expected));
    if size.is_some() != flows.is_some() || size.is_some() != reported.is_some() {
        let found = format!("flows {flows:?}, state_bytes {size:?}, state_bytes_most {reported:?}");
        return breach(found, "all three counters, or no counter and no state");
    }
    if options.must_report_state && interferes && size.is_none() {
        return breach("packets taken, changed or sent".into(), "the counters flows, state_bytes and state_bytes_most");
    }
    *most = size.unwrap_or(0).max(*most);
    if *most > options.max_state_bytes {
        return breach(format!("state_bytes {most}"), &format!("at most {}", options.max_state_bytes));
    }
    // The reported maximum may exceed the sizes seen between calls.
    match reported {
        Some(reported) if reported < *most => {
            breach(format!("state_bytes_most {reported}"), &format!("at least {most}, the maximum of state_bytes"))
        }
        _ => Ok(()),
    }
}
