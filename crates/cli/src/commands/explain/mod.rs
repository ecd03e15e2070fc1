//! `lasthop explain`.

mod captured;

use std::path::{Path, PathBuf};

use ::plot::{Description, Recorder};
use clap::Args as ClapArgs;
use engine::quantity::format_millis_cell;
use engine::{Span, Time, quantity};
use lab::load::Loaded;
use lab::run::{self, RunError};
use observe::explain::{Blocked, Cause, Explain, Finding, FlowReport, LostTime, report_to_json};
use report::pictures::{MAX_FLOWS, draw_explained_flow};
use scenario::flows;
use scenario::problem::Problem;
use serde_json::Value;
use sim::FlowId;

use super::captured::CaptureArgs;
use super::{ScenarioArgs, find_named_flow, format_path, format_problems, plot, print_if_open, refuse_stdin};
use crate::command_groups::Example;
use crate::progress::ProgressReport;
use crate::spool::spool_capture;
use crate::talk::write_note;
use crate::{CommandFailure, table};

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop explain results/snoop-seed1", "Explain how the time of a run was spent"),
    ("lasthop explain results/snoop-seed1/server.pcapng", "Explain a connection in a capture"),
    ("lasthop explain - < results/snoop-seed1/server.pcapng", "The same from a pipe, as of `tcpdump -w -`"),
    ("lasthop explain examples/timeout.toml --top 3", "Run a scenario, and list the three costliest findings"),
];

/// Arguments of `lasthop explain`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    pub(super) scenario: ScenarioArgs,
    #[command(flatten)]
    pub(super) capture: CaptureArgs,
    /// Another capture of the same connection, from its other end: its packets are matched with the packets of the
    /// first capture
    #[arg(value_name = "OTHER")]
    pub(super) other: Option<PathBuf>,
    /// The flow to explain [default: every flow]
    #[arg(long, value_name = "NAME")]
    pub(super) flow: Option<String>,
    /// Print also this number of single findings, the costliest first [default: none; with --json 20]
    #[arg(long, value_name = "N")]
    pub(super) top: Option<usize>,
    /// Print JSON instead of tables: an array with an object for each flow
    #[arg(long)]
    pub(super) json: bool,
    /// Where to draw each flow with its findings marked [default: plots/ in the result directory, if there are at most
    /// 16; for a scenario nowhere]
    #[arg(short, long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

/// Explains a run, or a capture.
pub fn explain_run(args: &Args) -> Result<(), CommandFailure> {
    let spooled = spool_capture(&args.scenario.file).map_err(refuse_stdin)?;
    let file = spooled.as_deref().unwrap_or(&args.scenario.file);
    if args.capture.reads_capture(file, &args.scenario)? {
        return captured::explain_capture(args, file);
    }
    if let Some(other) = &args.other {
        let problem = Problem::new("another capture in addition").in_file(format_path(&args.scenario.file));
        let hint = "`lasthop plot` draws several runs in one picture";
        return Err(CommandFailure::Input(format_problems(&[problem
            .found(format!("a scenario, with {}", format_path(other)))
            .hint(hint)])));
    }
    let loaded = args.scenario.load()?;
    let chosen = match &args.flow {
        Some(name) => vec![find_named_flow(&loaded.network, name)?],
        None => flows::over_tcp(&loaded.network),
    };
    let kept = args.scenario.result_directory();
    let out = args.out.clone().or_else(|| kept.map(|dir| dir.join("plots")));
    let drawn = chosen.iter().filter(|_| out.is_some()).map(|flow| FlowId::from_index(*flow));
    let recorder = Recorder::new(drawn, None, None).with_schemes(&Description::of(&loaded.network));
    let mut sink = (Explain::new(&loaded.network), recorder);
    let progress = ProgressReport::new(&loaded.stem);
    let results = match kept {
        Some(dir) => run::replay_result(&loaded, dir, &mut sink, |_| false, &mut |share| progress.set(share)),
        None => {
            let recorded = run::run_into_sink(&loaded.network, &mut sink, |_| false, &mut |share| progress.set(share));
            recorded.map_err(RunError::from)
        }
    };
    progress.finish();
    let (explain, recorder) = sink;
    let reports = explain.finish(results?.ended);
    let named = || chosen.iter().map(|flow| (loaded.network.flows[*flow].name.as_str(), &reports[*flow]));
    if args.json {
        let reports: Vec<Value> =
            named().map(|(name, report)| report_to_json(name, report, args.top.unwrap_or(TOP_IN_JSON))).collect();
        print_if_open(&format!("{:#}\n", Value::from(reports)))?;
    } else {
        let title = loaded.title();
        let mut text = format!("{title} (seed {})\n", loaded.network.seed);
        named().for_each(|(name, report)| text.push_str(&render_flow_report(name, report, args.top.unwrap_or(0))));
        print_if_open(&text)?;
    }
    match out {
        Some(out) if recorder.has_overflowed() => {
            write_note(format_args!(
                "warning: no picture in {}: the run is too long for one picture",
                format_path(&out)
            ));
            Ok(())
        }
        Some(_) if args.flow.is_none() && args.out.is_none() && chosen.len() > MAX_FLOWS => {
            let flows = chosen.len();
            write_note(format_args!(
                "no picture: there are {flows} flows; --flow NAME draws one, --out DIR all of them"
            ));
            Ok(())
        }
        Some(out) => draw_findings(&loaded, recorder, &reports, &chosen, &out, &progress),
        None => Ok(()),
    }
}

