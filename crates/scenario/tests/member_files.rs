//! Files that outside members read, in each format and at each depth.

use std::path::Path;
use std::rc::Rc;

use engine::members::Open;
use engine::registry::{ContentFault, Fault};
use engine::{Bytes, Draws, Kind, Member, MemberFile, Members, Span, Stream};
use path::channel::{ChannelConfig, ChannelTraits, perfect};
use scenario::load::to_toml;
use scenario::problem::Problem;
use scenario::{Loaded, MemoryFiles, NoFiles, Overrides, Source};
use schemars::JsonSchema;
use serde::Deserialize;
use sim::size::SizeDistribution;
use sim::{ApplicationConfig, SizeConfig};

/// A size from the first line of a text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SizeInText {
    file: Option<String>,
    size: Option<Bytes>,
}

impl Member<SizeConfig> for SizeInText {
    fn check(&self) -> Vec<Fault> {
        let given = self.file.is_some() || self.size.is_some();
        if given { Vec::new() } else { vec![Fault::new("size", "none", "a `file`, or a `size`")] }
    }

    fn files(&self) -> Vec<MemberFile> {
        let parse = |text: &str| text.trim().parse::<u64>().map_err(|_| ContentFault::new(1, "a number of bytes"));
        vec![MemberFile::text("file", "size", move |text| parse(text).map(Bytes))]
    }

    fn build(&self, (): ()) -> Box<dyn SizeDistribution> {
        Box::new(FixedSize(self.size.map_or(1, |size| size.0)))
    }
}

struct FixedSize(u64);

impl SizeDistribution for FixedSize {
    fn draw(&self, _: &mut Draws) -> u64 {
        self.0
    }

    fn mean(&self) -> f64 {
        self.0 as f64
    }
}

/// A channel with settings from files in the other formats.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReplayedStates {
    states: Option<String>,
    switches: Option<Vec<Span>>,
    limits: Option<String>,
    numbers: Option<Numbers>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Numbers {
    most: u32,
}

impl Member<ChannelConfig> for ReplayedStates {
    fn check(&self) -> Vec<Fault> {
        let most = self.numbers.as_ref().map_or(u32::MAX, |numbers| numbers.most) as usize;
        let count = self.switches.as_ref().map_or(0, Vec::len);
        assert_eq!(self.states.is_none(), self.switches.is_some(), "before the file was read, or after it");
        assert_eq!(self.limits.is_none(), self.numbers.is_some(), "before the file was read, or after it");
        let fault = || Fault::new("switches", count, format!("at most {most}"));
        if count > most { vec![fault()] } else { Vec::new() }
    }

    fn files(&self) -> Vec<MemberFile> {
        vec![MemberFile::states("states", "switches"), MemberFile::toml("limits", "numbers")]
    }

    fn traits(&self) -> ChannelTraits {
        ChannelTraits { recorded: true, ..ChannelTraits::default() }
    }

    fn build(&self, _: Stream) -> <ChannelConfig as Open>::Built {
        perfect::build(Stream::default())
    }
}

fn members() -> Members {
    let mut members = Members::default();
    members.add::<SizeConfig>(Kind::<SizeInText>::new("in-text", "A size of the test").version("1")).unwrap();
    members.add::<ChannelConfig>(Kind::<ReplayedStates>::new("replayed", "A channel of the test")).unwrap();
    members
}

const SCENARIO: &str = r#"
duration = "10 s"
nodes = { a = { kind = "host" }, b = { kind = "base-station" }, c = { kind = "host", count = 2 } }
output.traces = ["air"]
[links.wire]
kind = "wired"
between = ["a", "b"]
rate = "8 Mbps"
delay = "50 ms"
[links.air]
kind = "wireless"
between = ["b", "c"]
rate = "2 Mbps"
delay = "1 ms"
[links.air.channel]
backward = { kind = "replayed", states = "states.dat", limits = "limits.toml" }
[flows.web]
from = "a"
to = "c"
traffic = { kind = "requests", pages = 1, sizes = { kind = "in-text", file = "size.txt" } }
"#;

const FILES: [(&str, &str); 3] =
    [("states.dat", "1000 BAD\n1250 GOOD\n"), ("limits.toml", "most = 2\n"), ("size.txt", "20000\n")];

