//! The retransmission timer (RFC 6298): round trip estimate, back-off, expiry, and failure of the connection.

use engine::{Span, Time};

use super::rtt::RttEstimator;
use super::user_timeout::UserTimeout;
use crate::config::{Config, Sampling, TimerRestart};

/// The retransmission timer and its estimate.
///
/// It runs exactly while `expiry` is not NEVER. A running timer is changed only by acknowledgments, by its own expiry,
/// and by retransmissions according to `TimerRestart`. The number of expiries that count as congestion is at most the
/// number of consecutive expiries.
#[derive(Debug)]
pub(super) struct RetransmitTimer {
    rtt: RttEstimator,
    expiry: Time,
    /// The byte whose acknowledgment ends the measurement in progress, and the time at which the measurement began.
    timed: Option<(u64, Time)>,
    /// Number of consecutive expiries.
    consecutive: u32,
    /// Number of consecutive expiries that count as congestion.
    congestion: u32,
    /// Retransmissions before the connection is given up.
    max_retries: Option<u32>,
    max_rto: Span,
    restart: TimerRestart,
    sampling: Sampling,
    /// Boxed, because few applications set it.
    user_timeout: Option<Box<UserTimeout>>,
}

/// An expiry: the number of consecutive expiries, and the next timeout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Expiry {
    pub nth: u32,
    pub rto: Span,
}

impl RetransmitTimer {
    pub fn new(config: &Config) -> Self {
        RetransmitTimer {
            rtt: RttEstimator::new(config),
            expiry: Time::NEVER,
            timed: None,
            consecutive: 0,
            congestion: 0,
            max_retries: config.retries.data.max(),
            max_rto: config.max_rto,
            restart: config.rto_restart,
            sampling: config.rtt_sampling,
            user_timeout: None,
        }
    }

    /// Copies the application's settings from another timer, before anything was sent.
    pub fn inherit(&mut self, old: RetransmitTimer) {
        self.user_timeout = old.user_timeout;
    }

    pub fn set_user_timeout(&mut self, timeout: Option<Span>) {
        self.user_timeout.get_or_insert_default().set(timeout);
    }

    #[inline]
    pub fn rtt(&self) -> &RttEstimator {
        &self.rtt
    }

    /// Expiry of the timer; NEVER while it is stopped.
    #[inline]
    pub fn expiry(&self) -> Time {
        self.expiry
    }

    /// Expiry of the timer if it started now.
    #[inline]
    pub fn expiry_from(&self, now: Time) -> Time {
        self.rtt.expiry(now)
    }

    #[inline]
    pub fn is_running(&self) -> bool {
        self.expiry != Time::NEVER
    }

    /// Starts or restarts the timer [RFC6298 s5.3].
    #[inline]
    pub fn start(&mut self, now: Time) {
        self.expiry = self.rtt.expiry(now);
    }

    /// Stops the timer [RFC6298 s5.2].
    #[inline]
    pub fn stop(&mut self) {
        self.expiry = Time::NEVER;
    }

    /// Handles the transmission of a segment [RFC6298 s5.1].
    #[inline]
    pub fn on_sent(&mut self, now: Time) {
        if !self.is_running() {
            self.start(now);
        }
    }

    /// Processes a retransmission. `prompted` is true if the first unacknowledged segment was retransmitted because of
    /// an acknowledgment or a message.
    pub fn on_resent(&mut self, now: Time, prompted: bool) {
        if let Some(user) = &mut self.user_timeout {
            user.on_resent(now);
        }
        // Karn: a retransmitted segment is not timed [RFC6298 s3]. Neither is a later segment, as in 4.3BSD [WS96]: its
        // acknowledgment waits until the hole is filled, and does not measure the path.
        self.timed = None;
        if prompted && self.restart == TimerRestart::Retransmissions {
            self.start(now);
        }
    }

