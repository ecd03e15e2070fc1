//! The part of `lasthop compare` with real ends.

use std::path::PathBuf;

use emulate::compare::{self, CompareError, RealComparison as RealRuns};
use emulate::session;
use engine::Members;
use lab::compare::Comparison;
use lab::sweep::Plan;
use scenario::problem::Problem;

use super::super::shell::own_program;
use super::super::{count, listed, shown, warn};
use super::Args;
use crate::Failure;
use crate::progress::Progress;
use crate::talk::note;

/// Acquires the rights that emulation needs. Must be called before any other action.
pub fn prepare() -> Result<(), Failure> {
    session::prepare_namespaces().map_err(|error| Failure::Run(error.to_string()))
}

/// The commands at the real ends of each plan; empty without --shell.
pub fn ends(args: &Args, plans: &[(String, Plan)]) -> Result<Vec<session::Plan>, Failure> {
    let Some(line) = &args.shell else { return Ok(Vec::new()) };
    let of_plan = |plan: &Plan| {
        let network = &plan.points[0].cells[0].network;
        let places = session::parse_hosts(network, args.ends.node.as_deref(), &args.ends.and);
        Ok(session::Plan {
            places: places.map_err(|problem: Problem| Failure::Input(listed(&[problem])))?,
            command: ["/bin/sh", "-c", line].map(Into::into).to_vec(),
            mtu: session::MTU,
            real_time: args.ends.real_time,
            program: own_program(),
            warn: Some(|text| warn(&[text])),
            ..session::Plan::default()
        })
    };
    plans.iter().map(|(_, plan)| of_plan(plan)).collect()
}

/// Runs the commands with real ends for each scheme of a plan, in addition to the simulated runs of `name`.
pub fn compare(args: &Args, commands: session::Plan, plan: &Plan, name: &str) -> Result<Comparison, Failure> {
    let failed = |error: CompareError| match error {
        CompareError::Interrupted { .. } => {
            Failure::Interrupted(format!("{error}\n  hint: the same command continues"))
        }
        error => Failure::Run(error.to_string()),
    };
    let wanted = args.out.with_file_name(format!("{}-compared-shell", plan.stem));
    let dir = compare::choose_directory(&wanted, plan, &commands).map_err(failed)?;
    let runs =
        RealRuns { plan, path: PathBuf::from(name), replications: args.replications, commands, dir: dir.clone() };
    let progress = Progress::of_runs("with real ends");
    let outcome = runs.measure_all(&mut |done, wanted| progress.count(done, wanted));
    progress.finish();
    let outcome = outcome.map_err(failed)?;
    let (late, worst) = outcome.behind;
    if late > 0 {
        warn(&[format!(
            "emulation fell behind real time in {late} of {}, by {worst:.1} ms at most; an idle machine, or --real-time as root, \
             makes it more exact",
            count(outcome.found + outcome.made, "run"),
        )]);
    }
    let before = if outcome.found > 0 { format!(", {} were already there", outcome.found) } else { String::new() };
    let (made, kernel) = (count(outcome.made, "run"), &outcome.kernel);
    note(format_args!("{made} with real ends ({kernel}){before}; kept in {}", shown(&dir)));
    if outcome.measured.iter().all(|measured| measured.goodput.values.is_empty()) {
        warn(&["no data crossed the network: the command of --shell has no goodput"]);
    }
    Ok(Comparison::of_measured(name, plan, &outcome.measured, &Members::default()))
}
