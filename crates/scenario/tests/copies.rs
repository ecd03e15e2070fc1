//! Nodes with `count`.

use scenario::{Scenario, from_toml};
use testkit::COUNTED_CELL;

fn read(text: &str) -> Result<Scenario, Vec<String>> {
    let said = |problems: Vec<scenario::problem::Problem>| problems.iter().map(ToString::to_string).collect::<Vec<_>>();
    Ok(from_toml("cell.toml", text).map_err(said)?.scenario)
}

#[test]
fn each_copy_has_its_link_and_its_flow() {
    let scenario = read(COUNTED_CELL).unwrap();
    let names = |names: Vec<&String>| names.into_iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    assert_eq!(names(scenario.nodes.keys().collect()), "server ap m1 m2 m3");
    assert_eq!(names(scenario.links.keys().collect()), "wire air1 air2 air3");
    assert_eq!(names(scenario.flows.keys().collect()), "up1 up2 up3");
    assert_eq!(scenario.links["air2"].between, ["ap", "m2"]);
    assert_eq!((&*scenario.flows["up3"].from, &*scenario.flows["up3"].to), ("m3", "server"));
    // The expanded scenario equals one that is written without `count`.
    let long = COUNTED_CELL
        .replace(
            "m = { kind = \"host\", count = 3 }",
            "m1 = { kind = \"host\" }\nm2 = { kind = \"host\" }\nm3 = { kind = \"host\" }",
        )
        .replace(
            "air = { kind = \"wireless\", between = [\"ap\", \"m\"], medium = \"cell\" }",
            &lines("air# = { kind = \"wireless\", between = [\"ap\", \"m#\"], medium = \"cell\" }"),
        )
        .replace("up = { from = \"m\", to = \"server\" }", &lines("up# = { from = \"m#\", to = \"server\" }"));
    assert_eq!(read(&long).unwrap(), scenario);
}

/// A wire for each of three mobiles.
fn lines(line: &str) -> String {
    ["1", "2", "3"].map(|number| line.replace('#', number)).join("\n")
}

#[test]
fn copies_of_equal_count_are_paired() {
    let text = COUNTED_CELL
        .replace("server = { kind = \"host\" }", "server = { kind = \"host\", count = 3 }")
        .replace("to = \"server\"", "to = \"server\", bytes = \"1 MB\"");
    let scenario = read(&text).unwrap();
    assert_eq!(scenario.links["wire3"].between, ["server3", "ap"]);
    assert_eq!((&*scenario.flows["up2"].from, &*scenario.flows["up2"].to), ("m2", "server2"));
    let said = read(&text.replacen("count = 3", "count = 2", 1)).unwrap_err().join("\n");
    assert!(said.contains("flows.up: equal counts at both ends") && said.contains("3 m and 2 server"), "{said}");
}

#[test]
fn mistake_in_copies_is_reported_once() {
    let said = read(&COUNTED_CELL.replace("medium = \"cell\"", "medium = \"sell\"")).unwrap_err();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("cell.toml:11:") && said[0].contains("links.air.medium"), "{said:?}");
    let said = read(&COUNTED_CELL.replace("count = 3", "count = 0")).unwrap_err();
    assert!(said.len() == 1 && said[0].contains("nodes.m.count: found 0, expected 1 to "), "{said:?}");
    let said = read(&COUNTED_CELL.replace("ap = {", "m2 = { kind = \"host\" }\nap = {")).unwrap_err();
    assert!(said.len() == 1 && said[0].contains("nodes.m2") && said[0].contains("m1 to m3"), "{said:?}");
}
