//! Explanations of captures compared with explanations of the runs that wrote them. Findings of one kind that overlap
//! in time are considered equal.

use std::collections::BTreeMap;
use std::process::Command;

use capture::transfer::{Survey, Vantage};
use capture::{Capture, End};
use engine::{Span, Time};
use observe::explain::{
    CaptureParts, CaptureReport, CapturedCause, Explain, Finding, FlowReport, captured_causes, shown_kinds,
};
use observe::observation::Evidence;
use sim::Network;
use testkit::{CaptureAtNode, build_network, run_with_sink};
use wire::pcapng::{Direction, Writer};

const WINDOW_CUT: &str = "window-cut";

/// Runs a network of one flow. Returns its explanation and the captures at its first and its last node.
fn run(network: &Network) -> (FlowReport, Vec<u8>, Vec<u8>) {
    let flow = &network.flows[0];
    let explain = (Explain::new(network), Explain::with_kinds_of_captures(network, CaptureParts::ALL));
    let mut sink = (explain, (CaptureAtNode::new(flow.from), CaptureAtNode::new(flow.to)));
    let ended = run_with_sink(network, &mut sink).ended;
    let ((explain, any_cut), (sender, receiver)) = sink;
    let mut report = explain.finish(ended).remove(0);
    // A finding of captures only, here from the sender's window.
    let cuts = any_cut.finish(ended).remove(0).findings;
    report.findings.extend(cuts.into_iter().filter(|finding| finding.kind == WINDOW_CUT));
    (report, sender.finish(), receiver.finish())
}

/// Explains the only connection of a capture.
fn explained(file: &[u8], given: Option<Vantage>) -> (CaptureReport, Survey) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.pcapng");
    std::fs::write(&path, file).expect("written");
    let file = lab::captures::CaptureFile::open(&path).expect("a capture");
    assert_eq!(file.incomplete, None);
    let (explained, _) = file.explain(&[0], given, |_| sim::NullSink).expect("explained").remove(0);
    (explained.report, explained.survey)
}

/// Numbers of findings: in the run; of these, in the capture; in the capture; of these, in the run.
#[derive(Clone, Copy, Default, Debug)]
struct Matches {
    truth: u32,
    found: u32,
    claimed: u32,
    confirmed: u32,
    /// The sums of costs in the run and in the capture, in seconds.
    costs: [f64; 2],
}

type Matrix = BTreeMap<&'static str, Matches>;

fn compare(truth: &FlowReport, claims: &CaptureReport, matrix: &mut Matrix) {
    let kinds = shown_kinds(claims.parts);
    assert!(claims.findings.iter().all(|finding| kinds.contains(&finding.kind)));
    for kind in kinds {
        let of = |findings: &[Finding]| -> Vec<Finding> {
            findings.iter().filter(|finding| finding.kind == kind).cloned().collect()
        };
        let (truth, claims) = (of(&truth.findings), of(&claims.findings));
        let meets = |one: &Finding, others: &[Finding]| {
            others.iter().any(|other| match kind {
                // These findings last long, so only findings that begin at the same time are considered equal.
                WINDOW_CUT => other.from == one.from,
                _ => other.from <= one.to && one.from <= other.to,
            })
        };
        let matches = matrix.entry(kind).or_default();
        for (sum, of) in matches.costs.iter_mut().zip([&truth, &claims]) {
            *sum += of.iter().map(|finding| finding.cost.as_secs_f64()).sum::<f64>();
        }
        matches.truth += truth.len() as u32;
        matches.claimed += claims.len() as u32;
        matches.found += truth.iter().filter(|one| meets(one, &claims)).count() as u32;
        matches.confirmed += claims.iter().filter(|one| meets(one, &truth)).count() as u32;
    }
}

