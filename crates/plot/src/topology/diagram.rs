//! The diagram, with boxes in layers, links between them with their settings, and flows along the links.

use std::cmp::Ordering;

use super::graph::{TopologyGraph, TopologyNode};
use super::icon::{self, ICON};
use super::labels::{OccupiedSpace, center_area};
use super::layout::{self, TopologyLayout};
use super::{LINE, NAME, SMALL, TextLabel, measure_distance, style_flow, style_link};
use crate::frame::{PanelArea, Sheet};
use crate::ink::{Anchor, Path, PenStep, Style, to_tenths};
use crate::palette::Palette;
use crate::text::Weight;

/// Maximum number of flows that are drawn as lines.
pub(super) const MAX_LINES: usize = 6;
/// Space in pixels between the frame of a box and its contents.
const PADDING: f64 = 9.0;
/// Minimum space in pixels between layers.
const MIN_GAP: f64 = 90.0;
/// Minimum space in pixels around a label between layers.
const AROUND: f64 = 34.0;
/// Height in pixels above the diagram that labels may use.
const ABOVE: f64 = 12.0;
/// At a node with more links, a label is above or below its line only up to this slope: a fan of lines has other lines
/// there.
const FEW: usize = 3;
const MAX_SLOPE: f64 = 0.2;
/// Distance in pixels between a link and the first flow along it, and between flows.
const FLOW: f64 = 3.0;
/// Size of an arrow head in pixels.
const HEAD: f64 = 6.0;

/// The diagram of a network with the positions of its boxes.
pub(super) struct Diagram {
    layout: TopologyLayout,
}

/// The course of a link.
struct LinkLine {
    points: Vec<(f64, f64)>,
    /// The box at the line's first point.
    start: usize,
}

/// The texts in a box, from top to bottom.
fn list_box_texts(node: &TopologyNode, palette: &Palette) -> Vec<TextLabel> {
    let name = TextLabel { content: node.name.clone(), size: NAME, weight: Weight::Bold, color: palette.text };
    let small =
        |content: &String, color| TextLabel { content: content.clone(), size: SMALL, weight: Weight::Regular, color };
    let scheme = node.scheme.iter().map(|scheme| small(scheme, palette.notice));
    let lines = node.lines.iter().map(|line| small(line, palette.faint));
    std::iter::once(name).chain(scheme).chain(lines).collect()
}

/// The texts of a link, from top to bottom.
fn list_link_texts(graph: &TopologyGraph, link: usize, palette: &Palette) -> Vec<TextLabel> {
    let link = &graph.links[link];
    let label =
        |content: &String, color| TextLabel { content: content.clone(), size: SMALL, weight: Weight::Regular, color };
    let lines = link.lines.iter().map(|line| label(line, palette.faint));
    std::iter::once(label(&link.name, palette.text)).chain(lines).collect()
}

/// Width and height of lines of text.
fn measure_texts(texts: &[TextLabel]) -> (f64, f64) {
    let width = texts.iter().map(|text| text.width()).fold(0.0, f64::max);
    (width, texts.len() as f64 * LINE)
}

impl Diagram {
    /// Places the boxes. They fill `width` pixels if they do not need more.
    pub fn new(graph: &TopologyGraph, width: f64) -> Self {
        // Colours do not change the widths.
        let palette = Palette::of(crate::palette::Theme::Light);
        let sizes: Vec<(f64, f64)> = graph
            .nodes
            .iter()
            .map(|node| {
                let (width, height) = measure_texts(&list_box_texts(node, palette));
                (width + ICON + 3.0 * PADDING, height.max(ICON) + 2.0 * PADDING)
            })
            .collect();
        let labels: Vec<(f64, f64)> =
            (0..graph.links.len()).map(|link| measure_texts(&list_link_texts(graph, link, palette))).collect();
        let highest = labels.iter().map(|(_, height)| *height).fold(0.0, f64::max);
        let gap = |layers: &[usize], layer: usize| {
            let begins = |link: &super::graph::TopologyLink| link.between.map(|node| layers[node]).into_iter().min();
            let here = graph.links.iter().zip(&labels).filter(|(link, _)| begins(link) == Some(layer));
            let widest = here.map(|(_, (width, _))| *width).fold(0.0, f64::max);
            let last = layers.iter().max() == Some(&layer);
            match (widest > 0.0, last) {
                (true, _) => (widest + 2.0 * AROUND).max(MIN_GAP),
                (false, true) => 0.0,
                (false, false) => MIN_GAP,
            }
        };
        Diagram { layout: layout::place_boxes(graph, &sizes, gap, (width, 2.0 * (highest + 8.0))) }
    }

