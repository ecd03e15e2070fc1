//! Flipped bits of a store, as by a defective disk: either all that is read is unchanged, or the store is refused.

use std::fs;
use std::path::Path;

use lab::load::Overrides;
use lab::store::{Store, StoreError};
use lab::sweep::Plan;
use lab::sweep::analysis::{Analysis, analysis_to_json};
use serde_json::{Value, json};

/// Writes a store of two cases at one point, with eight replications each.
fn make(path: &Path) {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/goel1997-recoveries.toml");
    let plan = Plan::load(&example, &Overrides::default()).expect("the example is right");
    let mut store = Store::create(path).unwrap();
    plan.note(&mut store).unwrap();
    for cell in &plan.points[0].cells {
        for replication in 0..8u64 {
            let flow = json!({
                "name": "download",
                "timeouts": replication % 3,
                "completion_time_s": 10.5 + replication as f64 / 8.0,
                "goodput_bps": 1e6 - 1e3 * replication as f64,
            });
            let summary = json!({ "lasthop": "1.0", "flows": [flow], "links": [] }).to_string();
            store.keep(cell.digest, replication, &summary).unwrap();
        }
    }
}

/// All inputs of reports and exports.
fn read(path: &Path) -> Result<Vec<Value>, StoreError> {
    let store = Store::open(path)?;
    let sweeps = store.sweeps()?.into_iter();
    sweeps.map(|sweep| Analysis::of(&store, sweep, u64::MAX).map(|analysis| analysis_to_json(&analysis))).collect()
}

/// Flips `count` bits, one at a time, spread evenly over the file with a stride that covers every bit position. Returns
/// the number of damaged files that were refused.
fn flip(count: usize) -> usize {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.sqlite");
    make(&path);
    let good = fs::read(&path).unwrap();
    let expected = read(&path).unwrap();
    assert!(expected[0].to_string().contains("timeouts"), "{expected:?}");
    let bits = good.len() * 8;
    let mut refused = 0;
    for number in 0..count {
        let bit = number * (bits / count) + number % 8;
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        for beside in ["s.sqlite-wal", "s.sqlite-shm"] {
            let _ = fs::remove_file(dir.path().join(beside));
        }
        fs::write(&path, bytes).unwrap();
        match read(&path) {
            Ok(found) => assert_eq!(found, expected, "bit {bit} of {bits}"),
            Err(_) => refused += 1,
        }
    }
    refused
}

#[test]
fn flipped_bits_are_detected_or_harmless() {
    let refused = flip(400);
    assert!(refused > 50, "{refused} of 400: the flips met nothing");
}

#[test]
#[ignore = "takes minutes; `cargo xtask test --full` runs it"]
fn all_flipped_bits_are_detected_or_harmless() {
    assert!(flip(30_000) > 3_000);
}