/// Draws each chosen flow with its findings marked, the costliest first.
fn draw_findings(
    loaded: &Loaded,
    recorder: Recorder,
    reports: &[FlowReport],
    chosen: &[usize],
    out: &Path,
    progress: &ProgressReport,
) -> Result<(), CommandFailure> {
    let recording = recorder.finish();
    for (done, &flow) in chosen.iter().enumerate() {
        progress.fail_if_interrupted(done, chosen.len())?;
        let files = plot::write_picture(&draw_explained_flow(loaded, &recording, flow, &reports[flow]), out)?;
        files.iter().for_each(|path| write_note(format_path(path)));
    }
    Ok(())
}

/// A cause of the flow's time: its name and its description.
type NamedCause = (&'static str, &'static str, Span);

fn render_flow_report(name: &str, report: &FlowReport, top: usize) -> String {
    let named = |(cause, time): &(Cause, Span)| (cause.name(), cause.summary(), *time);
    let causes: Vec<NamedCause> = report.causes().iter().map(named).collect();
    let timeouts = match report.timeouts {
        0 => String::new(),
        1 => "; its timer expired once".to_owned(),
        times => format!("; its timer expired {times} times"),
    };
    let nothing = format!("no problem was found{timeouts}");
    render_report_table(&format!("flow {name}"), &report.lost_time(), &report.blocked, &causes, top, &nothing)
}

/// Renders the report of a flow or a connection, with the reasons that blocked its sender and the causes of its time.
/// `nothing` is the last line of a report without findings.
pub(super) fn render_report_table(
    name: &str,
    report: &LostTime<'_>,
    blocking: &[(Blocked, Span)],
    causes: &[NamedCause],
    top: usize,
    nothing: &str,
) -> String {
    let took = format!("{:.3} s", report.took.as_secs_f64());
    let done = match report.completed.value() {
        Some(true) => "took",
        Some(false) => "is incomplete after",
        None => "took at least",
    };
    let mut out = format!(
        "\n{name} {done} {took}\n{}\n{}",
        render_blocked_times(blocking, report.took),
        render_budget_table(report, causes)
    );
    if report.findings.is_empty() {
        out.push_str(&format!("{nothing}\n"));
        return out;
    }
    out.push_str(&render_finding_kinds(report));
    if top > 0 {
        out.push_str(&render_top_findings(report, top));
    }
    out
}

/// The `top` costliest findings.
fn render_top_findings(report: &LostTime<'_>, top: usize) -> String {
    let head = ["rank", "finding", "from s", "to s", "cost ms"].map(str::to_owned).to_vec();
    let row = |(rank, finding): (usize, &Finding)| {
        let second = |at: Time| format!("{:.3}", at.as_secs_f64());
        let (from, to) = (second(finding.from), second(finding.to));
        vec![(rank + 1).to_string(), finding.kind.to_owned(), from, to, format_millis_cell(finding.cost)]
    };
    let shown = report.findings.iter().take(top);
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(shown.clone().enumerate().map(row)).collect();
    let texts = std::iter::once("what happened").chain(shown.map(|finding| finding.text.as_str()));
    let mut out = format!("\n{}", with_texts(&rows, 2, texts));
    let hidden = report.findings.len().saturating_sub(top);
    if hidden > 0 {
        out.push_str(&format!("{hidden} more: --top {}\n", report.findings.len()));
    }
    out
}

