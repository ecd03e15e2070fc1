//! Comparison of all schemes on the same paths and the same channel states: goodput and costs.
//!
//! A comparison is a sweep of one point whose cases are the schemes. It is planned, run, stored and analysed like any
//! other sweep.

mod figures;
pub mod paths;

use std::path::PathBuf;

use engine::Members;
use path::agent::{AgentConfig, Traits, TransferDirection};
use serde_json::{Value, json};
use stats::Level;
use toml::Table;

pub use figures::Cost;
pub use paths::ComparedPath;

use crate::load::{self, Overrides, Source};
use crate::sweep::Plan;
use crate::sweep::analysis::{Analysis, ReplicationStatistics};
use observe::metric::Metric;
use observe::replications::{self, Case, Series};
use observe::summary::run::total_goodput_bps;
use scenario::document::{Origin, by_name};
use scenario::followers::name_places;
use scenario::followers::{self, SchemeRequirements};
use scenario::problem::Problem;

/// The baseline of the comparison.
const BASELINE: &str = "unmodified";

/// Selects the schemes with these names, without duplicates. If the baseline is named, it comes first. Without names
/// all schemes are selected. `members` contains schemes that a program adds.
pub fn select_schemes(names: &[String], members: &Members) -> Result<Vec<String>, Problem> {
    let known = || members.names::<AgentConfig>();
    let names: Vec<&str> = names.iter().map(|name| name.trim()).collect();
    if let Some(unknown) = names.iter().find(|name| !known().any(|known| known == **name)) {
        let problem = Problem::new("a scheme (see `lasthop list schemes`)").in_file("--schemes");
        return Err(problem.found(format!("\"{unknown}\"")).nearest(unknown, known()));
    }
    let mut chosen: Vec<_> = known().filter(|known| names.is_empty() || names.contains(known)).collect();
    chosen.sort_by_key(|name| *name != BASELINE);
    Ok(chosen.into_iter().map(str::to_owned).collect())
}

/// The baseline and the schemes of a scenario's nodes; empty if all nodes have the baseline.
pub fn own_schemes(source: &Source) -> Result<Vec<String>, Vec<Problem>> {
    let network = source.resolve(&source.document)?.network;
    let mut names: Vec<String> = network.nodes.iter().map(|node| node.agent.name().to_owned()).collect();
    names.retain(|name| name != BASELINE);
    if !names.is_empty() {
        names.push(BASELINE.to_owned());
    }
    Ok(names)
}

/// The path of a built-in path's scenario, for messages.
pub fn open_path(path: &ComparedPath, overrides: &Overrides) -> Result<Source, Vec<Problem>> {
    let stem = format!("compare-{}", path.name);
    let mut source = load::of_text(stem, PathBuf::from(&path.name), path.text.as_bytes(), overrides)?;
    let title = format!("{}: {}", path.name, path.summary);
    let set = source.document.assign("title", title.into(), Origin::Outside("compare".to_owned()));
    set.map_err(|problem| vec![problem])?;
    Ok(source)
}

