//! Captures on standard input. Captures are read several times, so standard input is copied to a temporary file first:
//! memory stays bounded.
//!
//! On Unix the file has no name: it is removed with the process, however the process ends. It is opened again by its
//! descriptor.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::input::{STDIN, is_stdin, open_stdin, peek_stdin};
use crate::progress::record_interrupts;

/// The copy of standard input: its path, and the file, which exists as long as it is open.
static SPOOLED: OnceLock<(PathBuf, File)> = OnceLock::new();

/// Returns the path of a copy of standard input, if `file` is standard input and has a capture, which may be
/// compressed. Otherwise standard input can still be read from its first byte on.
///
/// # Errors
/// Standard input cannot be read, or the copy cannot be written.
pub fn spool_capture(file: &Path) -> io::Result<Option<PathBuf>> {
    if !is_stdin(file) || io::IsTerminal::is_terminal(&io::stdin()) {
        return Ok(None);
    }
    let first = peek_stdin(4)?;
    let is_capture = capture::is_capture(&first) || first.starts_with(&capture::GZIP);
    if is_capture { spool_stdin(file) } else { Ok(None) }
}

/// Returns the path of a copy of standard input, whatever it contains, if `file` is standard input.
///
/// The first Ctrl-C ends the program that writes the capture, in front of the pipe; what it wrote is used. The second
/// one ends this program.
///
/// # Errors
/// Standard input cannot be read, or the copy cannot be written.
pub fn spool_stdin(file: &Path) -> io::Result<Option<PathBuf>> {
    if !is_stdin(file) {
        return Ok(None);
    }
    record_interrupts();
    let mut copy = tempfile::tempfile()?;
    io::copy(&mut open_stdin(), &mut copy)?;
    let path = descriptor_path(&copy)?;
    Ok(Some(SPOOLED.get_or_init(|| (path, copy)).0.clone()))
}

#[cfg(unix)]
fn descriptor_path(file: &File) -> io::Result<PathBuf> {
    use std::os::fd::AsRawFd;
    Ok(format!("/dev/fd/{}", file.as_raw_fd()).into())
}

#[cfg(not(unix))]
fn descriptor_path(_: &File) -> io::Result<PathBuf> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "write the capture to a file first"))
}

/// Returns the name of a file in messages: that of standard input for its copy.
pub fn name_file(path: &Path) -> &Path {
    match SPOOLED.get() {
        Some((copy, _)) if copy == path => Path::new(STDIN),
        _ => path,
    }
}
