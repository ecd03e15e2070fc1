//! Contracts of every congestion control and loss differentiation, for any input in the order that the traits promise.

mod common;

use common::member;
use engine::{Span, Stream, Time};
use proptest::prelude::*;
use tcp::cc::hystart::Kind;
use tcp::cc::hystart::linux::Rounds;
use tcp::cc::policy::{self, Action, Feature, Interval, Layer, Network, Rules};
use tcp::cc::window::Growth;
use tcp::cc::{Acked, Congestion, CongestionControl, ControlConfig, Feedback, Flight, RateSample, Start};
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
        for step in [Interval::Rtt, Interval::Ack] {
            all.push(ControlConfig::Policy(policy::Config { network: Some(network(step, action)), file: None }));
        }
    }
    all
}

/// A network that grows the window until there is a queue.
fn network(step: Interval, action: Action) -> Network {
    let observe = Feature::ALL.iter().map(|(feature, ..)| *feature).collect();
    let layer = Layer { weights: vec![vec![-2.0, -1.0, 1.0, 0.5, -1.0, -0.1, -1.0, 0.2]], bias: vec![0.5] };
    Network { rules: Rules { step, action, observe, ..Rules::default() }, layers: vec![layer] }
}

/// An acknowledgment and the events that follow it.
#[derive(Clone, Debug)]
struct Step {
    wait: u64,
    acked: u64,
    sacked: u64,
    lost: u64,
    sent: u64,
    rtt: Option<u64>,
    ecn_echo: bool,
    recovering: bool,
    rate: Option<(u64, u64, bool)>,
    undo: bool,
    event: u8,
    recovered: bool,
    limited: bool,
    idle: Option<u64>,
}

fn step() -> impl Strategy<Value = Step> {
    // Mostly ordinary values, and some that only a faulty path causes.
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
            Step {
                wait,
                acked,
                sacked,
                lost,
                sent,
                rtt,
                ecn_echo,
                recovering,
                rate,
                undo,
                event,
                recovered,
                limited,
                idle,
            }
        })
}

/// The state of a sender.
#[derive(Default)]
struct Sender {
    now: Time,
    una: u64,
    nxt: u64,
    delivered: u64,
    lost: u64,
    srtt: Span,
}

impl Sender {
    fn feedback(&mut self, step: &Step) -> Feedback {
        self.now += Span::from_nanos(step.wait);
        self.nxt = self.nxt.max(self.una + step.acked) + step.sent;
        let flight_before = (self.nxt - self.una) as f64;
        self.una += step.acked;
        self.delivered += step.acked + step.sacked;
        self.lost += step.lost;
        let rtt = step.rtt.map(Span::from_nanos);
        self.srtt = rtt.unwrap_or(self.srtt);
        let rate = step.rate.map(|(delivered, interval, app_limited)| RateSample {
            delivered,
            interval: Span::from_nanos(interval),
            prior_delivered: self.delivered.saturating_sub(delivered),
            total_delivered: self.delivered,
            app_limited,
            flight_at_send: flight_before,
            lost: step.lost,
            total_lost: self.lost,
        });
        Feedback {
            now: self.now,
            una: self.una,
            nxt: self.nxt,
            acked: step.acked,
            delivered: step.acked + step.sacked,
            lost: step.lost,
            flight_before,
            flight: (self.nxt - self.una) as f64,
            rtt,
            srtt: self.srtt,
            ecn_echo: step.ecn_echo,
            recovering: step.recovering,
            rate,
        }
    }
}

fn congestion(number: u8, precise: bool) -> Option<Congestion> {
    match number {
        0 | 1 => Some(Congestion::FastRetransmit),
        2 => Some(Congestion::Restart),
        3..=6 => Some(Congestion::Timeout { nth: u32::from(number - 2) }),
        7 if !precise => Some(Congestion::Ecn),
        8 => Some(Congestion::Notified),
        _ => None,
    }
}

