//! Output files, read back by the programs that use them.

use crate::common;

use std::collections::BTreeMap;
use std::path::Path;

use common::{file, fine, lasthop, other, scratch};
use serde_json::Value;

const EXAMPLE: &str = "examples/goel-refined.toml";
const SHORT: &str = "flows.download.bytes=400 KiB";
/// Frequent losses, so that a short run has all kinds of events.
const LOSSY: &str = "links.air.channel={ kind = \"two-state\", mean_good = \"500 ms\", mean_bad = \"200 ms\" }";

fn json(dir: &Path, args: &[&str]) -> Value {
    let mut all = vec!["run"];
    all.extend(args);
    all.push("--json");
    serde_json::from_str(&fine(dir, &all)).expect("one JSON object")
}

#[test]
fn summary_has_the_documented_keys() {
    let dir = scratch("summary");
    let example = file(EXAMPLE);
    let summary = json(&dir, &[&example, "--seed", "7", "--out", "r"]);
    assert_eq!(summary["seed"], 7);
    for key in ["simulated_s", "events"] {
        assert!(summary[key].as_f64().unwrap() > 0.0, "{key}");
    }
    let flow = &summary["flows"][0];
    assert_eq!((&flow["name"], &flow["completed"]), (&Value::from("download"), &Value::from(true)));
    assert_eq!(flow["bytes_delivered"], 10_240_000);
    assert_eq!((&summary["scheme"], &summary["profile"]), (&Value::from("refined-icmp"), &Value::from("goel1997")));
    let seconds = flow["completion_time_s"].as_f64().unwrap();
    let goodput = flow["goodput_bps"].as_f64().unwrap();
    assert!((goodput * seconds - 81_920_000.0).abs() < 1.0);
    for key in [
        "segments_sent",
        "segments_duplicate",
        "segments_retransmitted",
        "fast_retransmits",
        "timeouts",
        "icmp_defer",
        "icmp_retransmit",
    ] {
        assert!(flow[key].is_u64(), "{key}");
    }
    assert!(flow["icmp_defer"].as_u64().unwrap() > 0 && flow["icmp_retransmit"].as_u64().unwrap() > 0);
    for link in summary["links"].as_array().unwrap() {
        for key in ["frames_sent", "frames_corrupted", "frames_dropped"] {
            assert!(link[key].is_u64(), "{key}");
        }
    }
    let kept: Value = serde_json::from_slice(&std::fs::read(dir.join("r/summary.json")).unwrap()).unwrap();
    assert_eq!(kept, summary);
    let again = json(&dir, &["r", "--out", "again"]);
    assert_eq!(again, summary, "a result directory runs again to the same result");
}

#[test]
fn equal_runs_write_equal_bytes() {
    let dir = scratch("bytes");
    let example = file(EXAMPLE);
    let run =
        |out: &str| fine(&dir, &["run", &example, "--set", SHORT, "--set", LOSSY, "--trace", "all", "--out", out]);
    assert_eq!(run("one"), run("two"));
    let contents = |out: &str| -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(dir.join(out)).unwrap().map(|entry| entry.unwrap());
        entries.map(|e| (e.file_name().into_string().unwrap(), std::fs::read(e.path()).unwrap())).collect()
    };
    let one = contents("one");
    assert!(one.len() > 12, "{:?}", one.keys());
    assert_eq!(one, contents("two"));
    for out in ["one", "two"] {
        fine(&dir, &["plot", out]);
    }
    assert_eq!(contents("one/plots"), contents("two/plots"));
}

#[test]
fn gnuplot_reads_every_column() {
    skip::need!("gnuplot");
    let dir = scratch("gnuplot");
    let datafile = file("examples/goel1997/datafile.dat");
    fine(
        &dir,
        &[
            "run",
            &datafile,
            "--set",
            "flows.211.bytes=400 KiB",
            "--set",
            "links.102.channel={kind=\"two-state\", mean_good=\"500 ms\", mean_bad=\"200 ms\"}",
            "--out",
            "r",
        ],
    );
    for name in [
        "211-seqno",
        "211-ackno",
        "211-congestion",
        "211-threshold",
        "211-swnd_size",
        "212-router_pkt_arrival",
        "wless_state-212-213",
    ] {
        let path = dir.join("r").join(name);
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines > 3, "{name} has {lines} lines");
        let script = format!("stats '{}' using 1:2 nooutput; print STATS_records, STATS_invalid", path.display());
        // gnuplot prints to stderr.
        let output = std::process::Command::new("gnuplot").args(["-e", &script]).output().expect("gnuplot runs");
        let printed = String::from_utf8_lossy(&output.stderr);
        let numbers: Vec<f64> = printed.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        assert_eq!(numbers, [lines as f64, 0.0], "{name}: {printed}");
    }
}

