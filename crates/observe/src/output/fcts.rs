//! The table of the flows that arrived during the run.

use std::collections::HashMap;
use std::io::{self, Write};

use engine::{Span, Time};
use sim::Event;

use super::file::{NamedFile, TraceFile};
use super::{Output, Stage};

struct Fcts {
    file: TraceFile,
    /// The names of the arrival processes.
    processes: Vec<String>,
    /// The flows that have not completed, by number.
    open: HashMap<u32, Arrived>,
}

struct Arrived {
    process: usize,
    start: Time,
    bytes: u64,
    ideal: Option<Span>,
}

pub(super) fn open(stage: &Stage<'_>) -> Box<dyn Output> {
    let mut file = stage.file("fcts.csv".to_owned(), "flows that arrived".to_owned());
    // Writing a line to memory cannot fail.
    let _ = writeln!(file, "arrivals,start_s,bytes,completion_time_s,ideal_s,slowdown");
    let processes = stage.network.arrivals.iter().map(|spec| spec.name.clone()).collect();
    Box::new(Fcts { file, processes, open: HashMap::new() })
}

impl Fcts {
    /// The line of a flow; without a completion time if it did not complete.
    fn line(&mut self, arrived: &Arrived, completed: Option<Time>) -> io::Result<()> {
        let text = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let time = completed.map(|at| at.since(arrived.start).as_secs_f64());
        let ideal = arrived.ideal.map(Span::as_secs_f64);
        let slowdown = time.zip(ideal).map(|(time, ideal)| time / ideal);
        let (start, bytes) = (arrived.start.as_secs_f64(), arrived.bytes);
        let name = &self.processes[arrived.process];
        writeln!(self.file, "{name},{start},{bytes},{},{},{}", text(time), text(ideal), text(slowdown))
    }
}

impl Output for Fcts {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        match *event {
            Event::FlowArrived { flow, arrivals, bytes, ideal } => {
                self.open.insert(flow, Arrived { process: arrivals as usize, start: at, bytes, ideal });
                Ok(())
            }
            Event::FlowCompleted { flow } => match self.open.remove(&flow) {
                Some(arrived) => self.line(&arrived, Some(at)),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn finish(&mut self, _: Time) -> io::Result<()> {
        let mut open: Vec<(u32, Arrived)> = self.open.drain().collect();
        open.sort_by_key(|(flow, _)| *flow);
        for (_, arrived) in open {
            self.line(&arrived, None)?;
        }
        self.file.flush()
    }

    fn files(&self) -> Vec<NamedFile> {
        vec![self.file.named()]
    }
}
