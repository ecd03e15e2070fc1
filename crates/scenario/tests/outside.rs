//! Scenarios that name members added to the registries by a program.

use std::collections::BTreeSet;

use engine::members::Open;
use engine::registry::Fault;
use engine::{Draws, Kind, Member, Members, Span, Stream, Time};
use path::agent::{Agent, AgentConfig, Semantics, Traits};
use path::channel::{Channel, ChannelConfig, ChannelFrame, FrameFate};
use path::link::jitter::{DelayConfig, DelayDistribution};
use path::mac::arq::{Arq, ArqConfig};
use path::mac::dcf::rate::{RateControl, RateControlConfig};
use path::queue::{QueueConfig, drop_tail};
use path::scheduler::SchedulerConfig;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use sim::ApplicationConfig;
use sim::app::Application;
use tcp::cc::{Acked, Congestion, CongestionControl, ControlConfig, Flight};
use tcp::differentiation::DifferentiationConfig;
use tcp::recovery::RecoveryConfig;
use tcp::response::ResponseConfig;

/// The settings of every member here.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Config {
    /// From 1 to 9.
    #[serde(default = "one")]
    size: u32,
}

fn one() -> u32 {
    1
}

impl Config {
    fn faults(&self) -> Vec<Fault> {
        Fault::unless_some("size", self.size, 9).into_iter().collect()
    }
}

struct Fixed(f64);

impl CongestionControl for Fixed {
    fn cwnd(&self) -> f64 {
        self.0
    }
    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }
    fn on_ack(&mut self, _: &Acked) {}
    fn on_congestion(&mut self, _: Congestion, _: &Flight) {}
}

struct Lossless;

impl Channel for Lossless {
    fn fate(&mut self, _: &ChannelFrame) -> FrameFate {
        FrameFate::Arrives
    }
}

struct Silent;

impl Agent for Silent {}

struct NoDelay;

impl DelayDistribution for NoDelay {
    fn draw(&self, _: &mut Draws) -> Span {
        Span::ZERO
    }
}

struct First;

impl RateControl for First {
    fn rate(&mut self, _: u32, _: Time) -> path::mac::dcf::RateIndex {
        Default::default()
    }
}

/// Implements [`Member`] of a registry for [`Config`].
macro_rules! member {
    ($registry:ty, $build:expr $(, $traits:expr)?) => {
        impl Member<$registry> for Config {
            fn check(&self) -> Vec<Fault> {
                self.faults()
            }
            $(fn traits(&self) -> <$registry as Open>::Traits {
                $traits
            })?
            fn build(&self, arg: <$registry as Open>::Arg) -> <$registry as Open>::Built {
                let build: fn(&Config, <$registry as Open>::Arg) -> <$registry as Open>::Built = $build;
                build(self, arg)
            }
        }
    };
}

member!(ControlConfig, |config, start| Box::new(Fixed(f64::from(config.size) * start.segment)));
member!(RecoveryConfig, |_, ()| tcp::recovery::reno::build());
member!(DifferentiationConfig, |_, segment| tcp::differentiation::none::build(segment));
member!(ResponseConfig, |_, ()| tcp::response::refined_icmp::build());
member!(ChannelConfig, |_, _| Box::new(Lossless));
member!(DelayConfig, |_, ()| Box::new(NoDelay));
member!(ArqConfig, |_, ()| Arq::none());
member!(SchedulerConfig, |_, ()| path::scheduler::round_robin::build());
member!(QueueConfig, |_, stream| drop_tail::Config::default().build(stream));
member!(ApplicationConfig, |_, stream| sim::app::bulk::Config { bytes: Some(engine::Bytes(100_000)) }.build(stream));
member!(RateControlConfig, |_, _| Box::new(First));
member!(AgentConfig, |_, ()| Some(Box::new(Silent)), Traits { semantics: Semantics::Lost, ..Traits::default() });

