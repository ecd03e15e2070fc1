//! Captures in the commands that read scenarios.

use std::path::Path;

use ::plot::{Description, Recorder};
use ::report::captures;
use ::report::pictures::{MAX_FLOWS, View, captured};
use engine::Time;
use lab::captures::{CaptureFailure, CaptureFile, Explained, is_capture};
use observe::explain::{HIDDEN_CAUSES, captured_causes, captured_to_json, hidden_kinds, millis};
use scenario::problem::Problem;
use serde_json::{Value, json};

use super::plot::failure::failed;
use super::{count, explain, listed, plot, print, print_if_open, report, shown, write_whole};
use crate::Failure;
use crate::talk::note;

impl From<CaptureFailure> for Failure {
    fn from(failure: CaptureFailure) -> Failure {
        Failure::Input(format!("error: {failure}"))
    }
}

/// Reads the table of a capture; what could not be read is a warning.
fn open(path: &Path) -> Result<CaptureFile, Failure> {
    let file = CaptureFile::open(path)?;
    if let Some(incomplete) = &file.incomplete {
        note(format_args!("warning: {}: {incomplete}", shown(path)));
    }
    if file.skipped.damaged > 0 {
        let damaged = count(file.skipped.damaged, "frame");
        note(format_args!("warning: {}: {damaged} with damaged or cut headers", shown(path)));
    }
    Ok(file)
}

/// Options of other files, which a capture does not have.
fn refuse(options: &[(&str, bool)]) -> Result<(), Failure> {
    let Some((option, _)) = options.iter().find(|(_, given)| *given) else { return Ok(()) };
    let problem = Problem::new("a scenario or its results").in_file(*option).found("a capture");
    Err(Failure::Input(listed(&[problem.hint("--stream N chooses the connection of a capture")])))
}

/// `lasthop explain CAPTURE`, or another file.
pub fn explain(args: &explain::Args) -> Result<(), Failure> {
    if !args.capture.reads_capture(&args.scenario)? {
        return explain::run(args);
    }
    refuse(&[("--flow", args.flow.is_some())])?;
    let path = &args.scenario.file;
    let file = open(path)?;
    let number = file.chosen(args.capture.stream)?;
    let drawn: &[u32] = if args.out.is_some() { &[0] } else { &[] };
    let sink = |_: &sim::Network| {
        Recorder::new(drawn.iter().copied(), None, None).with_panels(&[::plot::Panel::Rtt], &Description::default())
    };
    for (explained, recorder) in file.explain(&[number], args.capture.place(), sink)? {
        if args.json {
            let json = Value::from(vec![as_json(&explained, args.top.unwrap_or(explain::TOP_IN_JSON))]);
            print_if_open(&format!("{json:#}\n"))?;
        } else {
            let title = path.file_name().unwrap_or_default().to_string_lossy();
            print_if_open(&as_text(&title, &file, &explained, args.top.unwrap_or(0)))?;
        }
        if let Some(out) = &args.out {
            if recorder.overflowed() {
                note(format_args!("warning: no picture in {}: the connection is too long for one", shown(out)));
                continue;
            }
            let drawn = captured(&explained, &recorder.finish(), &View::default(), true).map_err(failed)?;
            plot::write(&drawn, out)?.iter().for_each(|path| note(shown(path)));
        }
    }
    Ok(())
}

/// `lasthop plot CAPTURE`, or another file.
pub fn plot(args: &plot::Args) -> Result<(), Failure> {
    if !args.capture.reads_capture(&args.scenario)? {
        return plot::run(args);
    }
    let view = &plot::view(args);
    refuse(&[
        ("--flow", args.flow.is_some()),
        ("--all-flows", args.all_flows),
        ("--topology", args.topology),
        ("--medium", args.medium.is_some()),
        ("OTHER", !args.others.is_empty()),
    ])?;
    let path = &args.scenario.file;
    let file = open(path)?;
    let number = file.chosen(args.capture.stream)?;
    let out = match &args.out {
        Some(out) => out.clone(),
        None => path.with_extension("plots"),
    };
    let (from, to) = (view.from.map(|from| Time::ZERO + from), view.to.map(|to| Time::ZERO + to));
    let sink = |network: &sim::Network| {
        Recorder::new([0], from, to).with_panels(&::plot::Panel::ALL, &Description::of(network))
    };
    for (explained, recorder) in file.explain(&[number], args.capture.place(), sink)? {
        if recorder.overflowed() {
            let hint = "draw a part of it with --from and --to";
            return Err(Failure::Run(format!("the connection is too long for one picture\n  hint: {hint}")));
        }
        let drawn = captured(&explained, &recorder.finish(), view, false).map_err(failed)?;
        plot::write(&drawn, &out)?.iter().try_for_each(|path| print(&format!("{}\n", shown(path))))?;
    }
    Ok(())
}

