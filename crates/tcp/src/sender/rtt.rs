//! Round-trip times and the retransmission timeout that follows from them (RFC 6298).

use engine::{Span, Time};

use crate::config::{Arithmetic, BackOff, Config, Floor};

/// Smoothed round-trip time, its variation, and the back-off after timeouts.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    initial_rto: Span,
    min_rto: Span,
    max_rto: Span,
    floor: Floor,
    granularity: Span,
    arithmetic: Arithmetic,
    back_off: BackOff,
    /// SRTT in nanoseconds; with scaled ticks, in eighths of a tick.
    srtt: Option<i64>,
    /// Variation of the round trip in nanoseconds; with scaled ticks, in quarters of a tick.
    rttvar: i64,
    /// Meaningful once `srtt` is.
    min_rtt: Span,
    doublings: u32,
}

impl RttEstimator {
    /// An estimator without measurements.
    pub fn new(config: &Config) -> Self {
        RttEstimator {
            initial_rto: config.initial_rto,
            min_rto: config.min_rto,
            max_rto: config.max_rto,
            floor: config.rto_floor,
            granularity: config.rto_granularity,
            arithmetic: config.rto_arithmetic,
            back_off: config.rto_back_off,
            srtt: None,
            rttvar: 0,
            min_rtt: Span::ZERO,
            doublings: 0,
        }
    }

    /// Processes a measurement that ends `now` [RFC6298 s2.2, s2.3]. A measurement ends the back-off.
    #[inline]
    pub fn sample(&mut self, now: Time, rtt: Span) {
        self.min_rtt = self.min_rtt().map_or(rtt, |min| min.min(rtt));
        self.doublings = 0;
        if self.arithmetic == Arithmetic::ScaledTicks {
            return self.sample_ticks(now, rtt);
        }
        let rtt = self.in_ticks(rtt).as_nanos() as i64;
        match self.srtt {
            None => {
                self.srtt = Some(rtt);
                self.rttvar = rtt / 2;
            }
            Some(srtt) => {
                // The variation is updated first, with the old mean.
                self.rttvar += ((srtt - rtt).abs() - self.rttvar) / 4;
                self.srtt = Some(srtt + (rtt - srtt) / 8);
            }
        }
    }

    /// Processes a measurement in ticks. `>>` rounds down [Jacobson1988 A.2].
    fn sample_ticks(&mut self, now: Time, rtt: Span) {
        let tick = self.granularity.as_nanos().max(1);
        let ticks = (now.as_nanos() / tick - now.as_nanos().saturating_sub(rtt.as_nanos()) / tick).max(1) as i64;
        match self.srtt {
            None => (self.srtt, self.rttvar) = (Some(ticks << 3), ticks << 1),
            Some(srtt) => {
                let error = ticks - (srtt >> 3);
                self.srtt = Some((srtt + error).max(1));
                self.rttvar = (self.rttvar + error.abs() - (self.rttvar >> 2)).max(1);
            }
        }
    }

    /// Units in which the SRTT and its variation are stored.
    fn units(&self) -> [i64; 2] {
        match self.arithmetic {
            Arithmetic::Exact => [1, 1],
            Arithmetic::ScaledTicks => [8, 4].map(|parts| self.granularity.as_nanos() as i64 / parts),
        }
    }

    /// The min RTT measured (min_rtt).
    #[inline]
    pub fn min_rtt(&self) -> Option<Span> {
        self.srtt.map(|_| self.min_rtt)
    }

    /// The variation.
    pub fn variation(&self) -> Span {
        Span::from_nanos((self.rttvar * self.units()[1]) as u64)
    }

    /// The smoothed round-trip time, if any was measured.
    #[inline]
    pub fn measured_srtt(&self) -> Option<Span> {
        self.srtt.map(|_| self.srtt())
    }

    /// The number of doublings of the timeout.
    pub fn doublings(&self) -> u32 {
        self.doublings
    }

    /// A round trip in whole ticks of the clock, at least one.
    fn in_ticks(&self, rtt: Span) -> Span {
        let tick = self.granularity.as_nanos();
        match rtt.as_nanos().checked_div(tick) {
            None => rtt,
            Some(ticks) => Span::from_nanos(ticks.max(1) * tick),
        }
    }

    /// Expiry of a timer started at `now`: at a tick, unless the timer counts ticks from its start.
    #[inline]
    pub fn expiry(&self, now: Time) -> Time {
        let at = now + self.rto();
        let tick = self.granularity.as_nanos();
        if tick == 0 || self.arithmetic == Arithmetic::ScaledTicks {
            at
        } else {
            Time::from_nanos(at.as_nanos().div_ceil(tick) * tick)
        }
    }

