//! Stores on network disks, where SQLite's write-ahead log does not work: an append-only file of JSON lines, the first of
//! which names the versions.
//!
//! ```text
//! {"crc32":"1c2d3e4f","lasthop":"0.1.0","model":11,"keys":3,"metrics":"goodput_bps ..."}
//! {"crc32":"...","sweep":{...},"cells":[...],"replications":20}
//! {"crc32":"...","run":"0123...","replication":0,"delays":true,"summary":"{...}"}
//! ```
//!
//! Each line is written with one call; runs that are stored together are written with one call. `crc32` is the CRC-32 of
//! ISO 3309 over the bytes after its comma, without the line feed. A last line without a line feed was left by a killed
//! program: it is dropped. Any other wrong line is an error.
//!
//! An open file is an SQLite store in a temporary directory, to which every line is copied. One program at a time may
//! append to it, as far as the file system has locks.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::canonical::FORM;
use super::{Digest, KeptCell, KeptSweep, Store, StoreError};
use observe::metric::METRICS;

/// The time after which written lines are flushed to the disk.
const FLUSH: Duration = Duration::from_secs(1);
/// The length of `{"crc32":"01234567",`.
const PREFIX: usize = 20;

/// The file of a store.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    state: Mutex<JournalState>,
    /// The directory is removed after the last connection to the store in it.
    _folder: TempDir,
}

#[derive(Debug)]
struct JournalState {
    /// Opened and locked by the first line.
    file: Option<File>,
    /// Length of the file in bytes.
    length: u64,
    /// Length of the file's complete lines in bytes.
    complete: u64,
    /// The last description of a sweep.
    noted: String,
    flushed: Instant,
}

/// The first line.
#[derive(PartialEq, Serialize, Deserialize)]
struct Header {
    lasthop: String,
    model: u32,
    keys: u32,
    metrics: String,
}

#[derive(Serialize, Deserialize)]
struct SweepRecord {
    sweep: KeptSweep,
    cells: Vec<KeptCell>,
    replications: u64,
}

#[derive(Serialize, Deserialize)]
struct RunRecord {
    run: Digest,
    replication: u64,
    delays: bool,
    summary: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum JournalLine {
    Header(Header),
    Noted(SweepRecord),
    Kept(RunRecord),
}

impl Header {
    fn ours() -> Self {
        let metrics = METRICS.iter().map(|metric| metric.name).collect::<Vec<_>>().join(" ");
        Header { lasthop: env!("CARGO_PKG_VERSION").into(), model: sim::MODEL_VERSION, keys: FORM, metrics }
    }

    fn describe_versions(&self) -> String {
        format!("lasthop {} (model {}, keys {})", self.lasthop, self.model, self.keys)
    }
}

/// A value as a line.
fn encode_line(value: &impl Serialize) -> String {
    let text = serde_json::json!(value).to_string();
    // The opening brace of this object replaces the brace that begins the line.
    let rest = &text[1..];
    format!("{{\"crc32\":\"{:08x}\",{rest}\n", crc32fast::hash(rest.as_bytes()))
}

/// The line of a run.
pub(super) fn encode_run(run: Digest, replication: u64, delays: bool, summary: &str) -> String {
    encode_line(&RunRecord { run, replication, delays, summary: summary.to_owned() })
}

/// Decodes a line without its line feed. Returns its value, or the error in it.
fn decode_line(line: &str) -> Result<JournalLine, String> {
    let parts = line.get(..PREFIX).zip(line.get(PREFIX..));
    let sum = parts.and_then(|(prefix, rest)| {
        let sum = prefix.strip_prefix("{\"crc32\":\"")?.strip_suffix("\",")?;
        Some((u32::from_str_radix(sum, 16).ok()?, rest))
    });
    match sum {
        None => Err("found no checksum at its beginning".into()),
        Some((sum, rest)) if crc32fast::hash(rest.as_bytes()) != sum => Err("does not match its checksum".into()),
        Some((_, rest)) => serde_json::from_str(&format!("{{{rest}")).map_err(|error| error.to_string()),
    }
}

impl Store {
    /// Opens an append-only file; `create` permits creating a new one.
    pub(super) fn of_journal(path: &Path, create: bool) -> Result<Self, StoreError> {
        let contents = match std::fs::read(path) {
            Ok(contents) => contents,
            Err(error) if create && error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(StoreError::file(path, &error)),
        };
        let unmade = |error: std::io::Error| StoreError::Unmade { path: path.to_owned(), why: error.to_string() };
        let folder = TempDir::with_prefix("lasthop-").map_err(unmade)?;
        let mut store = Self::writable(&folder.path().join("store.sqlite"))?;
        path.clone_into(&mut store.path);
        let complete = contents.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let damaged = |number: usize, found: &str| StoreError::Damaged {
            path: path.to_owned(),
            found: format!("line {}: {found}", number + 1),
        };
        let mut noted = String::new();
        store.ask(|db| db.execute_batch("BEGIN IMMEDIATE"))?;
        for (number, bytes) in contents[..complete].split_inclusive(|byte| *byte == b'\n').enumerate() {
            let text = std::str::from_utf8(&bytes[..bytes.len() - 1]);
            let text = text.map_err(|_| damaged(number, "is not UTF-8 text"))?;
            match decode_line(text).map_err(|found| damaged(number, &found))? {
                JournalLine::Header(header) if number == 0 => {
                    let ours = Header::ours();
                    if header != ours {
                        let (theirs, ours) = (header.describe_versions(), ours.describe_versions());
                        return Err(StoreError::OtherVersion { path: path.to_owned(), theirs, ours });
                    }
                }
                _ if number == 0 => return Err(StoreError::NotAStore(path.to_owned())),
                JournalLine::Header(_) => return Err(damaged(number, "found a second line with the versions")),
                JournalLine::Noted(SweepRecord { sweep, cells, replications }) => {
                    store.ask(|db| db.execute_batch("COMMIT"))?;
                    store.note(sweep, &cells, replications)?;
                    store.ask(|db| db.execute_batch("BEGIN IMMEDIATE"))?;
                    format!("{text}\n").clone_into(&mut noted);
                }
                JournalLine::Kept(RunRecord { run, replication, delays, summary }) => {
                    if store.measures_delays != delays {
                        store.reads_delays(delays)?;
                    }
                    store.insert(run, replication, &summary)?;
                }
            }
        }
        store.ask(|db| db.execute_batch("COMMIT"))?;
        store.reads_delays(false)?;
        let flushed = read_flush_clock();
        let state =
            JournalState { file: None, length: contents.len() as u64, complete: complete as u64, noted, flushed };
        let journal = Journal { path: path.to_owned(), state: Mutex::new(state), _folder: folder };
        if create && contents.is_empty() {
            journal.append(&encode_line(&Header::ours()))?;
        } else if complete == 0 {
            return Err(StoreError::NotAStore(path.to_owned()));
        }
        store.journal = Some(journal.into());
        Ok(store)
    }

