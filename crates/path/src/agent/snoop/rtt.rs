//! The round-trip time of the air: from when a packet goes out at the base station to its acknowledgment.

use engine::{Span, Time};

/// An estimate.
#[derive(Clone, Copy, Debug)]
pub struct AirRtt {
    gain: f64,
    smoothed: f64,
    deviation: f64,
    /// How long an acknowledgment is waited for by these two: asked for with every packet, changed by few.
    patience: Span,
    /// What is measured: offset behind the packet, and when it went out.
    measured: Option<(u64, Time)>,
    /// Something before here was sent again: until it is acknowledged nothing is measured.
    unclear: u64,
}

impl AirRtt {
    pub fn new(gain: f64, smoothed: Span, deviation: Span) -> Self {
        let [smoothed, deviation] = [smoothed, deviation].map(Span::as_secs_f64);
        AirRtt { gain, smoothed, deviation, patience: patience(smoothed, deviation), measured: None, unclear: 0 }
    }

    /// A new packet goes out. One in each window is measured.
    pub fn sent(&mut self, end: u64, acked: u64, now: Time) {
        if self.measured.is_none() && acked >= self.unclear {
            self.measured = Some((end, now));
        }
    }

    /// Something was sent again; `end` is behind all that has gone out.
    pub fn resent(&mut self, end: u64) {
        self.measured = None;
        self.unclear = end;
    }

    /// Everything before `acked` is acknowledged; whether that gave a sample.
    pub fn acknowledged(&mut self, acked: u64, now: Time) -> bool {
        let Some((_, sent)) = self.measured.take_if(|(end, _)| *end <= acked) else { return false };
        self.sample(now.since(sent));
        true
    }

    /// A packet took this long to be acknowledged.
    pub fn sample(&mut self, rtt: Span) {
        let rtt = rtt.as_secs_f64();
        // As printed: the gain is the share of the old estimate in the first, of the new deviation in the second
        // [snoop2002 3.4].
        self.smoothed = self.gain * self.smoothed + (1.0 - self.gain) * rtt;
        let deviation = (rtt - self.smoothed).abs();
        self.deviation = match self.deviation {
            0.0 => deviation,
            old => self.gain * deviation + (1.0 - self.gain) * old,
        };
        self.patience = patience(self.smoothed, self.deviation);
    }

    /// How long an acknowledgment is waited for: `max(srtt + 4 rttvar, tick)`.
    pub fn timeout(&self, tick: Span) -> Span {
        self.patience.max(tick)
    }
}

fn patience(smoothed: f64, deviation: f64) -> Span {
    Span::from_nanos(((smoothed + 4.0 * deviation) * 1e9) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, with gain 0.125 from 100 ms and 250 ms: 20 ms gives srtt 0.0125 + 0.0175 = 0.03, deviation 0.125 x 0.01 +
    /// 0.875 x 0.25 = 0.22.
    #[test]
    fn the_estimate_is_that_of_the_formulas() {
        let mut rtt = AirRtt::new(0.125, Span::from_millis(100), Span::from_millis(250));
        assert_eq!(rtt.timeout(Span::from_millis(100)), Span::from_millis(1100));
        rtt.sent(1000, 0, Time::ZERO);
        rtt.sent(2000, 0, Time::from_millis(5));
        assert!(!rtt.acknowledged(999, Time::from_millis(19)));
        assert!(rtt.acknowledged(2000, Time::from_millis(20)));
        assert_eq!(rtt.timeout(Span::from_millis(100)).as_nanos() / 1000, 910_000);
        assert_eq!(rtt.timeout(Span::from_secs(2)), Span::from_secs(2));
    }

    #[test]
    fn nothing_is_measured_across_a_retransmission() {
        let mut rtt = AirRtt::new(0.125, Span::from_millis(100), Span::ZERO);
        rtt.sent(1000, 0, Time::ZERO);
        rtt.resent(3000);
        assert!(!rtt.acknowledged(1000, Time::from_millis(20)));
        rtt.sent(4000, 1000, Time::from_millis(21));
        assert!(!rtt.acknowledged(4000, Time::from_millis(30)));
        rtt.sent(5000, 4000, Time::from_millis(30));
        assert!(rtt.acknowledged(5000, Time::from_millis(40)));
    }
}
