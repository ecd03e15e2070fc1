//! Trace files in memory.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;

use observe::output::TraceFiles;

/// The contents of trace files, by name.
#[derive(Default)]
pub struct MemoryTraces(pub RefCell<BTreeMap<String, Vec<u8>>>);

impl TraceFiles for MemoryTraces {
    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.0.borrow_mut().entry(name.to_owned()).or_default().extend(bytes);
        Ok(())
    }
}
