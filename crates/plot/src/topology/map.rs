//! The map of the nodes with positions in metres, with their motion and the ranges of access points.

use engine::Time;

use super::diagram::draw_arrow_head;
use super::graph::{PlacedNode, TopologyGraph};
use super::icon;
use super::labels::{OccupiedSpace, center_area};
use super::list::{KeyEntry, draw_keys};
use super::{GAP, NAME, SMALL, TextLabel, measure_distance};
use crate::frame::{PanelArea, Sheet};
use crate::ink::{Anchor, Path, PenStep, Style, to_tenths};
use crate::palette::Palette;
use crate::scale::{AxisScale, AxisTick, choose_ticks};
use crate::text::{self, Weight};

/// Minimum and maximum height of the map in pixels.
const HEIGHTS: (f64, f64) = (240.0, 480.0);
/// Space in pixels on the left of the map for the labels of its axis.
const AXIS: f64 = 54.0;
/// Space in pixels below the map.
const FOOT: f64 = 42.0;
/// Space in pixels around the map's contents.
const MARGIN: f64 = 34.0;
/// Straight parts of a circle.
const PARTS: i32 = 720;
/// A carrier sense range of at most this multiple of the range is shown whole.
const WHOLE: f64 = 1.5;
/// Extent in metres of a map whose nodes all have the same position.
const LEAST_EXTENT: f64 = 10.0;

/// A position in metres.
type Place = (f64, f64);

/// The map's scales; metres north (the second coordinate) point up.
struct TopologyMap {
    area: PanelArea,
    x: AxisScale,
    y: AxisScale,
}

fn locate_node(path: &path::place::NodePath, at: Time) -> Place {
    let [x, y] = path.at(at).map(|nanometres| nanometres as f64 / 1e9);
    (x, y)
}

/// Returns the corners of a node's way until the end of the run, or one position if the node stands still.
fn trace_motion(node: &PlacedNode, end: Time) -> Vec<Place> {
    let mut way = vec![locate_node(&node.path, Time::ZERO)];
    let mut at = Time::ZERO;
    while let Some(turn) = node.path.next_turn(at).filter(|turn| *turn < end) {
        way.push(locate_node(&node.path, turn));
        at = turn;
    }
    way.push(locate_node(&node.path, end));
    way.dedup();
    way
}

impl TopologyMap {
    /// Creates a map of `places` between `left` and `right`, with one scale for both axes.
    fn new(places: &[Place], (left, right): (f64, f64), top: f64) -> Self {
        let range = |pick: fn(&Place) -> f64| {
            let values = || places.iter().map(pick);
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
        };
        let ((west, east), (south, north)) = (range(|place| place.0), range(|place| place.1));
        let (wide, high) = (east - west, north - south);
        let (wide, high) = if wide.max(high) > 0.0 { (wide, high) } else { (LEAST_EXTENT, LEAST_EXTENT) };
        let inner = right - left - 2.0 * MARGIN;
        let height = (inner * high / wide.max(1e-9) + 2.0 * MARGIN).clamp(HEIGHTS.0, HEIGHTS.1);
        let scale = (inner / wide.max(1e-9)).min((height - 2.0 * MARGIN) / high.max(1e-9));
        let area = PanelArea { left, top, right, bottom: top + height };
        let axis = |middle: f64, pixels: f64| (middle - pixels / scale / 2.0, middle + pixels / scale / 2.0);
        let (x, y) = (axis((west + east) / 2.0, right - left), axis((south + north) / 2.0, height));
        TopologyMap {
            area,
            x: AxisScale { lo: x.0, hi: x.1, start: left, end: right },
            y: AxisScale { lo: y.0, hi: y.1, start: area.bottom, end: top },
        }
    }

    fn pixel(&self, (x, y): Place) -> (f64, f64) {
        (self.x.start + (x - self.x.lo) * self.x.per_unit(), self.y.start + (y - self.y.lo) * self.y.per_unit())
    }

    fn shows(&self, (x, y): (f64, f64)) -> bool {
        (self.area.left..=self.area.right).contains(&x) && (self.area.top..=self.area.bottom).contains(&y)
    }

