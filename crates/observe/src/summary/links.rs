//! The links of a summary.

use engine::Histogram;
use path::link::HopCounters;
use sim::delay::{Delays, HopDelays};
use sim::{Network, Results};

use super::part::summary_part;
use super::{compute_share_of_run, distribution};

struct LinkSource<'a> {
    network: &'a Network,
    results: &'a Results,
    delays: Option<&'a Delays>,
    number: usize,
}

struct DirectionSource<'a> {
    counters: &'a HopCounters,
    results: &'a Results,
    in_medium: bool,
    delays: Option<&'a HopDelays>,
}

impl LinkSource<'_> {
    fn sum(&self, count: fn(&HopCounters) -> u64) -> u64 {
        self.results.links[self.number].directions.iter().map(count).sum()
    }

    fn direction(&self, direction: usize) -> DirectionSummary {
        let in_medium = self.network.links[self.number].medium.is_some();
        let counters = &self.results.links[self.number].directions[direction];
        let delays = self.delays.and_then(|delays| delays.hop(self.number, direction));
        DirectionSummary::of(&DirectionSource { counters, results: self.results, in_medium, delays })
    }
}

/// Every link, in the order of the scenario.
pub(super) fn summarize_links(network: &Network, results: &Results, delays: Option<&Delays>) -> Vec<LinkSummary> {
    (0..network.links.len()).map(|number| LinkSummary::of(&LinkSource { network, results, delays, number })).collect()
}

/// The delays of a direction in which a packet has arrived at the queue.
fn select_used_queue<'a>(at: &DirectionSource<'a>) -> Option<&'a HopDelays> {
    at.delays.filter(|delays| delays.queue.count() + delays.queue_dropped.count() > 0)
}

fn select_queue_delays<'a>(at: &DirectionSource<'a>) -> Option<&'a Histogram> {
    at.delays.map(|delays| &delays.queue)
}

fn select_link_layer_delays<'a>(at: &DirectionSource<'a>) -> Option<&'a Histogram> {
    at.delays.filter(|delays| delays.has_link_layer).map(|delays| &delays.link_layer)
}

summary_part! {
    /// One link. Its sums include both directions.
    pub struct LinkSummary in link: Run = of(at: &LinkSource<'_>) {
        /// Name in the scenario.
        name: String ["text"] = at.network.links[at.number].name.clone();
        /// The two nodes joined by the link.
        between: [String; 2] ["text"] =
            at.network.links[at.number].between.map(|node| at.network.nodes[node].name.clone());
        /// Sum of both directions' `frames_sent`.
        frames_sent: u64 ["frames"] = at.sum(|counters| counters.frames_sent);
        /// Sum of both directions' `frames_corrupted`.
        frames_corrupted: u64 ["frames"] = at.sum(|counters| counters.frames_corrupted);
        /// Sum of both directions' `packets_dropped`. The sum counts packets, although its name mentions frames.
        frames_dropped: u64 ["packets"] = at.sum(|counters| counters.packets_dropped);
        /// The direction from the first node of `between` to the second.
        forward: DirectionSummary ["object"] = at.direction(0);
        /// The direction from the second node to the first.
        backward: DirectionSummary ["object"] = at.direction(1);
    }
    sparse {}
    derived {}
}

