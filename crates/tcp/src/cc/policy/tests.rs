use super::*;
use crate::cc::tests::{acked, feedback, flight};
use engine::Stream;
use std::sync::{Arc, Mutex};

const SEGMENT: f64 = 1000.0;

/// A step with its features.
type Seen = (PolicyStep, Vec<f64>);

/// Records features, and acts according to a list.
#[derive(Default)]
struct Listed {
    actions: Vec<f64>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl PolicyAgent for Listed {
    fn observe(&mut self, step: &PolicyStep, features: &[f64]) {
        self.seen.lock().unwrap().push((*step, features.to_vec()));
    }

    fn action(&mut self) -> f64 {
        if self.actions.is_empty() { 0.0 } else { self.actions.remove(0) }
    }
}

fn start() -> Start {
    Start { segment: SEGMENT, cwnd: 10.0 * SEGMENT, ssthresh: f64::INFINITY, stream: Stream::default() }
}

fn rules(action: Action) -> Rules {
    let observe = Feature::ALL.iter().map(|(feature, ..)| *feature).collect();
    Rules { step: StepInterval::Time(Span::from_millis(100)), action, observe, ..Rules::default() }
}

/// An acknowledgment of `delivered` bytes at `millis` after a round trip of `rtt`, with the window in flight before it.
fn ack(millis: u64, rtt: u64, delivered: u64, cwnd: f64) -> Feedback {
    Feedback { delivered, acked: delivered, flight_before: cwnd, ..feedback(millis, Some(Span::from_millis(rtt))) }
}

/// An action is applied by the first acknowledgment after the end of its step: at 100 ms the step ends, at 110 ms cwnd
/// doubles.
#[test]
fn action_takes_effect_at_the_acknowledgment_after_its_step() {
    let agent = Listed { actions: vec![1.0, -1.0], ..Listed::default() };
    let mut cc = Policy::new(&rules(Action::CwndFactor), agent, &start());
    let mut windows = Vec::new();
    for millis in [0, 50, 100, 110, 200, 205] {
        let before = cc.cwnd();
        cc.on_feedback(&ack(millis, 40, 1000, before));
        windows.push(cc.cwnd() / SEGMENT);
    }
    assert_eq!(windows, [10.0, 10.0, 10.0, 20.0, 20.0, 10.0]);
}

/// The step lasts from 0 to 100 ms. In this step 4000 of 5000 bytes arrive after 40, 80 and 120 ms, the last 1000 of
/// them marked. The mean is 80 ms, twice the minimum, and the rate 40 kB/s. In 40 ms 1600 B arrive at this rate, of a
/// cwnd of 10,000 B.
#[test]
fn features_of_a_step_follow_from_its_acknowledgments() {
    let agent = Listed::default();
    let seen = Arc::clone(&agent.seen);
    let mut cc = Policy::new(&rules(Action::CwndFactor), agent, &start());
    cc.on_feedback(&ack(0, 40, 0, 10_000.0));
    cc.on_feedback(&ack(50, 80, 3000, 10_000.0));
    cc.on_feedback(&Feedback { lost: 1000, ecn_echo: true, ..ack(100, 120, 1000, 10_000.0) });
    cc.on_feedback(&ack(200, 60, 2000, 10_000.0));
    cc.on_congestion(Congestion::Timeout { nth: 1 }, &flight(8000.0));
    cc.on_feedback(&ack(300, 60, 0, 1000.0));
    let seen = seen.lock().unwrap();
    let near = |found: &[f64], expected: [f64; 8]| {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {expected:?}");
    };
    let ten = libm::log2(10.0) / 8.0;
    near(&seen[0].1, [1.0, 0.0, 0.16, 1.0, 0.2, ten, 0.25, 0.0]);
    near(&seen[1].1, [libm::log2(1.5), -0.5, 0.08, 0.5, 0.0, ten, 0.0, 0.0]);
    near(&seen[2].1, [libm::log2(1.5), 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(seen.len(), 3);
}

#[test]
fn loss_leaves_cwnd_to_the_agent() {
    let mut cc = Policy::new(&rules(Action::CwndFactor), Listed::default(), &start());
    cc.on_congestion(Congestion::FastRetransmit, &flight(10_000.0));
    assert_eq!((cc.cwnd(), cc.ssthresh()), (10_000.0, 10_000.0));
}

/// Half of the flight is 3 segments: two acknowledgments of slow start, and then actions have an effect again.
// covers [RFC5681 s3.1]
#[test]
fn slow_start_decides_after_a_timeout() {
    let agent = Listed { actions: vec![1.0, 1.0, 1.0], ..Listed::default() };
    let mut cc = Policy::new(&Rules { step: StepInterval::Ack, ..rules(Action::CwndFactor) }, agent, &start());
    cc.on_feedback(&ack(0, 40, 1000, 10_000.0));
    cc.on_feedback(&ack(1, 40, 1000, 10_000.0));
    cc.on_congestion(Congestion::Timeout { nth: 1 }, &flight(6000.0));
    let mut windows = vec![cc.cwnd() / SEGMENT];
    for millis in [10, 20, 30] {
        let before = cc.cwnd();
        cc.on_feedback(&ack(millis, 40, 1000, before));
        cc.on_ack(&acked(millis, 1000, 0, 0));
        windows.push(cc.cwnd() / SEGMENT);
    }
    assert_eq!(windows, [1.0, 2.0, 3.0, 6.0]);
}

// covers [RFC7661 s4.3]
#[test]
fn unused_cwnd_does_not_grow() {
    for (action, used, cwnd) in [
        (Action::CwndFactor, 4999.0, 10.0),
        (Action::CwndFactor, 5000.0, 20.0),
        (Action::Cwnd, 4999.0, 10.0),
        (Action::Cwnd, 5000.0, 4096.0),
    ] {
        let agent = Listed { actions: vec![1.0], ..Listed::default() };
        let mut cc = Policy::new(&Rules { step: StepInterval::Ack, ..rules(action) }, agent, &start());
        for millis in 0..3 {
            cc.on_feedback(&ack(millis, 40, 1000, used));
        }
        assert_eq!(cc.cwnd() / SEGMENT, cwnd, "{used} B used");
    }
}

/// The actions -1, 0 and 1 set cwnd to 1, 64 and 4096 segments.
#[test]
fn action_cwnd_sets_segments_on_a_logarithmic_scale() {
    for (action, segments) in [(-1.0, 1.0), (0.0, 64.0), (1.0, 4096.0), (f64::NAN, 64.0)] {
        let agent = Listed { actions: vec![action], ..Listed::default() };
        let mut cc = Policy::new(&Rules { step: StepInterval::Ack, ..rules(Action::Cwnd) }, agent, &start());
        for millis in 0..3 {
            cc.on_feedback(&ack(millis, 40, 1000, 10_000.0));
        }
        assert_eq!(cc.cwnd() / SEGMENT, segments);
    }
}

/// The delivery rate of 10 segments in 40 ms is 250 kB/s. The pacing rate is twice that, and cwnd twice the product of
/// the pacing rate and the round trip.
#[test]
fn action_pacing_multiplies_the_rate() {
    let agent = Listed { actions: vec![1.0], ..Listed::default() };
    let mut cc = Policy::new(&Rules { step: StepInterval::Ack, ..rules(Action::PacingFactor) }, agent, &start());
    assert!(cc.paces() && cc.pacing_rate().is_none());
    for millis in 0..3 {
        cc.on_feedback(&ack(millis, 40, 1000, 10_000.0));
    }
    assert_eq!((cc.pacing_rate(), cc.cwnd()), (Some(500_000.0), 40_000.0));
}

/// The expected output is tanh(0.5 tanh(1 + 2 x 0.25) - 0.25 tanh(-1)), by a calculator.
#[test]
fn network_is_evaluated_layer_by_layer() {
    let layers = vec![
        Layer { weights: vec![vec![2.0], vec![0.0]], bias: vec![1.0, -1.0] },
        Layer { weights: vec![vec![0.5, -0.25]], bias: vec![0.0] },
    ];
    let network = Network { rules: Rules { observe: vec![Feature::Delay], ..Rules::default() }, layers };
    assert_eq!(network.check(), []);
    let empty = Network { rules: network.rules.clone(), layers: vec![Layer { weights: vec![], bias: vec![] }] };
    assert!(empty.check().iter().all(|fault| fault.key == "layers"), "a file has the keys of the network");
    // tanh(1.5) = 0.905148, tanh(1) = 0.761594; tanh(0.452574 + 0.190399).
    assert!((Evaluator::new(network.layers).act(&[0.25]) - 0.566_920).abs() < 1e-6);
    assert_eq!(Evaluator::new(Vec::new()).act(&[]), 0.0);
}

#[test]
fn networks_with_wrong_shapes_are_refused() {
    let keys = |observe: usize, layers: Vec<Layer>| {
        let observe = vec![Feature::Delay; observe];
        let network = Network { rules: Rules { observe, ..Rules::default() }, layers };
        let config = Config { network: Some(network), file: None };
        config.check().into_iter().map(|fault| (fault.key.into_owned(), fault.entry)).collect::<Vec<_>>()
    };
    let layer = |rows: usize, inputs: usize, bias: usize| Layer {
        weights: vec![vec![0.1; inputs]; rows],
        bias: vec![0.0; bias],
    };
    let at = |entry| ("network.layers".to_owned(), Some(entry));
    assert_eq!(keys(2, vec![layer(3, 2, 3), layer(1, 3, 1)]), []);
    assert_eq!(keys(2, vec![layer(3, 1, 3), layer(1, 3, 1)]), [at(0)]);
    assert_eq!(keys(2, vec![layer(3, 2, 3), layer(2, 3, 2)]), [at(1)]);
    assert_eq!(keys(2, vec![layer(3, 2, 2), layer(1, 2, 1)]), [at(0)]);
    assert_eq!(keys(1, vec![Layer { weights: vec![vec![f64::NAN]], bias: vec![0.0] }]), [at(0)]);
    assert_eq!(keys(1, vec![layer(1, 1, 1); 9]), [("network.layers".to_owned(), None)]);
}

#[test]
fn rules_without_a_valid_range_are_refused() {
    let keys = |rules: Rules| rules.check().into_iter().map(|fault| fault.key).collect::<Vec<_>>();
    for scale in [0.0, -1.0, 4.5, f64::NAN] {
        assert_eq!(keys(Rules { scale: Scale(scale), ..Rules::default() }), ["scale"], "{scale}");
    }
    assert_eq!(keys(Rules { step: StepInterval::Time(Span::ZERO), ..Rules::default() }), ["step"]);
    assert_eq!(keys(Rules::default()), [""; 0]);
}

#[test]
fn intervals_are_parsed_and_displayed() {
    for text in ["rtt", "ack", "20 ms"] {
        assert_eq!(text.parse::<StepInterval>().unwrap().to_string(), text);
    }
    assert!("20".parse::<StepInterval>().is_err());
}
