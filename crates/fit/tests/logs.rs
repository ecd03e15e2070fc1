//! Logs of iperf3 and ping.

use engine::Span;
use fit::log::{Iperf, Ping};
use fit::loss::Loss;
use fit::measured::{self, GivenSettings};

/// Returns the output of `iperf3 -c SERVER -J -t 6`, shortened: five of six intervals have 8 Mbit/s of data.
fn iperf(rates: &[f64]) -> String {
    let interval = |rate: &f64| {
        format!(
            r#"{{"streams":[{{"socket":5,"bytes":1000000,"rtt":61000,"snd_cwnd":100000}}],
               "sum":{{"start":0,"end":1,"seconds":1.0001,"bytes":1000000,"bits_per_second":{rate},"retransmits":0}}}}"#
        )
    };
    let intervals: Vec<String> = rates.iter().map(interval).collect();
    format!(
        r#"{{"start":{{"tcp_mss_default":1448,"test_start":{{"protocol":"TCP","num_streams":1}}}},"intervals":[{}],
           "end":{{"streams":[{{"sender":{{"socket":5,"max_rtt":120000,"min_rtt":41000,"mean_rtt":60000}}}}],
           "sum_sent":{{"seconds":6.0,"bytes":5792000,"bits_per_second":7722666,"retransmits":40}},
           "sum_received":{{"seconds":6.0,"bytes":5700000,"bits_per_second":7600000}},"sender_tcp_congestion":"cubic"}}}}"#,
        intervals.join(",")
    )
}

#[test]
fn log_of_iperf_gives_rate_with_headers_round_trips_and_retransmissions() {
    let log = Iperf::parse(&iperf(&[3e6, 8e6, 8e6, 8e6, 8e6, 8e6])).expect("a log");
    // The sender's intervals count the written bytes; 5,700,000 bytes arrived in 6 s.
    assert_eq!(log.rate.bits_per_sec(), (7.6e6 * 1500.0 / 1448.0_f64).round() as u64);
    assert_eq!(log.rtts, [Some(0.061), Some(0.061)]);
    assert_eq!(log.rtt, Some([Span::from_millis(41), Span::from_millis(120)]));
    assert_eq!((log.rates, log.mss, log.retransmits, log.control.as_deref()), (None, 1448, 40, Some("cubic")));
    for (control, expected) in [("cubic", "linux"), ("reno", "linux-reno"), ("bbr", "bbr")] {
        let text = iperf(&[8e6]).replace("\"cubic\"", &format!("\"{control}\""));
        let text = text.replace("\"test_start\"", "\"system_info\":\"Linux vm 6.18\",\"test_start\"");
        assert_eq!(Iperf::parse(&text).expect("a log").control.as_deref(), Some(expected));
    }
    // 5,792,000 bytes are 4,000 segments.
    assert!(matches!(log.loss, Loss::Uniform(loss) if (loss.value - 0.01).abs() < 1e-12), "{:?}", log.loss);
    let receiver = Iperf::parse(&iperf(&[8e6]).replace("rtt", "other")).expect("a log");
    assert_eq!(receiver.rtt, None, "the receiver measures none");
    let rates = iperf(&[8e6, 8e6, 8e6, 4e6, 4e6, 8e6, 8e6, 8e6]);
    assert_eq!(Iperf::parse(&rates).expect("a log").rates, None, "a sender's intervals do not show the link");
    let varies = Iperf::parse(&rates.replace("\"num_streams\"", "\"reverse\":1,\"num_streams\"")).expect("a log");
    assert_eq!(varies.rates.map(|rates| rates.len()), Some(8));
    assert_eq!(varies.rate.bits_per_sec(), (8e6 * 1500.0 / 1448.0_f64).round() as u64, "the median");
}

/// Data in flight when the sender stops arrives later. Therefore goodput is computed from the bytes and the seconds of
/// the receiver.
#[test]
fn goodput_of_a_log_equals_the_receiver_total_of_iperf() {
    let text = iperf(&[8e6]).replace("\"sum_received\":{\"seconds\":6.0", "\"sum_received\":{\"seconds\":6.5");
    let log = Iperf::parse(&text).expect("a log");
    assert_eq!((log.bytes, log.took), (5_700_000, Span::from_millis(6500)));
    let given = GivenSettings { variant: None, rate: None, sender: None, source: "log".to_owned() };
    let (fitted, values) = measured::fit_to_iperf(&log, None, &given).expect("round trips");
    let goodput = values.goodput.expect("bytes arrived");
    assert!((goodput - 8.0 * 5.7e6 / 6.5).abs() < 1.0, "{goodput}");
    assert!(goodput < fitted.rate.bits_per_sec() as f64, "{goodput} over {:?}", fitted.rate);
}