/// tshark decodes the segments of the JSON lines, at the same times.
#[test]
fn tshark_reads_sequence_numbers_and_times() {
    skip::need!("tshark");
    let dir = scratch("tshark");
    let example = file(EXAMPLE);
    fine(&dir, &["run", &example, "--set", SHORT, "--set", LOSSY, "--trace", "jsonl,pcapng", "--out", "r"]);
    let events = std::fs::read_to_string(dir.join("r/events.jsonl")).unwrap();
    let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let sent = events.iter().filter(|event| event["event"] == "packet-sent" && event["node"] == "server");
    let ours: Vec<(i64, u64, u64)> = sent
        .map(|event| {
            let nanos = (event["t"].as_f64().unwrap() * 1e9).round() as i64;
            (nanos, event["seq"].as_u64().unwrap(), event["len"].as_u64().unwrap())
        })
        .collect();
    assert!(ours.len() > 400, "{} segments", ours.len());
    let capture = dir.join("r/server.pcapng").display().to_string();
    let fields = ["-T", "fields", "-e", "frame.time_epoch", "-e", "tcp.seq_raw", "-e", "tcp.len"];
    let mut args = vec!["-r", &capture, "-Y", "ip.src == 10.0.0.1 && tcp"];
    args.extend(fields);
    let theirs: Vec<(i64, u64, u64)> = other("tshark", &args)
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let (secs, nanos) = cells[0].split_once('.').expect("seconds with nanoseconds");
            (
                secs.parse::<i64>().unwrap() * 1_000_000_000 + nanos.parse::<i64>().unwrap(),
                cells[1].parse().unwrap(),
                cells[2].parse().unwrap(),
            )
        })
        .collect();
    assert_eq!(ours, theirs);
    // The scheme's ICMP messages quote their segments, and no packet of the capture is malformed.
    let icmp = other(
        "tshark",
        &["-r", &capture, "-Y", "icmp.type == 253", "-T", "fields", "-e", "icmp.code", "-e", "tcp.seq_raw"],
    );
    let notices = events.iter().filter(|event| event["event"] == "notice-received").count();
    assert_eq!(icmp.lines().count(), notices);
    assert!(notices > 0);
    for name in ["server", "station", "mobile"] {
        let capture = dir.join(format!("r/{name}.pcapng")).display().to_string();
        assert_eq!(other("tshark", &["-r", &capture, "-Y", "_ws.malformed || ip.checksum.status == 0"]), "");
    }
}

/// A wired link with the settings `link`, and a connection over it with handshake, close and all options.
fn whole_connection(link: &str) -> String {
    format!(
        "duration = \"100 s\"\nnodes.client = {{ kind = \"host\" }}\nnodes.server = {{ kind = \"host\" }}\n\
         links.wire = {{ kind = \"wired\", between = [\"client\", \"server\"], rate = \"8 Mbps\", delay = \"10 ms\", {link} }}\n\
         [flows.flow]\nfrom = \"client\"\nto = \"server\"\nbytes = \"300 kB\"\nreceive_window = \"200 kB\"\n\
         tcp = {{ variant = \"linux-reno\", handshake = true, close = true, ecn = \"request\", min_rto = \"1 s\" }}\n"
    )
}

