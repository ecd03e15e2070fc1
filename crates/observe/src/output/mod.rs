//! The traces of a run. Every trace reads the same stream of events; unselected traces cost nothing.

mod air;
mod columns;
mod contention;
mod describe;
mod event_trace;
mod fcts;
mod file;
mod jsonl;
mod layout;
mod monitor;
mod names;
mod parquet;
mod pcapng;
mod record;
pub mod series;
pub mod table;

use std::collections::{HashMap, HashSet};
use std::io;
use std::rc::Rc;

use engine::{Span, Time};
use path::LinkEvent;
use sim::{Event, Network, Sink, World};

pub use file::TraceFiles;
use file::{FileError, NamedFile, TraceFile};
use layout::{TIME_MS, TraceFileNames};
pub use layout::{TraceColumn, TraceLayout, TraceValueKind};
use scenario::problem::Problem;
use scenario::traces::Trace;
use scenario::{EventKinds, model};

/// The constructor of a trace.
type Open = fn(&Stage<'_>) -> Box<dyn Output>;

/// A trace of [`scenario::traces::TRACES`].
struct TraceEntry {
    name: &'static str,
    open: Open,
    files: TraceFileNames,
    layout: TraceLayout,
}

/// A time and a value on each line.
const fn declare_pairs(name: &'static str, open: Open, files: TraceFileNames, value: TraceColumn) -> TraceEntry {
    TraceEntry { name, open, files, layout: TraceLayout::Pairs([TIME_MS, value]) }
}

/// Every trace.
const TRACES: &[TraceEntry] = &[
    declare_pairs("seqno", columns::open_seqno_trace, TraceFileNames::End("-seqno"), columns::SEQNO),
    declare_pairs("ackno", columns::open_ackno_trace, TraceFileNames::End("-ackno"), columns::ACKNO),
    declare_pairs(
        "congestion",
        columns::open_congestion_trace,
        TraceFileNames::End("-congestion"),
        columns::CONGESTION,
    ),
    declare_pairs("threshold", columns::open_threshold_trace, TraceFileNames::End("-threshold"), columns::THRESHOLD),
    declare_pairs("swnd_size", columns::open_swnd_size_trace, TraceFileNames::End("-swnd_size"), columns::SWND_SIZE),
    declare_pairs(
        "router_pkt_arrival",
        columns::open_router_pkt_arrival_trace,
        TraceFileNames::End("-router_pkt_arrival"),
        columns::ROUTER_PKT_ARRIVAL,
    ),
    declare_pairs(
        "wless_state",
        columns::open_wless_state_trace,
        TraceFileNames::Begin("wless_state-"),
        columns::WLESS_STATE,
    ),
    TraceEntry {
        name: "fcts",
        open: fcts::open_fcts_trace,
        files: TraceFileNames::Whole("fcts.csv"),
        layout: TraceLayout::Csv(&fcts::COLUMNS),
    },
    TraceEntry {
        name: "series",
        open: series::open_series,
        files: TraceFileNames::Whole("series.csv"),
        layout: TraceLayout::Csv(&series::COLUMNS),
    },
    declare_pairs(
        "contention",
        contention::open_contention_trace,
        TraceFileNames::End("-contention"),
        contention::WINDOW,
    ),
    declare_pairs("air", air::open_air_trace, TraceFileNames::WholeOrEnd("trace.dat"), air::STATE),
    TraceEntry {
        name: "events",
        open: event_trace::open_event_trace,
        files: TraceFileNames::Whole("event-trace.txt"),
        layout: TraceLayout::None,
    },
    TraceEntry {
        name: "jsonl",
        open: jsonl::open_jsonl_trace,
        files: TraceFileNames::Whole("events.jsonl"),
        layout: TraceLayout::None,
    },
    TraceEntry {
        name: "parquet",
        open: parquet::open_parquet_trace,
        files: TraceFileNames::End(".parquet"),
        layout: TraceLayout::None,
    },
    TraceEntry {
        name: "pcapng",
        open: pcapng::open_captures,
        files: TraceFileNames::End(".pcapng"),
        layout: TraceLayout::None,
    },
];

/// Returns whether a file with this name can belong to one of the traces above. Earlier versions used the same names.
pub fn is_file_name(name: &str) -> bool {
    TRACES.iter().any(|entry| entry.files.fits(name))
}

/// The layout of a trace's file, by its name.
pub fn find_trace_layout(file: &str) -> TraceLayout {
    // The beginning of a name is compared before the end: the file of a link ends with the name of a node.
    let begins = |entry: &&TraceEntry| matches!(entry.files, TraceFileNames::Begin(_)) && entry.files.fits(file);
    let entry = TRACES.iter().find(begins).or_else(|| TRACES.iter().find(|entry| entry.files.fits(file)));
    entry.map_or(TraceLayout::None, |entry| entry.layout)
}

/// Returns the constructor of a trace.
fn find_opener(trace: &Trace) -> Option<Open> {
    TRACES.iter().find(|entry| entry.name == trace.name).map(|entry| entry.open)
}

/// Name of printed traces in errors, instead of a file name.
pub const PRINTER: &str = "standard output";

/// Parts of the run available to traces.
struct Stage<'a> {
    network: &'a Network,
    files: Rc<dyn TraceFiles>,
    event_kinds: EventKinds,
    series_interval: Span,
}

