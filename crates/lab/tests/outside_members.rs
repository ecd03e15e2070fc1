//! Members that a program adds to a registry, in sweeps: name, settings and version are part of a store's key.

use engine::members::Factory;
use engine::{Kind, Member, Members, Stream};
use lab::load::{self, Overrides};
use lab::store::Digest;
use lab::sweep::Plan;
use path::channel::{Channel, ChannelConfig};
use scenario::problem::Problem;
use schemars::JsonSchema;
use serde::Deserialize;

const SCENARIO: &str = r#"
duration = "1 s"
[nodes]
a = { kind = "host" }
b = { kind = "host" }
[links.air]
kind = "wireless"
between = ["a", "b"]
rate = "2 Mbps"
delay = "1 ms"
channel = { kind = "odd", loss = 0.1, burst = 2 }
[flows.f]
from = "a"
to = "b"
[sweep]
replications = 2
"#;

/// A channel equal to `uniform` under another name.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Odd {
    loss: f64,
    #[allow(dead_code, reason = "a setting that changes nothing but the key")]
    burst: u32,
}

impl Member<ChannelConfig> for Odd {
    fn build(&self, stream: Stream) -> Box<dyn Channel> {
        ChannelConfig::Uniform(path::channel::uniform::Config { loss: self.loss }).build(stream)
    }
}

fn plan(text: &str, factory: impl Factory<ChannelConfig> + 'static) -> Result<Plan, Vec<Problem>> {
    let mut members = Members::default();
    members.add::<ChannelConfig>(factory).unwrap();
    let source = load::of_text("net".into(), "net.toml".into(), text.as_bytes(), &Overrides::default())?;
    Plan::of(&source.with_members(&members))
}

fn odd(name: &'static str) -> Kind<Odd> {
    Kind::new(name, "Loses frames")
}

fn key(text: &str, factory: impl Factory<ChannelConfig> + 'static) -> Digest {
    plan(text, factory).unwrap_or_else(|problems| panic!("{problems:#?}")).points[0].cells[0].digest
}

#[test]
fn name_settings_and_version_enter_the_store_key() {
    let base = key(SCENARIO, odd("odd").version("1"));
    assert_eq!(base, key(SCENARIO, odd("odd").version("1")));
    let reordered = SCENARIO.replace("loss = 0.1, burst = 2", "burst = 2, loss = 0.1");
    assert_eq!(base, key(&reordered, odd("odd").version("1")));
    let others = [
        key(SCENARIO, odd("odd").version("2")),
        key(&SCENARIO.replace("\"odd\"", "\"even\""), odd("even").version("1")),
        key(&SCENARIO.replace("burst = 2", "burst = 3"), odd("odd").version("1")),
    ];
    assert!(others.iter().all(|other| *other != base));
}

#[test]
fn member_without_version_is_refused_with_its_place() {
    let problem = plan(SCENARIO, odd("odd")).err().unwrap().remove(0);
    assert_eq!(problem.key.as_deref(), Some("links.air.channel"));
    assert_eq!(problem.found.as_deref(), Some("\"odd\" without one"));
    assert_eq!(problem.expected, "a channel whose factory has a version: a store identifies results by it");
    assert_eq!(problem.place.map(|(line, _)| line), Some(11));
}

#[test]
fn stored_scenario_with_a_member_is_read_back() {
    let plan = plan(SCENARIO, odd("odd").version("1")).unwrap();
    let text = scenario::document::render_scenario(&plan.scenario);
    let kept = scenario::document::read_back(&text).expect("the text is readable without the member");
    assert_eq!(kept.sweep, plan.scenario.sweep);
    assert!(scenario::check(&kept).is_err(), "it does not run without the member");
}