    /// The point of a circle around `centre` at this part of its circumference.
    fn on_circle(&self, centre: Place, radius: f64, part: i32) -> (f64, f64) {
        let angle = f64::from(part) * std::f64::consts::TAU / f64::from(PARTS);
        self.pixel((centre.0 + radius * libm::cos(angle), centre.1 + radius * libm::sin(angle)))
    }

    /// The part of a circle around `centre` inside the map.
    fn circle(&self, centre: Place, radius: f64) -> Path {
        let mut path = Path::default();
        let mut drawing = false;
        for part in 0..=PARTS {
            let at = self.on_circle(centre, radius, part);
            match (self.shows(at), drawing) {
                (true, true) => drop(path.line_to(to_tenths(at.0), to_tenths(at.1))),
                (true, false) => drop(path.move_to(to_tenths(at.0), to_tenths(at.1))),
                _ => {}
            }
            drawing = self.shows(at);
        }
        path
    }

    /// Draws grid, frame and the labels of both axes.
    fn axes(&self, sheet: &mut Sheet) {
        let (palette, area) = (sheet.palette, &self.area);
        let vertical: Vec<AxisTick> = choose_ticks(self.x.lo, self.x.hi, (area.width() / 85.0) as usize);
        let horizontal: Vec<AxisTick> = choose_ticks(self.y.lo, self.y.hi, (area.height() / 42.0) as usize);
        let mut grid = Path::default();
        for tick in &vertical {
            let at = self.x.place(tick.value);
            grid.move_to(at, to_tenths(area.top)).line_to(at, to_tenths(area.bottom));
            self.label(sheet, tick, (f64::from(at) / 10.0, area.bottom + 16.0), Anchor::Middle);
        }
        for tick in &horizontal {
            let at = self.y.place(tick.value);
            grid.move_to(to_tenths(area.left), at).line_to(to_tenths(area.right), at);
            self.label(sheet, tick, (area.left - 7.0, f64::from(at) / 10.0 + 4.0), Anchor::End);
        }
        sheet.path("", String::new(), grid, Style::stroke(palette.grid, 1.0));
        let mut frame = Path::default();
        frame.rect(to_tenths(area.left), to_tenths(area.top), to_tenths(area.width()), to_tenths(area.height()));
        sheet.path("map", "positions in metres".into(), frame, Style::stroke(palette.frame, 1.0));
        let middle = (area.left + area.right) / 2.0;
        let name = |content: &str| TextLabel {
            content: content.into(),
            size: 12,
            weight: Weight::Regular,
            color: palette.faint,
        };
        name("x (m)").write(sheet, (middle, area.bottom + 34.0), Anchor::Middle);
        sheet.upright_text((area.left - 42.0, (area.top + area.bottom) / 2.0), 12, palette.faint, "y (m)".into());
    }

    fn label(&self, sheet: &mut Sheet, tick: &AxisTick, at: (f64, f64), anchor: Anchor) {
        let half = text::measure_width(&tick.label, SMALL, Weight::Regular) / 2.0;
        let at = (at.0.min(sheet.width - half - 4.0), at.1);
        let color = sheet.palette.text;
        let label = TextLabel { content: tick.label.clone(), size: SMALL, weight: Weight::Regular, color };
        label.write(sheet, at, anchor);
    }

    /// Draws a bar of a round length, about a sixth of the width, in the lower right corner.
    fn scale_bar(&self, sheet: &mut Sheet, taken: &mut OccupiedSpace) {
        let span = (self.x.hi - self.x.lo) / 6.0;
        let Some(tick) = choose_ticks(0.0, span, 1)
            .into_iter()
            .rfind(|tick| tick.value > 0.0)
            .or_else(|| choose_ticks(0.0, 2.0 * span, 2).into_iter().find(|tick| tick.value > 0.0))
        else {
            return;
        };
        let length = tick.value * self.x.per_unit();
        let (right, y) = (self.area.right - 16.0, self.area.bottom - 14.0);
        let text = TextLabel {
            content: format!("{} m", tick.label),
            size: SMALL,
            weight: Weight::Regular,
            color: sheet.palette.text,
        };
        let width = text.width().max(length) + 8.0;
        taken.add_area(PanelArea { left: right - width, top: y - 20.0, right: right + 8.0, bottom: y + 8.0 });
        let mut bar = Path::default();
        let (from, to, y10) = (to_tenths(right - length), to_tenths(right), to_tenths(y));
        bar.move_to(from, y10 - 40).line_to(from, y10 + 40);
        bar.move_to(from, y10).line_to(to, y10);
        bar.move_to(to, y10 - 40).line_to(to, y10 + 40);
        sheet.path("scale", format!("{} m", tick.label), bar, Style::stroke(sheet.palette.text, 1.4));
        text.write(sheet, (right - length / 2.0, y - 7.0), Anchor::Middle);
    }
}

