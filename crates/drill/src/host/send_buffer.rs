//! The send buffer: socket buffers (skb) of the kernel, which count against `SO_SNDBUF`, as in `tcp_sendmsg_locked`.

use std::collections::VecDeque;

/// Memory of a socket buffer besides its data, in bytes: `SKB_TRUESIZE(MAX_TCP_HEADER)` with 64-bit pointers.
const OVERHEAD: u64 = 896;
/// Maximum data in a socket buffer, in bytes (`sk_gso_max_size`: 64 KiB without `MAX_TCP_HEADER`).
const MAX_DATA: u64 = (1 << 16) - 320 - 1;
/// Smallest and largest send buffer in bytes that `SO_SNDBUF` sets (`SOCK_MIN_SNDBUF`, `wmem_max` doubled).
const LIMITS: (i64, i64) = (4608, 2 * 212_992);

/// Returns the size of the send buffer that `SO_SNDBUF` sets, in bytes: twice the value.
pub(super) fn clamp_send_buffer(value: i64) -> i64 {
    value.min(LIMITS.1 / 2).saturating_mul(2).max(LIMITS.0)
}

/// Limits of a socket, in bytes; `None` for no limit.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct SendLimits {
    /// Memory of socket buffers (`SO_SNDBUF`).
    pub memory: Option<u64>,
    /// Unsent data (`TCP_NOTSENT_LOWAT`).
    pub unsent: Option<u64>,
}

/// Data written, in socket buffers. Positions count from the first byte written.
#[derive(Default)]
pub(super) struct SocketBuffers {
    /// Positions behind the socket buffers that are not acknowledged completely.
    ends: VecDeque<u64>,
    acked: u64,
    sent: u64,
    written: u64,
    /// Whether nothing is appended to the last socket buffer (`MSG_EOR`).
    closed: bool,
}

impl SocketBuffers {
    fn memory(&self) -> u64 {
        self.written - self.acked + OVERHEAD * self.ends.len() as u64
    }

    fn unsent(&self) -> u64 {
        self.written - self.sent
    }

    /// Returns how many of `bytes` a write accepts at once: free space in the last socket buffer is filled without a
    /// check, a new one needs both limits. `goal` is the size of a socket buffer.
    pub fn takes(&self, bytes: u64, goal: u64, limits: SendLimits) -> u64 {
        if limits.memory.is_none() && limits.unsent.is_none() {
            return bytes;
        }
        let begin = self.ends.iter().rev().nth(1).copied().unwrap_or(self.acked).max(self.sent);
        let room = goal.saturating_sub(self.written - begin);
        if self.unsent() > 0 && !self.closed && room > 0 {
            return bytes.min(room);
        }
        let is_free = limits.memory.is_none_or(|memory| self.memory() < memory)
            && limits.unsent.is_none_or(|unsent| self.unsent() < unsent);
        if is_free { bytes.min(goal) } else { 0 }
    }

    /// Returns true if a socket is writable (`sk_stream_is_writeable`, `tcp_stream_memory_free`): a third of the memory
    /// is free, and unsent data is below half of its limit.
    pub fn is_writable(&self, limits: SendLimits) -> bool {
        let memory = self.memory();
        limits.memory.is_none_or(|limit| limit.saturating_sub(memory) >= memory / 2)
            && limits.unsent.is_none_or(|limit| self.unsent().saturating_mul(2) < limit)
    }

    /// Adds data that `takes` accepted. `goal` is the size of a socket buffer.
    pub fn write(&mut self, bytes: u64, goal: u64, ends_record: bool) {
        let appends = self.unsent() > 0 && !self.closed;
        let begin = self.ends.iter().rev().nth(1).copied().unwrap_or(self.acked).max(self.sent);
        self.written = self.written.saturating_add(bytes);
        match self.ends.back_mut() {
            Some(end) if appends && self.written - begin <= goal => *end = self.written,
            _ => self.ends.push_back(self.written),
        }
        self.closed = ends_record;
    }

    /// Observes that data was sent up to `sent`, in packets of `piece` bytes: each is a socket buffer, and so is the rest.
    pub fn note_sent(&mut self, sent: u64, piece: u64) {
        let from = self.sent;
        self.sent = sent.clamp(from, self.written);
        let mut cut = from;
        while cut < self.sent {
            let end = self.ends.iter().copied().find(|end| *end > cut).unwrap_or(self.written);
            cut = end.min(cut + piece.max(1)).min(self.sent);
            if let Err(at) = self.ends.binary_search(&cut) {
                self.ends.insert(at, cut);
            }
        }
    }

    /// Observes that a call has filled a socket buffer, and that data may be sent up to `sent`: a packet of at most `piece`
    /// bytes leaves if the socket buffer is the next one to be sent.
    pub fn push_one(&mut self, sent: u64, piece: u64) {
        if self.ends.iter().rev().take_while(|end| **end > self.sent).count() <= 1 {
            self.note_sent(sent.min(self.sent.saturating_add(piece)), piece);
        }
    }