    /// The width in pixels.
    pub fn width(&self) -> f64 {
        self.layout.size.0
    }

    /// Draws the diagram centred between `left` and `right`. Returns its lower edge, and the links without space for a
    /// label.
    pub fn draw(
        &self,
        sheet: &mut Sheet,
        graph: &TopologyGraph,
        (left, right): (f64, f64),
        top: f64,
    ) -> (f64, Vec<usize>) {
        let dx = left + ((right - left - self.layout.size.0) / 2.0).max(0.0);
        let boxes: Vec<PanelArea> = self.layout.boxes.iter().map(|area| move_area(area, (dx, top))).collect();
        let lines: Vec<LinkLine> = (0..graph.links.len()).map(|link| self.line(graph, &boxes, link)).collect();
        let mut taken = OccupiedSpace::default();
        boxes.iter().for_each(|area| taken.add_area(*area));
        // Labels are between the margins and not above the diagram.
        let far = PanelArea { left: -1e9, top: -1e9, right: 1e9, bottom: 1e9 };
        taken.add_area(PanelArea { bottom: top - ABOVE, ..far });
        taken.add_area(PanelArea { right: left, ..far });
        taken.add_area(PanelArea { left: right, ..far });
        let mut parts = Vec::new();
        for (number, (link, line)) in graph.links.iter().zip(&lines).enumerate() {
            let path = trace_polyline(&line.points);
            let title = std::iter::once(&link.name).chain(&link.lines).cloned().collect::<Vec<_>>().join(", ");
            sheet.path("link", title, path, style_link(sheet.palette, link.wireless));
            let own = taken.add_line(&line.points);
            let lowest = offset_line(&line.points, FLOW * count_flows_over(graph, number) as f64);
            parts.push(own.start..taken.add_line(&lowest).end);
        }
        draw_flows(sheet, graph, &lines);
        for (node, area) in graph.nodes.iter().zip(&boxes) {
            draw_box(sheet, node, area);
        }
        let mut below = top + self.layout.size.1;
        let mut unlabelled = Vec::new();
        for (link, (line, own)) in lines.iter().zip(parts).enumerate() {
            let texts = list_link_texts(graph, link, sheet.palette);
            let places = list_label_places(graph, link, line, measure_texts(&texts));
            match taken.take_free_area(&places, own) {
                Some(area) => {
                    below = below.max(area.bottom + 6.0);
                    write_texts(sheet, texts, &area);
                }
                None => unlabelled.push(link),
            }
        }
        (below, unlabelled)
    }

    /// The line of a link: straight between layers, around the right within a layer. Parallel links are apart.
    fn line(&self, graph: &TopologyGraph, boxes: &[PanelArea], link: usize) -> LinkLine {
        let [a, b] = graph.links[link].between;
        let same = |other: &super::graph::TopologyLink| other.between == [a, b] || other.between == [b, a];
        let parallel: Vec<usize> = (0..graph.links.len()).filter(|other| same(&graph.links[*other])).collect();
        let place = parallel.iter().position(|other| *other == link).unwrap_or(0) as f64;
        let apart = place - (parallel.len() as f64 - 1.0) / 2.0;
        let middle = |node: usize| (boxes[node].top + boxes[node].bottom) / 2.0;
        let [from, to] = if self.layout.layers[a] <= self.layout.layers[b] { [a, b] } else { [b, a] };
        if self.layout.layers[a] == self.layout.layers[b] {
            let [upper, lower] = if middle(a) <= middle(b) { [a, b] } else { [b, a] };
            let edge = boxes[a].right.max(boxes[b].right);
            let (top, bottom) = (middle(upper), middle(lower));
            // Half an ellipse on the right of the layer.
            let bulge = (18.0 + 0.06 * (bottom - top) + 8.0 * place).min(AROUND + 12.0);
            let point = |part: i32| {
                let angle = f64::from(part) * std::f64::consts::PI / 12.0;
                (edge + bulge * libm::sin(angle), (top + bottom) / 2.0 - (bottom - top) / 2.0 * libm::cos(angle))
            };
            return LinkLine { points: (0..=12).map(point).collect(), start: upper };
        }
        let (start, end) = ((boxes[from].right, middle(from)), (boxes[to].left, middle(to)));
        if parallel.len() == 1 {
            return LinkLine { points: vec![start, end], start: from };
        }
        // Parallel links leave at one point, and run apart from each other.
        let off = apart * 3.5 * LINE;
        let at = |share: f64| (start.0 + share * (end.0 - start.0), start.1 + share * (end.1 - start.1) + off);
        LinkLine { points: vec![start, at(0.14), at(0.86), end], start: from }
    }
}

