//! Shared media in the outputs of a run: summary, capture, columns, picture.

use crate::common;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use common::{fine, lasthop, other, scratch};
use serde_json::Value;

/// A server behind an access point with three mobiles, two of which send. `medium` is added to the settings of the
/// medium.
fn cell(medium: &str) -> String {
    let mobile = |name: &str, from: &str, to: &str| {
        format!(
            "[nodes.{name}]\nkind = \"host\"\n[links.{name}]\nkind = \"wireless\"\nbetween = [\"ap\", \"{name}\"]\n\
             medium = \"cell\"\n[flows.{name}]\nfrom = \"{from}\"\nto = \"{to}\"\n"
        )
    };
    let head = "duration = \"1 s\"\n[nodes]\nserver = { kind = \"host\" }\nap = { kind = \"base-station\" }\n[links.wire]\n\
                kind = \"wired\"\nbetween = [\"server\", \"ap\"]\nrate = \"100 Mbps\"\ndelay = \"2 ms\"\n";
    let mobiles = [("a", "a", "server"), ("b", "b", "server"), ("c", "server", "c")];
    let mobiles: String = mobiles.into_iter().map(|(name, from, to)| mobile(name, from, to)).collect();
    format!("{head}[media.cell]\nstandard = \"802.11b\"\n{medium}\n{mobiles}")
}

/// Runs the scenario with these traces; returns the summary and all events.
fn run(dir: &Path, medium: &str, traces: &str) -> (Value, Vec<Value>) {
    std::fs::write(dir.join("net.toml"), cell(medium)).unwrap();
    let summary = fine(dir, &["run", "net.toml", "--trace", traces, "--out", "r", "--json"]);
    let events = std::fs::read_to_string(dir.join("r/events.jsonl")).unwrap_or_default();
    let events = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (serde_json::from_str(&summary).unwrap(), events)
}

fn is(event: &Value, name: &str, field: &str, value: &str) -> bool {
    event["event"] == name && event[field] == value
}

/// The counts of the summary equal those of the events.
#[test]
fn summary_counts_agree_with_events() {
    let dir = scratch("media-summary");
    let (summary, events) = run(&dir, "", "jsonl");
    let medium = &summary["media"][0];
    assert_eq!((&medium["name"], medium["stations"].as_array().unwrap().len()), (&Value::from("cell"), 4));
    let mut ended: Vec<(f64, f64, bool)> = Vec::new();
    let mut flying: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    let mut airtime: BTreeMap<String, f64> = BTreeMap::new();
    for event in &events {
        let from = event["from"].as_str().unwrap_or_default().to_owned();
        if event["event"] == "air-sent" {
            let (start, lasts) = (event["start_s"].as_f64().unwrap(), event["duration_s"].as_f64().unwrap());
            *airtime.entry(from.clone()).or_default() += (start + lasts).min(1.0) - start.min(1.0);
            flying.insert(from, (start, start + lasts));
        } else if event["event"] == "air-ended" {
            let (start, end) = flying.remove(&from).expect("it was sent");
            ended.push((start, end, event["reception"] == "collided"));
        }
    }
    ended.extend(
        flying.into_values().filter(|(start, _)| *start < 1.0).map(|(start, end)| (start, end.min(1.0), false)),
    );
    // Time in tenths of a microsecond, overlaps counted once.
    let time = |chosen: &dyn Fn(bool) -> bool| {
        let tenths = |at: f64| (at * 1e7).round() as usize;
        let mut used = vec![false; 10_000_000];
        ended.iter().filter(|(_, _, collided)| chosen(*collided)).for_each(|(from, to, _)| {
            used[tenths(*from)..tenths(*to)].fill(true);
        });
        used.into_iter().filter(|used| *used).count() as f64 / 1e7
    };
    let number = |value: &Value| value.as_f64().unwrap();
    assert!((number(&medium["air_busy"]) - time(&|_| true)).abs() < 1e-6);
    assert!((number(&medium["air_busy"]) + number(&medium["air_idle"]) - 1.0).abs() < 1e-12);
    assert!((number(&medium["air_collided"]) - time(&|collided| collided)).abs() < 1e-6);
    let (mut attempts, mut collisions) = (0, 0);
    for station in medium["stations"].as_array().unwrap() {
        let name = station["name"].as_str().unwrap();
        let count = |matches: &dyn Fn(&Value) -> bool| events.iter().filter(|event| matches(event)).count() as u64;
        let sent = |kind: &str| count(&|e| is(e, "air-sent", "frame", kind) && e["from"] == name);
        for (field, kind) in [("data_sent", "DATA"), ("acks_sent", "ACK"), ("rts_sent", "RTS"), ("cts_sent", "CTS")] {
            assert_eq!(station[field], sent(kind), "{name} {kind}");
        }
        // Without RTS and fragmentation each data frame is one attempt.
        let ended = |e: &Value| is(e, "air-ended", "frame", "DATA") && e["from"] == name;
        assert_eq!(station["attempts"], count(&ended), "{name}");
        let collided = count(&|e| ended(e) && e["reception"] == "collided");
        assert_eq!(station["attempts_collided"], collided, "{name}");
        (attempts, collisions) = (attempts + station["attempts"].as_u64().unwrap(), collisions + collided);
        let draws = events.iter().filter(|e| is(e, "back-off", "station", name));
        assert_eq!(station["backoff_slots"], draws.clone().map(|e| e["slots"].as_u64().unwrap()).sum::<u64>());
        assert_eq!(station["backoffs"], draws.count());
        assert!((number(&station["airtime"]) - airtime[name]).abs() < 1e-6, "{name}");
    }
    assert!(attempts > 100 && collisions > 5, "{attempts} {collisions}");
    assert_eq!(number(&medium["collision_probability"]), collisions as f64 / attempts as f64);
    let directions =
        |link: &Value| ["forward", "backward"].map(|direction| link[direction]["frames_collided"].as_u64());
    let links = summary["links"].as_array().unwrap();
    assert_eq!(directions(&links[0]), [None, None], "a wire has none");
    assert_eq!(links[1..].iter().flat_map(directions).flatten().sum::<u64>(), collisions);
    let table = fine(&dir, &["run", "net.toml", "--out", "again"]);
    let fair = format!("\nfairness {:.3} (Jain's index", summary["fairness"].as_f64().unwrap());
    assert!(table.contains(&fair), "{table}");
    assert!(table.contains("  busy  collided\n") && table.contains("\nmedium  station  attempts"), "{table}");
}