/// Returns a scenario of a family. `number` selects the parameters.
fn scenario(family: &str, number: u64) -> String {
    let pick = |list: &[&str], of: u64| list[((number / of) as usize) % list.len()].to_owned();
    let variant = pick(&["reno", "newreno", "sack", "cubic", "linux-reno"], 1);
    let handshake = !number.is_multiple_of(3);
    let stamps = number.is_multiple_of(2);
    // Whole segments: within a segment, the limits by cwnd and by the receive window cannot be distinguished.
    let window = |list: &[&str], of: u64| {
        let segments: u64 = pick(list, of).parse().expect("a number");
        format!("{} B", segments * if stamps { 988 } else { 1000 })
    };
    let tcp = |more: &str| {
        format!("tcp = {{ variant = \"{variant}\", handshake = {handshake}, timestamps = {stamps}{more} }}")
    };
    let (air, flow) = match family {
        // Bursts of losses on a slow wireless link.
        "bursts" => (
            format!(
                "rate = \"{}\"\ndelay = \"{}\"\nqueue = \"60 packets\"\nchannel = {{ kind = \"two-state\", mean_good = \"2 s\", mean_bad = \"{}\" }}",
                pick(&["1 Mbps", "2 Mbps", "4 Mbps"], 1),
                pick(&["1 ms", "20 ms", "60 ms"], 2),
                pick(&["40 ms", "90 ms", "200 ms"], 3)
            ),
            format!(
                "bytes = \"1500 kB\"\nmss = \"1000 B\"\nreceive_window = \"{}\"\n{}",
                window(&["8", "16", "32", "256"], 1),
                tcp("")
            ),
        ),
        // Delays longer than the timer.
        "spikes" => {
            let spikes: Vec<String> = (0..8)
                .map(|n| {
                    format!(
                        "{{ at = \"{} ms\", duration = \"{} ms\", extra_delay = \"{} ms\" }}",
                        2000 + 3000 * n + 37 * (number % 20),
                        60 + 30 * (number % 5),
                        1500 + 100 * (number % 9) + 50 * n
                    )
                })
                .collect();
            (
                format!(
                    "rate = \"{}\"\ndelay = \"{}\"\nqueue = \"100 packets\"\ndelay_spikes = [{}]",
                    pick(&["500 kbps", "1 Mbps", "2 Mbps"], 1),
                    pick(&["5 ms", "30 ms", "80 ms"], 2),
                    spikes.join(", ")
                ),
                format!(
                    "mss = \"1000 B\"\nreceive_window = \"{}\"\n{}",
                    pick(&["10 kB", "30 kB", "64 kB"], 1),
                    tcp(", min_rto = \"300 ms\"")
                ),
            )
        }
        // Single losses with a small window.
        "losses" => (
            format!(
                "rate = \"{}\"\ndelay = \"{}\"\nchannel = {{ kind = \"uniform\", loss = {} }}\nqueue = \"200 packets\"",
                pick(&["2 Mbps", "5 Mbps", "10 Mbps"], 1),
                pick(&["20 ms", "50 ms", "100 ms"], 2),
                pick(&["0.003", "0.01", "0.02"], 1)
            ),
            format!(
                "bytes = \"1500 kB\"\nmss = \"1000 B\"\nreceive_window = \"{}\"\n{}",
                pick(&["10 kB", "20 kB", "40 kB"], 3),
                tcp("")
            ),
        ),
        other => panic!("{other}"),
    };
    format!(
        "duration = \"40 s\"\nseed = {number}\n[nodes]\nserver = {{ kind = \"host\" }}\nstation = {{ kind = \"base-station\" }}\nmobile = {{ kind = \"host\" }}\n\
         [links.wire]\nkind = \"wired\"\nbetween = [\"server\", \"station\"]\nrate = \"20 Mbps\"\ndelay = \"{}\"\nqueue = \"unlimited\"\n\
         [links.air]\nkind = \"wireless\"\nbetween = [\"station\", \"mobile\"]\n{air}\n[flows.download]\nfrom = \"server\"\nto = \"mobile\"\n{flow}\n",
        pick(&["10 ms", "40 ms", "80 ms"], 2)
    )
}

const FAMILIES: [&str; 3] = ["bursts", "spikes", "losses"];

/// Compares the runs with these numbers in each family with their captures at one end.
fn matrix(numbers: std::ops::Range<u64>, at: Vantage) -> Matrix {
    let mut matrix = Matrix::new();
    for family in FAMILIES {
        for number in numbers.clone() {
            let (truth, sender, receiver) = run(&build_network(&scenario(family, number)));
            let file = if at == Vantage::Receiver { &receiver } else { &sender };
            let (claims, survey) = explained(file, None);
            assert_eq!((claims.parts.sender, claims.parts.syn), (survey.is_at_sender(), survey.scale_known));
            compare(&truth, &claims, &mut matrix);
        }
    }
    matrix
}

/// The page with the figures of the long tests.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/models/captures.md");

/// Runs with numbers below 7000 were used to develop the rules.
const UNSEEN: u64 = 9000;

fn share(part: u32, whole: u32) -> f64 {
    f64::from(part) / f64::from(whole.max(1))
}

/// The tables of the page, by their order.
#[derive(Clone, Copy)]
enum PageTable {
    AtSender,
    AtReceiver,
}