/// The maximum number of connections that a page explains.
const MAX_EXPLAINED: usize = 100;

/// `lasthop report CAPTURE`, or another file.
pub fn report(args: &report::Args) -> Result<(), Failure> {
    if !is_capture(&args.store) {
        return report::run(args);
    }
    let path = &args.store;
    let file = open(path)?;
    let numbers: Vec<u32> = file.by_size().into_iter().take(MAX_EXPLAINED).collect();
    let mut made = 0;
    let sink = |_: &sim::Network| {
        made += 1;
        (made <= MAX_FLOWS)
            .then(|| Recorder::new([0], None, None).with_panels(&[::plot::Panel::Rtt], &Description::default()))
    };
    let explained = file.explain(&numbers, None, sink)?;
    let recording =
        |recorder: Option<Recorder>| recorder.filter(|recorder| !recorder.overflowed()).map(Recorder::finish);
    let explained: Vec<_> =
        explained.into_iter().map(|(explained, recorder)| (explained, recording(recorder))).collect();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let page = captures::page(&name, &file, &explained);
    let out = args.out.clone().unwrap_or_else(|| path.with_extension("html"));
    write_whole(&out, ::report::html(&page).as_bytes())?;
    print(&format!("{}\n", shown(&out)))
}

fn as_json(explained: &Explained, top: usize) -> Value {
    let Explained { survey, counts, report, .. } = explained;
    let mut json = captured_to_json(&explained.name(), report, (survey.is_at_sender(), survey.scale_known), top);
    json["capture"] = json!({
        "stream": survey.number,
        "place": survey.vantage.name(),
        "round_trip_ms": survey.round_trip().as_secs_f64() * 1e3,
        "round_trip_to_sender_ms": survey.to_sender.as_secs_f64() * 1e3,
        "rate_bps": survey.rate.map(engine::Rate::bits_per_sec),
        "mss": survey.mss,
        "bytes": survey.bytes,
        "segments": counts.segments,
        "segments_repeated": counts.repeated,
        "segments_reordered": counts.reordered,
        "segments_missing": counts.missing,
        "duplicate_acks": counts.duplicates,
        "window_probes": counts.probes,
        "windows_closed": counts.closed_windows,
        "notes": explained.notes(),
    });
    json
}

fn as_text(title: &str, file: &CaptureFile, explained: &Explained, top: usize) -> String {
    let Explained { survey, counts, report, .. } = explained;
    let mut text = format!("{title}: {}", count(file.streams.len(), "TCP connection"));
    if file.streams.len() > 1 {
        text.push_str("; --stream N explains another, `lasthop report` all");
    }
    let rate = survey
        .rate
        .map_or("unknown".to_owned(), |rate| format!("about {:.3} Mbit/s", rate.bits_per_sec() as f64 / 1e6));
    text.push_str(&format!(
        "\n{}\n{} bytes in {}, {} sent again; {} duplicate acknowledgments, {} segments reordered\n\
         captured at the {}; least round trip {} ms, rate of the slowest link {rate}\n",
        explained.name(),
        survey.bytes,
        count(counts.segments, "segment"),
        counts.repeated,
        counts.duplicates,
        counts.reordered,
        survey.vantage.name(),
        millis(survey.round_trip()),
    ));
    if counts.closed_windows > 0 || counts.probes > 0 {
        text.push_str(&format!(
            "the receiver closed its window {} times; {} probes or keep-alives\n",
            counts.closed_windows, counts.probes
        ));
    }
    let causes: Vec<_> = captured_causes(&report.budget, survey.scale_known)
        .iter()
        .map(|cause| (cause.name, cause.summary, cause.time))
        .collect();
    text.push_str(&explain::table_of("the transfer", report, &causes, top));
    text.push_str("\nnot shown by this capture\n");
    let mut line = |name: &str, names: &[&str]| text.push_str(&format!("{name:<16} {}\n", names.join(", ")));
    line("findings", &hidden_kinds(survey.is_at_sender()).collect::<Vec<_>>());
    for (name, causes) in HIDDEN_CAUSES {
        let apart: Vec<&str> = causes.iter().map(|cause| cause.name()).collect();
        line(name, &[&format!("its parts {}", apart.join(", "))]);
    }
    if !survey.scale_known {
        line("window", &["its parts slow-start, congestion-avoidance, receiver-window"]);
    }
    line("cwnd", &["slow-start and congestion-avoidance follow from the data in flight"]);
    explained.notes().iter().for_each(|note| text.push_str(&format!("note: {note}\n")));
    text
}
