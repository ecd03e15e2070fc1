//! Contention windows of the stations of media: two columns, as gnuplot reads them.

use std::io::{self, Write};

use engine::{IdVec, Time};
use path::{MediumEvent, MediumId, MediumStationId};
use sim::Event;

use super::file::{Millis, NamedFile, TraceFile};
use super::layout::{TraceColumn, TraceValueKind};
use super::{Output, Stage};

pub(super) const WINDOW: TraceColumn =
    TraceColumn::new("contention", "slots", TraceValueKind::Integer, "Contention window at a back-off");

struct Windows {
    files: IdVec<MediumId, IdVec<MediumStationId, TraceFile>>,
}

pub(super) fn open_contention_trace(stage: &Stage<'_>) -> Box<dyn Output> {
    let medium = |(number, spec): (usize, &sim::network::MediumSpec)| {
        // Names have no dot, so that two media never share a file.
        let file = |node: usize| {
            let name = format!("{}.{}-contention", spec.name, stage.node(node));
            stage.file(name, format!("contention of node \"{}\" in medium \"{}\"", stage.node(node), spec.name))
        };
        stage.network.stations(number).into_iter().map(file).collect()
    };
    Box::new(Windows { files: stage.network.media.iter().enumerate().map(medium).collect() })
}

impl Output for Windows {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        let Event::Medium { medium, event: MediumEvent::BackOff { station, window, .. } } = event else {
            return Ok(());
        };
        writeln!(self.files[*medium][*station], "{} {window}", Millis(at))
    }

    fn finish(&mut self, _: Time) -> io::Result<()> {
        self.files.iter_mut().flatten().try_for_each(TraceFile::flush)
    }

    fn files(&self) -> Vec<NamedFile> {
        self.files.iter().flatten().map(TraceFile::named_file).collect()
    }
}