/// A member called `outside` in every registry.
fn members() -> Members {
    let mut members = Members::default();
    let kind = || Kind::<Config>::new("outside", "A member of the test").version("1");
    members.add::<ControlConfig>(kind()).unwrap();
    members.add::<RecoveryConfig>(kind()).unwrap();
    members.add::<DifferentiationConfig>(kind()).unwrap();
    members.add::<ResponseConfig>(kind()).unwrap();
    members.add::<ChannelConfig>(kind()).unwrap();
    members.add::<DelayConfig>(kind()).unwrap();
    members.add::<ArqConfig>(kind()).unwrap();
    members.add::<RateControlConfig>(kind()).unwrap();
    members.add::<AgentConfig>(kind()).unwrap();
    members.add::<SchedulerConfig>(kind()).unwrap();
    members.add::<QueueConfig>(kind()).unwrap();
    members.add::<ApplicationConfig>(kind()).unwrap();
    members
}

/// A scenario with an outside member at every place where one is allowed.
const EVERYWHERE: &str = r#"
duration = "10 s"
scheme = "outside"

[nodes]
server = { kind = "host" }
base = { kind = "base-station", scheme = { kind = "outside", size = 2 }, scheduler = "outside" }
mobile = { kind = "host" }
laptop = { kind = "host" }

[links.wire]
kind = "wired"
between = ["server", "base"]
rate = "8 Mbps"
delay = "50 ms"
jitter = { delay = { kind = "mixture", parts = [{ probability = 1.0, delay = { kind = "outside", size = 3 } }] } }

[links.air]
kind = "wireless"
between = ["base", "mobile"]
rate = "2 Mbps"
delay = "1 ms"
queue = { kind = "outside", size = 7 }
channel = { kind = "outside", size = 4 }
arq = { kind = "outside", size = 5 }

[links.cell]
kind = "wireless"
between = ["base", "laptop"]
medium = "cell"

[media.cell]
standard = "802.11b"
rate_control = { size = 6, kind = "outside" }

[flows.download]
from = "server"
to = "mobile"
traffic = "outside"

[flows.download.tcp]
recovery = "outside"
control = { kind = "outside", size = 8 }
loss_differentiation = { kind = "outside", size = 9 }
"#;

fn load(text: &str) -> Result<scenario::Loaded, Vec<scenario::problem::Problem>> {
    scenario::from_toml_with("net.toml", text, &members())
}

#[test]
fn members_are_found_at_every_place() {
    let loaded = load(EVERYWHERE).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let found: Vec<(&str, &str, Option<&Value>)> =
        loaded.outside.iter().map(|it| (&*it.key, it.registry, it.settings.get("size"))).collect();
    let expected = [
        ("scheme", "scheme", None),
        ("scheme", "response", None),
        ("nodes.base.scheme", "scheme", Some(2)),
        ("nodes.base.scheme", "response", None),
        ("nodes.base.scheduler", "scheduler", None),
        ("links.wire.jitter.delay.parts[0].delay", "delay distribution", Some(3)),
        ("links.air.queue", "queue discipline", Some(7)),
        ("links.air.channel", "channel", Some(4)),
        ("links.air.arq", "link layer", Some(5)),
        ("media.cell.rate_control", "rate control", Some(6)),
        ("flows.download.traffic", "application", None),
        ("flows.download.tcp.recovery", "recovery", None),
        ("flows.download.tcp.control", "congestion control", Some(8)),
        ("flows.download.tcp.loss_differentiation", "loss differentiation", Some(9)),
    ];
    let expected: Vec<_> = expected.into_iter().map(|(key, what, size)| (key, what, size.map(Value::from))).collect();
    let expected: Vec<_> = expected.iter().map(|(key, what, size)| (*key, *what, size.as_ref())).collect();
    assert_eq!(found, expected);
    assert!(loaded.outside.iter().all(|it| it.name == "outside" && it.version.as_deref() == Some("1")));
}

