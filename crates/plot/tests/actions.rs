//! Marks of the schemes' actions.

use crate::common;

use common::{Path, bad, dropping, marks, refined_icmp, snoop, stop_and_wait};
use engine::{IdVec, Time};
use path::agent::{AgentConfig, Effect, SchemeAction, freeze_tcp};
use plot::{Description, Panel, PictureOptions};
use sim::{Event, NodeId, World};

fn svg(events: &[(Time, Event)], description: &Description) -> String {
    plot::draw_events(
        events,
        description,
        &PictureOptions { panels: vec![Panel::Sequence], ..PictureOptions::default() },
    )
    .svg()
}

/// Three losses, of which Snoop repairs two or more.
fn lossy(agent: AgentConfig) -> Path {
    Path { channel: dropping(&[40, 41, 90]), window: 16_384, bytes: 200 * 1024, agent, ..Path::default() }
}

#[test]
fn marks_and_described_counts_of_snoop_equal_its_counters() {
    let path = lossy(snoop());
    let (description, events) = path.run();
    let mut world = World::new(&path.network(), true);
    world.run(&mut Vec::<(Time, Event)>::new());
    let results = world.results();
    let counted = |names: &[&str]| -> u64 {
        let counts = results.agents[1].iter().filter(|(name, _)| names.contains(name));
        counts.map(|(_, count)| count).sum()
    };
    let svg = svg(&events, &description);
    let kinds = [
        (Effect::Resends, "action-resends", "local retransmission"),
        (Effect::DropsAck, "action-drops-ack", "ACK suppressed"),
    ];
    for (effect, class, label) in kinds {
        let actions = path.agent.traits().actions.iter().filter(|action| action.effect == effect);
        let count = counted(&actions.map(|action| action.event).collect::<Vec<_>>());
        assert!(count > 0, "{label}");
        assert_eq!(marks(&svg, class) as u64, count, "{label}");
        assert!(svg.contains(&format!("{label}: {count}")), "{label}: {count}");
        // In the legend.
        assert!(svg.contains(&format!(">{label}<")), "{label}");
    }
    // The marks of the agent's actions replace the marks of other nodes.
    assert_eq!((marks(&svg, "local-copy"), marks(&svg, "ack-taken")), (0, 0));
}

#[test]
fn node_without_actions_has_general_marks() {
    let (mut description, events) = lossy(snoop()).run();
    description.actions = IdVec::default();
    let svg = svg(&events, &description);
    assert!(marks(&svg, "local-copy") > 0 && marks(&svg, "ack-taken") > 0);
    assert!(!svg.contains("action-"));
}

#[test]
fn picture_of_a_run_without_schemes_is_the_same_with_and_without_actions() {
    let (mut description, events) = lossy(Path::default().agent).run();
    let with = svg(&events, &description);
    description.actions = IdVec::default();
    assert!(with == svg(&events, &description) && !with.contains("action-"));
}

/// Every effect of a scheme that occurs has its marks and an entry in the legend.
#[test]
fn messages_second_connections_and_windows_have_marks() {
    let fade = |agent| Path { channel: bad(&[["1.3 s", "1.5 s"]]), arq: stop_and_wait(3), agent, ..lossy(snoop()) };
    let freeze = AgentConfig::FreezeTcp(freeze_tcp::Config { warning: common::span("200 ms") });
    let split: AgentConfig = engine::registry::by_name("split").unwrap();
    let cases: [(AgentConfig, usize, &[&str]); 3] = [
        (refined_icmp(), 1, &["action-pauses", "action-reports-loss"]),
        (split, 1, &["action-forwards", "action-resends", "action-acknowledges", "action-drops-ack"]),
        (freeze, 2, &["action-pauses", "action-resumes"]),
    ];
    for (agent, node, classes) in cases {
        let mut network = fade(agent.clone()).network();
        network.nodes[1].agent = Path::default().agent;
        network.nodes[node].agent = agent.clone();
        let mut events: Vec<(Time, Event)> = Vec::new();
        World::new(&network, true).run(&mut events);
        let svg = svg(&events, &Description::of(&network));
        for class in classes {
            assert!(marks(&svg, class) > 0, "{class} of {agent:?}");
        }
    }
}

/// An action that concerns no packet concerns every flow that crosses the node, and is drawn at the lower edge.
#[test]
fn action_about_no_packet_is_drawn_in_flows_that_cross_the_node() {
    const FADE: &[SchemeAction] =
        &[SchemeAction { event: "fade_predicted", label: "fade predicted", effect: Effect::Holds }];
    let (mut description, mut events) = lossy(Path::default().agent).run();
    let time = events[events.len() / 2].0;
    let action = Event::Agent { node: NodeId::new(1), name: "fade_predicted", value: 1.0, of: None, packet: None };
    events.insert(events.len() / 2, (time, action));
    description.actions[NodeId::new(1)] = FADE;
    assert_eq!(marks(&svg(&events, &description), "action-holds"), 1);
    description.actions = vec![FADE; 3].into();
    description.links = IdVec::default();
    assert_eq!(marks(&svg(&events, &description), "action-holds"), 0);
}