    /// The smoothed round-trip time; zero before the first measurement.
    #[inline]
    pub fn srtt(&self) -> Span {
        Span::from_nanos((self.srtt.unwrap_or(0) * self.units()[0]) as u64)
    }

    /// The retransmission timeout, with back-off.
    #[inline]
    pub fn rto(&self) -> Span {
        let base = match self.srtt {
            None => self.initial_rto,
            // [Jacobson1988 A.2]: at least two ticks, since the first may end immediately after the start.
            Some(srtt) if self.arithmetic == Arithmetic::ScaledTicks => {
                let ticks = (srtt + (self.rttvar << 3)) >> 3;
                let tick = self.granularity;
                tick.times(ticks as u64).max(self.min_rto).max(tick.times(2))
            }
            Some(srtt) => {
                // [RFC6298 s2.3]
                let variation = (4 * self.rttvar).max(self.granularity.as_nanos() as i64);
                match self.floor {
                    Floor::Timeout => Span::from_nanos((srtt + variation) as u64).max(self.min_rto),
                    Floor::Variation => {
                        Span::from_nanos(srtt as u64) + Span::from_nanos(variation as u64).max(self.min_rto)
                    }
                }
            }
        };
        base.times(1 << self.doublings.min(32)).min(self.max_rto)
    }

    /// Undoes the back-off: the timeout was spurious.
    pub fn undo(&mut self) {
        self.doublings = 0;
    }

    /// Doubles the timeout after an expiry [RFC6298 s5.5].
    pub fn back_off(&mut self) {
        self.doublings += 1;
    }

