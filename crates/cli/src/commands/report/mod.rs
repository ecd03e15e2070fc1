//! `lasthop report`.

mod captured;

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use lab::captures::is_capture;
use lab::result_dir::EMULATION;
use lab::sweep::analysis::Analysis;
use lab::sweep::budget;
use report::store::RepeatedRuns;
use scenario::problem::Problem;

use super::captured::{find_host_captures, is_called_capture, refuse_comparison};
use super::export::load_analyses;
use super::places::beside_result;
use super::web;
use super::{format_path, format_problems, print_visible, sweep, write_whole};
use crate::CommandFailure;
use crate::command_groups::Example;
use crate::progress::ProgressReport;
use crate::talk::write_note;

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop report results/selective-repeat.sqlite", "Write results/selective-repeat.html"),
    (
        "lasthop report results/snoop-seed1/server.pcapng -o server.html",
        "Write a page about the connections of a capture",
    ),
];

/// Arguments of `lasthop report`.
#[derive(ClapArgs)]
pub struct Args {
    /// The store of a sweep, a capture (pcap, pcapng), or a result of `lasthop shell` with captures of both ends
    #[arg(value_name = "FILE")]
    pub(super) store: PathBuf,
    /// The page [default: results/NAME.html, or next to a file in a directory of results]
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// A figure to show, from `lasthop list metrics`; may be repeated [default: the metrics of each sweep]
    #[arg(long, value_name = "NAME")]
    metric: Vec<String>,
    /// Also write each chart as an SVG file into this directory
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// Do not repeat the first replication of each case; its time budget and its pictures are then omitted
    #[arg(long)]
    no_budget: bool,
}

/// Script file of the page, which draws the figures of runs in reports too.
const SCRIPT: &str = "report.js";

const NO_SCRIPT: &str = "note: the figures of runs are static pictures: this lasthop has no page yet, whose script animates \
                         them";

/// The maximum number of cases of a sweep whose time budgets are shown.
const MAX_BUDGETS: usize = 40;

/// Writes a store's results, or the connections of a capture, as a page.
pub fn report_file(args: &Args) -> Result<(), CommandFailure> {
    refuse_comparison(&args.store)?;
    if is_capture(&args.store) || is_called_capture(&args.store) || !find_host_captures(&args.store).is_empty() {
        return captured::report_capture(args);
    }
    if args.store.join("scenario.toml").is_file() {
        let problem = Problem::new("the store of a sweep, a capture, or a result of `lasthop shell`");
        let problem = problem.in_file(format_path(&args.store));
        if args.store.join(EMULATION).is_file() {
            return Err(CommandFailure::Input(format_problems(&[
                problem.found("a result of real hosts without its captures")
            ])));
        }
        let problem = problem.found("the result of a simulated run");
        return Err(CommandFailure::Input(format_problems(&[
            problem.hint("`lasthop explain DIR` and `plot DIR` read results of runs")
        ])));
    }
    let metrics = args.metric.iter().map(|name| sweep::find_shown_metric(name)).collect::<Result<Vec<_>, _>>()?;
    let sweeps = load_analyses(&args.store)?;
    let out = args.out.clone().unwrap_or_else(|| beside_result(&args.store, "html"));
    if is_same_file(&out, &args.store) {
        let problem = Problem::new("a file other than the store").in_file("--out").found(format_path(&out));
        return Err(CommandFailure::Input(format_problems(&[problem.hint("--out PAGE.html")])));
    }
    let name = args.store.file_name().unwrap_or_default().to_string_lossy();
    let again = if args.no_budget { Vec::new() } else { repeat_runs(&sweeps)? };
    let mut page = report::store::render_store_page(&name, &sweeps, &metrics, &again);
    page.script = web::ready_page().and_then(|page| page.text(SCRIPT)).unwrap_or_default();
    if page.script.is_empty() && again.iter().any(|again| again.course.is_some()) {
        write_note(format_args!("{NO_SCRIPT}\n  hint: {}", web::suggest_build()));
    }
    write_whole(&out, report::render_html_page(&page).as_bytes())?;
    print_visible(&format!("{}\n", format_path(&out)))?;
    let Some(dir) = &args.figures else { return Ok(()) };
    for (name, picture) in report::store::render_store_figures(&sweeps, &metrics, &again) {
        let path = dir.join(name + ".svg");
        write_whole(&path, picture.as_bytes())?;
        print_visible(&format!("{}\n", format_path(&path)))?;
    }
    Ok(())
}

/// Repeats runs of each sweep and returns their time budgets and courses.
fn repeat_runs(sweeps: &[Analysis]) -> Result<Vec<RepeatedRuns>, CommandFailure> {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let of = |sweep: &Analysis| {
        let progress = ProgressReport::of_runs(&sweep.sweep.name);
        let watch = |done, wanted| progress.count(done, wanted);
        let found = budget::explain_budgets(sweep, MAX_BUDGETS, jobs, &watch).and_then(|budgets| {
            let course = report::store::record_course(sweep, &watch)?;
            Ok(RepeatedRuns { budgets, course })
        });
        progress.finish();
        Ok(found?)
    };
    sweeps.iter().map(of).collect()
}

/// Whether two paths denote one file. A path that does not exist denotes no file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}
