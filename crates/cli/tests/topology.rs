//! Pictures of networks: texts and boxes are apart in all examples and in large networks.

use crate::common;

use std::path::{Path, PathBuf};

use common::{file, fine, lasthop, root, scratch};

/// Left, top, right and bottom edges in pixels.
type Area = [f64; 4];

fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    element.split(&format!(" {name}=\"")).nth(1)?.split('"').next()
}

fn number(element: &str, name: &str) -> Option<f64> {
    attribute(element, name)?.parse().ok()
}

/// Returns the texts of a picture with their extents, which follow from the texts' fixed widths. The heading is
/// omitted, because it is cut to the width of the picture.
fn texts(svg: &str) -> Vec<(Area, String)> {
    let elements = svg.split("<text").skip(1).map(|rest| rest.split("</text>").next().unwrap());
    let extents = elements.filter_map(|element| {
        let width = number(element, "textLength")?;
        let [x, y, size] = ["x", "y", "font-size"].map(|name| number(element, name).unwrap());
        let left = match attribute(element, "text-anchor") {
            Some("middle") => x - width / 2.0,
            Some("end") => x - width,
            _ => x,
        };
        // Capitals of Noto Sans are 0.71 em high, and descenders reach 0.24 em below the baseline.
        let area = [left, y - 0.71 * size, left + width, y + 0.24 * size];
        Some((area, element.split('>').nth(1).unwrap().to_owned()))
    });
    extents.collect()
}

/// The rectangles of nodes, with their titles.
fn boxes(svg: &str) -> Vec<(Area, String)> {
    let paths = svg.split("<path").skip(1).filter(|path| path.starts_with(" class=\"box\""));
    let rectangle = |path: &str| {
        let steps = attribute(path, "d").unwrap().replace(['M', 'h', 'v', 'z'], " ").replace('-', " -");
        let numbers: Vec<f64> = steps.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let title = path.split("<title>").nth(1).unwrap().split('<').next().unwrap().to_owned();
        ([numbers[0], numbers[1], numbers[0] + numbers[2], numbers[1] + numbers[3]], title)
    };
    paths.map(rectangle).collect()
}

fn overlap(a: &Area, b: &Area) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Draws the network of a scenario and checks that nothing is clipped or overlaps; returns the SVG.
fn checked(dir: &Path, scenario: &str) -> String {
    let picture = dir.join("picture.svg");
    fine(dir, &["plot", scenario, "--topology", "-o", "picture.svg"]);
    let svg = std::fs::read_to_string(picture).unwrap();
    let [width, height] = ["width", "height"].map(|name| number(&svg, name).unwrap());
    let (texts, boxes) = (texts(&svg), boxes(&svg));
    assert!(!texts.is_empty() && !boxes.is_empty(), "{scenario}");
    for all in [&texts, &boxes] {
        for (index, (area, name)) in all.iter().enumerate() {
            let inside = area[0] >= 0.0 && area[1] >= 0.0 && area[2] <= width && area[3] <= height;
            assert!(inside, "{scenario}: {name} at {area:?} is cut by {width} x {height}");
            for (other, with) in &all[..index] {
                assert!(!overlap(area, other), "{scenario}: {name} at {area:?} covers {with} at {other:?}");
            }
        }
    }
    for (area, name) in &texts {
        let within =
            |outer: &Area| area[0] >= outer[0] && area[1] >= outer[1] && area[2] <= outer[2] && area[3] <= outer[3];
        let apart = |(outer, _): &(Area, String)| !overlap(area, outer) || within(outer);
        assert!(boxes.iter().all(apart), "{scenario}: {name} at {area:?} crosses the frame of a node");
    }
    svg
}

fn examples() -> Vec<PathBuf> {
    let folders = ["examples", "examples/goel1997", "examples/bbr-linux"].map(|folder| root().join(folder));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let is_trace = |path: &PathBuf| path.file_name().is_some_and(|name| name == "trace.dat");
    let is_scenario = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "toml" || ending == "dat");
    let mut found: Vec<PathBuf> = files.filter(|path| is_scenario(path) && !is_trace(path)).collect();
    found.sort();
    found
}

#[test]
fn networks_of_all_examples_are_drawn_without_overlaps() {
    let dir = scratch("topology-examples");
    let examples = examples();
    assert!(examples.len() > 50, "{examples:?}");
    for path in examples {
        checked(&dir, &path.display().to_string());
    }
}

#[test]
fn identical_hosts_of_a_large_cell_share_a_box() {
    let dir = scratch("topology-crowd");
    let mut many = String::new();
    for stations in [5, 30, 300] {
        let source = std::fs::read_to_string(file("examples/crowd.toml")).unwrap();
        let source = source.split("[sweep]").next().unwrap().replace("count = 10", &format!("count = {stations}"));
        std::fs::write(dir.join("crowd.toml"), source).unwrap();
        many = checked(&dir, "crowd.toml");
        let drawn = boxes(&many).len();
        assert_eq!(drawn, if stations == 5 { 7 } else { 3 }, "{stations} stations");
    }
    assert!(many.contains("300 hosts") && many.contains("up1\u{2013}up300 (300 flows)"), "counts are shown");
}

