//! Conversion of scenarios to paths.

use std::path::PathBuf;

use super::*;

fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/bbr-linux")
}

fn path(name: &str, set: &[&str]) -> Result<BottleneckPath, String> {
    let set = set.iter().map(|set| (*set).to_owned()).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    let loaded = load_from_disk(&examples().join(name), &overrides).unwrap_or_else(|problems| panic!("{problems:?}"));
    BottleneckPath::of(&loaded.network)
}

#[test]
fn all_ten_example_files_can_run_on_the_kernel() {
    let mut names: Vec<String> =
        std::fs::read_dir(examples()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names.len(), 10);
    for name in names {
        let path = path(&name, &[]).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        assert!(path.flows.iter().all(|flow| ["bbr", "cubic"].contains(&flow.control.as_str())), "{name}");
        assert_eq!(path.lasts, Duration::from_secs(60), "{name}");
    }
}

#[test]
fn scenario_gives_rate_delay_queue_losses_and_flows() {
    let flow =
        |name: &str, start| PathFlow { name: name.into(), control: "bbr".into(), start: Duration::from_secs(start) };
    let set = ["links.access.delay=3 ms", "links.access.loss=0.01", "links.bottleneck.loss=0.25"];
    let expected = BottleneckPath {
        rate: 10e6,
        delay: Duration::from_millis(23),
        queue: 50,
        loss_before: 0.01,
        loss_behind: 0.25,
        lasts: Duration::from_secs(60),
        flows: vec![flow("first", 0), flow("second", 5)],
        bottleneck: LinkId::new(1).hop(LinkDirection::Forward),
    };
    assert_eq!(path("beside-bbr.toml", &set), Ok(expected));
}

#[test]
fn bottleneck_with_reversed_endpoints_is_recognized() {
    let path = path("alone.toml", &["links.bottleneck.between=[\"client\", \"router\"]"]).unwrap();
    assert_eq!(path.bottleneck, LinkId::new(1).hop(LinkDirection::Backward));
}

#[test]
fn scenario_that_the_kernel_cannot_run_is_refused() {
    for (set, reason) in [
        ("links.access.queue=5 packets", "`access` has a queue limit"),
        ("links.access.rate=1 Mbps", "expected a fast access link"),
        ("links.bottleneck.queue=64 kB", "in bytes, expected packets"),
        ("links.bottleneck.ecn_threshold=5 packets", "more properties than rate"),
        ("links.bottleneck.channel={ kind = \"bit-errors\", rate = 1e-6 }", "more properties than rate"),
        ("nodes.router.processing_delay=1 ms", "processing delay"),
        ("flows.bbr.bytes=1 MB", "`bbr` has the key `bytes`"),
    ] {
        let problem = path("alone.toml", &[set]).unwrap_err();
        assert!(problem.contains(reason), "{set}: {problem}");
    }
}

#[test]
fn missing_file_and_invalid_options_are_refused() {
    let options = |words: &[&str]| CompareOptions::of(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    assert_eq!(options(&["--runs", "5", "a.toml"]).unwrap().runs, 5);
    for words in
        [&[][..], &["--runs", "0", "a.toml"], &["--gso", "0", "a.toml"], &["--sat", "a.toml"], &["a.toml", "--set"]]
    {
        assert!(options(words).is_err(), "{words:?}");
    }
}

/// With a window of four segments over 1 Mbps and negligible propagation delay, one segment is in transmission and
/// three wait. While an acknowledgment is in transit, two wait.
#[test]
fn simulated_queue_follows_from_the_window() {
    let set = [
        "links.bottleneck.rate=1 Mbps",
        "links.bottleneck.delay=0 s",
        "links.access.delay=1 us",
        "flows.bbr.receive_window=5792 B",
        "flows.bbr.tcp.control=reno",
        "flows.bbr.tcp.delayed_ack=false",
    ]
    .map(str::to_owned);
    let overrides = Overrides { set: set.to_vec(), ..Overrides::default() };
    let loaded = load_from_disk(&examples().join("alone.toml"), &overrides).unwrap();
    let measured = ours::simulate_flows(&loaded.network, LinkId::new(1).hop(LinkDirection::Forward));
    // 60 s at a sampling interval of 10 ms.
    assert_eq!(measured.queue.len(), 6000);
    let settled = &measured.queue[100..];
    assert!(settled.iter().all(|waiting| (2..=3).contains(waiting)), "{settled:?}");
}
