//! Agents that break a contract are refused, with the correct contract named.

use crate::common;

use std::sync::atomic::{AtomicU64, Ordering};

use common::resolved;
use contracts::agent::{AgentObservation, AgentOptions, observe_agent};
use contracts::{Breach, Contract, check_agent};
use engine::registry::Fault;
use engine::{Member, Span, Time};
use path::agent::icmp::tell_sender;
use path::agent::{Agent, AgentConfig, AgentCx, AgentVerdict, Semantics, Traits};
use path::outcome::{DeliveryNotice, RadioNotice};
use schemars::JsonSchema;
use serde::Deserialize;
use wire::{Addr, Body, NoticeKind, Packet};

/// A defect, or a behaviour that is allowed.
#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Defect {
    None,
    Settings,
    ForgesAck,
    ForgesAckDeclared,
    InventsData,
    JoinsSegments,
    WithholdsByte,
    SendsElsewhere,
    DeadlineInThePast,
    WakesWithoutProgress,
    RenamesCounter,
    UpperCaseCounter,
    CounterTwice,
    QuotesArrivedData,
    MessageToTheMobile,
    Expedites,
    LooksLater,
    GlobalCount,
    GrowsWithoutBound,
    UnderstatesMaximum,
    SizeWithoutFlows,
    ReportsNoState,
}

/// Settings.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Config {
    defect: Defect,
}

impl Member<AgentConfig> for Config {
    fn check(&self) -> Vec<Fault> {
        let fault = Fault::new("defect", "settings", "any other");
        if self.defect == Defect::Settings { vec![fault] } else { Vec::new() }
    }

    fn traits(&self) -> Traits {
        let lost = self.defect == Defect::ForgesAckDeclared;
        Traits { semantics: if lost { Semantics::Lost } else { Semantics::Kept }, ..Traits::default() }
    }

    fn build(&self, (): ()) -> Option<Box<dyn Agent>> {
        Some(Box::new(Broken { defect: self.defect, packets: 0, due: Time::NEVER, last: None }))
    }
}

/// An agent with a defect that sends ICMP-RETRANSMIT about lost packets and wakes some time after each packet.
struct Broken {
    defect: Defect,
    packets: u64,
    due: Time,
    /// The most recently received data.
    last: Option<Packet>,
}

impl Broken {
    fn is(&self, defect: Defect) -> bool {
        self.defect == defect
    }
}

impl Agent for Broken {
    fn before_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        self.packets += 1;
        self.due = cx.now + Span::from_millis(5);
        if self.is(Defect::DeadlineInThePast) && self.packets > 3 {
            self.due = Time::ZERO;
        }
        if self.is(Defect::QuotesArrivedData) {
            tell_sender(NoticeKind::Retransmit, packet, cx);
        }
        if self.is(Defect::Expedites) && self.packets == 10 {
            cx.send_expedited(*packet);
        }
        if self.is(Defect::SendsElsewhere) {
            cx.send(Packet { dst: Addr::of_node(7), ..*packet });
        }
        let Body::Tcp(segment) = &mut packet.body else { return AgentVerdict::Pass };
        if let Some(Packet { body: Body::Tcp(last), .. }) = self.last
            && self.is(Defect::JoinsSegments)
            && last.src_port == segment.src_port
            && last.seq + last.len == segment.seq
            && segment.len > 0
        {
            (segment.seq, segment.len) = (last.seq, last.len + segment.len);
        }
        if self.is(Defect::InventsData) && self.packets == 100 {
            segment.len += 1;
        }
        if packet.data().is_some() {
            self.last = Some(*packet);
        }
        AgentVerdict::Pass
    }

    fn after_air(&mut self, packet: &mut Packet, _: &mut AgentCx<'_>) -> AgentVerdict {
        /// Packets of all objects.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let Body::Tcp(segment) = &mut packet.body else { return AgentVerdict::Pass };
        match self.defect {
            Defect::ForgesAck | Defect::ForgesAckDeclared => segment.ack = segment.ack + 7,
            Defect::WithholdsByte => segment.ack = wire::SeqNum(segment.ack.0.wrapping_sub(1)),
            Defect::GlobalCount if COUNT.fetch_add(1, Ordering::Relaxed) % 20_011 == 20_010 => {
                return AgentVerdict::Take;
            }
            Defect::ReportsNoState => segment.window /= 2,
            _ => {}
        }
        AgentVerdict::Pass
    }

    fn on_radio(&mut self, notice: &RadioNotice, cx: &mut AgentCx<'_>) {
        if notice.last {
            tell_sender(NoticeKind::Retransmit, &notice.packet, cx);
            if let Some(departure) = cx.send.last_mut().filter(|_| self.defect == Defect::MessageToTheMobile) {
                departure.packet.dst = notice.packet.dst;
            }
        }
    }

    fn on_delivered(&mut self, _: &DeliveryNotice, _: &mut AgentCx<'_>) {
        assert!(self.looks_at_deliveries(), "on_delivered was not asked for");
    }

    fn on_forecast(&mut self, _: path::channel::ChannelState, _: &mut AgentCx<'_>) {
        panic!("on_forecast was not asked for");
    }

    fn deadline(&self) -> Time {
        self.due
    }

    fn on_wake(&mut self, _: &mut AgentCx<'_>) {
        if !self.is(Defect::WakesWithoutProgress) {
            self.due = Time::NEVER;
        }
    }

    fn looks_at_deliveries(&self) -> bool {
        self.is(Defect::LooksLater) && self.packets > 100
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let size = |size, most| vec![("flows", 1), ("state_bytes", size), ("state_bytes_most", most)];
        match self.defect {
            Defect::RenamesCounter if self.packets > 200 => vec![("packets_later", self.packets)],
            Defect::UpperCaseCounter => vec![("Packets", self.packets)],
            Defect::CounterTwice => vec![("packets", self.packets), ("packets", 0)],
            Defect::GrowsWithoutBound => size(self.packets << 12, self.packets << 12),
            Defect::UnderstatesMaximum => size(self.packets % 100, self.packets % 100),
            Defect::SizeWithoutFlows => vec![("state_bytes", 1), ("state_bytes_most", 1)],
            _ => vec![("packets", self.packets)],
        }
    }
}