/// The schema has members only at the places in the test above.
#[test]
fn schema_has_no_other_member_places() {
    fn places(at: &str, value: &Value, registries: &BTreeSet<String>, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(map) => {
                let to = map.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix("#/$defs/"));
                if let Some(to) = to.filter(|to| registries.contains(to.trim_end_matches("OrName"))) {
                    found.insert(format!("{at} {}", to.trim_end_matches("OrName")));
                }
                map.values().for_each(|value| places(at, value, registries, found));
            }
            Value::Array(items) => items.iter().for_each(|value| places(at, value, registries, found)),
            _ => {}
        }
    }
    let schema = scenario::schema();
    let definitions = schema["$defs"].as_object().unwrap();
    let tagged = |name: &&String| {
        definitions.contains_key(&format!("{name}OrName")) || ["DelayConfig", "QueueConfig"].contains(&name.as_str())
    };
    let registries: BTreeSet<String> = definitions.keys().filter(tagged).cloned().collect();
    let mut found = BTreeSet::new();
    let objects = definitions.iter().filter(|(name, _)| !name.ends_with("OrName") || name.starts_with("Directed"));
    for (name, definition) in objects.chain([(&"Scenario".to_owned(), &schema["properties"])]) {
        places(name, definition, &registries, &mut found);
    }
    let expected = [
        "ApplicationConfig DelayConfig",
        "ApplicationConfig SizeConfig",
        "Arrivals SizeConfig",
        "Config RateControlConfig",
        // Settings of links, possibly with a value for each direction.
        "DirectedArqConfigOrName ArqConfig",
        "DirectedChannelConfigOrName ChannelConfig",
        "Flow ApplicationConfig",
        "Jitter DelayConfig",
        "Node AgentConfig",
        "Node SchedulerConfig",
        "Part DelayConfig",
        "Queue QueueConfig",
        "Scenario AgentConfig",
        "Tcp ControlConfig",
        "Tcp DifferentiationConfig",
        "Tcp RecoveryConfig",
    ];
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

#[test]
fn scheme_resolves_to_its_agent_and_response() {
    let loaded = load(EVERYWHERE).unwrap();
    assert_eq!(loaded.network.nodes[1].agent.traits().semantics, Semantics::Lost);
    assert_eq!(loaded.network.flows[0].tcp.response.name(), "outside");
}

/// A scheme that is only for base stations does not apply to hosts, although the scheme of a scenario includes hosts.
#[test]
fn common_scheme_applies_to_the_nodes_in_its_traits() {
    let mut members = Members::default();
    members.add::<AgentConfig>(Kind::<Config>::new("outside", "A member of the test")).unwrap();
    let text = r#"
        duration = "10 s"
        scheme = "outside"
        nodes = { a = { kind = "host" }, b = { kind = "base-station" }, c = { kind = "host", scheme = "outside" } }
        links.wire = { kind = "wired", between = ["a", "b"], rate = "8 Mbps", delay = "50 ms" }
        links.air = { kind = "wireless", between = ["b", "c"], rate = "2 Mbps", delay = "1 ms" }
        flows.f = { from = "a", to = "c" }
    "#;
    let loaded = scenario::from_toml_with("schemes", text, &members).unwrap();
    let schemes: Vec<&str> = loaded.network.nodes.iter().map(|node| node.agent.name()).collect();
    assert_eq!(schemes, ["unmodified", "outside", "outside"]);
}

#[test]
fn scenario_serializes_as_it_was_read() {
    let loaded = load(EVERYWHERE).unwrap();
    let again = load(&scenario::load::to_toml(&loaded.scenario)).unwrap();
    assert_eq!(again.scenario, loaded.scenario);
    assert_eq!(again.outside, loaded.outside);
}

#[test]
fn unknown_kinds_are_refused_with_place_names_and_suggestion() {
    let problem = |from: &str, to: &str| load(&EVERYWHERE.replace(from, to)).unwrap_err().remove(0);
    let problem_of_name = problem("recovery = \"outside\"", "recovery = \"outsid\"");
    assert_eq!(problem_of_name.key.as_deref(), Some("flows.download.tcp.recovery"));
    assert_eq!(problem_of_name.found.as_deref(), Some("\"outsid\""));
    assert_eq!(problem_of_name.expected, "one of: tahoe, reno, newreno, sack, fack, rack, outside");
    assert_eq!(problem_of_name.hint.as_deref(), Some("did you mean \"outside\"?"));
    let (line, column) = problem_of_name.place.unwrap();
    assert_eq!(EVERYWHERE.lines().nth(line - 1), Some("recovery = \"outside\""));
    assert_eq!(column, 12);

    let problem = problem("channel = { kind = \"outside\"", "channel = { kind = \"perfct\"");
    assert_eq!(problem.key.as_deref(), Some("links.air.channel.kind"));
    assert_eq!(problem.hint.as_deref(), Some("did you mean \"perfect\"?"));
}

