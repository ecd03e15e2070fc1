//! Captures in `explain`, `plot` and `report`.

use crate::common;

use std::path::{Path, PathBuf};

use capture::Capture;
use common::{Ended, lasthop, scratch};
use wire::pcapng::{Direction, Writer};

/// Runs a scenario with losses and a small receive window; returns the directory with its captures.
fn captured(directory: &Path) -> PathBuf {
    let scenario = directory.join("lossy.toml");
    let text = r#"
        duration = "60 s"
        nodes = { server = { kind = "host" }, client = { kind = "host" } }
        links.wire = { kind = "wired", between = ["server", "client"], rate = "2 Mbps", delay = "50 ms", loss = 0.02 }
        [flows.download]
        from = "server"
        to = "client"
        bytes = "400 kB"
        mss = "1000 B"
        receive_window = "10 kB"
        tcp = { variant = "reno", handshake = true }
    "#;
    std::fs::write(&scenario, text).expect("written");
    let results = directory.join("results");
    let run = lasthop(directory, &["run", path(&scenario), "--trace", "pcapng", "--out", path(&results)]);
    succeeded(&run);
    results
}

fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn succeeded(ended: &Ended) {
    assert_eq!(ended.code, Some(0), "{}", ended.err);
}

#[test]
fn explain_recognizes_a_capture_by_its_first_bytes() {
    let directory = scratch("captures-explain");
    let capture = captured(&directory).join("server.pcapng");
    // The name of the file does not show its format.
    let renamed = directory.join("capture.toml");
    std::fs::rename(&capture, &renamed).expect("renamed");
    let out = lasthop(&directory, &["explain", path(&renamed), "--out", "pictures"]);
    succeeded(&out);
    let shown = out.out;
    for part in [
        "capture.toml: 1 TCP connection",
        "stream 0 from 10.0.0.1:10000 to 10.0.0.2:10000",
        "captured at the sender",
        "receiver-window",
        "not shown by this capture",
        "raced-resend, needless-cut, standing-queue",
        "its parts air-loss, queue-drop",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert!(directory.join("pictures/stream-0-explained.svg").is_file());
}

#[test]
fn losses_that_limit_a_captured_transfer_are_found() {
    let directory = scratch("captures-losses");
    let results = captured(&directory);
    let out = lasthop(&directory, &["explain", path(&results.join("server.pcapng"))]);
    succeeded(&out);
    for part in
        ["window-cut", "a fast retransmit reduced the usable window from", "rate of the slowest link about 2 Mbps"]
    {
        assert!(out.out.contains(part), "{part} in {}", out.out);
    }
    let out = lasthop(&directory, &["explain", path(&results.join("client.pcapng"))]);
    succeeded(&out);
    for part in [
        "captured at the receiver",
        "sender           its timeouts, its pacing",
        "rate of the slowest link about 2 Mbps",
    ] {
        assert!(out.out.contains(part), "{part} in {}", out.out);
    }
    assert!(!out.out.contains("window-cut"), "{}", out.out);
}

#[test]
fn captures_of_both_ends_are_joined_in_any_order() {
    let directory = scratch("captures-joined");
    let results = captured(&directory);
    let summary = std::fs::read_to_string(results.join("summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    let files = [results.join("server.pcapng"), results.join("client.pcapng")];
    let joined = |order: [&Path; 2], stream: &str| {
        let arguments = ["explain", path(order[0]), path(order[1]), "--json", "--stream", stream];
        let out = lasthop(&directory, &arguments);
        succeeded(&out);
        let json: serde_json::Value = serde_json::from_str(&out.out).expect("JSON");
        assert_eq!(json[0]["capture"]["place"], "sender");
        json[0]["joined"].clone()
    };
    let one = joined([&files[0], &files[1]], "0");
    assert_eq!(one, joined([&files[1], &files[0]], "0"));
    let lost = |direction: &str| summary["links"][0][direction]["frames_corrupted"].as_u64().expect("a number");
    assert!(lost("forward") > 5, "{}", lost("forward"));
    assert_eq!(one["data"]["lost"], lost("forward"));
    assert_eq!(one["acks"]["lost"], lost("backward"));
    let out = lasthop(&directory, &["explain", path(&files[1]), path(&files[0])]);
    succeeded(&out);
    for part in ["joined: stream 0 of", "direction  packets  lost", "the same minimum, 50.", "captured at the sender"] {
        assert!(out.out.contains(part), "{part} in {}", out.out);
    }
    let out = lasthop(&directory, &["plot", path(&files[0]), path(&files[1])]);
    succeeded(&out);
    assert!(results.join("server.plots/stream-0.svg").is_file(), "{}", out.err);
    let copy = directory.join("copy.pcapng");
    std::fs::copy(&files[0], &copy).expect("copied");
    let out = lasthop(&directory, &["fit", path(&files[0]), path(&copy), "--rate", "2 Mbps", "--variant", "reno"]);
    succeeded(&out);
    assert!(out.err.contains("note: the captures are not from both ends of the connection"), "{}", out.err);
    let out = lasthop(&directory, &["fit", path(&files[1]), path(&files[0]), "--rate", "2 Mbps", "--variant", "reno"]);
    succeeded(&out);
    assert!(out.err.contains("captured at the sender") && out.out.contains("loss, independent"), "{}", out.out);
    for (arguments, part) in [
        (
            vec!["explain", path(&files[0]), path(&files[1]), "--at", "middle"],
            "comparing the two captures shows the end of each",
        ),
        (vec!["explain", path(&results), path(&files[1])], "expected another capture in addition"),
        (vec!["plot", path(&files[0]), path(&files[1]), path(&files[1])], "a third file"),
        (vec!["explain", path(&files[0]), "results/server.pcapng"], "server.pcapng: found the same capture twice"),
        (vec!["fit", path(&files[0]), path(&files[0])], "expected captures of both ends of a connection"),
        (
            vec!["report", path(&results)],
            "found the result of a simulated run, expected the store of a sweep, a capture",
        ),
    ] {
        let out = lasthop(&directory, &arguments);
        assert_eq!(out.code, Some(2), "{arguments:?}: {}", out.err);
        assert!(out.err.contains(part), "{part} in {}", out.err);
    }
}

/// Returns the segments with data of a capture, without those of the handshake and of the receiver.
fn data_alone(file: &[u8]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &["node"]).expect("memory");
    for packet in Capture::open(file).expect("a capture") {
        let packet = packet.expect("a packet");
        let segment = *packet.segment().expect("TCP");
        if segment.len > 0 {
            let [src, dst] = [0, 1].map(wire::Addr::of_node);
            let packet_of_data = wire::Packet::new(src, dst, wire::Body::Tcp(segment));
            writer.packet(0, packet.at, Direction::Out, &packet_of_data).expect("memory");
        }
    }
    writer.finish().expect("memory")
}

#[test]
fn unknown_values_are_not_printed_as_numbers() {
    let directory = scratch("captures-unknown");
    let whole = std::fs::read(captured(&directory).join("server.pcapng")).expect("read");
    let alone = directory.join("alone.pcapng");
    std::fs::write(&alone, data_alone(&whole)).expect("written");
    let out = lasthop(&directory, &["explain", path(&alone)]);
    succeeded(&out);
    let line = "captured at an unknown place; min RTT unknown, rate of the slowest link unknown";
    assert!(out.out.contains(line), "{}", out.out);
    let out = lasthop(&directory, &["explain", path(&alone), "--json"]);
    succeeded(&out);
    let json: serde_json::Value = serde_json::from_str(&out.out).expect("JSON");
    for key in ["place", "round_trip_ms", "round_trip_to_sender_ms", "rate_bps"] {
        assert_eq!(json[0]["capture"][key], serde_json::Value::Null, "{key}");
    }
    assert_eq!(json[0]["timeouts"], serde_json::Value::Null);
    let out = lasthop(&directory, &["fit", path(&alone), "--rate", "2 Mbps"]);
    assert_eq!(out.code, Some(2), "{}", out.err);
    for part in ["captured at an unknown place", "the capture shows no round trip"] {
        assert!(out.err.contains(part), "{part} in {}", out.err);
    }
}

#[test]
fn compressed_capture_is_read_and_files_of_other_kinds_are_named_in_the_error() {
    let directory = scratch("captures-kinds");
    let capture = captured(&directory).join("server.pcapng");
    let packed = directory.join("server.pcapng.gz");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &std::fs::read(&capture).expect("read")).expect("memory");
    std::fs::write(&packed, gzip.finish().expect("memory")).expect("written");
    let [plain, unpacked] = [&capture, &packed].map(|file| {
        let out = lasthop(&directory, &["explain", path(file)]);
        succeeded(&out);
        out.out
    });
    assert_eq!(plain.replace("server.pcapng:", ""), unpacked.replace("server.pcapng.gz:", ""));
    let write = |name: &str, bytes: &[u8]| {
        let file = directory.join(name);
        std::fs::write(&file, bytes).expect("written");
        file
    };
    let (empty, text) = (write("empty.pcap", b""), write("text.pcapng", b"duration = 1\n"));
    let (packed_text, nothing) = (write("a.toml.gz", &[0x1F, 0x8B, 8, 0, 0, 0]), write("a.toml", b""));
    let packed_by_xz = write("capture.pcapng.xz", b"\xfd7zXZ\0\0");
    for (arguments, part) in [
        (vec!["explain", path(&empty)], "found an empty file, expected a pcap or pcapng file"),
        (vec!["explain", path(&text)], "found text that begins with \"duration = 1\", expected a pcap or pcapng"),
        (vec!["explain", path(&capture), path(&text)], "found text that begins with"),
        (vec!["report", path(&text)], "found text that begins with"),
        (vec!["run", path(&capture)], "found a capture, expected a scenario"),
        (vec!["check", path(&packed)], "found a capture, expected a scenario"),
        (vec!["compare", path(&capture)], "`lasthop explain`, `plot`, `report` and `fit` read captures"),
        (vec!["run", path(&packed_text)], "found a gzip file, expected a scenario"),
        (vec!["explain", path(&packed_by_xz)], "found an xz file, expected a scenario"),
        (vec!["run", path(&nothing)], "found an empty file, expected a scenario"),
    ] {
        let out = lasthop(&directory, &arguments);
        assert_eq!(out.code, Some(2), "{arguments:?}: {}", out.err);
        assert!(out.err.contains(part), "{part} in {}", out.err);
    }
}

/// A file with a TCP segment and two datagrams, and a file with only a datagram.
#[test]
fn packets_without_tcp_are_counted() {
    use wire::{Addr, Body, Datagram, Packet, Segment, pcapng};
    let directory = scratch("captures-others");
    let packet = |body| Packet::new(Addr::of_node(0), Addr::of_node(1), body);
    let datagram = || packet(Body::Datagram(Datagram::default()));
    let segment = packet(Body::Tcp(Segment { src_port: 1, dst_port: 2, len: 100, ..Segment::default() }));
    let write = |name: &str, packets: &[Packet]| {
        let mut writer = pcapng::Writer::new(Vec::new(), &["eth0"]).expect("memory");
        let out = pcapng::Direction::Out;
        packets.iter().for_each(|packet| writer.packet(0, engine::Time::ZERO, out, packet).expect("memory"));
        let file = directory.join(name);
        std::fs::write(&file, writer.finish().expect("memory")).expect("written");
        file
    };
    let both = write("both.pcapng", &[segment, datagram(), datagram()]);
    let out = lasthop(&directory, &["explain", path(&both)]);
    succeeded(&out);
    assert!(out.out.contains("not explained: 2 frames (2 UDP)\n"), "{}", out.out);
    let none = write("none.pcapng", &[datagram()]);
    let out = lasthop(&directory, &["explain", path(&none)]);
    assert!(out.err.contains("found 1 frames without a TCP segment (1 UDP), expected a TCP"), "{}", out.err);
}

#[test]
fn json_of_a_capture_lists_hidden_findings() {
    let directory = scratch("captures-json");
    let capture = captured(&directory).join("client.pcapng");
    let out = lasthop(&directory, &["explain", path(&capture), "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out.out).expect("JSON");
    let flow = &json[0];
    assert_eq!(flow["capture"]["place"], "receiver");
    assert!(flow["timeouts"].is_null());
    assert!(flow["hidden"]["kinds"].as_array().expect("a list").contains(&"idle-wait".into()));
    let sum: f64 = flow["budget_ms"].as_object().expect("a table").values().filter_map(|time| time.as_f64()).sum();
    let took = flow["took_ms"].as_f64().expect("a number");
    assert!((sum - took).abs() < 1e-3, "{sum} of {took}");
}

#[test]
fn plot_and_report_of_a_capture_write_their_files() {
    let directory = scratch("captures-plot");
    let results = captured(&directory);
    let (capture, page) = (results.join("server.pcapng"), directory.join("page.html"));
    let out = lasthop(&directory, &["plot", path(&capture), "--from", "1 s", "--to", "2 s"]);
    succeeded(&out);
    assert!(results.join("server.plots/stream-0.1s-to-2s.svg").is_file(), "{}", out.err);
    let out = lasthop(&directory, &["report", path(&capture), "-o", path(&page)]);
    succeeded(&out);
    let page = std::fs::read_to_string(&page).expect("a page");
    for part in ["Connections of server.pcapng", "Not shown by this capture", "<svg", "10.0.0.2:10000"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn options_of_scenarios_are_refused_for_captures() {
    let directory = scratch("captures-refused");
    let results = captured(&directory);
    let capture = results.join("server.pcapng");
    for (arguments, part) in [
        (vec!["explain", path(&capture), "--scheme", "snoop"], "--scheme is for a scenario"),
        (vec!["explain", path(&capture), "--flow", "download"], "--stream N chooses the connection"),
        (vec!["explain", path(&capture), "--stream", "7"], "found no connection 7, expected 0 to 0"),
        (vec!["explain", path(&results), "--stream", "0"], "--stream is for a capture"),
        (vec!["explain", "missing.pcap", "--stream", "0"], "missing.pcap: cannot be read: No such file"),
        (vec!["plot", path(&capture), "--all-flows"], "--stream N chooses the connection"),
    ] {
        let out = lasthop(&directory, &arguments);
        assert_eq!(out.code, Some(2), "{arguments:?}: {}", out.err);
        assert!(out.err.contains(part), "{part} in {}", out.err);
    }
}

#[test]
fn truncated_capture_is_explained_with_a_warning() {
    let directory = scratch("captures-cut");
    let capture = captured(&directory).join("server.pcapng");
    let bytes = std::fs::read(&capture).expect("read");
    std::fs::write(&capture, &bytes[..bytes.len() / 2 + 1]).expect("written");
    let out = lasthop(&directory, &["explain", path(&capture)]);
    succeeded(&out);
    assert!(out.err.contains("it is incomplete, and the"), "{}", out.err);
    std::fs::write(&capture, &bytes[..28]).expect("written");
    let out = lasthop(&directory, &["explain", path(&capture)]);
    assert_eq!(out.code, Some(2));
    assert!(out.err.contains("found 0 frames without a TCP segment, expected a TCP connection"));
}

/// A truncated file, as after a full disk, and a file with changed bytes: the decodable part is read, with a warning.
#[test]
fn truncated_or_damaged_gzip_file_is_read_up_to_the_damage() {
    let directory = scratch("captures-cut-gzip");
    let capture = captured(&directory).join("server.pcapng");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &std::fs::read(&capture).expect("read")).expect("memory");
    let whole = gzip.finish().expect("memory");
    let packed = directory.join("server.pcapng.gz");
    let mut damaged_sum = whole.clone();
    let sum = whole.len() - 8;
    damaged_sum[sum] ^= 1;
    let mut trailing = whole.clone();
    trailing.extend_from_slice(b"trailing bytes");
    for (bytes, what) in [
        (&whole[..whole.len() / 2], "half"),
        (&whole[..whole.len() - 3], "cut checksum"),
        (&damaged_sum[..], "damaged checksum"),
        (&trailing[..], "trailing bytes"),
    ] {
        std::fs::write(&packed, bytes).expect("written");
        for command in ["explain", "plot", "report", "fit"] {
            let rate: &[&str] = if command == "fit" { &["--rate", "2 Mbps", "--variant", "reno"] } else { &[] };
            let out = lasthop(&directory, &[&[command, path(&packed)], rate].concat());
            assert_eq!(out.code, Some(0), "{what}, {command}: {}", out.err);
            assert!(
                out.err.contains("warning: ") && out.err.contains("packets before were read"),
                "{what}: {}",
                out.err
            );
            let warnings = out.err.matches("packets before were read").count();
            assert_eq!(warnings, 1, "{what}, {command}: {}", out.err);
        }
    }
    // The first bytes of a gzip member, which cannot be decoded.
    std::fs::write(&packed, &whole[..12]).expect("written");
    let out = lasthop(&directory, &["explain", path(&packed)]);
    assert_eq!(out.code, Some(2), "{}", out.err);
}

/// A comparison with real hosts has a result for each run. A command reads only one of them.
#[test]
fn comparison_directory_is_refused_with_a_list_of_its_runs() {
    let directory = scratch("captures-comparison");
    let compared = directory.join("compared");
    for run in ["snoop/0", "snoop/1", "unmodified/0"] {
        std::fs::create_dir_all(compared.join(run)).expect("made");
        std::fs::write(compared.join(run).join("emulation.json"), "{}").expect("written");
    }
    std::fs::write(compared.join("comparison.json"), "{}").expect("written");
    for command in ["explain", "plot", "report", "fit"] {
        let out = lasthop(&directory, &[command, "compared"]);
        assert_eq!(out.code, Some(2), "{command}: {}", out.err);
        let expected = "error: compared: found a comparison with 3 runs, expected one run with real hosts\n  hint: name \
                        one of the runs: compared/snoop/0, compared/snoop/1, compared/unmodified/0\n";
        assert_eq!(out.err, expected, "{command}");
        let out = lasthop(&directory, &[command, "compared/snoop/"]);
        assert!(
            out.err.contains("a comparison with 2 runs") && out.err.contains("snoop/1\n"),
            "{command}: {}",
            out.err
        );
    }
    std::fs::remove_dir_all(compared.join("snoop")).expect("removed");
    std::fs::remove_dir_all(compared.join("unmodified")).expect("removed");
    for empty in ["compared", "."] {
        let out = lasthop(&directory, &["fit", empty]);
        assert!(out.err.contains("found a directory without captures of real hosts, expected one of"), "{}", out.err);
    }
}

/// `lasthop compare --json > comparison.json` does not make the directory a comparison.
#[test]
fn unrelated_comparison_file_does_not_affect_other_files_of_its_directory() {
    let directory = scratch("captures-beside-comparison");
    std::fs::write(directory.join("comparison.json"), "{}").expect("written");
    let results = captured(&directory);
    for file in [directory.join("lossy.toml"), results.join("server.pcapng")] {
        let out = lasthop(&directory, &["explain", file.to_str().expect("a name")]);
        assert_eq!(out.code, Some(0), "{file:?}: {}", out.err);
    }
}

#[test]
fn import_of_a_capture_names_the_commands_that_read_it() {
    let directory = scratch("captures-import");
    let results = captured(&directory);
    let out = lasthop(&directory, &["import", path(&results.join("server.pcapng"))]);
    assert_eq!(out.code, Some(2), "{}", out.err);
    assert!(out.err.contains("found a capture, expected a recording of rates, delays or deliveries"), "{}", out.err);
    assert!(out.err.contains("hint: `lasthop fit` makes a scenario of a capture"), "{}", out.err);
    std::fs::write(directory.join("rates.gz"), [0x1F, 0x8B, 8, 0, 0xFF]).expect("written");
    let out = lasthop(&directory, &["import", "rates.gz"]);
    assert!(out.code == Some(2) && out.err.contains("rates.gz: found a gzip file, expected"), "{}", out.err);
}

/// A packet with a damaged time, even the first one, changes neither the duration nor the explanation of other packets.
#[test]
fn damaged_time_of_a_packet_does_not_stretch_the_duration() {
    let directory = scratch("captures-times");
    let capture = captured(&directory).join("server.pcapng");
    let whole = std::fs::read(&capture).expect("read");
    let explained = |file: &Path| {
        let out = lasthop(&directory, &["explain", path(file), "--json"]);
        succeeded(&out);
        let json: serde_json::Value = serde_json::from_str(&out.out).expect("JSON");
        (json[0]["took_ms"].as_f64().expect("a number"), out.err)
    };
    let (took, err) = explained(&capture);
    assert_eq!(err, "");
    // Enhanced packet blocks of the writer: type, length, interface, and then the upper half of the time.
    let mut blocks = Vec::new();
    let mut at = 0;
    while at + 8 <= whole.len() {
        let word = |at: usize| u32::from_le_bytes(whole[at..at + 4].try_into().expect("four bytes"));
        if word(at) == 6 {
            blocks.push(at + 12);
        }
        at += word(at + 4) as usize;
    }
    for place in [0, 1, blocks.len() / 2, blocks.len() - 1] {
        let mut bytes = whole.clone();
        bytes[blocks[place] + 3] ^= 0x01;
        let damaged = directory.join("damaged.pcapng");
        std::fs::write(&damaged, bytes).expect("written");
        let (of_damaged, err) = explained(&damaged);
        assert!((of_damaged - took).abs() < 0.05 * took, "{place}: {of_damaged} of {took}");
        assert!(err.contains(&format!("warning: {}: frame {} has a time ", path(&damaged), place + 1)), "{err}");
        assert!(err.contains("days after that of its neighbours"), "{err}");
        let out = lasthop(&directory, &["fit", path(&damaged), "--rate", "2 Mbps", "--variant", "reno"]);
        assert!(out.code == Some(0) && out.err.contains("days after that of its neighbours"), "{}", out.err);
    }
}

/// The page shows the losses that the captures of both ends show, also if the command's node is the receiver.
#[test]
fn report_of_real_hosts_joins_the_captures_of_both_ends() {
    let directory = scratch("captures-report-joined");
    let results = captured(&directory);
    let summary = std::fs::read_to_string(results.join("summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    let report = serde_json::json!({ "nodes": [{ "node": "client" }, { "node": "server" }] });
    std::fs::write(results.join("emulation.json"), report.to_string()).expect("written");
    let out = lasthop(&directory, &["report", "results"]);
    succeeded(&out);
    assert_eq!(out.out, "results.html\n");
    let page = std::fs::read_to_string(directory.join("results.html")).expect("a page");
    let link = &summary["links"][0];
    let joined = ["server.pcapng at the sender with client.pcapng".to_owned()].into_iter();
    let lost = ["forward", "backward"].map(|direction| {
        let (lost, sent) = (&link[direction]["frames_corrupted"], &link[direction]["frames_sent"]);
        format!("{lost} of {sent}")
    });
    for part in joined.chain(lost) {
        assert!(page.contains(&part), "{part}");
    }
    assert!(page.contains("Connections of results"), "{page}");
    // A single capture is not joined.
    let out = lasthop(&directory, &["report", "results/client.pcapng"]);
    succeeded(&out);
    let page = std::fs::read_to_string(results.join("client.html")).expect("a page");
    assert!(!page.contains("lost on the path"), "{page}");
}
