//! The tables of events have the same contents as the lines of `events.jsonl`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::Path;

use lab::load::{Loaded, Overrides, load_from_disk};
use lab::run;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use scenario::load::from_toml;
use scenario::traces::parse_trace_names;
use serde_json::{Map, Value};

/// One second of examples with media, aggregates, applications, association, schemes, recovery in the link layer, and
/// connections that open.
const EXAMPLES: [&str; 7] = [
    "aggregation.toml",
    "handover.toml",
    "handshake.toml",
    "link-retransmission.toml",
    "snoop.toml",
    "traffic.toml",
    "two-mobiles.toml",
];

/// A station that walks out of range, and datagrams.
const WALKER: &str = r#"
    duration = "4 s"
    [nodes]
    ap = { kind = "base-station", position = ["0 m", "0 m"] }
    near = { kind = "host", position = ["-80 m", "0 m"] }
    walker = { kind = "host", position = ["80 m", "0 m"], motion.velocity = ["10 m/s", "0 m/s"] }
    [media]
    cell = { range = "100 m" }
    [links]
    a = { kind = "wireless", between = ["ap", "near"], medium = "cell" }
    b = { kind = "wireless", between = ["ap", "walker"], medium = "cell" }
    [flows]
    call = { from = "near", to = "walker", bytes = "1 MB" }
    pings = { from = "walker", to = "near", traffic = "ping" }
"#;

#[test]
fn rows_of_tables_equal_lines_of_jsonl() {
    let short = Overrides { set: vec!["duration=1 s".to_owned()], ..Default::default() };
    let mut kinds: BTreeSet<String> = compare(&given(WALKER)).into_keys().collect();
    for example in EXAMPLES {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example);
        let loaded = load_from_disk(&file, &short).unwrap_or_else(|problems| panic!("{example}: {problems:?}"));
        kinds.extend(compare(&loaded).into_keys());
    }
    for kind in ["agent", "air-sent", "associated", "flow-arrived", "frame-sent", "reach", "state", "window"] {
        assert!(kinds.contains(kind), "no run has the event {kind}");
    }
}

/// A thousand datagrams a second.
const DATAGRAMS: &str = r#"
    duration = "66 s"
    nodes = { a = { kind = "host" }, b = { kind = "host" } }
    links.wire = { kind = "wired", between = ["a", "b"], rate = "10 Mbps", delay = "10 ms" }
    flows.call = { from = "a", to = "b", transport = "udp", traffic = { kind = "cbr", rate = "1 Mbps", packet = "125 B" } }
"#;

#[test]
fn tables_of_several_batches_equal_lines_of_jsonl() {
    let counts = compare(&given(DATAGRAMS));
    assert!(counts["packet-sent"] > 65_536, "more than one batch: {counts:?}");
}

fn given(text: &str) -> Loaded {
    from_toml("given", text).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// Runs with both traces and compares them. Returns the number of events by kind.
fn compare(loaded: &Loaded) -> BTreeMap<String, usize> {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("r");
    let traces = parse_trace_names(&["jsonl".to_owned(), "parquet".to_owned()]).unwrap();
    let watch = &mut |_| ControlFlow::Continue(());
    assert!(run::run_into_directory(loaded, &traces, &dir, Default::default(), false, watch).is_ok());

    let mut tables = BTreeMap::new();
    for line in fs::read_to_string(dir.join("events.jsonl")).unwrap().lines() {
        let mut event: Map<String, Value> = serde_json::from_str(line).unwrap();
        let Some(Value::String(kind)) = event.remove("event") else { panic!("{line}") };
        let table = tables.entry(kind).or_insert_with_key(|kind| Table::open(&dir.join(format!("{kind}.parquet"))));
        let row = table.rows.next().unwrap_or_else(|| panic!("no row for {line}"));
        assert_eq!(of_row(&row), as_row(event, &table.columns), "{line}");
        table.read += 1;
    }
    for (kind, table) in &mut tables {
        assert!(table.rows.next().is_none(), "{kind}: more rows than lines");
    }
    let files = fs::read_dir(&dir).unwrap().filter(|file| {
        let path = file.as_ref().unwrap().path();
        path.extension().is_some_and(|extension| extension == "parquet")
    });
    assert_eq!(files.count(), tables.len(), "a file for each kind of event");
    let manifest = fs::read_to_string(dir.join(".lasthop")).unwrap();
    assert!(tables.keys().all(|kind| manifest.contains(&format!("\n{kind}.parquet\n"))), "{manifest}");
    tables.into_iter().map(|(kind, table)| (kind, table.read)).collect()
}

struct Table {
    columns: Vec<String>,
    rows: Box<dyn Iterator<Item = Row>>,
    read: usize,
}

impl Table {
    fn open(path: &Path) -> Self {
        let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        let schema = reader.metadata().file_metadata().schema_descr();
        let columns = schema.columns().iter().map(|column| column.name().to_owned()).collect();
        Table { columns, rows: Box::new(reader.into_iter().map(Result::unwrap)), read: 0 }
    }
}

/// Converts a line to the expected row: lists are text, and missing values are null.
fn as_row(mut event: Map<String, Value>, columns: &[String]) -> Map<String, Value> {
    let row = columns.iter().map(|name| match event.shift_remove(name).unwrap_or_default() {
        list @ Value::Array(_) => (name.clone(), Value::String(list.to_string())),
        value => (name.clone(), value),
    });
    let row = row.collect();
    assert!(event.is_empty(), "no column for {event:?}");
    row
}

fn of_row(row: &Row) -> Map<String, Value> {
    let cells = row.get_column_iter().map(|(name, field)| {
        let value = match field {
            Field::Null => Value::Null,
            Field::Bool(flag) => (*flag).into(),
            Field::Long(number) => (*number).into(),
            Field::Double(number) => (*number).into(),
            Field::Str(text) => text.as_str().into(),
            other => panic!("{name}: {other}"),
        };
        (name.clone(), value)
    });
    cells.collect()
}