/// The plan of a comparison: one case per scheme, with the nodes that the scheme requires regardless of the scenario's
/// own, and `replications` runs of each. A `[sweep]` of the scenario is ignored.
pub fn plan_comparison(mut source: Source, schemes: &[String], replications: u64) -> Result<Plan, Vec<Problem>> {
    let count = i64::try_from(replications).unwrap_or(i64::MAX);
    let mut sweep = Table::new();
    sweep.insert("replications".to_owned(), count.into());
    sweep.insert("metrics".to_owned(), vec![goodput_metric().name].into());
    let assign = |source: &mut Source, sweep: &Table| {
        let set = source.document.assign("sweep", sweep.clone().into(), Origin::Outside("compare".to_owned()));
        set.map_err(|problem| vec![problem])
    };
    source.document.set_everywhere("scheme", BASELINE);
    assign(&mut source, &sweep)?;
    // The nodes that run a scheme depend on the network and its flows.
    let scenario = source.resolve(&source.document)?.scenario;
    let case = |scheme: &String| {
        let nodes = followers::find_requirements(&scenario, &scheme_traits(scheme, source.members())).nodes;
        let written = |node: String| {
            let key = source.document.key_of_copies(format!("nodes.{node}"));
            key.strip_prefix("nodes.").unwrap_or(&key).to_owned()
        };
        (scheme.clone(), scheme_changes(nodes.into_iter().map(written), scheme).into())
    };
    let compare: Table = schemes.iter().map(case).collect();
    sweep.insert("compare".to_owned(), compare.into());
    assign(&mut source, &sweep)?;
    let mut plan = Plan::of(&source)?;
    // The table already shows that a scheme has no effect here. As this function sets the schemes, a warning about them
    // would not help the user.
    let of_scheme = |problem: &Problem| problem.key.as_deref().is_some_and(|key| key.ends_with("scheme"));
    plan.warnings.retain(|warning| !of_scheme(warning));
    Ok(plan)
}

/// Changes to the scenario after which exactly these nodes run the scheme.
fn scheme_changes(nodes: impl Iterator<Item = String>, scheme: &str) -> Table {
    let follow = |node: String| {
        let scheme: Table = [("scheme".to_owned(), scheme.into())].into_iter().collect();
        (node, scheme.into())
    };
    let nodes: Table = nodes.map(follow).collect();
    let mut changes = Table::new();
    changes.insert("scheme".to_owned(), BASELINE.into());
    changes.insert("nodes".to_owned(), nodes.into());
    changes
}

fn scheme_traits(scheme: &str, members: &Members) -> Traits {
    let config: Option<AgentConfig> = by_name(scheme).or_else(|| members.by_name(scheme).ok().flatten());
    config.unwrap_or(AgentConfig::Unmodified(Default::default())).traits()
}

/// The results of one path.
#[derive(Debug)]
pub struct Comparison {
    /// The name of the built-in path, or the scenario's file name.
    pub name: String,
    /// Description of the path, one line.
    pub title: String,
    /// The results by scheme; the first one is the baseline.
    pub rows: Vec<ComparedScheme>,
}

/// The results of one scheme on one path.
#[derive(Clone, Debug)]
pub struct ComparedScheme {
    /// The name of the scheme.
    pub scheme: String,
    /// The requirements of the scheme and its effect on TCP.
    pub traits: Traits,
    /// The nodes of this network that run the scheme.
    pub asked: SchemeRequirements,
    /// Whether every run gave the results of the baseline, so that the scheme had no effect.
    pub same_as_first: bool,
    /// The goodput summed over all flows; `None` if no run gave a value.
    pub goodput: Option<ReplicationStatistics>,
    /// The costs; `None` without runs.
    pub cost: Option<Cost>,
}

/// Measurements of the runs of one scheme.
#[derive(Clone, Debug, Default)]
pub struct MeasuredScheme {
    /// The goodput in bits per second, by replication.
    pub goodput: Series,
    /// The costs of each run.
    pub costs: Vec<Cost>,
}

/// The metric by which schemes are compared.
pub fn goodput_metric() -> &'static Metric {
    &total_goodput_bps
}

impl Comparison {
    /// Analyses the runs of a plan, which may have schemes of `members`.
    pub fn of(name: &str, plan: &Plan, analysis: &Analysis, members: &Members) -> Self {
        let entries = analysis.entries(goodput_metric());
        let same = analysis.same_as_first();
        let row = |(number, scheme): (usize, &str)| {
            let cells = plan.points.first().map_or(&[][..], |point| &point.cells);
            let runs = analysis.cells.iter().find(|runs| runs.cell.case == number);
            let costs: Vec<Cost> = match (runs, cells.get(number)) {
                (Some(runs), Some(cell)) => {
                    runs.runs.iter().map(|(_, summary)| Cost::of(&cell.scenario, summary)).collect()
                }
                _ => Vec::new(),
            };
            ComparedScheme {
                same_as_first: same.contains(&number),
                goodput: entries.iter().find(|entry| entry.cell.case == number).and_then(|entry| entry.row.clone()),
                cost: Cost::of_all(&costs),
                ..ComparedScheme::without_runs(scheme, plan, members)
            }
        };
        let title = analysis.sweep.title.clone();
        Comparison { name: name.to_owned(), title, rows: analysis.cases().into_iter().enumerate().map(row).collect() }
    }

