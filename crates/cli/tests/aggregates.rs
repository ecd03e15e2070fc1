//! Aggregates in captures. Each packet is a separate frame, with the aggregate's number in its radiotap header.

use crate::common;

use std::collections::BTreeMap;
use std::path::Path;

use common::{fine, other, scratch};
use serde_json::Value;

/// A download and an upload through an access point, on a lossy channel.
const CELL: &str = r#"
duration = "400 ms"
nodes = { server = { kind = "host" }, ap = { kind = "base-station" }, laptop = { kind = "host" }, phone = { kind = "host" } }
media.cell = { standard = "802.11n", rate = "65 Mbps", aggregation = { frames = 20 } }
[links]
wire = { kind = "wired", between = ["server", "ap"], rate = "1 Gbps", delay = "1 ms" }
laptop = { kind = "wireless", between = ["ap", "laptop"], medium = "cell", channel = { kind = "uniform", loss = 0.05 } }
phone = { kind = "wireless", between = ["ap", "phone"], medium = "cell", channel = { kind = "uniform", loss = 0.05 } }
[flows]
down = { from = "server", to = "laptop" }
up = { from = "phone", to = "server" }
"#;

fn events(dir: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(dir.join("r/events.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn numbers(list: &Value) -> Vec<u64> {
    list.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

fn yes(text: &str) -> bool {
    matches!(text, "1" | "True")
}

/// Returns the values of `fields` that tshark prints for each frame of `capture` matching `filter`.
fn show(capture: &str, filter: &str, fields: &[&str]) -> Vec<Vec<String>> {
    let mut args = vec!["-o", "wlan.check_checksum:TRUE", "-r", capture, "-Y", filter, "-T", "fields"];
    fields.iter().for_each(|field| args.extend(["-e", field]));
    other("tshark", &args).lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// An aggregate: the numbers of its packets, and those of the damaged ones.
#[derive(Debug, Default, PartialEq)]
struct SentAggregate {
    packets: Vec<u64>,
    damaged: Vec<u64>,
}

/// A block acknowledgment: its first sequence number, and the acknowledged numbers.
#[derive(Debug, PartialEq)]
struct BlockAck {
    first: u64,
    acknowledged: Vec<u64>,
}

/// The facts about aggregates in the events of a run.
struct LoggedAggregates {
    /// Complete aggregates in order of their starts.
    aggregates: Vec<SentAggregate>,
    block_acks: Vec<BlockAck>,
    collisions: usize,
}

fn collect_events(dir: &Path) -> LoggedAggregates {
    let mut aggregates: Vec<SentAggregate> = Vec::new();
    let mut flying: BTreeMap<String, usize> = BTreeMap::new();
    let (mut block_acks, mut collisions) = (Vec::new(), 0);
    for event in events(dir) {
        let from = event["from"].as_str().unwrap_or_default().to_owned();
        match (event["event"].as_str().unwrap(), event["frame"].as_str().unwrap_or_default()) {
            ("air-sent", "A-MPDU") => {
                flying.insert(from, aggregates.len());
                aggregates.push(SentAggregate { packets: numbers(&event["packets"]), damaged: Vec::new() });
                assert_eq!(event["number"], event["packets"][0]);
            }
            ("air-ended", "A-MPDU") => {
                collisions += usize::from(event["reception"] == "collided");
                aggregates[flying.remove(&from).expect("it was sent")].damaged = numbers(&event["damaged"]);
            }
            ("air-sent", "BLOCK-ACK") => block_acks
                .push(BlockAck { first: event["number"].as_u64().unwrap(), acknowledged: numbers(&event["packets"]) }),
            _ => assert!(event.get("packets").is_none() && event.get("damaged").is_none(), "{event}"),
        }
    }
    let mut open: Vec<usize> = flying.into_values().collect();
    open.sort_by(|a, b| b.cmp(a));
    open.into_iter().for_each(|place| drop(aggregates.remove(place)));
    LoggedAggregates { aggregates, block_acks, collisions }
}

/// Decodes the aggregates of a capture. Each frame has the number of its aggregate, and the last frame of an aggregate
/// has a mark.
fn decode_aggregates(capture: &str) -> Vec<SentAggregate> {
    let fields = [
        "radiotap.ampdu.reference",
        "wlan.seq",
        "radiotap.ampdu.flags.lastknown",
        "radiotap.ampdu.flags.last",
        "radiotap.flags.badfcs",
        "wlan_radio.phy",
        "wlan_radio.data_rate",
    ];
    let mut aggregates: BTreeMap<u64, SentAggregate> = BTreeMap::new();
    let mut over: BTreeMap<u64, bool> = BTreeMap::new();
    for frame in show(capture, "radiotap.present.ampdu == 1", &fields) {
        let [reference, sequence] = [&frame[0], &frame[1]].map(|field| field.parse::<u64>().unwrap());
        let aggregate = aggregates.entry(reference).or_default();
        aggregate.packets.push(sequence);
        if yes(&frame[4]) {
            aggregate.damaged.push(sequence);
        }
        assert!(yes(&frame[2]) && frame[5] == "7" && frame[6] == "65", "802.11n at 65 Mbps: {frame:?}");
        let over = over.entry(reference).or_default();
        assert!(!*over, "nothing follows the last: {frame:?}");
        *over = yes(&frame[3]);
    }
    assert!(over.values().all(|over| *over), "each has a last one");
    aggregates.into_values().collect()
}

/// Returns the block acknowledgments of a capture. They are sent in 802.11a format, whose first bit follows a preamble of
/// 20 us.
fn decode_block_acks(capture: &str) -> Vec<BlockAck> {
    let fields = ["wlan.fixed.ssc.sequence", "wlan.ba.bm", "wlan_radio.phy", "frame.time_epoch", "radiotap.mactime"];
    let decode = |answer: Vec<String>| {
        assert_eq!(answer[2], "5", "802.11a: {answer:?}");
        let micros = (answer[3].parse::<f64>().unwrap() * 1e6 + 1e-4) as u64;
        assert_eq!(micros + 20, answer[4].parse::<u64>().unwrap(), "{answer:?}");
        let first: u64 = answer[0].parse().unwrap();
        let byte = |place: usize| u64::from_str_radix(&answer[1][2 * place..2 * place + 2], 16).unwrap();
        let come = (0..64).filter(|place| byte(place / 8) >> (place % 8) & 1 == 1);
        BlockAck { first, acknowledged: come.map(|place| first + place as u64).collect() }
    };
    show(capture, "wlan.fc.type_subtype == 25", &fields).into_iter().map(decode).collect()
}

/// Checks the sums of packets that are captured in full: packets without data, single or in an aggregate.
fn check_sums(capture: &str) {
    let none: Vec<Vec<String>> = Vec::new();
    let wrong = "_ws.malformed || ip.checksum.status == 0 || (wlan.fcs.status == 0 && radiotap.flags.badfcs == 0)";
    assert_eq!(show(capture, &format!("({wrong}) && radiotap.flags.badfcs == 0"), &["frame.number"]), none);
    let empty = "wlan.fc.type_subtype == 40 && tcp.len == 0 && radiotap.flags.badfcs == 0 && radiotap.present.ampdu";
    for together in ["0", "1"] {
        let sums = show(capture, &format!("{empty} == {together}"), &["wlan.fcs.status"]);
        assert!(!sums.is_empty() && sums.iter().all(|sum| sum[0] == "1"), "{sums:?}");
    }
}

#[test]
fn tshark_reads_every_packet_of_an_aggregate() {
    skip::need!("tshark");
    let dir = scratch("aggregates-capture");
    std::fs::write(dir.join("net.toml"), CELL).unwrap();
    fine(&dir, &["run", "net.toml", "--trace", "jsonl,pcapng", "--out", "r"]);
    let capture = dir.join("r/cell.air.pcapng").display().to_string();
    let LoggedAggregates { aggregates, mut block_acks, collisions } = collect_events(&dir);
    assert!(aggregates.len() > 50 && collisions > 5, "{} aggregates, {collisions} collided", aggregates.len());
    assert_eq!(decode_aggregates(&capture), aggregates);
    let decoded = decode_block_acks(&capture);
    block_acks.truncate(decoded.len());
    assert!(decoded.len() > 40 && decoded == block_acks, "{decoded:?} {block_acks:?}");
    check_sums(&capture);
    let times = show(&capture, "wlan", &["frame.time_epoch"]);
    assert!(times.is_sorted(), "in order of time");
    // Every transmission of a packet is a separate frame.
    let packets = show(&capture, "wlan.fc.type_subtype == 40 && wlan.sa == 02:00:0a:00:00:01", &["ip.id", "wlan.seq"]);
    assert!(packets.len() > 500 && packets.iter().all(|packet| !packet[0].is_empty()));
}
