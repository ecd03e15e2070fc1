//! A member reads a file beside the scenario, and a lint concerns it.

use std::path::Path;
use std::rc::Rc;

use engine::Time;
use scenario::load::{Loaded, to_toml};
use scenario::problem::Problem;
use scenario::{MemoryFiles, NoFiles, Overrides, Source};
use sim::{NullSink, World};

const TUNNELS: &str = include_str!("../tunnels.csv");

/// The example with another file of tunnels, if any.
fn load_with(tunnels: Option<&str>) -> Result<Loaded, Vec<Problem>> {
    let scenario = ("train.toml", include_str!("../train.toml"));
    let files = [scenario].into_iter().chain(tunnels.map(|tunnels| ("tunnels.csv", tunnels)));
    let files = files.map(|(name, text)| (name.into(), text.as_bytes().to_vec())).collect();
    let files = Rc::new(MemoryFiles { files, rest: NoFiles });
    let members = outside::members().expect("the names are free");
    let source = Source::open(files, Path::new("train.toml"), &Overrides::default())?.with_members(&members);
    source.resolve(&source.document)
}

fn load(tunnels: &str) -> Loaded {
    load_with(Some(tunnels)).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn problem(tunnels: Option<&str>) -> String {
    let problems = load_with(tunnels).expect_err("the file is refused");
    assert_eq!(problems.len(), 1, "{problems:#?}");
    problems[0].to_string()
}

fn completion(loaded: &Loaded) -> Time {
    let mut world = World::new(&loaded.network, false);
    world.run(&mut NullSink);
    world.results().flows[0].completed.expect("5 MB take less than 60 s")
}

#[test]
fn file_beside_the_scenario_changes_the_run() {
    let (through, around) = (completion(&load(TUNNELS)), completion(&load("59,60\n")));
    assert!(through > around + engine::Span::from_secs(3), "{through:?}, {around:?}");
}

/// The settings have the content in place of the name.
#[test]
fn stored_scenario_needs_no_file() {
    let loaded = load(TUNNELS);
    let stored = to_toml(&loaded.scenario);
    assert!(!stored.contains("tunnels.csv"), "{stored}");
    let members = outside::members().expect("the names are free");
    let again = scenario::from_toml_with("stored.toml", &stored, &members).unwrap();
    assert_eq!((completion(&again), again.scenario), (completion(&loaded), loaded.scenario));
}

#[test]
fn missing_and_wrong_files_name_key_line_and_expectation() {
    let missing = problem(None);
    assert!(missing.contains("train.toml:21:"), "{missing}");
    assert!(missing.contains("links.air.channel.file: the file tunnels.csv does not exist"), "{missing}");
    let wrong = problem(Some("5,8\n20.5\n"));
    let expected = "found line 2: 20.5, expected two times in seconds with a comma between them";
    assert!(wrong.starts_with("tunnels.csv: links.air.channel.file: ") && wrong.contains(expected), "{wrong}");
    let backward = problem(Some("5,8\n22,20.5\n"));
    assert!(backward.contains("links.air.channel.passages"), "{backward}");
    assert!(backward.contains("expected a time after 22 s, its begin"), "{backward}");
}

#[test]
fn passages_after_the_end_are_reported_by_a_lint() {
    let warnings = |tunnels| load(tunnels).warnings.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(warnings(TUNNELS), [""; 0]);
    let late = warnings("60,70\n");
    assert_eq!(late.len(), 1, "{late:?}");
    let expected = "links.air.channel.passages: an interval that begins before the end (`duration`, 60 s)";
    assert!(late[0].contains(expected) && late[0].contains("[absence-after-end]"), "{late:?}");
}
