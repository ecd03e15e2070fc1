//! Bytes of a source, from the first that is not yet consumed.

use std::io::{self, Read};

/// Minimum number of bytes requested from the source at once.
const CHUNK: usize = 1 << 16;

/// A read buffer over a source. Its size is bounded by the largest number of bytes passed to
/// [`request`](Self::request).
///
/// The source is an argument of each call, so that the code is compiled once, in this crate, and not for each type of
/// source.
pub struct SourceBuffer {
    bytes: Vec<u8>,
    /// Start of the part of `bytes` that has been read and not consumed.
    begin: usize,
    /// End of the part of `bytes` that has been read and not consumed.
    end: usize,
    /// Position of `begin` in the source.
    offset: u64,
}

impl SourceBuffer {
    pub fn new() -> Self {
        SourceBuffer { bytes: vec![0; 2 * CHUNK], begin: 0, end: 0, offset: 0 }
    }

    /// The bytes that are available.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.begin..self.end]
    }

    /// Position of the first available byte in the source.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the position after the last byte that has been read.
    pub fn end_offset(&self) -> u64 {
        self.offset + (self.end - self.begin) as u64
    }

    /// Reads until `wanted` bytes are available, or the source ends. Returns whether they are.
    pub fn request(&mut self, source: &mut dyn Read, wanted: usize) -> io::Result<bool> {
        while self.end - self.begin < wanted {
            if self.bytes.len() - self.begin < wanted.max(CHUNK) {
                self.bytes.copy_within(self.begin..self.end, 0);
                (self.begin, self.end) = (0, self.end - self.begin);
            }
            if self.bytes.len() < wanted {
                self.bytes.resize(wanted, 0);
            }
            match source.read(&mut self.bytes[self.end..]) {
                Ok(0) => return Ok(false),
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Discards the first `count` of the available bytes.
    pub fn consume(&mut self, count: usize) {
        self.begin += count;
        self.offset += count as u64;
    }
}
