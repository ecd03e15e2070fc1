//! The command `lasthop reproduce`: marks in the table, in the JSON and in the files.

use crate::common;

use common::{fine, lasthop, scratch};
use serde_json::Value;

#[test]
fn numbers_have_marks_in_table_json_and_files() {
    let dir = scratch("reproduce");
    let table = fine(&dir, &["reproduce", "wlan-iw", "--replications", "2", "--out", "out"]);
    let row = table.lines().find(|line| line.starts_with("figure 8 ") && line.contains("at the figure")).unwrap();
    assert!(row.ends_with("contradicts its own paper"), "{row}");
    assert!(table.contains("\"are all numbered 5\""), "the sentence has both values: {table}");
    assert!(table.contains("reading \"every byte\": all 1000 bytes of a packet count (ns-2"), "{table}");

    let json = fine(&dir, &["reproduce", "wlan-iw", "--replications", "2", "--out", "out", "--json"]);
    let numbers: Vec<Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(std::fs::read_to_string(dir.join("out/numbers.json")).unwrap(), json);
    let marks =
        ["reproduced", "reproduced under another reading", "contradicts its own paper", "not reproduced"].map(|mark| {
            let has = |number: &&Value| number["mark"] == mark && number["sentence"].as_str().is_some();
            numbers.iter().filter(has).count()
        });
    assert_eq!(marks.iter().sum::<usize>(), numbers.len(), "{marks:?}");
    assert_eq!(marks[2], 2);
    assert!(table.contains(&format!("{} of {} numbers reproduced", marks[0], numbers.len())), "{table}");
    // Table 1 has an alternative reading, whose name is given.
    let rate = numbers.iter().find(|number| number["where"] == "table 1").unwrap();
    assert_eq!(rate["alternatives"][0]["reading"], "every byte");

    let picture = std::fs::read_to_string(dir.join("out/numbers.svg")).unwrap();
    let page = std::fs::read_to_string(dir.join("out/report.html")).unwrap();
    for (file, text) in [("numbers.svg", &picture), ("report.html", &page)] {
        assert!(text.contains("paper, contradicts its own paper: 2"), "{file}");
        // There is one mark for each number, and one in the legend.
        let triangles = text.matches("m0-4.6l4.6 8h-9.2z").count();
        assert_eq!(triangles, 2 + 1, "{file}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn unknown_paper_is_refused_with_a_suggestion() {
    let dir = scratch("reproduce-none");
    let ended = lasthop(&dir, &["reproduce", "wlan-if"]);
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(ended.err.contains("wlan-iw"), "{}", ended.err);
    std::fs::remove_dir_all(dir).unwrap();
}