#[test]
fn different_hosts_of_a_huge_cell_share_a_box_without_settings() {
    let dir = scratch("topology-different");
    let source = std::fs::read_to_string(file("examples/crowd.toml")).unwrap();
    let mut source = source.split("[media.cell]").next().unwrap().to_owned();
    (0..150).for_each(|host| source += &format!("h{host} = {{ kind = \"host\" }}\n"));
    source += "[media.cell]\nstandard = \"802.11b\"\n[flows]\nup = { from = \"m\", to = \"server\" }\n[links]\n";
    source += "air = { kind = \"wireless\", between = [\"ap\", \"m\"], medium = \"cell\" }\n";
    source += "wire = { kind = \"wired\", between = [\"server\", \"ap\"], rate = \"1 Mbps\", delay = \"1 ms\" }\n";
    for host in 0..150 {
        source += &format!("to-h{host} = {{ kind = \"wired\", between = [\"ap\", \"h{host}\"], delay = \"1 ms\", ");
        source += &format!("rate = {{ forward = \"{} kbps\", backward = \"1 Mbps\" }} }}\n", host + 100);
    }
    std::fs::write(dir.join("huge.toml"), source).unwrap();
    let svg = checked(&dir, "huge.toml");
    assert_eq!(boxes(&svg).len(), 4);
    assert!(svg.contains("150 hosts") && svg.contains(">settings differ<"));
}

/// Forty links at one node, and more between routers than there is space for labels.
#[test]
fn links_without_space_for_a_label_are_listed() {
    let dir = scratch("topology-dense");
    let mut source = String::from("duration = \"1 s\"\n[nodes]\n");
    for router in 0..6 {
        source += &format!("r{router} = {{ kind = \"router\" }}\n");
    }
    for host in 0..40 {
        source += &format!("h{host} = {{ kind = \"host\" }}\n");
    }
    source += "[links]\n";
    let mut link = |name: &str, a: &str, b: &str, rate: u32| {
        source += &format!("{name} = {{ kind = \"wired\", between = [\"{a}\", \"{b}\"], rate = \"{rate} Mbps\", ");
        source += "delay = \"1 ms\", queue = \"9 packets\" }\n";
    };
    for a in 0..6 {
        for b in 0..a {
            link(&format!("between-{a}-and-{b}"), &format!("r{a}"), &format!("r{b}"), 10);
        }
    }
    for host in 0..40 {
        link(&format!("access-{host}"), &format!("h{host}"), "r0", 1 + host);
    }
    source += "[flows]\n";
    for host in 1..20 {
        source += &format!("f{host} = {{ from = \"h{host}\", to = \"h{}\" }}\n", host + 20);
    }
    std::fs::write(dir.join("dense.toml"), source).unwrap();
    let svg = checked(&dir, "dense.toml");
    let labelled = |name: &str| svg.contains(&format!(">{name}</text>")) || svg.contains(&format!(">{name}: between"));
    assert!((0..40).all(|host| labelled(&format!("access-{host}"))), "each link has its settings in the picture");
    assert_eq!(checked(&dir, "dense.toml"), svg, "the same network gives the same picture");
}

#[test]
fn map_shows_motion_ranges_and_a_scale() {
    let dir = scratch("topology-map");
    let svg = checked(&dir, &file("examples/handover.toml"));
    assert_eq!(svg.matches("class=\"range\"").count(), 4, "two access points, two ranges each");
    assert!(svg.contains("motion of walker") && svg.contains(">60 s<"));
    assert!(svg.contains("class=\"scale\"") && svg.contains(">200 m<"));
    assert!(!checked(&dir, &file("examples/goel-refined.toml")).contains("class=\"map\""), "without positions no map");
}

#[test]
fn directions_that_differ_have_both_settings() {
    let dir = scratch("topology-directed");
    let svg = checked(&dir, &file("examples/slow-uplink.toml"));
    assert!(svg.contains("to laptop: 50 Mbps, 10 ms") && svg.contains("to modem: 250 kbps, 10 ms"));
}

#[test]
fn files_of_a_topology_are_named_by_the_options() {
    let dir = scratch("topology-files");
    let example = file("examples/handover.toml");
    let printed = fine(&dir, &["plot", &example, "--topology", "--out", "p"]);
    assert_eq!(printed, "p/network.topology.svg\np/network.topology.png\n");
    assert_eq!(fine(&dir, &["plot", &example, "--topology", "-o", "p/a.png", "--dark"]), "p/a.png\n");
    assert!(std::fs::read(dir.join("p/a.png")).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(
        fine(&dir, &["plot", &example, "--topology"]),
        "results/handover-seed1.plots/network.topology.svg\nresults/handover-seed1.plots/network.topology.png\n"
    );
    for (options, expected) in [
        (&["-o", "a.pdf"][..], "a file name that ends in .svg or .png"),
        (&["--scheme", "unmodified,snoop", "-o", "a.svg"], "one scenario with --topology"),
        (&["--flow", "download", "-o", "a.svg"], "cannot be used with"),
    ] {
        let refused = lasthop(&dir, &[&["plot", &example, "--topology"], options].concat());
        assert!(refused.code != Some(0) && refused.err.contains(expected), "{options:?}: {}", refused.err);
    }
}
