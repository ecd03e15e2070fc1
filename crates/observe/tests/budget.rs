//! The time budget of `observe::explain`. The causes of a budget add up, and each cause is checked in a run with a
//! known share.

use std::collections::BTreeMap;

use engine::Span;
use observe::explain::{Cause, Explain, FlowReport};
use scenario::Overrides;
use sim::{Network, Transport};
use testkit::{build_network, example_paths, load_example, run_with_sink, wire_text};

/// Runs a network and explains its flows.
fn explained(network: &Network) -> Vec<FlowReport> {
    let mut explain = Explain::new(network);
    let results = run_with_sink(network, &mut explain);
    explain.finish(results.ended)
}

/// Returns the budget of a scenario's first flow, in milliseconds by name, and the duration of the flow.
fn budget(text: &str) -> (BTreeMap<&'static str, f64>, f64) {
    let report = explained(&build_network(text)).remove(0);
    let millis = |span: Span| span.as_secs_f64() * 1e3;
    let budget = report.budget.iter().map(|(cause, span)| (cause.name(), millis(*span))).collect();
    (budget, millis(report.took))
}

/// Asserts that a cause has `expected` milliseconds, within 2 %.
#[track_caller]
fn assert_cause(text: &str, cause: Cause, expected: f64) {
    let (budget, took) = budget(text);
    let found = budget.get(cause.name()).copied().unwrap_or(0.0);
    assert!(
        (found - expected).abs() <= 0.02 * expected,
        "{}: {found} for {expected} of {took}: {budget:?}",
        cause.name()
    );
}

/// Every moment has one cause, for every flow of every example.
#[test]
fn causes_of_every_example_add_up_to_the_duration_of_its_flows() {
    let mut flows = 0;
    for path in example_paths() {
        let mut network = load_example(&path, &Overrides::default()).network;
        // The causes of long runs repeat.
        network.duration = network.duration.min(Span::from_secs(60));
        for (spec, report) in network.flows.iter().zip(explained(&network)) {
            let sum = report.budget.iter().fold(Span::ZERO, |sum, (_, span)| sum + *span);
            let expected = if spec.transport == Transport::Tcp { report.took } else { Span::ZERO };
            assert_eq!(sum, expected, "{}, flow {}: {:?}", path.display(), spec.name, report.budget);
            flows += 1;
        }
    }
    assert!(flows >= 60, "{flows} flows");
}

/// Data in the other direction does not disturb the account: every moment of a flow has one cause, and the transmission
/// time of its data is as without the other direction.
#[test]
fn data_in_the_other_direction_is_traffic_of_the_path() {
    let flow = |traffic: &str| {
        let flow = format!("mss = \"960 B\"\nreceive_window = \"1 MB\"\ntcp.initial_window = 200\n{traffic}");
        wire_text("8 Mbps", "100 ms", &flow)
    };
    for (back, delayed) in [("960 B", false), ("96000 B", false), ("96000 B", true)] {
        let duplex = format!(
            "traffic = {{ kind = \"duplex\", bytes = \"96000 B\", bytes_back = \"{back}\" }}\ntcp.delayed_ack = {delayed}"
        );
        let (causes, took) = budget(&flow(&duplex));
        assert!((causes.values().sum::<f64>() - took).abs() < 1e-6, "{causes:?} of {took}");
        // 100 segments of 1 ms, and at most 100 acknowledgments of 40 bytes.
        let on_links = causes[Cause::LinkRate.name()];
        assert!((100.0..104.001).contains(&on_links), "{back} {delayed}: {causes:?} of {took}");
        let report = explained(&build_network(&flow(&duplex))).remove(0);
        assert!(report.findings.is_empty(), "{:?}", report.findings);
    }
}

/// 100 segments of 1 ms on the wire. Slow start never leaves the wire idle, because the initial window is large enough.
#[test]
fn cause_link_rate_is_the_transmission_time_of_all_segments() {
    let flow = "mss = \"960 B\"\nbytes = \"96000 B\"\nreceive_window = \"1 MB\"\ntcp.initial_window = 200";
    assert_cause(&wire_text("8 Mbps", "10 ms", flow), Cause::LinkRate, 100.0);
    // Afterwards the last segment and its acknowledgment, of 0.04 ms, propagate.
    assert_cause(&wire_text("8 Mbps", "10 ms", flow), Cause::Propagation, 20.04);
}

