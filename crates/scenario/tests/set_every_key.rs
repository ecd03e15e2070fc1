//! `--set` reaches every key that the JSON Schema has.

use scenario::Document;

use crate::schema_keys::{Key, keys};

/// A scenario with a name in each table of names, and no optional setting.
const PLAIN: &str = r#"
duration = "10 s"
nodes = { a = { kind = "host" }, x = { kind = "base-station" } }
links.air = { kind = "wireless", between = ["a", "x"], rate = "8 Mbps", delay = "1 ms" }
media.cell = { standard = "802.11b" }
flows.down = { from = "a", to = "x" }
arrivals.short = { from = "a", to = "x", rate = "1 /s", sizes = "fixed" }
"#;

#[test]
fn every_key_of_the_schema_can_be_set() {
    let keys = keys();
    assert!(keys.len() > 340, "{} keys", keys.len());
    for Key { path, kinds, sample, .. } in keys {
        let mut document = Document::parse("plain.toml", PLAIN.as_bytes()).unwrap();
        for kind in &kinds {
            document.set(kind).unwrap_or_else(|problem| panic!("{problem}"));
        }
        document.set(&format!("{path}={sample}")).unwrap_or_else(|problem| panic!("{problem}"));
        for problem in document.read().err().into_iter().flatten() {
            let shown = problem.to_string();
            assert!(!shown.contains("no such key"), "{kinds:?} {path}={sample}: {shown}");
            // The sample is valid for the type of its key. Other keys may be missing.
            let at_key = problem.key.as_deref() == Some(&path) && problem.found.is_some();
            let is_table = sample == "{}";
            assert!(!at_key || is_table || sample == "text", "{kinds:?} {path}={sample}: {shown}");
        }
    }
}

fn set(assignments: &[&str]) -> Result<scenario::Scenario, String> {
    let mut document = Document::parse("plain.toml", PLAIN.as_bytes()).unwrap();
    let set = assignments.iter().try_for_each(|assignment| document.set(assignment));
    set.map_err(|problem| problem.to_string())?;
    document.read().map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

#[test]
fn missing_tables_and_lists_are_created() {
    let jitter = set(&[
        "links.air.jitter.delay.kind=normal",
        "links.air.jitter.delay.mean=5 ms",
        "links.air.jitter.delay.deviation=1 ms",
    ]);
    let inline = set(&["links.air.jitter={ delay = { kind = \"normal\", mean = \"5 ms\", deviation = \"1 ms\" } }"]);
    assert_eq!(jitter.unwrap(), inline.unwrap());
    let numbered =
        set(&["links.air.channel.kind=scripted", "links.air.channel.drop[0]=3", "links.air.channel.drop.1=5"]);
    let listed = set(&["links.air.channel={ kind = \"scripted\", drop = [3, 5] }"]);
    assert_eq!(numbered.unwrap(), listed.unwrap());
    let axes = set(&["sweep.axes.\"links.air.rate\"=[\"1 Mbps\"]"]).unwrap().sweep.unwrap().axes;
    assert_eq!(axes.keys().collect::<Vec<_>>(), ["links.air.rate"]);
}

#[test]
fn shorthand_is_expanded_to_its_table() {
    let short = set(&["links.air.arq=go-back-n", "links.air.arq.window=5"]).unwrap();
    assert_eq!(short, set(&["links.air.arq={ kind = \"go-back-n\", window = 5 }"]).unwrap());
    let switched = set(&["flows.down.tcp.delayed_ack=true", "flows.down.tcp.delayed_ack.every=3"]).unwrap();
    assert_eq!(switched, set(&["flows.down.tcp.delayed_ack={ every = 3 }"]).unwrap());
}

#[test]
fn key_below_a_scalar_is_refused() {
    for (assignment, expected) in [
        ("links.ari.rate=1 Mbps", "there is no links.ari\n  hint: did you mean \"air\"?"),
        ("links.air.rate.x=1", "links.air.rate is a single value here, it has no x"),
        ("links.air.between[0].x=1", "links.air.between[0] is a single value here, it has no x"),
        ("links.air.between[2]=x", "expected a list of 2, in brackets"),
        ("links.air.between[3]=1", "the list has 2 items; [2] adds one"),
        ("links.air.between.first=1", "links.air.between is a list, it has no first"),
        ("links.air.chanel.kind=uniform", "links.air.chanel: no such key\n  hint: did you mean \"channel\"?"),
        ("links.air.bandwidth=1 Mbps", "links.air.bandwidth: no such key\n  hint: did you mean \"rate\"?"),
        ("flows.down.cc=cubic", "flows.down.cc: no such key\n  hint: did you mean \"tcp.control\"?"),
    ] {
        let said = set(&[assignment]).unwrap_err();
        assert!(said.starts_with(&format!("--set {assignment}: ")) && said.contains(expected), "{said}");
    }
}

/// A tree of a hundred thousand levels would overflow the stack.
#[test]
fn key_of_too_many_parts_is_refused() {
    let mut document = Document::parse("s.toml", PLAIN.as_bytes()).unwrap();
    let problem = document.set(&format!("links{}=1", ".a".repeat(100_000))).unwrap_err();
    assert!(problem.to_string().contains("expected a key of at most 64 parts"), "{}", &problem.to_string()[200_000..]);
    assert!(document.read().is_ok());
}
