//! ICMP-RETRANSMIT at the third failed local attempt at a segment, to study the gain by an early message. The link
//! layer continues its own attempts, so a segment may arrive twice.

use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::NoticeKind;

use super::icmp::tell_sender;
use super::{Agent, AgentCx, SchemeNode, Semantics, Traits};
use crate::outcome::RadioNotice;

/// Its properties.
pub fn traits() -> Traits {
    Traits {
        semantics: Semantics::Kept,
        changes: &[SchemeNode::Sender, SchemeNode::BaseStation],
        uploads: &[SchemeNode::Sender],
        needs_link_reports: true,
        actions: &[],
    }
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The failed attempt that is reported, from 1.
    #[serde(default = "third")]
    pub attempt: u32,
}

fn third() -> u32 {
    3
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let fault = Fault::new("attempt", self.attempt, "at least 1: the first attempt is number 1");
        if self.attempt == 0 { vec![fault] } else { Vec::new() }
    }
}

impl Config {
    /// The agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        Some(Box::new(ThirdAttempt { attempt: self.attempt }))
    }
}

struct ThirdAttempt {
    attempt: u32,
}

impl Agent for ThirdAttempt {
    fn on_radio(&mut self, notice: &RadioNotice, cx: &mut AgentCx<'_>) {
        if notice.attempt == self.attempt {
            tell_sender(NoticeKind::Retransmit, &notice.packet, cx);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LinkDirection, LinkId};
    use engine::Time;
    use wire::{Addr, Body, Flags, Options, Packet, Segment, SeqNum};

    #[test]
    fn only_the_third_failure_is_reported() {
        let (source, station, mobile) = (Addr::of_node(0), Addr::of_node(1), Addr::of_node(2));
        let segment = Segment {
            src_port: 10_000,
            dst_port: 10_000,
            seq: SeqNum(4096),
            ack: SeqNum(0),
            flags: Flags::ACK,
            window: 65_535,
            len: 1024,
            window_shift: 0,
            options: Options::default(),
        };
        let packet = Packet::new(source, mobile, Body::Tcp(segment));
        let hop = LinkId::new(1).hop(LinkDirection::Forward);
        let mut agent = Config { attempt: third() }.build().unwrap();
        let mut send = Vec::new();
        for attempt in 1..=9 {
            let notice = RadioNotice { hop, packet, attempt, last: attempt == 9 };
            agent.on_radio(&notice, &mut AgentCx { now: Time::ZERO, here: station, send: &mut send, events: None });
        }
        assert_eq!(send.len(), 1);
        assert_eq!(send[0].packet.dst, source);
    }
}
