//! Drives one agent between two hosts.

use std::collections::BTreeSet;

use engine::{Span, Time};
use path::agent::{Agent, AgentConfig, AgentCx, Departure};

use super::hosts::HERE;
use crate::breach::{Breach, Call, Contract, label_member};

/// An agent at [`HERE`] that a test drives step by step. The test advances the time, during which the agent's timers
/// expire, and calls its methods. Each call is checked for deadlines, constants and expedited packets.
pub struct Driver {
    agent: Box<dyn Agent>,
    member: String,
    now: Time,
    constants: Constants,
    names: Vec<&'static str>,
    /// Number of calls so far.
    calls: u64,
    /// Description of the last call.
    what: &'static str,
}

/// Constants declared by an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Constants {
    pub sends_expedited: bool,
    pub looks_at_link: bool,
    pub looks_at_deliveries: bool,
    pub foresight: Option<Span>,
}

impl Constants {
    fn of(agent: &dyn Agent) -> Self {
        Constants {
            sends_expedited: agent.sends_expedited(),
            looks_at_link: agent.looks_at_link(),
            looks_at_deliveries: agent.looks_at_deliveries(),
            foresight: agent.foresight(),
        }
    }
}

impl Driver {
    /// Builds the agent; `None` if the scheme has none.
    ///
    /// # Errors
    /// Faults of the settings, and counters with invalid names.
    pub fn new(config: &AgentConfig) -> Result<Option<Self>, Breach> {
        let member = label_member::<AgentConfig>(config.name());
        Breach::of_settings(member.clone(), config.check())?;
        let Some(agent) = config.build() else { return Ok(None) };
        let names = agent.counters().into_iter().map(|(name, _)| name).collect();
        let constants = Constants::of(&*agent);
        let driver = Driver { agent, member, now: Time::ZERO, constants, names, calls: 0, what: "construction" };
        driver.check_names()?;
        Ok(Some(driver))
    }

    /// Returns the agent.
    pub fn agent(&self) -> &dyn Agent {
        &*self.agent
    }

    /// Returns the time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Returns a counter of the agent.
    pub fn counter(&self, name: &str) -> Option<u64> {
        self.agent.counters().into_iter().find_map(|(counter, value)| (counter == name).then_some(value))
    }

    pub(super) fn constants(&self) -> Constants {
        self.constants
    }

    /// Advances the time. Calls `observe` for each wake-up with its time and the packets sent.
    ///
    /// # Errors
    /// A broken contract of a wake-up: afterwards the deadline lies in the future.
    ///
    /// # Panics
    /// If `to` is before the present.
    pub fn advance(&mut self, to: Time, mut observe: impl FnMut(Time, Vec<Departure>)) -> Result<(), Breach> {
        assert!(to >= self.now, "the time must not decrease");
        loop {
            let deadline = self.agent.deadline();
            if deadline > to || deadline == Time::NEVER {
                break;
            }
            self.now = self.now.max(deadline);
            let sent = self.call("on_wake", |agent, cx| agent.on_wake(cx))?.1;
            let next = self.agent.deadline();
            if next <= self.now {
                let expected = format!("a later deadline than {:?}, the time of the wake-up", self.now);
                return Err(self.breach(Contract::Timer, format!("a deadline at {next:?}"), expected));
            }
            observe(self.now, sent);
        }
        self.now = to;
        Ok(())
    }

    /// Calls a method of the agent, whose name is `what`. Returns the result and the packets sent.
    ///
    /// # Errors
    /// A broken contract of all calls.
    pub fn call<T>(
        &mut self,
        what: &'static str,
        act: impl FnOnce(&mut dyn Agent, &mut AgentCx<'_>) -> T,
    ) -> Result<(T, Vec<Departure>), Breach> {
        (self.calls, self.what) = (self.calls + 1, what);
        let mut send = Vec::new();
        let result = act(&mut *self.agent, &mut AgentCx { now: self.now, here: HERE, send: &mut send, events: None });
        let deadline = self.agent.deadline();
        if deadline < self.now {
            let expected = format!("{:?}, the present, or later", self.now);
            return Err(self.breach(Contract::Timer, format!("a deadline at {deadline:?}"), expected));
        }
        if let Some(departure) = send.iter().find(|departure| departure.expedited && !self.constants.sends_expedited) {
            let expected = "sends_expedited to be true, or a packet that is not expedited";
            return Err(self.breach(Contract::Expedited, format!("{departure:?}"), expected));
        }
        let constants = Constants::of(&*self.agent);
        if constants != self.constants {
            let expected = format!("{:?} as in the first call", self.constants);
            return Err(self.breach(Contract::Constant, format!("{constants:?}"), expected));
        }
        Ok((result, send))
    }

    /// Checks the names of the first counters.
    fn check_names(&self) -> Result<(), Breach> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if let Some(name) = self.names.iter().find(|name| name.is_empty() || !name.chars().all(plain)) {
            let expected = "a name of lower-case letters, digits and _";
            return Err(self.breach(Contract::CounterNames, format!("\"{name}\""), expected));
        }
        let mut unique = BTreeSet::new();
        if let Some(name) = self.names.iter().find(|name| !unique.insert(**name)) {
            return Err(self.breach(Contract::CounterNames, format!("\"{name}\" twice"), "unique names"));
        }
        Ok(())
    }

    /// Returns the counters of the agent.
    ///
    /// # Errors
    /// The names differ from the names in the first call.
    pub fn counters(&self) -> Result<Vec<(&'static str, u64)>, Breach> {
        let counters = self.agent.counters();
        if counters.iter().map(|(name, _)| *name).eq(self.names.iter().copied()) {
            return Ok(counters);
        }
        let names: Vec<_> = counters.iter().map(|(name, _)| *name).collect();
        Err(self.breach(Contract::CounterNames, format!("{names:?}"), format!("{:?} as in the first call", self.names)))
    }

    pub(crate) fn breach(&self, contract: Contract, found: impl Into<String>, expected: impl Into<String>) -> Breach {
        let call = Call { number: self.calls, what: format!("{}({:?})", self.what, self.now) };
        let call = (self.calls > 0).then_some(call);
        Breach { member: self.member.clone(), contract, call, found: found.into(), expected: expected.into() }
    }
}
