//! `lasthop steady`.

use clap::Args as ClapArgs;
use engine::Span;
use engine::quantity::format_short_percent;
use lab::load::Loaded;
use lab::steady::{FlowReport, Question, SingleRunLength, SteadyError, SteadyVerdict, examine_flows};
use scenario::problem::Problem;
use serde_json::{Value, json};
use stats::{Interval, Level};

use super::{
    Jobs, ScenarioArgs, find_named_flow, format_problems, print_visible, print_warnings, refuse_input, resolve_source,
};
use crate::CommandFailure;
use crate::command_groups::Example;
use crate::input;
use crate::progress::ProgressReport;
use crate::table::{align_rows, text_cells};

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop steady examples/steady.toml", "Find when the goodput is steady"),
    ("lasthop steady examples/steady.toml --until \"100 s\" --replications 5", "Look at the first 100 s only"),
];

/// Arguments of `lasthop steady`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// The flow to analyse [default: every flow]
    #[arg(long, value_name = "NAME")]
    flow: Option<String>,
    /// Replications, each with its own random streams; at least 2
    #[arg(long, value_name = "N", default_value_t = 20)]
    replications: u64,
    /// The relative precision: the maximum deviation of the goodput from its last mean, as a share of it
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    precision: f64,
    /// The confidence level of the intervals
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95)]
    level: f64,
    /// The simulated time, such as "400 s" [default: the scenario's duration]
    #[arg(long, value_name = "SPAN")]
    until: Option<String>,
    #[command(flatten)]
    jobs: Jobs,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// Reports from when on goodputs are steady.
pub fn report_steady_state(args: &Args) -> Result<(), CommandFailure> {
    let refused = |option: &str, error: stats::Error| {
        CommandFailure::Input(format_problems(&[Problem::new(error.to_string()).in_file(option)]))
    };
    let level = Level::new(args.level).map_err(|error| refused("--level", error))?;
    let question = Question::new(args.replications, args.precision, level).map_err(|error| match error {
        stats::Error::Bounds { minimum, maximum } => {
            let problem = Problem::new(format!("at least {minimum}: one replication gives no confidence interval"));
            CommandFailure::Input(format_problems(&[problem.in_file("--replications").found(maximum.to_string())]))
        }
        error => refused("--precision", error),
    })?;
    let loaded = load_until(args)?;
    let chosen = match &args.flow {
        Some(name) => vec![find_named_flow(&loaded.network, name)?],
        None => (0..loaded.network.flows.len()).collect(),
    };
    let jobs = args.jobs.count();
    let progress = ProgressReport::of_runs(&loaded.stem);
    let reports =
        examine_flows(&loaded.network, &chosen, &question, jobs, &mut |done| progress.count(done, args.replications));
    progress.finish();
    let reports = reports?;
    if args.json {
        return print_visible(&format!("{:#}\n", steady_to_json(&loaded, &question, &reports)));
    }
    print_visible(&render_steady_report(&loaded, &question, &reports))
}

/// The scenario, with the duration of --until.
fn load_until(args: &Args) -> Result<Loaded, CommandFailure> {
    let mut overrides = args.scenario.overrides();
    overrides.set.extend(args.until.as_ref().map(|until| format!("duration={until}")));
    let loaded = resolve_source(&input::open_source(&args.scenario.file, &overrides).map_err(refuse_input)?)?;
    // A warning about the duration is an estimate; this command measures the length.
    let others = loaded.warnings.iter().filter(|warning| warning.key.as_deref() != Some("duration"));
    print_warnings(&others.collect::<Vec<_>>());
    Ok(loaded)
}

impl From<SteadyError> for CommandFailure {
    fn from(error: SteadyError) -> Self {
        match error {
            SteadyError::Interrupted => CommandFailure::Interrupted(error.to_string()),
            SteadyError::Unsuitable(_) => CommandFailure::Input(error.to_string()),
        }
    }
}

fn render_steady_report(loaded: &Loaded, question: &Question, reports: &[FlowReport]) -> String {
    let title = loaded.title();
    let mut out = format!("{title} (seed {}), {} replications\n", loaded.network.seed, question.replications());
    for report in reports {
        let flow = &loaded.network.flows[report.flow];
        out.push_str(&format!("\nflow {}\n", flow.name));
        if let Some(bytes) = flow.traffic.total() {
            out.push_str(&format!(
                "the flow ends after {}: a transfer with an end has no steady state; `lasthop sweep` gives its completion time.\n\
                 The goodput below is measured for the same flow without end, while no other flow ends either\n",
                engine::Bytes(bytes)
            ));
        }
        if flow.start > engine::Time::ZERO {
            out.push_str(&format!("times count from the flow's start at {} s\n", flow.start));
        }
        out.push('\n');
        out.push_str(&render_goodput_table(report, question));
        out.push('\n');
        let warmup = match report.warmup {
            Ok(warmup) => format!("the first {}", format_in_seconds(warmup)),
            Err(error) => error.to_string(),
        };
        out.push_str(&format!("warm-up   {warmup} (MSER-5, mean of all replications, bins of {})\n", report.bin));
        out.push_str(&format!("one run   {}\n\n", describe_single_run(report, question)));
        out.push_str(&format!("{}\n", render_answer(&flow.name, report, question)));
    }
    out
}

