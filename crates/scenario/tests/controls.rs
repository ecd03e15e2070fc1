//! The controls of a page. Each control is derived from the schema, its values are accepted, and it changes the run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use scenario::controls::{Control, Widget, list_controls};
use scenario::{NoFiles, Overrides, Source};
use serde_json::Value as Json;
use sim::{Network, World};
use testkit::{EventDigest, example_path, example_paths, open_example};

/// Number of wake-ups of a compared run: most keys have an early effect.
const WAKE_UPS: u64 = 50_000;

/// Number of wake-ups of a run without an early effect.
const LATE_WAKE_UPS: u64 = 3_000_000;

/// A scenario with a name in each table of names.
const PLAIN: &str = r#"
duration = "10 s"
nodes = { a = { kind = "host" }, x = { kind = "base-station" }, b = { kind = "host" } }
links.wire = { kind = "wired", between = ["a", "x"], rate = "8 Mbps", delay = "1 ms" }
links.air = { kind = "wireless", between = ["x", "b"], rate = "8 Mbps", delay = "1 ms" }
media.cell = { standard = "802.11b" }
flows.down = { from = "a", to = "b" }
arrivals.short = { from = "a", to = "b", rate = "1 /s", sizes = "fixed" }
"#;

fn open(path: &Path, set: &[&str]) -> Result<Source, String> {
    let set = set.iter().map(|assignment| (*assignment).to_owned()).collect();
    open_example(path, &Overrides { set, ..Overrides::default() })
        .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// The network with an assignment, or the error of the assignment.
fn network(path: &Path, set: &[&str]) -> Result<Network, String> {
    let source = open(path, set)?;
    let loaded = source.resolve(&source.document);
    loaded.map(|loaded| loaded.network).map_err(|problems| {
        assert!(!problems.is_empty());
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    })
}

fn of_plain(set: &[String]) -> Vec<Control> {
    let source =
        Source::of_text(Rc::new(NoFiles), "plain".into(), "plain.toml".into(), PLAIN.as_bytes(), &Overrides::default());
    let source = source.unwrap_or_else(|problems| panic!("{problems:?}"));
    list_controls(&source, &Overrides { set: set.to_vec(), ..Overrides::default() })
}

/// The assignments at the ends of a control: the smallest and the largest value, each choice, both positions of a
/// switch.
fn ends(control: &Control) -> Vec<String> {
    let values: Vec<String> = match &control.widget {
        Widget::Slider { stops, .. } => [stops.first(), stops.last()].into_iter().flatten().cloned().collect(),
        Widget::Menu { choices } => choices.iter().map(|choice| choice.value.clone()).collect(),
        Widget::Switch => vec!["true".to_owned(), "false".to_owned()],
        Widget::Text { .. } => Vec::new(),
    };
    values.into_iter().map(|value| format!("{}={value}", control.path)).collect()
}

/// Assignments that change the value, the smallest changes first.
fn changes(control: &Control) -> Vec<String> {
    let values: Vec<String> = match &control.widget {
        Widget::Slider { stops, at } => {
            let near = [at + 3, at.wrapping_sub(3), at + 12, at.wrapping_sub(12), 1, 0, stops.len() - 1];
            near.iter().filter(|place| *place != at).filter_map(|place| stops.get(*place)).cloned().collect()
        }
        Widget::Menu { choices } => {
            let current = control.current.as_ref();
            choices.iter().filter(|choice| Some(&choice.label) != current).map(|choice| choice.value.clone()).collect()
        }
        Widget::Switch if control.current.as_deref() == Some("true") => vec!["false".to_owned()],
        Widget::Switch if control.current.is_some() => vec!["true".to_owned()],
        Widget::Switch => vec!["true".to_owned(), "false".to_owned()],
        Widget::Text { .. } => Vec::new(),
    };
    values.into_iter().map(|value| format!("{}={value}", control.path)).collect()
}

fn digest(network: &Network, wake_ups: u64) -> [u8; 32] {
    let (mut world, mut digest) = (World::new(network, true), EventDigest::default());
    world.advance(wake_ups, &mut digest);
    digest.finish(world.now())
}

/// The key with its names left out: `links.*.rate`.
fn pattern(path: &str) -> String {
    let mut parts: Vec<String> =
        path.split('.').map(|part| part.split('[').next().unwrap_or_default().to_owned()).collect();
    if let [part, name, ..] = &mut parts[..]
        && ["nodes", "links", "media", "flows", "arrivals"].contains(&part.as_str())
    {
        *name = "*".to_owned();
    }
    parts.join(".")
}

/// Reason why a control's value may be refused, with the expected part of the problem.
const REASONS: [(&str, &[&str]); 7] = [
    (
        "another key is needed with it",
        &["is missing", "needs", "write ", "add ", "as well", "a motion begins there", "depends on", "has a range"],
    ),
    (
        "another key excludes it",
        &[
            "either",
            "leave ",
            "remove ",
            "excludes",
            "does not use",
            "uses no other",
            "the other",
            "instead",
            "never closes",
        ],
    ),
    ("it is not for this kind of entry", &["only valid for", "no value", "for wires", "own rates only"]),
    (
        "the path or its ends would not work",
        &["a node of kind", "another host", "can be reached", "two different nodes", "equal counts", "expected a node"],
    ),
    (
        "the recording has another format",
        &["the format of delivery traces", "expected names of columns", "expected columns", "expected a time"],
    ),
    ("it names one of a given set", &["Mbps, ", "expected a host"]),
    (
        "the range depends on other keys, or only the check knows it",
        &[
            "more than 0",
            "more than the minimum",
            "at least",
            "at most",
            " to ",
            "a time after",
            "a time before",
            "ascending times",
            "zero never",
            "sum is 1",
        ],
    ),
];

/// Sets each control to each of its ends. Counts refused values by the reason of the refusal, or adds them to
/// `unexplained`.
fn refused(
    path: &Path,
    controls: &[Control],
    counts: &mut BTreeMap<&'static str, usize>,
    unexplained: &mut Vec<String>,
) -> usize {
    let mut all = 0;
    for assignment in controls.iter().flat_map(ends) {
        all += 1;
        let Err(said) = network(path, &[&assignment]) else { continue };
        assert!(!said.contains("no such key"), "{assignment}: {said}");
        let found = REASONS.iter().find(|(_, texts)| texts.iter().any(|text| said.contains(text)));
        match found {
            Some((reason, _)) => *counts.entry(reason).or_default() += 1,
            None => unexplained.push(format!("{assignment}: {said}")),
        }
    }
    all
}

fn ends_of(paths: impl Iterator<Item = PathBuf>) {
    let (mut all, mut counts, mut unexplained) = (0, BTreeMap::new(), Vec::new());
    for path in paths {
        let source = open(&path, &[]).unwrap();
        all += refused(&path, &list_controls(&source, &Overrides::default()), &mut counts, &mut unexplained);
    }
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
    // Most values need no other assignment.
    assert!(counts.values().sum::<usize>() * 3 < all, "{counts:?} of {all}");
}

#[test]
fn both_limits_of_every_control_are_accepted_or_refused_with_their_rule() {
    ends_of(["goel-refined.toml", "hidden-terminals.toml"].into_iter().map(example_path));
}

#[test]
#[ignore = "takes 20 s: every control of every example"]
fn both_limits_of_every_control_of_every_example_are_accepted_or_refused_with_their_rule() {
    ends_of(example_paths().into_iter());
}

/// Collects all kinds of all tagged unions in the schema.
fn kinds(schema: &Json, found: &mut BTreeSet<String>) {
    match schema {
        Json::Object(table) => {
            found.extend(schema["properties"]["kind"]["const"].as_str().map(str::to_owned));
            table.values().for_each(|inner| kinds(inner, found));
        }
        Json::Array(items) => items.iter().for_each(|inner| kinds(inner, found)),
        _ => {}
    }
}

#[test]
fn every_registry_member_is_a_choice_with_its_settings() {
    let (mut chosen, mut keys) = (BTreeSet::new(), BTreeSet::new());
    let mut open = vec![Vec::new()];
    while let Some(set) = open.pop() {
        for control in of_plain(&set) {
            keys.insert(pattern(&control.path));
            let Widget::Menu { choices } = &control.widget else { continue };
            for choice in choices {
                if set.len() < 3 && chosen.insert((pattern(&control.path), choice.label.clone())) {
                    open.push([&set[..], &[format!("{}={}", control.path, choice.value)]].concat());
                }
            }
        }
    }
    let mut all = BTreeSet::new();
    kinds(&scenario::schema(), &mut all);
    let labels: BTreeSet<&str> = chosen.iter().map(|(_, label)| label.as_str()).collect();
    let missing: Vec<&String> = all.iter().filter(|kind| !labels.contains(kind.as_str())).collect();
    assert!(all.len() > 60 && missing.is_empty(), "{missing:?} of {}", all.len());
    for key in [
        "scheme.threshold",
        "links.*.channel.mean_bad",
        "links.*.arq.window",
        "links.*.queue.target",
        "flows.*.tcp.control.beta",
        "media.*.rate_control.successes",
        "flows.*.traffic.codec",
        "arrivals.*.sizes.shape",
        "nodes.*.motion.velocity",
        "links.*.jitter.delay.parts.probability",
        "flows.*.tcp.recovery.tail_probe",
        "flows.*.tcp.loss_differentiation.limit",
    ] {
        assert!(keys.contains(key), "{key}: {keys:?}");
    }
}

#[test]
fn controls_survive_wrong_values() {
    let wrong =
        ["links.air.rate=fast", "links.nowhere.rate=1 Mbps", "duration=[1]", "links.air.channel=bursty", "nodes.a=7"];
    let controls = of_plain(&wrong.map(str::to_owned));
    let at = |path: &str| controls.iter().find(|control| control.path == path).unwrap();
    assert_eq!((at("links.air.rate").current.as_deref(), at("links.air.rate").changed), (Some("fast"), true));
    assert_eq!(at("duration").current.as_deref(), Some("[1]"));
    assert!(at("links.air.channel").changed && !at("links.wire.rate").changed);
}

/// Returns whether a change of a control changes the run, while the assignments `beside` are set; `None` if the control
/// has only one value.
fn changes_run(path: &Path, beside: &[&str], control: &Control, before: &[u8; 32], wake_ups: u64) -> Option<bool> {
    let changed = |assignment: String| network(path, &[beside, &[&assignment]].concat()).ok();
    let mut networks = changes(control).into_iter().filter_map(changed).peekable();
    networks.peek()?;
    Some(networks.any(|network| digest(&network, wake_ups) != *before))
}

/// Keys that no event of a run depends on.
const WITHOUT_EFFECT: [(&str, &str); 4] = [
    ("title", "a name"),
    ("output", "written beside the run"),
    ("sweep", "other runs"),
    ("replication", "changes random streams alone: nothing in a run without random numbers"),
];

/// Keys of examples that do not change their run, with the reason.
const IDLE: [(&str, &str, &str); 2] = [
    ("goel-refined", "links.wire.kind", "without a link layer and losses, a wire and a radio are alike"),
    ("recorded-rates", "links.access.link_trace.repeat", "the recording is longer than the run"),
];

/// Keys of `disconnections2012.toml` that change its run only together with another value.
const DEPENDENT: [(&str, &str, &str); 2] = [
    ("links.air.channel.mobile", "links.air.channel.reception=when-it-sends", "a mobile that need not send first"),
    ("media.cell.retry_growth.step", "media.cell.retry_growth.max=25", "the maximum is the limit without growth"),
];

fn moved(paths: &[PathBuf], wake_ups: u64, is_tried: impl Fn(&Control) -> bool) -> (BTreeSet<String>, Vec<String>) {
    let (mut working, mut idle) = (BTreeSet::new(), Vec::new());
    for path in paths {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let source = open(path, &[]).unwrap();
        let before = digest(&network(path, &[]).unwrap(), wake_ups);
        for control in list_controls(&source, &Overrides::default()) {
            let head = control.path.split('.').next().unwrap_or_default();
            let is_known = WITHOUT_EFFECT.iter().any(|(key, _)| *key == head);
            let key = pattern(&control.path);
            if is_known || working.contains(&key) || !is_tried(&control) {
                continue;
            }
            match changes_run(path, &[], &control, &before, wake_ups) {
                Some(true) => {
                    working.insert(key);
                }
                Some(false)
                    if IDLE.iter().all(|(file, path, _)| (*file, *path) != (stem.as_str(), control.path.as_str())) =>
                {
                    idle.push(format!("{stem} {}", control.path));
                }
                _ => {}
            }
        }
    }
    (working, idle)
}

#[test]
fn every_control_of_a_set_key_changes_the_run() {
    let (working, idle) = moved(&[example_path("goel-refined.toml")], WAKE_UPS, |control| control.written.is_some());
    assert!(working.len() > 12 && idle.is_empty(), "{idle:#?} {working:?}");
}

#[test]
#[ignore = "takes minutes: the keys that each example sets"]
fn every_control_that_an_example_sets_changes_the_run_of_an_example() {
    let (early, idle) = moved(&example_paths(), WAKE_UPS, |control| control.written.is_some());
    let idle: BTreeSet<String> = idle.iter().map(|key| pattern(key.split_once(' ').unwrap().1)).collect();
    let open: BTreeSet<&String> = idle.difference(&early).collect();
    let (late, _) = moved(&example_paths(), LATE_WAKE_UPS, |control| {
        control.written.is_some() && open.contains(&pattern(&control.path))
    });
    let dependent = DEPENDENT.map(|(key, ..)| pattern(key));
    let never: Vec<&String> = open.into_iter().filter(|key| !late.contains(*key) && !dependent.contains(key)).collect();
    assert!(never.is_empty(), "{never:#?}");
}

#[test]
fn dependent_controls_change_the_run_once_their_requirement_is_set() {
    let path = example_path("disconnections2012.toml");
    for (key, beside, reason) in DEPENDENT {
        let source = open(&path, &[beside]).unwrap();
        let overrides = Overrides { set: vec![beside.to_owned()], ..Overrides::default() };
        let all = list_controls(&source, &overrides);
        let control = all.iter().find(|control| control.path == key).unwrap();
        let before = digest(&network(&path, &[beside]).unwrap(), LATE_WAKE_UPS);
        let moves = changes_run(&path, &[beside], control, &before, LATE_WAKE_UPS);
        assert_eq!(moves, Some(true), "{key}: {reason}");
    }
}
