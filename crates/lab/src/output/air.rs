//! The channel trace file: when the air switched, to be replayed [goel1997 4.2 (9)].

use std::io::{self, Write};
use std::path::PathBuf;

use engine::Time;
use path::channel::State;
use sim::Event;

use super::columns::has_states;
use super::file::{Millis, TraceFile};
use super::{Output, Stage};

struct Air {
    link: u32,
    file: TraceFile,
}

/// `trace.dat` if one link has air that switches, else one file for each, with the link's name.
pub(super) fn open(stage: &Stage<'_>) -> Vec<Box<dyn Output>> {
    let links: Vec<usize> =
        (0..stage.network.links.len()).filter(|i| has_states(&stage.network.links[*i].channel)).collect();
    let name = |link: usize| match links.len() {
        1 => "trace.dat".to_owned(),
        _ => format!("{}-trace.dat", stage.network.links[link].name),
    };
    let open = |link: &usize| -> Box<dyn Output> {
        Box::new(Air { link: *link as u32, file: TraceFile::new(stage.dir.join(name(*link))) })
    };
    links.iter().map(open).collect()
}

impl Output for Air {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        match event {
            Event::Air { link, state } if *link == self.link => {
                let word = match state {
                    State::Good => "GOOD",
                    State::Bad => "BAD",
                };
                writeln!(self.file, "{} {word}", Millis(at))
            }
            _ => Ok(()),
        }
    }

    fn finish(&mut self, _: Time) -> io::Result<()> {
        self.file.flush()
    }

    fn path(&self) -> PathBuf {
        self.file.path()
    }
}
