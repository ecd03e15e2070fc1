//! Positions of nodes on a map.

use engine::Time;
use serde::Serialize;
use sim::Network;

use crate::columns::{Column, Columns};

/// Maximum number of corners of a node's path: a recorded path may have millions.
const MAX_CORNERS: usize = 5_000;

/// The ranges of a medium around a node, in metres.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "JourneyRanges"))]
pub struct JourneyRanges {
    node: usize,
    /// Within which a frame is received.
    received: f64,
    /// Within which a frame is sensed.
    sensed: f64,
}

/// The map in the head of a figure: of the nodes that have positions.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "JourneyMap"))]
pub struct JourneyMap {
    /// Numbers of the nodes that have positions.
    nodes: Vec<usize>,
    /// Whether any of these nodes moves.
    moves: bool,
    /// Rows of node, time in seconds, x and y in metres, by node and time. Nodes move along straight lines between
    /// them, and stand still after the last row.
    corners: Column,
    ranges: Vec<JourneyRanges>,
}

/// The map of a network until `end`; `None` if no node has a position.
pub(crate) fn build_node_map(network: &Network, end: Time, columns: &mut Columns) -> Option<JourneyMap> {
    let mut rows: Vec<[f64; 4]> = Vec::new();
    let (mut nodes, mut moves) = (Vec::new(), false);
    for (number, node) in network.nodes.iter().enumerate() {
        let Some(path) = &node.place else { continue };
        nodes.push(number);
        moves |= path.moves();
        let row = |at: Time| {
            let [x, y] = path.at(at).map(|nanometres| nanometres as f64 / 1e9);
            [number as f64, at.as_secs_f64(), x, y]
        };
        let mut turns = vec![Time::ZERO];
        if path.moves() {
            turns.extend(
                std::iter::successors(path.next_turn(Time::ZERO), |at| path.next_turn(*at)).take_while(|at| *at < end),
            );
            turns.push(end);
        }
        let stride = turns.len().div_ceil(MAX_CORNERS).max(1);
        let last = turns.len() - 1;
        rows.extend(
            turns.into_iter().enumerate().filter(|(at, _)| at % stride == 0 || *at == last).map(|(_, at)| row(at)),
        );
    }
    if nodes.is_empty() {
        return None;
    }
    let ranges = plot::find_node_ranges(network).into_iter().enumerate();
    let ranges = ranges.flat_map(|(node, ranges)| {
        ranges.into_iter().map(move |[received, sensed]| JourneyRanges { node, received, sensed })
    });
    Some(JourneyMap { nodes, moves, corners: columns.add(rows), ranges: ranges.collect() })
}
