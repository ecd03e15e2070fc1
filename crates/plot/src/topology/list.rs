//! The key of the diagram's symbols above it, and the lists of flows and media below it.

use super::diagram::MAX_LINES;
use super::graph::{Graph, Kind};
use super::icon::{self, ICON};
use super::{Label, flow_style, link_style};
use crate::frame::Sheet;
use crate::ink::{Anchor, Path, Style, tenths};
use crate::scale::grouped;
use crate::text::{self, Weight};

/// Font size in pixels, and the height of a row.
const SIZE: u32 = 12;
const ROW: f64 = 18.0;
/// Width in pixels of a sample of a line, with the space after it.
const SAMPLE: f64 = 32.0;
/// The most rows of a list.
const MAX_ROWS: usize = 24;

fn label(sheet: &Sheet, content: String) -> Label {
    Label { content, size: SIZE, weight: Weight::Regular, color: sheet.palette.text }
}

/// A sample of the key, with its meaning.
pub(super) enum Key {
    Icon(Kind),
    Line(Style, String),
    /// A circle of this style.
    Circle(Style, String),
}

/// Draws a row of samples with their meanings, or several rows. Returns the lower edge.
pub(super) fn keys(sheet: &mut Sheet, keys: Vec<Key>, (left, right): (f64, f64), top: f64) -> f64 {
    let (mut x, mut middle) = (left, top + ROW / 2.0);
    for key in keys {
        let (wide, text) = match &key {
            Key::Icon(kind) => (ICON + 6.0, kind.label().to_owned()),
            Key::Line(_, text) => (SAMPLE, text.clone()),
            Key::Circle(_, text) => (18.0, text.clone()),
        };
        let text = label(sheet, text);
        let width = wide + text.width();
        if x > left && x + width > right {
            (x, middle) = (left, middle + ROW + 6.0);
        }
        let mut path = Path::default();
        match key {
            Key::Icon(kind) => icon::draw(sheet, kind, (x + ICON / 2.0, middle), String::new()),
            Key::Line(style, _) => {
                path.move_to(tenths(x), tenths(middle)).line_to(tenths(x + SAMPLE - 6.0), tenths(middle));
                sheet.path("", String::new(), path, style);
            }
            Key::Circle(style, _) => {
                path.move_to(tenths(x + 6.0), tenths(middle)).extend(&[crate::ink::Step::Circle(50)]);
                sheet.path("", String::new(), path, style);
            }
        }
        text.write(sheet, (x + wide, middle + 4.2), Anchor::Start);
        x += width + 18.0;
    }
    middle + ROW / 2.0
}

/// Draws the key of the symbols that the diagram has. Returns its lower edge.
pub(super) fn key(sheet: &mut Sheet, graph: &Graph, edges: (f64, f64), top: f64) -> f64 {
    let kinds = Kind::ALL.into_iter().filter(|kind| graph.nodes.iter().any(|node| node.kind == *kind));
    let mut found: Vec<Key> = kinds.map(Key::Icon).collect();
    for (wireless, text) in [(false, "wired link"), (true, "wireless link")] {
        if graph.links.iter().any(|link| link.wireless == wireless) {
            found.push(Key::Line(link_style(sheet.palette, wireless), text.into()));
        }
    }
    keys(sheet, found, edges, top)
}

/// Breaks a text between words into rows of at most `width` pixels.
fn wrapped(text: &str, width: f64) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let longer = rows.last().map(|row| format!("{row} {word}"));
        let fits = |row: &String| text::width(row, SIZE, Weight::Regular) <= width;
        match (rows.last_mut(), longer.filter(fits)) {
            (Some(row), Some(longer)) => *row = longer,
            _ => rows.push(text::fit(word, SIZE, Weight::Regular, width)),
        }
    }
    rows
}

/// Draws the lists of flows, of media, and of the links without a label in the diagram. Returns the lower edge.
pub(super) fn draw(sheet: &mut Sheet, graph: &Graph, unlabelled: &[usize], edges: (f64, f64), top: f64) -> f64 {
    let flows = graph.flows.iter().enumerate().map(|(number, flow)| {
        let style = flow_style(sheet.palette, number).filter(|_| !flow.route.is_empty());
        (style, flow.text.clone())
    });
    let flows: Vec<_> = flows.collect();
    let media: Vec<_> = graph.media.iter().map(|text| (None, text.clone())).collect();
    let links = unlabelled.iter().map(|link| {
        let link = &graph.links[*link];
        let [a, b] = link.between.map(|node| graph.nodes[node].name.as_str());
        (
            Some(link_style(sheet.palette, link.wireless)),
            format!("{}: between {a} and {b}, {}", link.name, link.lines.join(", ")),
        )
    });
    let links: Vec<_> = links.collect();
    let mut below = top;
    let drawn = format!("Flows (the first {MAX_LINES} are drawn)");
    let heading = if flows.len() > MAX_LINES { &drawn } else { "Flows" };
    for (heading, rows) in [(heading, flows), ("Media", media), ("Further links", links)] {
        if !rows.is_empty() {
            below = section(sheet, heading, rows, edges, below);
        }
    }
    below
}

/// Draws a heading and rows of text with samples. Returns the lower edge.
fn section(
    sheet: &mut Sheet,
    heading: &str,
    rows: Vec<(Option<Style>, String)>,
    (left, right): (f64, f64),
    top: f64,
) -> f64 {
    let heading = Label { content: heading.into(), size: SIZE, weight: Weight::Bold, color: sheet.palette.text };
    heading.write(sheet, (left, top + 22.0), Anchor::Start);
    let mut baseline = top + 22.0;
    let indent = if rows.iter().any(|(style, _)| style.is_some()) { SAMPLE } else { 0.0 };
    let more = rows.len().saturating_sub(MAX_ROWS);
    for (style, text) in rows.into_iter().take(MAX_ROWS) {
        for (number, row) in wrapped(&text, right - left - indent).into_iter().enumerate() {
            baseline += ROW;
            if let Some(style) = style.filter(|_| number == 0) {
                let mut path = Path::default();
                let y = tenths(baseline - 4.0);
                path.move_to(tenths(left), y).line_to(tenths(left + SAMPLE - 6.0), y);
                sheet.path("", String::new(), path, style);
            }
            label(sheet, row).write(sheet, (left + indent, baseline), Anchor::Start);
        }
    }
    if more > 0 {
        baseline += ROW;
        let text = Label { color: sheet.palette.faint, ..label(sheet, format!("and {} more", grouped(more as u64))) };
        text.write(sheet, (left + indent, baseline), Anchor::Start);
    }
    baseline + 8.0
}