/// Wireshark recognizes handshake, options, window scaling, ECN and close, in the captures of both ends.
#[test]
fn tshark_reports_no_problem_in_a_clean_transfer() {
    skip::need!("tshark");
    let dir = scratch("tshark-handshake");
    std::fs::write(dir.join("net.toml"), whole_connection("ecn_threshold = \"40 packets\"")).unwrap();
    let summary = json(&dir, &["net.toml", "--trace", "pcapng", "--out", "r"]);
    let (flow, direction) = (&summary["flows"][0], &summary["links"][0]["forward"]);
    assert_eq!((&flow["variant"], &flow["failure"]), (&Value::from("linux-reno"), &Value::Null));
    assert_eq!(flow["segments_retransmitted"], 0);
    let marked = direction["packets_marked"].as_u64().unwrap();
    assert!(marked > 0 && flow["reductions_by_ecn"].as_u64().unwrap() > 0, "{summary}");
    for name in ["client", "server"] {
        let capture = dir.join(format!("r/{name}.pcapng")).display().to_string();
        let show = |filter: &str, fields: &[&str]| {
            let mut args = vec!["-r", &capture, "-Y", filter, "-T", "fields"];
            fields.iter().for_each(|field| args.extend(["-e", field]));
            other("tshark", &args)
        };
        assert_eq!(show("tcp.analysis.flags", &["frame.number", "_ws.col.Info"]), "", "{name}");
        assert_eq!(show("_ws.malformed || ip.checksum.status == 0", &["frame.number"]), "", "{name}");
        // Both SYNs have MSS, window scale for 200 kB, SACK and timestamps, and each has its ECN flags.
        let options = [
            "tcp.options.mss_val",
            "tcp.options.wscale.shift",
            "tcp.options.sack_perm",
            "tcp.flags.ece",
            "tcp.flags.cwr",
        ];
        let syns = show("tcp.flags.syn == 1 && tcp.options.timestamp.tsval", &options);
        let syns: Vec<Vec<&str>> = syns.lines().map(|line| line.split('\t').collect()).collect();
        assert_eq!(syns.len(), 2, "{name}: {syns:?}");
        let has_options = |syn: &[&str]| (syn[0] == "1460", syn[1] == "2", !syn[2].is_empty());
        assert!(syns.iter().all(|syn| has_options(syn) == (true, true, true)), "{name}: {syns:?}");
        let ecn = |syn: &[&str]| [syn[3], syn[4]].map(|flag| flag == "1" || flag == "True");
        assert_eq!([ecn(&syns[0]), ecn(&syns[1])], [[true, true], [true, false]], "{name}: {syns:?}");
        // Later windows are decoded by the scale in the SYN; 12 of 1460 bytes are timestamps.
        let windows = show("tcp.flags.syn == 0", &["tcp.window_size"]);
        assert!(windows.lines().count() > 200 && windows.lines().all(|window| window == "200000"), "{name}");
        let longest = show("tcp.len > 0", &["tcp.len"]).lines().map(|len| len.parse::<u32>().unwrap()).max();
        assert_eq!(longest, Some(1448), "{name}");
        assert_eq!(show("tcp.flags.fin == 1", &["frame.number"]).lines().count(), 2, "{name}");
        // CE marks are set in transit. Therefore only the receiver's capture has them.
        let seen = show("ip.dsfield.ecn == 3", &["frame.number"]).lines().count() as u64;
        assert_eq!(seen, if name == "server" { marked } else { 0 }, "{name}");
    }
}

/// Lost data is reported in SACK blocks until it is retransmitted, and tshark counts as many retransmissions as the
/// summary.
#[test]
fn tshark_reads_sack_blocks() {
    skip::need!("tshark");
    let dir = scratch("tshark-sack");
    let lossy = "channel = { kind = \"scripted\", drop = [20, 22] }";
    std::fs::write(dir.join("net.toml"), whole_connection(lossy)).unwrap();
    let summary = json(&dir, &["net.toml", "--trace", "pcapng", "--out", "r"]);
    let resent = summary["flows"][0]["segments_retransmitted"].as_u64().unwrap();
    assert!(resent >= 2, "{summary}");
    let capture = dir.join("r/client.pcapng").display().to_string();
    let count = |filter: &str| other("tshark", &["-r", &capture, "-Y", filter]).lines().count() as u64;
    assert!(count("tcp.options.sack.count >= 1") >= 3 && count("tcp.options.sack.count == 2") >= 1);
    assert_eq!(count("tcp.analysis.retransmission"), resent);
    assert_eq!(count("_ws.malformed"), 0);
}

#[test]
fn event_trace_has_the_layout_of_the_thesis() {
    let dir = scratch("event-trace");
    fine(&dir, &["run", &file("examples/goel1997/replay.dat"), "--trace", "events", "--out", "r"]);
    let text = std::fs::read_to_string(dir.join("r/event-trace.txt")).unwrap();
    let first = "***** PKT CORRUPTED ***** (DLL)
(CLOCK : 945)
The following pkt was corrupted due to BAD status of the link
The contents of DLL frame are :-
<SRC, DST, SEQ, ACK, Type>:- <212, 213, 15, -1, DATA>
The contents of IP pkt are :-
<SRC ID, DST ID> : <211, 213>
The contents of TCP segment are :-
<SEQ, ACK, Len, Type> : <15360, -1, 1024, DATA>
";
    assert!(text.contains(first), "{text}");
    assert!(text.contains("Following frame could not be transmitted after 8 attempts :"), "{text}");
    assert!(text.contains("TCP_SRC(Node-id - 211):: following TCP segment RETRANSMITTED(CLOCK : 1174)"), "{text}");
    assert!(
        text.ends_with("Processing SIMULATION_OVER event.\nTerminating the simulator.\nNormal Termination.\n"),
        "{text}"
    );
}