/// The summary has the same keys with and without media, and the table omits lines that do not apply.
#[test]
fn without_media_the_summary_has_empty_values_and_the_table_no_lines() {
    let dir = scratch("media-none");
    let summary = fine(&dir, &["run", &common::file("examples/slow-start.toml"), "--out", "r", "--json"]);
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!((&summary["media"], &summary["fairness"]), (&Value::Array(Vec::new()), &Value::Null));
    assert_eq!(summary["links"][0]["forward"].get("frames_collided"), Some(&Value::Null));
    assert_eq!(summary["nodes"][0].get("handovers"), Some(&Value::Null));
    let table = fine(&dir, &["run", &common::file("examples/slow-start.toml"), "--out", "s"]);
    assert!(!["media", "collided", "fairness", "handovers"].iter().any(|word| table.contains(word)), "{table}");
}

/// A frame, as the events and tshark describe it.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
struct AirFrame {
    start_ns: u64,
    subtype: u64,
    duration_us: u64,
    is_retry: bool,
    is_damaged: bool,
    rate_mbps: f64,
}

/// The capture of a medium.
struct AirCapture {
    path: String,
}

impl AirCapture {
    /// Returns the fields that tshark shows. tshark checks frame check sequences only with an option, and then reports
    /// a wrong one as malformed. It decodes a fragment only without reassembly, because the capture has only the
    /// headers of the other fragments.
    fn ask_tshark(&self, checks: &str, filter: &str, fields: &[&str]) -> String {
        let mut args =
            vec!["-o", "wlan.defragment:FALSE", "-o", checks, "-r", &self.path, "-Y", filter, "-T", "fields"];
        fields.iter().for_each(|field| args.extend(["-e", field]));
        other("tshark", &args)
    }

    fn show(&self, filter: &str, fields: &[&str]) -> String {
        self.ask_tshark("wlan.check_checksum:FALSE", filter, fields)
    }

    /// Counts frames with their frame check sequences checked.
    fn count_checked(&self, filter: &str) -> usize {
        self.ask_tshark("wlan.check_checksum:TRUE", filter, &["frame.number"]).lines().count()
    }

