//! The bound of the send buffer: how much of the written data the buffer accepts.
//!
//! ```text
//! accepted - una <= limit                         SO_SNDBUF, or the autotuned size
//! accepted - nxt <= lowat, in whole segments      TCP_NOTSENT_LOWAT
//! autotuned: limit = min(max, f max(10, cwnd, reordering + 1) m)      while cwnd permits more than the buffer has
//! ```
//!
//! f is 2, or 3 with BBR; m is the memory of a full segment in a linear buffer, a power of two [Linux
//! `tcp_sndbuf_expand`]: 4352 bytes for 1460 bytes of data. While data waits, the buffer accepts it in whole segments, as
//! Linux allocates its memory in whole segments (`tcp_sendmsg_locked`).
//!
//! Limits: Linux counts the memory of packets (`truesize`). Here data counts as its bytes: the page fragments of large
//! packets, which Linux's senders build, have about this size. The application continues as soon as a segment fits;
//! Linux wakes it when a third of the buffer is free (`sk_stream_is_writeable`), or when unsent data is half of the low
//! mark.

use crate::config::{Config, SendBufferSize};

/// Minimum number of segments in the size of an autotuned buffer (`TCP_INIT_CWND`).
const MIN_SEGMENTS: u64 = 10;
/// Bytes beside the data in the linear buffer of a packet: headers, and the shared information at its end.
const LINEAR_OVERHEAD: u64 = 320 + 320;
/// Bytes of a packet's descriptor (`struct sk_buff`).
const DESCRIPTOR: u64 = 256;

/// The bound of a send buffer.
#[derive(Debug)]
pub(super) struct SendBound {
    limit: u64,
    /// Maximum size of an autotuned buffer; `None` for a fixed one.
    max: Option<u64>,
    /// Unsent bytes from which the application waits.
    lowat: Option<u64>,
}

/// The position of the data in the buffer, as offsets.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferedData {
    /// First unacknowledged byte.
    pub una: u64,
    /// First unsent byte.
    pub nxt: u64,
    /// First byte that the buffer has not accepted.
    pub accepted: u64,
    /// First byte that the application has not written.
    pub written: u64,
}

impl SendBound {
    /// Creates the bound of the settings; `None` if the buffer is unlimited.
    pub fn new(config: &Config) -> Option<Box<Self>> {
        let lowat = config.notsent_lowat.map(|bytes| bytes.0);
        let (limit, max) = match config.send_buffer {
            SendBufferSize::Unlimited if lowat.is_none() => return None,
            SendBufferSize::Unlimited => (u64::MAX, None),
            SendBufferSize::Fixed(size) => (size.0, None),
            SendBufferSize::Autotuned(sizes) => (sizes.initial.0, Some(sizes.max.0)),
        };
        let mut bound = SendBound { limit, max, lowat };
        bound.expand(2, 0, config.segment);
        Some(Box::new(bound))
    }

    /// Expands an autotuned buffer to `windows` times the memory of `segments` segments with `mss` bytes of data.
    pub fn expand(&mut self, windows: u32, segments: u64, mss: u32) {
        if let Some(max) = self.max {
            let memory = (u64::from(mss) + LINEAR_OVERHEAD).next_power_of_two() + DESCRIPTOR;
            let wanted = u64::from(windows) * segments.max(MIN_SEGMENTS) * memory;
            self.limit = self.limit.max(wanted.min(max));
        }
    }

    /// Whether the buffer accepts data when data in it is sent.
    pub fn has_lowat(&self) -> bool {
        self.lowat.is_some()
    }

    /// Returns the bytes of waiting data that the buffer accepts now, for segments of `mss` bytes.
    pub fn count_accepted(&self, data: BufferedData, mss: u32) -> u64 {
        let mss = u64::from(mss.max(1));
        let unsent = data.accepted.saturating_sub(data.nxt);
        let room = self.limit.saturating_sub(data.accepted - data.una);
        let most = unsent.saturating_add(room);
        let most = self.lowat.map_or(most, |lowat| most.min(lowat.div_ceil(mss) * mss));
        let all = unsent.saturating_add(data.written - data.accepted);
        let target = if all <= most { all } else { most / mss * mss };
        target.saturating_sub(unsent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SendBufferSizes;
    use engine::Bytes;

    fn bound(send_buffer: SendBufferSize, lowat: Option<u64>) -> Box<SendBound> {
        let config = Config { send_buffer, notsent_lowat: lowat.map(Bytes), segment: 1460, ..Config::default() };
        SendBound::new(&config).unwrap()
    }

    /// By hand: 2 x 10 x (4096 + 256) bytes are Linux's first size, 87,040 bytes; 100 segments need 870,400, at most the
    /// maximum.
    #[test]
    fn autotuned_size_is_that_of_linux() {
        let sizes = SendBufferSizes { max: Bytes(800_000), ..SendBufferSizes::default() };
        let mut bound = bound(SendBufferSize::Autotuned(sizes), None);
        assert_eq!(bound.limit, 87_040);
        bound.expand(2, 50, 1460);
        assert_eq!(bound.limit, 435_200);
        bound.expand(2, 40, 1460);
        assert_eq!(bound.limit, 435_200, "it never shrinks");
        bound.expand(2, 100, 1460);
        assert_eq!(bound.limit, 800_000);
    }

    #[test]
    fn full_buffer_accepts_whole_segments() {
        let fixed = bound(SendBufferSize::Fixed(Bytes(4000)), None);
        let data = |una, nxt, accepted, written| BufferedData { una, nxt, accepted, written };
        assert_eq!(fixed.count_accepted(data(0, 0, 0, u64::MAX), 1460), 2920);
        assert_eq!(fixed.count_accepted(data(0, 0, 0, 3999), 1460), 3999, "everything fits");
        assert_eq!(fixed.count_accepted(data(0, 2920, 2920, 9000), 1460), 0, "1080 bytes are free");
        assert_eq!(fixed.count_accepted(data(1460, 2920, 2920, 9000), 1460), 1460);
        assert_eq!(fixed.count_accepted(data(1460, 1460, 2060, 9000), 1460), 2320, "the small segment is filled");
        let lowat = bound(SendBufferSize::Unlimited, Some(2000));
        assert_eq!(lowat.count_accepted(data(0, 0, 0, 9000), 1460), 2920);
        assert_eq!(lowat.count_accepted(data(0, 1460, 2920, 9000), 1460), 1460);
        assert_eq!(lowat.count_accepted(data(0, 0, 2920, 9000), 1460), 0);
    }
}