#[test]
fn invalid_settings_are_refused_with_their_place() {
    let problem = |from: &str, to: &str| load(&EVERYWHERE.replace(from, to)).unwrap_err().remove(0);
    let fault = problem("size = 8", "size = 10");
    assert_eq!(fault.key.as_deref(), Some("flows.download.tcp.control.size"));
    assert_eq!((fault.found.as_deref(), &*fault.expected), (Some("10"), "1 to 9"));
    assert!(fault.place.is_some());

    let unreadable = problem("size = 8", "size = \"8\"");
    assert_eq!(unreadable.key.as_deref(), Some("flows.download.tcp.control.size"));
    assert_eq!((unreadable.found, &*unreadable.expected), (None, "invalid type: string \"8\", expected u32"));

    let unknown = problem("size = 8", "siz = 8");
    assert_eq!(unknown.key.as_deref(), Some("flows.download.tcp.control.siz"));
    assert!(unknown.expected.contains("expected `size`"), "{unknown:?}");
}

/// In JSON `inf` would become `null`, which means an absent setting.
#[test]
fn settings_that_are_not_finite_are_refused_with_their_place() {
    for number in ["inf", "-inf", "nan"] {
        for table in ["{ kind = \"outside\", size = NUMBER }", "{ size = NUMBER, kind = \"outside\" }"] {
            let text = EVERYWHERE.replace("{ kind = \"outside\", size = 8 }", &table.replace("NUMBER", number));
            let [problem] = &load(&text).unwrap_err()[..] else { panic!("{text}") };
            assert_eq!(problem.key.as_deref(), Some("flows.download.tcp.control.size"));
            assert_eq!((problem.found.as_deref(), &*problem.expected), (Some(number), "a finite number"));
            assert!(problem.place.is_some());
        }
    }
}

/// A member may rely on a prior check of its settings.
#[test]
fn member_with_invalid_settings_is_not_built() {
    #[derive(Deserialize, JsonSchema)]
    struct Even {
        size: u32,
    }
    impl Member<ArqConfig> for Even {
        fn check(&self) -> Vec<Fault> {
            if !self.size.is_multiple_of(2) {
                vec![Fault::new("size", self.size, "an even number")]
            } else {
                Vec::new()
            }
        }
        fn build(&self, (): ()) -> Arq {
            assert!(self.size.is_multiple_of(2), "built with settings that were refused");
            Arq::none()
        }
    }
    impl Member<ApplicationConfig> for Even {
        fn check(&self) -> Vec<Fault> {
            <Self as Member<ArqConfig>>::check(self)
        }
        fn build(&self, stream: Stream) -> Box<dyn Application> {
            assert!(self.size.is_multiple_of(2), "built with settings that were refused");
            sim::app::bulk::Config { bytes: Some(engine::Bytes(100_000)) }.build(stream)
        }
    }
    impl Member<ControlConfig> for Even {
        fn check(&self) -> Vec<Fault> {
            <Self as Member<ArqConfig>>::check(self)
        }
        fn build(&self, start: <ControlConfig as Open>::Arg) -> Box<dyn CongestionControl> {
            assert!(self.size.is_multiple_of(2), "built with settings that were refused");
            Box::new(Fixed(start.segment))
        }
    }
    impl Member<RecoveryConfig> for Even {
        fn check(&self) -> Vec<Fault> {
            <Self as Member<ArqConfig>>::check(self)
        }
        fn build(&self, (): ()) -> <RecoveryConfig as Open>::Built {
            assert!(self.size.is_multiple_of(2), "built with settings that were refused");
            tcp::recovery::reno::build()
        }
    }
    let mut members = Members::default();
    members.add::<ControlConfig>(Kind::<Even>::new("even", "A congestion control of the test")).unwrap();
    members.add::<RecoveryConfig>(Kind::<Even>::new("even", "A recovery of the test")).unwrap();
    members.add::<ArqConfig>(Kind::<Even>::new("even", "A link layer of the test")).unwrap();
    members.add::<ApplicationConfig>(Kind::<Even>::new("even", "An application of the test")).unwrap();
    let text = |size: u32| {
        format!(
            r#"
duration = "10 s"
nodes = {{ base = {{ kind = "base-station" }}, mobile = {{ kind = "host" }}, sink = {{ kind = "host" }} }}
links.wire = {{ kind = "wired", between = ["base", "sink"], rate = "2 Mbps", delay = "1 ms" }}
[links.air]
kind = "wireless"
between = ["base", "mobile"]
rate = "2 Mbps"
delay = "1 ms"
arq = {{ kind = "even", size = {size} }}
[flows.f]
from = "mobile"
to = "sink"
traffic = {{ kind = "even", size = {size} }}
tcp.close = true
tcp.control = {{ kind = "even", size = {size} }}
tcp.recovery = {{ kind = "even", size = {size} }}
"#
        )
    };
    let load = |size| scenario::from_toml_with("net.toml", &text(size), &members);
    let problems = load(3).unwrap_err();
    let keys: Vec<_> = problems.iter().map(|problem| problem.key.as_deref().unwrap_or_default()).collect();
    let flow = ["flows.f.traffic.size", "flows.f.tcp.recovery.size", "flows.f.tcp.control.size"];
    assert_eq!(keys, [&["links.air.arq.size"], &flow[..]].concat());
    assert!(load(2).is_ok());
}

