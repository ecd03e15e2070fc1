//! Positions of boxes in layers from left to right: by their distance in links from the first flow's sender.
//!
//! Layers result from a breadth-first search, so that a link joins boxes of one layer or of two that follow each other.
//! A host with one link that sends to hosts beyond its neighbour stands on the neighbour's left: senders left, receivers
//! right, as in the usual drawings of a dumbbell and of a parking lot. Within a layer, boxes are sorted by the mean
//! position of their neighbours (Sugiyama1981), which leaves few crossings.

use std::collections::VecDeque;

use super::graph::TopologyGraph;
use crate::frame::PanelArea;

/// The number of times that layers are sorted, from left to right and back.
const SWEEPS: usize = 6;
/// Minimum distance in pixels between boxes of a layer.
const BETWEEN: f64 = 32.0;

/// The layer of each box.
pub(super) fn assign_layers(graph: &TopologyGraph) -> Vec<usize> {
    let mut layer = vec![None; graph.nodes.len()];
    let first = graph.flows.first().map(|flow| flow.ends[0]);
    for start in first.into_iter().chain(0..graph.nodes.len()) {
        if layer[start].is_some() {
            continue;
        }
        layer[start] = Some(1);
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            for other in list_neighbours(graph, at) {
                if layer[other].is_none() {
                    layer[other] = layer[at].map(|layer| layer + 1);
                    queue.push_back(other);
                }
            }
        }
    }
    let found: Vec<usize> = layer.into_iter().map(Option::unwrap_or_default).collect();
    let mut moved = found.clone();
    for (node, layer) in moved.iter_mut().enumerate() {
        let mut sent = graph.flows.iter().filter(|flow| flow.ends[0] == node).peekable();
        let receives = graph.flows.iter().any(|flow| flow.ends[1] == node);
        let links: Vec<usize> = list_neighbours(graph, node).collect();
        if let ([neighbour], true, false) = (&links[..], sent.peek().is_some(), receives)
            && !graph.nodes[node].forwards
            && graph.nodes[*neighbour].forwards
            && sent.all(|flow| found[flow.ends[1]] > found[*neighbour])
        {
            *layer = found[*neighbour] - 1;
        }
    }
    let least = moved.iter().copied().min().unwrap_or(0);
    moved.into_iter().map(|layer| layer - least).collect()
}

fn list_neighbours(graph: &TopologyGraph, node: usize) -> impl Iterator<Item = usize> {
    graph.links.iter().filter_map(move |link| match link.between {
        [a, b] if a == node => Some(b),
        [a, b] if b == node => Some(a),
        _ => None,
    })
}

/// The boxes of each layer from top to bottom.
fn order_columns(graph: &TopologyGraph, layers: &[usize]) -> Vec<Vec<usize>> {
    let mut columns = vec![Vec::new(); layers.iter().max().map_or(0, |last| last + 1)];
    layers.iter().enumerate().for_each(|(node, layer)| columns[*layer].push(node));
    for sweep in 0..SWEEPS {
        let order: Vec<usize> = match sweep % 2 {
            0 => (1..columns.len()).collect(),
            _ => (0..columns.len().saturating_sub(1)).rev().collect(),
        };
        for column in order {
            let beside = if sweep % 2 == 0 { column - 1 } else { column + 1 };
            let rank = |node: usize| {
                let place = columns[beside].iter().position(|other| *other == node)?;
                Some((place as f64 + 0.5) / columns[beside].len() as f64)
            };
            let mean = |(place, node): (usize, &usize)| {
                let ranks: Vec<f64> = list_neighbours(graph, *node).filter_map(rank).collect();
                if ranks.is_empty() {
                    (place as f64 + 0.5) / columns[column].len() as f64
                } else {
                    ranks.iter().sum::<f64>() / ranks.len() as f64
                }
            };
            let mut sorted: Vec<(f64, usize)> =
                columns[column].iter().enumerate().map(|(place, node)| (mean((place, node)), *node)).collect();
            sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
            columns[column] = sorted.into_iter().map(|(_, node)| node).collect();
        }
    }
    columns
}

/// The rectangles of all boxes, whose upper left corner is (0, 0), and the width and height of all.
pub(super) struct TopologyLayout {
    pub boxes: Vec<PanelArea>,
    pub layers: Vec<usize>,
    pub size: (f64, f64),
}

/// Places boxes of these sizes. `gap` gives the width needed by labels between a layer and the next one, or on the
/// right of the last; `width` and `least` are the width to fill and the minimum height.
pub(super) fn place_boxes(
    graph: &TopologyGraph,
    sizes: &[(f64, f64)],
    gap: impl Fn(&[usize], usize) -> f64,
    (width, least): (f64, f64),
) -> TopologyLayout {
    let layers = assign_layers(graph);
    let columns = order_columns(graph, &layers);
    let widths: Vec<f64> =
        columns.iter().map(|column| column.iter().map(|node| sizes[*node].0).fold(0.0, f64::max)).collect();
    let mut gaps: Vec<f64> = (0..columns.len()).map(|column| gap(&layers, column)).collect();
    let used = widths.iter().sum::<f64>() + gaps.iter().sum::<f64>();
    let inner = columns.len().saturating_sub(1);
    if inner > 0 {
        // Wider gaps make links flatter, but very long lines are hard to follow.
        let more = ((width - used) / inner as f64).clamp(0.0, 160.0);
        gaps.iter_mut().take(inner).for_each(|gap| *gap += more);
    }
    let heights = columns.iter().map(|column| column.iter().map(|node| sizes[*node].1 + BETWEEN).sum::<f64>());
    let height = heights.fold(least, f64::max);
    let mut boxes = vec![PanelArea { left: 0.0, top: 0.0, right: 0.0, bottom: 0.0 }; graph.nodes.len()];
    let mut left = 0.0;
    for ((column, width), gap) in columns.iter().zip(&widths).zip(&gaps) {
        let own: f64 = column.iter().map(|node| sizes[*node].1).sum();
        let between = (height - own) / column.len().max(1) as f64;
        let mut top = between / 2.0;
        for node in column {
            let size = sizes[*node].1;
            boxes[*node] = PanelArea { left, top, right: left + width, bottom: top + size };
            top += size + between;
        }
        left += width + gap;
    }
    TopologyLayout { boxes, layers, size: (left, height) }
}

