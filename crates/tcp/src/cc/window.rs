//! The window of the controls of Reno's family: cwnd and ssthresh, Reno's growth [RFC5681 s3.1], reductions, and the
//! values before them for an undo.
//!
//! There are two rules of growth. `per-ack` is the RFC's equations 2 and 3 in bytes. `counted` is the RFC's recommended
//! counting of acknowledged bytes [RFC5681 s3.1, RFC3465] as in Linux (`tcp_slow_start`, `tcp_cong_avoid_ai`): cwnd
//! grows by whole segments, slow start stops exactly at ssthresh, and the remaining bytes count towards congestion
//! avoidance.
//!
//! Deviation of `counted` from Linux: bytes are counted, not packets, so a short last segment counts with its bytes.

use engine::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Congestion, Start};

/// How a window grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Growth {
    /// cwnd grows with each acknowledgment: by at most a segment in slow start, by `segment^2 / cwnd` above ssthresh
    /// [RFC5681 s3.1 equations 2, 3].
    #[default]
    PerAck,
    /// cwnd grows by whole segments, once enough bytes have been acknowledged [RFC5681 s3.1, RFC3465], as in Linux.
    Counted,
}

/// Growth per acknowledgment while cwnd equals ssthresh, where either rule is permitted [RFC5681 s3.1].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AtThreshold {
    /// Slow start [goel1997 2.3].
    #[default]
    SlowStart,
    /// Growth of congestion avoidance, as in ns-2 (`TcpAgent::opencwnd`).
    CongestionAvoidance,
}

/// cwnd, ssthresh, and the state of Reno's growth. All in bytes.
pub(crate) struct RenoWindow {
    pub segment: f64,
    pub cwnd: f64,
    pub ssthresh: f64,
    growth: Growth,
    at_ssthresh: AtThreshold,
    /// `counted`: bytes acknowledged towards the next segment.
    counted: f64,
    /// cwnd and ssthresh before the last reduction, or before the first one of an episode.
    before: (f64, f64),
}

impl RenoWindow {
    pub fn new(start: &Start, growth: Growth) -> Self {
        RenoWindow {
            segment: start.segment,
            cwnd: start.cwnd.max(start.segment),
            ssthresh: start.ssthresh,
            growth,
            at_ssthresh: AtThreshold::default(),
            counted: 0.0,
            before: (start.cwnd, start.ssthresh),
        }
    }

    /// Sets the rule at ssthresh.
    pub fn at_ssthresh(self, at_ssthresh: AtThreshold) -> Self {
        RenoWindow { at_ssthresh, ..self }
    }

    /// Whether the next acknowledgment is in slow start. If cwnd equals ssthresh, Linux, which counts bytes, is not.
    pub fn slow_start(&self) -> bool {
        match (self.growth, self.at_ssthresh) {
            (Growth::PerAck, AtThreshold::SlowStart) => self.cwnd <= self.ssthresh,
            (Growth::PerAck, AtThreshold::CongestionAvoidance) | (Growth::Counted, _) => self.cwnd < self.ssthresh,
        }
    }

    /// Grows cwnd as Reno does for `bytes` newly acknowledged bytes. Slow start uses at most `limit` of them.
    #[inline]
    pub fn grow(&mut self, bytes: f64, limit: f64) {
        let left = if self.slow_start() { self.grow_slow_start(bytes.min(limit)) } else { bytes };
        if left > 0.0 {
            self.grow_by_one_every(self.cwnd, left);
        }
    }

    /// Grows cwnd by `bytes` in slow start. Returns the bytes that remain for congestion avoidance, which are zero if
    /// growth is `per-ack`.
    #[inline]
    pub fn grow_slow_start(&mut self, bytes: f64) -> f64 {
        match self.growth {
            // [RFC5681 s3.1 equation 2]; `bytes` is limited by the caller.
            Growth::PerAck => {
                self.cwnd += bytes;
                0.0
            }
            Growth::Counted => {
                let grown = (self.cwnd + bytes).min(self.ssthresh.max(self.cwnd));
                let left = bytes - (grown - self.cwnd);
                self.cwnd = grown;
                left
            }
        }
    }

    /// Adds one segment per `every` acknowledged bytes; `bytes` more are acknowledged.
    #[inline]
    pub fn grow_by_one_every(&mut self, every: f64, bytes: f64) {
        match self.growth {
            // [RFC5681 s3.1 equation 3], which grows per acknowledgment, independent of the acknowledged bytes.
            Growth::PerAck => self.cwnd += self.segment * self.segment / every,
            Growth::Counted => {
                // Bytes counted towards a larger threshold add one segment, not several.
                if self.counted >= every {
                    self.counted = 0.0;
                    self.cwnd += self.segment;
                }
                self.counted += bytes;
                let segments = (self.counted / every).floor();
                self.counted -= segments * every;
                self.cwnd += segments * self.segment;
            }
        }
    }

