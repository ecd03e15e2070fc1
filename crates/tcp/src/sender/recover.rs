//! Actions of recovery, the congestion response to losses, and its undo.

use engine::Time;

use super::Sender;
use super::arrival::AckArrival;
use super::spurious::{EpisodeStart, Signs};
use super::summary::AckSummary;
use crate::cc::{Congestion, Flight};
use crate::differentiation::LossCause;
use crate::event::{Event, Reason};
use crate::recovery::{AckEffects, Notified, RecoveryVerdict};

impl Sender {
    /// Passes an acknowledgment to recovery. Returns its decision, and the cause of the loss if the network has
    /// reported it.
    pub(super) fn ask_recovery(
        &mut self,
        arrival: &AckArrival<'_>,
        summary: &AckSummary,
        acked: u64,
        duplicate: bool,
    ) -> (RecoveryVerdict, Option<Notified>) {
        let una = self.una();
        let notified = if duplicate && !self.episodes.recovering() { self.notices.on_duplicate(una) } else { None };
        let ack = AckEffects {
            now: arrival.now,
            acked,
            sacked: summary.sacked,
            duplicates: if duplicate { self.duplicates() } else { 0 },
            sack: self.sack,
            duplicate_sack: summary.duplicate,
            notified,
            echoes_original: self.spurious.echoes_original(arrival.echo.map(|(echo, _)| echo)),
        };
        let mut view = self.view();
        if acked > 0 {
            // The timer will be restarted [RFC6298 s5.3].
            view.expiry = self.timer.expiry_from(arrival.now);
        }
        let verdict = self.episodes.on_ack(&ack, &mut self.board, &view);
        (verdict, notified)
    }

    /// Applies the decision of recovery. `notified` if the network has reported the cause of the loss; `flight` is the
    /// state before, `from` the flight as RFC 9937 counts it.
    pub(super) fn apply(
        &mut self,
        now: Time,
        verdict: RecoveryVerdict,
        notified: Option<Notified>,
        flight: &Flight,
        from: f64,
    ) {
        let una = self.una();
        match verdict {
            RecoveryVerdict::Ordinary | RecoveryVerdict::Recovering => {}
            RecoveryVerdict::Begin { resend } => {
                // Marks and losses of one window reduce cwnd once [RFC3168 s6.1.2].
                let reduced = self.ecn.is_reducing() && !self.cwnd.regulates_recovery();
                let first = self.episodes.going_back().is_none();
                if !reduced {
                    let (until, outstanding) = (self.nxt(), self.repetition_outstanding());
                    let reason = Reason::FastRetransmit;
                    self.spurious.begin(&EpisodeStart { reason, from: una, until, first, outstanding });
                }
                self.notices.on_recovery(una);
                let lost = self.board.lost_segments().saturating_sub(self.board.resent_segments()).max(1);
                if notified.is_some() || self.cause(now, lost) == LossCause::Wireless {
                    self.cwnd.on_congestion(Congestion::Notified, flight);
                    self.telemetry.emit(|| Event::NotifiedRecovery { seq: una });
                } else if reduced {
                    self.telemetry.emit(|| Event::FastRetransmit { seq: una });
                } else {
                    self.ecn.forget_mark();
                    self.report_congestion(Congestion::FastRetransmit, &Flight { again: !first, ..*flight }, from);
                    self.telemetry.emit(|| Event::FastRetransmit { seq: una });
                }
                // The first retransmission does not wait for the pipe to drain [RFC6675 s5 (4.3)]. A segment resent
                // because of a message is already in flight (Refined ICMP) or queued (ELN).
                let waiting = || self.resends.contains(una);
                let retransmits = notified != Some(Notified::AlreadyResent) || waiting();
                if retransmits {
                    self.timer.on_fast_retransmit(now);
                }
                let at_once =
                    if resend { Some(una) } else { self.first_to_resend(notified.is_some_and(Notified::at_once)) };
                if let Some(seq) = at_once {
                    self.resends.push(seq, Reason::FastRetransmit);
                }
            }
            RecoveryVerdict::Restart => {
                self.telemetry.emit(|| Event::FastRetransmit { seq: una });
                self.board.lose_all();
                self.episodes.go_back(self.nxt(), Reason::FastRetransmit);
                self.timer.discard_sample();
                self.report_congestion(Congestion::Restart, flight, from);
                self.timer.start(now);
            }
            RecoveryVerdict::Resend { .. } => self.resends.push(una, Reason::FastRetransmit),
            RecoveryVerdict::Recovered => {
                self.cwnd.end_reduction();
                self.cwnd.on_recovered(now);
                self.telemetry.emit(|| Event::RecoveryEnd);
            }
            RecoveryVerdict::Again => {
                self.cwnd.end_reduction();
                if !self.cwnd.regulates_recovery() {
                    self.cwnd.on_recovered(now);
                }
                self.telemetry.emit(|| Event::RecoveryEnd);
                let flight = self.flight(now);
                self.apply(now, RecoveryVerdict::Begin { resend: false }, None, &flight, from);
            }
            RecoveryVerdict::Repaired => {
                self.spurious.forget();
                self.cwnd.on_congestion(Congestion::FastRetransmit, flight);
                self.note_cut();
                self.cwnd.on_recovered(now);
                self.telemetry.emit(|| Event::FastRetransmit { seq: una });
                self.telemetry.emit(|| Event::RecoveryEnd);
            }
            RecoveryVerdict::Probe => self.resends.ask_probe(),
        }
    }

