//! The channel trace file: the times of the channel's state changes, for replay [goel1997 4.2 (9)].

use std::io::{self, Write};

use engine::{IdVec, Time};
use sim::{Event, LinkId};

use super::columns::has_states;
use super::file::{Millis, NamedFile, TraceFile};
use super::layout::{TraceColumn, TraceValueKind};
use super::{Output, Stage};

pub(super) const STATE: TraceColumn =
    TraceColumn::new("state", "", TraceValueKind::Text, "State of the channel from this time on: GOOD or BAD");

struct AirTrace {
    /// `None` for channels without states.
    files: IdVec<LinkId, Option<TraceFile>>,
}

/// Opens `trace.dat` if a single link has a channel with states, otherwise one file for each such link, with the link's
/// name.
pub(super) fn open_air_trace(stage: &Stage<'_>) -> Box<dyn Output> {
    let links = &stage.network.links;
    let alone = links.iter().filter(|link| has_states(link)).count() == 1;
    let open = |link: &sim::LinkSpec| {
        let name = if alone { "trace.dat".to_owned() } else { format!("{}-trace.dat", link.name) };
        has_states(link).then(|| stage.file(name, format!("air of link \"{}\"", link.name)))
    };
    Box::new(AirTrace { files: links.iter().map(open).collect() })
}

impl Output for AirTrace {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        let Event::Air { link, state } = event else { return Ok(()) };
        let Some(file) = &mut self.files[*link] else { return Ok(()) };
        writeln!(file, "{} {}", Millis(at), state.name())
    }

    fn finish(&mut self, _: Time) -> io::Result<()> {
        self.files.iter_mut().flatten().try_for_each(TraceFile::flush)
    }

    fn files(&self) -> Vec<NamedFile> {
        self.files.iter().flatten().map(TraceFile::named_file).collect()
    }
}
