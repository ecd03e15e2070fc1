//! The picture of a network, with nodes and links, the flows over them, and a map of the nodes that have positions.

mod diagram;
mod graph;
mod icon;
mod labels;
mod layout;
mod list;
mod map;

use sim::Network;

use self::graph::TopologyGraph;
pub use self::graph::{NodeSymbol, classify_node, find_node_ranges, find_node_scheme};
use crate::frame::Sheet;
use crate::ink::{Anchor, Picture, PictureShape, Style, Text, to_tenths};
use crate::layout::{DOT, RIGHT, draw_header};
use crate::options::{MIN_SIZE, PictureOptions};
use crate::palette::Palette;
use crate::text::{self, Weight};

/// The left margin in pixels.
const LEFT: f64 = 24.0;
/// Distance in pixels between the parts of the picture.
const GAP: f64 = 18.0;
/// The largest width and height in pixels.
const MAX_SIDE: f64 = 20_000.0;

/// Draws the nodes, links, media and flows of a network, and a map if nodes have positions. The picture is wider than
/// `options` if the network needs more space, and as high as needed. Networks with more than 10 nodes have identical hosts in one
/// box.
pub fn draw_network(network: &Network, options: &PictureOptions) -> Picture {
    let graph = TopologyGraph::of(network);
    let palette = Palette::of(options.theme);
    let width = f64::from(options.width.max(MIN_SIZE.0));
    let diagram = diagram::Diagram::new(&graph, width - LEFT - RIGHT);
    let width = width.max(diagram.width() + LEFT + RIGHT).min(MAX_SIDE).ceil();
    let mut sheet = Sheet { palette, width, shapes: Vec::new() };
    let title = options.title.clone().unwrap_or_else(|| "Topology".into());
    let parts: Vec<String> = options.ran.iter().cloned().chain(summarize_network(network)).collect();
    let (left, right) = (LEFT, sheet.width - RIGHT);
    let head = draw_header(&mut sheet, left, &title, &parts) + 4.0;
    let below = list::draw_diagram_key(&mut sheet, &graph, (left, right), head);
    let (below, unlabelled) = diagram.draw(&mut sheet, &graph, (left, right), below + GAP);
    let below = map::draw_map(&mut sheet, &graph, (left, right), below + GAP);
    let below = list::draw_lists(&mut sheet, &graph, &unlabelled, (left, right), below);
    let height = (below + GAP).min(MAX_SIDE);
    Picture {
        width: sheet.width as u32,
        height: height as u32,
        background: palette.background,
        title,
        about: parts.join(DOT),
        shapes: sheet.shapes,
    }
}

/// The numbers of nodes, links, media and flows in words.
fn summarize_network(network: &Network) -> Vec<String> {
    let counts = [
        (network.nodes.len(), "node", "nodes"),
        (network.links.len(), "link", "links"),
        (network.media.len(), "medium", "media"),
        (network.flows.len(), "flow", "flows"),
    ];
    let some = counts.into_iter().filter(|(count, ..)| *count > 0);
    some.map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many })).collect()
}

/// Font size in pixels of names.
const NAME: u32 = 13;
/// Font size in pixels of settings.
const SMALL: u32 = 11;
/// Height in pixels of a line of text.
const LINE: f64 = 15.0;

/// A line of text with its font and colour.
#[derive(Clone, PartialEq, Debug)]
struct TextLabel {
    content: String,
    size: u32,
    weight: Weight,
    color: crate::ink::Color,
}

impl TextLabel {
    fn width(&self) -> f64 {
        text::measure_width(&self.content, self.size, self.weight)
    }

    /// Writes the text with its left end, or its middle, at `at` on the baseline, in the width of the embedded font.
    fn write(self, sheet: &mut Sheet, at: (f64, f64), anchor: Anchor) {
        let width = Some(to_tenths(self.width()));
        let TextLabel { content, size, weight, color } = self;
        let (x, y) = (to_tenths(at.0), to_tenths(at.1));
        sheet.shapes.push(PictureShape::Text(Text {
            x,
            y,
            anchor,
            size,
            weight,
            color,
            upright: false,
            width,
            content,
        }));
    }
}

/// The distance between two points.
fn measure_distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    ((b.0 - a.0) * (b.0 - a.0) + (b.1 - a.1) * (b.1 - a.1)).sqrt()
}

/// The style of a link.
fn style_link(palette: &Palette, wireless: bool) -> Style {
    if wireless { Style::stroke(palette.acked, 1.6).with_dashes(5.0, 4.0) } else { Style::stroke(palette.frame, 1.6) }
}

/// Returns the style of the flow with this number; `None` for flows that are only listed.
fn style_flow(palette: &Palette, number: usize) -> Option<Style> {
    let colors = &palette.flows[..diagram::MAX_LINES];
    colors.get(number).map(|color| Style::stroke(*color, 1.6).with_round_ends())
}
