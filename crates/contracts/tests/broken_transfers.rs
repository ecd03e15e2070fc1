//! Senders whose control breaks a contract of transfers are refused, with the correct contract named.

use crate::common;

use std::sync::atomic::{AtomicU32, Ordering};

use common::resolved;
use contracts::transfer::{TransferOptions, Weather, run_transfer};
use contracts::{Contract, check_transfer, check_transfers};
use engine::registry::Fault;
use engine::{Member, Span, Time};
use schemars::JsonSchema;
use serde::Deserialize;
use tcp::cc::{Acked, Congestion, CongestionControl, ControlConfig, Flight, Start};
use tcp::recovery::{AckEffects, LossRecovery, RecoveryConfig, RecoveryVerdict, SenderView, UndoEvidence};
use tcp::scoreboard::Scoreboard;
use tcp::{Config, presets};

/// A defect, or a behaviour that is allowed.
#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Defect {
    None,
    Settings,
    NanAfterLoss,
    ShrinksAtAck,
    ReducesTwice,
    NeverReduces,
    EndsSlowStart,
    GlobalCount,
}

/// Settings.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Broken {
    defect: Defect,
}

impl Member<ControlConfig> for Broken {
    fn check(&self) -> Vec<Fault> {
        let fault = Fault::new("defect", "settings", "any other");
        if self.defect == Defect::Settings { vec![fault] } else { Vec::new() }
    }

    fn build(&self, start: Start) -> Box<dyn CongestionControl> {
        let Start { segment, cwnd, ssthresh, .. } = start;
        Box::new(Control { defect: self.defect, segment, cwnd, ssthresh })
    }
}

/// Reno without slow start, with a defect.
struct Control {
    defect: Defect,
    segment: f64,
    cwnd: f64,
    ssthresh: f64,
}

impl CongestionControl for Control {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn on_ack(&mut self, acked: &Acked) {
        /// Objects with growth.
        static COUNT: AtomicU32 = AtomicU32::new(0);
        match self.defect {
            Defect::ShrinksAtAck if acked.now > Time::from_millis(500) => self.cwnd = self.segment / 2.0,
            Defect::EndsSlowStart if acked.now > Time::from_millis(500) && self.ssthresh.is_infinite() => {
                self.ssthresh = self.cwnd;
            }
            Defect::GlobalCount => self.cwnd += f64::from(COUNT.fetch_add(1, Ordering::Relaxed) % 7) * self.segment,
            _ => self.cwnd += self.segment * self.segment / self.cwnd,
        }
    }

    fn on_congestion(&mut self, event: Congestion, flight: &Flight) {
        if event == Congestion::Notified || self.defect == Defect::NeverReduces {
            return;
        }
        if event == (Congestion::Timeout { nth: 1 }) || event == Congestion::FastRetransmit {
            self.ssthresh = (flight.bytes / 2.0).max(2.0 * self.segment);
        }
        self.cwnd = if event == Congestion::FastRetransmit { self.ssthresh } else { self.segment };
        if self.defect == Defect::NanAfterLoss {
            self.cwnd = f64::NAN;
        }
    }

    fn on_feedback(&mut self, feedback: &tcp::cc::Feedback) {
        if self.defect == Defect::ReducesTwice && feedback.recovering {
            self.ssthresh = (self.ssthresh - 1.0).max(self.segment);
        }
    }

    fn wants_feedback(&self) -> bool {
        self.defect == Defect::ReducesTwice
    }
}

/// Settings.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BrokenRecovery {
    defect: RecoveryDefect,
}

/// A defect.
#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum RecoveryDefect {
    None,
    ResendsOnce,
    PastDeadline,
    BusyTimer,
}

impl Member<RecoveryConfig> for BrokenRecovery {
    fn build(&self, (): ()) -> Box<dyn LossRecovery> {
        let timer = matches!(self.defect, RecoveryDefect::PastDeadline | RecoveryDefect::BusyTimer);
        let due = if timer { Time::from_millis(50) } else { Time::NEVER };
        Box::new(Recovery { defect: self.defect, due, resent: false })
    }
}

/// A recovery that leaves everything to the retransmission timer, with a defect.
struct Recovery {
    defect: RecoveryDefect,
    due: Time,
    resent: bool,
}