/// The names of the two ranges.
const RANGES: [&str; 2] = ["range", "carrier sense range"];

/// The styles of the circles of the two ranges.
fn style_ranges(palette: &Palette) -> [Style; 2] {
    [Style::stroke(palette.acked, 1.2), Style::stroke(palette.faint, 1.0).with_dashes(2.0, 4.0)]
}

/// Draws the map, if nodes have positions. Returns its lower edge.
pub(super) fn draw_map(sheet: &mut Sheet, graph: &TopologyGraph, (left, right): (f64, f64), top: f64) -> f64 {
    if graph.placed.is_empty() {
        return top - GAP;
    }
    let ways: Vec<Vec<Place>> = graph.placed.iter().map(|node| trace_motion(node, graph.end)).collect();
    let mut shown: Vec<Place> = ways.concat();
    for (node, way) in graph.placed.iter().zip(&ways) {
        let around = |(x, y): Place, r: f64| [(x - r, y - r), (x + r, y + r)];
        let radius = |[received, sensed]: &[f64; 2]| if *sensed <= WHOLE * received { *sensed } else { *received };
        shown.extend(node.ranges.iter().flat_map(|ranges| around(way[0], radius(ranges))));
    }
    let edges = (left + AXIS, right);
    let top = draw_map_key(sheet, graph, &ways, &TopologyMap::new(&shown, edges, top), (left, right), top);
    let map = TopologyMap::new(&shown, edges, top + 10.0);
    map.axes(sheet);
    let styles = style_ranges(sheet.palette);
    let mut taken = OccupiedSpace::default();
    for (node, way) in graph.placed.iter().zip(&ways) {
        for (number, range) in node.ranges.iter().flat_map(|ranges| ranges.iter().enumerate()) {
            let title = format!("{}: {} {range} m", node.name, RANGES[number]);
            sheet.path("range", title, map.circle(way[0], *range), styles[number]);
            let points: Vec<(f64, f64)> =
                (0..=PARTS).step_by(12).map(|part| map.on_circle(way[0], *range, part)).collect();
            taken.add_line(&points);
        }
    }
    map.scale_bar(sheet, &mut taken);
    for (node, way) in graph.placed.iter().zip(&ways) {
        let points: Vec<(f64, f64)> = way.iter().map(|place| map.pixel(*place)).collect();
        taken.add_area(center_area(points[0], (22.0, 22.0)));
        taken.add_line(&points);
        draw_motion(sheet, node, &points);
    }
    write_names(sheet, graph, &map, &ways, &mut taken);
    map.area.bottom + FOOT
}

/// Draws the key of a map, with the ranges that it shows. Returns its lower edge.
fn draw_map_key(
    sheet: &mut Sheet,
    graph: &TopologyGraph,
    ways: &[Vec<Place>],
    map: &TopologyMap,
    edges: (f64, f64),
    top: f64,
) -> f64 {
    let palette = sheet.palette;
    let mut found = Vec::new();
    if ways.iter().any(|way| way.len() > 1) {
        found.push(KeyEntry::Line(Style::stroke(palette.sent, 1.8), "motion".into()));
        found.push(KeyEntry::Circle(Style::stroke(palette.sent, 1.6), "end of the run".into()));
    }
    for ((number, style), text) in style_ranges(palette).into_iter().enumerate().zip(RANGES) {
        let shows = |(node, way): (&PlacedNode, &Vec<Place>)| {
            node.ranges.iter().any(|ranges| !map.circle(way[0], ranges[number]).is_empty())
        };
        if graph.placed.iter().zip(ways).any(shows) {
            found.push(KeyEntry::Line(style, text.into()));
        }
    }
    if found.is_empty() { top } else { draw_keys(sheet, found, edges, top) }
}