    /// The comparison of runs made by another program than the simulator, by case of the plan. A case without runs has
    /// no figures.
    pub fn of_measured(name: &str, plan: &Plan, runs: &[MeasuredScheme], members: &Members) -> Self {
        let of_run = |measured: &MeasuredScheme| Case::from([(String::new(), measured.goodput.clone())]);
        let cases: Vec<Case> = runs.iter().map(of_run).collect();
        let mut goodput = vec![None; cases.len()];
        for entry in replications::compute_entries(&cases, goodput_metric(), Level::default()) {
            goodput[entry.case] = entry.row;
        }
        let rows = plan.cases.iter().zip(runs).zip(goodput).map(|((case, measured), goodput)| ComparedScheme {
            goodput,
            cost: Cost::of_all(&measured.costs),
            ..ComparedScheme::without_runs(&case.name, plan, members)
        });
        Comparison { name: name.to_owned(), title: plan.scenario.title.clone(), rows: rows.collect() }
    }

    /// The comparison as JSON.
    pub fn to_json(&self) -> Value {
        let row = |row: &ComparedScheme| {
            let goodput = row.goodput.as_ref();
            let against = goodput.and_then(|goodput| goodput.against.as_ref());
            let bounds = |interval: Option<stats::Interval>| interval.map(|it| [it.low, it.high]);
            json!({
                "scheme": row.scheme,
                "end_to_end_semantics": row.traits.semantics.name(),
                "changes": row.asked.places.iter().map(|place| place.name()).collect::<Vec<_>>(),
                "same_as_first": row.same_as_first,
                "n": goodput.map_or(0, |goodput| goodput.n),
                "goodput_bps": goodput.map(|goodput| goodput.mean),
                "goodput_ci_bps": goodput.and_then(|goodput| bounds(goodput.ci)),
                "change_percent": against.and_then(|against| against.percent),
                "change_percent_ci": against.and_then(|against| bounds(against.percent_ci)),
                "state_bytes_per_flow": row.cost.map(|cost| cost.state_bytes_per_flow),
                "packets": row.cost.map(|cost| cost.packets),
                "airtime_s": row.cost.map(|cost| cost.airtime_s),
                "airtime_s_per_mb": row.cost.and_then(|cost| cost.airtime_s_per_mb()),
            })
        };
        json!({ "path": self.name, "title": self.title, "schemes": self.rows.iter().map(row).collect::<Vec<_>>() })
    }
}

impl ComparedScheme {
    fn without_runs(scheme: &str, plan: &Plan, members: &Members) -> Self {
        let traits = scheme_traits(scheme, members);
        ComparedScheme {
            scheme: scheme.to_owned(),
            asked: followers::find_requirements(&plan.scenario, &traits),
            traits,
            same_as_first: false,
            goodput: None,
            cost: None,
        }
    }

    /// The nodes that must run the scheme in this network, as text for tables.
    pub fn changes(&self) -> String {
        match (
            &self.asked.places[..],
            self.traits.places(TransferDirection::Download),
            self.traits.places(TransferDirection::Upload),
        ) {
            ([], [], []) => "none".to_owned(),
            ([], [], _) => "none: for uploads".to_owned(),
            ([], ..) => "none: for downloads".to_owned(),
            (places, ..) => name_places(places),
        }
    }
}