/// A window of four segments keeps the wire busy for 4 ms of a round trip of 201.04 ms. Slow start fills it with segments
/// 1 to 6 of 406: a hundred windows follow, with 99 pauses.
#[test]
fn cause_receiver_window_is_the_idle_rest_of_each_round_trip() {
    let flow = "mss = \"960 B\"\nbytes = \"389760 B\"\nreceive_window = \"3840 B\"";
    assert_cause(&wire_text("8 Mbps", "100 ms", flow), Cause::ReceiverWindow, 99.0 * 197.04);
}

/// A send buffer of four segments keeps the wire busy for 4 ms of a round trip of 201.04 ms, from the first one on: 400
/// segments are a hundred buffers, with 99 pauses.
#[test]
fn cause_send_buffer_is_the_idle_rest_of_each_round_trip() {
    let flow = "mss = \"960 B\"\nbytes = \"384000 B\"\nreceive_window = \"1 MB\"\n\
                tcp = { initial_window = 4, send_buffer = \"3840 B\" }";
    assert_cause(&wire_text("8 Mbps", "100 ms", flow), Cause::SendBuffer, 99.0 * 197.04);
}

/// The application reads a segment each 10 ms. The last of 1000 segments can be sent when all but the 10 of the window
/// are read, after 9.9 s. The wire is busy for 1 ms of each segment.
#[test]
fn cause_reader_is_the_time_for_which_unread_data_closes_the_window() {
    let flow = "mss = \"960 B\"\nbytes = \"960000 B\"\nreceive_window = \"9600 B\"\nreader = \"768 kbps\"";
    assert_cause(&wire_text("8 Mbps", "1 ms", flow), Cause::Reader, 9900.0 - 1000.0);
}

/// The flow sends 1, 2, 4, ..., 32 segments in six round trips, of which five wait for cwnd. A segment takes 8 us.
#[test]
fn cause_slow_start_is_the_time_until_the_window_holds_the_transfer() {
    let flow = "mss = \"960 B\"\nbytes = \"60480 B\"\nreceive_window = \"1 MB\"\ntcp.initial_window = 1";
    assert_cause(&wire_text("1 Gbps", "50 ms", flow), Cause::SlowStart, 5.0 * 100.0);
    assert_cause(&wire_text("1 Gbps", "50 ms", flow), Cause::Propagation, 100.0);
}

/// ssthresh is two segments. cwnd is 1, 2, 3, ... segments in successive round trips, and grows by slightly less than
/// one segment in each [RFC5681 s3.1 equation 3]. Therefore 66 segments take twelve round trips: one wait in slow
/// start, then ten.
#[test]
fn cause_congestion_avoidance_is_the_time_of_a_window_that_grows_by_one() {
    let flow = "mss = \"960 B\"\nbytes = \"63360 B\"\nreceive_window = \"1 MB\"\n\
                tcp = { initial_window = 1, initial_ssthresh = \"1920 B\" }";
    let text = wire_text("1 Gbps", "50 ms", flow);
    assert_cause(&text, Cause::SlowStart, 100.0);
    assert_cause(&text, Cause::CongestionAvoidance, 10.0 * 100.0);
}

/// A SYN and its acknowledgment take a round trip, and 0.04 ms each.
#[test]
fn cause_handshake_is_one_round_trip() {
    let flow = "mss = \"960 B\"\nbytes = \"960 B\"\ntcp.handshake = true";
    assert_cause(&wire_text("8 Mbps", "100 ms", flow), Cause::Handshake, 200.0);
}

/// Ten packets a second of 1 ms each are sent. There is nothing to send for the other 99 % of the time.
#[test]
fn cause_application_is_the_time_without_data() {
    let flow = "mss = \"960 B\"\nreceive_window = \"1 MB\"\ntraffic = { kind = \"cbr\", rate = \"76800 bps\", packet = \"960 B\" }";
    let text = wire_text("8 Mbps", "10 ms", flow).replace("10000 s", "100 s");
    assert_cause(&text, Cause::Application, 99_000.0);
}

