//! What happens when time has passed: the retransmission timer, recovery's deadline, the persist timer, pacing.

use engine::{Span, Time};

use super::Sender;
use super::retransmit_timer::Expiry;
use crate::cc::{Congestion, Flight};
use crate::config::ClosedWindow;
use crate::event::{Event, Reason};
use crate::recovery::Verdict;

/// Asks again and again whether a closed window has opened [RFC9293 s3.8.6.1], and ends the wait for one that is nearly
/// closed.
#[derive(Debug)]
pub(super) struct Persist {
    /// When it expires; NEVER while it does not run.
    due: Time,
    /// Probes sent since the window closed.
    sent: u32,
    /// A probe is to be sent now.
    pub probe: bool,
    /// What there is room for goes out now, however little.
    pub waited: bool,
}

impl Default for Persist {
    fn default() -> Self {
        Persist { due: Time::NEVER, sent: 0, probe: false, waited: false }
    }
}

impl Persist {
    pub fn stop(&mut self) {
        *self = Persist::default();
    }

    /// The window is closed and nothing is in flight that would be acknowledged.
    pub fn start(&mut self, now: Time, rto: Span) {
        if self.due == Time::NEVER {
            self.due = now + rto;
        }
    }

    fn due(&self) -> Time {
        self.due
    }
}

impl Sender {
    /// When `on_time` is to be called.
    #[inline]
    pub fn deadline(&self) -> Time {
        let mut deadline = self.timer.expiry().min(self.persist.due());
        if self.watches && !self.frozen {
            deadline = deadline.min(self.recovery.deadline());
        }
        if let Some(release) = self.paced_until() {
            deadline = deadline.min(release);
        }
        deadline
    }

    /// A deadline has come; being called early does no harm.
    pub fn on_time(&mut self, now: Time) {
        if self.watches && !self.frozen && now >= self.recovery.deadline() {
            self.recovery_due(now);
        } else if now >= self.timer.expiry() {
            self.timed_out(now);
        }
        if now >= self.persist.due() && self.peer_window > 0 && self.unsent() > 0 {
            // [RFC9293 s3.8.6.2.1 (4)]
            self.persist.stop();
            self.persist.waited = true;
        } else if now >= self.persist.due() {
            self.probe_window(now);
        }
        self.paced = false;
        self.renew_limit();
        self.tell_window();
    }

    /// The closed window is probed [RFC9293 s3.8.6.1].
    fn probe_window(&mut self, now: Time) {
        if let Some(due) = self.timer.next_window_probe(now, self.persist.sent) {
            self.persist.probe = true;
            self.persist.sent += 1;
            self.persist.due = due;
        }
    }

    /// The other end's window is closed, or was: data in flight waits for it [RFC9293 s3.8.6]. As in 4.3BSD the retransmission timer
    /// stops, the window is probed, and when it opens all that was not acknowledged is sent again [WS96].
    #[cold]
    pub(super) fn mind_closed_window(&mut self, now: Time) {
        if self.settings.closed_window == ClosedWindow::TimesOut {
            return;
        }
        let (closed, outstanding) = (self.peer_window == 0, !self.board.is_empty());
        let was_closed = std::mem::replace(&mut self.frozen, closed);
        if closed && outstanding {
            if !was_closed {
                self.resend.clear();
                self.stop_recovering();
            }
            self.timer.stop();
            self.persist.start(now, self.timer.rtt().rto());
        }
        if was_closed && !closed {
            // 4.3BSD counts idle time from the last segment that came, and this one has just come.
            self.last_sent = self.last_sent.map(|_| now);
        }
        if was_closed && !closed && outstanding {
            self.resend.clear();
            self.board.lose_all();
            self.stop_recovering();
            self.episodes.back = Some((self.nxt(), Reason::Reopened));
            self.timer.discard_sample();
            self.timer.start(now);
        }
        self.renew_limit();
        self.tell_window();
    }

    fn stop_recovering(&mut self) {
        self.duplicates = 0;
        self.probe = false;
        self.reduction = None;
        self.spurious.forget();
        self.recovery.on_timeout(&self.board);
        self.recovering = false;
    }

    fn recovery_due(&mut self, now: Time) {
        let view = self.view();
        let from = self.board.pipe() as f64;
        let flight = self.flight(now);
        let verdict = self.recovery.on_deadline(now, &mut self.board, &view);
        self.recovering = self.recovery.recovering();
        self.apply(now, verdict, None, &flight, from);
        if verdict == (Verdict::Begin { resend: false })
            && let Some(reduction) = &mut self.reduction
        {
            reduction.allow_first(self.board.pipe() as f64);
        }
    }

    /// The retransmission timer has expired [RFC6298 s5.4 to s5.6].
    fn timed_out(&mut self, now: Time) {
        let Some(Expiry { nth, rto }) = self.timer.on_expiry(now) else { return };
        let una = self.una();
        self.counters.timeouts += 1;
        self.say(|| Event::Timeout { seq: una, nth, rto });
        let flight = self.flight(now);
        let first = nth == 1 && !self.recovering && self.episodes.back.is_none();
        self.duplicates = 0;
        self.resend.clear();
        self.reduction = None;
        self.episodes.mark = None;
        if self.response.on_timeout(una) {
            self.recovery.on_timeout(&self.board);
            self.recovering = false;
            self.control.on_congestion(Congestion::Notified, &flight);
            self.resend.push_back((una, Reason::Timeout));
        } else {
            // [RFC2018 s8]: a receiver that has the first segment and does not acknowledge it has thrown it away.
            if self.board.first().is_some_and(|first| first.sacked) {
                self.board.renege();
            }
            let resent = self.repetition_outstanding();
            let view = self.view();
            self.recovery.lose_at_timeout(now, &mut self.board, &view);
            self.recovery.on_timeout(&self.board);
            self.recovering = false;
            if self.board.pipe() > 0 {
                // It goes out whatever else may still fly [RFC6298 s5.4].
                self.resend.push_back((una, Reason::Timeout));
            }
            self.spurious.begin(true, self.nxt(), first, resent);
            self.episodes.back = Some((self.nxt(), Reason::Timeout));
            let flight = Flight { again: !first, ..flight };
            let nth = self.timer.count_congestion();
            self.control.on_congestion(Congestion::Timeout { nth }, &flight);
            self.note_cut();
        }
    }
}
