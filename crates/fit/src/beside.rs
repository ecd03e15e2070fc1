//! A fitted scenario's run beside the measurement.

use std::ops::ControlFlow;

use engine::{Histogram, Span};
use observe::run::{Titled, summarized};
use scenario::load::Loaded;
use scenario::problem::Problem;

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