#[test]
fn response_with_required_settings_is_refused_at_its_scheme() {
    #[derive(Deserialize, JsonSchema)]
    struct Required {
        #[expect(dead_code, reason = "only its absence matters")]
        wait: u32,
    }
    impl Member<ResponseConfig> for Required {
        fn build(&self, (): ()) -> <ResponseConfig as Open>::Built {
            tcp::response::refined_icmp::build()
        }
    }
    let mut members = Members::default();
    members.add::<ResponseConfig>(Kind::<Required>::new("snoop", "A sender's part of the test")).unwrap();
    let text = r#"
duration = "10 s"
scheme = "snoop"
nodes = { a = { kind = "host" }, b = { kind = "host" } }
links.wire = { kind = "wired", between = ["a", "b"], rate = "2 Mbps", delay = "1 ms" }
flows.f = { from = "a", to = "b", bytes = "1 kB" }
"#;
    let problems = scenario::from_toml_with("net.toml", text, &members).unwrap_err();
    let [problem] = &problems[..] else { panic!("{problems:#?}") };
    assert_eq!(problem.key.as_deref(), Some("scheme"));
    assert!(problem.expected.starts_with("a response \"snoop\" with a default for each setting"), "{problem}");
}

#[test]
fn faults_of_a_response_are_reported_at_its_scheme() {
    #[derive(Deserialize, JsonSchema)]
    struct Faulty {}
    impl Member<ResponseConfig> for Faulty {
        fn check(&self) -> Vec<Fault> {
            vec![Fault::new("wait", 3, "2")]
        }
        fn build(&self, (): ()) -> <ResponseConfig as Open>::Built {
            unreachable!("it is not built")
        }
    }
    let mut members = Members::default();
    members.add::<ResponseConfig>(Kind::<Faulty>::new("snoop", "A sender's part of the test")).unwrap();
    let text = r#"
duration = "10 s"
nodes = { a = { kind = "host", scheme = "snoop" }, b = { kind = "host" } }
links.wire = { kind = "wired", between = ["a", "b"], rate = "2 Mbps", delay = "1 ms" }
flows.f = { from = "a", to = "b", bytes = "1 kB" }
"#;
    let problems = scenario::from_toml_with("net.toml", text, &members).unwrap_err();
    let [problem] = &problems[..] else { panic!("{problems:#?}") };
    assert_eq!(problem.key.as_deref(), Some("nodes.a.scheme.wait"));
}

#[test]
fn old_key_of_another_kind_is_not_suggested() {
    let text = EVERYWHERE.replace(
        "channel = { kind = \"outside\", size = 4 }",
        "channel = { kind = \"uniform\", loss = 0.1, every = 3 }",
    );
    let problem = load(&text).unwrap_err().remove(0);
    assert_eq!(problem.key.as_deref(), Some("links.air.channel.every"));
    assert!(!problem.hint.unwrap_or_default().contains("is now called"));
}

