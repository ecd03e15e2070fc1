//! Segmentation offload: the segments of new data that a sender builds as one [Linux `tcp_write_xmit`].
//!
//! Linux cuts what the windows permit into large segments. The device cuts each of them into segments of the mss, and
//! the last of several has PSH [Linux `__tcp_transmit_skb`]. A receiver acknowledges a segment with PSH sooner. A large
//! segment has at least two segments, and otherwise (`tcp_tso_autosize`)
//!
//! ```text
//! bytes = rate / 2^10 + 64 KiB / 2^(min RTT / 512 us)         at most 64 KiB
//! rate  = 2 cwnd / SRTT while cwnd < ssthresh / 2, afterwards 1.2 cwnd / SRTT      (tcp_update_pacing_rate)
//! ```
//!
//! Limits: retransmissions have no large segments, a sender does not wait in order to enlarge one
//! (`tcp_tso_should_defer`), and under pacing each segment is sent by itself.

use engine::{Span, Time};

/// Maximum size of a large segment (`sk_gso_max_size`).
const MAX_SIZE: f64 = 65_536.0;

/// Minimum number of segments in a large segment (`tcp_min_tso_segs`).
const MIN_SEGMENTS: u32 = 2;

/// The inputs to the size of a large segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct LargeSegmentInputs {
    /// Bytes in a segment.
    pub mss: f64,
    /// In bytes.
    pub cwnd: f64,
    /// In bytes.
    pub ssthresh: f64,
    /// `None` before the first sample.
    pub srtt: Option<Span>,
    /// `None` before the first sample.
    pub min_rtt: Option<Span>,
}

impl LargeSegmentInputs {
    /// Returns the number of segments in a large segment.
    fn count_segments(&self) -> u32 {
        let (Some(srtt), Some(min_rtt)) = (self.srtt, self.min_rtt) else { return MIN_SEGMENTS };
        let rate = compute_pacing_rate(self.cwnd, self.ssthresh, srtt);
        let halvings = (min_rtt.as_nanos() / 512_000).min(32);
        let bytes = (rate / 1024.0 + MAX_SIZE / (1_u64 << halvings) as f64).min(MAX_SIZE);
        ((bytes / self.mss) as u32).max(MIN_SEGMENTS)
    }
}

/// Returns the rate at which Linux paces with a control that sets no rate, in bytes per second (`tcp_update_pacing_rate`).
pub(super) fn compute_pacing_rate(cwnd: f64, ssthresh: f64, srtt: Span) -> f64 {
    let factor = if cwnd < ssthresh / 2.0 { 2.0 } else { 1.2 };
    factor * cwnd / srtt.as_secs_f64().max(1e-9)
}

/// The large segment of which the last segment of new data was a part.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LargeSegment {
    sent_at: Time,
    /// Segments so far.
    count: u32,
    /// Maximum number of segments.
    most: u32,
}

impl LargeSegment {
    /// Adds a segment that is sent now; `more` states whether another one can follow at once. Returns whether the
    /// segment is the last one of several.
    #[inline]
    pub fn add_segment(&mut self, now: Time, more: bool, inputs: impl FnOnce() -> LargeSegmentInputs) -> bool {
        if self.sent_at != now || self.count == self.most {
            *self = LargeSegment { sent_at: now, count: 0, most: inputs().count_segments() };
        }
        self.count += 1;
        let is_last = self.count == self.most || !more;
        let has_several = self.count > 1;
        if is_last {
            self.count = self.most;
        }
        is_last && has_several
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(cwnd: f64, rtt: Span) -> LargeSegmentInputs {
        LargeSegmentInputs { mss: 1448.0, cwnd, ssthresh: 20_000.0, srtt: Some(rtt), min_rtt: Some(rtt) }
    }

    /// 1.2 x 1,448,000 bytes in 100 ms are 17.4 MB/s, and a 1024th of them 16,969 bytes: 11 segments.
    // covers [Linux `tcp_tso_autosize`]
    #[test]
    fn large_segment_has_the_data_of_a_millisecond_and_at_least_two_segments() {
        assert_eq!(inputs(1_448_000.0, Span::from_millis(100)).count_segments(), 11);
        assert_eq!(inputs(30_000.0, Span::from_millis(100)).count_segments(), 2);
        // Twice the rate in slow start: 2 x 9,000 / 10 us / 1024 = 1,757,812 bytes, beyond 64 KiB.
        assert_eq!(inputs(9_000.0, Span::from_nanos(10_000)).count_segments(), 45);
        // A round trip of 1 ms halves 64 KiB once: 32,768 + 1.2 x 30,000 / 1 ms / 1024 = 67,924 bytes; one of 4 ms
        // seven times: 512 + 8,789 bytes.
        assert_eq!(inputs(30_000.0, Span::from_millis(1)).count_segments(), 45);
        assert_eq!(inputs(30_000.0, Span::from_millis(4)).count_segments(), 6);
        assert_eq!(LargeSegmentInputs { srtt: None, ..inputs(9e9, Span::ZERO) }.count_segments(), 2);
    }

    /// Five segments are sent together, then one alone, then two at the time of another acknowledgment.
    // covers [Linux `__tcp_transmit_skb`]
    #[test]
    fn last_of_several_segments_sent_together_has_psh() {
        let mut large = LargeSegment::default();
        let mut add = |millis, more| {
            large.add_segment(Time::from_millis(millis), more, || inputs(30_000.0, Span::from_millis(100)))
        };
        assert_eq!([true, true, true, true, false].map(|more| add(1, more)), [false, true, false, true, false]);
        assert!(!add(2, false));
        assert_eq!([true, false].map(|more| add(3, more)), [false, true]);
        assert_eq!([true, false].map(|more| add(3, more)), [false, true], "after another acknowledgment");
    }
}