/// Two flows with equal windows take turns on the wire, which is never idle. Each waits for the other for half of the
/// time.
#[test]
fn cause_others_queue_is_the_share_of_the_other_flow() {
    let flow = |name: &str| {
        format!(
            "[flows.{name}]\nfrom = \"a\"\nto = \"b\"\nmss = \"960 B\"\nreceive_window = \"96000 B\"\n\
             tcp.initial_window = 100\n"
        )
    };
    let text = wire_text("8 Mbps", "10 ms", "")
        .replace("[flows.flow]\n        from = \"a\"\n        to = \"b\"", &flow("flow"));
    let text = format!("{text}\n{}", flow("other")).replace("10000 s", "60 s");
    assert_cause(&text, Cause::OthersQueue, 30_000.0);
    assert_cause(&text, Cause::LinkRate, 30_000.0);
}

/// A page is loaded behind a bulk flow whose window fills the queue. Most of the page's time is spent in the queue of
/// that flow. Without the other flow the page takes that much less time, which checks the cause by a counterfactual
/// run.
#[test]
fn cause_others_queue_is_the_time_that_a_page_gains_without_the_other_flow() {
    let page = "mss = \"960 B\"\nbytes = \"100 kB\"\nreceive_window = \"1 MB\"\nstart = \"20 s\"\ntcp.handshake = true";
    let bulk = "[flows.bulk]\nfrom = \"a\"\nto = \"b\"\nmss = \"960 B\"\nreceive_window = \"480 kB\"";
    let alone = wire_text("8 Mbps", "10 ms", page);
    let behind = format!("{alone}\n{bulk}").replace("10000 s", "120 s");
    let (budget_alone, took_alone) = budget(&alone);
    let (budget_behind, took_behind) = budget(&behind);
    assert_eq!(budget_alone.get("others-queue"), None);
    let (share, gained) = (budget_behind["others-queue"], took_behind - took_alone);
    assert!(gained > 3_000.0, "{took_behind} and {took_alone} ms");
    assert!((share - gained).abs() < 0.02 * gained, "{share} of {gained}: {budget_behind:?}");
}

/// The example of the page behind a download: the cost of the finding equals the time saved by FQ-CoDel at the line.
#[test]
fn standing_queue_costs_the_time_that_fq_codel_saves() {
    let page = |set: &[&str]| {
        let set = set.iter().map(|set| (*set).to_owned()).collect();
        let loaded = load_example("bufferbloat.toml", &Overrides { set, ..Overrides::default() });
        explained(&loaded.network).remove(1)
    };
    let (standing, fair) = (page(&[]), page(&["links.line.queue=\"fq-codel\""]));
    let cost = |report: &FlowReport| {
        let found = report.findings.iter().filter(|finding| finding.kind == "standing-queue");
        found.map(|finding| finding.cost.as_secs_f64()).sum::<f64>()
    };
    let saved = (standing.took - fair.took).as_secs_f64();
    assert!(saved > 15.0 && (cost(&standing) - saved).abs() < 0.02 * saved, "{saved} s: {:?}", standing.findings);
    assert!(cost(&fair) < 0.02, "{:?}", fair.findings);
}

/// An application writes four segments twice a second. The first wire sends them in 4 ms; the second, slower one is 50
/// ms away and receives them when the first queue is empty. Of each burst three segments wait behind their own, for 3
/// ms. The slowest hop is known from the second of 200 bursts on.
#[test]
fn cause_own_queue_is_the_wait_at_a_faster_hop_while_the_slowest_is_idle() {
    let text = r#"
        duration = "100 s"
        [nodes]
        a = { kind = "host" }
        r = { kind = "router" }
        b = { kind = "host" }
        [links.first]
        kind = "wired"
        between = ["a", "r"]
        rate = "8 Mbps"
        delay = "50 ms"
        [links.second]
        kind = "wired"
        between = ["r", "b"]
        rate = "7.9 Mbps"
        delay = "1 ms"
        [flows.flow]
        from = "a"
        to = "b"
        mss = "960 B"
        receive_window = "1 MB"
        traffic = { kind = "cbr", rate = "61440 bps", packet = "3840 B" }
        tcp.initial_window = 4
        "#;
    assert_cause(text, Cause::OwnQueue, 199.0 * 3.0);
}