fn holds(cc: &dyn CongestionControl, segment: f64, after: &str) -> Result<(), TestCaseError> {
    let (cwnd, ssthresh) = (cc.cwnd(), cc.ssthresh());
    prop_assert!(cwnd.is_finite() && cwnd >= segment, "cwnd {} of segments of {} after {}", cwnd, segment, after);
    prop_assert!(ssthresh >= segment, "ssthresh {} after {}", ssthresh, after);
    if let Some(rate) = cc.pacing_rate() {
        prop_assert!(rate.is_finite() && rate > 0.0, "paces at {} after {}", rate, after);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// cwnd is finite and at least a segment after every call, the pacing rate is positive, and nothing panics.
    #[test]
    fn cwnd_stays_finite_and_at_least_one_segment(
        steps in prop::collection::vec(step(), 1..200),
        segment in 1..9000_u32,
        first in 1..20_u32,
        threshold in prop::option::of(2..100_u32),
    ) {
        for config in every_control() {
            let name = config.name();
            prop_assert_eq!(config.check(), []);
            let segment = f64::from(segment);
            let mut cc = config.build(Start {
                segment,
                cwnd: f64::from(first) * segment,
                ssthresh: threshold.map_or(f64::INFINITY, |segments| f64::from(segments) * segment),
                stream: Stream::named(1, 0, name),
            });
            let mut sender = Sender::default();
            for step in &steps {
                let feedback = sender.feedback(step);
                cc.on_feedback(&feedback);
                holds(cc.as_ref(), segment, "feedback")?;
                if step.undo {
                    cc.on_undo();
                    holds(cc.as_ref(), segment, "an undo")?;
                }
                if let Some(event) = congestion(step.event, cc.precise_ecn()) {
                    let before = (cc.cwnd(), cc.ssthresh());
                    let flight = Flight { now: sender.now, bytes: feedback.flight, window: cc.cwnd(), again: false };
                    cc.on_congestion(event, &flight);
                    holds(cc.as_ref(), segment, "congestion")?;
                    match event {
                        Congestion::Notified => prop_assert_eq!(before, (cc.cwnd(), cc.ssthresh()), "{}", name),
                        Congestion::Timeout { .. } | Congestion::Restart => prop_assert_eq!(cc.cwnd(), segment, "{}", name),
                        Congestion::FastRetransmit | Congestion::Ecn => {}
                    }
                }
                if step.recovered {
                    cc.on_recovered(sender.now);
                    holds(cc.as_ref(), segment, "a recovery")?;
                }
                if step.limited && step.acked > 0 && !step.recovering {
                    let Feedback { now, una, nxt, rtt, srtt, .. } = feedback;
                    cc.on_ack(&Acked { now, bytes: step.acked, una, nxt, rtt, srtt });
                    holds(cc.as_ref(), segment, "an acknowledgment")?;
                }
                if let Some(idle) = step.idle {
                    let idle = Span::from_nanos(idle);
                    sender.now += idle;
                    cc.on_idle(sender.now, idle, step.limited.then_some(2.0 * segment));
                    holds(cc.as_ref(), segment, "idleness")?;
                }
            }
        }
    }

    /// Differentiations return a cause for every loss, and the same one for the same input.
    #[test]
    fn every_loss_has_a_cause(steps in prop::collection::vec(step(), 1..200)) {
        for (name, _) in DifferentiationConfig::MEMBERS {
            let causes = || {
                let config: DifferentiationConfig = member(name);
                let mut differentiation = config.build(1000.0);
                let mut sender = Sender::default();
                let mut causes = Vec::new();
                for step in &steps {
                    differentiation.on_feedback(&sender.feedback(step));
                    if step.event < 8 {
                        causes.push(differentiation.cause(sender.now, u32::from(step.event) + 1));
                    }
                }
                causes
            };
            prop_assert_eq!(causes(), causes(), "{}", name);
        }
    }
}
