//! A fitted scenario's run beside the measurement.

use std::ops::ControlFlow;

use engine::{Histogram, Span};
use observe::run::{Titled, summarized};
use scenario::load::Loaded;
use scenario::problem::Problem;

use crate::scenario::Fitted;

/// Values that both have; `None` where the measurement lacks one.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Values {
    /// Bits per second.
    pub goodput: Option<f64>,
    /// Round trips at the [percentiles](PERCENTILES), in seconds.
    pub rtt: [Option<f64>; 2],
    /// Retransmitted segments.
    pub retransmitted: Option<u64>,
    /// Expiries of the retransmission timer.
    pub timeouts: Option<u64>,
}

/// The percentiles of [`Values::rtt`].
pub const PERCENTILES: [f64; 2] = [0.5, 0.95];

impl Values {
    /// The percentiles of round trips in nanoseconds.
    pub fn percentiles(rtt: &Histogram) -> [Option<f64>; 2] {
        PERCENTILES.map(|share| rtt.quantile(share).map(|nanos| Span::from_nanos(nanos).as_secs_f64()))
    }
}

/// Variants that are tried where nothing names the sender's: those that operating systems use.
pub const CANDIDATES: [&str; 4] = ["cubic", "linux", "newreno", "bbr"];

/// The ratio of goodputs from which on a fit is not that of the path.
pub const FAR: f64 = 1.15;

/// A fitted scenario with a variant of its sender, and its run.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The scenario.
    pub fitted: Fitted,
    /// What its run gave.
    pub values: Values,
    /// How far it is from the measurement: 0 for the same goodput and median round trip.
    pub distance: f64,
}

/// Runs the fitted scenario with each of the variants; the nearest to the measurement comes first.
///
/// # Errors
/// The scenario has errors: the measurement cannot be that of a path.
pub fn tried(fitted: &Fitted, measured: &Values, variants: &[&str]) -> Result<Vec<Tried>, Vec<Problem>> {
    let mut all = Vec::new();
    for variant in variants {
        let fitted = Fitted { variant: (*variant).to_owned(), ..fitted.clone() };
        let (values, _) = simulated("fitted.toml", &fitted.to_toml())?;
        let apart = |one: Option<f64>, other: Option<f64>| match (one, other) {
            (Some(one), Some(other)) if one > 0.0 && other > 0.0 => libm::log(one / other).abs(),
            _ => 0.0,
        };
        let distance = apart(measured.goodput, values.goodput) + apart(measured.rtt[0], values.rtt[0]);
        all.push(Tried { fitted, values, distance });
    }
    // Stable: of equal ones the first that was tried.
    all.sort_by(|one, other| one.distance.total_cmp(&other.distance));
    Ok(all)
}

impl Values {
    /// Whether the goodput is more than [`FAR`] from that of a measurement.
    pub fn is_far(&self, measured: &Values) -> bool {
        self.goodput.zip(measured.goodput).is_some_and(|(one, other)| one.max(other) > FAR * one.min(other))
    }
}

/// Runs a fitted scenario.
///
/// # Errors
/// The scenario has errors: the measurement cannot be that of a path.
pub fn simulated(name: &str, text: &str) -> Result<(Values, Loaded), Vec<Problem>> {
    let loaded = scenario::load::from_toml(name, text)?;
    let titled = Titled { title: loaded.title(), scenario: &loaded.scenario, network: &loaded.network };
    let summary = summarized(titled, true, &mut |_| ControlFlow::Continue(()));
    let summary = summary.unwrap_or_else(|_| unreachable!("nothing interrupts the run"));
    let flow = &summary.flows[0];
    let values = Values {
        goodput: flow.goodput_bps,
        rtt: [flow.rtt_p50_s.flatten(), flow.rtt_p95_s.flatten()],
        retransmitted: Some(flow.segments_retransmitted),
        timeouts: Some(flow.timeouts),
    };
    Ok((values, loaded))
}
