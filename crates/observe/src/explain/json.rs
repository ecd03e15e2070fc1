//! Reports as JSON.

use engine::Span;
use serde_json::{Value, json};

use super::{CaptureReport, FlowReport, LostTime, hidden_causes, hidden_kinds};

/// The report of a flow as JSON: an object with its budget, its kinds of findings, and the `top` costliest findings.
/// Times are in milliseconds, or in seconds from the start of the run, as the keys say.
pub fn report_to_json(name: &str, report: &FlowReport, top: usize) -> Value {
    let blocked: serde_json::Map<String, Value> =
        report.blocked.iter().map(|(reason, held)| (reason.name().to_owned(), in_millis(*held).into())).collect();
    let budget: serde_json::Map<String, Value> =
        report.causes().iter().map(|(cause, time)| (cause.name().to_owned(), in_millis(*time).into())).collect();
    let mut json = lost_time_to_json(name, &report.lost_time(), top);
    json["timeouts"] = report.timeouts.into();
    json["budget_ms"] = budget.into();
    json["blocked_ms"] = blocked.into();
    json
}

/// The part that reports of simulated and of captured flows have in common.
fn lost_time_to_json(name: &str, report: &LostTime<'_>, top: usize) -> Value {
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
    json!({
        "flow": name,
        "completed": report.completed.value(),
        "took_ms": in_millis(report.took),
        "timeouts": Value::Null,
        "budget_ms": Value::Null,
        "blocked_ms": Value::Null,
        "lost_ms": in_millis(report.lost),
        "lost_avoidably_ms": in_millis(report.lost_avoidably),
        "kinds": kinds.collect::<Vec<Value>>(),
        "findings": findings.collect::<Vec<Value>>(),
    })
}

/// The report of a connection of a capture as JSON: as [`report_to_json`], with the causes that a capture shows, and with
/// `hidden`: the kinds of findings that it does not show, and the causes that it does not separate. What is unknown is
/// null: `timeouts` elsewhere than at the sender, and `blocked_ms`.
pub fn captured_report_to_json(name: &str, report: &CaptureReport, top: usize) -> Value {
    let mut json = lost_time_to_json(name, &report.lost_time(), top);
    let causes = report.causes.iter();
    let budget: serde_json::Map<String, Value> =
        causes.map(|cause| (cause.name.to_owned(), in_millis(cause.time).into())).collect();
    json["budget_ms"] = budget.into();
    json["timeouts"] = report.timeouts.value().into();
    let causes = hidden_causes().map(|(name, causes)| {
        let causes: Vec<Value> = causes.iter().map(|cause| cause.name().into()).collect();
        (name.to_owned(), causes.into())
    });
    let causes: serde_json::Map<String, Value> = causes.collect();
    json["hidden"] = json!({ "kinds": hidden_kinds(report.parts), "causes": causes });
    json
}

fn in_millis(span: Span) -> f64 {
    span.as_secs_f64() * 1e3
}