/// Traces of parallel links, and of senders with confusable names, have distinct files.
#[test]
fn traces_have_distinct_files() {
    let dir = scratch("collisions");
    let air = |name: &str| {
        format!(
            "[links.{name}]\nkind = \"wireless\"\nbetween = [\"x\", \"m\"]\nrate = \"1 Mbps\"\ndelay = \"1 ms\"\n\
             channel = {{ kind = \"two-state\", mean_good = \"500 ms\", mean_bad = \"100 ms\" }}\n"
        )
    };
    let wire = |node: &str| {
        format!(
            "[links.wire-{node}]\nkind = \"wired\"\nbetween = [\"{node}\", \"x\"]\nrate = \"8 Mbps\"\ndelay = \"1 ms\"\n"
        )
    };
    let flow = |name: &str, from: &str| format!("[flows.{name}]\nfrom = \"{from}\"\nto = \"m\"\nbytes = \"50 kB\"\n");
    let nodes = "duration = \"60 s\"\n[nodes]\ns = { kind = \"host\" }\ns-b = { kind = \"host\" }\nx = { kind = \"router\" }\nm = { kind = \"host\" }\n";
    let text = [
        nodes,
        &air("one"),
        &air("two"),
        &wire("s"),
        &wire("s-b"),
        &flow("b", "s"),
        &flow("c", "s"),
        &flow("d", "s-b"),
    ]
    .concat();
    std::fs::write(dir.join("n.toml"), text).unwrap();
    fine(&dir, &["run", "n.toml", "--trace", "all", "--out", "r"]);
    let files: Vec<String> = std::fs::read_dir(dir.join("r"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in ["b-seqno", "c-seqno", "d-seqno", "wless_state-one", "wless_state-two"] {
        assert!(files.iter().any(|file| file == name), "{name} is not among {files:?}");
        let text = std::fs::read_to_string(dir.join("r").join(name)).unwrap();
        let times: Vec<f64> = text.lines().map(|line| line.split(' ').next().unwrap().parse().unwrap()).collect();
        assert!(times.len() > 1 && times.is_sorted(), "{name}");
    }
}

#[test]
fn recorded_channel_gives_the_same_run() {
    let dir = scratch("replay");
    let example = file(EXAMPLE);
    let recorded = json(&dir, &[&example, "--trace", "air", "--out", "r"]);
    let replay = "links.air.channel={ kind = \"recorded\", file = \"r/trace.dat\" }";
    let text = fine(&dir, &["convert", &example]);
    std::fs::write(dir.join("copy.toml"), text).unwrap();
    let replayed = json(&dir, &["copy.toml", "--set", replay, "--out", "r2"]);
    assert_eq!(recorded["flows"], replayed["flows"]);
    assert_eq!(recorded["links"], replayed["links"]);
}

#[test]
fn datafile_and_its_conversion_give_the_same_results() {
    let dir = scratch("convert");
    for name in ["datafile.dat", "replay.dat"] {
        let datafile = file(&format!("examples/goel1997/{name}"));
        for scheme in ["unmodified", "simple-icmp", "refined-icmp"] {
            let direct = json(&dir, &[&datafile, "--scheme", scheme, "--out", "direct"]);
            std::fs::write(dir.join("converted.toml"), fine(&dir, &["convert", &datafile, "--scheme", scheme]))
                .unwrap();
            let converted = json(&dir, &["converted.toml", "--out", "converted"]);
            for key in ["seed", "simulated_s", "events", "flows", "links"] {
                assert_eq!(direct[key], converted[key], "{name}, {scheme}: {key}");
            }
        }
    }
}

/// The run's scheme, as opposed to the example's title, which names the Refined ICMP scheme.
const RAN: &str = "unmodified \u{b7} seed 1 \u{b7} profile goel1997";

#[test]
fn plot_marks_losses_and_recoveries() {
    let dir = scratch("plot");
    let example = file(EXAMPLE);
    fine(&dir, &["run", &example, "--scheme", "unmodified", "--set", SHORT, "--set", LOSSY, "--out", "r"]);
    let paths = fine(&dir, &["plot", "r"]);
    assert_eq!(paths.lines().count(), 2);
    let svg = std::fs::read_to_string(dir.join("r/plots/download.svg")).unwrap();
    for word in ["timeout", "packet lost", "cwnd", "ssthresh", "air BAD", "time (s)", RAN] {
        assert!(svg.contains(word), "{word} is not in the picture");
    }
    let png = std::fs::read(dir.join("r/plots/download.png")).unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let height = 2 * plot::choose_default_height(&plot::Panel::ALL);
    assert_eq!(png[16..24], [[0, 0, 0x07, 0xd0], height.to_be_bytes()].concat(), "2000 pixels wide, with all panels");
    for word in ["RTT sample", "RTO", "packets waiting or being sent: ", "goodput, mean of"] {
        assert!(svg.contains(word), "{word} is not in the picture");
    }
}

#[test]
fn plot_of_two_runs_has_both_in_one_picture() {
    let dir = scratch("plot-two");
    let example = file(EXAMPLE);
    fine(&dir, &["run", &example, "--set", SHORT, "--out", "one"]);
    fine(&dir, &["run", &example, "--set", SHORT, "--scheme", "unmodified", "--seed", "2", "--out", "two"]);
    let ended = lasthop(&dir, &["plot", "one", "two"]);
    assert_eq!(ended.code, Some(0));
    assert!(ended.err.contains("two has seed 2 and the first run seed 1"), "{}", ended.err);
    let svg = std::fs::read_to_string(dir.join("one/plots/download.compared.svg")).unwrap();
    assert!(svg.contains(">one: ") && svg.contains(">two: "), "headings name the runs");

    let schemes = ["--scheme", "unmodified,refined-icmp", "--set", SHORT];
    let files = fine(&dir, &[&["plot", &example], &["--scheme", "unmodified,refined-icmp"][..]].concat());
    assert!(files.starts_with("results/goel-refined-compared/download.compared.svg\n"), "{files}");
    let one = fine(&dir, &[&["plot", &example, "-o", "q/one.svg"], &schemes[..]].concat());
    assert_eq!(one, "q/one.svg\n");
    let files = fine(&dir, &[&["plot", &example, "--out", "p"], &schemes[..]].concat());
    assert_eq!(files, "p/download.compared.svg\np/download.compared.png\n");
    let svg = std::fs::read_to_string(dir.join("p/download.compared.svg")).unwrap();
    assert!(svg.contains(">unmodified: ") && svg.contains(">refined-icmp: "), "headings name the schemes");
    // Each run has a bar of its causes. A cause has the same colour in all bars.
    let fills: std::collections::BTreeSet<&str> = svg
        .split("<path")
        .filter(|path| path.contains("<title>link-rate: "))
        .map(|path| path.split("fill=\"").nth(1).unwrap().split('"').next().unwrap())
        .collect();
    assert_eq!((svg.matches("<title>link-rate: ").count(), fills.len()), (2, 1), "{fills:?}");
}

/// The areas are the data of the flows, as in the summary, less the data that is unacknowledged at the end.
#[test]
fn plot_of_all_flows_stacks_their_goodput() {
    let dir = scratch("plot-all");
    let example = file("examples/two-mobiles.toml");
    fine(&dir, &["run", &example, "--out", "r"]);
    assert_eq!(fine(&dir, &["plot", "r", "--all-flows"]), "r/plots/all.flows.svg\nr/plots/all.flows.png\n");
    let svg = std::fs::read_to_string(dir.join("r/plots/all.flows.svg")).unwrap();
    assert!(svg.contains("class=\"fairness\"") && svg.contains("class=\"total-goodput\""));
    let summary: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(dir.join("r/summary.json")).unwrap()).unwrap();
    for flow in summary["flows"].as_array().unwrap() {
        let (name, bytes) = (flow["name"].as_str().unwrap(), flow["bytes_delivered"].as_f64().unwrap());
        let title = format!("<title>{name}: ");
        let at = svg.find(&title).unwrap_or_else(|| panic!("no area of {name}")) + title.len();
        let acknowledged: f64 = svg[at..].split(' ').next().unwrap().parse().unwrap();
        assert!((1e6 * acknowledged / bytes - 1.0).abs() < 0.01, "{name}: {acknowledged} MB of {bytes} B");
    }
    let two = lasthop(&dir, &["plot", &example, "--all-flows", "--scheme", "unmodified,snoop", "--out", "p"]);
    assert!(two.err.contains("all flows are drawn together"), "{}", two.err);
}

#[test]
fn plot_of_a_part_does_not_overwrite_the_plot_of_the_whole() {
    let dir = scratch("plot-part");
    fine(&dir, &["run", &file(EXAMPLE), "--set", SHORT, "--out", "r"]);
    fine(&dir, &["plot", "r"]);
    let whole = std::fs::read(dir.join("r/plots/download.svg")).unwrap();
    let one_panel = ["--panels", "sequence"];
    for (times, name) in [
        (&["--from", "500 ms", "--to", "1.5 s"][..], "download.500ms-to-1.5s"),
        (&["--from", "1 s"][..], "download.from-1s"),
        (&["--to", "1 s"][..], "download.to-1s"),
    ] {
        let files = fine(&dir, &[&["plot", "r"], &one_panel[..], times].concat());
        assert!(files.contains(&format!("{name}.svg")) && files.contains(&format!("{name}.png")), "{files}");
    }
    assert!(std::fs::read(dir.join("r/plots/download.svg")).unwrap() == whole, "the whole was overwritten");
}

#[test]
fn schema_and_lists_name_every_member() {
    let dir = scratch("lists");
    let schema: Value = serde_json::from_str(&fine(&dir, &["schema"])).unwrap();
    let text = schema.to_string();
    let list = fine(&dir, &["list"]);
    for section in lab::catalogue::CATALOGUE {
        for (name, summary) in (section.members)() {
            assert!(list.contains(name) && list.contains(&*summary), "{name}");
        }
        if ["schemes", "channels", "link-layers", "recoveries", "controls", "node-kinds", "radios", "schedulers"]
            .contains(&section.plural)
        {
            for (name, _) in (section.members)() {
                assert!(text.contains(&format!("\"{name}\"")), "{name} is not in the schema");
            }
        }
    }
    assert!(fine(&dir, &["list", "channels"]).contains("two-state"));
}

/// The schemes of the run are listed at the top of the table and in the summary, independently of the scenario's title.
#[test]
fn result_names_its_schemes() {
    let dir = scratch("schemes");
    let example = file(EXAMPLE);
    for scheme in ["unmodified", "simple-icmp"] {
        let table = fine(&dir, &["run", &example, "--scheme", scheme, "--set", SHORT, "--out", "r"]);
        let head: Vec<&str> = table.lines().take(2).collect();
        assert_eq!(
            head,
            ["10.24 MB over a bursty wireless hop", &format!("scheme {scheme}, profile goel1997, seed 1")]
        );
    }
    let own = "nodes.server.scheme=unmodified";
    let mixed = json(&dir, &[&example, "--set", SHORT, "--set", own, "--out", "mixed"]);
    let each = serde_json::json!({ "server": "unmodified", "station": "refined-icmp", "mobile": "refined-icmp" });
    assert_eq!(mixed["scheme"], each);
    let ended = common::lasthop(&dir, &["check", &example, "--set", own]);
    assert!(ended.err.contains("its half of refined-icmp is missing"), "{}", ended.err);
}

#[test]
fn drops_of_a_full_buffer_are_counted_at_the_node() {
    let dir = scratch("buffer");
    let example = file(EXAMPLE);
    let args = [example.as_str(), "--set", SHORT, "--set", "nodes.station.buffer=4 kB", "--out", "r"];
    let summary = json(&dir, &args);
    let dropped = summary["packets_dropped_buffer_full"].as_u64().unwrap();
    assert!(dropped > 0);
    let nodes = summary["nodes"].as_array().unwrap().iter();
    let found = nodes.map(|node| ["name", "buffer_bytes", "packets_dropped_buffer_full"].map(|key| node[key].clone()));
    let node = |name: &str, buffer: Value, dropped: u64| [name.into(), buffer, dropped.into()];
    let nodes = [node("server", Value::Null, 0), node("station", 4000.into(), dropped), node("mobile", Value::Null, 0)];
    assert_eq!(found.collect::<Vec<_>>(), nodes);
    let table = fine(&dir, &[&["run"], args.as_slice()].concat());
    assert!(table.contains(&format!("station    4 kB  {dropped:>7}\n")), "{table}");
}
