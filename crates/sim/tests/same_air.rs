//! Two schemes with one seed meet the same channel states; random streams belong to components and do not depend on the
//! order of events.

use engine::Time;
use path::channel::ChannelState;
use sim::Event;
use testkit::{build_network, record_events, run_network, thesis_text};

const CHANNEL: &str = r#"{ kind = "two-state", mean_good = "2 s", mean_bad = "200 ms" }"#;
const FLOW: &str = "bytes = \"500 KiB\"\nreceive_window = \"16 KiB\"";

/// The times at which the channel of link `number` changed its state, up to `until`.
fn switches(events: &[(Time, Event)], number: u32, until: Time) -> Vec<(Time, ChannelState)> {
    let air = events.iter().filter_map(|(at, event)| match event {
        Event::Air { link, state } if link.number() == number && *at <= until => Some((*at, *state)),
        _ => None,
    });
    air.collect()
}

#[test]
fn every_scheme_meets_the_same_channel_states_to_the_nanosecond() {
    let of = |scheme: &str| {
        record_events(&build_network(&thesis_text(&format!("scheme = \"{scheme}\""), 100, CHANNEL, FLOW)))
    };
    let all = ["unmodified", "simple-icmp", "refined-icmp"].map(of);
    let until = all.iter().map(|(results, _)| results.ended).min().unwrap();
    let first = switches(&all[0].1, 1, until);
    assert!(first.len() >= 4, "a run in which nothing switched shows nothing");
    for (_, events) in &all[1..] {
        assert_eq!(switches(events, 1, until), first);
    }
    let ends: Vec<Time> = all.iter().map(|(results, _)| results.ended).collect();
    assert!(ends[0] != ends[1] && ends[1] != ends[2], "the schemes did not differ: {ends:?}");
}

#[test]
fn another_seed_gives_other_channel_states() {
    let of = |seed: u64| record_events(&build_network(&thesis_text(&format!("seed = {seed}"), 100, CHANNEL, FLOW))).1;
    let until = Time::from_millis(5_000);
    assert_ne!(switches(&of(1), 1, until), switches(&of(2), 1, until));
}

#[test]
fn new_nodes_links_and_flows_leave_other_random_streams_unchanged() {
    let before = thesis_text("", 100, CHANNEL, FLOW);
    let after = format!(
        "{}\n[links.103]\nkind = \"wireless\"\nbetween = [\"212\", \"214\"]\nrate = \"1 Mbps\"\ndelay = \"1 ms\"\n\
         arq = \"stop-and-wait\"\nchannel = {CHANNEL}\n[flows.second]\nfrom = \"211\"\nto = \"214\"\nbytes = \"50 KiB\"\n\
         mss = \"1024 B\"\n",
        // The new node comes first, so that all node numbers change.
        before.replace("[nodes]", "[nodes]\n214 = { kind = \"host\" }")
    );
    let (before, after) = (record_events(&build_network(&before)), record_events(&build_network(&after)));
    let until = before.0.ended.min(after.0.ended);
    assert_eq!(switches(&before.1, 1, until), switches(&after.1, 1, until));
    assert_ne!(switches(&after.1, 1, until), switches(&after.1, 2, until), "two links share one air");
}

#[test]
fn repeated_run_is_identical() {
    let text = thesis_text("scheme = \"refined-icmp\"", 100, CHANNEL, FLOW);
    let (first, second) = (record_events(&build_network(&text)), record_events(&build_network(&text)));
    assert_eq!(first, second);
    assert_eq!(run_network(&build_network(&text)), first.0, "being watched changes nothing");
}
