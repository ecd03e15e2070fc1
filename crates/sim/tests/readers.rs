//! Applications that do not read on arrival.

use engine::Stream;
use testkit::{build_network, run_network, wire_text};

/// 960-byte segments are 1000 bytes on the wire: 1 ms at 8 Mbps.
const SEGMENT: f64 = 960.0;

/// A flow over 8 Mbps and 5 ms, with a receive window of 32 segments.
fn flow(reader: &str, more: &str) -> String {
    let flow = format!("mss = \"960 B\"\nreceive_window = \"{} B\"\n{reader}\n{more}", 32 * 960);
    wire_text("8 Mbps", "5 ms", &flow)
}

/// Bytes received in order after 60 s of an endless flow.
fn received(reader: &str, variant: &str) -> f64 {
    let text = flow(reader, &format!("tcp = \"{variant}\"")).replace("10000 s", "60 s");
    run_network(&build_network(&text)).flows[0].bytes_delivered as f64
}

fn completion(reader: &str, more: &str) -> u64 {
    let results = run_network(&build_network(&flow(reader, &format!("bytes = \"2 MB\"\n{more}"))));
    results.flows[0].completed.expect("the flow completes").as_nanos()
}

/// The application has read r t bytes after the time t, and what it has not read fills at most the buffer. A window
/// update is sent when the window has grown by two segments [WS96], and crosses the path with the data that it permits
/// in 12 ms, in which the application reads 3000 B.
// covers [RFC9293 s3.8.6]
#[test]
fn slow_reader_sets_the_rate_of_the_flow() {
    for variant in ["reno", "cubic", "bbr"] {
        for reader in ["reader = \"2 Mbps\"", "reader = { burst = \"5 kB\", every = \"20 ms\" }"] {
            let bytes = received(reader, variant);
            let read = 250_000.0 * 60.0;
            let bounds = read + 32.0 * SEGMENT - 3000.0 - 10.0 * SEGMENT..=read + 33.0 * SEGMENT;
            assert!(bounds.contains(&bytes), "{variant}, {reader}: {bytes}, not in {bounds:?}");
        }
    }
}

/// Bursts of 4 segments each 100 ms are 38.4 kB/s.
#[test]
fn bursts_are_limited_in_size() {
    let bytes = received("reader = { burst = \"3840 B\", every = \"100 ms\" }", "reno");
    let read = 38_400.0 * 60.0;
    assert!((read + 24.0 * SEGMENT..=read + 33.0 * SEGMENT).contains(&bytes), "{bytes}, read {read}");
}

/// Within a pause of 500 ms each 2 s the buffer of 32 segments fills, in 32 ms at full rate, and nothing is received
/// for the remaining 468 ms: of 60 s with 29 pauses 46.428 s at 960 kB/s. After a pause a window update opens the
/// window after 5 ms, and data needs 6 ms. A probe of the closed window causes no loss of time.
#[test]
fn pauses_stop_the_flow_once_the_buffer_is_full() {
    let bytes = received("reader = { pauses = { every = \"2 s\", for = \"500 ms\" } }", "reno");
    let idle = 29.0 * (0.468 + 0.011);
    let expected = (60.0 - idle) * 960_000.0;
    assert!((bytes / expected - 1.0).abs() < 0.005, "{bytes}, expected {expected}");
}

/// A reader that is faster than the link, or has no pause during the transfer, changes nothing.
#[test]
fn fast_reader_reads_on_arrival() {
    for more in ["", "tcp = \"linux\"", "tcp.close = true\ntcp.handshake = true"] {
        let pauses = "reader = { pauses = { every = \"1 h\", for = \"1 s\" } }";
        assert_eq!(completion(pauses, more), completion("", more), "{more}");
    }
    assert_eq!(completion("reader = \"8 Gbps\"", ""), completion("", ""));
}

/// The receiving end closes after its application has read everything: 2 MB at 1 Mbps are 16 s. The sender's end is
/// acknowledged before.
#[test]
fn receiver_closes_after_the_last_read() {
    let more = "bytes = \"2 MB\"\ntcp.close = true";
    let results = run_network(&build_network(&flow("reader = \"1 Mbps\"", more)));
    let ended = results.ended.as_secs_f64();
    assert!((16.0..16.1).contains(&ended), "{ended}");
    let completed = results.flows[0].completed.expect("the flow completes").as_secs_f64();
    assert!((15.6..16.0).contains(&completed), "{completed}");
    assert_eq!(results.flows[0].failure, None);
}