#[cfg(test)]
mod tests {
    use engine::Time;

    use super::*;
    use crate::topology::graph::{NodeSymbol, TopologyFlow, TopologyLink, TopologyNode};
    use crate::topology::labels::has_overlap;

    /// Returns a graph in which boxes whose names begin with "r" are routers, and the others hosts.
    fn graph(names: &[&str], links: &[[&str; 2]], flows: &[[&str; 2]]) -> TopologyGraph {
        let number = |name: &str| names.iter().position(|known| *known == name).unwrap();
        let node = |name: &&str| TopologyNode {
            kind: NodeSymbol::Host,
            name: (*name).into(),
            scheme: None,
            count: 1,
            lines: Vec::new(),
            forwards: name.starts_with('r'),
        };
        let link = |ends: &[&str; 2]| TopologyLink {
            between: ends.map(number),
            wireless: false,
            name: ends.join("-"),
            lines: Vec::new(),
        };
        TopologyGraph {
            nodes: names.iter().map(node).collect(),
            links: links.iter().map(link).collect(),
            flows: flows
                .iter()
                .map(|ends| TopologyFlow { ends: ends.map(number), route: Vec::new(), text: String::new() })
                .collect(),
            media: Vec::new(),
            placed: Vec::new(),
            end: Time::ZERO,
        }
    }

    fn dumbbell() -> TopologyGraph {
        graph(
            &["s1", "s2", "s3", "r1", "r2", "d1", "d2", "d3"],
            &[["s1", "r1"], ["s2", "r1"], ["s3", "r1"], ["r1", "r2"], ["r2", "d1"], ["r2", "d2"], ["r2", "d3"]],
            &[["s1", "d3"], ["s2", "d2"], ["s3", "d1"]],
        )
    }

    fn placed(graph: &TopologyGraph) -> TopologyLayout {
        let sizes: Vec<(f64, f64)> = (0..graph.nodes.len()).map(|node| (50.0 + 7.0 * node as f64, 40.0)).collect();
        place_boxes(graph, &sizes, |_, _| 90.0, (900.0, 0.0))
    }

    #[test]
    fn senders_of_a_dumbbell_are_left_and_receivers_right() {
        assert_eq!(assign_layers(&dumbbell()), [0, 0, 0, 1, 2, 3, 3, 3]);
    }

    #[test]
    fn cross_traffic_of_a_parking_lot_enters_from_the_left() {
        let graph = graph(
            &["a", "r1", "r2", "r3", "z", "b", "y"],
            &[["a", "r1"], ["r1", "r2"], ["r2", "r3"], ["r3", "z"], ["b", "r2"], ["y", "r3"]],
            &[["a", "z"], ["b", "y"], ["z", "a"]],
        );
        assert_eq!(assign_layers(&graph), [0, 1, 2, 3, 4, 1, 4]);
    }

    #[test]
    fn boxes_of_every_network_do_not_overlap() {
        let ring = ["r0", "r1", "r2", "r3", "r4"];
        let around: Vec<[&str; 2]> = (0..5).map(|i| [ring[i], ring[(i + 1) % 5]]).collect();
        let alone = graph(&["a", "b", "c"], &[], &[]);
        for graph in [dumbbell(), graph(&ring, &around, &[]), alone, graph(&[], &[], &[])] {
            let layout = placed(&graph);
            for (number, one) in layout.boxes.iter().enumerate() {
                assert!(one.left >= 0.0 && one.right <= layout.size.0 && one.bottom <= layout.size.1, "{one:?}");
                assert!(layout.boxes[..number].iter().all(|other| !has_overlap(one, other)), "{number}");
            }
            let steps = graph.links.iter().map(|link| link.between.map(|node| layout.layers[node]));
            assert!(steps.into_iter().all(|[a, b]| a.abs_diff(b) <= 1), "links skip no layer");
            assert_eq!(placed(&graph).boxes, layout.boxes, "the same network gives the same layout");
        }
    }

    #[test]
    fn boxes_are_ordered_so_that_links_do_not_cross() {
        let graph =
            graph(&["s", "r1", "r2", "x", "y"], &[["s", "r1"], ["s", "r2"], ["r2", "x"], ["r1", "y"]], &[["s", "x"]]);
        let boxes = placed(&graph).boxes;
        assert_eq!(boxes[1].top < boxes[2].top, boxes[4].top < boxes[3].top);
    }
}
