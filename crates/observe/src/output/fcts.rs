//! The table of the flows that arrived during the run.

use std::collections::HashMap;
use std::io::{self, Write};

use engine::{IdVec, Span, Time};
use sim::{ArrivalsId, Event, FlowId, ShortFlow};

use super::file::{NamedFile, TraceFile};
use super::layout::{TraceColumn, TraceValueKind, join_column_names};
use super::{Output, Stage};

pub(super) const COLUMNS: [TraceColumn; 6] = [
    TraceColumn::new("arrivals", "", TraceValueKind::Text, "The arrival process of the flow"),
    TraceColumn::new("start_s", "s", TraceValueKind::Number, "Start of the flow"),
    TraceColumn::new("bytes", "B", TraceValueKind::Integer, "Size of the flow"),
    TraceColumn::new(
        "completion_time_s",
        "s",
        TraceValueKind::Number,
        "From the start to the completion; missing without one",
    ),
    TraceColumn::new("ideal_s", "s", TraceValueKind::Number, "Completion time on an idle path without losses"),
    TraceColumn::new("slowdown", "", TraceValueKind::Number, "Completion time divided by the ideal one"),
];

struct Fcts {
    file: TraceFile,
    /// The names of the arrival processes.
    processes: IdVec<ArrivalsId, String>,
    /// Flows that are not complete.
    open: HashMap<FlowId, ShortFlow>,
}

pub(super) fn open_fcts_trace(stage: &Stage<'_>) -> Box<dyn Output> {
    let mut file = stage.file("fcts.csv".to_owned(), "flows that arrived".to_owned());
    // Writing a line to memory cannot fail.
    let _ = writeln!(file, "{}", join_column_names(&COLUMNS));
    let processes = stage.network.arrivals.iter().map(|spec| spec.name.clone()).collect();
    Box::new(Fcts { file, processes, open: HashMap::new() })
}

impl Fcts {
    /// Returns the line of a flow. The line has no completion time if the flow did not complete.
    fn line(&mut self, flow: &ShortFlow) -> io::Result<()> {
        let text = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let (time, ideal) = (flow.completion_time().map(Span::as_secs_f64), flow.ideal.map(Span::as_secs_f64));
        let (start, bytes) = (flow.start.as_secs_f64(), flow.bytes);
        let name = &self.processes[flow.arrivals];
        writeln!(self.file, "{name},{start},{bytes},{},{},{}", text(time), text(ideal), text(flow.slowdown()))
    }
}

impl Output for Fcts {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        match *event {
            Event::FlowArrived { flow, arrivals, bytes, ideal } => {
                self.open.insert(flow, ShortFlow { arrivals, bytes, start: at, completed: None, ideal });
                Ok(())
            }
            Event::FlowCompleted { flow } => match self.open.remove(&flow) {
                Some(open) => self.line(&ShortFlow { completed: Some(at), ..open }),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn finish(&mut self, _: Time) -> io::Result<()> {
        let mut open: Vec<(FlowId, ShortFlow)> = self.open.drain().collect();
        open.sort_by_key(|(flow, _)| *flow);
        open.iter().try_for_each(|(_, flow)| self.line(flow))?;
        self.file.flush()
    }

    fn files(&self) -> Vec<NamedFile> {
        vec![self.file.named_file()]
    }
}
