//! The cwnd limit: the congestion control's window, the reduction or inflation of recovery, and congestion window
//! validation (RFC 7661).

use engine::Time;

use crate::cc::{Acked, Congestion, CongestionControl, Feedback, Flight, Start};
use crate::config::{Config, CwndValidation};
use crate::recovery::prr::{Reduction, ReductionProgress};
use crate::scoreboard::Scoreboard;

/// The limit of bytes in the network.
///
/// The send limit: the control's cwnd, or the window of a proportional rate reduction in progress, plus the inflation.
/// `limit` caches it in whole bytes, as it is read once per segment and changes once per acknowledgment: every change
/// of its inputs, which only this file makes, marks it stale.
pub(super) struct CwndLimit {
    control: Box<dyn CongestionControl>,
    /// The cwnd of the control after its last change.
    cwnd: f64,
    mss: u32,
    /// Initial window, in segments.
    initial_window: u32,
    rule: CwndValidation,
    recovery_exit_growth: bool,
    prr: bool,
    restart_after_idle: bool,
    /// Whether the control grows cwnd above ssthresh only in round trips that cwnd limits.
    only_if_limited: bool,
    stale: bool,
    limit: u64,
    /// Boxed, because it is rare and an idle connection should be small.
    reduction: Option<Box<Reduction>>,
    /// Window inflation of recovery, or the segments of limited transmit.
    inflation: f64,
    validation: Validation,
    /// Time of the last transmission; NEVER before the first.
    last_sent: Time,
}

/// Congestion window validation (RFC 7661): the used part of cwnd.
#[derive(Default)]
struct Validation {
    /// Maximum number of outstanding bytes since the last reduction of cwnd, and at that time (maxFS); at first the
    /// initial window [draft-ietf-ccwg-ratelimited-increase s2].
    max_flight: u64,
    /// Whether cwnd limited the sender in the round that ends at `until`.
    limited: bool,
    /// Maximum number of outstanding bytes in the round that ends at `until`.
    max_outstanding: u64,
    until: u64,
    /// Whether new data was sent since the last validation.
    sent: bool,
}

impl CwndLimit {
    pub fn new(config: &Config) -> Self {
        let (mss, initial_window) = (config.segment, config.initial_window.max(1));
        let start = Start {
            segment: f64::from(mss),
            cwnd: f64::from(mss) * f64::from(initial_window),
            ssthresh: config.initial_ssthresh.map_or(f64::INFINITY, |bytes| bytes.0 as f64),
            stream: config.stream,
        };
        let control = config.control.build(start);
        let max_flight = u64::from(mss) * u64::from(initial_window);
        CwndLimit {
            only_if_limited: control.grows_only_if_limited(),
            cwnd: control.cwnd(),
            control,
            mss,
            initial_window,
            rule: config.cwnd_validation,
            recovery_exit_growth: config.recovery_exit_growth,
            prr: config.prr,
            restart_after_idle: config.restart_after_idle,
            stale: true,
            limit: 0,
            reduction: None,
            inflation: 0.0,
            validation: Validation { max_flight, ..Validation::default() },
            last_sent: Time::NEVER,
        }
    }

    /// The limit, in whole bytes.
    #[inline(always)]
    pub fn limit(&mut self) -> u64 {
        debug_assert_eq!(self.cwnd, self.control.cwnd(), "cwnd changes only in calls of this file");
        if self.stale {
            self.limit = self.inflated_window(self.inflation) as u64;
            self.stale = false;
        }
        self.limit
    }

    /// The congestion control's window.
    #[inline]
    pub fn cwnd(&self) -> f64 {
        self.cwnd
    }

    #[inline]
    pub fn ssthresh(&self) -> f64 {
        self.control.ssthresh()
    }

    /// The window of a proportional rate reduction in progress, otherwise cwnd.
    #[inline]
    pub fn window(&self) -> f64 {
        match &self.reduction {
            Some(reduction) => reduction.window(),
            None => self.cwnd,
        }
    }

