//! Every event as one JSON object per line: `t` is the time in seconds, `event` the kind, and the other keys are its
//! contents.

use std::io::{self, Write};

use engine::Time;
use serde::ser::{SerializeMap, Serializer};
use sim::Event;

use super::describe::write_event;
use super::file::{NamedFile, TraceFile};
use super::names::EventNames;
use super::record::{Record, RecordCell};
use super::{Output, Stage};

struct Lines {
    file: TraceFile,
    /// The line being written.
    line: Vec<u8>,
    names: EventNames,
}

/// An object that is serialized field by field: building a value for each event costs several times as much.
struct Object<M>(M);

impl<M: SerializeMap<Error = serde_json::Error>> Record for Object<M> {
    fn kind(&mut self, kind: &'static str) -> io::Result<()> {
        self.put("event", kind)
    }

    fn put<C: RecordCell + ?Sized>(&mut self, key: &'static str, value: &C) -> io::Result<()> {
        Ok(self.0.serialize_entry(key, value)?)
    }

    fn put_some<C: RecordCell>(&mut self, key: &'static str, value: Option<C>) -> io::Result<()> {
        value.map_or(Ok(()), |value| self.put(key, &value))
    }
}

pub(super) fn open_jsonl_trace(stage: &Stage<'_>) -> Box<dyn Output> {
    let file = stage.file("events.jsonl".to_owned(), "all events".to_owned());
    Box::new(Lines { file, line: Vec::new(), names: EventNames::of(stage.network) })
}

impl Output for Lines {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        self.names.observe(event);
        self.line.clear();
        let mut serializer = serde_json::Serializer::new(&mut self.line);
        let mut object = Object(serializer.serialize_map(None)?);
        object.put("t", &at.as_secs_f64())?;
        write_event((at, event), &self.names, &mut object)?;
        object.0.end()?;
        self.line.push(b'\n');
        self.file.write_all(&self.line)
    }

    fn finish(&mut self, _: Time) -> io::Result<()> {
        self.file.flush()
    }

    fn files(&self) -> Vec<NamedFile> {
        vec![self.file.named_file()]
    }
}
