//! The run length after which a flow's goodput is steady.
//!
//! Source: the question and the table are from snoop2002, 4.1 and table 1; the rules are in [`stats::steady`].
//! Definitions and limits: `docs/models/steady.md`.
//!
//! ```text
//! bins      2000 to 4999 of equal width, 1, 2 or 5 x 10^k ns, from the flow's start
//! figure    G(T) = bits received in order in (start, start + T] / T      goodput_bps of a run that ends then
//! steady    the first T from which on the interval of G over the replications lies within r of the last G
//! warm-up   MSER-5 over the mean of the replications, bin by bin
//! one run   warm-up + the length that batch means of one replication require; the median of the replications
//! ```
//!
//! Every flow is first made unlimited: a finite transfer has no steady state, and its end changes the load on the other
//! flows.

mod bins;
mod judge;
mod replicate;

use std::ops::ControlFlow;

use engine::Span;
use sim::{ApplicationConfig, FlowSpec, Network};
use stats::precise::Rule;
use stats::{Error, Interval, Level};

use bins::BinGrid;
use scenario::problem::Problem;

/// The parameters of the analysis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Question {
    replications: u64,
    relative: f64,
    level: Level,
}

impl Question {
    /// Sets up the search for the time from which the mean of `replications` runs is within the share `relative` of its final value,
    /// at the `level`.
    ///
    /// # Errors
    /// [`Error::Bounds`] below 2 replications; [`Error::Precision`] unless `relative` is between 0 and 1.
    pub fn new(replications: u64, relative: f64, level: Level) -> Result<Self, Error> {
        Rule::new(relative, level, 2, replications)?;
        Ok(Question { replications, relative, level })
    }

    /// Replications, at least 2.
    pub fn replications(&self) -> u64 {
        self.replications
    }

    /// The relative precision, between 0 and 1.
    pub fn relative(&self) -> f64 {
        self.relative
    }

    /// The level of the intervals.
    pub fn level(&self) -> Level {
        self.level
    }
}

/// The results for a flow. Times count from its start.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowReport {
    /// The flow's number.
    pub flow: usize,
    /// The width of a bin.
    pub bin: Span,
    /// The observed time: all bins.
    pub looked: Span,
    /// Goodput by simulated time.
    pub rows: Vec<GoodputRow>,
    /// The length of the warm-up, or why it cannot be determined.
    pub warmup: Result<Span, Error>,
    /// The time from which the goodput is steady.
    pub verdict: SteadyVerdict,
    /// Length required of a single run.
    pub alone: SingleRunLength,
}

/// The goodput of runs of one length.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GoodputRow {
    /// The length.
    pub time: Span,
    /// The interval of the mean goodput in bit/s. The middle of the interval is the mean.
    pub goodput: Interval,
}

/// The time from which a goodput is steady.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SteadyVerdict {
    /// From `from` on, every interval is within the precision of the last mean.
    Steady {
        /// Required run length.
        from: Span,
    },
    /// The goodput is steady only from a time in the second half of the observation, where even a drifting goodput is
    /// near its last value.
    Late {
        /// Time from which the goodput is within the precision of the last mean.
        from: Span,
    },
    /// Even the last interval is wider than the precision.
    Wide {
        /// Half-width of the interval as a share of the mean.
        half_width: f64,
        /// Replications that would suffice at this length, estimated from the variance so far.
        replications: u64,
    },
    /// No data arrived in any replication.
    Nothing,
}

/// Length required of a single run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SingleRunLength {
    /// Simulated time that a run needs, including the discarded warm-up: the median of the replications.
    Needs {
        /// The length.
        length: Span,
        /// The number of replications that were long enough for an estimate.
        told: u64,
    },
    /// All replications are equal: a single run gives the result of any number of runs.
    NoChance,
    /// At least half of the replications have no estimate. The value is the reason of the first such replication, or
    /// `None` if no data arrived after the warm-up.
    Unknown(Option<Error>),
}

/// Reason for a missing report.
#[derive(Debug, thiserror::Error)]
pub enum SteadyError {
    /// Cancelled by the progress callback.
    #[error("interrupted")]
    Interrupted,
    /// The simulated time is too short, or the traffic has no steady state of this kind.
    #[error("error: {0}")]
    Unsuitable(Box<Problem>),
}

/// Progress callback: receives the number of finished replications, and returns whether to continue.
pub type Watch<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// Runs replications of `network`, with endless flows, on `jobs` threads for the scenario's duration, and reports on
/// `flows`. The result does not depend on `jobs`.
///
/// # Errors
///
/// [`SteadyError::Unsuitable`] if a flow is shorter than a bin, or the traffic includes anything but bulk transfers
/// over TCP; [`SteadyError::Interrupted`] if the callback cancels.
pub fn examine_flows(
    network: &Network,
    flows: &[usize],
    question: &Question,
    jobs: usize,
    watch: Watch<'_>,
) -> Result<Vec<FlowReport>, SteadyError> {
    if let Some(problem) = other_traffic(network) {
        return Err(SteadyError::Unsuitable(Box::new(problem)));
    }
    let mut network = network.clone();
    network.flows.iter_mut().for_each(|flow| flow.traffic = ApplicationConfig::default());
    let grids = flows.iter().map(|&flow| divide_into_bins(&network, flow)).collect::<Result<Vec<_>, _>>()?;
    let watched: Vec<(usize, BinGrid)> = flows.iter().copied().zip(grids).collect();
    let series = replicate::run_replications(&network, &watched, question.replications, jobs, watch)?;
    let report = |(place, (flow, grid)): (usize, &(usize, BinGrid))| {
        let bins: Vec<&[u64]> = series.iter().map(|replication| replication[place].as_slice()).collect();
        judge::judge_flow(*flow, grid, &bins, question)
    };
    Ok(watched.iter().enumerate().map(report).collect())
}

/// Finds the first flow whose traffic is not a bulk transfer over TCP: other traffic has no steady state of this kind.
fn other_traffic(network: &Network) -> Option<Problem> {
    let expected = "bulk transfers over TCP: only transfers without end have a steady state";
    let is_bulk = |flow: &FlowSpec| matches!(flow.traffic, ApplicationConfig::Bulk(_));
    if let Some(flow) = network.flows.iter().find(|flow| !is_bulk(flow)) {
        let problem = Problem::new(expected).key(format!("flows.{}.traffic", flow.name));
        return Some(problem.found(format!("\"{}\"", flow.traffic.name())));
    }
    let arrivals = network.arrivals.first()?;
    Some(Problem::new(expected).key(format!("arrivals.{}", arrivals.name)).found("flows that arrive"))
}

/// The bins of a flow.
fn divide_into_bins(network: &Network, flow: usize) -> Result<BinGrid, SteadyError> {
    let spec = &network.flows[flow];
    let end = engine::Time::ZERO + network.duration;
    BinGrid::of(spec.start, end.since(spec.start)).ok_or_else(|| {
        let least = Span::from_nanos(spec.start.as_nanos()) + bins::MIN_LENGTH;
        let problem =
            Problem::new(format!("at least {least}: {} bins of 1 ns for flows.{}", bins::MIN_BINS, spec.name));
        SteadyError::Unsuitable(Box::new(problem.key("duration").found(network.duration.to_string())))
    })
}
