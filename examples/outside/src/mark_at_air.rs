//! An agent of a base station that marks packets with ECN when more than a number of packets wait for the radio link
//! [RFC3168 s5]. Packets of flows without ECN pass unchanged.

use engine::Member;
use path::agent::{Agent, AgentConfig, AgentCx, AgentVerdict, Effect, LinkView, SchemeAction, Traits};
use schemars::JsonSchema;
use serde::Deserialize;
use wire::{Ecn, Packet};

/// Settings.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The number of packets that may wait without marks.
    pub threshold: usize,
}

impl Member<AgentConfig> for Config {
    /// It is a scheme of the base station alone, and acknowledgments keep their meaning. Pictures show each mark.
    fn traits(&self) -> Traits {
        const ACTIONS: &[SchemeAction] =
            &[SchemeAction { event: "marked", label: "marked with ECN", effect: Effect::Pauses }];
        Traits { actions: ACTIONS, ..Traits::default() }
    }

    fn build(&self, (): ()) -> Option<Box<dyn Agent>> {
        Some(Box::new(MarkAtAir { threshold: self.threshold, waiting: 0, marked: 0 }))
    }
}

struct MarkAtAir {
    threshold: usize,
    /// Packets that wait for the link of the packet that `before_air` is about.
    waiting: usize,
    marked: u64,
}

impl Agent for MarkAtAir {
    fn looks_at_link(&self) -> bool {
        true
    }

    fn on_link(&mut self, link: &LinkView, _: &mut AgentCx<'_>) {
        self.waiting = link.waiting;
    }

    fn before_air(&mut self, packet: &mut Packet, _: &mut AgentCx<'_>) -> AgentVerdict {
        if self.waiting > self.threshold && packet.ecn.is_capable() {
            packet.ecn = Ecn::Ce;
            self.marked += 1;
        }
        AgentVerdict::Pass
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        vec![("marked", self.marked)]
    }
}
