//! The curve as Linux computes it (`tcp_cubic.c` of Linux 6), in whole segments and milliseconds (jiffies at 1000 Hz).
//!
//! The window grows by one segment for every `cnt` acknowledged:
//!
//! ```text
//! t = now - epoch + min rtt, in 1/1024 s;   target = origin -+ C |t - K|^3
//! cnt = cwnd / (target - cwnd), or 100 cwnd if the target is not above cwnd; at most 20 before the first plateau
//! Reno's window: one more for every cwnd (15 at beta = 717/1024) / 8 acknowledged; if above cwnd, cnt <= cwnd / difference
//! cnt >= 2
//! ```
//!
//! It is computed at most once a millisecond, and for an unchanged cwnd once in 31 ms. A timeout clears all state.
//! Deviation: the cube root is exact, where Linux's table and one step of Newton's method are 0.2 % off on average.

use engine::{Span, Time};

use super::Config;

/// For an unchanged cwnd a count is valid for this many milliseconds (HZ / 32).
const HOLDS: u64 = 31;
/// Round trips are ignored for this many milliseconds after an epoch began.
const SETTLES: u64 = 1000;
/// The unit of shares is 1/1024.
const SCALE: u64 = 1024;

pub(super) struct Linux {
    /// C times 1024 over 10 (`bic_scale`), beta in 1/1024.
    scale: u64,
    beta: u64,
    fast_convergence: bool,
    reno_friendly: bool,
    /// The min RTT.
    min_rtt: Option<Span>,
    /// Windows: at the last reduction, at the last computation, of the plateau, of Reno. Zero if unset.
    last_max: u64,
    last_cwnd: u64,
    origin: u64,
    reno: u64,
    /// Milliseconds: the last computation, the beginning of the epoch.
    last_time: u64,
    epoch: Option<u64>,
    /// The time of the plateau, in 1/1024 s after the epoch began.
    k: u64,
    /// Segments acknowledged towards the next increase of Reno's window.
    acked: u64,
    count: u64,
}

fn count_milliseconds(now: Time) -> u64 {
    now.as_nanos() / engine::time::NANOS_PER_MILLI
}

impl Linux {
    pub fn new(config: &Config) -> Self {
        Linux {
            // 0.4 is 41, 0.7 is 717.
            scale: (config.c * SCALE as f64 / 10.0).round() as u64,
            beta: (config.beta * SCALE as f64).round() as u64,
            fast_convergence: config.fast_convergence,
            reno_friendly: config.reno_friendly,
            min_rtt: None,
            last_max: 0,
            last_cwnd: 0,
            origin: 0,
            reno: 0,
            last_time: 0,
            epoch: None,
            k: 0,
            acked: 0,
            count: 2,
        }
    }

    /// Processes a round trip sample. Returns whether it was used.
    pub fn measure(&mut self, now: Time, rtt: Span) -> bool {
        if self.epoch.is_some_and(|epoch| count_milliseconds(now).saturating_sub(epoch) < SETTLES) {
            return false;
        }
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |min_rtt| min_rtt.min(rtt)));
        true
    }

    /// The number of acknowledged segments per segment of growth at `cwnd`, after `acked` more are acknowledged.
    pub fn count(&mut self, now: Time, cwnd: u64, acked: u64) -> u64 {
        let now = count_milliseconds(now);
        self.acked += acked;
        if self.last_cwnd == cwnd && now.saturating_sub(self.last_time) <= HOLDS {
            return self.count;
        }
        if self.epoch.is_none() || now != self.last_time {
            self.last_cwnd = cwnd;
            self.last_time = now;
            self.follow_the_curve(now, cwnd, acked);
        }
        if self.reno_friendly {
            self.follow_reno(cwnd);
        }
        self.count = self.count.max(2);
        self.count
    }

    fn follow_the_curve(&mut self, now: u64, cwnd: u64, acked: u64) {
        let epoch = match self.epoch {
            Some(epoch) => epoch,
            None => {
                self.epoch = Some(now);
                (self.acked, self.reno) = (acked, cwnd);
                self.origin = self.last_max.max(cwnd);
                // K^3 = (origin - cwnd) / C, with K in 1/1024 s.
                let cube = (1_u64 << 40) as f64 / (self.scale * 10) as f64 * (self.origin - cwnd) as f64;
                self.k = libm::cbrt(cube) as u64;
                now
            }
        };
        let min_rtt = self.min_rtt.map_or(0, |min_rtt| min_rtt.as_nanos().div_ceil(engine::time::NANOS_PER_MILLI));
        let t = (now.saturating_sub(epoch) + min_rtt) * SCALE / 1000;
        let offset = u128::from(t.abs_diff(self.k));
        let delta = (u128::from(self.scale * 10) * offset * offset * offset) >> 40;
        let delta = u64::try_from(delta).unwrap_or(u64::MAX);
        let target = if t < self.k { self.origin.saturating_sub(delta) } else { self.origin.saturating_add(delta) };
        self.count = if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd };
        // The target may be far away before the first plateau: growth of 5 % per round trip.
        if self.last_max == 0 {
            self.count = self.count.min(20);
        }
    }

    fn follow_reno(&mut self, cwnd: u64) {
        let slope = 8 * (SCALE + self.beta) / 3 / (SCALE - self.beta);
        let every = ((cwnd * slope) >> 3).max(1);
        if self.acked > every {
            let more = (self.acked - 1) / every;
            self.acked -= more * every;
            self.reno += more;
        }
        if self.reno > cwnd {
            self.count = self.count.min(cwnd / (self.reno - cwnd));
        }
    }

    /// Reduces after a loss at `cwnd` and returns ssthresh; `restart` states whether slow start begins again.
    pub fn cut(&mut self, cwnd: u64, restart: bool) -> u64 {
        let below = cwnd < self.last_max && self.fast_convergence;
        let last_max = if below { cwnd * (SCALE + self.beta) / (2 * SCALE) } else { cwnd };
        self.epoch = None;
        self.last_max = last_max;
        if restart {
            (self.last_max, self.last_cwnd, self.last_time, self.origin, self.reno) = (0, 0, 0, 0, 0);
            (self.k, self.acked, self.count, self.min_rtt) = (0, 0, 2, None);
        }
        (cwnd * self.beta / SCALE).max(2)
    }

    /// Handles an idle time of `idle`.
    pub fn pause(&mut self, now: Time, idle: Span) {
        if let Some(epoch) = &mut self.epoch {
            *epoch = (*epoch + idle.as_nanos() / engine::time::NANOS_PER_MILLI).min(count_milliseconds(now));
        }
    }
}