/// Compares the rows of a table of the page with the figures of every kind; with `UPDATE_GOLDEN=1`, writes them instead.
fn assert_page_has(table: PageTable, matrix: &Matrix) {
    let row = |(kind, matches): (&&str, &Matches)| {
        let Matches { truth, found, claimed, confirmed, .. } = *matches;
        let (recall, precision) = (share(found, truth), share(confirmed, claimed));
        format!("| `{kind}` | {truth} | {found} | {recall:.3} | {claimed} | {confirmed} | {precision:.3} |")
    };
    let rows: Vec<String> = matrix.iter().map(row).collect();
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let mut lines: Vec<&str> = page.lines().collect();
    let mut heads = lines.iter().enumerate().filter(|(_, line)| line.starts_with("| kind | in runs |"));
    let (head, _) = heads.nth(table as usize).expect("the table");
    let count = lines[head + 2..].iter().take_while(|line| line.starts_with('|')).count();
    let old: Vec<&str> = lines.splice(head + 2..head + 2 + count, rows.iter().map(String::as_str)).collect();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(PAGE, lines.join("\n") + "\n").expect("the page is written");
    } else {
        assert_eq!(old, rows, "docs/models/captures.md; UPDATE_GOLDEN=1 rewrites it");
    }
}

#[test]
fn findings_of_a_capture_equal_findings_of_its_run() {
    let matrix = matrix(UNSEEN..UNSEEN + 8, Vantage::Sender);
    assert_eq!(matrix.len(), shown_kinds(CaptureParts::ALL).len());
    for (kind, Matches { truth, found, claimed, confirmed, .. }) in matrix {
        assert!(truth >= 5, "{kind}: {truth} instances");
        // The bounds apply to few runs, and one connection has several findings.
        assert!(share(found, truth) >= 0.8, "{kind}: {found} of {truth} found");
        assert!(share(confirmed, claimed) >= 0.8, "{kind}: {confirmed} of {claimed} confirmed");
    }
}

#[test]
#[ignore = "takes a minute: 450 runs"]
fn precision_and_recall_are_high_at_the_sender() {
    let matrix = matrix(UNSEEN..UNSEEN + 150, Vantage::Sender);
    assert_page_has(PageTable::AtSender, &matrix);
    let [truth, claimed] = matrix[WINDOW_CUT].costs;
    assert!((claimed / truth - 1.0).abs() < 0.03, "{claimed} s of transmission lost, in the runs {truth} s");
    for (kind, Matches { truth, found, claimed, confirmed, .. }) in matrix {
        let (recall, precision) = (share(found, truth), share(confirmed, claimed));
        assert!(truth >= 200, "{kind}: {truth} instances");
        assert!(recall >= 0.95, "{kind}: {found} of {truth} found");
        assert!(precision >= 0.95, "{kind}: {confirmed} of {claimed} confirmed");
    }
}

/// In captures at the receiver a queue hides the data in flight, so timeouts are not analysed.
#[test]
#[ignore = "takes a minute: 450 runs"]
fn receive_windows_are_estimates_at_the_receiver() {
    let matrix = matrix(UNSEEN..UNSEEN + 150, Vantage::Receiver);
    assert!(matrix.keys().all(|kind| shown_kinds(CaptureParts::SYN).contains(kind)), "{matrix:?}");
    assert_page_has(PageTable::AtReceiver, &matrix);
    for (kind, Matches { truth, found, claimed, confirmed, .. }) in matrix {
        let (recall, precision) = (share(found, truth), share(confirmed, claimed));
        assert!(recall >= 0.7 && precision >= 0.8, "{kind}: {recall} {precision}");
    }
}

/// A capture at the receiver is recognized, and the round trips on both sides add up to the round trip of the path.
#[test]
fn place_of_capture_follows_from_the_handshake() {
    let number = UNSEEN + 1;
    assert!(!number.is_multiple_of(3), "it has a handshake");
    let (_, sender, receiver) = run(&build_network(&scenario("losses", number)));
    let (_, at_sender) = explained(&sender, None);
    let (_, at_receiver) = explained(&receiver, None);
    let places = [&at_sender, &at_receiver].map(|survey| survey.vantage.value());
    assert_eq!(places, [Some(Vantage::Sender), Some(Vantage::Receiver)]);
    let round_trip = |survey: &Survey| survey.round_trip().value().expect("it was measured").as_secs_f64();
    let apart = round_trip(&at_sender) / round_trip(&at_receiver);
    assert!((0.95..1.05).contains(&apart), "{apart}");
    let (_, given) = explained(&receiver, Some(Vantage::Sender));
    assert_eq!((given.vantage, given.to_sender), (Evidence::Known(Vantage::Sender), Evidence::Known(Span::ZERO)));
}

