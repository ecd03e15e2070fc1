//! The data that real hosts received.

use engine::Time;

/// Data that left the network for the first time: TCP data without retransmissions, and the payload of UDP.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DeliveredData {
    bytes: u64,
    /// Time at which the first packet of a real host entered.
    began: Option<Time>,
    /// Time at which the latest new data left.
    last: Time,
}

impl DeliveredData {
    /// Records that a packet of a real host enters.
    pub(crate) fn begin(&mut self, at: Time) {
        self.began.get_or_insert(at);
    }

    /// Records that a packet with this many bytes of new data leaves.
    pub(crate) fn add(&mut self, bytes: u64, at: Time) {
        if bytes > 0 {
            self.bytes += bytes;
            self.last = at;
        }
    }

    /// Returns the time at which the first packet of a real host entered.
    pub fn began(&self) -> Option<Time> {
        self.began
    }

    /// The number of bytes, in all directions.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bits per second, from the first packet to the latest new data; `None` without data.
    pub fn goodput_bps(&self) -> Option<f64> {
        let seconds = self.last.since(self.began?).as_secs_f64();
        (self.bytes > 0 && seconds > 0.0).then(|| self.bytes as f64 * 8.0 / seconds)
    }
}