impl LossRecovery for Recovery {
    fn on_ack(&mut self, _: &AckEffects, board: &mut Scoreboard, _: &SenderView) -> RecoveryVerdict {
        if self.defect == RecoveryDefect::ResendsOnce && board.una() > 50_000 && !self.resent {
            self.resent = true;
            board.lose_all();
        }
        RecoveryVerdict::Ordinary
    }

    fn on_timeout(&mut self, _: &Scoreboard) {}

    fn recovering(&self) -> bool {
        false
    }

    fn on_undo(&mut self, _: &Scoreboard, _: UndoEvidence) {}

    fn watches(&self) -> bool {
        true
    }

    fn deadline(&self) -> Time {
        self.due
    }

    fn on_deadline(&mut self, now: Time, _: &mut Scoreboard, _: &SenderView) -> RecoveryVerdict {
        let busy = self.defect == RecoveryDefect::BusyTimer;
        self.due = if busy { now + Span::from_nanos(100) } else { Time::from_millis(40) };
        RecoveryVerdict::Ordinary
    }
}

fn broken(defect: &str) -> Config {
    let control = resolved::<ControlConfig, Broken>("broken", &[("defect", defect)]);
    Config { control, initial_window: 4, ..Config::default() }
}

#[test]
fn control_without_a_defect_is_accepted_under_the_usual_impairments() {
    for seed in 0..3 {
        assert_eq!(check_transfers(&broken("none").control, seed), Ok(()));
    }
}

#[test]
fn each_defect_breaks_its_contract() {
    for (defect, contract) in [
        ("settings", Contract::Settings),
        ("nan-after-loss", Contract::Cwnd),
        ("shrinks-at-ack", Contract::Cwnd),
        ("reduces-twice", Contract::Episode),
        ("never-reduces", Contract::Reduction),
        ("global-count", Contract::Repeatable),
    ] {
        let breach = check_transfer(&broken(defect), &Weather::USUAL[1], 1).expect_err(defect);
        assert_eq!(breach.contract, contract, "{breach}");
        assert!(breach.member.starts_with("congestion control \"broken\""), "{breach}");
    }
    let of_control = check_transfers(&broken("never-reduces").control, 1).unwrap_err();
    assert_eq!(of_control.contract, Contract::Reduction);
}

#[test]
fn each_defect_of_a_recovery_breaks_its_contract() {
    let broken = |defect| Config {
        recovery: resolved::<RecoveryConfig, BrokenRecovery>("broken", &[("defect", defect)]),
        ..Config::default()
    };
    for (defect, contract) in
        [("resends-once", Contract::Duplicate), ("past-deadline", Contract::Timer), ("busy-timer", Contract::Progress)]
    {
        let breach = check_transfer(&broken(defect), &Weather::CLEAR, 1).expect_err(defect);
        assert_eq!(breach.contract, contract, "{breach}");
        assert_eq!(breach.member, "congestion control \"reno\" with recovery \"broken\"");
    }
    for weather in Weather::USUAL {
        assert_eq!(check_transfer(&broken("none"), &weather, 1), Ok(()));
    }
}

#[test]
fn option_forbids_changes_of_ssthresh_without_a_loss() {
    let (config, default) = (broken("ends-slow-start"), TransferOptions::default());
    let outcome = run_transfer(&config, &default, &Weather::CLEAR, 1).unwrap();
    assert_eq!((outcome.reductions, outcome.counters.segments_retransmitted), (1, 0));
    let strict = TransferOptions { only_losses_set_ssthresh: true, ..default };
    let breach = run_transfer(&config, &strict, &Weather::CLEAR, 1).unwrap_err();
    assert_eq!(breach.contract, Contract::Episode);
    assert!(breach.found.starts_with("a change of ssthresh from inf to "), "{breach}");
}

/// The transfers use the settings of every variant, with timestamps, delayed acknowledgments and undo of reductions.
#[test]
fn every_preset_is_accepted_under_the_usual_impairments() {
    for preset in presets::PRESETS {
        for weather in Weather::USUAL {
            let kept = check_transfer(&preset.config(), &weather, 1);
            assert_eq!(kept, Ok(()), "{}, {weather:?}", preset.name);
        }
    }
}