    /// The window plus `inflation`.
    #[inline]
    pub fn inflated_window(&self, inflation: f64) -> f64 {
        let window = self.window() + inflation;
        // A negative inflation was computed for an earlier window; at least one segment is always allowed.
        if inflation < 0.0 { window.max(f64::from(self.mss)) } else { window }
    }

    /// Sets the inflation of the limit.
    #[inline]
    pub fn inflate(&mut self, inflation: f64) {
        (self.inflation, self.stale) = (inflation, true);
    }

    #[inline]
    pub fn pacing_rate(&self) -> Option<f64> {
        self.control.pacing_rate()
    }

    pub fn paces(&self) -> bool {
        self.control.paces()
    }

    /// The size of an autotuned send buffer in windows.
    pub fn send_buffer_windows(&self) -> u32 {
        self.control.send_buffer_windows()
    }

    pub fn wants_feedback(&self) -> bool {
        self.control.wants_feedback()
    }

    /// Whether the control wants each mark reported, as DCTCP does.
    #[inline]
    pub fn precise_ecn(&self) -> bool {
        self.control.precise_ecn()
    }

    /// Whether the control regulates sending during recovery itself.
    pub fn regulates_recovery(&self) -> bool {
        self.control.regulates_recovery()
    }

    /// Passes feedback to the control. Returns whether the control has reduced cwnd because of marks.
    pub fn on_feedback(&mut self, feedback: &Feedback) -> bool {
        self.control.on_feedback(feedback);
        let reduced = self.note_change(feedback.nxt - feedback.una);
        feedback.ecn_echo && self.control.precise_ecn() && reduced
    }

    /// Returns the bytes that may grow cwnd: the newly `acked` ones, or those `delivered`. `reordered` returns true if
    /// reordering is common.
    #[inline]
    pub fn growing_bytes(&self, acked: u64, delivered: u64, reordered: impl FnOnce() -> bool) -> u64 {
        match self.rule {
            CwndValidation::RateLimited | CwndValidation::ReceiveWindow => acked,
            // SACKed data counted when it was SACKed. If reordering is common, SACKed data itself grows cwnd (Linux).
            CwndValidation::CwndLimited if acked > 0 || reordered() => delivered,
            CwndValidation::CwndLimited => 0,
        }
    }

    /// Whether the acknowledgment that ends recovery also grows cwnd. By the RFC cwnd stays as recovery left it
    /// [RFC5681 s3.2 step 6].
    pub fn grows_at_recovery_exit(&self) -> bool {
        self.recovery_exit_growth
    }

    /// Whether cwnd may grow, with a receive window of `peer_window` bytes.
    #[inline]
    pub fn may_grow(&self, peer_window: u64) -> bool {
        let cwnd = self.cwnd;
        match self.rule {
            CwndValidation::RateLimited => cwnd < peer_window as f64 && self.is_below_growth_limit(cwnd),
            CwndValidation::ReceiveWindow => cwnd < peer_window as f64,
            CwndValidation::CwndLimited if cwnd < self.control.ssthresh() => {
                self.validation.limited || cwnd < 2.0 * self.validation.max_outstanding as f64
            }
            CwndValidation::CwndLimited => self.validation.limited,
        }
    }

    /// Whether cwnd is below the limit that follows from the largest flight [draft-ietf-ccwg-ratelimited-increase s3].
    #[inline]
    fn is_below_growth_limit(&self, cwnd: f64) -> bool {
        let flight = self.validation.max_flight as f64;
        if self.only_if_limited && self.validation.limited
            || !self.only_if_limited && cwnd < flight + f64::from(self.mss)
        {
            return true;
        }
        cwnd < 2.0 * flight && cwnd < self.control.ssthresh()
    }

    /// Grows cwnd.
    #[inline]
    pub fn grow(&mut self, acked: &Acked) {
        self.control.on_ack(acked);
        self.note_change(acked.nxt - acked.una);
    }

    /// Processes an acknowledgment of new data that may not grow cwnd.
    #[inline]
    pub fn on_limited(&mut self, now: Time) {
        if self.only_if_limited {
            self.control.on_limited(now);
            self.note_window();
        }
    }

