//! `lasthop explain CAPTURE`.

use std::path::Path;

use ::plot::{Description, Recorder};
use capture::transfer::Vantage;
use engine::quantity::format_span;
use engine::{Quantity, Span};
use lab::captures::{BothEnds, CaptureFile, ExplainedConnection};
use observe::explain::{captured_report_to_json, hidden_causes, hidden_kinds, list_window_causes, shown_kinds};
use observe::observation::{CapturedConnection, Evidence};
use report::pictures::{PictureView, draw_captured_connection};
use serde_json::{Value, json};
use sim::FlowId;

use super::super::captured::{joined, read_command_captures, refuse_options};
use super::super::plot::failure::convert_picture_error;
use super::super::{format_count, format_path, plot, print_if_open};
use super::{Args, TOP_IN_JSON, render_report_table};
use crate::CommandFailure;
use crate::spool::name_file;
use crate::talk::write_note;

/// `lasthop explain CAPTURE`.
pub fn explain_capture(args: &Args, path: &Path) -> Result<(), CommandFailure> {
    refuse_options(&[("--flow", args.flow.is_some())])?;
    let (file, other) = read_command_captures(path, args.other.as_ref(), &args.capture)?;
    let both = other.as_ref().map(|other| BothEnds::of([&file, other], args.capture.stream)).transpose()?;
    let out = args.out.clone().or_else(|| path.is_dir().then(|| path.join("plots")));
    let drawn = out.is_some().then_some(FlowId::new(0));
    let sink = |_: &CapturedConnection| {
        Recorder::new(drawn, None, None).with_panels(&[::plot::Panel::Rtt], &Description::default())
    };
    let all = match &both {
        Some(both) => vec![both.explain(sink)?],
        None => file.explain(&[file.choose_connection(args.capture.stream)?], args.capture.place(), sink)?,
    };
    for (explained, recorder) in all {
        if args.json {
            let mut json = explained_to_json(&explained, args.top.unwrap_or(TOP_IN_JSON));
            if let Some(both) = &both {
                json["joined"] = joined::joined_to_json(both);
            }
            let json = Value::from(vec![json]);
            print_if_open(&format!("{json:#}\n"))?;
        } else {
            let file = both.as_ref().map_or(&file, |both| both.files[0]);
            let title = name_file(&file.path).file_name().unwrap_or_default().to_string_lossy();
            let text = render_explained_capture(&title, file, &explained, args.top.unwrap_or(0));
            let joined = both.as_ref().map_or(String::new(), |both| format!("{}\n", joined::render_joined(both)));
            print_if_open(&format!("{joined}{text}"))?;
        }
        if let Some(out) = &out {
            if recorder.has_overflowed() {
                write_note(format_args!(
                    "warning: no picture in {}: the connection is too long for one",
                    format_path(out)
                ));
                continue;
            }
            let drawn = draw_captured_connection(&explained, &recorder.finish(), &PictureView::default(), true)
                .map_err(convert_picture_error)?;
            plot::write_picture(&drawn, out)?.iter().for_each(|path| write_note(format_path(path)));
        }
    }
    Ok(())
}

fn explained_to_json(explained: &ExplainedConnection, top: usize) -> Value {
    let ExplainedConnection { survey, counts, report, .. } = explained;
    let mut json = captured_report_to_json(&explained.name(), report, top);
    json["capture"] = json!({
        "stream": survey.number,
        "place": survey.vantage.value().map(Vantage::name),
        "round_trip_ms": in_millis(survey.round_trip()),
        "round_trip_to_sender_ms": in_millis(survey.to_sender),
        "rate_bps": survey.rate.value().map(engine::Rate::bits_per_sec),
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

/// A span in milliseconds; null if it is unknown.
fn in_millis(span: Evidence<Span>) -> Value {
    span.value().map(|span| span.as_secs_f64() * 1e3).into()
}

fn render_explained_capture(title: &str, file: &CaptureFile, explained: &ExplainedConnection, top: usize) -> String {
    let ExplainedConnection { survey, counts, report, .. } = explained;
    let mut text = format!("{title}: {}", format_count(file.streams.len(), "TCP connection"));
    if file.streams.len() > 1 {
        text.push_str("; --stream N explains another, `lasthop report` all");
    }
    if file.unexplained_frames() > 0 {
        text.push_str(&format!(
            "\nnot explained: {}{}",
            format_count(file.unexplained_frames(), "frame"),
            file.unexplained_frames_by_kind()
        ));
    }
    let rate = survey.rate.value().map_or("unknown".to_owned(), |rate| {
        format!("about {}", Quantity::Rate.format_brief(rate.bits_per_sec() as f64))
    });
    let round_trip = survey.round_trip().value().map_or("unknown".to_owned(), format_span);
    text.push_str(&format!(
        "\n{}\n{} bytes in {}, {} sent again; {} duplicate acknowledgments, {} segments reordered\n\
         captured at {}; min RTT {round_trip}, rate of the slowest link {rate}\n",
        explained.name(),
        survey.bytes,
        format_count(counts.segments, "segment"),
        counts.repeated,
        counts.duplicates,
        counts.reordered,
        survey.describe_place(),
    ));
    if counts.closed_windows > 0 || counts.probes > 0 {
        text.push_str(&format!(
            "the receiver closed its window {}; {} probes or keep-alives\n",
            format_count(counts.closed_windows as usize, "time"),
            counts.probes
        ));
    }
    let causes: Vec<_> = report.causes.iter().map(|cause| (cause.name, cause.summary, cause.time)).collect();
    let timeouts = match report.timeouts.value() {
        Some(times) if times > 0 => format!("; {}", format_count(times as usize, "timeout")),
        _ => String::new(),
    };
    let nothing = match shown_kinds(report.parts).as_slice() {
        [] => format!("no finding can be seen in this capture{timeouts}"),
        kinds => format!("none of these problems was found: {}{timeouts}", kinds.join(", ")),
    };
    // The reasons for which the sender sent nothing are estimates that the budget already has.
    text.push_str(&render_report_table("the transfer", &report.lost_time(), &[], &causes, top, &nothing));
    text.push_str("\nnot shown by this capture\n");
    let mut line = |name: &str, names: &[&str]| text.push_str(&format!("{name:<16} {}\n", names.join(", ")));
    line("findings", &hidden_kinds(report.parts));
    for (name, causes) in hidden_causes() {
        let apart: Vec<&str> = causes.iter().map(|cause| cause.name()).collect();
        line(name, &[&format!("its parts {}", apart.join(", "))]);
    }
    if !report.parts.sender {
        line("sender", &["its timeouts", "its pacing"]);
    }
    if !report.parts.syn {
        line("window", &[&format!("the parts {}", list_window_causes().join(", "))]);
    }
    line("cwnd", &["slow-start and congestion-avoidance follow from the data in flight"]);
    explained.notes().iter().for_each(|note| text.push_str(&format!("note: {note}\n")));
    text
}