    /// Processes `event`, with the `ssthresh` of a loss (at least two segments); `again` states whether it follows a
    /// reduction that may still be undone. Returns whether cwnd or ssthresh was reduced.
    pub fn reduce(&mut self, event: Congestion, ssthresh: f64, again: bool) -> bool {
        // An unknown cwnd must not make ssthresh unknown.
        let ssthresh = if ssthresh.is_finite() { ssthresh.max(2.0 * self.segment) } else { self.cwnd };
        if !again && event != Congestion::Notified {
            self.before = (self.cwnd, self.ssthresh);
        }
        match event {
            Congestion::Notified => return false,
            // [RFC5681 s3.1]: not again for a segment that times out again.
            Congestion::Timeout { nth: 2.. } => self.cwnd = self.segment,
            Congestion::Restart | Congestion::Timeout { .. } => {
                self.ssthresh = ssthresh;
                self.cwnd = self.segment;
            }
            // [RFC5681 s3.2 step 2, RFC3168 s6.1.2]
            Congestion::FastRetransmit | Congestion::Ecn => {
                self.ssthresh = ssthresh;
                self.cwnd = ssthresh;
            }
        }
        self.counted = 0.0;
        true
    }

    /// Restores cwnd and ssthresh, unless their current values are larger.
    pub fn undo(&mut self) {
        self.cwnd = self.cwnd.max(self.before.0);
        self.ssthresh = self.ssthresh.max(self.before.1);
    }

    /// The pacing rate in bytes per second that spreads cwnd over the round trip, as in Linux
    /// (`tcp_update_pacing_rate`): twice as fast as cwnd allows while that is below half of ssthresh, 1.2 times above.
    /// `None` before a round trip is known.
    pub fn pacing_rate(&self, srtt: Span) -> Option<f64> {
        let gain = if self.cwnd < self.ssthresh / 2.0 { 2.0 } else { 1.2 };
        (srtt > Span::ZERO).then(|| gain * self.cwnd / srtt.as_secs_f64())
    }

    /// Reduces cwnd to the restart window after idle time [RFC5681 s4.1].
    pub fn restart(&mut self, restart: Option<f64>) {
        if let Some(restart) = restart {
            self.cwnd = self.cwnd.min(restart).max(self.segment);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Stream;

    fn window(cwnd: f64, ssthresh: f64) -> RenoWindow {
        let start =
            Start { segment: 1000.0, cwnd: cwnd * 1000.0, ssthresh: ssthresh * 1000.0, stream: Stream::default() };
        RenoWindow::new(&start, Growth::Counted)
    }

    // covers [RFC5681 s3.1]
    #[test]
    fn slow_start_stops_at_ssthresh_and_the_remaining_bytes_count() {
        let mut window = window(4.0, 6.0);
        window.grow(5000.0, f64::INFINITY);
        assert_eq!((window.cwnd, window.counted), (6000.0, 3000.0));
        window.grow(2000.0, f64::INFINITY);
        assert_eq!((window.cwnd, window.counted), (6000.0, 5000.0));
        window.grow(1000.0, f64::INFINITY);
        assert_eq!((window.cwnd, window.counted), (7000.0, 0.0));
    }

    // covers [RFC3465 s2.2]: at most L segments an acknowledgment.
    #[test]
    fn slow_start_uses_at_most_the_limit() {
        let mut window = window(4.0, f64::INFINITY);
        window.grow(5000.0, 2000.0);
        assert_eq!(window.cwnd, 6000.0);
    }

    /// Bytes that are counted before a reduction do not grow cwnd after the reduction.
    #[test]
    fn reduction_clears_counted_bytes() {
        let mut window = window(10.0, 2.0);
        window.grow(9000.0, f64::INFINITY);
        window.reduce(Congestion::FastRetransmit, 5000.0, false);
        window.grow(4000.0, f64::INFINITY);
        assert_eq!(window.cwnd, 5000.0);
        window.grow(1000.0, f64::INFINITY);
        assert_eq!(window.cwnd, 6000.0);
    }

    // covers [RFC4015 s3.2]: of two reductions for one loss both are undone, of two separate reductions only the last
    // one.
    #[test]
    fn undo_restores_cwnd_from_before_all_reductions_of_an_episode() {
        let mut window = window(20.0, f64::INFINITY);
        window.reduce(Congestion::FastRetransmit, 10_000.0, false);
        window.reduce(Congestion::Timeout { nth: 1 }, 5000.0, true);
        assert_eq!((window.cwnd, window.ssthresh), (1000.0, 5000.0));
        window.undo();
        assert_eq!((window.cwnd, window.ssthresh), (20_000.0, f64::INFINITY));
        window.reduce(Congestion::FastRetransmit, 10_000.0, false);
        window.reduce(Congestion::Ecn, 5000.0, false);
        window.undo();
        assert_eq!((window.cwnd, window.ssthresh), (10_000.0, 10_000.0));
    }

    /// With 10 segments and a round trip of 100 ms, pacing is twice as fast below half of ssthresh.
    #[test]
    fn pacing_rate_spreads_cwnd_over_the_round_trip() {
        let rate = |ssthresh| window(10.0, ssthresh).pacing_rate(Span::from_millis(100));
        assert_eq!(rate(f64::INFINITY), Some(200_000.0));
        assert_eq!(rate(20.0), Some(120_000.0));
        assert_eq!(window(10.0, 20.0).pacing_rate(Span::ZERO), None);
    }

    /// Bytes counted towards a threshold that becomes smaller add one segment.
    #[test]
    fn smaller_threshold_adds_one_segment_at_once() {
        let mut window = window(10.0, 2.0);
        window.grow_by_one_every(20_000.0, 14_000.0);
        window.grow_by_one_every(2000.0, 1000.0);
        assert_eq!((window.cwnd, window.counted), (11_000.0, 1000.0));
    }
}
