//! Contracts of every congestion control and loss differentiation, for any input in the order that the traits promise.

use crate::common;

use common::member;
use contracts::control::{self, Case, ControlStep, Rate, SenderProgress};
use engine::Span;
use proptest::prelude::*;
use tcp::cc::hystart::Kind;
use tcp::cc::hystart::linux::Rounds;
use tcp::cc::policy::{self, Action, Feature, Layer, Network, Rules, StepInterval};
use tcp::cc::window::Growth;
use tcp::cc::{Congestion, ControlConfig};
use tcp::cc::{bbr, cubic, dctcp, reno, westwood};
use tcp::differentiation::DifferentiationConfig;

/// Every control with its defaults, and with each setting that selects another rule.
fn every_control() -> Vec<ControlConfig> {
    let counted = Some(Growth::Counted);
    let linux = cubic::Config { arithmetic: cubic::Arithmetic::Linux, hystart: Kind::Linux, ..Default::default() };
    let mut all: Vec<ControlConfig> = ControlConfig::MEMBERS.iter().map(|(name, _)| member(name)).collect();
    all.extend([
        ControlConfig::Reno(reno::Config { growth: counted, hystart: Some(Kind::Linux), ..Default::default() }),
        ControlConfig::Reno(reno::Config { growth: counted, abc_limit: Some(2), ..Default::default() }),
        ControlConfig::Reno(reno::Config { hystart: Some(Kind::PlusPlus), pace: true, ..Default::default() }),
        ControlConfig::Reno(reno::Config { ssthresh_from: Some(reno::Basis::Window), ..Default::default() }),
        ControlConfig::Westwood(westwood::Config { growth: Growth::Counted, ..Default::default() }),
        ControlConfig::Dctcp(dctcp::Config { growth: Growth::Counted, ..Default::default() }),
        ControlConfig::Cubic(cubic::Config { hystart_rounds: Some(Rounds::AboveLowWindow), ..linux.clone() }),
        ControlConfig::Cubic(cubic::Config { fast_convergence: false, reno_friendly: false, ..linux }),
        ControlConfig::Cubic(cubic::Config {
            hystart: Kind::Off,
            reno_friendly: false,
            pace: true,
            ..Default::default()
        }),
        ControlConfig::Bbr(bbr::Config { aggregation: false, policer: false, ..Default::default() }),
        ControlConfig::Bbr(bbr::Config { probe_rtt: Span::ZERO, ..Default::default() }),
    ]);
    for action in [Action::CwndFactor, Action::Cwnd, Action::PacingFactor] {
        for step in [StepInterval::Rtt, StepInterval::Ack] {
            all.push(ControlConfig::Policy(policy::Config { network: Some(network(step, action)), file: None }));
        }
    }
    all
}

/// A network that increases the window until a queue builds up.
fn network(step: StepInterval, action: Action) -> Network {
    let observe = Feature::ALL.iter().map(|(feature, ..)| *feature).collect();
    let layer = Layer { weights: vec![vec![-2.0, -1.0, 1.0, 0.5, -1.0, -0.1, -1.0, 0.2]], bias: vec![0.5] };
    Network { rules: Rules { step, action, observe, ..Rules::default() }, layers: vec![layer] }
}

/// Steps in any order, including orders that the trait excludes, such as an undo without a reduction, an end of
/// recovery without a beginning, and a third timeout without a first.
fn step() -> impl Strategy<Value = ControlStep> {
    // Mostly ordinary values, and some values that only a faulty path causes.
    let wait = prop_oneof![4 => 0..20_000_000_u64, 1 => 0..20_000_000_000_u64];
    let bytes = || prop_oneof![2 => Just(0_u64), 4 => 0..20_000_u64, 1 => 0..50_000_000_u64];
    let rtt = prop::option::weighted(0.8, prop_oneof![4 => 1_000_000..300_000_000_u64, 1 => 0..100_000_000_000_u64]);
    let rate = prop::option::weighted(0.8, (bytes(), 0..1_000_000_000_u64, any::<bool>()));
    let idle = prop::option::weighted(0.05, 0..60_000_000_000_u64);
    (
        (wait, bytes(), bytes(), bytes(), bytes(), rtt, prop::bool::weighted(0.2), prop::bool::weighted(0.2)),
        (rate, prop::bool::weighted(0.05), 0..40_u8, prop::bool::weighted(0.1), any::<bool>(), idle),
    )
        .prop_map(|(first, second)| {
            let (wait, acked, sacked, lost, sent, rtt, ecn_echo, recovering) = first;
            let (rate, undo, event, recovered, limited, idle) = second;
            ControlStep {
                wait: Span::from_nanos(wait),
                acked,
                sacked,
                lost,
                sent,
                rtt: rtt.map(Span::from_nanos),
                ecn_echo,
                recovering,
                rate: rate.map(|(delivered, interval, app_limited)| Rate {
                    delivered,
                    interval: Span::from_nanos(interval),
                    app_limited,
                }),
                undo,
                congestion: congestion(event),
                recovered,
                limited,
                idle: idle.map(Span::from_nanos),
            }
        })
}

fn congestion(number: u8) -> Option<Congestion> {
    match number {
        0 | 1 => Some(Congestion::FastRetransmit),
        2 => Some(Congestion::Restart),
        3..=6 => Some(Congestion::Timeout { nth: u32::from(number - 2) }),
        7 => Some(Congestion::Ecn),
        8 => Some(Congestion::Notified),
        _ => None,
    }
}

/// Steps in the order specified by the trait.
#[test]
fn every_control_keeps_its_contracts() {
    for config in every_control() {
        (0..4).for_each(|seed| contracts::check_control(&config, seed).unwrap_or_else(|breach| panic!("{breach}")));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// In any order.
    #[test]
    fn cwnd_stays_finite_and_at_least_one_segment(
        steps in prop::collection::vec(step(), 1..200),
        segment in 1..9000_u32,
        initial_window in 1..20_u32,
        initial_ssthresh in prop::option::of(2..100_u32),
    ) {
        let case = Case { segment, initial_window, initial_ssthresh, steps };
        for config in every_control() {
            prop_assert_eq!(control::check_case(&config, &case), Ok(()));
        }
    }

    /// Differentiations return a cause for every loss, and equal causes for equal inputs.
    #[test]
    fn loss_causes_are_equal_for_equal_inputs(steps in prop::collection::vec((step(), 0..40_u8), 1..200)) {
        for (name, _) in DifferentiationConfig::MEMBERS {
            let causes = || {
                let config: DifferentiationConfig = member(name);
                let mut differentiation = config.build(1000.0);
                let mut sender = SenderProgress::default();
                let mut causes = Vec::new();
                for (step, lost) in &steps {
                    differentiation.on_feedback(&sender.after(step));
                    if *lost < 8 {
                        causes.push(differentiation.cause(sender.now(), u32::from(*lost) + 1));
                    }
                }
                causes
            };
            prop_assert_eq!(causes(), causes(), "{}", name);
        }
    }
}
