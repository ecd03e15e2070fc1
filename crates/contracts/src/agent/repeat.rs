//! Equal results of equal traffic.

use engine::Time;
use wire::Packet;

use path::agent::Departure;

use super::{AgentOutput, Driver};
use crate::breach::{Breach, Contract};

/// What an input caused.
#[derive(PartialEq, Debug)]
pub struct Effect {
    passed: Option<Packet>,
    sent: Vec<Departure>,
    deadline: Time,
    counters: Vec<(&'static str, u64)>,
}

impl Effect {
    /// Returns the effect of the last input.
    pub fn of(driver: &Driver, output: AgentOutput) -> Result<Self, Breach> {
        let (deadline, counters) = (driver.agent().deadline(), driver.counters()?);
        Ok(Effect { passed: output.passed, sent: output.sent, deadline, counters })
    }

    /// Compares the effect of an input with the effect of the same input in an earlier run.
    pub fn repeats(&self, earlier: &Self, driver: &Driver) -> Result<(), Breach> {
        let breach = |found: String, expected: String| {
            Err(driver.breach(Contract::Repeatable, found, format!("{expected} as in the first run of this traffic")))
        };
        if self.passed != earlier.passed {
            return breach(format!("forwards {:?}", self.passed), format!("{:?}", earlier.passed));
        }
        if self.sent != earlier.sent {
            return breach(format!("sends {:?}", self.sent), format!("{:?}", earlier.sent));
        }
        if self.deadline != earlier.deadline {
            return breach(format!("a deadline at {:?}", self.deadline), format!("{:?}", earlier.deadline));
        }
        if self.counters != earlier.counters {
            return breach(format!("counters {:?}", self.counters), format!("{:?}", earlier.counters));
        }
        Ok(())
    }
}