    /// The assumed cause of the loss of `segments` consecutive segments.
    fn cause(&mut self, now: Time, segments: u32) -> LossCause {
        self.differentiation
            .as_mut()
            .map_or(LossCause::Congestion, |differentiation| differentiation.cause(now, segments))
    }

    /// Whether a retransmitted segment is still unacknowledged (Linux: `tcp_any_retrans_done`).
    pub(super) fn repetition_outstanding(&self) -> bool {
        self.board.resent_segments() > 0 || self.board.first().is_some_and(|first| first.retransmitted)
    }

    /// The segment sent first when recovery begins, even beyond cwnd. Proportional rate reduction includes this segment
    /// in its limit, and a loss reported by a message was retransmitted earlier.
    fn first_to_resend(&mut self, explained: bool) -> Option<u64> {
        if explained || self.cwnd.is_reducing() {
            return None;
        }
        self.board.next_to_resend().map(|sent| sent.seq)
    }

    /// Reports congestion to the control, and begins the reduction that follows.
    pub(super) fn report_congestion(&mut self, event: Congestion, flight: &Flight, pipe_before: f64) {
        let pipe = self.board.pipe() as f64 - self.episodes.inflation();
        self.cwnd.reduce(event, flight, pipe_before, pipe);
        self.note_cut();
    }

    /// Notes a reduction of cwnd. The other end is notified and stops echoing earlier marks [RFC3168 s6.1.2].
    pub(super) fn note_cut(&mut self) {
        self.ecn.on_cut(self.nxt());
    }

    /// Reduces cwnd for a mark, once per window [RFC3168 s6.1.2].
    #[inline]
    pub(super) fn take_mark(&mut self, arrival: &AckArrival<'_>, from: f64) {
        if !arrival.ecn_echo || !self.ecn.is_agreed() || self.cwnd.precise_ecn() {
            return;
        }
        let repairing = self.episodes.recovering() || self.episodes.going_back().is_some();
        if repairing || !self.ecn.is_news(self.una()) {
            return;
        }
        self.ecn.on_mark(self.nxt());
        self.spurious.forget();
        let flight = self.flight(arrival.now);
        self.report_congestion(Congestion::Ecn, &flight, from);
        self.telemetry.on_mark();
    }

    /// Whether earlier retransmissions were spurious; if so, all losses are cleared.
    #[inline]
    pub(super) fn was_spurious(
        &mut self,
        arrival: &AckArrival<'_>,
        summary: &AckSummary,
        acked: u64,
        duplicate: bool,
    ) -> bool {
        self.spurious.examines(summary.duplicate.is_some()) && self.examine(arrival, summary, acked, duplicate)
    }

    /// Examines an acknowledgment while retransmissions may prove spurious.
    fn examine(&mut self, arrival: &AckArrival<'_>, summary: &AckSummary, acked: u64, duplicate: bool) -> bool {
        let evidence = self.spurious.on_ack(&Signs {
            una: self.una(),
            acked,
            segment: self.buffer.mss(),
            recovering: self.episodes.recovering() && !self.episodes.after_timeout(),
            duplicate,
            originals: summary.originals,
            sack: self.sack,
            echo: arrival.echo.map(|(echo, _)| echo),
            duplicate_sack: summary.duplicate,
        });
        let Some(evidence) = evidence else { return false };
        self.board.find_all();
        self.resends.clear();
        self.episodes.undo(&self.board, evidence);
        self.cwnd.end_reduction();
        self.timer.undo_back_off();
        self.telemetry.on_undo();
        true
    }
}
