//! The explanation of the diagram's symbols above the diagram, and the lists of flows and media below it.

use super::diagram::MAX_LINES;
use super::graph::{NodeSymbol, TopologyGraph};
use super::icon::{self, ICON};
use super::{TextLabel, style_flow, style_link};
use crate::frame::Sheet;
use crate::ink::{Anchor, Path, Style, to_tenths};
use crate::scale::group_digits;
use crate::text::{self, Weight};

/// Font size in pixels.
const SIZE: u32 = 12;
/// Height of a row in pixels.
const ROW: f64 = 18.0;
/// Width in pixels of a sample of a line, with the space after it.
const SAMPLE: f64 = 32.0;
/// The most rows of a list.
const MAX_ROWS: usize = 24;

fn make_label(sheet: &Sheet, content: String) -> TextLabel {
    TextLabel { content, size: SIZE, weight: Weight::Regular, color: sheet.palette.text }
}

/// A sample of the key, with its meaning.
pub(super) enum KeyEntry {
    Icon(NodeSymbol),
    Line(Style, String),
    /// A circle of this style.
    Circle(Style, String),
}

/// Draws a row of samples with their meanings, or several rows. Returns the lower edge.
pub(super) fn draw_keys(sheet: &mut Sheet, keys: Vec<KeyEntry>, (left, right): (f64, f64), top: f64) -> f64 {
    let (mut x, mut middle) = (left, top + ROW / 2.0);
    for key in keys {
        let (wide, text) = match &key {
            KeyEntry::Icon(kind) => (ICON + 6.0, kind.label().to_owned()),
            KeyEntry::Line(_, text) => (SAMPLE, text.clone()),
            KeyEntry::Circle(_, text) => (18.0, text.clone()),
        };
        let text = make_label(sheet, text);
        let width = wide + text.width();
        if x > left && x + width > right {
            (x, middle) = (left, middle + ROW + 6.0);
        }
        let mut path = Path::default();
        match key {
            KeyEntry::Icon(kind) => icon::draw_icon(sheet, kind, (x + ICON / 2.0, middle), String::new()),
            KeyEntry::Line(style, _) => {
                path.move_to(to_tenths(x), to_tenths(middle)).line_to(to_tenths(x + SAMPLE - 6.0), to_tenths(middle));
                sheet.path("", String::new(), path, style);
            }
            KeyEntry::Circle(style, _) => {
                path.move_to(to_tenths(x + 6.0), to_tenths(middle)).extend(&[crate::ink::PenStep::Circle(50)]);
                sheet.path("", String::new(), path, style);
            }
        }
        text.write(sheet, (x + wide, middle + 4.2), Anchor::Start);
        x += width + 18.0;
    }
    middle + ROW / 2.0
}

/// Draws the key of the symbols that the diagram has. Returns its lower edge.
pub(super) fn draw_diagram_key(sheet: &mut Sheet, graph: &TopologyGraph, edges: (f64, f64), top: f64) -> f64 {
    let kinds = NodeSymbol::ALL.into_iter().filter(|kind| graph.nodes.iter().any(|node| node.kind == *kind));
    let mut found: Vec<KeyEntry> = kinds.map(KeyEntry::Icon).collect();
    for (wireless, text) in [(false, "wired link"), (true, "wireless link")] {
        if graph.links.iter().any(|link| link.wireless == wireless) {
            found.push(KeyEntry::Line(style_link(sheet.palette, wireless), text.into()));
        }
    }
    draw_keys(sheet, found, edges, top)
}

/// Breaks a text between words into rows of at most `width` pixels.
fn wrap_text(text: &str, width: f64) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let longer = rows.last().map(|row| format!("{row} {word}"));
        let fits = |row: &String| text::measure_width(row, SIZE, Weight::Regular) <= width;
        match (rows.last_mut(), longer.filter(fits)) {
            (Some(row), Some(longer)) => *row = longer,
            _ => rows.push(text::fit_text(word, SIZE, Weight::Regular, width)),
        }
    }
    rows
}

/// Draws the lists of flows, of media, and of the links without a label in the diagram. Returns the lower edge.
pub(super) fn draw_lists(
    sheet: &mut Sheet,
    graph: &TopologyGraph,
    unlabelled: &[usize],
    edges: (f64, f64),
    top: f64,
) -> f64 {
    let flows = graph.flows.iter().enumerate().map(|(number, flow)| {
        let style = style_flow(sheet.palette, number).filter(|_| !flow.route.is_empty());
        (style, flow.text.clone())
    });
    let flows: Vec<_> = flows.collect();
    let media: Vec<_> = graph.media.iter().map(|text| (None, text.clone())).collect();
    let links = unlabelled.iter().map(|link| {
        let link = &graph.links[*link];
        let [a, b] = link.between.map(|node| graph.nodes[node].name.as_str());
        (
            Some(style_link(sheet.palette, link.wireless)),
            format!("{}: between {a} and {b}, {}", link.name, link.lines.join(", ")),
        )
    });
    let links: Vec<_> = links.collect();
    let mut below = top;
    let drawn = format!("Flows (the first {MAX_LINES} are drawn)");
    let heading = if flows.len() > MAX_LINES { &drawn } else { "Flows" };
    for (heading, rows) in [(heading, flows), ("Media", media), ("Further links", links)] {
        if !rows.is_empty() {
            below = draw_list(sheet, heading, rows, edges, below);
        }
    }
    below
}

/// Draws a heading and rows of text with samples. Returns the lower edge.
fn draw_list(
    sheet: &mut Sheet,
    heading: &str,
    rows: Vec<(Option<Style>, String)>,
    (left, right): (f64, f64),
    top: f64,
) -> f64 {
    let heading = TextLabel { content: heading.into(), size: SIZE, weight: Weight::Bold, color: sheet.palette.text };
    heading.write(sheet, (left, top + 22.0), Anchor::Start);
    let mut baseline = top + 22.0;
    let indent = if rows.iter().any(|(style, _)| style.is_some()) { SAMPLE } else { 0.0 };
    let more = rows.len().saturating_sub(MAX_ROWS);
    for (style, text) in rows.into_iter().take(MAX_ROWS) {
        for (number, row) in wrap_text(&text, right - left - indent).into_iter().enumerate() {
            baseline += ROW;
            if let Some(style) = style.filter(|_| number == 0) {
                let mut path = Path::default();
                let y = to_tenths(baseline - 4.0);
                path.move_to(to_tenths(left), y).line_to(to_tenths(left + SAMPLE - 6.0), y);
                sheet.path("", String::new(), path, style);
            }
            make_label(sheet, row).write(sheet, (left + indent, baseline), Anchor::Start);
        }
    }
    if more > 0 {
        baseline += ROW;
        let text = TextLabel {
            color: sheet.palette.faint,
            ..make_label(sheet, format!("and {} more", group_digits(more as u64)))
        };
        text.write(sheet, (left + indent, baseline), Anchor::Start);
    }
    baseline + 8.0
}
