//! Estimate of the round trip time of the radio link, from the base station's transmission of a packet to its
//! acknowledgment.

use engine::{Span, Time};

/// Smoothed round trip time and its deviation, with the measurement in progress.
#[derive(Clone, Copy, Debug)]
pub struct AirRtt {
    gain: f64,
    smoothed: f64,
    deviation: f64,
    /// Timeout derived from the estimate; cached, since it is read for every packet and changes rarely.
    timeout: Span,
    /// Packet being measured: stream offset after its end, and its transmission time.
    measured: Option<(u64, Time)>,
    /// Stream offset up to which acknowledgments are ambiguous after a retransmission. No measurement begins before
    /// that offset is acknowledged.
    unclear: u64,
}

impl AirRtt {
    pub fn new(gain: f64, smoothed: Span, deviation: Span) -> Self {
        let [smoothed, deviation] = [smoothed, deviation].map(Span::as_secs_f64);
        AirRtt { gain, smoothed, deviation, timeout: compute_timeout(smoothed, deviation), measured: None, unclear: 0 }
    }

    /// Begins a measurement with a newly sent packet, unless one is in progress.
    pub fn start_measurement(&mut self, end: u64, acked: u64, now: Time) {
        if self.measured.is_none() && acked >= self.unclear {
            self.measured = Some((end, now));
        }
    }

    /// Cancels the measurement after a retransmission; `end` is the stream offset after all data sent.
    pub fn cancel_measurement(&mut self, end: u64) {
        self.measured = None;
        self.unclear = end;
    }

    /// Processes an acknowledgment up to `acked`; returns true if it completed a measurement.
    pub fn complete_measurement(&mut self, acked: u64, now: Time) -> bool {
        let Some((_, sent)) = self.measured.take_if(|(end, _)| *end <= acked) else { return false };
        self.sample(now.since(sent));
        true
    }

    /// Updates the estimate with a measured round trip time.
    pub fn sample(&mut self, rtt: Span) {
        let rtt = rtt.as_secs_f64();
        // The formulas are those printed in the paper: in the first the gain is the weight of the old estimate, in the
        // second that of the new deviation [snoop2002 3.4].
        self.smoothed = self.gain * self.smoothed + (1.0 - self.gain) * rtt;
        let deviation = (rtt - self.smoothed).abs();
        self.deviation = match self.deviation {
            0.0 => deviation,
            old => self.gain * deviation + (1.0 - self.gain) * old,
        };
        self.timeout = compute_timeout(self.smoothed, self.deviation);
    }

    /// Returns the timeout of the local timer: `max(srtt + 4 rttvar, tick)`.
    pub fn timeout(&self, tick: Span) -> Span {
        self.timeout.max(tick)
    }
}

fn compute_timeout(smoothed: f64, deviation: f64) -> Span {
    Span::from_nanos(((smoothed + 4.0 * deviation) * 1e9) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed by hand with gain 0.125 from 100 ms and 250 ms: a sample of 20 ms gives srtt 0.0125 + 0.0175 = 0.03,
    /// and deviation 0.125 x 0.01 + 0.875 x 0.25 = 0.22.
    #[test]
    fn estimate_matches_the_formulas() {
        let mut rtt = AirRtt::new(0.125, Span::from_millis(100), Span::from_millis(250));
        assert_eq!(rtt.timeout(Span::from_millis(100)), Span::from_millis(1100));
        rtt.start_measurement(1000, 0, Time::ZERO);
        rtt.start_measurement(2000, 0, Time::from_millis(5));
        assert!(!rtt.complete_measurement(999, Time::from_millis(19)));
        assert!(rtt.complete_measurement(2000, Time::from_millis(20)));
        assert_eq!(rtt.timeout(Span::from_millis(100)).as_nanos() / 1000, 910_000);
        assert_eq!(rtt.timeout(Span::from_secs(2)), Span::from_secs(2));
    }

    #[test]
    fn retransmission_cancels_the_measurement() {
        let mut rtt = AirRtt::new(0.125, Span::from_millis(100), Span::ZERO);
        rtt.start_measurement(1000, 0, Time::ZERO);
        rtt.cancel_measurement(3000);
        assert!(!rtt.complete_measurement(1000, Time::from_millis(20)));
        rtt.start_measurement(4000, 1000, Time::from_millis(21));
        assert!(!rtt.complete_measurement(4000, Time::from_millis(30)));
        rtt.start_measurement(5000, 4000, Time::from_millis(30));
        assert!(rtt.complete_measurement(5000, Time::from_millis(40)));
    }
}
