//! The key under which a store keeps runs depends on the network, and not on the spelling of the scenario.

use std::fmt::Write;
use std::path::Path;
use std::rc::Rc;

use lab::load::{self, Overrides, Source, load_from_disk};
use lab::store::Digest;
use scenario::{MemoryFiles, NoFiles};

const BASE: &str = r#"
duration = "10 s"
[nodes]
server = { kind = "host" }
station = { kind = "base-station" }
mobile = { kind = "host" }
[links]
wire = { kind = "wired", between = ["server", "station"], rate = "8 Mbps", delay = "10 ms" }
air = { kind = "wireless", between = ["station", "mobile"], rate = "2 Mbps", delay = "1 ms" }
[flows]
down = { from = "server", to = "mobile", bytes = "100 kB" }
"#;

/// Returns the store key of `BASE` with these changes.
fn key(set: &[&str]) -> Digest {
    let overrides = Overrides { set: set.iter().map(|set| (*set).to_owned()).collect(), ..Overrides::default() };
    let source = load::of_text("base".into(), "base.toml".into(), BASE.as_bytes(), &overrides);
    let loaded = source.and_then(|source| source.resolve(&source.document));
    let loaded = loaded.unwrap_or_else(|problems| panic!("{set:?}: {problems:?}"));
    Digest::of(&loaded.network).unwrap()
}

#[test]
fn store_key_is_independent_of_the_spelling_of_values() {
    let same: &[(&[&str], &[&str])] = &[
        (&[], &["title=\"Another title\""]),
        (&[], &["replication=7"]),
        (&[], &["output.traces=[\"seqno\"]"]),
        (&[], &["sweep.replications=9"]),
        // Defaults, written explicitly.
        (&[], &["seed=1"]),
        (&[], &["profile=\"exact\""]),
        (&[], &["scheme=\"unmodified\""]),
        (&[], &["flows.down.start=\"0 s\""]),
        (&[], &["flows.down.tcp.variant=\"reno\""]),
        (&[], &["links.air.channel=\"perfect\""]),
        (&[], &["links.air.arq=\"none\""]),
        (&[], &["nodes.station.radio=\"per-link\""]),
        // Units.
        (&[], &["duration=\"10000 ms\""]),
        (&[], &["links.wire.rate=\"8000 kbps\""]),
        (&[], &["flows.down.bytes=\"100000 B\""]),
        // A name, or a table with a `kind`.
        (&["links.air.arq=\"stop-and-wait\""], &["links.air.arq={kind=\"stop-and-wait\"}"]),
        (&["scheme=\"snoop\""], &["scheme={kind=\"snoop\"}"]),
        (
            &["scheme=\"snoop\""],
            &["nodes.server.scheme=\"snoop\"", "nodes.station.scheme=\"snoop\"", "nodes.mobile.scheme=\"snoop\""],
        ),
        (&["links.wire.loss=0.1"], &["links.wire.channel={kind=\"uniform\", loss=0.1}"]),
        // The order of keys.
        (
            &["links.air.channel={kind=\"two-state\", mean_good=\"2 s\", mean_bad=\"1 s\"}"],
            &["links.air.channel={mean_bad=\"1000 ms\", mean_good=\"2 s\", kind=\"two-state\"}"],
        ),
    ];
    for (one, other) in same {
        assert_eq!(key(one), key(other), "{one:?} and {other:?}");
    }
}

