//! `lasthop fit`: a scenario from a capture that lasthop wrote, and from logs.

use crate::common;

use common::{lasthop, scratch};

const PATH: &str = r#"
duration = "20 s"
nodes = { server = { kind = "host" }, station = { kind = "base-station" }, client = { kind = "host" } }
[links.wire]
kind = "wired"
between = ["server", "station"]
rate = "100 Mbps"
delay = "30 ms"
[links.air]
kind = "wireless"
between = ["station", "client"]
rate = "6 Mbps"
delay = "5 ms"
queue = "40 packets"
[flows.down]
from = "server"
to = "client"
receive_window = "1 MB"
tcp = { variant = "cubic", window_scaling = true, timestamps = true, handshake = true }
"#;

#[test]
fn capture_becomes_a_scenario_that_gives_the_measured_goodput() {
    let dir = scratch("fit_capture");
    std::fs::write(dir.join("path.toml"), PATH).unwrap();
    let ran = lasthop(&dir, &["run", "path.toml", "--trace", "pcapng", "--out", "path"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let fitted = lasthop(&dir, &["fit", "path/server.pcapng", "-o", "fitted.toml"]);
    assert_eq!(fitted.code, Some(0), "{}", fitted.err);
    assert!(fitted.err.contains("captured at the sender"), "{}", fitted.err);
    for expected in ["6 Mbps", "40 packets", "the queue was full"] {
        assert!(fitted.out.contains(expected), "{expected}: {}", fitted.out);
    }
    let goodput = fitted.out.lines().find(|line| line.starts_with("goodput")).expect("a row").to_owned();
    let values: Vec<f64> = goodput.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!((values[0] / values[1] - 1.0).abs() < 0.02, "{goodput}");
    assert!(fitted.out.contains("goodput by variant, nearest first: "), "{}", fitted.out);
    let other = lasthop(&dir, &["fit", "path/server.pcapng", "--stream", "7"]);
    assert_eq!(other.code, Some(2));
    assert!(other.err.contains("found no connection 7, expected 0, the only one"), "{}", other.err);
    let both = lasthop(&dir, &["fit", "path/server.pcapng", "path/client.pcapng"]);
    assert_eq!(both.code, Some(0), "{}", both.err);
    assert!(both.out.contains("40 packets"), "{}", both.out);
    for end in ["server", "client"] {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let capture = std::fs::read(dir.join(format!("path/{end}.pcapng"))).unwrap();
        std::io::Write::write_all(&mut gzip, &capture).unwrap();
        std::fs::write(dir.join(format!("{end}.pcapng.gz")), gzip.finish().unwrap()).unwrap();
    }
    for (packed, plain) in [
        (&["server.pcapng.gz"][..], &["path/server.pcapng"][..]),
        (&["server.pcapng.gz", "client.pcapng.gz"], &["path/server.pcapng", "path/client.pcapng"]),
    ] {
        let table = |files: &[&str]| {
            let fitted = lasthop(&dir, &[&["fit", "--json"], files].concat());
            assert_eq!(fitted.code, Some(0), "{files:?}: {}", fitted.err);
            let json: serde_json::Value = serde_json::from_str(&fitted.out).unwrap();
            (json["path"].clone(), json["measured"].clone(), json["simulated"].clone())
        };
        assert_eq!(table(packed), table(plain));
    }
    let mixed = lasthop(&dir, &["fit", "path/server.pcapng", "path/scenario.toml"]);
    assert!(mixed.err.contains("expected one capture alone"), "{}", mixed.err);
    let compared = lasthop(&dir, &["compare", "fitted.toml", "--replications", "1"]);
    assert_eq!(compared.code, Some(0), "{}", compared.err);
}

/// Variants that need SACK are excluded for a capture without SACK.
#[test]
fn capture_without_sack_is_fitted() {
    let dir = scratch("fit_without_sack");
    let path = PATH.replace("20 s", "8 s").replace("variant = \"cubic\"", "variant = \"newreno\"");
    std::fs::write(dir.join("path.toml"), path).unwrap();
    let ran = lasthop(&dir, &["run", "path.toml", "--trace", "pcapng", "--out", "path"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let fitted = lasthop(&dir, &["fit", "path/server.pcapng"]);
    assert_eq!(fitted.code, Some(0), "{}", fitted.err);
    assert!(fitted.out.contains("newreno") && !fitted.out.contains("bbr"), "{}", fitted.out);
}

/// The end that opens a connection and sends data may be a mobile that uploads.
#[test]
fn upload_is_fitted_if_the_sender_option_names_the_mobile() {
    let dir = scratch("fit_upload");
    std::fs::write(dir.join("path.toml"), PATH.replace("20 s", "8 s")).unwrap();
    let ran = lasthop(&dir, &["run", "path.toml", "--trace", "pcapng", "--out", "path"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let download = lasthop(&dir, &["fit", "path/server.pcapng", "--variant", "cubic", "--json"]);
    assert_eq!(download.code, Some(0), "{}", download.err);
    assert!(download.err.contains("--sender mobile"), "{}", download.err);
    let arguments =
        ["fit", "path/server.pcapng", "--sender", "mobile", "--variant", "cubic", "--json", "-o", "up.toml"];
    let upload = lasthop(&dir, &arguments);
    assert!(!upload.err.contains("--sender"), "{}", upload.err);
    let [download, upload]: [serde_json::Value; 2] =
        [download.out, upload.out].map(|out| serde_json::from_str(&out).expect("JSON"));
    assert_eq!((&download["path"]["sender"], &upload["path"]["sender"]), (&"server".into(), &"mobile".into()));
    assert_eq!(download["path"]["rate_bps"], 6_000_000);
    assert_eq!(download["path"]["queue_packets"], 40);
    assert_eq!(download["path"]["loss"]["model"], "none");
    assert_eq!(download["path"]["reordering"]["share"]["value"], 0.0);
    // The path and the transfer are equal in both directions.
    assert_eq!(download["measured"], upload["measured"]);
    let goodput = |fit: &serde_json::Value| fit["simulated"][0]["goodput_bps"].as_f64().expect("a number");
    assert!((goodput(&download) / goodput(&upload) - 1.0).abs() < 0.01, "{download:#} {upload:#}");
    let text = std::fs::read_to_string(dir.join("up.toml")).unwrap();
    assert_eq!(upload["scenario"], text.as_str());
    assert!(text.contains("from = \"mobile\"") && text.contains("to = \"server\""), "{text}");
    let compared = lasthop(&dir, &["compare", "up.toml", "--replications", "1"]);
    assert_eq!(compared.code, Some(0), "{}", compared.err);
}

/// Writes a run whose captures take the place of captures of real hosts: the command's node is `here`.
fn result_of_hosts(dir: &std::path::Path, scenario: &str, here: &str, there: &str) {
    let _ = std::fs::remove_dir_all(dir.join("real"));
    std::fs::write(dir.join("path.toml"), scenario).unwrap();
    let ran = lasthop(dir, &["run", "path.toml", "--trace", "pcapng", "--out", "real"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let nodes = [serde_json::json!({ "node": here }), serde_json::json!({ "node": there })];
    let report = serde_json::json!({ "nodes": nodes, "congestion_control": "cubic" });
    std::fs::write(dir.join("real/emulation.json"), report.to_string()).unwrap();
}

/// The result of real hosts shows which host is wireless and which one sends, regardless of the names of its nodes.
#[test]
fn direction_of_a_result_of_real_hosts_follows_its_data() {
    let dir = scratch("fit_direction");
    let upload = PATH.replace("from = \"server\"\nto = \"client\"", "from = \"client\"\nto = \"server\"");
    let upload = upload.replace("20 s", "8 s");
    let fitted = |here: &str, there: &str, more: &[&str]| {
        result_of_hosts(&dir, &upload, here, there);
        let fitted = lasthop(&dir, &[&["fit", "real", "--variant", "cubic", "--json"], more].concat());
        assert_eq!(fitted.code, Some(0), "{}", fitted.err);
        let json: serde_json::Value = serde_json::from_str(&fitted.out).expect("JSON");
        (json["path"]["sender"].as_str().expect("a name").to_owned(), fitted.err)
    };
    for (here, there) in [("client", "server"), ("server", "client")] {
        let (sender, said) = fitted(here, there, &[]);
        assert_eq!(sender, "mobile");
        assert!(said.contains("client sent") && said.contains("server 0: fitted as an upload\n"), "{said}");
        assert!(!said.contains("--sender") && !said.contains("congestion control"), "{said}");
    }
    let seen = lasthop(&dir, &["fit", "real", "--json"]);
    assert!(seen.err.contains("note: the machine's congestion control was cubic, unless"), "{}", seen.err);
    let (sender, said) = fitted("client", "server", &["--sender", "server"]);
    assert_eq!((sender.as_str(), said.contains("fitted as")), ("server", false));
    // The command's node counts as the wireless host if there is no wireless link.
    let wired = upload.replace("wireless", "wired").replace("base-station", "router");
    for (here, there, sender) in [("client", "server", "mobile"), ("server", "client", "server")] {
        result_of_hosts(&dir, &wired, here, there);
        let ended = lasthop(&dir, &["fit", "real", "--variant", "cubic", "--json"]);
        let json: serde_json::Value = serde_json::from_str(&ended.out).expect("JSON");
        assert_eq!(json["path"]["sender"], sender, "{}", ended.err);
        assert!(
            ended.err.contains(&format!("with {here} as the wireless host; --sender server or mobile changes it")),
            "{}",
            ended.err
        );
    }
}

#[test]
fn variant_that_does_not_exist_is_an_error_of_the_option() {
    let dir = scratch("fit_variant");
    let line = |number: u32| format!("64 bytes from 10.0.0.2: icmp_seq={number} ttl=64 time=40.5 ms\n");
    std::fs::write(dir.join("ping.txt"), (0..50).map(line).collect::<String>()).unwrap();
    let ended = lasthop(&dir, &["fit", "ping.txt", "--rate", "4 Mbps", "--variant", "cubbic"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("cubbic") && ended.err.contains("--variant"), "{}", ended.err);
    assert!(!ended.err.contains("fitted.toml"), "{}", ended.err);
}

#[test]
fn log_of_ping_needs_a_rate() {
    let dir = scratch("fit_ping");
    let line = |number: u32| format!("64 bytes from 10.0.0.2: icmp_seq={number} ttl=64 time=40.5 ms\n");
    std::fs::write(dir.join("ping.txt"), (0..50).map(line).collect::<String>()).unwrap();
    let without = lasthop(&dir, &["fit", "ping.txt"]);
    assert_eq!(without.code, Some(2));
    let expected = "ping.txt: a log of ping does not show the rate of the path, expected --rate RATE";
    assert!(without.err.contains(expected), "{}", without.err);
    let stream = lasthop(&dir, &["fit", "ping.txt", "--rate", "4 Mbps", "--stream", "1"]);
    assert!(stream.err.contains("ping.txt: found no capture, expected one with --stream"), "{}", stream.err);
    let with = lasthop(&dir, &["fit", "ping.txt", "--rate", "4 Mbps"]);
    assert_eq!(with.code, Some(0), "{}", with.err);
    for expected in ["20.08 ms", "rate = \"4 Mbps\"", "as given"] {
        assert!(with.out.contains(expected), "{expected}: {}", with.out);
    }
}

#[test]
fn file_that_is_no_measurement_is_an_error() {
    let dir = scratch("fit_other");
    std::fs::write(dir.join("other.txt"), "hello\n").unwrap();
    let ended = lasthop(&dir, &["fit", "other.txt"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("other.txt: found neither a capture nor a log"), "{}", ended.err);
    std::fs::write(dir.join("text.log"), "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n").unwrap();
    let ended = lasthop(&dir, &["fit", "text.log"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.err.contains("text.log: found the text output of iperf3") && ended.err.contains("-J"),
        "{}",
        ended.err
    );
    std::fs::write(dir.join("empty.pcap"), "").unwrap();
    let ended = lasthop(&dir, &["fit", "empty.pcap"]);
    assert!(ended.err.contains("empty.pcap: found an empty file, expected pcap"), "{}", ended.err);
    std::fs::write(dir.join("path.pcap.gz"), [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]).unwrap();
    let ended = lasthop(&dir, &["fit", "path.pcap.gz"]);
    assert!(ended.err.contains("path.pcap.gz: found a gzip file (unpack it first, with gunzip"), "{}", ended.err);
    let missing = lasthop(&dir, &["fit", "none.pcap"]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.err.contains("none.pcap: cannot be read"), "{}", missing.err);
}
