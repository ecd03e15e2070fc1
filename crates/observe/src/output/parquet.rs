//! Every event as a row of the table of its kind: `t` in seconds, then the contents of the event.

use std::io::{self, Write};
use std::rc::Rc;

use engine::Time;
use foldhash::fast::FixedState;
use indexmap::IndexMap;
use sim::Event;

use super::describe::write_event;
use super::file::{NamedFile, TraceFile, TraceFiles};
use super::names::EventNames;
use super::record::{Record, RecordCell};
use super::table::{EncodedColumn, TableEncoder};
use super::{Output, Stage};

/// Number of rows encoded together.
const BATCH: usize = 65_536;

struct Tables {
    files: Rc<dyn TraceFiles>,
    names: EventNames,
    /// By kind of event.
    tables: IndexMap<&'static str, EventTable, FixedState>,
}

/// The table of a kind of event, with the rows that are not yet encoded.
struct EventTable {
    columns: Vec<EncodedColumn>,
    rows: usize,
    /// `None` until the first rows are encoded.
    encoder: Option<Box<dyn TableEncoder>>,
    file: TraceFile,
}

/// The row of an event.
struct EventRow<'a> {
    files: &'a Rc<dyn TraceFiles>,
    tables: &'a mut IndexMap<&'static str, EventTable, FixedState>,
    at: Time,
    /// Index of the table for the event's kind.
    table: usize,
    /// Number of cells written.
    cells: usize,
}

pub(super) fn open_parquet_trace(stage: &Stage<'_>) -> Box<dyn Output> {
    let (files, names) = (Rc::clone(&stage.files), EventNames::of(stage.network));
    Box::new(Tables { files, names, tables: IndexMap::default() })
}

impl Output for Tables {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        self.names.observe(event);
        let Tables { files, names, tables } = self;
        let mut row = EventRow { files, tables, at, table: 0, cells: 0 };
        write_event((at, event), names, &mut row)?;
        let EventRow { table, .. } = row;
        let table = &mut tables[table];
        table.rows += 1;
        if table.rows < BATCH { Ok(()) } else { table.encode(&**files) }
    }

    fn finish(&mut self, _: Time) -> io::Result<()> {
        self.tables.values_mut().try_for_each(|table| table.finish(&*self.files))
    }

    fn files(&self) -> Vec<NamedFile> {
        self.tables.values().map(|table| table.file.named_file()).collect()
    }
}

impl Record for EventRow<'_> {
    fn kind(&mut self, kind: &'static str) -> io::Result<()> {
        self.table = match self.tables.get_index_of(kind) {
            Some(known) => known,
            None => self.tables.insert_full(kind, EventTable::of(kind, self.files)).0,
        };
        self.put("t", &self.at.as_secs_f64())
    }

    fn put<C: RecordCell + ?Sized>(&mut self, key: &'static str, value: &C) -> io::Result<()> {
        let table = &mut self.tables[self.table];
        if table.columns.len() == self.cells {
            debug_assert_eq!(table.rows, 0, "{key}: the first event of its kind has no such field");
            let present = C::OPTIONAL.then(Vec::new);
            table.columns.push(EncodedColumn { name: key, values: C::column(), present });
        }
        let column = &mut table.columns[self.cells];
        debug_assert_eq!(column.name, key, "events of one kind have the same fields");
        let present = value.append_to(&mut column.values);
        match &mut column.present {
            Some(rows) => rows.push(present),
            None => debug_assert!(present, "{key}: the value of another type"),
        }
        self.cells += 1;
        Ok(())
    }

    fn put_some<C: RecordCell>(&mut self, key: &'static str, value: Option<C>) -> io::Result<()> {
        self.put(key, &value)
    }
}

impl EventTable {
    fn of(kind: &str, files: &Rc<dyn TraceFiles>) -> Self {
        let named = NamedFile { name: format!("{kind}.parquet"), about: format!("all events of the kind {kind}") };
        EventTable { columns: Vec::new(), rows: 0, encoder: None, file: TraceFile::new(named, Rc::clone(files)) }
    }

    /// Encodes the collected rows, and removes them.
    fn encode(&mut self, files: &dyn TraceFiles) -> io::Result<()> {
        let EventTable { columns, encoder, file, .. } = self;
        let name = file.named_file().name;
        let encoder = match encoder {
            Some(encoder) => encoder,
            None => encoder.insert(files.table(&name, columns).map_err(|error| file.error(error))?),
        };
        let bytes = encoder.rows(columns).map_err(|error| file.error(error))?;
        file.write_all(&bytes)?;
        self.columns.iter_mut().for_each(EncodedColumn::clear);
        self.rows = 0;
        Ok(())
    }

    fn finish(&mut self, files: &dyn TraceFiles) -> io::Result<()> {
        if self.rows > 0 {
            self.encode(files)?;
        }
        if let Some(encoder) = self.encoder.take() {
            let bytes = encoder.finish().map_err(|error| self.file.error(error))?;
            self.file.write_all(&bytes)?;
        }
        self.file.flush()
    }
}