fn move_area(area: &PanelArea, (dx, dy): (f64, f64)) -> PanelArea {
    PanelArea { left: area.left + dx, top: area.top + dy, right: area.right + dx, bottom: area.bottom + dy }
}

fn trace_polyline(points: &[(f64, f64)]) -> Path {
    let mut path = Path::default();
    for (number, (x, y)) in points.iter().enumerate() {
        match number {
            0 => path.move_to(to_tenths(*x), to_tenths(*y)),
            _ => path.line_to(to_tenths(*x), to_tenths(*y)),
        };
    }
    path
}

/// Lists rectangles for a label of a link. They are above and below a flat line, or on a steep line. Those near the
/// middle are listed first; on a steep line those near the end with fewer links, where lines are further apart.
fn list_label_places(
    graph: &TopologyGraph,
    link: usize,
    line: &LinkLine,
    (width, height): (f64, f64),
) -> Vec<PanelArea> {
    let [a, b] = graph.links[link].between;
    let end = if line.start == a { b } else { a };
    let degree = |node: usize| graph.links.iter().filter(|link| link.between.contains(&node)).count();
    let few = degree(a).max(degree(b)) <= FEW;
    let busier = degree(line.start).cmp(&degree(end));
    let flows = count_flows_over(graph, link);
    let line = &line.points[..];
    // The longest part of the line.
    let length = |pair: &[(f64, f64)]| measure_distance(pair[0], pair[1]);
    let Some(longest) = line.windows(2).max_by(|a, b| length(a).total_cmp(&length(b))) else { return Vec::new() };
    if line.len() > 4 {
        // The label is on the right of the bulge of a link within a layer.
        let (x, y) = line[line.len() / 2];
        return [0.0, -1.0, 1.0]
            .map(|up| center_area((x + 8.0 + width / 2.0, y + up * height), (width, height)))
            .to_vec();
    }
    let ((x, y), (dx, dy)) = (longest[0], (longest[1].0 - longest[0].0, longest[1].1 - longest[0].1));
    let slope = if dx == 0.0 { f64::INFINITY } else { (dy / dx).abs() };
    let rise = slope * width / 2.0;
    let mut found = Vec::new();
    for beside in [true, false] {
        for share in [0.5, 0.58, 0.42, 0.66, 0.34, 0.74, 0.26, 0.82, 0.18] {
            let share = match (beside, busier) {
                (true, _) | (false, Ordering::Equal) => share,
                (false, Ordering::Less) => (share - 0.15_f64).max(0.1),
                (false, Ordering::Greater) => (share + 0.15_f64).min(0.9),
            };
            let at = (x + share * dx, y + share * dy);
            let off = rise + height / 2.0 + 4.0;
            match beside {
                true if rise <= 12.0 && (few || slope <= MAX_SLOPE) => {
                    found.push(center_area((at.0, at.1 - off), (width, height)));
                    found.push(center_area((at.0, at.1 + off + FLOW * flows as f64), (width, height)));
                }
                true => {}
                false => found.push(center_area(at, (width, height))),
            }
        }
    }
    found
}

/// Writes lines of text, centred in their rectangle, on the background.
fn write_texts(sheet: &mut Sheet, texts: Vec<TextLabel>, area: &PanelArea) {
    let mut ground = Path::default();
    ground.rect(
        to_tenths(area.left - 2.0),
        to_tenths(area.top),
        to_tenths(area.width() + 4.0),
        to_tenths(area.height()),
    );
    sheet.path("", String::new(), ground, Style::fill(sheet.palette.background));
    for (row, text) in texts.into_iter().enumerate() {
        let at = ((area.left + area.right) / 2.0, area.top + LINE * row as f64 + 11.0);
        text.write(sheet, at, Anchor::Middle);
    }
}

