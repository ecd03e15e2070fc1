//! The defaults in the schema are the applied ones, and the reference lists them.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use scenario::{NoFiles, Overrides, Source};
use sim::{Network, World};
use testkit::EventDigest;

use crate::reference;
use crate::schema_keys::{BASE, Key, is_entry, keys};

/// The network with some assignments, or the first problem.
fn network(set: Vec<String>) -> Result<Network, String> {
    let overrides = Overrides { set, ..Overrides::default() };
    let source = Source::of_text(Rc::new(NoFiles), "base".into(), "base.toml".into(), BASE.as_bytes(), &overrides);
    let source = source.map_err(|problem| format!("{problem:?}"))?;
    let loaded = source.resolve(&source.document);
    loaded.map(|loaded| loaded.network).map_err(|problems| problems[0].to_string())
}

/// Number of wake-ups of a compared run.
const WAKE_UPS: u64 = 2_000;

/// Returns whether two networks are equal or run alike. An option that is set to its default differs only in the
/// settings.
fn is_alike(one: &Network, other: &Network) -> bool {
    let events = |network: &Network| {
        let (mut world, mut digest) = (World::new(network, true), EventDigest::default());
        world.advance(WAKE_UPS, &mut digest);
        digest.finish(world.now())
    };
    format!("{one:?}") == format!("{other:?}") || events(one) == events(other)
}

/// Returns the requirements of a key: its table, which may be a choice itself, and the other required keys of the
/// table.
fn needs(key: &Key) -> Vec<String> {
    let table = key.path.rsplit_once('.').map(|(table, _)| table).filter(|table| !table.ends_with(']'));
    let is_choice = table.is_some_and(|table| table.contains('.') && !is_entry(table) && key.kind().is_none());
    let table = table.filter(|_| is_choice).map(|table| format!("{table}={{}}"));
    // Kinds come first, because a table replaces its contents.
    key.kinds.iter().cloned().chain(table).chain(key.required.iter().cloned()).collect()
}

#[test]
fn explicit_default_changes_nothing() {
    let (mut compared, mut different) = (0, Vec::new());
    // The base scenario has flows.
    let is_compared = |key: &Key| key.path != "flows" && !key.is_repeated();
    for key in keys().into_iter().filter(is_compared) {
        let (Some(default), Ok(without)) = (&key.default, network(needs(&key))) else { continue };
        let value = toml::Value::try_from(default).unwrap();
        match network([needs(&key), vec![format!("{}={value}", key.path)]].concat()) {
            // The value of some keys is valid only together with another value.
            Err(problem) if problem.contains("no value") => {}
            Ok(with) if is_alike(&with, &without) => compared += 1,
            other => different.push(format!("{} = {value}: {}", key.path, other.err().unwrap_or_default())),
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(compared > 200, "{compared}");
}

/// Compares a text with a file of the documentation; with `UPDATE_GOLDEN` writes the file.
fn assert_kept(name: &str, text: &str) {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&kept, text).unwrap();
    }
    assert!(fs::read_to_string(&kept).unwrap_or_default() == text, "{name} is out of date: UPDATE_GOLDEN=1");
}

#[test]
fn schema_in_the_docs_is_up_to_date() {
    assert_kept("scenario.schema.json", &format!("{:#}\n", scenario::schema()));
}

#[test]
fn reference_has_every_key_with_its_default_and_range() {
    let page = reference::page(&scenario::schema());
    assert_kept("reference/scenario.md", &page);
    let row = |key: &str| page.lines().find(|line| line.starts_with(&format!("| `{key}` |"))).unwrap();
    assert_eq!(
        row("initial_rto"),
        "| `initial_rto` | [time](#units); more than 0 and at most max_rto (64 s) | `\"1 s\"` | Retransmission timeout before the \
         first measurement, more than 0 and at most `max_rto` [RFC6298 s2.1]. |"
    );
    assert!(
        row("rto_floor").contains("| `\"timeout\"`<br>`linux`, `linux-reno`: `\"variation\"` |"),
        "{}",
        row("rto_floor")
    );
    assert!(
        row("rto_back_off").contains("<br>`profile goel1997`: `\"until-acknowledged\"` |"),
        "{}",
        row("rto_back_off")
    );
    assert!(row("eifs").contains("| `\"364 us\"`<br>"), "{}", row("eifs"));
}