    /// Handles a change of the control's state, with `flight` bytes outstanding. Returns whether cwnd was reduced, after
    /// which a new maximum of the flight begins.
    #[inline]
    fn note_change(&mut self, flight: u64) -> bool {
        let before = self.cwnd;
        self.note_window();
        let reduced = self.cwnd < before;
        if reduced {
            self.validation.max_flight = flight;
        }
        reduced
    }

    /// Takes over the window of the control.
    #[inline]
    fn note_window(&mut self) {
        (self.cwnd, self.stale) = (self.control.cwnd(), true);
    }

    /// Reports congestion to the control.
    pub fn on_congestion(&mut self, event: Congestion, flight: &Flight) {
        self.control.on_congestion(event, flight);
        self.note_change(flight.bytes as u64);
    }

    /// Reports congestion to the control, and begins a proportional rate reduction unless the control regulates
    /// recovery itself. `from` bytes were in flight before the congestion, `pipe` bytes are in flight now.
    pub fn reduce(&mut self, event: Congestion, flight: &Flight, from: f64, pipe: f64) {
        self.on_congestion(event, flight);
        let gradual = matches!(event, Congestion::FastRetransmit | Congestion::Ecn);
        self.reduction = (gradual && self.prr && !self.control.regulates_recovery())
            .then(|| Box::new(Reduction::new(f64::from(self.mss), from, self.cwnd, pipe)));
    }

    #[inline]
    pub fn is_reducing(&self) -> bool {
        self.reduction.is_some()
    }

    /// Ends the gradual reduction of PRR; from now on the congestion control's cwnd is the limit.
    #[inline]
    pub fn end_reduction(&mut self) {
        (self.reduction, self.stale) = (None, true);
    }

    /// Updates the reduction in progress with an acknowledgment; `progress` is called only if there is one.
    #[inline]
    pub fn on_progress(&mut self, progress: impl FnOnce() -> ReductionProgress) {
        if let Some(reduction) = &mut self.reduction {
            reduction.on_ack(progress());
            self.stale = true;
        }
    }

    /// Allows the first retransmission of a recovery that began without an acknowledgment, with `pipe` bytes in flight.
    pub fn allow_first(&mut self, pipe: f64) {
        if let Some(reduction) = &mut self.reduction {
            reduction.allow_first(pipe);
            self.stale = true;
        }
    }

    /// Undoes the last reduction, which was spurious.
    pub fn on_undo(&mut self) {
        self.control.on_undo();
        self.note_window();
    }

    /// Handles the end of fast recovery.
    pub fn on_recovered(&mut self, now: Time) {
        self.control.on_recovered(now);
        self.note_window();
    }

    /// A segment was sent; now `outstanding` bytes are.
    #[inline]
    pub fn on_sent(&mut self, now: Time, len: u32, new: bool, outstanding: u64) {
        self.last_sent = now;
        self.validation.sent |= new;
        self.validation.max_flight = self.validation.max_flight.max(outstanding);
        if let Some(reduction) = &mut self.reduction {
            reduction.on_sent(f64::from(len));
            self.stale = true;
        }
    }

    /// Restarts cwnd before the first segment after an idle time of more than a timeout [RFC5681 s4.1].
    #[inline]
    pub fn leave_idle(&mut self, now: Time, rto: engine::Span) {
        if self.last_sent == Time::NEVER {
            return;
        }
        let idle = now.since(self.last_sent);
        if idle > rto {
            let restart = self.restart_after_idle.then(|| f64::from(self.mss) * f64::from(self.initial_window));
            self.control.on_idle(now, idle, restart);
            // Nothing is outstanding.
            self.note_change(0);
            self.last_sent = now;
        }
    }

    /// Records that the time until now does not count as idle.
    pub fn was_not_idle(&mut self, now: Time) {
        if self.last_sent != Time::NEVER {
            self.last_sent = now;
        }
    }