    /// Observes that data was acknowledged up to `acked`.
    pub fn note_acked(&mut self, acked: u64) {
        self.acked = acked.clamp(self.acked, self.written);
        self.sent = self.sent.max(self.acked);
        while self.ends.front().is_some_and(|end| *end <= self.acked) {
            self.ends.pop_front();
        }
    }

    /// Returns the size of a new socket buffer for segments of `mss` bytes, in bytes: full segments, up to half of the
    /// largest window that the other end has advertised (`tcp_xmit_size_goal`, `tcp_bound_to_half_wnd`).
    pub fn goal(mss: u64, most_window: u64) -> u64 {
        let mss = mss.max(1);
        let bound = if most_window > 536 { most_window / 2 } else { most_window };
        (MAX_DATA.min(bound) / mss).max(1) * mss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes in socket buffers until the limit, as a call does. After each full one, data is sent up to `window`.
    fn write_all(buffer: &mut SocketBuffers, bytes: u64, goal: u64, limits: SendLimits, window: u64) -> u64 {
        let mut taken = 0;
        while taken < bytes {
            let part = buffer.takes(bytes - taken, goal, limits);
            if part == 0 {
                break;
            }
            taken += part;
            buffer.write(part, goal, false);
            buffer.note_sent(buffer.written.min(window), 10_000);
        }
        taken
    }

    /// By hand, as `blocking-write.pkt` of Linux's suite has it: the first socket buffer of 25 segments is sent in part,
    /// its rest is filled, and a third one is begun at 35,000 + 2 x 896 < 42,000 bytes.
    #[test]
    fn buffer_becomes_full_and_writable_at_the_sizes_of_linux() {
        let limits = SendLimits { memory: Some(42_000), unsent: None };
        let mut buffer = SocketBuffers::default();
        let goal = SocketBuffers::goal(1000, 50_000);
        assert_eq!(goal, 25_000);
        assert_eq!(write_all(&mut buffer, 61_000, goal, limits, 10_000), 60_000);
        assert!(!buffer.is_writable(limits));
        buffer.note_acked(10_000);
        buffer.note_sent(30_000, 10_000);
        buffer.note_acked(30_000);
        buffer.note_sent(60_000, 10_000);
        // 30,000 bytes remain in socket buffers of 5, 10, 10 and 5 segments: 33,584 bytes; 28,000 are writable.
        assert_eq!((buffer.memory(), buffer.is_writable(limits)), (33_584, false));
        buffer.note_acked(36_000);
        assert_eq!((buffer.memory(), buffer.is_writable(limits)), (26_688, true));
    }

    /// By hand: of 80 segments of 988 bytes a socket buffer takes 66. Half of a congestion window of 80 leaves, and the
    /// call fills the rest again.
    #[test]
    fn sent_part_of_a_socket_buffer_frees_space_for_the_rest_of_a_write() {
        let limits = SendLimits { memory: Some(60_000), unsent: None };
        let mut buffer = SocketBuffers::default();
        let goal = SocketBuffers::goal(988, 1 << 20);
        let (all, piece) = (80 * 988, 40 * 988);
        assert_eq!((goal, buffer.takes(all, goal, limits)), (66 * 988, goal));
        buffer.write(goal, goal, false);
        buffer.push_one(goal, piece);
        assert_eq!(buffer.takes(all - goal, goal, limits), all - goal);
        buffer.write(all - goal, goal, false);
        buffer.push_one(all, piece);
        assert_eq!((buffer.memory(), buffer.unsent()), (all + 2 * OVERHEAD, 0));
    }

    /// By hand, as `timestamping_partial.pkt` has it: three segments of 988 bytes, and 5,652 bytes of memory.
    #[test]
    fn smallest_buffer_takes_three_segments() {
        let limits = SendLimits { memory: Some(clamp_send_buffer(1000) as u64), unsent: None };
        let mut buffer = SocketBuffers::default();
        assert_eq!(write_all(&mut buffer, 10_000, SocketBuffers::goal(988, 2000), limits, 1976), 2964);
    }

    #[test]
    fn limit_of_unsent_data_is_checked_for_new_socket_buffers() {
        let limits = SendLimits { memory: None, unsent: Some(1) };
        let mut buffer = SocketBuffers::default();
        assert_eq!(buffer.takes(9000, 4000, limits), 4000);
        buffer.write(3000, 4000, false);
        assert_eq!(buffer.takes(9000, 4000, limits), 1000, "free space is filled");
        buffer.write(500, 4000, true);
        assert_eq!(buffer.takes(9000, 4000, limits), 0, "nothing is appended to a record");
        assert!(!buffer.is_writable(limits));
        buffer.note_sent(3500, 1000);
        assert!(buffer.is_writable(limits));
        assert_eq!(buffer.takes(9000, 4000, limits), 4000);
        assert_eq!(SocketBuffers::default().takes(u64::MAX, 4000, SendLimits::default()), u64::MAX);
    }
}
