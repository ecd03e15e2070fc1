//! Events of schemes: in an observed run each counted action has an event.

use std::collections::{BTreeMap, BTreeSet};

use path::agent::AgentConfig;
use sim::{Event, FlowId};
use testkit::{TO_MOBILE, build_network, last_hop_text, record_events};

/// Names of counters for states, which can decrease.
fn is_state(name: &str) -> bool {
    name == "flows" || name.starts_with("state_bytes") || name.ends_with("_most")
}

/// For each scheme, the values of the events with a counter's name add up to the value of that counter. The actions of
/// the scheme are among the names of its events and counters. Observing changes nothing.
#[test]
fn events_of_each_scheme_add_up_to_its_counts() {
    let air = "arq = \"stop-and-wait\"\nqueue = \"unlimited\"\n\
               channel = { kind = \"two-state\", mean_good = \"300 ms\", mean_bad = \"60 ms\" }";
    let mut acting = 0;
    for (scheme, _) in AgentConfig::MEMBERS {
        let head = format!("duration = \"20 s\"\nscheme = \"{scheme}\"");
        let text = last_hop_text(&head, ("8 Mbps", "20 ms"), air, &format!("{TO_MOBILE}\nreceive_window = \"64 KiB\""));
        let network = build_network(&text);
        let (results, events) = record_events(&network);
        assert_eq!(
            testkit::run_network(&network).flows[0].bytes_delivered,
            results.flows[0].bytes_delivered,
            "{scheme}"
        );
        let mut known: BTreeSet<&str> = BTreeSet::new();
        for (node, counts) in results.agents.iter().enumerate() {
            let mut summed: BTreeMap<&str, u64> = BTreeMap::new();
            for (_, event) in &events {
                if let Event::Agent { node: at, name, value, .. } = event
                    && at.index() == node
                {
                    *summed.entry(name).or_default() += *value as u64;
                }
            }
            // Events emitted by the agent without a counter have different names.
            let emitted: BTreeSet<&str> = summed.keys().copied().collect();
            summed.retain(|name, _| counts.iter().any(|(counter, _)| counter == name));
            known.extend(emitted.into_iter().chain(counts.iter().map(|(name, _)| *name)));
            let counted = counts.iter().filter(|(name, count)| !is_state(name) && *count > 0).copied();
            let counted: BTreeMap<&str, u64> = counted.collect();
            assert_eq!(summed, counted, "{scheme} at node {node}");
            acting += usize::from(!counted.is_empty());
        }
        for action in network.nodes.iter().flat_map(|node| node.agent.traits().actions) {
            assert!(known.contains(action.event), "{scheme}: {}", action.event);
        }
    }
    assert!(acting >= 8, "{acting} schemes acted");
}

/// The events of Snoop name the packets: a local retransmission the segment's flow and offset.
#[test]
fn local_retransmissions_name_their_flow() {
    let air = "queue = \"unlimited\"\nchannel = { kind = \"uniform\", loss = 0.02 }";
    let text = last_hop_text("duration = \"20 s\"\nscheme = \"snoop\"", ("8 Mbps", "20 ms"), air, TO_MOBILE);
    let (_, events) = record_events(&build_network(&text));
    let of = |wanted: &str| {
        let named = events.iter().filter_map(move |(_, event)| match event {
            Event::Agent { name, of, .. } if *name == wanted => Some(*of),
            _ => None,
        });
        named.collect::<Vec<_>>()
    };
    assert!(!of("duplicates_suppressed").is_empty());
    assert!(
        of("duplicates_suppressed").iter().all(|of| of.is_some_and(|of| of.flow == FlowId::new(0) && !of.from_sender))
    );
    for name in ["packets_cached", "local_retransmissions"] {
        assert!(!of(name).is_empty(), "{name}");
        assert!(of(name).iter().all(|of| of.is_some_and(|of| of.from_sender && of.seq.is_some())), "{name}");
    }
}