    /// Processes the acknowledgment of new data, which ends the back-off if the back-off lasts only until then.
    pub fn on_advance(&mut self) {
        if self.back_off == BackOff::UntilAcknowledged {
            self.doublings = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Span = Span::from_millis;

    // covers [RFC6298 s2.1, s2.2, s2.3, s2.4]
    #[test]
    fn timeout_follows_the_equations() {
        let config = Config { initial_rto: MS(1000), min_rto: MS(200), max_rto: MS(64_000), ..Config::default() };
        let mut rtt = RttEstimator::new(&config);
        assert_eq!(rtt.rto(), MS(1000));
        rtt.sample(Time::ZERO, MS(100));
        assert_eq!((rtt.srtt(), rtt.rto()), (MS(100), MS(300)));
        rtt.sample(Time::ZERO, MS(180));
        // rttvar = 50 + (80 - 50) / 4 = 57.5; srtt = 100 + 80 / 8 = 110; rto = 110 + 4 x 57.5
        assert_eq!((rtt.srtt(), rtt.rto()), (MS(110), MS(340)));
        for _ in 0..200 {
            rtt.sample(Time::ZERO, MS(10));
        }
        assert_eq!(rtt.rto(), MS(200));
    }

    // covers [RFC6298 s2.5, s5.5]
    #[test]
    fn timeout_doubles_to_its_maximum() {
        let mut rtt = RttEstimator::new(&Config::default());
        rtt.sample(Time::ZERO, MS(100));
        let seen: Vec<u64> = (0..9)
            .map(|_| {
                let rto = rtt.rto().as_nanos() / 1_000_000_000;
                rtt.back_off();
                rto
            })
            .collect();
        assert_eq!(seen, [1, 2, 4, 8, 16, 32, 64, 64, 64]);
        rtt.on_advance();
        assert_eq!(rtt.rto(), MS(64_000));
        rtt.sample(Time::ZERO, MS(100));
        assert_eq!(rtt.rto(), MS(1000));
    }

    // covers [RFC4015 s3.4]: the back-off of a spurious timeout is undone.
    #[test]
    fn spurious_timeout_is_undone() {
        let mut rtt = RttEstimator::new(&Config::default());
        rtt.sample(Time::ZERO, MS(100));
        (0..3).for_each(|_| rtt.back_off());
        assert_eq!((rtt.rto(), rtt.doublings()), (MS(8000), 3));
        rtt.undo();
        assert_eq!((rtt.rto(), rtt.doublings()), (MS(1000), 0));
    }

    /// By hand with ticks of 500 ms: 100 ms are one tick, 1,300 ms are two. A timer that is started at 1.2 s for 1.5 s
    /// expires at the tick at 3 s. A timer that ends on a tick expires at that tick.
    #[test]
    fn coarse_clock_counts_ticks() {
        let mut rtt = RttEstimator::new(&Config { rto_granularity: MS(500), min_rto: MS(100), ..Config::default() });
        rtt.sample(Time::ZERO, MS(100));
        assert_eq!((rtt.srtt(), rtt.variation(), rtt.min_rtt()), (MS(500), MS(250), Some(MS(100))));
        assert_eq!(rtt.rto(), MS(1500));
        assert_eq!(rtt.expiry(Time::from_millis(1200)), Time::from_millis(3000));
        assert_eq!(rtt.expiry(Time::from_millis(1500)), Time::from_millis(3000));
        rtt.sample(Time::ZERO, MS(1300));
        // 1,000 ms: the variation 250 + (500 - 250) / 4 = 312.5, the mean 500 + 500 / 8 = 562.5.
        assert_eq!((rtt.srtt(), rtt.variation()), (Span::from_nanos(562_500_000), Span::from_nanos(312_500_000)));
        assert_eq!(rtt.min_rtt(), Some(MS(100)));
    }

    /// By hand: 100 ms give a mean of 100 and a variation of 50, so the timeout is 300 ms. With a minimum of 1 s for
    /// the timeout it is 1 s; with a minimum of 1 s for the variation, 100 ms and 1 s.
    // covers [RFC6298 s2.4]; Linux bounds the variation (`tcp_rto_min`).
    #[test]
    fn min_rto_bounds_the_timeout_or_the_variation() {
        for (floor, expected) in [(Floor::Timeout, 1000), (Floor::Variation, 1100)] {
            let mut rtt = RttEstimator::new(&Config { rto_floor: floor, ..Config::default() });
            assert_eq!((rtt.measured_srtt(), rtt.srtt()), (None, Span::ZERO));
            rtt.sample(Time::ZERO, MS(100));
            assert_eq!((rtt.rto(), rtt.measured_srtt()), (MS(expected), Some(MS(100))), "{floor:?}");
        }
    }

    #[test]
    fn bsd_back_off_ends_with_new_data() {
        let mut rtt = RttEstimator::new(&Config { rto_back_off: BackOff::UntilAcknowledged, ..Config::default() });
        rtt.back_off();
        assert_eq!(rtt.rto(), MS(2000));
        rtt.on_advance();
        assert_eq!(rtt.rto(), MS(1000));
    }
    // By hand, with a tick of 500 ms [Jacobson1988 A.2]: srtt is stored in eighths of a tick, the variation in
    // quarters.
    #[test]
    fn scaled_ticks_keep_a_variation_of_three_quarters_of_a_tick() {
        let config = Config { rto_granularity: MS(500), rto_arithmetic: Arithmetic::ScaledTicks, ..Config::default() };
        let mut rtt = RttEstimator::new(&config);
        let mut after = |now, length| {
            rtt.sample(Time::ZERO + MS(now), MS(length));
            (rtt.srtt.unwrap(), rtt.rttvar, rtt.rto())
        };
        // 100 ms count as one tick: 8/8 and 2/4; (8 + 2 x 8) >> 3 = 3 ticks.
        assert_eq!(after(100, 100), (8, 2, MS(1500)));
        // 2 >> 2 is zero, so the variation does not decay.
        assert_eq!(after(300, 100), (8, 2, MS(1500)));
        // Ticks at 500 and 1000 ms: an error of one; srtt 9/8, variation 3/4; (9 + 24) >> 3 = 4.
        assert_eq!(after(1050, 600), (9, 3, MS(2000)));
        // The error is 1 - (9 >> 3) = 0.
        assert_eq!(after(1200, 100), (9, 3, MS(2000)));
        // Five ticks: an error of 4; srtt 13/8, variation 3 + 4 - 0 = 7; (13 + 56) >> 3 = 8.
        assert_eq!(after(3700, 2400), (13, 7, MS(4000)));
        // One tick: 1 - (13 >> 3) = 0; variation 7 - 1 = 6; (13 + 48) >> 3 = 7.
        assert_eq!(after(3800, 50), (13, 6, MS(3500)));
        // The timer runs for whole ticks from its start, at least two.
        assert_eq!(rtt.expiry(Time::ZERO + MS(3800)), Time::ZERO + MS(7300));
        (rtt.srtt, rtt.rttvar) = (Some(1), 1);
        rtt.min_rto = Span::ZERO;
        assert_eq!((rtt.rto(), rtt.srtt(), rtt.variation()), (MS(1000), Span::from_nanos(62_500_000), MS(125)));
    }
}
