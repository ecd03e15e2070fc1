//! The varied keys of a sweep in all forms, and the messages about keys that cannot be varied: line, key, found value,
//! expected value, hint.

use std::path::PathBuf;

use lab::load::{self, Overrides};
use lab::sweep::Plan;
use scenario::problem::Problem;
use scenario::sweep::Replications;
use testkit::FADING_PATH;

/// `sweep` starts at line 25.
fn base_text() -> String {
    format!(
        r#"title = "Small"
duration = "100 s"
{FADING_PATH}[flows.download]
from = "server"
to = "mobile"
bytes = "200 kB"
receive_window = "16 KiB"
[sweep]
"#
    )
}

fn plan_set(sweep: &str, set: &[&str]) -> Result<Plan, Vec<Problem>> {
    let set = set.iter().map(|set| (*set).to_owned()).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    let text = format!("{}{sweep}", base_text());
    Plan::of(&load::of_text("net".into(), PathBuf::from("net.toml"), text.as_bytes(), &overrides)?)
}

fn plan(sweep: &str) -> Plan {
    plan_set(sweep, &[]).unwrap_or_else(|problems| panic!("{sweep}: {problems:?}"))
}

/// Returns the values of the points of a sweep.
fn points(plan: &Plan) -> Vec<String> {
    let values =
        |point: &lab::sweep::Point| point.changes.iter().map(|(_, to)| scenario::axes::format_axis_value(to)).collect();
    plan.points.iter().map(values).map(|values: Vec<String>| values.join(" ")).collect()
}

#[test]
fn grid_combines_lists_ranges_and_zipped_keys() {
    let grid = plan(
        "axes.links.wire.delay = [\"50 ms\", \"100 ms\"]\naxes.\"flows.download.receive_window\" = { from = \"8 KiB\", to = \"16 KiB\", step = \"8 KiB\" }",
    );
    assert_eq!(points(&grid), ["50 ms 8 KiB", "50 ms 16 KiB", "100 ms 8 KiB", "100 ms 16 KiB"]);
    let delay = |plan: &Plan, point: usize| plan.points[point].cells[0].network.links[0].delay.to_string();
    assert_eq!((delay(&grid, 1), delay(&grid, 2)), ("50 ms".into(), "100 ms".into()));
    let zipped = plan(
        "zip = [{ links.wire.rate = [\"1 Mbps\", \"10 Mbps\"], \"links.wire.delay\" = { from = \"1 ms\", to = \"100 ms\", count = 2, scale = \"log\" } }]\naxes.seed = [1, 2]",
    );
    assert_eq!(points(&zipped), ["1 1 Mbps 1 ms", "1 10 Mbps 100 ms", "2 1 Mbps 1 ms", "2 10 Mbps 100 ms"]);
    let log = plan("axes.links.air.channel.mean_bad = { from = \"1 ms\", to = \"1 s\", count = 4, scale = \"log\" }");
    assert_eq!(points(&log), ["1 ms", "10 ms", "100 ms", "1 s"]);
    // A table as a value, and a key with an optional table.
    let tables = plan(
        "axes.links.air.channel = [\"perfect\", { kind = \"two-state\", mean_good = \"1 s\", mean_bad = \"1 s\" }]",
    );
    assert_ne!(tables.points[0].cells[0].digest, tables.points[1].cells[0].digest);
    assert_eq!(plan("axes.flows.download.tcp.initial_window = [1, 2]").points.len(), 2);
    // All settings are on the command line.
    let set = plan_set("", &["sweep.axes.links.wire.delay=[\"1 ms\", \"2 ms\", \"3 ms\"]", "sweep.replications=3"]);
    assert_eq!(points(&set.unwrap()), ["1 ms", "2 ms", "3 ms"]);
}

#[test]
fn cases_are_declared_by_one_key_or_by_name() {
    let names = |plan: &Plan| plan.cases.iter().map(|case| case.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&plan("compare.scheme = [\"unmodified\", \"refined-icmp\"]")), ["unmodified", "refined-icmp"]);
    assert_eq!(
        names(&plan("compare.\"flows.download.receive_window\" = [\"8 KiB\", \"16 KiB\"]")),
        ["8 KiB", "16 KiB"]
    );
    let named = plan(
        "[sweep.compare]\nclear = { links.air.channel = \"perfect\" }\nsmall = { \"flows.download.receive_window\" = \"4 KiB\", seed = 5 }\nplain = {}",
    );
    assert_eq!(names(&named), ["clear", "small", "plain"]);
    let [clear, small, plain] = &named.points[0].cells[..] else { panic!() };
    assert_eq!(small.network.seed, 5);
    assert!(clear.digest != plain.digest && small.digest != plain.digest);
}