/// A frame is lost at its first three attempts. Each attempt costs its transmission of 8 ms and the acknowledgment
/// timeout. Together this is the time by which the transfer takes longer than over a perfect channel.
#[test]
fn cause_bad_air_is_the_time_that_a_perfect_channel_saves() {
    let text = |drop: &str| {
        let channel = format!("{{ kind = \"scripted\", drop = [{drop}] }}");
        let flow = "bytes = \"100 KiB\"\nreceive_window = \"64 KiB\"";
        testkit::thesis_text("", 1, &channel, flow)
    };
    let ((lossy, took_lossy), (perfect, took_perfect)) = (budget(&text("40, 41, 42")), budget(&text("")));
    let lost = took_lossy - took_perfect;
    assert_eq!(perfect.get("bad-air"), None);
    assert!(lost > 24.0 && (lossy["bad-air"] - lost).abs() < 0.02 * lost, "{lost}: {lossy:?}");
}

/// The last segment is lost on the wire, without a link layer, so that only the timer repairs the loss. The transfer
/// without the loss is shorter by this wait.
#[test]
fn cause_air_loss_is_the_wait_for_the_timer_after_a_lost_tail() {
    let text = |drop: &str| {
        let flow = "mss = \"960 B\"\nbytes = \"96000 B\"\nreceive_window = \"1 MB\"\ntcp.initial_window = 200";
        let channel = format!("channel = {{ kind = \"scripted\", drop = [{drop}] }}\n[flows.flow]");
        wire_text("8 Mbps", "10 ms", flow).replace("[flows.flow]", &channel)
    };
    let ((lossy, took_lossy), (_, took_whole)) = (budget(&text("99")), budget(&text("")));
    let lost = took_lossy - took_whole;
    // The lost transmission takes 1 ms of this wait.
    assert!(lost > 200.0 && (lossy["bad-air"] - 1.0).abs() < 1e-6, "{lossy:?}");
    // Without the loss the last 20.04 ms are the propagation of the last segment and its acknowledgment.
    let (repair, expected) = (lossy["air-loss"] + lossy["bad-air"], lost + 20.04);
    assert!((repair - expected).abs() < 0.02 * expected, "{repair} for {expected}: {lossy:?}");
}

/// The test above, with a queue that has no space for the last segment instead of a loss on the wire.
#[test]
fn cause_queue_drop_is_the_wait_for_the_timer_after_a_dropped_tail() {
    let text = |queue: &str| {
        let flow = "mss = \"960 B\"\nbytes = \"96000 B\"\nreceive_window = \"1 MB\"\ntcp.initial_window = 200";
        wire_text("8 Mbps", "10 ms", flow).replace("[flows.flow]", &format!("queue = \"{queue}\"\n[flows.flow]"))
    };
    // One packet is being sent, and 98 wait. The last packet is dropped.
    let ((dropped, took_dropped), (_, took_whole)) = (budget(&text("98 packets")), budget(&text("unlimited")));
    let lost = took_dropped - took_whole;
    assert!(lost > 200.0, "{took_dropped} and {took_whole}");
    // The wait is computed as in the test above. The dropped segment is transmitted only once, by its retransmission.
    let expected = lost + 20.04;
    assert!((dropped["queue-drop"] - expected).abs() < 0.02 * expected, "{expected}: {dropped:?}");
}

/// The link is interrupted for a second while packets wait.
#[test]
fn cause_outage_is_the_duration_of_the_interruption() {
    let flow = "mss = \"960 B\"\nbytes = \"960000 B\"\nreceive_window = \"96000 B\"\ntcp = { initial_window = 100, min_rto = \"5 s\" }";
    let text = wire_text("8 Mbps", "10 ms", flow);
    let text = text.replace(
        "[flows.flow]",
        "outages = [{ from = \"500 ms\", to = \"1500 ms\", packets = \"wait\" }]\n[flows.flow]",
    );
    assert_cause(&text, Cause::Outage, 1000.0);
    // This discipline chooses the packet at the start of its transmission. The sojourn time never reaches the target.
    let queue = "queue = { kind = \"codel\", target = \"100 s\", interval = \"1000 s\" }\n[flows.flow]";
    let chosen = text.replace("[flows.flow]", queue);
    assert_eq!(budget(&chosen), budget(&text));
}