fn draw_box(sheet: &mut Sheet, node: &TopologyNode, area: &PanelArea) {
    let mut frame = Path::default();
    frame.rect(to_tenths(area.left), to_tenths(area.top), to_tenths(area.width()), to_tenths(area.height()));
    if node.count > 1 {
        // Several hosts: a second sheet behind the first.
        let mut behind = Path::default();
        behind.rect(
            to_tenths(area.left + 4.0),
            to_tenths(area.top + 4.0),
            to_tenths(area.width()),
            to_tenths(area.height()),
        );
        let style = Style { fill: Some(sheet.palette.grid), ..Style::stroke(sheet.palette.frame, 1.0) };
        sheet.path("", String::new(), behind, style);
    }
    let style = Style { fill: Some(sheet.palette.background), ..Style::stroke(sheet.palette.frame, 1.0) };
    sheet.path("box", format!("{} {}", node.kind.label(), node.name), frame, style);
    let middle = (area.top + area.bottom) / 2.0;
    icon::draw_icon(sheet, node.kind, (area.left + PADDING + ICON / 2.0, middle), node.kind.label().into());
    let texts = list_box_texts(node, sheet.palette);
    let top = middle - texts.len() as f64 * LINE / 2.0;
    for (row, text) in texts.into_iter().enumerate() {
        let at = (area.left + 2.0 * PADDING + ICON, top + LINE * row as f64 + 12.0);
        text.write(sheet, at, Anchor::Start);
    }
}

/// Draws the first flows along the links of their routes, with an arrow head before each box.
fn draw_flows(sheet: &mut Sheet, graph: &TopologyGraph, lines: &[LinkLine]) {
    let mut used = vec![0_u32; graph.links.len()];
    for (number, flow) in graph.flows.iter().enumerate() {
        let Some(style) = style_flow(sheet.palette, number) else { break };
        let (mut path, mut heads) = (Path::default(), Path::default());
        for (link, backward) in &flow.route {
            used[*link] += 1;
            let off = FLOW * f64::from(used[*link]);
            let mut points = offset_line(&lines[*link].points, off);
            if graph.links[*link].between[usize::from(*backward)] != lines[*link].start {
                points.reverse();
            }
            path.extend(&trace_polyline(&points).steps);
            if let [.., before, end] = points[..] {
                draw_arrow_head(&mut heads, before, end, HEAD);
            }
        }
        let head = Style::fill(style.stroke.unwrap_or(sheet.palette.text));
        sheet.path("flow", flow.text.clone(), path, style);
        sheet.path("", String::new(), heads, head);
    }
}

/// The number of flows that are drawn along a link.
fn count_flows_over(graph: &TopologyGraph, link: usize) -> usize {
    let drawn = graph.flows.iter().take(MAX_LINES);
    drawn.filter(|flow| flow.route.iter().any(|(crossed, _)| *crossed == link)).count()
}

/// Returns the line parallel to another line, at this distance below it, or on the left of a vertical line.
fn offset_line(points: &[(f64, f64)], off: f64) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let (dx, dy) = (last.0 - first.0, last.1 - first.1);
    let length = measure_distance(*first, *last).max(1.0);
    points.iter().map(|(x, y)| (x - off * dy / length, y + off * dx / length)).collect()
}

/// Draws an arrow head with its tip at `end`, in the direction from `before`.
pub(super) fn draw_arrow_head(path: &mut Path, before: (f64, f64), end: (f64, f64), size: f64) {
    let (dx, dy) = (end.0 - before.0, end.1 - before.1);
    let length = measure_distance(before, end);
    if length == 0.0 {
        return;
    }
    let (dx, dy) = (dx / length, dy / length);
    let corner = |side: f64| {
        (to_tenths(end.0 - size * dx - side * 0.4 * size * dy), to_tenths(end.1 - size * dy + side * 0.4 * size * dx))
    };
    let ((ax, ay), (bx, by)) = (corner(1.0), corner(-1.0));
    path.move_to(to_tenths(end.0), to_tenths(end.1)).line_to(ax, ay).line_to(bx, by);
    path.steps.push(PenStep::Close);
}