#[test]
fn until_precise_has_the_defaults_recommended_in_law2015() {
    let plan = plan("replications = { precision = 0.05, metric = \"goodput_bps\" }\nmetrics = [\"timeouts\"]");
    assert_eq!(plan.replications(), (10, 1000));
    assert_eq!(plan.precise.name, "goodput_bps");
    assert!(matches!(&plan.replications, Replications::UntilPrecise(rule) if rule.level == 0.95));
}

/// A sweep with a `#` before the mistake, and the expected parts of the message.
const CASES: &[(&str, &[&str])] = &[
    ("axes.links.wire.dealy = [#\"1 ms\"]", &["links.wire.dealy: no such key", "did you mean \"delay\"?"]),
    ("axes.\"links.wirre.delay\" = [#\"1 ms\"]", &["there is no links.wirre", "did you mean \"wire\"?"]),
    ("axes.links.wire.#delay = []", &["sweep.axes.links.wire.delay: found []", "at least one value"]),
    ("axes.links.wire.delay = #\"1 ms\"", &["sweep.axes.links.wire.delay: found \"1 ms\"", "a list of values, a"]),
    (
        "axes.seed = [1, 2]\naxes.links.wire.delay = [\"1 ms\", #\"2 mss\"]\ncompare.scheme = [\"unmodified\", \"simple-icmp\"]",
        &["links.wire.delay: found \"2 mss\", expected a time", "with seed = 1, case unmodified"],
    ),
    ("axes.links.wire.delay = [\"1 ms\", #\"1 ms\"]", &["found \"1 ms\", expected each value once", "replications"]),
    (
        "axes.links.wire.delay = { from = \"1 ms\", to = #\"2 mss\", count = 2 }",
        &["sweep.axes.links.wire.delay.to: found \"2 mss\"", "with its unit"],
    ),
    (
        "axes.links.air.channel.mean_bad = { from = #\"1 parsec\", to = \"2 ms\", count = 2 }",
        &["sweep.axes.links.air.channel.mean_bad.from: found \"1 parsec\"", "with its unit"],
    ),
    ("axes.seed = #{ from = 1, to = 3, count = 10 }", &["found 1 twice", "when rounded", "fewer values"]),
    (
        "zip = [{ seed = [1, 2], links.wire.#delay = [\"1 ms\"] }]",
        &["sweep.zip[0].links.wire.delay: found 1 value, expected 2 values, as for `seed`"],
    ),
    (
        "zip = [{ seed = [1, 2], links.wire.delay = [\"1 ms\", #\"x\"] }]",
        &["links.wire.delay: found \"x\", expected a time", "with seed = 2"],
    ),
    ("axes.seed = [1]\nzip = [{ #seed = [1, 2] }]", &["sweep.zip[0].seed", "each key on one axis only"]),
    ("axes.seed = [1]\ncompare.#seed = [1, 2]", &["sweep.compare.seed", "either on an axis or compared"]),
    (
        "compare.#scheme = [\"unmodified\"]\ncompare.seed = [1]",
        &["sweep.compare.scheme: found [\"unmodified\"]", "one key with a list of values", "[sweep.compare.NAME]"],
    ),
    (
        "compare.#links.wire.delay = [\"1 ms\"]\ncompare.links.air.delay = [\"1 ms\"]",
        &["sweep.compare.links", "one key with a list of values", "[sweep.compare.NAME]"],
    ),
    ("compare.a.seed = 1\ncompare.b.links.aer.delay = #\"1 ms\"", &["there is no links.aer", "did you mean \"air\"?"]),
    (
        "compare.a.links.air.channel.mean_bad = #\"never\"\ncompare.b.seed = 1",
        &["links.air.channel.mean_bad: found \"never\", expected a time"],
    ),
    ("compare.scheme = [\"unmodified\", #\"refined\"]", &["scheme: found \"refined\"", "\"refined-icmp\""]),
    ("axes.links.air.channel.kind = [#\"recorded\"]", &["only `kind` was set", "links.air.channel = { kind"]),
    ("axes.#title = [\"a\", \"b\"]", &["sweep.axes.title", "a key on which results depend"]),
    ("axes.#replication = [1, 2]", &["a key on which results depend", "sweep.replications = N"]),
    ("axes.\"\" = [#1]", &["no such key"]),
    ("replications = #0", &["sweep.replications: found 0, expected a whole number from 1"]),
    ("replications = #-1", &["sweep.replications: found -1, expected a whole number, such as 10, or { precision"]),
    ("replications = #\"many\"", &["found \"many\", expected a whole number, such as 10"]),
    ("replications = { precision = #5 }", &["precision: found 5, expected more than 0, less than 1", "5 % is 0.05"]),
    ("replications = { precision = #nan }", &["precision: found NaN, expected more than 0"]),
    ("replications = { precision = #\"high\" }", &["precision: found \"high\", expected a number"]),
    ("replications = { precision = 0.02, level = #95 }", &["level: found 95, expected more than 0, less than 1"]),
    ("replications = { precision = 0.02, #mni = 5 }", &["replications.mni: no such key", "did you mean \"min\"?"]),
    ("replications = { precision = 0.02, min = #1 }", &["replications.min: found 1, expected a whole number from 2"]),
    ("replications = { precision = 0.02, max = #5 }", &["replications.max: found 5, expected a whole number from 10"]),
    ("#replications = { min = 5 }", &["`precision` is missing"]),
    (
        "replications = { precision = 0.02, metric = #\"goodput\" }",
        &["replications.metric: found \"goodput\", expected a metric", "did you mean \"goodput_bps\"?"],
    ),
    (
        "metrics = [\"timeouts\", #\"timeuots\"]",
        &["sweep.metrics[1]: found \"timeuots\"", "did you mean \"timeouts\"?"],
    ),
    (
        "replications = #1000000\naxes.seed = { from = 1, to = 999, step = 1 }",
        &["found 999000000 runs (999 points x 1 case x 1000000 re", "at most 100000000"],
    ),
    (
        "metrics = [\"timeouts\", #\"throughput\"]",
        &["sweep.metrics[1]: found \"throughput\", expected a metric", "hint: write \"goodput_bps\""],
    ),
    ("metrics = [#\"jain\"]", &["sweep.metrics[0]: found \"jain\"", "hint: write \"fairness\""]),
    ("#metric = [\"timeouts\"]", &["sweep.metric: no such key", "did you mean \"metrics\"?"]),
];

