//! Buffers and durations beside the bandwidth-delay product.
//!
//! ```text
//! B = R t    R: the rate of the slowest link on the way of a flow's data; t: a full segment's way there and an
//!            acknowledgment's way back, propagation, sending and processing, without waiting
//! ```
//!
//! Sources: a buffer of B keeps the link busy while one Reno flow recovers from a halving, B / sqrt(n) while n flows do that are
//! not in step (Appenzeller, Keslassy and McKeown, "Sizing router buffers", SIGCOMM 2004). What stands in a buffer beyond
//! that is delay and nothing else (Gettys and Nichols, "Bufferbloat", ACM Queue 9(11), 2011); less than 100 ms of it is taken
//! for harmless, the round trip that RFC 8289 takes for usual.
//!
//! Limits: a rate is the link's, without what a link layer adds and what the air loses. A flow has one bottleneck, the
//! first of the slowest; flows share it evenly. Windows that can neither overflow nor fill a buffer are not its business.

use std::collections::{BTreeMap, BTreeSet};

use engine::{Bytes, Rate, Span};
use path::queue::Limit;
use sim::{FlowSpec, Network};

use super::routes::{Way, empty_packet, full_packet};
use crate::problem::Problem;

/// A buffer is out of proportion from here on, either way: far beyond what rounding, headers and link layers explain.
const FAR: f64 = 4.0;

/// A standing queue that is harmless (RFC 8289).
const HARMLESS: Span = Span::from_millis(100);

/// Of a run of so many times its slow start, slow start can take no more than a tenth off the goodput.
const WARM_UPS: u64 = 10;

/// What a flow's path holds.
pub(super) struct Path<'a> {
    flow: &'a FlowSpec,
    /// The slowest hop of its data, 2 x link + way; the first if several are.
    hop: usize,
    rate: Rate,
    round_trip: Span,
}

/// The path of each flow; `ways` are those of the flows, there and back.
pub(super) fn paths<'a>(network: &'a Network, ways: &[[Way; 2]]) -> Vec<Path<'a>> {
    let path = |(flow, [there, back]): (&'a FlowSpec, &[Way; 2])| {
        let rate = |hop: usize| network.links[hop / 2].rate;
        let hop = there.hops.iter().copied().min_by_key(|hop| rate(*hop))?;
        let round_trip = there.time(network, full_packet(flow)) + back.time(network, empty_packet(flow));
        Some(Path { flow, hop, rate: rate(hop), round_trip })
    };
    network.flows.iter().zip(ways).filter_map(path).collect()
}

impl Path<'_> {
    /// The bandwidth-delay product in bytes.
    fn product(&self) -> f64 {
        self.rate.bits_per_sec() as f64 / 8.0 * self.round_trip.as_secs_f64()
    }
}

/// By bottleneck, the paths that share it.
fn by_bottleneck<'a, 'n>(paths: &'a [Path<'n>]) -> BTreeMap<usize, Vec<&'a Path<'n>>> {
    let mut shared: BTreeMap<usize, Vec<&Path<'n>>> = BTreeMap::new();
    paths.iter().for_each(|path| shared.entry(path.hop).or_default().push(path));
    shared
}

/// What may wait in front of a hop: the key that says so, what stands there, and bytes.
struct Room {
    key: String,
    found: String,
    bytes: f64,
    /// The size of a packet if room is counted in packets.
    packet: Option<u32>,
}

/// The room in front of a bottleneck, if there is an end to it and a packet fits; `packet` is the largest that comes by.
fn room(network: &Network, hop: usize, packet: u32) -> Option<Room> {
    let link = &network.links[hop / 2];
    let node = &network.nodes[link.between[hop % 2]];
    let found = format!("\"{}\"", link.queue);
    let key = format!("links.{}.queue", link.name);
    let queue = match link.queue {
        Limit::None => None,
        Limit::Packets(count) => {
            Some(Room { key, found, bytes: f64::from(count) * f64::from(packet), packet: Some(packet) })
        }
        Limit::Bytes(bytes) => Some(Room { key, found, bytes: bytes as f64, packet: None }),
    };
    let buffer = node.buffer.map(|Bytes(bytes)| Room {
        key: format!("nodes.{}.buffer", node.name),
        found: format!("\"{}\"", Bytes(bytes)),
        bytes: bytes as f64,
        packet: None,
    });
    // The smaller one is the limit.
    let rooms = [queue, buffer].into_iter().flatten().min_by(|a, b| a.bytes.total_cmp(&b.bytes));
    rooms.filter(|room| room.bytes >= f64::from(packet))
}