fn load(changes: &[(&str, Option<&str>)]) -> Result<Loaded, Vec<Problem>> {
    let changed = |name: &str| changes.iter().find(|(changed, _)| *changed == name).map(|(_, text)| *text);
    let files = FILES.into_iter().chain([("net.toml", SCENARIO)]);
    let files = files.filter_map(|(name, text)| Some((name, changed(name).unwrap_or(Some(text))?)));
    let files = files.map(|(name, text)| (name.into(), text.as_bytes().to_vec())).collect();
    let files = Rc::new(MemoryFiles { files, rest: NoFiles });
    let source = Source::open(files, Path::new("net.toml"), &Overrides::default())?.with_members(&members());
    source.resolve(&source.document)
}

/// Returns the only problem with this text as the file, in a scenario without copies.
fn problem(name: &str, text: Option<&str>) -> String {
    let scenario = SCENARIO.replace(", count = 2", "");
    let problems = load(&[("net.toml", Some(&scenario)), (name, text)]).expect_err(name);
    assert_eq!(problems.len(), 1, "{problems:#?}");
    problems[0].to_string()
}

/// The files are also read in copies of a node, in settings of another member, and in settings of one direction.
#[test]
fn files_of_each_format_are_read_at_every_depth() {
    let loaded = load(&[]).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let stored = to_toml(&loaded.scenario);
    for (name, _) in FILES {
        assert!(!stored.contains(name), "{stored}");
    }
    assert_eq!(stored.matches("switches = [\"1 s\", \"1.25 s\"]").count(), 2, "{stored}");
    let ApplicationConfig::Requests(pages) = &loaded.network.flows[1].traffic else { panic!("pages") };
    assert_eq!(pages.sizes.build().mean(), 20_000.0);
    assert_eq!(stored.matches("size = \"20 kB\"").count(), 2, "{stored}");
    let again = scenario::from_toml_with("stored.toml", &stored, &members()).unwrap();
    assert_eq!(again.scenario, loaded.scenario);
}

/// A run records the states of a channel unless these are read from a recording.
#[test]
fn run_does_not_record_channel_states_that_it_reads_from_a_recording() {
    assert!(!load(&[]).unwrap().records_air());
    let text =
        SCENARIO.replace("{ kind = \"replayed\", states = \"states.dat\", limits = \"limits.toml\" }", "\"perfect\"");
    assert!(load(&[("net.toml", Some(&text))]).unwrap().records_air());
}

#[test]
fn problems_of_files_name_key_place_and_expectation() {
    for (name, text, said) in [
        ("states.dat", None, "links.air.channel.backward.states: the recorded channel states.dat does not exist"),
        ("states.dat", Some("5 BAD\n4 GOOD\n"), "states.dat:2:1: links.air.channel.backward.states: found 4 GOOD"),
        ("limits.toml", None, "links.air.channel.backward.limits: the file limits.toml does not exist"),
        ("limits.toml", Some("most ="), "limits.toml: links.air.channel.backward.limits: found line 1: most ="),
        ("limits.toml", Some("least = 1\n"), "links.air.channel.backward.numbers.least: unknown field `least`"),
        ("limits.toml", Some("most = 1\n"), "links.air.channel.backward.switches: found 2, expected at most 1"),
        ("size.txt", None, "flows.web.traffic.sizes.file: the file size.txt does not exist"),
        ("size.txt", Some("ten\n"), "size.txt: flows.web.traffic.sizes.file: found line 1: ten, expected a number"),
    ] {
        let problem = problem(name, text);
        assert!(problem.contains(said), "{problem}\nshould say {said}");
    }
}

#[test]
fn unknown_member_of_one_direction_is_reported_with_the_key_of_that_direction() {
    let text = SCENARIO.replace("kind = \"replayed\"", "kind = \"replaied\"");
    let problems = load(&[("net.toml", Some(&text))]).unwrap_err();
    assert_eq!(problems[0].key.as_deref(), Some("links.air.channel.backward.kind"));
    assert_eq!(problems[0].hint.as_deref(), Some("did you mean \"replayed\"?"));
    assert!(problems[0].place.is_some());
}