/// The link sends a packet of 1500 bytes at each of 100 opportunities a second. Between them the link counts as serving
/// the first packet, whether its times are known at its arrival or, as with CoDel, at the start of its transmission.
#[test]
fn cause_link_rate_of_a_recorded_link_includes_the_time_between_opportunities() {
    let flow = "mss = \"1460 B\"\nbytes = \"1460 kB\"\nreceive_window = \"1 MB\"\ntcp.initial_window = 200";
    let trace = "delivery_trace.forward = { contents = \"10\\n\" }\n[flows.flow]";
    let text = wire_text("8 Mbps", "10 ms", flow).replace("[flows.flow]", trace);
    assert_cause(&text, Cause::LinkRate, 10_000.0);
    let queue = "queue = { kind = \"codel\", target = \"100 s\", interval = \"1000 s\" }\ndelivery_trace";
    assert_cause(&text.replace("delivery_trace", queue), Cause::LinkRate, 10_000.0);
}

/// An application writes 100 bytes every 20 ms. Nagle's algorithm permits one small segment per round trip of 200.09 ms.
/// The next write follows the acknowledgment after 10 ms on average, because the phase drifts; the remaining time small
/// segments wait for acknowledgments.
#[test]
fn cause_nagle_is_the_wait_of_small_segments_for_acknowledgments() {
    let flow = "mss = \"2000 B\"\nreceive_window = \"1 MB\"\ntraffic = { kind = \"cbr\", rate = \"40 kbps\", packet = \"100 B\" }\n\
                tcp.nagle = \"on\"";
    let text = wire_text("100 Mbps", "100 ms", flow).replace("10000 s", "100 s");
    assert_cause(&text, Cause::Nagle, 100_000.0 * 0.95);
}

/// A packet takes two seconds more than 201.04 ms. The timer expires after a second, and TCP repairs data that was not
/// lost until the acknowledgment arrives. With the window of one segment nothing else is in the network.
#[test]
fn cause_spurious_recovery_is_the_time_from_a_needless_timeout_to_the_acknowledgment() {
    let flow = "mss = \"960 B\"\nbytes = \"48000 B\"\nreceive_window = \"960 B\"\ntcp.min_rto = \"1 s\"";
    let spike = "delay_spikes = [{ at = \"5 s\", duration = \"201 ms\", extra_delay = \"2 s\" }]\n[flows.flow]";
    let text = wire_text("8 Mbps", "100 ms", flow).replace("[flows.flow]", spike);
    assert_cause(&text, Cause::SpuriousRecovery, 2000.0 + 201.04 - 1000.0);
}

/// A mobile closes the receive window 300 ms before a disconnection of three seconds, and opens it afterwards. The
/// acknowledgments that close and open it take equally long to the sender.
#[test]
fn cause_scheme_is_the_time_for_which_the_scheme_closes_the_receive_window() {
    let air = "queue = \"unlimited\"\nchannel = { kind = \"scripted\", bad = [[\"5 s\", \"8 s\"]] }";
    let flow = format!("{}\nbytes = \"400 kB\"\nmss = \"1000 B\"\nreceive_window = \"4000 B\"", testkit::TO_MOBILE);
    let text = testkit::last_hop_text("duration = \"600 s\"", ("8 Mbps", "100 ms"), air, &flow);
    let freezing = "mobile = { kind = \"host\", scheme = { kind = \"freeze-tcp\", warning = \"300 ms\" } }";
    let text = text.replace("mobile = { kind = \"host\" }", freezing);
    assert_cause(&text, Cause::Scheme, 3300.0);
}

