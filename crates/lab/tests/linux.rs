//! The simulated variants compared with Linux's TCP on the built-in paths of `lasthop compare`. `linux/goodput.txt` is
//! the goodput of Linux's TCP over `lasthop shell`, in real time; `cargo xtask linux` regenerates it.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use engine::Time;
use lab::compare::{self, paths};
use lab::load::Overrides;
use path::channel::ChannelConfig;
use sim::{ApplicationConfig, Event, Network, NodeEvent};
use stats::paired::Pairs;
use stats::{Interval, Level, Moments, Sample};
use testkit::record_events;
use wire::Body;

/// Returns the network of a path with a variant: a handshake, segments of 1448 bytes with timestamps as Linux sends
/// them, and a receive window that does not limit the sender.
fn network(path: &str, variant: &str) -> Network {
    let flow = if path.ends_with("upload") { "upload" } else { "download" };
    let set = [
        format!("flows.{flow}.mss=\"1460 B\""),
        format!("flows.{flow}.receive_window=\"autotuned\""),
        format!("flows.{flow}.tcp.handshake=true"),
        format!("flows.{flow}.tcp.variant=\"{variant}\""),
        "duration=\"1000 s\"".to_owned(),
    ];
    let overrides = Overrides { set: set.to_vec(), ..Overrides::default() };
    let named = paths::select_paths(&[path.to_owned()]).unwrap();
    let source = compare::open_path(&named[0], &overrides).unwrap();
    source.resolve(&source.document).unwrap().network
}

/// Replications in the table with one seed.
const OF_SEED: u64 = 30;

/// Number of simulated transfers for each transfer of Linux.
const RUNS: u64 = 4;

/// Number of bytes of each Linux transfer.
const BYTES: u64 = 1_000_000;
/// Number of data bytes in each Linux segment.
const SEGMENT: u64 = 1448;

/// The mean of [`RUNS`] in kbit/s, from the first packet, at `began`, to the last new data at the receiver, as in the
/// table. Each transfer is one segment shorter than the previous one, so that the cost of dropping the last segment
/// does not depend on one size. Random losses differ between the runs.
fn goodput(network: &Network, number: u64, began: Time) -> f64 {
    let has_fades = network.links.iter().any(|link| matches!(link.channel, ChannelConfig::TwoState(_)));
    let runs = (0..RUNS).map(|run| {
        let (seed, replication) = (1 + number / OF_SEED, number % OF_SEED);
        let replication = if has_fades { replication } else { replication + run * OF_SEED };
        let bytes = BYTES - run * SEGMENT;
        let mut network = Network { seed, replication, ..network.clone() };
        network.flows[0].start = began;
        network.flows[0].traffic = ApplicationConfig::bulk(Some(bytes));
        of_run(&network, bytes, began)
    });
    runs.sum::<f64>() / RUNS as f64
}

fn of_run(network: &Network, expected: u64, began: Time) -> f64 {
    let (_, events) = record_events(network);
    let (mut seen, mut bytes, mut last) = (HashSet::new(), 0, began);
    for (at, event) in events {
        let Event::Node { event: NodeEvent::Received { packet }, of: Some(of), .. } = event else { continue };
        if let (Body::Tcp(segment), true, Some(seq)) = (&packet.body, of.from_sender, of.seq)
            && segment.len > 0
            && seen.insert(seq)
        {
            (bytes, last) = (bytes + u64::from(segment.len), at);
        }
    }
    assert_eq!(bytes, expected);
    bytes as f64 * 8.0 / last.since(began).as_secs_f64() / 1e3
}

fn shown(sample: &Sample) -> String {
    let moments = sample.moments();
    let half = Interval::of_mean(&moments, Level::default()).unwrap().half_width();
    format!("{:.0} +- {half:.0}", moments.mean().unwrap())
}

/// Each transfer of Linux is compared with simulated transfers that begin at the same time of the same channel.
#[test]
fn goodput_agrees_with_linux_on_the_built_in_paths() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/linux");
    let measured = fs::read_to_string(folder.join("goodput.txt")).unwrap();
    let mut table = "| path | control | Linux | simulated | difference |\n|---|---|---|---|---|\n".to_owned();
    let mut changes = Vec::new();
    for line in measured.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let [path, control] = [(); 2].map(|()| words.next().unwrap());
        let network = network(path, if control == "cubic" { "linux" } else { "linux-reno" });
        let (mut theirs, mut ours) = (Sample::default(), Sample::default());
        for (number, word) in (0..).zip(words) {
            let (began, kbps) = word.split_once(':').unwrap();
            let began = Time::from_millis(began.replace('.', "").parse().unwrap());
            theirs.insert(number, kbps.parse().unwrap()).unwrap();
            ours.insert(number, goodput(&network, number, began)).unwrap();
        }
        let change = Pairs::of(&theirs, &ours).change_of_means(Level::default()).unwrap();
        let half = change.interval.unwrap().half_width();
        table += &format!(
            "| {path} | {control} | {} | {} | {:+.1} % +- {half:.1} |\n",
            shown(&theirs),
            shown(&ours),
            change.percent,
        );
        assert!(change.percent.abs() < 5.0 + half, "{path} {control}: {change:?}");
        changes.push(change.percent);
    }
    assert_eq!(changes.len(), 30);
    let all = Interval::of_mean(&Moments::of(changes).unwrap(), Level::default()).unwrap();
    assert!(all.low > -5.0 && all.high < 5.0, "{all:?}");
    table += &format!("\nMean of the differences: {:+.1} % +- {:.1}\n", all.centre(), all.half_width());
    let file = folder.join("agreement.md");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, &table).unwrap();
    }
    let kept = fs::read_to_string(&file).unwrap();
    assert_eq!(kept, table, "{}: another agreement; UPDATE_GOLDEN=1 rewrites it", file.display());
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/models/agreement-linux.md");
    let page = fs::read_to_string(page).unwrap();
    let missing = table.lines().find(|line| line.starts_with('|') && !page.contains(line));
    assert_eq!(missing, None, "docs/models/agreement-linux.md has another table");
}
