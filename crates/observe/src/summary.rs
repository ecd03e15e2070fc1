//! The summary of a run: what `--json` prints and `summary.json` holds.

use engine::Span;
use path::link::Counters;
use serde_json::{Value, json};
use sim::{Network, Results};

use super::summary_of_media::media;
use crate::metric;
use scenario::Scenario;
use scenario::ran::{followers, grouped};

/// The summary as JSON. Every number's unit is in its name; the definitions are in `docs/metrics.md`. `network` is what
/// `scenario` describes.
pub fn summary(title: &str, scenario: &Scenario, network: &Network, results: &Results) -> Value {
    let variant = |flow: &str| scenario.flows.get(flow).map(|flow| flow.tcp.variant.as_str());
    let flows = network.flows.iter().zip(&results.flows).map(|(spec, flow)| {
        let mut record = json!({
            "name": spec.name,
            "from": network.nodes[spec.from].name,
            "to": network.nodes[spec.to].name,
            "variant": variant(&spec.name),
            "completed": flow.completed.is_some(),
            "completion_time_s": flow.completed.map(|_| flow.elapsed.as_secs_f64()),
            "failure": flow.failure.map(tcp::Failure::name),
            "goodput_bps": flow.goodput_bps(),
            "bytes_delivered": flow.bytes_delivered,
            "longest_pause_s": flow.longest_pause.map(Span::as_secs_f64),
            "segments_duplicate": flow.segments_duplicate,
            "segments_sent": flow.sender.segments_sent,
            "segments_retransmitted": flow.sender.segments_retransmitted,
            "fast_retransmits": flow.sender.fast_retransmits,
            "timeouts": flow.sender.timeouts,
            "tail_probes": flow.sender.probes,
            "reductions_undone": flow.sender.undone,
            "reductions_by_ecn": flow.sender.marks,
            "icmp_defer": flow.sender.notices_defer,
            "icmp_retransmit": flow.sender.notices_retransmit,
        });
        if spec.tcp.timestamps || flow.segments_discarded > 0 {
            record["segments_discarded"] = flow.segments_discarded.into();
        }
        record
    });
    let links = network.links.iter().zip(&results.links).map(|(spec, link)| {
        let sum = |count: fn(&Counters) -> u64| link.ways.iter().map(count).sum::<u64>();
        let way = |counters: &Counters| {
            let mut way = json!({
                "frames_sent": counters.frames_sent,
                "frames_corrupted": counters.frames_corrupted,
                "frames_duplicate": counters.duplicates,
                "frames_discarded": counters.discarded,
                "packets_delivered": counters.packets_delivered,
                "packets_dropped": counters.packets_dropped,
                "packets_dropped_queue_full": counters.queue_full,
                "packets_marked": counters.marked,
                "packets_given_up": counters.given_up,
                "packets_recovered": counters.recovered,
                "utilization": counters.busy.as_secs_f64() / results.ended.as_secs_f64().max(f64::MIN_POSITIVE),
            });
            if spec.medium.is_some() {
                way["frames_collided"] = counters.frames_collided.into();
            }
            way
        };
        json!({
            "name": spec.name,
            "between": spec.between.map(|node| network.nodes[node].name.as_str()),
            "frames_sent": sum(|c| c.frames_sent),
            "frames_corrupted": sum(|c| c.frames_corrupted),
            "frames_dropped": sum(|c| c.packets_dropped),
            "forward": way(&link.ways[0]),
            "backward": way(&link.ways[1]),
        })
    });
    // Without associations, paths do not end.
    let roams = results.roaming.iter().any(Option::is_some);
    let counted = network.nodes.iter().zip(&results.buffer_full).zip(&results.agents);
    let counted = counted.zip(results.roaming.iter().zip(&results.no_route));
    let nodes = counted.map(|(((spec, dropped), counts), (roaming, no_route))| {
        let mut node = json!({
            "name": spec.name,
            "buffer_bytes": spec.buffer.map(|buffer| buffer.0),
            "packets_dropped_buffer_full": dropped,
        });
        if !counts.is_empty() {
            node["scheme_counts"] =
                counts.iter().map(|(name, count)| ((*name).to_owned(), Value::from(*count))).collect();
        }
        if let Some(roaming) = roaming {
            node["handovers"] = roaming.handovers.into();
            node["unassociated_s"] = roaming.alone.as_secs_f64().into();
        }
        if roams || *no_route > 0 {
            node["packets_dropped_no_route"] = (*no_route).into();
        }
        node
    });
    let mut whole = json!({
        "lasthop": env!("CARGO_PKG_VERSION"),
        "title": title,
        "scheme": scheme(scenario, network),
        "profile": scenario.profile,
        "seed": network.seed,
        "simulated_s": results.ended.as_secs_f64(),
        "events": results.events,
        "packets_dropped_buffer_full": results.buffer_full.iter().sum::<u64>(),
        "flows": flows.collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
        "nodes": nodes.collect::<Vec<_>>(),
    });
    // Among one there is nothing to share.
    if network.flows.len() > 1 {
        whole["fairness"] = metric::fairness(&whole).into();
    }
    if !network.media.is_empty() {
        whole["media"] = media(network, results);
    }
    whole
}

/// The scheme of all nodes that can act on one; if they differ, each one's by its name.
fn scheme(scenario: &Scenario, network: &Network) -> Value {
    let followers: Vec<_> = followers(scenario, network).collect();
    match grouped(followers.iter().copied())[..] {
        [] => Value::Null,
        [(scheme, _)] => scheme.into(),
        _ => followers.into_iter().map(|(scheme, node)| (node.to_owned(), Value::from(scheme))).collect(),
    }
}