/// Aligns rows, each followed by a text.
fn with_texts<'a>(rows: &[Vec<String>], left: usize, texts: impl Iterator<Item = &'a str>) -> String {
    let rows = table::align_rows(rows, left);
    rows.lines().zip(texts).map(|(row, text)| format!("{row}  {text}\n")).collect()
}

fn format_share(part: Span, of: Span) -> String {
    quantity::format_percent(part.as_secs_f64() / of.as_secs_f64().max(f64::MIN_POSITIVE))
}

/// The causes of the flow's time, the longest first, each with a bar.
fn render_budget_table(report: &LostTime<'_>, causes: &[NamedCause]) -> String {
    if causes.is_empty() {
        return String::new();
    }
    let row = |name: &str, time: Span| vec![name.to_owned(), format_millis_cell(time), format_share(time, report.took)];
    let mut rows = vec![["cause", "time ms", "share"].map(str::to_owned).to_vec()];
    rows.extend(causes.iter().map(|(name, _, time)| row(name, *time)));
    rows.push(row("sum", report.took));
    let bar = |time: Span| {
        let share = time.as_secs_f64() / report.took.as_secs_f64().max(f64::MIN_POSITIVE);
        "#".repeat((share * BAR as f64).round() as usize)
    };
    let texts = causes.iter().map(|(_, summary, time)| format!("{:<BAR$}  {summary}", bar(*time)));
    let texts: Vec<String> = std::iter::once(String::new()).chain(texts).chain([String::new()]).collect();
    let lines = with_texts(&rows, 1, texts.iter().map(String::as_str));
    lines.lines().map(|line| format!("{}\n", line.trim_end())).chain(["\n".to_owned()]).collect()
}

/// The width of a bar of 100 %.
const BAR: usize = 25;

/// The number of findings in JSON.
pub(super) const TOP_IN_JSON: usize = 20;

/// The reasons for which the sender did not send, the longest first.
fn render_blocked_times(blocking: &[(Blocked, Span)], took: Span) -> String {
    let mut held: Vec<_> = blocking.iter().filter(|(_, held)| *held > Span::ZERO).collect();
    held.sort_by_key(|(_, held)| std::cmp::Reverse(*held));
    let parts: Vec<String> =
        held.iter().map(|(reason, held)| format!("{} {}", reason.name(), format_share(*held, took))).collect();
    if parts.is_empty() { String::new() } else { format!("the sender was blocked by {}\n", parts.join(", ")) }
}

/// A line for each kind of finding, with its costliest one, and the total cost.
fn render_finding_kinds(report: &LostTime<'_>) -> String {
    let mut rows = vec![["findings", "number", "cost ms", "of the flow"].map(str::to_owned).to_vec()];
    let mut texts = vec!["the costliest".to_owned()];
    for total in report.kinds() {
        rows.push(vec![
            total.kind.to_owned(),
            total.count.to_string(),
            format_millis_cell(total.cost),
            format_share(total.cost, report.took),
        ]);
        // Findings are sorted by cost.
        let costliest = report.findings.iter().find(|finding| finding.kind == total.kind);
        texts.push(costliest.map_or(String::new(), |finding| {
            format!("{:.3} to {:.3} s: {}", finding.from.as_secs_f64(), finding.to.as_secs_f64(), finding.text)
        }));
    }
    let avoidable = format_share(report.lost_avoidably, report.took);
    format!(
        "{}findings overlap; together they cover {} of the time, avoidable findings {avoidable}\n",
        with_texts(&rows, 1, texts.iter().map(String::as_str)),
        format_share(report.lost, report.took),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Timeouts are reported even without findings, because they delayed the transfer.
    #[test]
    fn explanation_without_findings_reports_timeouts() {
        for (timeouts, end) in [(0, "was found\n"), (1, "expired once\n"), (3, "expired 3 times\n")] {
            let (took, lost) = (Span::from_secs(4), Span::ZERO);
            let findings = Vec::new();
            let blocked = Vec::new();
            let budget = vec![(Cause::LinkRate, took)];
            let report = FlowReport {
                flow: FlowId::new(0),
                took,
                completed: true,
                timeouts,
                blocked,
                findings,
                budget,
                lost,
                lost_avoidably: lost,
            };
            let text = render_flow_report("f", &report, 20);
            assert!(text.contains("no problem was found") && text.ends_with(end), "{text}");
        }
    }
}
