//! Congestion controls that break a contract are refused, with the correct contract named.

use crate::common;

use std::sync::atomic::{AtomicU32, Ordering};

use common::resolved;
use contracts::{Breach, Contract, check_control};
use engine::registry::Fault;
use engine::{Member, Span, Time};
use schemars::JsonSchema;
use serde::Deserialize;
use tcp::cc::{Acked, Congestion, CongestionControl, ControlConfig, Feedback, Flight, Start};

/// A defect.
#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Defect {
    None,
    Settings,
    NanAtIdle,
    SmallAtUndo,
    ZeroSsthresh,
    NegativeRate,
    GrowsWhenNotified,
    KeepsCwndAtTimeout,
    NeverSetsSsthresh,
    StaysAboveSsthresh,
    PacesLater,
    GlobalCount,
}

/// Settings.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Config {
    defect: Defect,
}

impl Member<ControlConfig> for Config {
    fn check(&self) -> Vec<Fault> {
        let fault = Fault::new("defect", "settings", "any other");
        if self.defect == Defect::Settings { vec![fault] } else { Vec::new() }
    }

    fn build(&self, start: Start) -> Box<dyn CongestionControl> {
        let Start { segment, cwnd, ssthresh, .. } = start;
        Box::new(Broken { defect: self.defect, segment, cwnd, ssthresh, acked: 0 })
    }
}

/// A halving of the flight at a loss and a segment of growth per acknowledgment, with a defect.
struct Broken {
    defect: Defect,
    segment: f64,
    cwnd: f64,
    ssthresh: f64,
    acked: u32,
}

impl CongestionControl for Broken {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn on_ack(&mut self, _: &Acked) {
        /// Acknowledgments of all objects.
        static COUNT: AtomicU32 = AtomicU32::new(0);
        self.acked += 1;
        self.cwnd += self.segment;
        if self.defect == Defect::GlobalCount {
            self.cwnd += f64::from(COUNT.fetch_add(1, Ordering::Relaxed));
        }
    }

    fn on_congestion(&mut self, event: Congestion, flight: &Flight) {
        let halved = (flight.bytes / 2.0).max(2.0 * self.segment);
        match event {
            Congestion::FastRetransmit | Congestion::Ecn if self.defect == Defect::NeverSetsSsthresh => {}
            Congestion::FastRetransmit | Congestion::Ecn => {
                self.ssthresh = if self.defect == Defect::ZeroSsthresh { 0.0 } else { halved };
                if self.defect != Defect::StaysAboveSsthresh {
                    self.cwnd = self.cwnd.min(halved);
                }
            }
            Congestion::Restart | Congestion::Timeout { .. } => {
                self.ssthresh = halved;
                if self.defect != Defect::KeepsCwndAtTimeout {
                    self.cwnd = self.segment;
                }
            }
            Congestion::Notified if self.defect == Defect::GrowsWhenNotified => self.cwnd += 1.0,
            Congestion::Notified => {}
        }
    }

    fn on_feedback(&mut self, _: &Feedback) {
        panic!("on_feedback was not asked for");
    }

    fn on_undo(&mut self) {
        if self.defect == Defect::SmallAtUndo {
            self.cwnd = self.segment - 0.5;
        }
    }

    fn on_idle(&mut self, _: Time, _: Span, _: Option<f64>) {
        if self.defect == Defect::NanAtIdle {
            self.cwnd = f64::NAN;
        }
    }

    fn paces(&self) -> bool {
        self.defect == Defect::NegativeRate || self.defect == Defect::PacesLater && self.acked > 5
    }

    fn pacing_rate(&self) -> Option<f64> {
        (self.defect == Defect::NegativeRate && self.acked > 5).then_some(-1.0)
    }
}

fn broken(defect: &str) -> ControlConfig {
    resolved::<ControlConfig, Config>("broken", &[("defect", defect)])
}

fn breach(defect: &str) -> Breach {
    check_control(&broken(defect), 1).expect_err(defect)
}

#[test]
fn control_without_a_defect_is_accepted() {
    (0..10).for_each(|seed| assert_eq!(check_control(&broken("none"), seed), Ok(())));
}

#[test]
fn each_defect_breaks_its_contract() {
    for (defect, contract, method, found) in [
        ("nan-at-idle", Contract::Cwnd, "on_idle(", "cwnd NaN"),
        ("small-at-undo", Contract::Cwnd, "on_undo()", "cwnd "),
        ("zero-ssthresh", Contract::Ssthresh, "on_congestion(", "ssthresh 0"),
        ("negative-rate", Contract::PacingRate, "on_ack(", "-1 bytes per second"),
        ("grows-when-notified", Contract::NotifiedLoss, "on_congestion(Notified", "cwnd "),
        ("keeps-cwnd-at-timeout", Contract::OneSegment, "on_congestion(", "cwnd "),
        ("never-sets-ssthresh", Contract::Reduction, "on_congestion(FastRetransmit", ""),
        ("stays-above-ssthresh", Contract::Reduction, "on_congestion(FastRetransmit", "cwnd "),
        ("paces-later", Contract::Constant, "on_ack(", "Constants"),
        ("global-count", Contract::Repeatable, "on_ack(", "ControlReading"),
    ] {
        let breach = breach(defect);
        assert_eq!(breach.contract, contract, "{breach}");
        assert_eq!(breach.member, "congestion control \"broken\"");
        assert!(breach.found.starts_with(found), "{breach}");
        let call = breach.call.expect("a call");
        assert!(call.number > 0 && call.what.starts_with(method), "{call:?}");
    }
}

#[test]
fn faults_of_the_settings_are_a_breach_without_a_call() {
    let breach = breach("settings");
    assert_eq!((breach.contract, &breach.call), (Contract::Settings, &None));
    let text = "congestion control \"broken\" breaks the contract \"settings have no faults\": \
                found defect settings, expected any other";
    assert_eq!(breach.to_string(), text);
}

#[test]
fn message_states_contract_call_found_and_expected() {
    let text = breach("nan-at-idle").to_string();
    let parts = [
        "congestion control \"broken\" breaks the contract \"cwnd is finite and at least one segment\" at call ",
        ", on_idle(",
        "): found cwnd NaN, expected a finite number, at least ",
    ];
    let mut rest = &*text;
    for part in parts {
        let (_, after) = rest.split_once(part).unwrap_or_else(|| panic!("{part} is not in {text}"));
        rest = after;
    }
    assert!(!text.contains('\n'));
}

#[test]
fn same_seed_finds_the_same_breach() {
    assert_eq!(breach("nan-at-idle"), breach("nan-at-idle"));
    let of_seed = |seed| check_control(&broken("nan-at-idle"), seed).unwrap_err().call;
    assert_ne!(of_seed(1), of_seed(2));
}