#[test]
fn text_output_of_iperf_is_recognized() {
    let text = "Connecting to host server, port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n\
                [  5]   0.00-1.00   sec   471 KBytes  3.86 Mbits/sec    2   76.7 KBytes\n";
    assert!(Iperf::is_plain(text) && Iperf::is_plain("iperf3: error - unable to connect to server\n"));
    assert!(!Iperf::is_plain("hello\n") && !Iperf::is_plain(""));
}

/// With `--bidir` the log lists the streams of both directions. The streams of the other direction have other round
/// trips.
#[test]
fn log_of_both_directions_gives_the_direction_that_its_host_sends() {
    let one = Iperf::parse(&iperf(&[8e6])).expect("a log");
    assert!(!one.both_ways);
    let other = r#"{"sender":{"socket":7,"max_rtt":900000,"min_rtt":1000,"sender":false}}"#;
    let text = iperf(&[8e6])
        .replace("\"min_rtt\":41000,", "\"min_rtt\":41000,\"sender\":true,")
        .replace("}}],\n           \"sum_sent\"", &format!("}}}},{other}],\n           \"sum_sent\""))
        .replace("\"sender_tcp", "\"sum_sent_bidir_reverse\":{\"seconds\":6.0,\"bytes\":9000000},\"sender_tcp");
    assert!(text.contains(other), "{text}");
    let both = Iperf::parse(&text).expect("a log");
    assert!(both.both_ways);
    assert_eq!(Iperf { both_ways: false, ..both }, one);
}

#[test]
fn log_that_is_not_iperfs_is_an_error() {
    let udp = iperf(&[8e6]).replace("\"TCP\"", "\"UDP\"");
    let failed = iperf(&[8e6]).replacen('{', "{\"error\":\"unable to connect\",", 1);
    let refused = r#"{"start":{"connected":[],"version":"iperf 3.12"},"intervals":[],"end":{},
        "error":"unable to connect to server: Connection refused"}"#;
    let nothing = iperf(&[]).replace("5700000", "0");
    for (text, said) in [
        ("{}", "expected what `iperf3 -c SERVER -J` prints"),
        ("{", "expected what `iperf3 -c SERVER -J` prints"),
        (&udp, "found a test of UDP, expected TCP"),
        (&failed, "iperf3 reports an error: unable to connect"),
        (refused, "iperf3 reports an error: unable to connect to server: Connection refused"),
        (&nothing, "found no interval in which data arrived"),
    ] {
        let error = Iperf::parse(text).expect_err(said).to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn log_of_ping_gives_round_trips_and_losses_in_their_order() {
    let mut text = String::from("PING 10.0.0.2 (10.0.0.2) 56(84) bytes of data.\n");
    // Numbers wrap at 65,536; 65,535 and 2 are missing, 1 has a duplicate.
    for (stamp, number, millis) in
        [(1, 65_533, 20.1), (2, 65_534, 20.4), (4, 0, 35.0), (5, 1, 20.2), (5, 1, 22.0), (7, 3, 20.3)]
    {
        text += &format!("[17000{stamp}.5] 64 bytes from 10.0.0.2: icmp_seq={number} ttl=64 time={millis} ms\n");
    }
    assert!(Ping::is_log(&text));
    let log = Ping::parse(&text).expect("a log");
    assert_eq!((log.requests, log.rtts.len(), log.min_rtt()), (7, 5, Span::from_nanos(20_100_000)));
    assert!((log.loss.mean_share() - 2.0 / 7.0).abs() < 1e-12, "{:?}", log.loss);
    for text in [
        "PING 10.0.0.2 (10.0.0.2) 56(84) bytes of data.\n\n--- 10.0.0.2 ping statistics ---\n\
         20 packets transmitted, 0 received, 100% packet loss, time 3885ms\n",
        "PING 10.0.0.2 (10.0.0.2): 56 data bytes\nRequest timeout for icmp_seq 0\n",
    ] {
        assert!(Ping::is_log(text), "{text}");
        let error = Ping::parse(text).expect_err("no reply").to_string();
        assert!(error.contains("found a log of ping without a reply"), "{error}");
    }
    assert!(!Ping::is_log("hello\n"));
}