/// A neighbour sends ten datagrams of 1000 bytes a second, each for 192 us + (1000 + 28 + 8 + 28) x 8 / 2 Mbps, SIFS of
/// 10 us and an acknowledgment of 192 us + 14 x 8 / 2 Mbps, while the download always has a packet to send. With 1024
/// slots frames rarely collide.
#[test]
fn cause_contention_is_the_exchanges_of_a_neighbour() {
    let text = r#"
        duration = "60 s"
        [nodes]
        server = { kind = "host" }
        station = { kind = "base-station" }
        mobile = { kind = "host" }
        neighbour = { kind = "host" }
        [links.wire]
        kind = "wired"
        between = ["server", "station"]
        rate = "1 Gbps"
        delay = "1 us"
        [media.cell]
        standard = "802.11"
        cw_min = 1023
        [links.air]
        kind = "wireless"
        between = ["station", "mobile"]
        medium = "cell"
        [links.other]
        kind = "wireless"
        between = ["neighbour", "station"]
        medium = "cell"
        [flows.flow]
        from = "server"
        to = "mobile"
        mss = "1000 B"
        receive_window = "64 KiB"
        [flows.call]
        from = "neighbour"
        to = "server"
        transport = "udp"
        traffic = { kind = "cbr", rate = "80 kbps", packet = "1000 B" }
        "#;
    let exchange = 0.192 + 1064.0 * 8.0 / 2000.0 + 0.010 + 0.192 + 14.0 * 8.0 / 2000.0;
    assert_cause(text, Cause::Contention, 600.0 * exchange);
}

/// A burst of 100 segments of 8 us doubles the window to 200 in 0.8 ms, as its acknowledgments arrive after 100 ms. In slow
/// start the rate is twice the window in a round trip, as in Linux. Segment 101 is followed after 100 / (2 x 101) ms and the
/// next, with a window of 162, after 0.31 ms; 97 further intervals are 100 / (2 x 200) ms.
#[test]
fn cause_pacing_is_the_interval_between_segments_less_their_transmission() {
    let flow = "mss = \"960 B\"\nbytes = \"192000 B\"\nreceive_window = \"1 MB\"\n\
                tcp = { initial_window = 100, delayed_ack = false, control = { kind = \"reno\", pace = true } }";
    let expected = 0.495 + 0.309 + 97.0 * 0.25 - 99.0 * 0.008;
    assert_cause(&wire_text("1 Gbps", "50 ms", flow), Cause::Pacing, expected);
}

/// A segment and a neighbour's datagram, both of 1040 bytes, are sent at the same time, every 100 ms: they collide. Then
/// each station draws 0 or 1 slots until the draws differ, so they collide once more on average. A collision lasts
/// 192 us + (1040 + 36) x 8 / 2 Mbps. The acknowledgment is delayed by 40 ms and meets an idle medium. With 10,000
/// intervals the standard error is 0.7 %.
#[test]
fn cause_collision_is_the_exchanges_that_collide() {
    let text = r#"
        duration = "1000 s"
        [nodes]
        station = { kind = "host" }
        mobile = { kind = "host" }
        neighbour = { kind = "host" }
        [media.cell]
        standard = "802.11"
        cw_min = 0
        cw_max = 1
        short_retry_limit = 50
        [links.air]
        kind = "wireless"
        between = ["station", "mobile"]
        medium = "cell"
        [links.other]
        kind = "wireless"
        between = ["neighbour", "mobile"]
        medium = "cell"
        [flows.flow]
        from = "station"
        to = "mobile"
        mss = "1000 B"
        receive_window = "64 KiB"
        traffic = { kind = "cbr", rate = "80 kbps", packet = "1000 B" }
        tcp.delayed_ack = { every = 2, delay = "40 ms" }
        [flows.call]
        from = "neighbour"
        to = "mobile"
        transport = "udp"
        traffic = { kind = "cbr", rate = "80960 bps", packet = "1012 B" }
        "#;
    assert_cause(text, Cause::Collision, 10_000.0 * 2.0 * (0.192 + 1076.0 * 8.0 / 2000.0));
}

/// Names are unique, and every cause has a sentence.
#[test]
fn causes_have_unique_names() {
    let names: std::collections::BTreeSet<&str> = Cause::ALL.iter().map(|cause| cause.name()).collect();
    assert_eq!(names.len(), Cause::ALL.len());
    assert!(Cause::ALL.iter().all(|cause| !cause.summary().is_empty()));
}
