//! Links with separate settings for the directions.

use std::rc::Rc;

use scenario::{NoFiles, Overrides, Scenario, Source};
use testkit::{build_network, load_example, read_scenario, run_network, wire_text};

/// A wire of 8 Mbps and 10 ms with these lines added to its table.
fn with(lines: &str, flow: &str) -> String {
    wire_text("8 Mbps", "10 ms", flow).replace("[flows.flow]", &format!("{lines}\n[flows.flow]"))
}

fn directed(key: &str, both: &str, each: &str, flow: &str) -> String {
    wire_text("8 Mbps", "10 ms", flow).replace(&format!("{key} = \"{both}\""), &format!("{key} = {each}"))
}

/// 1000 B at 8 Mbps and 10 ms to the receiver; an acknowledgment of 40 B at 32 kbps and 30 ms back.
#[test]
fn each_direction_has_its_rate_and_delay() {
    let flow = "mss = \"960 B\"\nbytes = \"960 B\"";
    let text = directed("rate", "8 Mbps", "{ forward = \"8 Mbps\", backward = \"32 kbps\" }", flow)
        .replace("delay = \"10 ms\"", "delay = { forward = \"10 ms\", backward = \"30 ms\" }");
    assert_eq!(
        run_network(&build_network(&text)).flows[0].elapsed.as_nanos(),
        1_000_000 + 10_000_000 + 10_000_000 + 30_000_000
    );
    // The data takes the other direction.
    let text = text.replace("from = \"a\"", "from = \"b\"").replace("to = \"b\"\n", "to = \"a\"\n");
    assert_eq!(
        run_network(&build_network(&text)).flows[0].elapsed.as_nanos(),
        250_000_000 + 30_000_000 + 40_000 + 10_000_000
    );
}

/// An acknowledgment of 40 B takes 1.28 ms at 250 kbps, so that a segment of 1460 B arrives in that time.
#[test]
fn slow_uplink_limits_a_download_to_its_acknowledgments() {
    let loaded = load_example("slow-uplink.toml", &Overrides::default());
    let goodput = run_network(&loaded.network).flows[0].goodput_bps().expect("it has a goodput");
    let expected = 1460.0 * 8.0 / 1.28e-3;
    assert!((goodput - expected).abs() < 0.02 * expected, "{goodput} for {expected}");
}

/// Of ten segments sent at once, one is in transmission and two fit in the queue. The queue of the other direction has
/// room for all acknowledgments.
#[test]
fn each_direction_has_its_queue() {
    let flow = "mss = \"960 B\"\nbytes = \"9600 B\"\ntcp.initial_window = 10";
    let limits = |queue: &str| {
        let results = run_network(&build_network(&with(&format!("queue = {queue}"), flow)));
        results.links[0].directions.map(|counters| counters.queue_full)
    };
    assert_eq!(limits("{ forward = \"2 packets\", backward = \"50 packets\" }")[0], 7);
    assert_eq!(limits("{ forward = \"50 packets\", backward = \"2 packets\" }"), [0, 0]);
}

/// A direction without a `loss` is perfect, while frames in the other direction are lost.
#[test]
fn each_direction_has_its_channel() {
    let flow = "mss = \"960 B\"\nbytes = \"960 kB\"\nreceive_window = \"1 MB\"";
    let lost = |loss: &str| {
        let results = run_network(&build_network(&with(&format!("loss = {loss}"), flow)));
        results.links[0].directions.map(|counters| counters.frames_corrupted)
    };
    let ([there, none], [nothing, back]) = (lost("{ forward = 0.05 }"), lost("{ backward = 0.05 }"));
    assert!(there > 20 && back > 20 && (none, nothing) == (0, 0), "{there} {none}, {nothing} {back}");
}

/// Equal values by direction count as one value: the events are the same, and there is one channel for both directions.
#[test]
fn equal_directions_equal_one_value_for_both() {
    let flow = "mss = \"960 B\"\nbytes = \"960 kB\"";
    let channel = "{ kind = \"two-state\", mean_good = \"100 ms\", mean_bad = \"10 ms\" }";
    let one = with(&format!("channel = {channel}"), flow);
    let each = with(&format!("channel = {{ forward = {channel}, backward = {channel} }}"), flow)
        .replace("rate = \"8 Mbps\"", "rate = { forward = \"8 Mbps\", backward = \"8 Mbps\" }");
    let events = |text: &str| testkit::record_events(&build_network(text)).1;
    assert_eq!(events(&one), events(&each));
}

/// Both forms are the same scenario after they are written and read again.
#[test]
fn scenario_with_directions_is_written_and_read_back() {
    let text =
        with("queue = { forward = \"2 packets\", backward = \"codel\" }\nloss = { backward = 0.5 }", "mss = \"960 B\"");
    let first: Scenario = read_scenario(&text);
    let written = toml::to_string(&first).expect("it can be written");
    assert_eq!(read_scenario(&written), first, "{written}");
}

/// Setting a value for one direction leaves the value of the other direction unchanged.
#[test]
fn direction_can_be_set_from_the_command_line() {
    let set = |assignments: &[&str]| {
        let overrides =
            Overrides { set: assignments.iter().map(|set| (*set).to_owned()).collect(), ..Overrides::default() };
        let text = wire_text("8 Mbps", "10 ms", "");
        let source = Source::of_text(Rc::new(NoFiles), "net".into(), "net.toml".into(), text.as_bytes(), &overrides);
        let loaded = source.and_then(|source| source.resolve(&source.document)).unwrap_or_else(|p| panic!("{p:?}"));
        loaded.network.links[0].directions().map(|way| (way.rate.to_string(), way.delay.to_string()))
    };
    let rates = set(&["links.wire.rate.backward=1 Mbps", "links.wire.delay=20 ms"]);
    assert_eq!(rates.map(|(rate, delay)| format!("{rate}, {delay}")), ["8 Mbps, 20 ms", "1 Mbps, 20 ms"]);
}