    /// Returns all frames, which are in order of time.
    fn decode_frames(&self) -> Vec<AirFrame> {
        let fields = [
            "frame.time_epoch",
            "wlan.fc.type_subtype",
            "wlan.duration",
            "wlan.fc.retry",
            "radiotap.flags.badfcs",
            "radiotap.datarate",
        ];
        let frames: Vec<AirFrame> = self.show("wlan", &fields).lines().map(parse_frame).collect();
        assert!(frames.is_sorted_by_key(|frame| frame.start_ns), "in order of time");
        frames
    }
}

/// True for the two ways in which versions of tshark show a set flag.
fn is_set(field: &str) -> bool {
    field == "1" || field == "True"
}

/// Parses a line of tshark with the fields of [`AirCapture::decode_frames`].
fn parse_frame(line: &str) -> AirFrame {
    let cells: Vec<&str> = line.split('\t').collect();
    let (secs, nanos) = cells[0].split_once('.').expect("seconds with nanoseconds");
    let integer = |text: &str| match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).unwrap(),
        None => text.parse().unwrap(),
    };
    AirFrame {
        start_ns: integer(secs) * 1_000_000_000 + integer(nanos),
        subtype: integer(cells[1]),
        duration_us: integer(cells[2]),
        is_retry: is_set(cells[3]),
        is_damaged: is_set(cells[4]),
        rate_mbps: cells[5].parse().unwrap(),
    }
}

/// Returns the frames of the events that have ended.
fn list_ended_frames(events: &[Value]) -> Vec<AirFrame> {
    let ended: Vec<&Value> = events.iter().filter(|event| event["event"] == "air-ended").collect();
    let reception_of =
        |from: &str, nth: usize| ended.iter().filter(|e| e["from"] == from).nth(nth)?["reception"].as_str();
    let mut sent: BTreeMap<&str, usize> = BTreeMap::new();
    let mut frames = Vec::new();
    for event in events.iter().filter(|event| event["event"] == "air-sent") {
        let from = event["from"].as_str().unwrap();
        let nth = sent.entry(from).or_default();
        let reception = reception_of(from, *nth);
        *nth += 1;
        let Some(reception) = reception else { continue };
        let subtype = match event["frame"].as_str().unwrap() {
            "RTS" => 27,
            "CTS" => 28,
            "ACK" => 29,
            _ => 32,
        };
        frames.push(AirFrame {
            start_ns: (event["start_s"].as_f64().unwrap() * 1e9).round() as u64,
            subtype,
            duration_us: (event["reserves_s"].as_f64().unwrap() * 1e6).round() as u64,
            is_retry: subtype == 32 && event["again"] == true,
            is_damaged: matches!(reception, "collided" | "corrupted"),
            rate_mbps: event["rate_bps"].as_f64().unwrap() / 1e6,
        });
    }
    frames
}

/// Checks that the frame check sequences of frames captured in full agree with their flags.
fn check_frame_check_sequences(capture: &AirCapture) {
    assert_eq!(capture.count_checked("wlan.fcs.status == 0 && radiotap.flags.badfcs == 0"), 0);
    assert_eq!(capture.count_checked("wlan.fcs.status == 1 && radiotap.flags.badfcs == 1"), 0);
    assert!(capture.count_checked("wlan.fcs.status == 1") > 100);
}

/// Checks that data from the mobiles to the server and from the server to a mobile pass through the access point.
fn check_addresses(capture: &AirCapture) {
    let up = "wlan.fc.ds == 1 && wlan.sa == 02:00:0a:00:00:03 && wlan.bssid == 02:00:0a:00:00:02 && wlan.da == 02:00:0a:00:00:01";
    let ports = capture.show(&format!("{up} && tcp"), &["tcp.srcport", "tcp.dstport"]);
    assert!(ports.lines().count() > 10 && ports.lines().all(|line| line == "10000\t10000"), "{ports}");
    let down = "wlan.fc.ds == 2 && wlan.sa == 02:00:0a:00:00:01 && wlan.da == 02:00:0a:00:00:05 && tcp.len > 0";
    assert!(!capture.show(down, &["frame.number"]).is_empty());
}

