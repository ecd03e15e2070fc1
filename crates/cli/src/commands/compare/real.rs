//! The part of `lasthop compare` with real ends.

use std::path::PathBuf;

use emulate::compare::{self, CompareError, RealComparison as RealRuns};
use emulate::session;
use engine::Members;
use lab::compare::Comparison;
use lab::sweep::Plan;
use scenario::problem::Problem;

use super::super::shell::own_program;
use super::super::{format_count, format_path, format_problems, print_warnings};
use super::Args;
use crate::CommandFailure;
use crate::progress::ProgressReport;
use crate::talk::write_note;

/// Acquires the rights that emulation needs. Must be called before any other action.
pub fn prepare() -> Result<(), CommandFailure> {
    session::prepare_namespaces().map_err(|error| CommandFailure::Run(error.to_string()))
}

/// Commands at the real ends of each plan; empty without --shell.
pub fn ends(args: &Args, plans: &[(String, Plan)]) -> Result<Vec<session::Plan>, CommandFailure> {
    let Some(line) = &args.shell else { return Ok(Vec::new()) };
    let of_plan = |plan: &Plan| {
        let network = &plan.points[0].cells[0].network;
        let places = session::parse_hosts(network, args.ends.node.as_deref(), &args.ends.and);
        Ok(session::Plan {
            places: places.map_err(|problem: Problem| CommandFailure::Input(format_problems(&[problem])))?,
            command: ["/bin/sh", "-c", line].map(Into::into).to_vec(),
            mtu: session::MTU,
            real_time: args.ends.real_time,
            program: own_program(),
            warn: Some(|text| print_warnings(&[text])),
            ..session::Plan::default()
        })
    };
    plans.iter().map(|(_, plan)| of_plan(plan)).collect()
}

/// Runs the commands with real ends for each scheme of a plan, in addition to the simulated runs of `name`.
pub fn compare(args: &Args, commands: session::Plan, plan: &Plan, name: &str) -> Result<Comparison, CommandFailure> {
    let failed = |error: CompareError| match error {
        CompareError::Interrupted { .. } => {
            CommandFailure::Interrupted(format!("{error}\n  hint: the same command continues"))
        }
        error => CommandFailure::Run(error.to_string()),
    };
    let wanted = args.out.with_file_name(format!("{}-compared-shell", plan.stem));
    let dir = compare::choose_directory(&wanted, plan, &commands).map_err(failed)?;
    let runs =
        RealRuns { plan, path: PathBuf::from(name), replications: args.replications, commands, dir: dir.clone() };
    let progress = ProgressReport::of_runs("with real ends");
    let outcome = runs.measure_all(&mut |done, wanted| progress.count(done, wanted));
    progress.finish();
    let outcome = outcome.map_err(failed)?;
    let (late, worst) = outcome.behind;
    if late > 0 {
        print_warnings(&[format!(
            "emulation fell behind real time in {late} of {}, by {worst:.1} ms at most; an idle machine, or --real-time as root, \
             reduces this",
            format_count(outcome.found + outcome.made, "run"),
        )]);
    }
    let before = if outcome.found > 0 { format!(", {} were already there", outcome.found) } else { String::new() };
    let (made, kernel) = (format_count(outcome.made, "run"), &outcome.kernel);
    write_note(format_args!("{made} with real ends ({kernel}){before}; kept in {}", format_path(&dir)));
    if outcome.measured.iter().all(|measured| measured.goodput.values.is_empty()) {
        print_warnings(&["no data crossed the network: the command of --shell has no goodput"]);
    }
    Ok(Comparison::of_measured(name, plan, &outcome.measured, &Members::default()))
}
