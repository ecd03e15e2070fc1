//! The bounds of settings, as their messages state them: a value on a bound is accepted or refused as the message says;
//! a value beyond it, and NaN, are refused with the name of the setting.

use engine::Span;
use engine::registry::{Fault, Settings};
use tcp::cc::{bbr, bbr3, cubic, dctcp, hystart, reno, vegas, veno, westwood, window};
use tcp::differentiation::{biaz, mbiaz, spike, zigzag};

/// Compares the faults of `with(value)` with the bounds of `key`.
#[track_caller]
fn bounds(key: &str, good: &[f64], bad: &[f64], with: impl Fn(f64) -> Vec<Fault>) {
    for value in good {
        assert_eq!(with(*value), [], "{key} = {value}");
    }
    // Another setting may be wrong too if it is compared with this one.
    for value in bad.iter().chain(&[f64::NAN]) {
        assert!(with(*value).iter().any(|fault| fault.key == key), "{key} = {value}");
    }
}

/// The next number above and below, roughly.
fn above(value: f64) -> f64 {
    value + value.abs() * 1e-9 + 1e-12
}

fn below(value: f64) -> f64 {
    value - value.abs() * 1e-9 - 1e-12
}

#[test]
fn controls_accept_values_within_their_bounds() {
    let vegas = vegas::Config::default;
    bounds("alpha", &[above(0.0), 1.0], &[0.0, -1.0], |alpha| vegas::Config { alpha, ..vegas() }.check());
    bounds("beta", &[2.0, 1000.0], &[below(2.0), above(1000.0)], |beta| {
        vegas::Config { alpha: 2.0, beta, ..vegas() }.check()
    });
    bounds("gamma", &[above(0.0), 1000.0], &[0.0, above(1000.0)], |gamma| vegas::Config { gamma, ..vegas() }.check());
    assert_eq!(vegas::Config { alpha: 1000.0, beta: 1000.0, ..vegas() }.check(), []);
    let faults = vegas::Config { alpha: above(1000.0), beta: 1000.0, ..vegas() }.check();
    assert_eq!(faults[0].key, "alpha");
    bounds("beta", &[above(0.0), 1000.0], &[0.0, above(1000.0)], |beta| veno::Config { beta }.check());
    bounds("filter", &[0.0, below(1.0)], &[below(0.0), 1.0], |filter| {
        westwood::Config { filter, ..westwood::Config::default() }.check()
    });
    let cubic = cubic::Config::default;
    bounds("c", &[0.01, 100.0], &[below(0.01), above(100.0)], |c| cubic::Config { c, ..cubic() }.check());
    bounds("beta", &[0.1, 0.99], &[below(0.1), above(0.99)], |beta| cubic::Config { beta, ..cubic() }.check());
    let dctcp = dctcp::Config::default;
    bounds("gain", &[above(0.0), 1.0], &[0.0, above(1.0)], |gain| dctcp::Config { gain, ..dctcp() }.check());
    bounds("initial_alpha", &[0.0, 1.0], &[below(0.0), above(1.0)], |initial_alpha| {
        dctcp::Config { initial_alpha, ..dctcp() }.check()
    });
    let bbr = bbr::Config::default;
    bounds("cwnd_gain", &[1.0, 10.0], &[below(1.0), above(10.0)], |cwnd_gain| {
        bbr::Config { cwnd_gain, ..bbr() }.check()
    });
    let bbr3 = bbr3::Config::default;
    bounds("loss_threshold", &[above(0.0), below(1.0)], &[0.0, 1.0], |loss_threshold| {
        bbr3::Config { loss_threshold, ..bbr3() }.check()
    });
    bounds("beta", &[above(0.0), below(1.0)], &[0.0, 1.0], |beta| bbr3::Config { beta, ..bbr3() }.check());
}

#[test]
fn measurement_intervals_must_exceed_the_probe_time() {
    let ms = Span::from_millis;
    for (window, faults) in [(199, 1), (200, 1), (201, 0)] {
        let config = bbr::Config { min_rtt_window: ms(window), probe_rtt: ms(200), ..bbr::Config::default() };
        assert_eq!(config.check().len(), faults, "{window} ms");
        let config = bbr3::Config { probe_rtt_interval: ms(window), probe_rtt: ms(200), ..bbr3::Config::default() };
        assert_eq!(config.check().len(), faults, "{window} ms");
    }
}