    /// Whether subsequent runs have delays: a run with delays replaces a run without.
    fn reads_delays(&mut self, delays: bool) -> Result<(), StoreError> {
        self.measures_delays = false;
        self.unfilled.clear();
        self.metric_set = std::cell::OnceCell::new();
        let of_delays: Vec<_> = METRICS.iter().copied().filter(|metric| delays && metric.is_of_delays()).collect();
        if delays { self.measure_delays(&of_delays) } else { Ok(()) }
    }

    /// Whether the file ended within a line, which was removed.
    pub fn dropped_a_line(&self) -> bool {
        let state = self.journal.as_ref().map(|journal| journal.state.lock().unwrap_or_else(PoisonError::into_inner));
        state.is_some_and(|state| state.length > state.complete)
    }
}

impl Journal {
    /// The SQLite store of the lines.
    pub fn working(&self) -> PathBuf {
        self._folder.path().join("store.sqlite")
    }

    /// Appends the description of a sweep, unless it is the last one.
    pub fn note(&self, sweep: &KeptSweep, cells: &[KeptCell], replications: u64) -> Result<(), StoreError> {
        let noted = encode_line(&SweepRecord { sweep: sweep.clone(), cells: cells.to_vec(), replications });
        if self.state.lock().unwrap_or_else(PoisonError::into_inner).noted == noted {
            return Ok(());
        }
        self.append(&noted)?;
        self.state.lock().unwrap_or_else(PoisonError::into_inner).noted = noted;
        Ok(())
    }

    /// Appends lines, with one call.
    pub fn append(&self, text: &str) -> Result<(), StoreError> {
        let unwritable = |why: String| StoreError::Unwritable { path: self.path.clone(), why };
        let system = |error: std::io::Error| unwritable(error.to_string());
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let JournalState { file, length, complete, flushed, .. } = &mut *state;
        let file = match file {
            Some(file) => file,
            None => {
                if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                    std::fs::create_dir_all(folder).map_err(system)?;
                }
                let opened = OpenOptions::new().append(true).create(true).open(&self.path).map_err(system)?;
                let busy = || unwritable("another program appends to it".into());
                // A file system without locks relies on the user.
                if let Err(std::fs::TryLockError::WouldBlock) = opened.try_lock() {
                    return Err(busy());
                }
                if opened.metadata().map_err(system)?.len() != *length {
                    return Err(busy());
                }
                file.insert(opened)
            }
        };
        if length != complete {
            file.set_len(*complete).map_err(system)?;
            *length = *complete;
        }
        *length += text.len() as u64;
        if let Err(error) = file.write_all(text.as_bytes()) {
            // Incomplete lines on a full disk are removed, at the latest before the next lines are written.
            if file.set_len(*complete).is_ok() {
                *length = *complete;
            }
            return Err(system(error));
        }
        *complete = *length;
        if flushed.elapsed() >= FLUSH {
            file.sync_data().map_err(system)?;
            *flushed = read_flush_clock();
        }
        Ok(())
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Errors were reported by the writes, or the next program drops an incomplete line.
        let _ = state.file.as_ref().map(File::sync_data);
    }
}

#[allow(clippy::disallowed_methods, reason = "the interval of flushes, not simulated time")]
fn read_flush_clock() -> Instant {
    Instant::now()
}