    /// Handles the start of a fast recovery by a retransmission.
    pub fn on_fast_retransmit(&mut self, now: Time) {
        if self.restart != TimerRestart::Acknowledgments {
            self.start(now);
        }
    }

    /// Processes the acknowledgment of new data. `all_answered` is true if no retransmitted segment is outstanding.
    #[inline]
    pub fn on_advance(&mut self, all_answered: bool) {
        self.consecutive = 0;
        self.congestion = 0;
        if let Some(user) = self.user_timeout.as_mut().filter(|_| all_answered) {
            user.on_all_answered();
        }
        self.rtt.on_advance();
    }

    /// Notes that the other end has advertised a closed window, and is therefore alive. Retransmissions are probes, and
    /// do not count towards failure [RFC9293 s3.8.6.1].
    pub fn on_closed_window(&mut self) {
        self.consecutive = 0;
    }

    /// Handles the expiry of the timer [RFC6298 s5.5, s5.6]. Returns `None` if the user timeout has expired. The first
    /// of consecutive expiries does not check the user timeout.
    pub fn on_expiry(&mut self, now: Time) -> Option<Expiry> {
        if let Some(user) = self.user_timeout.as_mut().filter(|_| self.consecutive > 0)
            && user.ends_by_retransmission(now)
        {
            return None;
        }
        self.consecutive += 1;
        self.rtt.back_off();
        self.start(now);
        if let Some(user) = &self.user_timeout {
            self.expiry = user.clamp_expiry(now, self.expiry);
        }
        Some(Expiry { nth: self.consecutive, rto: self.rtt.rto() })
    }

    /// The last expiry counts as congestion. Returns the number of consecutive ones.
    pub fn count_congestion(&mut self) -> u32 {
        self.congestion += 1;
        self.congestion
    }

    /// Undoes the back-off, because the last expiries were spurious [RFC4015 s3.4].
    pub fn undo_back_off(&mut self) {
        self.rtt.undo();
    }

    /// Consecutive expiries.
    pub fn retries(&self) -> u32 {
        self.consecutive
    }

    /// Whether the other end has been silent for longer than allowed. With a user timeout the number of retransmissions
    /// does not matter.
    pub fn given_up(&self) -> bool {
        let over = self.user_timeout.as_ref().and_then(|user| user.is_over());
        over.unwrap_or_else(|| self.max_retries.is_some_and(|max| self.consecutive > max))
    }

    /// Returns the time of the next probe of a closed window, after `nth` earlier probes. The intervals grow
    /// exponentially [RFC9293 s3.8.6.1]. `None` after the user timeout has expired.
    pub fn next_window_probe(&mut self, now: Time, nth: u32) -> Option<Time> {
        let pause = self.rtt.rto().times(1 << (nth + 1).min(20)).min(self.max_rto);
        match &mut self.user_timeout {
            Some(user) => user.clamp_probe(now, nth == 0, now + pause),
            None => Some(now + pause),
        }
    }

    /// Begins a measurement with new data up to `end`, unless a measurement is in progress.
    #[inline]
    pub fn begin_sample(&mut self, end: u64, now: Time) {
        if self.timed.is_none() {
            self.timed = Some((end, now));
        }
    }

    /// Cancels the measurement, since its segment will be retransmitted.
    pub fn discard_sample(&mut self) {
        self.timed = None;
    }

    /// Returns the rule by which segments are timed.
    #[inline]
    pub fn sampling(&self) -> Sampling {
        self.sampling
    }

    /// The time of transmission of the timed segment, if `una` acknowledges it.
    #[inline]
    pub fn end_sample(&mut self, una: u64) -> Option<Time> {
        let (end, began) = self.timed?;
        if una < end {
            return None;
        }
        self.timed = None;
        Some(began)
    }

    /// Takes a measurement.
    #[inline]
    pub fn on_sample(&mut self, now: Time, rtt: Span) {
        self.rtt.sample(now, rtt);
    }
}
