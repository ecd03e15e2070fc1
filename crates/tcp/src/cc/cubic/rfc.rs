//! The curve of RFC 9438. All windows here are in segments.

use engine::{Span, Time};

use super::Config;

#[derive(Clone)]
pub(super) struct Rfc {
    c: f64,
    beta: f64,
    fast_convergence: bool,
    reno_friendly: bool,
    /// The window of the plateau; `None` before the first reduction and after a timeout [RFC9438 s4.8, s4.10].
    w_max: Option<f64>,
    /// The window before the last reduction.
    cwnd_prior: f64,
    epoch: Option<Epoch>,
}

/// Congestion avoidance since the last reduction.
#[derive(Clone)]
struct Epoch {
    start: Time,
    /// Time up to which t counts the time since the start, or does not: of the last acknowledgment, or of the end of
    /// the last idle time.
    last: Time,
    /// Window of the plateau (W_max).
    w_max: f64,
    /// Time from the start of the epoch to the plateau, in seconds (K).
    k: f64,
    /// Reno's window.
    w_est: f64,
}

impl Epoch {
    /// [RFC9438 s4.2 equation 1]
    fn window(&self, c: f64, t: f64) -> f64 {
        let distance = t - self.k;
        c * distance * distance * distance + self.w_max
    }
}

impl Rfc {
    pub fn new(config: &Config) -> Self {
        Rfc {
            c: config.c,
            beta: config.beta,
            fast_convergence: config.fast_convergence,
            reno_friendly: config.reno_friendly,
            w_max: None,
            cwnd_prior: 0.0,
            epoch: None,
        }
    }

    /// The window after `acked` segments have been acknowledged.
    pub fn grow(&mut self, now: Time, srtt: Span, cwnd: f64, acked: f64) -> f64 {
        let (c, w_max) = (self.c, self.w_max);
        let epoch = self.epoch.get_or_insert_with(|| {
            // [RFC9438 s4.2 equation 2]; s4.10 without a previous maximum.
            let w_max = w_max.map_or(cwnd, |w_max| w_max.max(cwnd));
            Epoch { start: now, last: now, w_max, k: libm::cbrt((w_max - cwnd) / c), w_est: cwnd }
        });
        epoch.last = now;
        let t = now.since(epoch.start).as_secs_f64();
        // [RFC9438 s4.2]: at least cwnd, at most one and a half times cwnd.
        let target = epoch.window(c, t + srtt.as_secs_f64()).clamp(cwnd, 1.5 * cwnd);
        if self.reno_friendly {
            // [RFC9438 s4.3 equation 4]; the slope of Reno once the estimate has reached the window before the
            // reduction.
            let alpha = if epoch.w_est < self.cwnd_prior { 3.0 * (1.0 - self.beta) / (1.0 + self.beta) } else { 1.0 };
            epoch.w_est += alpha * acked / cwnd;
            if epoch.window(c, t) < epoch.w_est {
                return epoch.w_est.max(cwnd);
            }
        }
        // [RFC9438 s4.4, s4.5]
        cwnd + (target - cwnd) / cwnd * acked
    }

    /// Reduces after a loss or mark at `cwnd`; `restart` states whether slow start begins again.
    pub fn cut(&mut self, cwnd: f64, restart: bool) {
        // [RFC9438 s4.7]
        let below = self.w_max.is_some_and(|w_max| cwnd < w_max);
        let w_max = if below && self.fast_convergence { cwnd * (1.0 + self.beta) / 2.0 } else { cwnd };
        // [RFC9438 s4.8]
        self.w_max = (!restart).then_some(w_max);
        self.cwnd_prior = cwnd;
        self.epoch = None;
    }

    /// Processes an acknowledgment that does not grow cwnd: the time since the last acknowledgment does not count
    /// [RFC9438 s5.8].
    pub fn skip(&mut self, now: Time) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start = now.min(epoch.start + now.since(epoch.last));
            epoch.last = now;
        }
    }

    /// Handles an idle time of `idle`: t does not advance [RFC9438 s5.8].
    pub fn pause(&mut self, now: Time, idle: Span) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start = now.min(epoch.start + idle);
            epoch.last = now;
        }
    }
}
