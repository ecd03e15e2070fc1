//! `lasthop explain`.

use std::path::{Path, PathBuf};

use ::plot::{Description, Marked, Options, Recorder};
use clap::Args as ClapArgs;
use engine::{Span, Time};
use lab::load::Loaded;
use lab::run;
use observe::explain::{Explain, FlowReport, millis};
use scenario::ran::what_ran;
use serde_json::{Value, json};

use super::{ScenarioArgs, flow_named, plot, print_if_open, shown, tcp_flows};
use crate::progress::Progress;
use crate::talk::note;
use crate::{Failure, table};

/// Arguments of `lasthop explain`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// The flow to explain [default: every flow]
    #[arg(long, value_name = "NAME")]
    flow: Option<String>,
    /// How many findings to print, the costliest first; the totals are of all
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Print JSON instead of tables: an array with an object for each flow
    #[arg(long)]
    json: bool,
    /// Where to draw each flow with its findings marked [default: plots/ in the result directory, if there are at most 16; for a scenario nowhere]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Explains a run.
pub fn run(args: &Args) -> Result<(), Failure> {
    let loaded = args.scenario.load()?;
    let chosen = match &args.flow {
        Some(name) => vec![flow_named(&loaded.network, name)?],
        None => tcp_flows(&loaded.network),
    };
    let kept = args.scenario.kept();
    let out = args.out.clone().or_else(|| kept.map(|dir| dir.join("plots")));
    let drawn = chosen.iter().filter(|_| out.is_some()).map(|flow| *flow as u32);
    let mut sink = (Explain::new(&loaded.network), Recorder::new(drawn, None, None));
    let progress = Progress::new(&loaded.stem);
    let results = match kept {
        Some(dir) => run::replay(&loaded, dir, &mut sink, |_| false, &mut |share| progress.set(share)),
        None => run::record(&loaded.network, &mut sink, |_| false, &mut |share| progress.set(share)),
    };
    progress.finish();
    let (explain, recorder) = sink;
    let reports = explain.finish(results?.ended);
    let named = || chosen.iter().map(|flow| (loaded.network.flows[*flow].name.as_str(), &reports[*flow]));
    if args.json {
        let reports: Vec<Value> = named().map(|(name, report)| as_json(name, report, args.top)).collect();
        print_if_open(&format!("{:#}\n", Value::from(reports)))?;
    } else {
        let title = loaded.title();
        let mut text = format!("{title} (seed {})\n", loaded.network.seed);
        named().for_each(|(name, report)| text.push_str(&as_table(name, report, args.top)));
        print_if_open(&text)?;
    }
    match out {
        Some(out) if recorder.overflowed() => {
            note(format_args!("warning: no picture in {}: the run is too long for one picture", shown(&out)));
            Ok(())
        }
        Some(_) if args.flow.is_none() && args.out.is_none() && chosen.len() > plot::MANY => {
            let flows = chosen.len();
            note(format_args!("no picture: there are {flows} flows; --flow NAME draws one, --out DIR all of them"));
            Ok(())
        }
        Some(out) => draw(&loaded, recorder, &reports, &chosen, &out, &progress),
        None => Ok(()),
    }
}

/// Draws each chosen flow with its findings marked, the costliest first.
fn draw(
    loaded: &Loaded,
    recorder: Recorder,
    reports: &[FlowReport],
    chosen: &[usize],
    out: &Path,
    progress: &Progress,
) -> Result<(), Failure> {
    let description = Description::of(&loaded.network);
    let recording = recorder.finish();
    for (done, &flow) in chosen.iter().enumerate() {
        progress.drawn(done, chosen.len())?;
        let name = &loaded.network.flows[flow].name;
        let spans = reports[flow].marks(MAX_MARKS).into_iter().map(|(from, to, label)| Marked { from, to, label });
        let options = Options {
            flow: flow as u32,
            title: Some(format!("Delays of {name}")),
            ran: what_ran(loaded),
            spans: spans.collect(),
            ..Options::default()
        };
        let path = plot::write(&recording.draw(&description, &options), out, &format!("{name}-explained"))?;
        path.iter().for_each(|path| note(shown(path)));
    }
    Ok(())
}

/// Marks with distinct labels.
const MAX_MARKS: usize = 12;

fn as_json(name: &str, report: &FlowReport, top: usize) -> Value {
    let findings = report.findings.iter().take(top).map(|finding| {
        json!({
            "kind": finding.kind,
            "avoidable": finding.avoidable,
            "from_s": finding.from.as_secs_f64(),
            "to_s": finding.to.as_secs_f64(),
            "cost_ms": in_millis(finding.cost),
            "text": finding.text,
        })
    });
    let kinds = report.kinds();
    let kinds =
        kinds.iter().map(|total| json!({ "kind": total.kind, "count": total.count, "cost_ms": in_millis(total.cost) }));
    let blocked: serde_json::Map<String, Value> =
        report.blocked.iter().map(|(reason, held)| (reason.name().to_owned(), in_millis(*held).into())).collect();
    json!({
        "flow": name,
        "completed": report.completed,
        "took_ms": in_millis(report.took),
        "timeouts": report.timeouts,
        "blocked_ms": blocked,
        "lost_ms": in_millis(report.lost),
        "lost_avoidably_ms": in_millis(report.lost_avoidably),
        "kinds": kinds.collect::<Vec<Value>>(),
        "findings": findings.collect::<Vec<Value>>(),
    })
}