fn broken(defect: &str) -> AgentConfig {
    resolved::<AgentConfig, Config>("broken", &[("defect", defect)])
}

fn breach(defect: &str) -> Breach {
    check_agent(&broken(defect), 1).expect_err(defect)
}

#[test]
fn agent_without_a_defect_is_accepted() {
    (0..5).for_each(|seed| assert_eq!(check_agent(&broken("none"), seed), Ok(())));
    let observed = observe_agent(&broken("none"), &AgentOptions::default(), 1).unwrap();
    assert!(!observed.acknowledges && observed.messages > 0, "{observed:?}");
}

#[test]
fn each_defect_breaks_its_contract() {
    for (defect, contract, method) in [
        ("forges-ack", Contract::Acknowledgment, "after_air("),
        ("withholds-byte", Contract::Acknowledgment, "after_air("),
        ("invents-data", Contract::Data, "before_air("),
        ("joins-segments", Contract::Data, "before_air("),
        ("sends-elsewhere", Contract::Destination, "before_air("),
        ("deadline-in-the-past", Contract::Timer, "before_air("),
        ("wakes-without-progress", Contract::Timer, "on_wake("),
        ("renames-counter", Contract::CounterNames, "before_air("),
        ("quotes-arrived-data", Contract::Message, "before_air("),
        ("message-to-the-mobile", Contract::Message, "on_radio("),
        ("expedites", Contract::Expedited, "before_air("),
        ("looks-later", Contract::Constant, "before_air("),
        ("global-count", Contract::Repeatable, "after_air("),
        ("grows-without-bound", Contract::State, "before_air("),
        ("understates-maximum", Contract::State, "before_air("),
        ("size-without-flows", Contract::State, ""),
    ] {
        let breach = breach(defect);
        assert_eq!(breach.contract, contract, "{breach}");
        assert_eq!(breach.member, "scheme \"broken\"");
        let call = breach.call.as_ref().expect("a call");
        assert!(call.number > 0 && call.what.starts_with(method), "{breach}");
    }
}

#[test]
fn defects_of_an_agent_that_was_not_called_name_no_call() {
    for (defect, contract, found) in [
        ("settings", Contract::Settings, "defect settings"),
        ("upper-case-counter", Contract::CounterNames, "\"Packets\""),
        ("counter-twice", Contract::CounterNames, "\"packets\" twice"),
    ] {
        let breach = breach(defect);
        assert_eq!((breach.contract, breach.call, &*breach.found), (contract, None, found));
    }
}

#[test]
fn options_allow_exceptions_and_require_counters() {
    let default = AgentOptions::default();
    let resegments = AgentOptions { resegments: true, ..default };
    assert!(observe_agent(&broken("joins-segments"), &resegments, 1).is_ok());
    assert_eq!(observe_agent(&broken("invents-data"), &resegments, 1).unwrap_err().contract, Contract::Data);
    let withholds = AgentOptions { withholds_last_byte: true, ..default };
    assert_eq!(
        observe_agent(&broken("withholds-byte"), &withholds, 1).map(|observed| observed.acknowledges),
        Ok(false)
    );
    assert_eq!(observe_agent(&broken("forges-ack"), &withholds, 1).unwrap_err().contract, Contract::Acknowledgment);
    let must_report = AgentOptions { must_report_state: true, ..default };
    assert!(check_agent(&broken("reports-no-state"), 1).is_ok());
    assert_eq!(observe_agent(&broken("reports-no-state"), &must_report, 1).unwrap_err().contract, Contract::State);
    let small = AgentOptions { max_state_bytes: 90, ..default };
    let breach = observe_agent(&broken("understates-maximum"), &small, 1).unwrap_err();
    assert_eq!((&*breach.found, &*breach.expected), ("state_bytes 91", "at most 90"));
}

#[test]
fn declared_loss_of_semantics_allows_own_acknowledgments() {
    let observed = observe_agent(&broken("forges-ack-declared"), &AgentOptions::default(), 1);
    assert!(observed.is_ok_and(|observed| observed.acknowledges));
}

#[test]
fn scheme_without_an_agent_has_no_contracts() {
    let unmodified: AgentConfig = engine::registry::by_name("unmodified").unwrap();
    assert_eq!(observe_agent(&unmodified, &AgentOptions::default(), 1), Ok(AgentObservation::default()));
}