/// Outputs to which traces are printed during the run, in addition to files.
#[derive(Default)]
pub struct Printers {
    /// The event trace.
    pub events: Option<Box<dyn io::Write>>,
    /// The progress of the flows in each interval.
    pub series: Option<Box<dyn io::Write>>,
}

impl Stage<'_> {
    /// Creates a file called `name`. `about` is the subject of the file, such as `node "server"`.
    fn file(&self, name: String, about: String) -> TraceFile {
        TraceFile::new(NamedFile { name, about }, Rc::clone(&self.files))
    }

    /// The stems of the names of flows' files, by flow: the sender's node, followed by the flow if the node sends
    /// several. If two stems are equal, the flows' names are used alone.
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

/// A trace in progress.
trait Output {
    /// Handles an event.
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()>;
    /// Whether the trace needs the state of nodes at each print interval.
    fn prints_state(&self) -> bool {
        false
    }
    /// Called after each print interval: `world` has the state of nodes at `at`, before any event at that time.
    fn state(&mut self, _at: Time, _world: &World) -> io::Result<()> {
        Ok(())
    }
    /// The run ended at `at`; all output must be on disk when this returns.
    fn finish(&mut self, at: Time) -> io::Result<()>;
    /// The files it writes.
    fn files(&self) -> Vec<NamedFile>;
}

/// Splits an error into the name of its file and its cause.
fn split_file_error(error: io::Error) -> (String, io::Error) {
    match error.downcast::<FileError>() {
        Ok(FileError { name, source }) => (name, source),
        Err(error) => (String::new(), error),
    }
}

/// All traces of one run.
pub struct Outputs {
    outputs: Vec<Box<dyn Output>>,
    print_interval: Option<Span>,
    failed: Option<(String, io::Error)>,
}

impl Outputs {
    /// Opens the selected traces in `files` with these `settings`, and the printed traces.
    pub fn open(
        chosen: &[&Trace],
        network: &Network,
        files: Rc<dyn TraceFiles>,
        settings: &model::Output,
        printers: Printers,
    ) -> Self {
        // The list was checked with the scenario.
        let event_kinds = EventKinds::select(&settings.events).unwrap_or_default();
        let series_interval = settings.series_interval.unwrap_or(series::DEFAULT_INTERVAL);
        let stage = Stage { network, files, event_kinds, series_interval };
        let mut outputs: Vec<Box<dyn Output>> =
            chosen.iter().filter_map(|trace| find_opener(trace)).map(|open| open(&stage)).collect();
        outputs.extend(printers.events.map(|printer| event_trace::print_event_trace(&stage, printer)));
        outputs.extend(printers.series.map(|printer| series::print_series(&stage, printer)));
        let prints = outputs.iter().any(|output| output.prints_state());
        Outputs { outputs, print_interval: settings.print_interval.filter(|_| prints), failed: None }
    }

