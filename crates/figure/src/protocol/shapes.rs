//! The shapes of JSON that the command prints, too, as the page reads them. A test compares them with the results of a
//! run.
#![expect(dead_code, reason = "most fields are there for serde and TypeScript")]

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use ts_rs::TS;

/// The value of a key that the page does not name.
#[derive(Deserialize, TS)]
#[ts(type = "unknown")]
pub struct Unknown(Value);

/// The summary of a run, as `lasthop run --json` prints it. Further keys are those of the summary's schema.
#[derive(Deserialize, TS)]
pub struct Summary {
    title: String,
    scheme: String,
    seed: u64,
    simulated_s: f64,
    pub(super) flows: Vec<FlowSummary>,
    #[serde(flatten)]
    #[ts(flatten)]
    others: BTreeMap<String, Unknown>,
}

/// One flow's part of a summary.
#[derive(Deserialize, TS)]
pub struct FlowSummary {
    name: String,
    completed: bool,
    completion_time_s: Option<f64>,
    goodput_bps: Option<f64>,
    timeouts: u64,
    #[serde(flatten)]
    #[ts(flatten)]
    others: BTreeMap<String, Unknown>,
}

/// The report on a flow as `lasthop explain --json` prints it.
#[derive(Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Report {
    flow: String,
    completed: bool,
    took_ms: f64,
    timeouts: u64,
    #[ts(type = "Record<string, number>")]
    budget_ms: BTreeMap<String, f64>,
    #[ts(type = "Record<string, number>")]
    blocked_ms: BTreeMap<String, f64>,
    lost_ms: f64,
    lost_avoidably_ms: f64,
    kinds: Vec<FindingKind>,
    pub(super) findings: Vec<Finding>,
}

/// All findings of a kind.
#[derive(Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct FindingKind {
    kind: String,
    count: u64,
    cost_ms: f64,
}

/// A finding of `explain`.
#[derive(Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    kind: String,
    avoidable: bool,
    from_s: f64,
    to_s: f64,
    cost_ms: f64,
    text: String,
}

/// Statistics of a subject of a case, with the keys of `lasthop sweep --json`.
#[derive(Deserialize, TS)]
pub struct Entry {
    /// Number of the case; the others are compared with the first.
    case: u64,
    subject: String,
    n: u64,
    without: u64,
    mean: Option<f64>,
    ci: Option<[f64; 2]>,
    half_width: Option<f64>,
    quantiles: Vec<Quantile>,
    pub(super) against_first: Option<AgainstFirst>,
    difference_half_width: Option<f64>,
    change_percent_half_width: Option<f64>,
    /// Sign of the difference, 0 if its interval contains 0.
    #[ts(type = "-1 | 0 | 1 | null")]
    sign: Option<i8>,
    #[serde(flatten)]
    #[ts(flatten)]
    others: BTreeMap<String, Unknown>,
}

/// A quantile with its interval.
#[derive(Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Quantile {
    share: f64,
    value: f64,
    ci: Option<[f64; 2]>,
}

/// A case against the first.
#[derive(Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct AgainstFirst {
    pairs: u64,
    difference: f64,
    difference_ci: Option<[f64; 2]>,
    change_percent: Option<f64>,
    change_percent_ci: Option<[f64; 2]>,
    change_percent_run: Option<[f64; 2]>,
}
