//! Waits of datagrams and response times of flows, compared with queueing theory.

use engine::{Bytes, Span, Stream};
use sim::app::recorded;
use sim::{ApplicationConfig, NullSink, Results, World};

/// Sends `sizes` bytes of payload at `times` over 8 Mbps with 1 ms, and returns the results.
fn over_one_link(writes: Vec<(Span, Bytes)>) -> Results {
    let text = r#"
        duration = "8000 s"
        nodes = { a = { kind = "host" }, b = { kind = "host" } }
        links.wire = { kind = "wired", between = ["a", "b"], rate = "8 Mbps", delay = "1 ms", queue = "unlimited" }
        flows.f = { from = "a", to = "b", transport = "udp", traffic = { kind = "recorded", writes = [["0 s", "1 B"]] } }
    "#;
    let mut network = scenario::from_toml("queue.toml", text).unwrap().network;
    network.flows[0].traffic = ApplicationConfig::Recorded(recorded::Config { file: None, writes: Some(writes) });
    let mut world = World::new(&network, false);
    world.run(&mut NullSink);
    world.results()
}

const PACKETS: usize = 200_000;
/// Of IPv4 and UDP.
const HEADERS: f64 = 28.0;

/// Mean wait in microseconds of Poisson arrivals at this load, with packets of `size(draw)` bytes in all, 1 us each.
fn mean_wait(load: f64, mean_size: f64, size: impl Fn(&mut engine::Draws) -> f64) -> (f64, f64) {
    let mut draws = Stream::named(17, 0, "arrivals").draws();
    let (mut at, mut service) = (0.0, 0.0);
    let writes = (0..PACKETS).map(|_| {
        at += draws.exponential(mean_size / load);
        let payload = (size(&mut draws) - HEADERS).max(1.0).round();
        service += payload + HEADERS;
        (Span::from_nanos((1000.0 * at) as u64), Bytes(payload as u64))
    });
    let results = over_one_link(writes.collect());
    let datagrams = results.flows[0].datagrams.as_ref().unwrap();
    assert_eq!(datagrams.received as usize, PACKETS);
    let service = service / PACKETS as f64;
    (datagrams.delay.mean().unwrap() / 1e3 - 1000.0 - service, service)
}

/// Pollaczek-Khinchine: W = rho S / (2 (1 - rho)) for constant service times S. With 200,000 packets at a load of 0.8
/// the standard error of the mean is about 1 %.
#[test]
fn constant_packets_wait_as_in_md1() {
    for (load, margin) in [(0.5, 0.02), (0.8, 0.04)] {
        let (wait, service) = mean_wait(load, 1000.0, |_| 1000.0);
        let expected = load * service / (2.0 * (1.0 - load));
        assert!((wait / expected - 1.0).abs() < margin, "load {load}: {wait} us, expected {expected}");
    }
}

/// W = rho S / (1 - rho) for exponential service times. Sizes are at least 29 bytes, and the second moment is computed
/// from the sizes sent; at 8000 bytes on average the difference is 0.001 %.
#[test]
fn exponential_packets_wait_as_in_mm1() {
    for (load, margin) in [(0.5, 0.03), (0.8, 0.06)] {
        let (wait, service) = mean_wait(load, 8000.0, |draws| draws.exponential(8000.0).min(65_000.0));
        let load = load * service / 8000.0;
        let expected = load * service / (1.0 - load);
        assert!((wait / expected - 1.0).abs() < margin, "load {load}: {wait} us, expected {expected}");
    }
}

/// Flows that share a link evenly: the mean response time is S / (1 - rho), S the mean time alone, whatever the
/// distribution of sizes (Kleinrock 1976, 4.4). TCP is close to this if flows last much longer than a round trip.
#[test]
fn poisson_flows_respond_as_in_processor_sharing() {
    for sizes in [r#"{ kind = "fixed", bytes = "1 MB" }"#, r#"{ kind = "exponential", mean = "1 MB" }"#] {
        let text = format!(
            r#"
            duration = "4000 s"
            nodes = {{ a = {{ kind = "host" }}, b = {{ kind = "host" }} }}
            [links.wire]
            kind = "wired"
            between = ["a", "b"]
            rate = "10 Mbps"
            delay = "1 ms"
            queue = "unlimited"
            [arrivals.f]
            from = "a"
            to = "b"
            rate = "0.6 /s"
            sizes = {sizes}
            max_flows = 2000
            receive_window = "8 kB"
            tcp.initial_window = 5
            "#
        );
        let network = scenario::from_toml("sharing.toml", &text).unwrap().network;
        let mut world = World::new(&network, false);
        world.run(&mut NullSink);
        let flows = world.results().short_flows;
        assert!(flows.len() == 2000 && flows.iter().all(|flow| flow.completed.is_some()));
        let n = flows.len() as f64;
        let mean = flows.iter().filter_map(|flow| flow.completion_time()).map(Span::as_secs_f64).sum::<f64>() / n;
        let alone = flows.iter().filter_map(|flow| flow.ideal).map(Span::as_secs_f64).sum::<f64>() / n;
        let offered = flows.iter().map(|flow| flow.bytes as f64).sum::<f64>() / n;
        let span = flows.iter().map(|flow| flow.start).max().unwrap().as_secs_f64();
        let load = n * alone / span;
        let expected = alone / (1.0 - load);
        assert!(
            (mean / expected - 1.0).abs() < 0.1,
            "{sizes}: {mean} s, expected {expected} s, {offered} B, load {load}"
        );
    }
}