#[test]
fn differentiations_accept_values_within_their_bounds() {
    bounds("limit", &[above(1.0), 100.0], &[1.0, above(100.0)], |limit| biaz::Config { limit }.check());
    bounds("limit", &[above(1.0), 100.0], &[1.0, above(100.0)], |limit| mbiaz::Config { limit }.check());
    bounds("alpha", &[above(0.0), 0.5], &[0.0, above(0.5)], |alpha| zigzag::Config { alpha, many: 0.0 }.check());
    bounds("many", &[-10.0, 10.0], &[below(-10.0), above(10.0)], |many| zigzag::Config { alpha: 0.1, many }.check());
    bounds("beta", &[0.0, 0.5], &[below(0.0), above(0.5)], |beta| spike::Config { alpha: 0.5, beta }.check());
    bounds("alpha", &[0.0, 1.0], &[below(0.0), above(1.0)], |alpha| spike::Config { alpha, beta: 0.0 }.check());
}

/// Settings of a rule that is not selected are refused.
#[test]
fn setting_of_a_rule_is_accepted_only_if_the_rule_is_selected() {
    let keys = |faults: Vec<Fault>| faults.into_iter().map(|fault| fault.key).collect::<Vec<_>>();
    let reno = |abc_limit, growth| keys(reno::Config { abc_limit, growth, ..reno::Config::default() }.check());
    let (counted, per_ack) = (Some(window::Growth::Counted), Some(window::Growth::PerAck));
    assert_eq!(reno(Some(1), counted), [""; 0]);
    assert_eq!(reno(Some(0), counted), ["abc_limit"]);
    assert_eq!(reno(Some(2), per_ack), ["abc_limit"]);
    assert_eq!(reno(Some(2), None), ["abc_limit"]);
    assert_eq!(reno(None, per_ack), [""; 0]);
    let cubic =
        |hystart, hystart_detect| keys(cubic::Config { hystart, hystart_detect, ..cubic::Config::default() }.check());
    for (bits, good) in [(0, false), (1, true), (3, true), (4, false)] {
        assert_eq!(cubic(hystart::Kind::Linux, Some(bits)).is_empty(), good, "{bits}");
    }
    assert_eq!(cubic(hystart::Kind::PlusPlus, Some(1)), ["hystart_detect"]);
    assert_eq!(cubic(hystart::Kind::Off, None), [""; 0]);
    let rounds = Some(hystart::linux::Rounds::Always);
    let with = |hystart| keys(cubic::Config { hystart, hystart_rounds: rounds, ..cubic::Config::default() }.check());
    assert_eq!(with(hystart::Kind::Off), ["hystart_rounds"]);
    assert_eq!(with(hystart::Kind::Linux), [""; 0]);
}

/// The defaults of the papers and RFCs.
#[test]
fn defaults_match_the_papers() {
    let cubic = cubic::Config::default();
    assert_eq!((cubic.c, cubic.beta, cubic.fast_convergence, cubic.reno_friendly), (0.4, 0.7, true, true));
    let vegas = vegas::Config::default();
    assert_eq!((vegas.alpha, vegas.beta, vegas.gamma), (1.0, 3.0, 1.0));
    assert_eq!(veno::Config::default().beta, 3.0);
    assert_eq!((dctcp::Config::default().gain, dctcp::Config::default().initial_alpha), (1.0 / 16.0, 1.0));
    let bbr = bbr::Config::default();
    assert_eq!((bbr.cwnd_gain, bbr.min_rtt_window, bbr.probe_rtt), (2.0, Span::from_secs(10), Span::from_millis(200)));
    let bbr3 = bbr3::Config::default();
    assert_eq!((bbr3.loss_threshold, bbr3.beta), (0.02, 0.7));
    assert_eq!((bbr3.probe_rtt_interval, bbr3.probe_rtt), (Span::from_secs(5), Span::from_millis(200)));
    assert_eq!((biaz::Config::default().limit, mbiaz::Config::default().limit), (2.0, 1.25));
    assert_eq!((spike::Config::default().alpha, spike::Config::default().beta), (0.5, 1.0 / 3.0));
    assert_eq!((zigzag::Config::default().alpha, zigzag::Config::default().many), (1.0 / 32.0, -0.5));
}