#[test]
fn every_message_has_a_position_and_a_hint() {
    for (marked, expected) in CASES {
        let before = &marked[..marked.find('#').expect("a place")];
        let line = 25 + before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let problems = plan_set(&marked.replacen('#', "", 1), &[]).map(|_| ()).expect_err(marked);
        let said = problems[0].to_string();
        assert!(said.starts_with(&format!("net.toml:{line}:")), "{marked}\n{said}");
        assert_eq!(problems[0].place, Some((line, column)), "{marked}\n{said}");
        for expected in *expected {
            assert!(said.contains(expected), "{marked}: not {expected} in\n{said}");
        }
    }
}

/// Refused before a grid of this size is computed or stored.
#[test]
fn oversized_grid_is_refused_at_once() {
    let large = "axes.seed = { from = 1, to = 9999, step = 1 }\n\
                 axes.flows.download.start = { from = \"1 ms\", to = \"1000 ms\", step = \"1 ms\" }\n\
                 axes.links.wire.delay = { from = \"1 ms\", to = \"1000 ms\", step = \"1 ms\" }";
    let said = plan_set(large, &[]).map(|_| ()).expect_err("a problem")[0].to_string();
    assert!(said.contains("found 9999000000 points x 1 case, expected at most 100000 in all"), "{said}");
}

/// A setting of the command line has no position in the file.
#[test]
fn errors_in_a_sweep_from_the_command_line_name_the_option() {
    for (set, expected) in [
        ("sweep.axes.links.wire.delay=[\"1 ms\", \"2 mss\"]", "links.wire.delay: found \"2 mss\""),
        ("sweep.axes.links.wire.delya=[\"1 ms\"]", "links.wire.delya: no such key"),
        ("sweep.replications=0", "sweep.replications: found 0"),
    ] {
        let said = plan_set("", &[set]).map(|_| ()).expect_err(set)[0].to_string();
        assert!(said.starts_with(&format!("--set {set}: ")) && said.contains(expected), "{said}");
    }
}

/// An error that only a combination of settings causes names both settings.
#[test]
fn errors_of_a_combination_name_both_settings() {
    let sweep =
        "axes.flows.download.mss = [\"1 kB\", \"32 kB\"]\naxes.flows.download.receive_window = [\"8 KiB\", \"64 KiB\"]";
    let problem = plan_set(sweep, &[]).map(|_| ()).expect_err("a problem").remove(0);
    assert_eq!(problem.place, Some((26, 39)), "{problem}");
    assert_eq!(problem.among.as_deref(), Some("flows.download.mss = \"32 kB\""));
}

#[test]
fn warnings_of_all_points_are_reported_once() {
    let sweep =
        "axes.seed = [1, 2, 3]\n[sweep.compare]\nplain = {}\nhalf = { nodes.station.scheme = \"refined-icmp\" }";
    let warned = plan(sweep).warnings;
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert_eq!(warned[0].among.as_deref(), Some("seed = 1, case half"), "{}", warned[0]);
}
