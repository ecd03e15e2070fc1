//! Results of real hosts, by `lasthop shell` and `lasthop emulate`: their captures, and the role of each node.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use lab::captures::{CaptureFile, is_capture};
use lab::load::{Overrides, load_from_disk};
use lab::result_dir::{COMPARISON, EMULATION};
use scenario::problem::Problem;
use serde_json::Value;

use super::super::{format_count, format_path, format_problems};
use crate::CommandFailure;

/// Returns the captures of the real hosts in a result of `lasthop shell`, beginning with that of the command's node;
/// empty for any other file.
pub fn find_host_captures(dir: &Path) -> Vec<PathBuf> {
    let captures = list_host_nodes(dir).into_iter().map(|node| dir.join(format!("{node}.pcapng")));
    captures.filter(|path| is_capture(path)).collect()
}

/// The names of the real hosts in a result, beginning with the command's node.
fn list_host_nodes(dir: &Path) -> Vec<String> {
    let report = read_emulation_report(dir);
    let nodes = report["nodes"].as_array().into_iter().flatten();
    nodes.filter_map(|node| Some(node["node"].as_str()?.to_owned())).collect()
}

/// Schemes of the nodes in a result, without duplicates.
pub fn schemes_of(dir: &Path) -> Vec<String> {
    let Ok(loaded) = load_from_disk(dir, &Overrides::default()) else { return Vec::new() };
    let names = loaded.network.nodes.iter().map(|node| node.agent.name()).filter(|name| *name != "unmodified");
    names.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Whether a scheme split the connections of a result of real hosts: most packets were built by the scheme on the path,
/// and the two ends have no connection with each other.
pub fn is_split(dir: &Path) -> bool {
    let packets = &read_emulation_report(dir)["packets"];
    let are_most_made = packets["rebuilt"].as_u64().unwrap_or(0) > packets["verbatim"].as_u64().unwrap_or(0);
    are_most_made && !schemes_of(dir).is_empty()
}

/// The congestion control of the machine that wrote a result.
pub fn congestion_control(dir: &Path) -> Option<String> {
    let report = read_emulation_report(dir);
    report["congestion_control"].as_str().filter(|name| !name.is_empty()).map(str::to_owned)
}

/// The report of a result of real hosts; null of another file.
fn read_emulation_report(dir: &Path) -> Value {
    let text = fs::read_to_string(dir.join(EMULATION)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Maximum number of runs of a comparison that a message lists.
const MAX_NAMED: usize = 12;

/// Refuses the directory of a comparison with real hosts, or of one of its schemes: it has several runs.
///
/// # Errors
/// The directory is one; the message names its runs.
pub fn refuse_comparison(dir: &Path) -> Result<(), CommandFailure> {
    let is_comparison = |dir: &Path| dir.join(COMPARISON).is_file();
    // A path such as `.` has no parent.
    let parent = dir.canonicalize().ok().and_then(|dir| Some(dir.parent()?.to_owned()));
    let is_below = parent.is_some_and(|parent| is_comparison(&parent));
    if !dir.is_dir() || dir.join(EMULATION).is_file() || !(is_comparison(dir) || is_below) {
        return Ok(());
    }
    let below = |dir: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
    };
    let of_scheme = |scheme: PathBuf| below(&scheme);
    let all = if is_comparison(dir) { below(dir).into_iter().flat_map(of_scheme).collect() } else { below(dir) };
    let mut runs: Vec<PathBuf> = all.into_iter().filter(|run| run.join(EMULATION).is_file()).collect();
    if runs.is_empty() {
        // A file of this name may have any other origin.
        return Ok(());
    }
    runs.sort();
    let found = format!("a comparison with {}", format_count(runs.len(), "run"));
    let problem = Problem::new("one run with real hosts").in_file(format_path(dir)).found(found);
    let names: Vec<String> = runs.iter().take(MAX_NAMED).map(|run| format_path(run)).collect();
    let more = if runs.len() > MAX_NAMED { ", ..." } else { "" };
    let problem = problem.hint(format!("name one of the runs: {}{more}", names.join(", ")));
    Err(CommandFailure::Input(format_problems(&[problem])))
}

/// The direction of a connection's data in a result of real hosts.
#[derive(Debug)]
pub struct DataDirection {
    /// The node that sends the data of the connection, and the receiving node.
    pub nodes: [String; 2],
    /// Bytes of data sent by each node in the connection, retransmissions included.
    pub bytes: [u64; 2],
    /// Whether the sender is the wireless host.
    pub is_upload: bool,
    /// Whether the scenario identifies the wireless host: exactly one of the two has a wireless link. Otherwise the
    /// command's node is assumed to be the wireless host.
    pub is_known: bool,
}

impl DataDirection {
    /// Returns the direction of connection `number` in the capture of the command's node. `other` is the capture of the
    /// other end. `None` if the capture does not mark the packets that left the node.
    pub fn of(dir: &Path, here: &CaptureFile, other: Option<&CaptureFile>, number: u32) -> Option<Self> {
        let stream = here.streams.get(number as usize)?;
        let host = stream.host?;
        let [sent, received] = [host, host.other()].map(|end| stream.bytes[end.index()]);
        let name = name_capture_node(here);
        let others = || list_host_nodes(dir).into_iter().filter(|node| *node != name);
        let only = || others().next().filter(|_| others().count() == 1);
        let other = other.map(name_capture_node).or_else(only).unwrap_or_else(|| "the other end".to_owned());
        let [here_wireless, there_wireless] = [&name, &other].map(|node| has_wireless_link(dir, node));
        let is_known = here_wireless != there_wireless;
        let here_is_mobile = here_wireless || !is_known;
        Some(if sent >= received {
            DataDirection { nodes: [name, other], bytes: [sent, received], is_upload: here_is_mobile, is_known }
        } else {
            DataDirection { nodes: [other, name], bytes: [received, sent], is_upload: !here_is_mobile, is_known }
        })
    }
}

impl fmt::Display for DataDirection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DataDirection { nodes: [from, to], bytes: [sent, received], is_upload, is_known } = self;
        write!(
            f,
            "note: {from} sent {sent} bytes and {to} {received}: fitted as {}",
            if *is_upload { "an upload" } else { "a download" }
        )?;
        if *is_known {
            return Ok(());
        }
        let mobile = if *is_upload { from } else { to };
        write!(f, ", with {mobile} as the wireless host; --sender server or mobile changes it")
    }
}

/// The node of a capture in a result.
fn name_capture_node(file: &CaptureFile) -> String {
    file.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Whether a node of the scenario of a result has a wireless link.
fn has_wireless_link(dir: &Path, name: &str) -> bool {
    let Ok(loaded) = load_from_disk(dir, &Overrides::default()) else { return false };
    let network = &loaded.network;
    let is_at = |node: usize| network.nodes.get(node).is_some_and(|node| node.name == name);
    network.links.iter().any(|link| link.wireless && link.between.into_iter().any(is_at))
}