/// Flows that arrive reuse the ends of ended ones, and read at their own rate: each flow of 100 kB and a buffer of 30
/// kB takes at least 70 kB / 100 kB/s.
#[test]
fn arriving_flows_have_readers() {
    let text = r#"
        duration = "300 s"
        nodes = { a = { kind = "host" }, b = { kind = "host" } }
        links.l = { kind = "wired", between = ["a", "b"], rate = "100 Mbps", delay = "1 ms" }
        [arrivals.slow]
        from = "a"
        to = "b"
        rate = "1 /s"
        sizes = { kind = "fixed", bytes = "100 kB" }
        max_flows = 50
        receive_window = "30 kB"
        reader = "800 kbps"
        [arrivals.fast]
        from = "a"
        to = "b"
        rate = "1 /s"
        sizes = { kind = "fixed", bytes = "100 kB" }
        max_flows = 50
        receive_window = "30 kB"
    "#;
    let results = run_network(&build_network(text));
    assert_eq!(results.short_flows.len(), 100);
    for flow in &results.short_flows {
        let took = flow.completed.expect("each flow completes").since(flow.start).as_secs_f64();
        let slow = flow.arrivals.index() == 0;
        assert_eq!((0.69..0.75).contains(&took), slow, "{took}");
        assert_eq!(took < 0.1, !slow, "{took}");
    }
}

/// Every variant delivers 100 kB to every kind of reader, from every kind of send buffer, at random phases and with 3 % of
/// the packets lost in each direction. A reader at a rate has read all but a window of 10 segments at the end.
#[test]
fn transfer_to_any_reader_completes_at_random_phases() {
    let mut draws = Stream::named(9, 0, "readers").draws();
    let mut draw = |low: f64, high: f64| low + (high - low) * draws.unit();
    for preset in tcp::config::presets::PRESETS {
        for form in 0..9 {
            let (rate, every) = (draw(100.0, 4000.0), draw(5.0, 80.0));
            let reader = match form % 3 {
                0 => format!("\"{rate:.3} kbps\""),
                1 => format!("{{ burst = \"{:.0} B\", every = \"{every:.3} ms\" }}", draw(500.0, 9000.0)),
                _ => format!(
                    "{{ pauses = {{ every = \"{every:.3} ms\", for = \"{:.3} ms\" }} }}",
                    every * draw(0.1, 0.9)
                ),
            };
            let buffer = match form / 3 {
                0 => "\"unlimited\"".to_owned(),
                1 => format!("\"{:.0} B\"", draw(1000.0, 20_000.0)),
                _ => "\"autotuned\"".to_owned(),
            };
            let text = format!(
                r#"
                duration = "10000 s"
                seed = {form}
                nodes = {{ a = "host", x = "base-station", b = "host" }}
                [links.wire]
                kind = "wired"
                between = ["a", "x"]
                rate = "8 Mbps"
                delay = "{:.3} ms"
                [links.air]
                kind = "wireless"
                between = ["x", "b"]
                rate = "2 Mbps"
                delay = "1 ms"
                channel = {{ kind = "uniform", loss = 0.03 }}
                [flows.f]
                from = "a"
                to = "b"
                bytes = "100 kB"
                mss = "960 B"
                receive_window = "9600 B"
                start = "{:.3} ms"
                reader = {reader}
                tcp = {{ variant = "{}", send_buffer = {buffer} }}
                "#,
                draw(1.0, 60.0),
                draw(0.0, 200.0),
                preset.name
            );
            let results = run_network(&build_network(&text));
            let flow = &results.flows[0];
            assert_eq!(flow.bytes_delivered, 100_000, "{text}");
            let completed = flow.completed.unwrap_or_else(|| panic!("the flow completes: {text}"));
            if form % 3 == 0 {
                let read = (100_000.0 - 9600.0) * 8.0 / (rate * 1e3);
                assert!(completed.as_secs_f64() > read, "{completed:?}, {read} s: {text}");
            }
        }
    }
}