/// Draws the way of a node, with an arrow head in the middle of each part and a circle at the end.
fn draw_motion(sheet: &mut Sheet, node: &PlacedNode, points: &[(f64, f64)]) {
    if let [.., end] = points[1..] {
        let (mut line, mut heads) = (Path::default(), Path::default());
        line.move_to(to_tenths(points[0].0), to_tenths(points[0].1));
        for pair in points.windows(2) {
            line.line_to(to_tenths(pair[1].0), to_tenths(pair[1].1));
            let middle = ((pair[0].0 + pair[1].0) / 2.0, (pair[0].1 + pair[1].1) / 2.0);
            if measure_distance(pair[0], pair[1]) > 24.0 {
                draw_arrow_head(&mut heads, pair[0], middle, 9.0);
            }
        }
        let mut circle = Path::default();
        circle.move_to(to_tenths(end.0), to_tenths(end.1)).extend(&[PenStep::Circle(50)]);
        let color = sheet.palette.sent;
        sheet.path("motion", format!("motion of {}", node.name), line, Style::stroke(color, 1.8).with_round_ends());
        sheet.path("", String::new(), heads, Style::fill(color));
        let hollow = Style { fill: Some(sheet.palette.background), ..Style::stroke(color, 1.6) };
        sheet.path("", String::new(), circle, hollow);
    }
    icon::draw_icon(sheet, node.kind, points[0], node.name.clone());
}

/// Writes the names of the nodes at their first positions, and the time at the ends of ways. Nodes at one position share
/// a text.
fn write_names(
    sheet: &mut Sheet,
    graph: &TopologyGraph,
    map: &TopologyMap,
    ways: &[Vec<Place>],
    taken: &mut OccupiedSpace,
) {
    let mut texts: Vec<((f64, f64), TextLabel)> = Vec::new();
    let palette = sheet.palette;
    let mut sites: Vec<((f64, f64), Vec<&str>)> = Vec::new();
    for (node, way) in graph.placed.iter().zip(ways) {
        let at = map.pixel(way[0]);
        match sites.iter_mut().find(|(site, _)| measure_distance(*site, at) < 6.0) {
            Some((_, names)) => names.push(&node.name),
            None => sites.push((at, vec![&node.name])),
        }
    }
    for (at, names) in sites {
        let content = match names[..] {
            [first, .., last] if names.len() > 3 => format!("{first} to {last} ({})", names.len()),
            _ => names.join(", "),
        };
        texts.push((at, TextLabel { content, size: NAME, weight: Weight::Bold, color: palette.text }));
    }
    for way in ways.iter().filter(|way| way.len() > 1) {
        let at = map.pixel(way[way.len() - 1]);
        taken.add_area(center_area(at, (12.0, 12.0)));
        let content = format!("{} s", graph.end);
        texts.push((at, TextLabel { content, size: SMALL, weight: Weight::Regular, color: palette.sent }));
    }
    for (at, text) in texts {
        let size = (text.width(), f64::from(text.size) + 3.0);
        let inside = |area: &PanelArea| map.shows((area.left, area.top)) && map.shows((area.right, area.bottom));
        let beside: Vec<PanelArea> = list_places_around(at, size).into_iter().filter(inside).collect();
        let Some(area) = taken.take_free_area(&beside, 0..0) else { continue };
        let middle = ((area.left + area.right) / 2.0, area.bottom - 4.0);
        text.write(sheet, middle, Anchor::Middle);
    }
}

/// The rectangles for a text next to a symbol: on the right, the left, above, below, and further away.
fn list_places_around((x, y): (f64, f64), (width, height): (f64, f64)) -> Vec<PanelArea> {
    let mut found = Vec::new();
    for ring in 0..6 {
        let away = 15.0 + f64::from(ring) * height;
        for (right, down) in
            [(1.0, 0.0), (-1.0, 0.0), (0.0, -1.0), (0.0, 1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 1.0)]
        {
            let at = (x + right * (away + width / 2.0), y + down * (away + height / 2.0));
            found.push(center_area(at, (width, height)));
        }
    }
    found
}