    /// Records, when nothing more can be sent, whether cwnd limited the sender [RFC7661 s4.1].
    #[inline]
    pub fn validate(&mut self, limited: bool, board: &Scoreboard) {
        let validation = &mut self.validation;
        if !validation.sent && !limited {
            return;
        }
        validation.sent = false;
        let outstanding = board.outstanding();
        let more = !validation.limited && outstanding > validation.max_outstanding;
        if board.una() >= validation.until || limited || more {
            *validation = Validation { limited, max_outstanding: outstanding, until: board.nxt(), ..*validation };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{acked, flight};
    use crate::cc::window::Growth;
    use crate::cc::{ControlConfig, cubic, reno};
    use engine::{Bytes, Span};

    fn limit(config: Config) -> CwndLimit {
        CwndLimit::new(&Config { segment: 1000, initial_window: config.initial_window.max(4), ..config })
    }

    /// By hand, with a cwnd of 4 segments of 1,000 bytes: each change affects the limit at once.
    #[test]
    fn send_limit_follows_every_change_of_its_inputs() {
        let mut cwnd = limit(Config { initial_ssthresh: Some(Bytes(1000)), ..Config::default() });
        assert_eq!(cwnd.limit(), 4000);
        // 1000^2 / 4000 more above the threshold [RFC5681 s3.1].
        cwnd.grow(&acked(0, 1000, 1000, 3000));
        assert_eq!(cwnd.limit(), 4250);
        cwnd.inflate(3000.0);
        assert_eq!(cwnd.limit(), 7250);
        cwnd.inflate(-4000.0);
        assert_eq!(cwnd.limit(), 1000, "a segment may always fly");
        cwnd.inflate(0.0);
        // Half of the flight [RFC5681 s3.1 (4)].
        cwnd.on_congestion(Congestion::FastRetransmit, &flight(6000.0));
        assert_eq!((cwnd.limit(), cwnd.ssthresh()), (3000, 3000.0));
        cwnd.on_congestion(Congestion::Timeout { nth: 1 }, &flight(6000.0));
        assert_eq!(cwnd.limit(), 1000);
    }

    /// By hand: 8 of 8 segments are in flight, so cwnd becomes 4. One delivered segment allows half a segment, rounded
    /// up [RFC9937 s6.2].
    #[test]
    fn reduction_in_progress_determines_the_limit() {
        let mut cwnd = limit(Config { prr: true, initial_window: 8, ..Config::default() });
        cwnd.reduce(Congestion::FastRetransmit, &flight(8000.0), 8000.0, 7000.0);
        assert!(cwnd.is_reducing());
        assert_eq!(cwnd.limit(), 7000);
        cwnd.on_progress(|| ReductionProgress { delivered: 1000.0, pipe: 6000.0, safe: false });
        assert_eq!(cwnd.limit(), 7000);
        cwnd.end_reduction();
        assert_eq!(cwnd.limit(), 4000);
    }

    /// With a timeout of 1 s, half a second does not count as idle time. Two seconds count, and cwnd becomes the
    /// initial window.
    // covers [RFC5681 s4.1]
    #[test]
    fn cwnd_restarts_after_idle_time() {
        for (millis, expected) in [(500, 5000), (2000, 4000)] {
            let mut cwnd = limit(Config::default());
            cwnd.grow(&acked(0, 1000, 1000, 3000));
            cwnd.on_sent(Time::ZERO, 1000, true, 1000);
            cwnd.leave_idle(Time::from_millis(millis), Span::from_secs(1));
            assert_eq!(cwnd.limit(), expected, "{millis} ms");
        }
    }

    /// Sends `segments` segments.
    fn send(cwnd: &mut CwndLimit, board: &mut Scoreboard, segments: u64) {
        for _ in 0..segments {
            board.record_new(Time::ZERO, 1000, false, None);
            cwnd.on_sent(Time::ZERO, 1000, true, board.outstanding());
        }
    }

    /// Acknowledges all segments, each `together` of them by one acknowledgment.
    fn acknowledge(cwnd: &mut CwndLimit, board: &mut Scoreboard, together: u64) {
        while !board.is_empty() {
            let una = board.una() + 1000 * together;
            board.acknowledge(una, |_, _| ());
            if cwnd.may_grow(u64::MAX) {
                cwnd.grow(&acked(0, 1000 * together, una, board.outstanding()));
            }
        }
    }

    /// The example of the draft: bursts of 4, 8, 4 and 20 segments from an initial window of 10 segments, each two
    /// acknowledged together.
    // covers [draft-ietf-ccwg-ratelimited-increase s3, appendix A]
    #[test]
    fn cwnd_grows_to_twice_the_largest_flight_in_slow_start() {
        let control = ControlConfig::Reno(reno::Config { growth: Some(Growth::Counted), ..reno::Config::default() });
        let mut cwnd = limit(Config { initial_window: 10, control, ..Config::default() });
        let mut board = Scoreboard::default();
        let windows = [4, 8, 4, 20].map(|segments| {
            send(&mut cwnd, &mut board, segments);
            acknowledge(&mut cwnd, &mut board, 2);
            cwnd.cwnd()
        });
        assert_eq!(windows, [14_000.0, 20_000.0, 20_000.0, 40_000.0]);
    }

    /// Above ssthresh the limit is a segment above the largest flight; the growth of the acknowledgment that reaches
    /// the limit may exceed it. A reduction begins a new maximum.
    // covers [draft-ietf-ccwg-ratelimited-increase s3]
    #[test]
    fn cwnd_grows_to_a_segment_above_the_largest_flight_in_congestion_avoidance() {
        let mut cwnd = limit(Config { initial_window: 10, initial_ssthresh: Some(Bytes(1000)), ..Config::default() });
        let mut board = Scoreboard::default();
        send(&mut cwnd, &mut board, 200);
        acknowledge(&mut cwnd, &mut board, 1);
        let bulk = cwnd.cwnd();
        assert!(bulk > 20_000.0, "a flight of 200 segments permits the growth of 200 acknowledgments: {bulk}");
        // The first measurement after a reduction is the flight at its time; then one segment at a time is in flight.
        for (before, limit) in [(8000.0, 9000.0), (4000.0, 5000.0)] {
            cwnd.on_congestion(Congestion::FastRetransmit, &flight(before));
            assert_eq!(cwnd.cwnd(), before / 2.0);
            for _ in 0..100 {
                send(&mut cwnd, &mut board, 1);
                acknowledge(&mut cwnd, &mut board, 1);
            }
            assert!((limit..limit + 200.0).contains(&cwnd.cwnd()), "{before} in flight before: {}", cwnd.cwnd());
        }
    }

    /// CUBIC does not grow in a round that cwnd did not limit, whatever was in flight before.
    // covers [RFC9438 s5.8]
    #[test]
    fn cubic_grows_above_ssthresh_only_if_cwnd_limits_it() {
        let control = ControlConfig::Cubic(cubic::Config::default());
        let mut cwnd = limit(Config { control, initial_ssthresh: Some(Bytes(2000)), ..Config::default() });
        let mut board = Scoreboard::default();
        send(&mut cwnd, &mut board, 100);
        cwnd.validate(true, &board);
        assert!(cwnd.may_grow(u64::MAX) && !cwnd.may_grow(4000));
        acknowledge(&mut cwnd, &mut board, 1);
        send(&mut cwnd, &mut board, 1);
        cwnd.validate(false, &board);
        assert!(!cwnd.may_grow(u64::MAX));
    }

    /// Growth depends on whether cwnd limited the last round.
    // covers [RFC7661 s4.1]
    #[test]
    fn cwnd_grows_only_if_it_was_used() {
        let mut cwnd = limit(Config { cwnd_validation: CwndValidation::CwndLimited, ..Config::default() });
        let mut board = Scoreboard::default();
        board.record_new(Time::ZERO, 1000, false, None);
        cwnd.on_sent(Time::ZERO, 1000, true, 1000);
        cwnd.validate(false, &board);
        assert!(!cwnd.may_grow(u64::MAX), "4,000 bytes are not less than twice 1,000");
        cwnd.validate(true, &board);
        assert!(cwnd.may_grow(u64::MAX));
    }
}