/// Checks that there are fragments, and that a retry has the transmitter, sequence number and fragment number of an
/// earlier frame.
fn check_fragments(capture: &AirCapture) {
    let more = capture.show("wlan.fc.frag == 1 && wlan.frag == 0", &["wlan.seq"]);
    let last = capture.show("wlan.fc.frag == 0 && wlan.frag > 0", &["wlan.seq"]);
    assert!(more.lines().count() > 10 && last.lines().count() > 10);
    let mut seen = HashSet::new();
    let fields = ["wlan.ta", "wlan.seq", "wlan.frag", "wlan.fc.retry"];
    for line in capture.show("wlan.fc.type_subtype == 32", &fields).lines() {
        let (frame, retry) = line.rsplit_once('\t').unwrap();
        assert_eq!(!seen.insert(frame.to_owned()), is_set(retry), "{line}");
    }
}

/// tshark decodes the frames of the trace, with types, times, durations, retries, damage, and the TCP segments in the
/// frames.
#[test]
fn tshark_decodes_every_frame_of_a_medium() {
    skip::need!("tshark");
    let dir = scratch("media-tshark");
    for (name, medium) in [
        ("plain", ""),
        ("requests", "rts_threshold = \"500 B\"\nfragmentation_threshold = \"600 B\""),
        ("short-preambles", "rate = \"2 Mbps\"\npreamble = \"short\""),
    ] {
        let dir = dir.join(name);
        std::fs::create_dir_all(&dir).unwrap();
        let (_, events) = run(&dir, medium, "jsonl,pcapng");
        let capture = AirCapture { path: dir.join("r/cell.air.pcapng").display().to_string() };
        assert_eq!(capture.show("_ws.malformed || ip.checksum.status == 0", &["frame.number"]), "", "{name}");
        let (mut ours, mut theirs) = (list_ended_frames(&events), capture.decode_frames());
        // Frames with equal start times may be in any order.
        for frames in [&mut ours, &mut theirs] {
            frames.sort_by(|a, b| a.partial_cmp(b).unwrap());
        }
        assert_eq!(ours.len(), theirs.len(), "{name}");
        assert!(ours.iter().zip(&theirs).all(|(ours, theirs)| ours == theirs), "{name}");
        let has = |is_it: fn(&AirFrame) -> bool| ours.iter().any(is_it);
        assert!(ours.len() > 200 && has(|frame| frame.is_damaged) && has(|frame| frame.is_retry), "{name}");
        check_frame_check_sequences(&capture);
        check_addresses(&capture);
        if name == "requests" {
            check_fragments(&capture);
        }
    }
}

#[test]
fn gnuplot_reads_contention_windows() {
    let dir = scratch("media-columns");
    let (_, events) = run(&dir, "", "jsonl,contention");
    for station in ["ap", "a", "b", "c"] {
        let text = std::fs::read_to_string(dir.join(format!("r/cell.{station}-contention"))).unwrap();
        let windows: Vec<u64> = text.lines().map(|line| line.split_once(' ').unwrap().1.parse().unwrap()).collect();
        let draws = events.iter().filter(|event| is(event, "back-off", "station", station));
        assert_eq!(windows, draws.map(|event| event["window"].as_u64().unwrap()).collect::<Vec<_>>());
        assert!(windows.len() > 20 && windows.contains(&31), "{station}");
    }
}

#[test]
fn medium_is_drawn_next_to_the_flows() {
    let dir = scratch("media-plot");
    run(&dir, "", "none");
    let files = fine(&dir, &["plot", "r"]);
    for name in ["cell.air.svg", "cell.air.png", "a.svg", "c.png"] {
        assert!(files.contains(name), "{files}");
    }
    let part = ["--from", "0.5 s", "--to", "0.51 s"];
    let files = fine(&dir, &[&["plot", "r", "--medium", "cell", "--out", "p"][..], &part].concat());
    assert_eq!(files.lines().count(), 2, "{files}");
    let svg = std::fs::read_to_string(dir.join("p/cell.air.500ms-to-510ms.svg")).unwrap();
    assert!(svg.contains("class=\"data-frame\"") && svg.contains("medium cell"), "{svg}");
    let files = fine(&dir, &["plot", "r", "--flow", "a", "--out", "q"]);
    assert!(!files.contains("cell"), "{files}");
    let wrong = lasthop(&dir, &["plot", "r", "--medium", "cel", "--out", "p"]);
    assert!(wrong.code == Some(2) && wrong.err.contains("\"cel\"") && wrong.err.contains("cell"), "{}", wrong.err);
}
