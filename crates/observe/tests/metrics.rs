//! The fields of a summary, the registered metrics and the documented metrics are the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use engine::Span;
use observe::metric::{self, METRICS, PARTS, Presence, Scope};
use observe::summary::{RecordedSummary, Summary, flow, summarize_measured_results, summarize_results};
use path::agent::AgentConfig;
use scenario::Overrides;
use serde_json::{Value, json};
use sim::{NullSink, World};
use testkit::{example_paths, load_example, run_network};

/// Returns a summary of which the second link is in a medium, and the third link belongs to a mobile that associates.
fn a_summary() -> Summary {
    let text = testkit::wire_text("1 Mbps", "10 ms", "bytes = \"20 kB\"");
    let text = format!(
        "{text}\n[nodes.c]\nkind = \"host\"\n[media.cell]\n[links.air]\nkind = \"wireless\"\nbetween = [\"a\", \"c\"]\n\
         medium = \"cell\"\n[nodes.ap]\nkind = \"base-station\"\nposition = [\"0 m\", \"0 m\"]\n[nodes.walker]\nkind = \"host\"\n\
         position = [\"9 m\", \"0 m\"]\nassociation = {{}}\n[media.street]\nrange = \"50 m\"\n[links.street]\nkind = \"wireless\"\n\
         between = [\"ap\", \"walker\"]\nmedium = \"street\"\n[flows.over-air]\nfrom = \"a\"\nto = \"c\"\nbytes = \"20 kB\"\n\
         tcp = {{ timestamps = true }}\n"
    );
    let (scenario, network) = (testkit::read_scenario(&text), testkit::build_network(&text));
    let mut world = World::new(&network, false);
    world.measure_delays(&network);
    world.run(&mut NullSink);
    summarize_measured_results("", &scenario, &network, &world.results(), world.delays())
}

/// The numeric fields of an object of the summary, including those that may be null.
fn numbers(object: &Value, without: &[&str]) -> BTreeSet<String> {
    let fields = object.as_object().expect("an object").iter();
    let numeric = fields.filter(|(_, value)| value.is_number() || value.is_boolean() || value.is_null());
    numeric.map(|(name, _)| name.clone()).filter(|name| !without.contains(&name.as_str())).collect()
}

fn metrics(scope: Scope, summed: &[&str]) -> BTreeSet<String> {
    let of_scope = METRICS.iter().filter(|metric| metric.scope == scope).map(|metric| metric.name.to_owned());
    of_scope.filter(|name| !summed.contains(&name.as_str())).collect()
}

#[test]
fn summary_and_metrics_have_the_same_numbers() {
    let summary = serde_json::to_value(a_summary()).unwrap();
    // The reason why a connection failed is a word, and null here.
    assert_eq!(numbers(&summary["flows"][0], &["failure"]), metrics(Scope::Flow, &[]));
    assert_eq!(numbers(&summary["links"][0]["forward"], &[]), metrics(Scope::Direction, &[]));
    let medium = &summary["media"][0];
    assert_eq!(numbers(medium, &[]), metrics(Scope::Medium, &[]));
    assert_eq!(numbers(&medium["stations"][1], &[]), metrics(Scope::Station, &[]));
    // A buffer's size is an input; its drops are counted by a metric of the run.
    let given = ["buffer_bytes", "packets_dropped_buffer_full"];
    assert_eq!(numbers(&summary["nodes"][0], &given), metrics(Scope::Node, &[]));
    // The seed is an input; the totals are sums of the flows' metrics.
    assert_eq!(numbers(&summary, &["seed"]), metrics(Scope::Run, &["total_goodput_bps", "state_bytes_most"]));
}

/// Collects the keys of each part of a summary, as sets by the name of the part.
fn collect_keys(summary: &Value, keys: &mut BTreeMap<&'static str, BTreeSet<BTreeSet<String>>>) {
    let list = |of: &Value, key: &str| of[key].as_array().expect("a list").clone();
    let mut parts = vec![("run", summary.clone())];
    parts.extend(list(summary, "flows").into_iter().map(|flow| ("flow", flow)));
    parts.extend(list(summary, "arrivals").into_iter().map(|arrivals| ("arrivals", arrivals)));
    parts.extend(list(summary, "nodes").into_iter().map(|node| ("node", node)));
    for link in list(summary, "links") {
        parts.extend(["forward", "backward"].map(|key| ("direction", link[key].clone())));
        parts.push(("link", link));
    }
    for medium in list(summary, "media") {
        parts.extend(list(&medium, "stations").into_iter().map(|station| ("station", station)));
        parts.push(("medium", medium));
    }
    for (name, part) in parts {
        keys.entry(name).or_default().insert(part.as_object().expect("an object").keys().cloned().collect());
    }
}

/// Each example runs for two seconds, with and without measured delays. Every part has the declared fields and no
/// others.
#[test]
fn keys_of_a_summary_are_the_same_in_every_example() {
    let mut keys = BTreeMap::new();
    for path in example_paths() {
        let mut loaded = load_example(&path, &Overrides::default());
        loaded.network.duration = loaded.network.duration.min(Span::from_secs(2));
        for with_delays in [false, true] {
            let mut world = World::new(&loaded.network, false);
            if with_delays {
                world.measure_delays(&loaded.network);
            }
            world.run(&mut NullSink);
            let summary =
                summarize_measured_results("", &loaded.scenario, &loaded.network, &world.results(), world.delays());
            collect_keys(&serde_json::to_value(summary).unwrap(), &mut keys);
        }
    }
    let declared = PARTS.iter().map(|(name, fields)| {
        let written = fields.iter().filter(|field| field.presence != Presence::Derived);
        (*name, BTreeSet::from([written.map(|field| field.name.to_owned()).collect()]))
    });
    assert_eq!(keys, declared.collect());
}

