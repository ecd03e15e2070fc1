//! A connection, and what the host knows of it.

use crate::end::End;

/// A connection, and what the host knows of it.
pub(super) struct Life {
    pub end: Box<dyn End>,
    /// Its congestion control.
    pub control: String,
    /// Bytes that the application has handed over.
    pub written: u64,
    /// The last of them are to wait for more (`MSG_MORE`).
    pub more: bool,
    /// Where the latest buffer begins that the kernel would have made for them.
    buffer: u64,
    /// The largest window that the other end has offered.
    most_window: u64,
}

/// Bytes of packets and headers in the kernel's largest buffer (`sk_gso_max_size`: 64 KiB without `MAX_TCP_HEADER`).
const LARGEST_BUFFER: u64 = (1 << 16) - 320 - 1;

impl Life {
    pub fn new(end: Box<dyn End>, control: String) -> Self {
        Life { end, control, written: 0, more: false, buffer: 0, most_window: 0 }
    }

    fn number(&self, name: &str) -> u64 {
        self.end.info(name).and_then(|value| value.whole()).and_then(|value| value.try_into().ok()).unwrap_or(0)
    }

    /// A segment has come: it may have offered a window.
    pub fn note_window(&mut self) {
        self.most_window = self.most_window.max(self.number("tcpi_snd_wnd"));
    }

    /// Whether a socket that lets `most_unsent` bytes wait is worth writing to: with half of them (`tcp_stream_memory_free`,
    /// which is asked so by `poll` and by a write that waits).
    pub fn takes_more(&self, most_unsent: u64) -> bool {
        self.number("tcpi_notsent_bytes").saturating_mul(2) < most_unsent
    }

    /// How many of `bytes` are taken at once. Whether there is room is asked for each new buffer, as `tcp_sendmsg_locked`
    /// does; what the latest one has room for is taken unasked.
    pub fn takes(&mut self, bytes: u64, most_unsent: u64) -> u64 {
        if most_unsent == u64::MAX {
            return bytes;
        }
        let unsent = self.number("tcpi_notsent_bytes");
        // What has been sent is cut off.
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

    /// Whole segments, for half of the other end's largest window at most (`tcp_xmit_size_goal`, `tcp_bound_to_half_wnd`).
    fn buffer_size(&self) -> u64 {
        let mss = self.number("tcpi_snd_mss").max(1);
        let bound = if self.most_window > 536 { self.most_window / 2 } else { self.most_window };
        (LARGEST_BUFFER.min(bound) / mss).max(1) * mss
    }

    /// Whether more follows what was handed over last.
    pub fn set_more(&mut self, more: bool) {
        self.more = more;
        self.end.set_more(more);
    }

    /// The application hands over bytes; `record` if they end a record.
    pub fn write(&mut self, bytes: u64, more: bool, record: bool) {
        self.set_more(more);
        self.written = self.written.saturating_add(bytes);
        self.end.write(bytes);
        if record {
            self.end.end_record();
            // Nothing joins it (`tcp_skb_can_collapse_to`).
            self.buffer = self.written;
        }
    }
}