    /// The interval at which the traces need the state of nodes.
    pub fn print_interval(&self) -> Option<Span> {
        self.print_interval
    }

    /// Passes the state of nodes at `at` to the traces.
    pub fn state(&mut self, at: Time, world: &World) {
        for output in &mut self.outputs {
            if self.failed.is_none()
                && let Err(error) = output.state(at, world)
            {
                self.failed = Some(split_file_error(error));
            }
        }
    }

    /// Names of all written files.
    pub fn file_names(&self) -> impl Iterator<Item = String> {
        let files = self.outputs.iter().flat_map(|output| output.files());
        files.map(|file| file.name)
    }

    /// Finds two traces with the same file, such as one of a node and one of a link. File names are joined from several
    /// names, so that this can happen.
    pub fn clash(&self) -> Option<Problem> {
        let mut known: HashMap<String, String> = HashMap::new();
        for NamedFile { name, about } in self.outputs.iter().flat_map(|output| output.files()) {
            if let Some(other) = known.insert(name.clone(), about.clone()) {
                let problem = Problem::new(format!("two traces have the file {name}: {other}, and {about}"));
                return Some(
                    problem
                        .in_file("--trace")
                        .hint("give the node or the link another name, or leave out one of the traces"),
                );
            }
        }
        None
    }

    /// Whether no trace is selected.
    pub fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }

    /// Whether a file could not be written, so that the run should stop.
    pub fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Ends every trace; returns the first file that could not be written, and the error.
    pub fn finish(mut self, at: Time) -> Result<(), (String, io::Error)> {
        if let Some(failure) = self.failed {
            return Err(failure);
        }
        for output in &mut self.outputs {
            output.finish(at).map_err(split_file_error)?;
        }
        Ok(())
    }
}

impl Outputs {
    /// Passes an event to all outputs, until one has failed.
    fn write(&mut self, at: Time, event: &Event) {
        if self.failed.is_none() {
            self.failed =
                self.outputs.iter_mut().find_map(|output| output.event(at, event).err()).map(split_file_error);
        }
    }
}

impl Sink for Outputs {
    const ACTIVE: bool = true;
    #[inline]
    fn event(&mut self, at: Time, event: &Event) {
        // The departure from a queue gives the time at which the packet joined it.
        let joins = matches!(event, Event::Link { event: LinkEvent::Joined { .. }, .. });
        if !self.outputs.is_empty() && !joins {
            self.write(at, event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_trace_can_be_opened() {
        let names: Vec<&str> = scenario::traces::TRACES.iter().map(|trace| trace.name).collect();
        assert_eq!(TRACES.iter().map(|entry| entry.name).collect::<Vec<_>>(), names);
    }

    #[test]
    fn layouts_are_found_by_the_names_of_files() {
        let second = |file: &str| match find_trace_layout(file) {
            TraceLayout::Pairs([_, value]) => value.name,
            _ => "",
        };
        for (file, expected) in [
            ("server-congestion", "congestion"),
            ("wless_state-a-seqno", "state"),
            ("radio-trace.dat", "state"),
            ("trace.dat", "state"),
            ("cell.mobile-contention", "contention"),
            ("mytrace.dat", ""),
            ("events.jsonl", ""),
        ] {
            assert_eq!(second(file), expected, "{file}");
        }
        assert!(matches!(find_trace_layout("series.csv"), TraceLayout::Csv(columns) if columns[0].name == "from_s"));
    }
}
