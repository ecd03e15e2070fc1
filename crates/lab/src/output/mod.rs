//! What a run writes. Every trace is fed by the one stream of events; one that is not asked for costs nothing.

mod air;
mod columns;
mod contention;
mod event_kinds;
mod event_trace;
mod file;
mod jsonl;
mod monitor;
mod pcapng;
pub mod summary;
mod summary_of_media;

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use engine::{Span, Time};
use sim::{Event, Network, Sink, World};

use crate::problem::Problem;
use crate::scenario::model;
pub use event_kinds::{EVENT_KINDS, EventKinds};
use file::{FileError, NamedFile};

/// A trace that can be asked for.
pub struct Trace {
    /// Its name in `--trace` and `output.traces`.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    open: fn(&Stage<'_>) -> Box<dyn Output>,
}

/// Every trace.
pub const TRACES: &[Trace] = &[
    Trace { name: "seqno", summary: "<node>-seqno: first byte of each segment sent (ms, bytes)", open: columns::seqno },
    Trace {
        name: "ackno",
        summary: "<node>-ackno: acknowledgments received by the source (ms, bytes)",
        open: columns::ackno,
    },
    Trace {
        name: "congestion",
        summary: "<node>-congestion: congestion window (ms, bytes)",
        open: columns::congestion,
    },
    Trace {
        name: "threshold",
        summary: "<node>-threshold: slow start threshold (ms, bytes)",
        open: columns::threshold,
    },
    Trace {
        name: "swnd_size",
        summary: "<node>-swnd_size: unacknowledged data at the source (ms, bytes)",
        open: columns::swnd_size,
    },
    Trace {
        name: "router_pkt_arrival",
        summary: "<node>-router_pkt_arrival: first byte of each data packet that comes to a router (ms, bytes)",
        open: columns::router_pkt_arrival,
    },
    Trace {
        name: "wless_state",
        summary: "wless_state-<node>-<node>: the air of a wireless link (ms, 1 GOOD or 0 BAD)",
        open: columns::wless_state,
    },
    Trace {
        name: "contention",
        summary: "<medium>.<node>-contention: contention window at each back-off (ms, slots)",
        open: contention::open,
    },
    Trace {
        name: "air",
        summary: "trace.dat: when the air switched (ms GOOD|BAD), for a channel of kind \"recorded\"",
        open: air::open,
    },
    Trace {
        name: "events",
        summary: "event-trace.txt: corruptions, losses, retransmissions as in appendix B.4",
        open: event_trace::open,
    },
    Trace { name: "jsonl", summary: "events.jsonl: every event, one JSON object a line", open: jsonl::open },
    Trace {
        name: "pcapng",
        summary: "<node>.pcapng: packets as a capture at each node, <medium>.air.pcapng: frames in the air, for tshark and \
                  Wireshark",
        open: pcapng::open,
    },
];

/// Every name that [`select`] takes.
pub fn names() -> impl Iterator<Item = &'static str> {
    TRACES.iter().map(|trace| trace.name).chain(["all", "none"])
}

/// Traces by name: `all`, `none`, or a list.
pub fn select(list: &[String]) -> Result<Vec<&'static Trace>, Problem> {
    if list.len() > 1 && list.iter().any(|name| name == "none") {
        return Err(Problem::new("`none` alone, or traces without it").found(list.join(",")));
    }
    let unknown = |name: &str| Problem::new("a trace").found(format!("\"{name}\"")).nearest(name, names());
    let mut chosen: Vec<&'static Trace> = Vec::new();
    for name in list {
        match name.as_str() {
            "none" => {}
            "all" => chosen.extend(TRACES),
            name => chosen.push(TRACES.iter().find(|trace| trace.name == name).ok_or_else(|| unknown(name))?),
        }
    }
    // In the order of the table, each once.
    Ok(TRACES.iter().filter(|trace| chosen.iter().any(|other| other.name == trace.name)).collect())
}

/// Whether a trace's file can have this name. Of the traces above; those of earlier versions had the same.
pub(crate) fn is_file_name(name: &str) -> bool {
    let begins = ["wless_state-"];
    let whole = ["event-trace.txt", "events.jsonl", "trace.dat"];
    let ends = [
        "-seqno",
        "-ackno",
        "-congestion",
        "-threshold",
        "-swnd_size",
        "-router_pkt_arrival",
        "-contention",
        "-trace.dat",
        ".pcapng",
    ];
    whole.contains(&name)
        || begins.iter().any(|begin| name.starts_with(begin))
        || ends.iter().any(|end| name.ends_with(end))
}

/// What an output may know of the run it writes about.
struct Stage<'a> {
    network: &'a Network,
    dir: &'a Path,
    event_kinds: EventKinds,
}

impl Stage<'_> {
    /// The stems of the files about flows' senders, by flow: the node's name, with the flow's where the node sends
    /// several. Should two stems be equal all the same, the flows' names alone.
    fn sender_stems(&self) -> Vec<String> {
        let flows = &self.network.flows;
        let mut sends = vec![0u32; self.network.nodes.len()];
        flows.iter().for_each(|flow| sends[flow.from] += 1);
        let stem = |flow: &sim::FlowSpec| {
            let node = self.node(flow.from);
            if sends[flow.from] == 1 { node.to_owned() } else { format!("{node}-{}", flow.name) }
        };
        let stems: Vec<String> = flows.iter().map(stem).collect();
        let different: HashSet<&String> = stems.iter().collect();
        if different.len() == stems.len() { stems } else { flows.iter().map(|flow| flow.name.clone()).collect() }
    }

    fn node(&self, number: usize) -> &str {
        &self.network.nodes[number].name
    }
}