/// Earlier versions omitted fields that did not apply, as stores do. Such a summary has all metrics.
#[test]
fn summary_without_defaults_of_optional_fields_reads_like_the_whole() {
    let summary = a_summary();
    let (whole, compact) = (summary.to_string(), summary.to_compact_json());
    assert!(compact.len() < whole.len(), "{} of {}", compact.len(), whole.len());
    assert!(!compact.contains("segments_discarded") && !compact.contains("\"transport\""), "{compact}");
    let read = RecordedSummary::parse(&compact).unwrap();
    assert_eq!(*read, summary);
    assert!(!METRICS.iter().any(|metric| read.lacks(metric)));
    assert_eq!(read.read(&flow::mos), []);
}

/// Metrics of link layers.
const LINK_LAYER: [&str; 5] =
    ["link_layer_mean_s", "link_layer_p50_s", "link_layer_p95_s", "link_layer_p99_s", "link_layer_max_s"];

/// Metrics of flows of datagrams, of data in the other direction, and of applications with additional results.
const OTHER_TRAFFIC: [&str; 23] = [
    "datagrams_sent",
    "datagrams_lost",
    "datagrams_reordered",
    "jitter_s",
    "mos",
    "r_factor",
    "speech_lost",
    "late",
    "mouth_to_ear_s",
    "pages",
    "objects",
    "page_time_mean_s",
    "page_time_p50_s",
    "page_time_p95_s",
    "page_time_max_s",
    "bytes_back",
    "goodput_back_bps",
    "video_segments",
    "video_bit_rate_bps",
    "video_switches",
    "video_startup_s",
    "stalls",
    "stalled_s",
];

#[test]
fn every_metric_is_readable_and_has_name_unit_and_definition() {
    let summary = a_summary();
    let mut names = BTreeSet::new();
    for metric in METRICS.iter() {
        assert!(names.insert(metric.name), "{} is there twice", metric.name);
        assert!(!metric.unit.is_empty() && metric.definition.len() > 10, "{}", metric.name);
        let read = metric.read(&summary);
        let about = match metric.scope {
            Scope::Run => 1,
            Scope::Station => 4,
            Scope::Direction if metric.name == "frames_collided" => 4,
            // The second medium has no traffic, and wires have no link layer.
            Scope::Direction if LINK_LAYER.contains(&metric.name) => 2,
            Scope::Direction if metric.is_of_delays() => 4,
            Scope::Direction => 6,
            // A scenario without datagrams, applications with additional results, and arrivals.
            Scope::Arrivals => 0,
            Scope::Flow if OTHER_TRAFFIC.contains(&metric.name) => 0,
            Scope::Node if metric.name == "packets_dropped_no_route" => 5,
            Scope::Node => 1,
            Scope::Flow | Scope::Medium => 2,
        };
        assert_eq!(read.len(), about, "{}", metric.name);
        // No station made an attempt in the second medium.
        let most = if metric.name == "collision_probability" { 1 } else { about };
        assert!(read.iter().take(most).all(|(_, value)| value.is_some()), "{}: {read:?}", metric.name);
        let within = |(_, value): &(String, Option<f64>)| value.is_none_or(|value| metric.range().contains(value));
        assert!(read.iter().all(within), "{}: {read:?}", metric.name);
        assert!(metric.definition.starts_with(char::is_uppercase), "{}: {}", metric.name, metric.definition);
        assert!(!metric.definition.ends_with('.'), "{}: {}", metric.name, metric.definition);
    }
}

/// A mobile walks from one base station to another. The handover takes 100 ms.
#[test]
fn handover_metrics_equal_the_results() {
    let loaded = load_example("handover.toml", &Overrides::default());
    let results = run_network(&loaded.network);
    let summary = summarize_results("", &loaded.scenario, &loaded.network, &results);
    let figure = |name: &str| metric::find_metric(name).unwrap().read(&summary);
    assert_eq!(figure("handovers"), [("walker".to_owned(), Some(1.0))]);
    let walker = results.roaming.iter().flatten().next().unwrap();
    assert_eq!(figure("unassociated_s"), [("walker".to_owned(), Some(walker.alone.as_secs_f64()))]);
    let lost: Vec<Option<f64>> = figure("packets_dropped_no_route").into_iter().map(|(_, lost)| lost).collect();
    assert_eq!(lost, results.no_route.iter().map(|lost| Some(*lost as f64)).collect::<Vec<_>>());
}

/// Schemes are created by name. The pages of the schemes define their counters.
#[test]
fn counters_of_schemes_are_defined() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut text = std::fs::read_to_string(docs.join("metrics.md")).unwrap();
    for page in std::fs::read_dir(docs.join("models")).unwrap() {
        text += &std::fs::read_to_string(page.unwrap().path()).unwrap();
    }
    let mut counts = 0;
    for (name, _) in AgentConfig::MEMBERS {
        let config: AgentConfig = serde_json::from_value(json!({ "kind": name })).unwrap();
        for (count, _) in config.build().iter().flat_map(|agent| agent.counters()) {
            assert!(text.contains(&format!("`{count}`")), "{name} counts {count}, and no page defines it");
            counts += 1;
        }
    }
    assert!(counts > 0);
}