#[test]
fn sender_without_the_response_of_an_outside_scheme_is_reported() {
    #[derive(Deserialize, JsonSchema)]
    struct Both {}
    impl Member<AgentConfig> for Both {
        fn traits(&self) -> Traits {
            AgentConfig::RefinedIcmp(Default::default()).traits()
        }
        fn build(&self, (): ()) -> Option<Box<dyn Agent>> {
            Some(Box::new(Silent))
        }
    }
    impl Member<ResponseConfig> for Both {
        fn build(&self, (): ()) -> <ResponseConfig as Open>::Built {
            tcp::response::refined_icmp::build()
        }
    }
    let mut members = Members::default();
    members.add::<AgentConfig>(Kind::<Both>::new("both", "A scheme of the test")).unwrap();
    members.add::<ResponseConfig>(Kind::<Both>::new("both", "Its sender's part")).unwrap();
    let warned = |sender: &str| {
        let text = format!(
            r#"
duration = "10 s"
[nodes]
a = {{ kind = "host"{sender} }}
base = {{ kind = "base-station", scheme = "both" }}
b = {{ kind = "host" }}
[links]
wire = {{ kind = "wired", between = ["a", "base"], rate = "2 Mbps", delay = "1 ms" }}
air = {{ kind = "wireless", between = ["base", "b"], rate = "2 Mbps", delay = "1 ms", arq = "stop-and-wait" }}
[flows]
f = {{ from = "a", to = "b", bytes = "100 kB" }}
"#
        );
        let loaded = scenario::from_toml_with("net.toml", &text, &members).unwrap();
        loaded.warnings.iter().any(|warning| warning.to_string().contains("its half of both is missing"))
    };
    assert!(warned(""));
    assert!(!warned(", scheme = \"both\""));
}

/// A second reading with the same table finds the range of a count, and a name without quotes.
#[test]
fn outside_members_do_not_make_errors_less_precise() {
    let problem = |from: &str, to: &str| load(&EVERYWHERE.replace(from, to)).unwrap_err().remove(0);
    let scheme = "scheme = { kind = \"outside\", size = 2 }";
    let count = problem(scheme, "scheme = { kind = \"snoop\", cache = -1 }");
    assert_eq!(count.expected, "a whole number, 1 to 100000", "{count}");
    let number = problem("standard = \"802.11b\"", "standard = 802.11");
    assert_eq!(number.hint.as_deref(), Some("write \"802.11\", in quotes"), "{number}");
}

#[test]
fn scenario_without_the_members_table_is_refused() {
    let problems = scenario::from_toml("net.toml", EVERYWHERE).unwrap_err();
    assert_eq!(problems.len(), 12, "{problems:#?}");
    let read = toml::from_str(EVERYWHERE).unwrap();
    assert_eq!(scenario::check(&read).unwrap_err().len(), 12);
    let loaded = load(EVERYWHERE).unwrap();
    for scenario in [&loaded.scenario, &read] {
        let network = scenario::check_with(scenario, &members()).unwrap().network;
        assert_eq!(format!("{network:?}"), format!("{:?}", loaded.network));
    }
}

#[test]
fn run_uses_the_outside_control() {
    let run = |size: u32| {
        let text = EVERYWHERE.replace("size = 8", &format!("size = {size}"));
        let mut world = sim::World::new(&load(&text).unwrap().network, false);
        world.run(&mut sim::NullSink);
        world.results().flows[0].completed.unwrap()
    };
    // 69 segments with windows of 1 and 9 segments: 69 round trips against 8.
    let (small, large) = (run(1), run(9));
    assert!(small > large + Span::from_secs(5), "{small:?}, {large:?}");
}

/// The page about the library shows code of the example crate, which the tests build.
#[test]
fn code_in_the_page_equals_the_example() {
    let page = include_str!("../../../docs/api.md");
    let files = [
        include_str!("../../../examples/outside/src/lib.rs"),
        include_str!("../../../examples/outside/src/every_nth.rs"),
        include_str!("../../../examples/outside/src/tunnels.rs"),
        include_str!("../../../examples/outside/tests/contracts.rs"),
    ];
    let of = |language: &str| -> Vec<&str> {
        let begin = format!("```{language}\n");
        page.split(&begin).skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect()
    };
    let manifest = include_str!("../../../examples/outside/Cargo.toml");
    let [toml] = of("toml")[..] else { panic!("one manifest") };
    assert!(manifest.contains(toml), "not in examples/outside/Cargo.toml:\n{toml}");
    let blocks = of("rust");
    assert_eq!(blocks.len(), 5);
    for block in blocks {
        assert!(files.iter().any(|file| file.contains(block)), "not in examples/outside:\n{block}");
    }
}