fn in_millis(span: Span) -> f64 {
    span.as_secs_f64() * 1e3
}

fn as_table(name: &str, report: &FlowReport, top: usize) -> String {
    let took = format!("{:.3} s", report.took.as_secs_f64());
    let done = if report.completed { "took" } else { "is incomplete after" };
    let mut out = format!("\nflow {name} {done} {took}\n{}{}", budget(report), blocked(report));
    if report.findings.is_empty() {
        let timeouts = match report.timeouts {
            0 => String::new(),
            1 => "; its timer expired once".to_owned(),
            times => format!("; its timer expired {times} times"),
        };
        out.push_str(&format!("no problem was found{timeouts}\n"));
        return out;
    }
    let cells = |cells: [&str; 5]| cells.map(str::to_owned).to_vec();
    let mut rows = vec![cells(["rank", "kind", "from s", "to s", "cost ms"])];
    for (rank, finding) in report.findings.iter().take(top).enumerate() {
        let second = |at: Time| format!("{:.3}", at.as_secs_f64());
        let (from, to) = (second(finding.from), second(finding.to));
        rows.push(cells([&(rank + 1).to_string(), finding.kind, &from, &to, &millis(finding.cost)]));
    }
    let texts = report.findings.iter().map(|finding| finding.text.as_str());
    out.push('\n');
    for (row, text) in table::aligned(&rows, 2).lines().zip(std::iter::once("what happened").chain(texts)) {
        out.push_str(&format!("{row}  {text}\n"));
    }
    let hidden = report.findings.len().saturating_sub(top);
    if hidden > 0 {
        out.push_str(&format!("{hidden} more: --top {}\n", report.findings.len()));
    }
    out.push('\n');
    out.push_str(&totals(report));
    out.push_str("rows can overlap in time, so their costs do not add up; the last two lines count each moment once\n");
    out
}

/// The causes of the flow's time, the longest first, each with a bar.
fn budget(report: &FlowReport) -> String {
    let mut causes = report.budget.clone();
    causes.sort_by_key(|(_, span)| std::cmp::Reverse(*span));
    let mut rows = Vec::new();
    let mut texts = Vec::new();
    for (cause, span) in &causes {
        let share = span.as_secs_f64() / report.took.as_secs_f64().max(f64::MIN_POSITIVE);
        let row = [cause.name(), &millis(*span), &format!("{:.1} %", 100.0 * share)].map(str::to_owned);
        rows.push(row.to_vec());
        texts.push(format!("{:<BAR$}  {}", "#".repeat((share * BAR as f64).round() as usize), cause.summary()));
    }
    let mut out = String::new();
    for (row, text) in table::aligned(&rows, 1).lines().zip(&texts) {
        out.push_str(&format!("{row}  {text}\n"));
    }
    out
}

/// The width of a bar of 100 %.
const BAR: usize = 30;

/// The reasons for which the sender did not send, the longest first.
fn blocked(report: &FlowReport) -> String {
    let mut held: Vec<_> = report.blocked.iter().filter(|(_, held)| *held > Span::ZERO).collect();
    held.sort_by_key(|(_, held)| std::cmp::Reverse(*held));
    let share = |held: Span| 100.0 * held.as_secs_f64() / report.took.as_secs_f64().max(f64::MIN_POSITIVE);
    let parts: Vec<String> =
        held.iter().map(|(reason, held)| format!("{} {:.1} %", reason.name(), share(*held))).collect();
    if parts.is_empty() { String::new() } else { format!("the sender was blocked by {}\n", parts.join(", ")) }
}

/// A line for each kind, and the total cost.
fn totals(report: &FlowReport) -> String {
    let share =
        |cost: Span| format!("{:.1} %", 100.0 * cost.as_secs_f64() / report.took.as_secs_f64().max(f64::MIN_POSITIVE));
    let row =
        |name: &str, count: usize, cost: Span| vec![name.to_owned(), count.to_string(), millis(cost), share(cost)];
    let mut rows = vec![["kind", "findings", "cost ms", "of the transfer"].map(str::to_owned).to_vec()];
    rows.extend(report.kinds().iter().map(|total| row(total.kind, total.count, total.cost)));
    let avoidable = report.findings.iter().filter(|finding| finding.avoidable).count();
    rows.push(row("all together", report.findings.len(), report.lost));
    rows.push(row("avoidable", avoidable, report.lost_avoidably));
    table::aligned(&rows, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without findings, timeouts are still reported: they delayed the transfer.
    #[test]
    fn explanation_without_findings_reports_timeouts() {
        for (timeouts, end) in [(0, "was found\n"), (1, "expired once\n"), (3, "expired 3 times\n")] {
            let (took, lost) = (Span::from_secs(4), Span::ZERO);
            let findings = Vec::new();
            let blocked = Vec::new();
            let report =
                FlowReport { flow: 0, took, completed: true, timeouts, blocked, findings, lost, lost_avoidably: lost };
            let text = as_table("f", &report, 20);
            assert!(text.contains("no problem was found") && text.ends_with(end), "{text}");
        }
    }
}