/// Finite buffers in front of bottlenecks that are far from the bandwidth-delay product, each said once.
pub(super) fn buffers_out_of_proportion(network: &Network, paths: &[Path<'_>]) -> Vec<Problem> {
    let mut said = BTreeSet::new();
    let mut warnings = Vec::new();
    for (hop, sharing) in by_bottleneck(paths) {
        let packet = sharing.iter().map(|path| full_packet(path.flow)).max().unwrap_or_default();
        let Some(room) = room(network, hop, packet) else { continue };
        let windows: f64 = sharing.iter().map(|path| path.flow.tcp.window.0 as f64).sum();
        let by_product = |a: &&&Path<'_>, b: &&&Path<'_>| a.product().total_cmp(&b.product());
        // Flows with different round trips: the buffer must be out of proportion for each of them.
        let (Some(least), Some(most)) = (sharing.iter().min_by(by_product), sharing.iter().max_by(by_product)) else {
            continue;
        };
        let root = (sharing.len() as f64).sqrt();
        let standing = room.bytes.min(windows - most.product());
        let standing_time = standing * 8.0 / most.rate.bits_per_sec() as f64;
        let overflows = windows > most.product() + room.bytes;
        let (path, consequence) = if overflows && room.bytes * FAR * root < least.product() {
            (least, "with less than a quarter of it the link runs dry after each loss".to_owned())
        } else if standing > FAR * most.product() && standing_time > HARMLESS.as_secs_f64() {
            let delay = format!("{:.0} ms", 1e3 * standing_time);
            (most, format!("with more than four times of it the queue stands, here for {delay} (bufferbloat)"))
        } else {
            continue;
        };
        if !said.insert(room.key.clone()) {
            continue;
        }
        let wanted = (path.product() / root).ceil().max(f64::from(packet));
        let value = match room.packet {
            Some(packet) => Limit::Packets((wanted / f64::from(packet)).ceil() as u32),
            None => Limit::Bytes(wanted as u64),
        };
        let shared = if sharing.len() > 1 { format!(" / sqrt({} flows)", sharing.len()) } else { String::new() };
        let text = format!(
            "about {}, the bandwidth-delay product of flows.{} ({} x {}{shared}): {consequence}",
            Bytes(wanted as u64),
            path.flow.name,
            path.rate,
            millis(path.round_trip),
        );
        let found =
            if room.packet.is_some() { format!("{} ({})", room.found, Bytes(room.bytes as u64)) } else { room.found };
        let hint = format!("write {} = \"{value}\"", room.key);
        warnings.push(Problem::new(text).key(room.key).found(found).hint(hint));
    }
    warnings
}

/// The flow without end of which slow start takes the largest share of a run, if it is more than a tenth.
pub(super) fn too_short_to_warm_up(network: &Network, paths: &[Path<'_>]) -> Option<Problem> {
    let sharing = by_bottleneck(paths);
    let slow_starts = paths.iter().filter(|path| path.flow.bytes.is_none()).map(|path| {
        let rounds = slow_start(path, sharing.get(&path.hop).map_or(1, Vec::len));
        let start = Span::from_nanos(path.flow.start.as_nanos());
        (start + path.round_trip.times(rounds * WARM_UPS), rounds, path)
    });
    let (needed, rounds, path) = slow_starts.max_by_key(|(needed, ..)| *needed)?;
    if network.duration >= needed {
        return None;
    }
    let text = format!(
        "at least {:.1} s: slow start of flows.{} takes {} ({rounds} round trips of {}) to fill its path, and a \
         run should be ten times as long",
        (needed.as_secs_f64() * 10.0).ceil() / 10.0,
        path.flow.name,
        millis(path.round_trip.times(rounds)),
        millis(path.round_trip),
    );
    let problem = Problem::new(text).key("duration").found(network.duration.to_string());
    Some(problem.hint("`lasthop steady FILE` measures how long the goodput takes to become steady"))
}

/// Round trips in which a window that doubles comes to what is its share of the path, or may grow no further; at least
/// one.
fn slow_start(path: &Path<'_>, sharing: usize) -> u64 {
    let tcp = &path.flow.tcp;
    let threshold = tcp.initial_ssthresh.map_or(f64::INFINITY, |threshold| threshold.0 as f64);
    let target = (path.product() / sharing as f64).min(tcp.window.0 as f64).min(threshold);
    let mut window = f64::from(tcp.initial_window) * f64::from(tcp.segment);
    let mut rounds = 0;
    while window < target {
        window *= 2.0;
        rounds += 1;
    }
    rounds.max(1)
}

fn millis(span: Span) -> String {
    format!("{:.1} ms", 1e3 * span.as_secs_f64())
}
