//! The marks of a flow. Each has an event, its cause, and the rule behind it.

use plot::{FlowHistory, Mark, MarkRow, PacketRole, SchemeAct};
use serde::Serialize;

use crate::columns::{Column, Columns};

/// All marks of one kind in a flow.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Marks {
    /// The kind, by the name that style sheets, legends and lessons use.
    pub kind: &'static str,
    /// The name in legends.
    pub label: String,
    /// What happened.
    pub what: String,
    /// Why.
    pub why: &'static str,
    /// The rule: a section of an RFC or of a paper; empty if the model itself is the cause.
    pub rule: &'static str,
    /// Rows of time (seconds) and offset in the stream (bytes; NaN if the event has none).
    pub points: Column,
}

/// All kinds of marks of flows.
pub fn list_mark_kinds() -> impl Iterator<Item = &'static str> {
    Mark::ALL.iter().map(|mark| mark.row()).filter(|row| row.layer.is_some()).map(|row| row.kind)
}

/// Collects the marks of a flow: retransmissions, and each other kind that occurred.
pub(crate) fn collect_marks(history: &FlowHistory, columns: &mut Columns) -> Vec<Marks> {
    let resent = history.sent.iter().filter(|sent| sent.again).map(|sent| [sent.at, sent.seq as f64]);
    let mut marks = vec![describe_marks(Mark::Resent, None, columns.add(resent))];
    for (mark, spots) in &history.spots {
        let points = columns.add(spots.iter().map(|spot| [spot.at, spot.seq as f64]));
        marks.push(describe_marks(*mark, None, points));
    }
    for ((effect, label), acts) in &history.actions {
        let points = columns.add(acts.iter().map(locate_action));
        marks.push(describe_marks(Mark::of_action(*effect), Some(label), points));
    }
    marks
}

/// Describes a row of the table of marks with its points. An action of a scheme has its own label.
fn describe_marks(mark: Mark, action: Option<&str>, points: Column) -> Marks {
    let MarkRow { kind, label, what, why, rule, .. } = *mark.row();
    let what = action.map_or_else(|| what.to_owned(), |action| format!("{what}: {action}"));
    Marks { kind, label: action.unwrap_or(label).to_owned(), what, why, rule, points }
}

fn locate_action(act: &SchemeAct) -> [f64; 2] {
    let seq = act.role.map_or(f64::NAN, |role| match role {
        PacketRole::Data(seq) | PacketRole::Ack(seq) => seq as f64,
    });
    [act.at, seq]
}