/// One trace being written.
trait Output {
    /// Something happened.
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()>;
    /// Whether it wants to be told what nodes hold, when a print interval has passed.
    fn prints_state(&self) -> bool {
        false
    }
    /// A print interval has passed: `world` shows what nodes hold at `at`, before anything that happens then.
    fn state(&mut self, _at: Time, _world: &World) -> io::Result<()> {
        Ok(())
    }
    /// The run ended at `at`; everything must be on disk when this returns.
    fn finish(&mut self, at: Time) -> io::Result<()>;
    /// The files it writes.
    fn files(&self) -> Vec<NamedFile>;
}

/// The file an error is about, and the error itself.
fn culprit(error: io::Error) -> (PathBuf, io::Error) {
    match error.downcast::<FileError>() {
        Ok(FileError { path, source }) => (path, source),
        Err(error) => (PathBuf::new(), error),
    }
}

/// All traces of one run.
pub struct Outputs {
    outputs: Vec<Box<dyn Output>>,
    print_interval: Option<Span>,
    failed: Option<(PathBuf, io::Error)>,
}

impl Outputs {
    /// Opens the chosen traces in `dir`, as `settings` want them, and the event trace on `printer`, if there is one.
    pub fn open(
        chosen: &[&Trace],
        network: &Network,
        dir: &Path,
        settings: &model::Output,
        printer: Option<Box<dyn io::Write>>,
    ) -> Self {
        // The list has been checked with the scenario.
        let event_kinds = EventKinds::select(&settings.events).unwrap_or_default();
        let stage = Stage { network, dir, event_kinds };
        let mut outputs: Vec<Box<dyn Output>> = chosen.iter().map(|trace| (trace.open)(&stage)).collect();
        outputs.extend(printer.map(|printer| event_trace::print(&stage, printer)));
        let prints = outputs.iter().any(|output| output.prints_state());
        Outputs { outputs, print_interval: settings.print_interval.filter(|_| prints), failed: None }
    }

    /// How often the traces want to be told what nodes hold.
    pub fn print_interval(&self) -> Option<Span> {
        self.print_interval
    }

    /// Tells the traces what nodes hold at `at`.
    pub fn state(&mut self, at: Time, world: &World) {
        for output in &mut self.outputs {
            if self.failed.is_none()
                && let Err(error) = output.state(at, world)
            {
                self.failed = Some(culprit(error));
            }
        }
    }

    /// The names of all files that are written.
    pub fn file_names(&self) -> impl Iterator<Item = String> {
        let files = self.outputs.iter().flat_map(|output| output.files());
        files.filter_map(|file| Some(file.path.file_name()?.to_string_lossy().into_owned()))
    }

    /// Two traces that would be written to one file, as one of a node and one of a link can: names are joined to make
    /// names of files.
    pub fn clash(&self) -> Option<Problem> {
        let mut known: HashMap<PathBuf, String> = HashMap::new();
        for NamedFile { path, about } in self.outputs.iter().flat_map(|output| output.files()) {
            if let Some(other) = known.insert(path.clone(), about.clone()) {
                let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let problem = Problem::new(format!("two traces have the file {file}: {other}, and {about}"));
                return Some(
                    problem
                        .in_file("--trace")
                        .hint("give the node or the link another name, or leave out one of the traces"),
                );
            }
        }
        None
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }

    /// Whether a file could not be written: there is no point in going on.
    pub fn failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Ends every trace; gives the file that could not be written, and why.
    pub fn finish(mut self, at: Time) -> Result<(), (PathBuf, io::Error)> {
        if let Some(failure) = self.failed {
            return Err(failure);
        }
        for output in &mut self.outputs {
            output.finish(at).map_err(culprit)?;
        }
        Ok(())
    }
}

impl Sink for Outputs {
    const ACTIVE: bool = true;
    fn event(&mut self, at: Time, event: &Event) {
        if self.failed.is_some() {
            return;
        }
        for output in &mut self.outputs {
            if let Err(error) = output.event(at, event) {
                self.failed = Some(culprit(error));
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{Overrides, load};

    /// Of all traces of an example with routers, and of one with a medium.
    #[test]
    fn every_file_of_a_trace_is_recognized_by_its_name() {
        for example in ["goel1997-appendix-b.toml", "two-losses.toml", "hidden-terminals.toml", "two-hops.toml"] {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example);
            let Ok(loaded) = load(&file, &Overrides::default()) else { panic!("{example} is there") };
            let all: Vec<&Trace> = TRACES.iter().collect();
            let outputs = Outputs::open(&all, &loaded.network, Path::new("r"), &loaded.scenario.output, None);
            let names: Vec<String> = outputs.file_names().collect();
            assert!(names.len() > 4, "{names:?}");
            assert!(names.iter().all(|name| is_file_name(name)), "{names:?}");
        }
        assert!(["thesis.tex", "keep", "notes.txt", "plots"].iter().all(|name| !is_file_name(name)));
    }
}
