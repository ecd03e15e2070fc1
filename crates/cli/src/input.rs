//! Scenarios as the command line names them, which are a file, a result directory, or `-` for standard input.

use std::cell::OnceCell;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use capture::GZIP;
use engine::random::hash_bytes;
use lab::captures::is_capture;
use lab::disk::Disk;
use lab::load::{Overrides, Source};
use scenario::Files;
use scenario::problem::Problem;

use crate::defaults::list_defaults;
use crate::talk::{is_verbose, write_detail, write_note};

/// The name of standard input in messages. Files that it names are relative to the working directory.
pub const STDIN: &str = "<stdin>";

/// Maximum number of keys at their defaults that --verbose lists. A scenario of a thousand flows has thousands of such
/// keys.
const MAX_DEFAULTS: usize = 40;

/// Whether `file` denotes standard input.
pub fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

/// The first bytes of standard input that were read to recognize its contents.
static PEEKED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Standard input from its first byte on, also after [`peek_stdin`].
pub fn open_stdin() -> impl Read {
    let peeked = std::mem::take(&mut *PEEKED.lock().unwrap_or_else(PoisonError::into_inner));
    io::Cursor::new(peeked).chain(io::stdin().lock())
}

/// Returns the first `count` bytes of standard input, or all of a shorter input. They remain to be read.
///
/// # Errors
/// Errors of reading the input.
pub fn peek_stdin(count: u64) -> io::Result<Vec<u8>> {
    let first = read_stdin(count)?;
    PEEKED.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&first);
    Ok(first)
}

/// Reads standard input, up to `limit` bytes.
///
/// # Errors
/// Errors of reading the input.
pub fn read_stdin(limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_stdin().take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The local file system, and standard input. Reports the files that are read.
#[derive(Default)]
struct Input {
    /// The first file read, which is the scenario itself.
    first: OnceCell<Vec<u8>>,
}

impl Files for Input {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let bytes = if path == Path::new(STDIN) { read_stdin(limit)? } else { Disk.read(path, limit)? };
        write_detail(format_args!("read {}: {} bytes", path.display(), bytes.len()));
        self.first.get_or_init(|| bytes.clone());
        Ok(bytes)
    }

    fn exists(&self, path: &Path) -> bool {
        Disk.exists(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        Disk.is_dir(path)
    }

    fn entries(&self, dir: &Path) -> Vec<PathBuf> {
        Disk.entries(dir)
    }
}

/// The first bytes of compressed files, and the name of each format.
const COMPRESSED: [(&[u8], &str); 3] =
    [(&GZIP, "a gzip file"), (b"\xfd7zXZ", "an xz file"), (&[0x28, 0xb5, 0x2f, 0xfd], "a zstd file")];

/// Advice for a compressed file.
pub const UNPACK: &str = "unpack it first, with gunzip, unxz or unzstd";

/// Returns the format of a compressed file, recognized by its first bytes; `None` for other files.
pub fn identify_compression(first: &[u8]) -> Option<&'static str> {
    COMPRESSED.iter().find(|(start, _)| first.starts_with(start)).map(|(_, name)| *name)
}

/// Reports a file whose first bytes show another kind of file.
fn refuse_other_file(file: &Path) -> Option<Problem> {
    if !file.is_file() {
        // Bytes that are read from a pipe cannot be read a second time.
        return None;
    }
    let mut first = [0; 64];
    let read = File::open(file).and_then(|mut open| open.read(&mut first)).ok()?;
    let (found, hint) = if is_capture(file) {
        ("a capture", "`lasthop explain`, `plot`, `report` and `fit` read captures")
    } else if let Some(found) = identify_compression(&first[..read]) {
        (found, UNPACK)
    } else if first[..read].trim_ascii_start().starts_with(b"{") {
        ("JSON", "a result is its directory: `lasthop explain DIR`")
    } else if read == 0 {
        ("an empty file", "`lasthop new` writes a first scenario")
    } else {
        return None;
    };
    Some(Problem::new("a scenario").in_file(file.display().to_string()).found(found).hint(hint))
}

/// Reads the scenario in `file`, without checking it yet. The name of a scenario from standard input has a hash of its
/// text, so that different scenarios have different result directories.
///
/// # Errors
/// The errors in its text.
pub fn open_source(file: &Path, overrides: &Overrides) -> Result<Source, Vec<Problem>> {
    if let Some(problem) = refuse_other_file(file) {
        return Err(vec![problem]);
    }
    let files = Rc::new(Input::default());
    let source = if is_stdin(file) {
        if io::stdin().is_terminal() {
            write_note("note: reads a scenario from standard input; Ctrl-D ends it");
        }
        let mut source = Source::open(Rc::<Input>::clone(&files), Path::new(STDIN), overrides)?;
        let text = files.first.get().map_or(&[][..], Vec::as_slice);
        source.stem = format!("stdin-{:06x}", hash_bytes(text.iter().copied()) & 0xff_ffff);
        source
    } else {
        Source::open(Rc::<Input>::clone(&files), file, overrides)?
    };
    if is_verbose() {
        let text = files.first.get().map_or(&[][..], Vec::as_slice);
        // Errors of the scenario are reported elsewhere.
        let scenario = source.document.read().ok();
        let taken = scenario.map(|scenario| list_defaults(text, overrides, &scenario)).unwrap_or_default();
        taken.iter().take(MAX_DEFAULTS).for_each(|line| write_detail(format_args!("default: {line}")));
        if taken.len() > MAX_DEFAULTS {
            write_detail(format_args!(
                "default: {} more keys; `lasthop convert` prints them",
                taken.len() - MAX_DEFAULTS
            ));
        }
    }
    Ok(source)
}