/// The causes of the budget add up to the time, and agree with the causes of the run as far as a capture separates
/// them.
#[test]
fn budget_of_a_capture_agrees_with_the_budget_of_its_run() {
    // Receivers in these runs do not delay acknowledgments, because the delays would count as time of the path.
    for number in [UNSEEN + 1, UNSEEN + 2, UNSEEN + 7] {
        let (truth, sender, _) = run(&build_network(&scenario("losses", number)));
        let (claims, survey) = explained(&sender, None);
        let took = truth.took.as_secs_f64();
        assert!((claims.took.as_secs_f64() / took - 1.0).abs() < 0.01);
        let sum = |causes: &[CapturedCause]| causes.iter().fold(Span::ZERO, |sum, cause| sum + cause.time);
        let (truth_took, truth) = (truth.took, captured_causes(&truth.budget, survey.scale_known));
        assert_eq!((sum(&truth), sum(&claims.causes)), (truth_took, claims.took));
        let claims = claims.causes;
        for name in ["path", "loss", "receiver-window"] {
            let time = |causes: &[CapturedCause]| {
                causes.iter().find(|cause| cause.name == name).map_or(0.0, |cause| cause.time.as_secs_f64())
            };
            let (truth, claim) = (time(&truth) / took, time(&claims) / took);
            assert!((truth - claim).abs() < 0.15, "{number} {name}: {truth} in the run, {claim} in the capture");
        }
    }
}

/// The repetitions of a capture are the segments that tshark reports as such, under any of its names.
#[test]
fn repeated_segments_agree_with_tshark() {
    skip::need!("tshark");
    let (_, sender, _) = run(&build_network(&scenario("losses", UNSEEN + 1)));
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.pcapng");
    std::fs::write(&path, &sender).expect("written");
    let filter = "tcp.analysis.retransmission || tcp.analysis.fast_retransmission || tcp.analysis.spurious_retransmission \
                  || tcp.analysis.out_of_order";
    let output = Command::new("tshark").arg("-r").arg(&path).args(["-Y", filter]).output().expect("tshark runs");
    let theirs = String::from_utf8_lossy(&output.stdout).lines().count() as u64;
    let file = lab::captures::CaptureFile::open(&path).expect("a capture");
    let (explained, _) = file.explain(&[0], None, |_| sim::NullSink).expect("explained").remove(0);
    assert!(theirs > 0);
    assert_eq!(explained.counts.repeated, theirs);
}

/// Properties of a capture of a real host: Ethernet frames truncated to 66 bytes, and segments merged by the host.
#[test]
fn merged_and_cut_segments_are_split_by_the_mss() {
    let (_, sender, _) = run(&build_network(&scenario("spikes", UNSEEN + 1)));
    let (claims, survey) = explained(&sender, None);
    assert_eq!((survey.mss, survey.offloaded), (1000, false));
    let merged = merged(&sender);
    let (again, survey) = explained(&merged, None);
    assert_eq!((survey.mss, survey.offloaded), (1000, true));
    let kinds = |report: &CaptureReport| report.lost_time().kinds().iter().map(|total| total.kind).collect::<Vec<_>>();
    assert_eq!(kinds(&claims), kinds(&again));
    assert_eq!(claims.timeouts, again.timeouts);
}

/// Merges consecutive segments that the sender sent at the same time.
fn merged(file: &[u8]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &["node"]).expect("memory");
    let mut waiting: Option<(Time, wire::Segment)> = None;
    let mut write = |at: Time, segment: wire::Segment, from: End| {
        let [src, dst] = [from, from.other()].map(|end| wire::Addr::of_node(end.index()));
        let packet = wire::Packet::new(src, dst, wire::Body::Tcp(segment));
        writer.packet(0, at, Direction::Out, &packet).expect("memory");
    };
    for packet in Capture::open(file).expect("a capture") {
        let packet = packet.expect("a packet");
        let (segment, from) = (*packet.segment().expect("TCP"), packet.stream.expect("TCP").from);
        if let Some((at, first)) = &mut waiting
            && from == End::Client
            && *at == packet.at
            && segment.len > 0
            && first.seq + first.len == segment.seq
        {
            first.len += segment.len;
            continue;
        }
        if let Some((at, first)) = waiting.take() {
            write(at, first, End::Client);
        }
        if from == End::Client && segment.len > 0 {
            waiting = Some((packet.at, segment));
        } else {
            write(packet.at, segment, from);
        }
    }
    if let Some((at, first)) = waiting {
        write(at, first, End::Client);
    }
    writer.finish().expect("memory")
}