summary_part! {
    /// One direction of a link.
    pub struct DirectionSummary in direction: Direction = of(at: &DirectionSource<'_>) {
        /// Transmissions begun, retransmissions and parity included; without a link layer, packets whose transmission
        /// began. Each packet of an aggregate is a frame (MPDU) each time it is sent. Link acknowledgments are not
        /// counted.
        frames_sent: u64 [metric "frames", Neither, "frames"] = at.counters.frames_sent;
        /// Of `frames_sent`, frames lost to the channel. Link acknowledgments are not counted. Without a link layer a
        /// loss counts when the packet would have arrived.
        frames_corrupted: u64 [metric "frames", Neither, "corrupted"] = at.counters.frames_corrupted;
        /// Frames that arrived a second time and were discarded. Always 0 with `numbering = "per-transmission"`.
        frames_duplicate: u64 [metric "frames", Neither] = at.counters.duplicates;
        /// Frames that arrived and brought no packet: out of order (go-back-N), or parity.
        frames_discarded: u64 [metric "frames", Neither] = at.counters.discarded;
        /// Packets handed on at the far end. With `per-transmission` a packet may count twice.
        packets_delivered: u64 [metric "packets", Neither, "delivered"] = at.counters.packets_delivered;
        /// Packets lost for good: queue full, given up without having arrived, lost on a link without a link layer, or
        /// lost with more of their block than parity restores.
        packets_dropped: u64 [metric "packets", Lower, "dropped"] = at.counters.packets_dropped;
        /// Part of `packets_dropped`: packets that found the queue full.
        packets_dropped_queue_full: u64 [metric "packets", Lower] = at.counters.queue_full;
        /// Packets marked (ECN) because the backlog exceeded `ecn_threshold` when they arrived. The table has this
        /// column if any packet was marked.
        packets_marked: u64 [metric "packets", Neither, "marked"] = at.counters.marked;
        /// Packets that the link layer gave up. It includes packets that arrived and whose acknowledgments were lost,
        /// so it may exceed `packets_dropped`.
        packets_given_up: u64 [metric "packets", Lower] = at.counters.given_up;
        /// Packets restored from parity, their own frames being lost.
        packets_recovered: u64 [metric "packets", Neither] = at.counters.recovered;
        /// Time spent transmitting frames, as a share of the run. For a frame in transmission when the run ends, the
        /// elapsed part counts. On links of a medium it is the time in which the station sent data frames and requests
        /// over this link.
        utilization: f64 [metric "share", Neither, "busy"] = compute_share_of_run(at.counters.busy, at.results);
    }
    sparse {
        /// Part of `frames_sent`: frames lost to a collision at their receiver. `frames_corrupted` then counts frames
        /// that the channel alone damaged, and frames out of range. Null for links without a medium.
        frames_collided: Option<u64> [metric "frames", Lower, "collided"] =
            at.in_medium.then_some(at.counters.frames_collided);
        /// Mean number of packets that waited in the queue, over the run. The packet in transmission does not wait. Null
        /// in runs of models before 13.
        backlog_mean: Option<f64> [metric "packets", Lower] =
            Some(compute_share_of_run(at.counters.backlog.waited(), at.results));
        /// Maximum number of packets that waited in the queue. Null in runs of models before 13.
        backlog_max: Option<u64> [metric "packets", Lower] = Some(at.counters.backlog.most());
        /// Mean wait in the queue of all packets that left it, including packets without a wait: from their arrival to
        /// the start of their transmission. Null without a packet, and unless delays are measured (by `lasthop run`,
        /// and by a sweep with a metric of delay), as are the following metrics.
        queue_wait_mean_s: Option<f64> [metric "s", Lower] = select_queue_delays(at).and_then(distribution::mean_in_seconds);
        /// Number of packets that left the queue for their transmission, including packets without a wait.
        queue_departures: Option<u64> [metric "packets", Neither] = select_used_queue(at).map(|delays| delays.queue.count());
        /// Number of packets that the queue dropped, because it was full or early.
        queue_drops: Option<u64> [metric "packets", Lower] = select_used_queue(at).map(|delays| delays.queue_dropped.count());
        /// Mean wait in the queue of the packets that it dropped, 0 for packets that it refused when they arrived, and
        /// without such packets. By Little's law `backlog_mean` times the duration is `queue_departures` times
        /// `queue_wait_mean_s` plus `queue_drops` times this wait, if no packet waits at the end.
        queue_drop_wait_mean_s: Option<f64> [metric "s", Lower] =
            select_used_queue(at).map(|delays| distribution::mean_in_seconds(&delays.queue_dropped).unwrap_or(0.0));
        /// Median wait in the queue, within 1 %.
        queue_wait_p50_s: Option<f64> [metric "s", Lower, "wait p50"] = select_queue_delays(at).and_then(|all| distribution::quantile_in_seconds(all, 0.5));
        /// The wait in the queue that 95 % do not exceed, within 1 %.
        queue_wait_p95_s: Option<f64> [metric "s", Lower, "p95"] = select_queue_delays(at).and_then(|all| distribution::quantile_in_seconds(all, 0.95));
        /// The wait in the queue that 99 % do not exceed, within 1 %.
        queue_wait_p99_s: Option<f64> [metric "s", Lower, "p99"] = select_queue_delays(at).and_then(|all| distribution::quantile_in_seconds(all, 0.99));
        /// Maximum wait in the queue.
        queue_wait_max_s: Option<f64> [metric "s", Lower, "max"] = select_queue_delays(at).and_then(distribution::max_in_seconds);
        /// Mean time in the link layer of packets that arrived: from the start of the first transmission, or of contention in a medium, to the
        /// arrival at the far end. Null on links without a link layer.
        link_layer_mean_s: Option<f64> [metric "s", Lower] = select_link_layer_delays(at).and_then(distribution::mean_in_seconds);
        /// Median time in the link layer, within 1 %.
        link_layer_p50_s: Option<f64> [metric "s", Lower, "link p50"] = select_link_layer_delays(at).and_then(|all| distribution::quantile_in_seconds(all, 0.5));
        /// The time in the link layer that 95 % do not exceed, within 1 %.
        link_layer_p95_s: Option<f64> [metric "s", Lower, "p95"] = select_link_layer_delays(at).and_then(|all| distribution::quantile_in_seconds(all, 0.95));
        /// The time in the link layer that 99 % do not exceed, within 1 %.
        link_layer_p99_s: Option<f64> [metric "s", Lower, "p99"] = select_link_layer_delays(at).and_then(|all| distribution::quantile_in_seconds(all, 0.99));
        /// Maximum time in the link layer.
        link_layer_max_s: Option<f64> [metric "s", Lower, "max"] = select_link_layer_delays(at).and_then(distribution::max_in_seconds);
    }
    derived {}
}
