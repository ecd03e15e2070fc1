//! Timers: retransmission timer, recovery's deadline, persist timer, pacing.

use engine::Time;

use super::Sender;
use super::peer_window::Freeze;
use super::retransmit_timer::Expiry;
use super::spurious::EpisodeStart;
use crate::cc::{Congestion, Flight};
use crate::event::Reason;
use crate::recovery::RecoveryVerdict;

impl Sender {
    /// Returns the time at which `on_time` is to be called.
    #[inline]
    pub fn deadline(&self) -> Time {
        let mut deadline = self.timer.expiry().min(self.peer.deadline());
        if !self.peer.is_frozen() {
            deadline = deadline.min(self.episodes.deadline());
        }
        deadline.min(self.pacer.deadline())
    }

    /// Handles a deadline that has been reached; an early call has no effect.
    pub fn on_time(&mut self, now: Time) {
        if !self.peer.is_frozen() && now >= self.episodes.deadline() {
            self.recovery_due(now);
        } else if now >= self.timer.expiry() {
            self.timed_out(now);
        }
        self.peer.on_time(now, self.unsent() > 0, &mut self.timer);
        self.pacer.on_time();
        self.renew_inflation();
        self.emit_window();
    }

    /// Handles a closed receive window, and its opening: data in flight waits while the window is closed [RFC9293
    /// s3.8.6]. As in 4.3BSD the retransmission timer stops, and the window is probed. When the window opens, all
    /// unacknowledged data is retransmitted [WS96].
    #[cold]
    pub(super) fn mind_closed_window(&mut self, now: Time) {
        let Some(freeze) = self.peer.freeze() else { return };
        let outstanding = !self.board.is_empty();
        match freeze {
            Freeze::Begins | Freeze::Lasts if outstanding => {
                if freeze == Freeze::Begins {
                    self.resends.clear();
                    self.stop_recovering();
                }
                self.timer.stop();
                self.peer.persist(now, self.timer.rtt().rto());
            }
            Freeze::Begins | Freeze::Lasts => {}
            Freeze::Ends => {
                // 4.3BSD counts idle time from the last segment received, which is the current one.
                self.cwnd.was_not_idle(now);
                if outstanding {
                    self.resends.clear();
                    self.board.lose_all();
                    self.stop_recovering();
                    self.episodes.go_back(self.nxt(), Reason::Reopened);
                    self.timer.discard_sample();
                    self.timer.start(now);
                }
            }
        }
        self.renew_inflation();
        self.emit_window();
    }

    fn stop_recovering(&mut self) {
        self.resends.cancel_probe();
        self.cwnd.end_reduction();
        self.spurious.forget();
        self.episodes.end_recovery(&self.board);
    }

    fn recovery_due(&mut self, now: Time) {
        let view = self.view();
        let from = self.board.pipe() as f64;
        let flight = self.flight(now);
        let verdict = self.episodes.on_deadline(now, &mut self.board, &view);
        self.apply(now, verdict, None, &flight, from);
        if verdict == (RecoveryVerdict::Begin { resend: false }) {
            self.cwnd.allow_first(self.board.pipe() as f64);
        }
    }

    /// Handles an expiry of the retransmission timer [RFC6298 s5.4 to s5.6].
    fn timed_out(&mut self, now: Time) {
        let Some(Expiry { nth, rto }) = self.timer.on_expiry(now) else { return };
        let una = self.una();
        self.telemetry.on_timeout(una, nth, rto);
        let flight = self.flight(now);
        let first = nth == 1 && !self.episodes.recovering() && self.episodes.going_back().is_none();
        self.resends.clear();
        self.cwnd.end_reduction();
        self.ecn.forget_mark();
        if self.notices.explains_timeout(una) {
            self.episodes.end_recovery(&self.board);
            self.cwnd.on_congestion(Congestion::Notified, &flight);
            self.resends.push(una, Reason::Timeout);
        } else {
            // [RFC2018 s8]: a receiver that reported the first segment by SACK and does not acknowledge it has
            // discarded it.
            if self.board.first().is_some_and(|first| first.sacked) {
                self.board.renege();
            }
            let outstanding = self.repetition_outstanding();
            let view = self.view();
            self.episodes.on_timeout(now, &mut self.board, &view);
            if self.board.pipe() > 0 {
                // Sent regardless of the flight [RFC6298 s5.4].
                self.resends.push(una, Reason::Timeout);
            }
            let until = self.nxt();
            self.spurious.begin(&EpisodeStart { reason: Reason::Timeout, from: una, until, first, outstanding });
            let flight = Flight { again: !first, ..flight };
            let nth = self.timer.count_congestion();
            self.cwnd.on_congestion(Congestion::Timeout { nth }, &flight);
            self.note_cut();
        }
    }
}
