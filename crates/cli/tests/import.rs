//! Tests of `lasthop import`, which converts recordings of other programs to tables.

use crate::common;

use common::{file, lasthop, scratch};

#[test]
fn recorded_rates_are_printed_as_a_table_that_a_scenario_reads() {
    let dir = scratch("import_table");
    let ended = lasthop(&dir, &["import", &file("examples/recordings/fcc_797466.log"), "-o", "fcc.csv"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.err.contains("pensieve (seconds and Mbit/s): 35 rows over 175.000 s"), "{}", ended.err);
    let table = std::fs::read_to_string(dir.join("fcc.csv")).unwrap();
    // The rate on the second line applies from the time of the first line, and the last row marks the end.
    assert!(table.starts_with("time_ns,rate_bps\n0,1115528\n5000000000,2758448\n"), "{table}");
    assert!(table.ends_with("\n175000000000,791168\n"), "{table}");
    let scenario = r#"
        duration = "200 s"
        nodes = { a = { kind = "host" }, b = { kind = "host" } }
        links.one = { kind = "wired", between = ["a", "b"], rate = "1 Mbps", delay = "9 ms", link_trace = { file = "fcc.csv", repeat = true } }
        flows.down = { from = "a", to = "b" }
    "#;
    std::fs::write(dir.join("fcc.toml"), scenario).unwrap();
    let checked = lasthop(&dir, &["check", "fcc.toml"]);
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    let expected = "links.one.link_trace: csv (columns with units, such as time_s,rate_Mbps): 36 rows over 175.000 s, \
                    rate 123.1 kbps to 2.808 Mbps";
    assert!(checked.out.contains(expected), "{}", checked.out);
}

#[test]
fn wrong_format_of_a_file_is_an_error_with_its_line() {
    let dir = scratch("import_format");
    let recording = file("examples/recordings/fcc_797466.log");
    let ended = lasthop(&dir, &["import", "--format", "leo-delay", &recording]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains(":1:1: found 180.0\\t0.462624, expected a delay in milliseconds"), "{}", ended.err);
    std::fs::write(dir.join("delays"), "0 26\n100 30\n250 28\n").unwrap();
    let ambiguous = lasthop(&dir, &["import", "delays"]);
    assert_eq!(ambiguous.code, Some(2));
    assert!(ambiguous.err.contains("hint: --format: pensieve for rates, cellreplay for delays"), "{}", ambiguous.err);
    let named = lasthop(&dir, &["import", "delays", "--format", "cellreplay"]);
    assert!(named.out.ends_with("\n100000000,30000000\n250000000,28000000\n"), "{}", named.out);
    let missing = lasthop(&dir, &["import", "none.log"]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.err.contains("none.log: cannot be read"), "{}", missing.err);
}