#[test]
fn store_key_depends_on_every_setting_of_the_network() {
    let different: &[&[&str]] = &[
        &[],
        &["seed=2"],
        &["duration=\"11 s\""],
        &["profile=\"goel1997\""],
        &["scheme=\"refined-icmp\""],
        &["scheme=\"snoop\""],
        &["nodes.station.scheme=\"snoop\""],
        &["nodes.station.buffer=\"64 kB\""],
        &["nodes.station.processing_delay=\"1 ms\""],
        &["nodes.station.radio=\"shared\""],
        &["links.wire.rate=\"9 Mbps\""],
        &["links.air.rate=\"8 Mbps\""],
        &["links.wire.delay=\"11 ms\""],
        &["links.wire.queue=\"10 packets\""],
        &["links.wire.queue=\"10 kB\""],
        &["links.wire.queue=\"10 packets\"", "links.wire.ecn_threshold=\"5 packets\""],
        &["links.wire.ecn_threshold=\"5 packets\""],
        &["links.wire.queue_tie=\"arrival-first\""],
        &["links.wire.loss=0.1"],
        &["links.wire.loss=0.2"],
        &["links.air.channel={kind=\"uniform\", loss=0.1}"],
        &["links.air.channel={kind=\"two-state\", mean_good=\"2 s\", mean_bad=\"1 s\"}"],
        &["links.air.channel={kind=\"two-state\", mean_good=\"1 s\", mean_bad=\"2 s\"}"],
        &["links.air.arq=\"stop-and-wait\""],
        &["links.air.arq=\"go-back-n\""],
        &["links.air.arq=\"selective-repeat\""],
        &["links.air.random_seed=1"],
        &["flows.down.bytes=\"101 kB\""],
        &["flows.down.start=\"1 s\""],
        &["flows.down.from=\"mobile\"", "flows.down.to=\"server\""],
        &["flows.down.tcp.variant=\"tahoe\""],
        &["flows.down.tcp.variant=\"newreno\""],
        &["flows.down.tcp.variant=\"sack\""],
        &["flows.down.tcp.control=\"cubic\""],
        &["flows.down.tcp.control=\"vegas\""],
        &["flows.down.tcp.initial_window=3"],
        &["flows.down.tcp.timestamps=true"],
        &["flows.down.tcp.handshake=true"],
        &["flows.down.tcp.limited_transmit=true"],
        &["flows.down.tcp.min_rto=\"200 ms\""],
        &["flows.down.tcp.max_rto=\"30 s\""],
        &["flows.down.tcp.initial_ssthresh=\"20 kB\""],
        &["flows.down.tcp.frto=true"],
    ];
    let keys: Vec<Digest> = different.iter().map(|set| key(set)).collect();
    for (at, one) in keys.iter().enumerate() {
        if let Some(same) = keys[..at].iter().position(|other| other == one) {
            panic!("{:?} and {:?} have one key", different[at], different[same]);
        }
    }
}

/// The names of nodes, links and flows occur in results, and names of links select random streams.
#[test]
fn names_are_part_of_the_store_key() {
    let renamed = BASE.replace("wire =", "cable =");
    let source = load::of_text("base".into(), "base.toml".into(), renamed.as_bytes(), &Overrides::default()).unwrap();
    let loaded = source.resolve(&source.document).unwrap();
    assert_ne!(Digest::of(&loaded.network).unwrap(), key(&[]));
}

/// A trained policy is in a file beside the scenario: another network gives another result under another key.
#[test]
fn network_of_a_policy_is_part_of_the_store_key() {
    const NETWORK: &str = "rules = { observe = [\"delay\"] }\nlayers = [{ weights = [[-2.0]], bias = [0.5] }]\n";
    let digest = |network: &str| {
        let files = MemoryFiles { files: [("net.toml".into(), network.into())].into(), rest: NoFiles };
        let policy = "flows.down.tcp={ variant = \"linux\", control = { kind = \"policy\", file = \"net.toml\" } }";
        let overrides = Overrides { set: vec![policy.to_owned()], ..Overrides::default() };
        let source = Source::of_text(Rc::new(files), "base".into(), "base.toml".into(), BASE.as_bytes(), &overrides);
        let loaded = source.and_then(|source| source.resolve(&source.document));
        Digest::of(&loaded.unwrap_or_else(|problems| panic!("{problems:?}")).network).unwrap()
    };
    assert_eq!(digest(NETWORK), digest(NETWORK));
    assert_ne!(digest(NETWORK), digest(&NETWORK.replace("0.5", "0.50000000000000011")));
}

/// The keys of the examples. Renaming a field leaves them unchanged.
#[test]
fn store_keys_change_only_with_the_version_of_the_canonical_form() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/store-keys.txt");
    let mut examples: Vec<_> = std::fs::read_dir(root.join("examples"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    examples.sort();
    let mut found = format!("model {}\n", sim::MODEL_VERSION);
    for path in examples {
        let loaded = load_from_disk(&path, &Overrides::default()).unwrap_or_else(|problems| panic!("{problems:?}"));
        writeln!(found, "{} {}", Digest::of(&loaded.network).unwrap(), loaded.stem).unwrap();
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&golden, &found).unwrap();
    }
    assert!(
        std::fs::read_to_string(&golden).unwrap_or_default() == found,
        "the keys of runs changed. If a field of a network was moved, or added before others, put it at the end of its struct; \
         else raise FORM in crates/lab/src/store/canonical.rs, so that stores get new keys. If an example or the model's version \
         changed, or FORM was raised, write the golden file again with UPDATE_GOLDEN=1"
    );
}
