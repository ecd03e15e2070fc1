//! `lasthop explain CAPTURE`.

use ::plot::{Description, Recorder};
use engine::Quantity;
use lab::captures::{BothEnds, CaptureFile, ExplainedConnection};
use observe::explain::{
    FlowReport, HIDDEN_CAUSES, captured_causes, captured_to_json, hidden_kinds, millis, shown_kinds,
};
use report::pictures::{View, captured};
use serde_json::{Value, json};

use super::super::captured::{captures, joined, refuse};
use super::super::plot::failure::failed;
use super::super::{count, plot, print_if_open, shown};
use super::{Args, TOP_IN_JSON, table_of};
use crate::Failure;
use crate::talk::note;

/// `lasthop explain CAPTURE`.
pub fn run(args: &Args) -> Result<(), Failure> {
    refuse(&[("--flow", args.flow.is_some())])?;
    let path = &args.scenario.file;
    let (file, other) = captures(path, args.other.as_ref(), &args.capture)?;
    let both = other.as_ref().map(|other| BothEnds::of([&file, other], args.capture.stream)).transpose()?;
    let out = args.out.clone().or_else(|| path.is_dir().then(|| path.join("plots")));
    let drawn: &[u32] = if out.is_some() { &[0] } else { &[] };
    let sink = |_: &sim::Network| {
        Recorder::new(drawn.iter().copied(), None, None).with_panels(&[::plot::Panel::Rtt], &Description::default())
    };
    let all = match &both {
        Some(both) => vec![both.explain(sink)?],
        None => file.explain(&[file.choose_connection(args.capture.stream)?], args.capture.place(), sink)?,
    };
    for (explained, recorder) in all {
        if args.json {
            let mut json = as_json(&explained, args.top.unwrap_or(TOP_IN_JSON));
            if let Some(both) = &both {
                json["joined"] = joined::as_json(both);
            }
            let json = Value::from(vec![json]);
            print_if_open(&format!("{json:#}\n"))?;
        } else {
            let file = both.as_ref().map_or(&file, |both| both.files[0]);
            let title = file.path.file_name().unwrap_or_default().to_string_lossy();
            let text = as_text(&title, file, &explained, args.top.unwrap_or(0));
            let joined = both.as_ref().map_or(String::new(), |both| format!("{}\n", joined::as_text(both)));
            print_if_open(&format!("{joined}{text}"))?;
        }
        if let Some(out) = &out {
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

fn as_json(explained: &ExplainedConnection, top: usize) -> Value {
    let ExplainedConnection { survey, counts, report, .. } = explained;
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

fn as_text(title: &str, file: &CaptureFile, explained: &ExplainedConnection, top: usize) -> String {
    let ExplainedConnection { survey, counts, report, .. } = explained;
    let mut text = format!("{title}: {}", count(file.streams.len(), "TCP connection"));
    if file.streams.len() > 1 {
        text.push_str("; --stream N explains another, `lasthop report` all");
    }
    if file.unexplained_frames() > 0 {
        text.push_str(&format!(
            "\nnot explained: {}{}",
            count(file.unexplained_frames(), "frame"),
            file.unexplained_frames_by_kind()
        ));
    }
    let rate = survey.rate.map_or("unknown".to_owned(), |rate| {
        format!("about {}", Quantity::Rate.format_fixed(rate.bits_per_sec() as f64, 3))
    });
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
            "the receiver closed its window {}; {} probes or keep-alives\n",
            count(counts.closed_windows as usize, "time"),
            counts.probes
        ));
    }
    let causes: Vec<_> = captured_causes(&report.budget, survey.scale_known)
        .iter()
        .map(|cause| (cause.name, cause.summary, cause.time))
        .collect();
    let at_sender = survey.is_at_sender();
    let timeouts = match report.timeouts {
        times if at_sender && times > 0 => format!("; {}", count(times as usize, "timeout")),
        _ => String::new(),
    };
    let nothing = format!("no problem was found of {}{timeouts}", shown_kinds(at_sender).join(", "));
    // The times for which the sender was blocked are estimates, which the budget already includes.
    let report = &FlowReport { blocked: Vec::new(), ..report.clone() };
    text.push_str(&table_of("the transfer", report, &causes, top, &nothing));
    text.push_str("\nnot shown by this capture\n");
    let mut line = |name: &str, names: &[&str]| text.push_str(&format!("{name:<16} {}\n", names.join(", ")));
    line("findings", &hidden_kinds(at_sender).collect::<Vec<_>>());
    for (name, causes) in HIDDEN_CAUSES {
        let apart: Vec<&str> = causes.iter().map(|cause| cause.name()).collect();
        line(name, &[&format!("its parts {}", apart.join(", "))]);
    }
    if !at_sender {
        line("sender", &["its timeouts", "its pacing"]);
    }
    if !survey.scale_known {
        line("window", &["its parts slow-start, congestion-avoidance, receiver-window"]);
    }
    line("cwnd", &["slow-start and congestion-avoidance follow from the data in flight"]);
    explained.notes().iter().for_each(|note| text.push_str(&format!("note: {note}\n")));
    text
}
