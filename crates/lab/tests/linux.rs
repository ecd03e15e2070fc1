//! The simulated variants compared with Linux's TCP on the built-in paths of `lasthop compare`, and on the paths of
//! `linux/paths`. `linux/goodput.txt` is the goodput of Linux's TCP over `lasthop shell`, in real time, with its
//! acknowledgments in rows that were measured since they are counted; `cargo xtask linux` regenerates it.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use engine::Time;
use lab::compare::{self, paths};
use lab::load::{Overrides, open_from_disk};
use path::channel::ChannelConfig;
use sim::{ApplicationConfig, Event, Network, NodeEvent};
use stats::paired::Pairs;
use stats::{Interval, Level, Moments, Sample};
use testkit::record_events;
use wire::{Body, Flags};

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
    let file = folder().join(format!("paths/{path}.toml"));
    let source = if file.exists() {
        open_from_disk(&file, &overrides).unwrap()
    } else {
        let named = paths::select_paths(&[path.to_owned()]).unwrap();
        compare::open_path(&named[0], &overrides).unwrap()
    };
    source.resolve(&source.document).unwrap().network
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/linux")
}

/// Replications in the table with one seed.
const OF_SEED: u64 = 30;

/// Number of simulated transfers for each transfer of Linux.
const RUNS: u64 = 4;

/// Number of bytes of each Linux transfer.
const BYTES: u64 = 1_000_000;
/// Number of data bytes in each Linux segment.
const SEGMENT: u64 = 1448;

/// Goodput and acknowledgments of one or several transfers.
#[derive(Clone, Copy, Default)]
struct TransferFigures {
    /// Goodput in kbit/s, from the first packet to the last new data at the receiver.
    kbps: f64,
    /// Acknowledgments without data of both ends.
    acks: f64,
}

/// The mean of [`RUNS`] that begin at `began`, as in the table. Each transfer is one segment shorter than the previous one, so that the cost of dropping the last segment
/// does not depend on one size. Random losses differ between the runs.
fn simulate_transfers(network: &Network, number: u64, began: Time) -> TransferFigures {
    let has_fades = network.links.iter().any(|link| matches!(link.channel, ChannelConfig::TwoState(_)));
    let runs = (0..RUNS).map(|run| {
        let (seed, replication) = (1 + number / OF_SEED, number % OF_SEED);
        let replication = if has_fades { replication } else { replication + run * OF_SEED };
        let bytes = BYTES - run * SEGMENT;
        let mut network = Network { seed, replication, ..network.clone() };
        network.flows[0].start = began;
        network.flows[0].traffic = ApplicationConfig::bulk(Some(bytes));
        simulate_transfer(&network, bytes, began)
    });
    let sum = runs.fold(TransferFigures::default(), |sum, run: TransferFigures| TransferFigures {
        kbps: sum.kbps + run.kbps,
        acks: sum.acks + run.acks,
    });
    TransferFigures { kbps: sum.kbps / RUNS as f64, acks: sum.acks / RUNS as f64 }
}

fn simulate_transfer(network: &Network, expected: u64, began: Time) -> TransferFigures {
    let (_, events) = record_events(network);
    let (mut seen, mut bytes, mut last, mut acks) = (HashSet::new(), 0, began, 0_u32);
    for (at, event) in events {
        if let Event::Node { event: NodeEvent::Sent { packet }, .. } = &event
            && let Body::Tcp(segment) = &packet.body
        {
            let others = Flags::SYN | Flags::FIN | Flags::RST;
            acks += u32::from(segment.len == 0 && segment.flags.0 & others.0 == 0);
        }
        let Event::Node { event: NodeEvent::Received { packet }, of: Some(of), .. } = event else { continue };
        if let (Body::Tcp(segment), true, Some(seq)) = (&packet.body, of.from_sender, of.seq)
            && segment.len > 0
            && seen.insert(seq)
        {
            (bytes, last) = (bytes + u64::from(segment.len), at);
        }
    }
    assert_eq!(bytes, expected);
    TransferFigures { kbps: bytes as f64 * 8.0 / last.since(began).as_secs_f64() / 1e3, acks: acks.into() }
}

fn shown(sample: &Sample) -> String {
    let moments = sample.moments();
    let half = Interval::of_mean(&moments, Level::default()).unwrap().half_width();
    format!("{:.0} +- {half:.0}", moments.mean().unwrap())
}

/// A figure of the transfers of a row, of Linux and simulated.
#[derive(Default)]
struct Compared {
    theirs: Sample,
    ours: Sample,
    transfers: u64,
}

impl Compared {
    fn insert(&mut self, number: u64, theirs: &str, ours: f64) {
        self.theirs.insert(number, theirs.parse().unwrap()).unwrap();
        self.ours.insert(number, ours).unwrap();
        self.transfers += 1;
    }

    /// Adds a row to a table. The means may differ by `percent` and by the half-width of the difference. Returns the
    /// difference in percent.
    fn write_row(&self, table: &mut String, name: &str, percent: f64) -> f64 {
        let change = Pairs::of(&self.theirs, &self.ours).change_of_means(Level::default()).unwrap();
        let half = change.interval.unwrap().half_width();
        let [theirs, ours] = [&self.theirs, &self.ours].map(shown);
        *table += &format!("| {name} | {theirs} | {ours} | {:+.1} % +- {half:.1} |\n", change.percent);
        assert!(change.percent.abs() < percent + half, "{name}: {change:?}");
        change.percent
    }
}

/// Each transfer of Linux is compared with simulated transfers that begin at the same time of the same channel.
#[test]
fn goodput_agrees_with_linux_on_the_built_in_paths() {
    let folder = folder();
    let measured = fs::read_to_string(folder.join("goodput.txt")).unwrap();
    let mut table = "| path | control | Linux | simulated | difference |\n|---|---|---|---|---|\n".to_owned();
    let mut ack_table =
        "\n| path | control | acknowledgments, Linux | simulated | difference |\n|---|---|---|---|---|\n".to_owned();
    let ack_heading = ack_table.len();
    let mut changes = Vec::new();
    for line in measured.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let [path, control] = [(); 2].map(|()| words.next().unwrap());
        let network = network(path, if control == "cubic" { "linux" } else { "linux-reno" });
        let (mut goodputs, mut acks) = (Compared::default(), Compared::default());
        for (number, word) in (0..).zip(words) {
            let mut figures = word.split(':');
            let began = figures.next().unwrap().replace('.', "");
            let began = Time::from_millis(began.parse().unwrap());
            let ours = simulate_transfers(&network, number, began);
            goodputs.insert(number, figures.next().unwrap(), ours.kbps);
            if let Some(theirs) = figures.next() {
                acks.insert(number, theirs, ours.acks);
            }
        }
        let name = format!("{path} | {control}");
        let percent = goodputs.write_row(&mut table, &name, 5.0);
        if paths::select_paths(&[path.to_owned()]).is_ok() {
            changes.push(percent);
        }
        if acks.transfers > 0 {
            acks.write_row(&mut ack_table, &name, 2.0);
        }
    }
    assert_eq!(changes.len(), 30);
    let all = Interval::of_mean(&Moments::of(changes).unwrap(), Level::default()).unwrap();
    assert!(all.low > -5.0 && all.high < 5.0, "{all:?}");
    table += &format!("\nMean of the differences: {:+.1} % +- {:.1}\n", all.centre(), all.half_width());
    if ack_table.len() > ack_heading {
        table += &ack_table;
    }
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
