//! A connection with the host's bookkeeping for it.

use crate::end::ConnectionEnd;

/// A connection with the host's bookkeeping for it.
pub(super) struct Life {
    pub end: Box<dyn ConnectionEnd>,
    /// Name of the congestion control.
    pub control: String,
    /// Number of bytes that the application has written.
    pub written: u64,
    /// True if the last write set `MSG_MORE`.
    pub more: bool,
    /// Stream offset, in bytes, at which the kernel's latest socket buffer (skb) would begin.
    buffer: u64,
    /// Largest window that the peer has advertised, in bytes.
    most_window: u64,
}

/// Maximum data in a socket buffer of the kernel, in bytes (`sk_gso_max_size`: 64 KiB without `MAX_TCP_HEADER`).
const MAX_BUFFER: u64 = (1 << 16) - 320 - 1;

/// How a write ends.
#[derive(Clone, Copy)]
pub(super) struct WriteFlags {
    /// More data follows (`MSG_MORE`).
    pub more: bool,
    /// Whether the last byte ends a record (`MSG_EOR`).
    pub ends_record: bool,
}

impl Life {
    pub fn new(end: Box<dyn ConnectionEnd>, control: String) -> Self {
        Life { end, control, written: 0, more: false, buffer: 0, most_window: 0 }
    }

    fn number(&self, name: &str) -> u64 {
        self.end.info(name).and_then(|value| value.whole()).and_then(|value| value.try_into().ok()).unwrap_or(0)
    }

    /// Updates the largest advertised window after a segment has arrived.
    pub fn note_window(&mut self) {
        self.most_window = self.most_window.max(self.number("tcpi_snd_wnd"));
    }

    /// Returns true if a socket with the limit `most_unsent` for unsent bytes is writable: unsent data is below half of
    /// the limit (`tcp_stream_memory_free`, as called by `poll` and by a blocked write).
    pub fn takes_more(&self, most_unsent: u64) -> bool {
        self.number("tcpi_notsent_bytes").saturating_mul(2) < most_unsent
    }

    /// Returns how many of `bytes` a write accepts at once. As in `tcp_sendmsg_locked`, the limit for unsent bytes is
    /// checked for each new socket buffer; free space in the latest one is filled without a check.
    pub fn takes(&mut self, bytes: u64, most_unsent: u64) -> u64 {
        if most_unsent == u64::MAX {
            return bytes;
        }
        let unsent = self.number("tcpi_notsent_bytes");
        // Transmission splits a socket buffer; the unsent part remains.
        self.buffer = self.buffer.max(self.written - unsent);
        let buffered = self.written - self.buffer;
        let room = self.buffer_size().saturating_sub(buffered);
        if buffered > 0 && room > 0 {
            return bytes.min(room);
        }
        if unsent >= most_unsent {
            return 0;
        }
        self.buffer = self.written;
        bytes.min(self.buffer_size())
    }

    /// Returns the size of a socket buffer, in bytes: full segments, up to half of the peer's largest window
    /// (`tcp_xmit_size_goal`, `tcp_bound_to_half_wnd`).
    fn buffer_size(&self) -> u64 {
        let mss = self.number("tcpi_snd_mss").max(1);
        let bound = if self.most_window > 536 { self.most_window / 2 } else { self.most_window };
        (MAX_BUFFER.min(bound) / mss).max(1) * mss
    }

    /// Sets whether more data follows the last write.
    pub fn set_more(&mut self, more: bool) {
        self.more = more;
        self.end.set_more(more);
    }

    /// Writes `bytes` bytes of application data.
    pub fn write(&mut self, bytes: u64, flags: WriteFlags) {
        self.set_more(flags.more);
        self.written = self.written.saturating_add(bytes);
        self.end.write(bytes);
        if flags.ends_record {
            self.end.end_record();
            // No data is appended after the end of a record (`tcp_skb_can_collapse_to`).
            self.buffer = self.written;
        }
    }
}