fn render_goodput_table(report: &FlowReport, question: &Question) -> String {
    let level = format!("{} interval, kbps", format_short_percent(question.level().get()));
    let mut rows = vec![text_cells(&["simulated s", "goodput, kbps", &level, "half-width"])];
    for at in &report.rows {
        let Interval { low, high } = at.goodput;
        rows.push(vec![
            at.time.as_secs_f64().to_string(),
            format_kilobits(at.goodput.centre()),
            format!("{} to {}", format_kilobits(low.max(0.0)), format_kilobits(high)),
            at.goodput.relative_half_width().map_or("–".to_owned(), |share| format!("{:.2} %", 100.0 * share)),
        ]);
    }
    align_rows(&rows, 0)
}

/// The length that a single run needs, in a line.
fn describe_single_run(report: &FlowReport, question: &Question) -> String {
    match report.alone {
        SingleRunLength::NoChance => {
            "all replications are equal: the run is deterministic, and one is enough".to_owned()
        }
        SingleRunLength::Needs { length, told: known } => {
            let (all, beyond) =
                (question.replications(), if length > report.looked { ", longer than these runs" } else { "" });
            format!(
                "{}, warm-up included{beyond} (batch means; median, from {known} of {all} runs)",
                format_in_seconds(length)
            )
        }
        SingleRunLength::Unknown(Some(error)) => format!("too short or too correlated: {error}"),
        SingleRunLength::Unknown(None) => "too short: no data arrived after the warm-up".to_owned(),
    }
}

/// Formats the answer as a sentence.
fn render_answer(name: &str, report: &FlowReport, question: &Question) -> String {
    let (share, count) = (format_short_percent(question.relative()), question.replications());
    let looked = format_in_seconds(report.looked);
    let last =
        report.rows.last().map_or_else(String::new, |last| format!("{} kbps", format_kilobits(last.goodput.centre())));
    let longer = format_in_seconds(report.looked.times(2));
    match report.verdict {
        SteadyVerdict::Steady { from } => {
            let alone = match report.alone {
                SingleRunLength::NoChance => "; a single run of this length suffices".to_owned(),
                SingleRunLength::Needs { length, .. } => format!("; a single run needs {}", format_in_seconds(length)),
                SingleRunLength::Unknown(_) => {
                    format!("; {looked} are too short to determine the length of a single run")
                }
            };
            let from = format_in_seconds(from);
            format!(
                "From {from} on the goodput of {name} is within {share} of {last} with {count} replications{alone}."
            )
        }
        SteadyVerdict::Late { from } => format!(
            "{looked} are too short: the goodput of {name} is within {share} of its last value, {last}, only from \
             {} on, in the second half. Simulate longer: --until \"{longer}\".",
            format_in_seconds(from)
        ),
        SteadyVerdict::Wide { half_width, replications } => format!(
            "{looked} with {count} replications are too short: the precision of the goodput of {name} is only {}. Simulate \
             longer, --until \"{longer}\", or replicate more: --replications {replications} would suffice at this length.",
            format_short_percent(half_width)
        ),
        SteadyVerdict::Nothing => {
            format!("{looked} are too short: no data of {name} arrived. Simulate longer: --until \"{longer}\".")
        }
    }
}

/// Formats a rate in kbps at any magnitude, so that rows can be compared.
fn format_kilobits(bps: f64) -> String {
    format!("{:.1}", bps / 1e3)
}

/// Formats a time in seconds at any magnitude, so that lengths can be compared.
fn format_in_seconds(span: Span) -> String {
    format!("{} s", span.as_secs_f64())
}

fn steady_to_json(loaded: &Loaded, question: &Question, reports: &[FlowReport]) -> Value {
    let flows = reports.iter().map(|report| {
        let flow = &loaded.network.flows[report.flow];
        let rows = report.rows.iter().map(|row| {
            json!({
                "time_s": row.time.as_secs_f64(),
                "goodput_bps": row.goodput.centre(),
                "low_bps": row.goodput.low,
                "high_bps": row.goodput.high,
                "half_width": row.goodput.relative_half_width(),
            })
        });
        let (verdict, from, replications) = match report.verdict {
            SteadyVerdict::Steady { from } => ("steady", Some(from.as_secs_f64()), None),
            SteadyVerdict::Late { from } => ("late", Some(from.as_secs_f64()), None),
            SteadyVerdict::Wide { replications, .. } => ("wide", None, Some(replications)),
            SteadyVerdict::Nothing => ("nothing", None, None),
        };
        let (one_run, told, why) = match report.alone {
            SingleRunLength::NoChance => (None, None, Some("no chance".to_owned())),
            SingleRunLength::Needs { length, told } => (Some(length.as_secs_f64()), Some(told), None),
            SingleRunLength::Unknown(error) => {
                (None, None, Some(error.map_or("no data".to_owned(), |error| error.to_string())))
            }
        };
        json!({
            "flow": flow.name,
            "bytes": flow.traffic.total(),
            "start_s": flow.start.as_secs_f64(),
            "looked_s": report.looked.as_secs_f64(),
            "bin_s": report.bin.as_secs_f64(),
            "verdict": verdict,
            "from_s": from,
            "replications_needed": replications,
            "warmup_s": report.warmup.ok().map(Span::as_secs_f64),
            "warmup_unknown": report.warmup.err().map(|error| error.to_string()),
            "one_run_s": one_run,
            "one_run_told": told,
            "one_run_unknown": why,
            "answer": render_answer(&flow.name, report, question),
            "rows": rows.collect::<Vec<Value>>(),
        })
    });
    json!({
        "title": loaded.title(),
        "seed": loaded.network.seed,
        "replications": question.replications(),
        "precision": question.relative(),
        "level": question.level().get(),
        "flows": flows.collect::<Vec<Value>>(),
    })
}
