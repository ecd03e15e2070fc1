//! Processing of acknowledgments.
//!
//! In this order: receive window, delivered data (acknowledged or SACKed), round trip, detection of spurious
//! retransmissions, recovery, congestion control, retransmission timer.

use engine::{Span, Time};
use wire::{SackBlocks, SeqNum};

use super::Sender;
use super::arrival::AckArrival;
use super::summary::{AckSummary, is_duplicate, resolve_sack_blocks};
use crate::cc::{Acked, Feedback};
use crate::config::Sampling;
use crate::event::Event;
use crate::recovery::prr::ReductionProgress;
use crate::recovery::{DUP_THRESH, RecoveryVerdict, SenderView};
use crate::scoreboard::{SentSegment, Snapshot};
use crate::unpredicted::Unpredicted;

impl Sender {
    /// Processes an acknowledgment. Returns whether it was valid: data not yet sent cannot be acknowledged [RFC9293
    /// s3.10.7.4].
    #[inline]
    pub fn on_ack(&mut self, arrival: &AckArrival<'_>) -> bool {
        let taken = self.take(arrival);
        if taken && (arrival.window == Some(0) || self.peer.is_frozen()) {
            self.mind_closed_window(arrival.now);
        }
        taken
    }

    #[inline]
    fn take(&mut self, arrival: &AckArrival<'_>) -> bool {
        let AckArrival { ack, .. } = *arrival;
        if ack > self.nxt() {
            return false;
        }
        let una = self.una();
        if ack < una && (arrival.sack.is_empty() || !self.sack) {
            return true;
        }
        let same_window = arrival.window.is_none_or(|window| window == self.peer.size());
        if let Some(window) = arrival.window {
            self.peer.on_update(window);
            if window == 0 {
                self.timer.on_closed_window();
            }
        }
        let unmarked = !arrival.ecn_echo && self.rate.is_none();
        let had_data = !self.board.is_empty();
        if !had_data && unmarked && arrival.sack.is_empty() && !self.episodes.watches() {
            // Nothing is outstanding, as at an end that only receives. Only the window can change, unless a recovery
            // waits for the answer to its probe.
            self.emit_window();
            return true;
        }
        if ack > una && unmarked && arrival.sack.is_empty() && self.is_undisturbed() {
            self.on_plain_ack(arrival.now, ack, arrival.echo);
            return true;
        }
        self.on_any_ack(arrival, una, same_window);
        true
    }

    /// Processes the acknowledgment of new data by a segment without data, options and marks, with these sequence and
    /// acknowledgment numbers, if it affects only window and timer; otherwise returns the reason without any change.
    #[inline]
    pub fn on_next_ack(
        &mut self,
        now: Time,
        ack: u64,
        numbers: (SeqNum, SeqNum),
        window: u32,
    ) -> Result<(), Unpredicted> {
        if ack > self.nxt() {
            return Err(Unpredicted::Acknowledgment);
        }
        if window == 0 || self.peer.is_frozen() {
            return Err(Unpredicted::ClosedWindow);
        }
        if !self.is_undisturbed() || self.rate.is_some() {
            return Err(Unpredicted::Sender);
        }
        if let Some(window) = self.newer_window(numbers, window, ack) {
            self.peer.on_update(window);
        }
        self.on_plain_ack(now, ack, None);
        Ok(())
    }

    /// Whether an acknowledgment that only advances affects only window and timer.
    #[inline]
    fn is_undisturbed(&self) -> bool {
        // Outside of an episode, a recovery that does not watch transmissions needs only duplicate acknowledgments.
        !self.episodes.watches() && !self.episodes.recovering() && !self.cwnd.is_reducing() && !self.spurious.watching()
    }

    /// Processes an acknowledgment that only advances, which is the common case: this is the part of `on_any_ack` that
    /// then applies.
    #[inline]
    fn on_plain_ack(&mut self, now: Time, ack: u64, echo: Option<(u32, Span)>) {
        let una = self.una();
        let mut summary = AckSummary::default();
        self.board.acknowledge(ack, |sent, _| {
            if !sent.sacked {
                summary.take(sent, false, 0);
            }
        });
        let acked = ack - una;
        self.telemetry.emit(|| Event::AckReceived { ack, duplicate: false });
        let rtt = self.measure(now, echo, &summary, acked);
        self.on_advance(ack);
        let delivered = self.delivered_by(&summary, acked, false, self.duplicates());
        self.episodes.end_duplicates();
        self.grow(now, acked, delivered, rtt);
        self.restart_timer(now);
        self.renew_inflation();
        self.emit_window();
    }

    /// Processes any acknowledgment, after its window was processed. `una` is the first unacknowledged byte before this
    /// acknowledgment.
    fn on_any_ack(&mut self, arrival: &AckArrival<'_>, una: u64, same_window: bool) {
        let AckArrival { now, ack, .. } = *arrival;
        let had_data = !self.board.is_empty();
        let flight_before = self.board.pipe() as f64;
        // The flight at the start of a recovery, as in RFC 9937: without data that was SACKed before.
        let from = (self.board.outstanding() - self.board.sacked_bytes()) as f64;
        let lost_before = self.board.total_lost();
        let mut summary = AckSummary::default();
        self.deliver(arrival, &mut summary);
        let acked = self.una() - una;
        // While the window is closed over data in flight, duplicates are responses to probes.
        let duplicate = if self.peer.is_frozen() {
            false
        } else if self.sack {
            summary.sacked > 0
        } else {
            acked == 0 && ack == una && had_data && arrival.bare && same_window
        };
        if acked > 0 || duplicate {
            self.telemetry.emit(|| Event::AckReceived { ack, duplicate: acked == 0 });
        }
        let rtt = self.measure(now, arrival.echo, &summary, acked);
        if acked > 0 {
            self.on_advance(ack);
        }
        if duplicate && arrival.lost_in_air && ack == self.una() {
            self.on_loss_in_air();
        }
        let preceding = self.duplicates();
        if acked > 0 {
            self.episodes.end_duplicates();
        }
        if duplicate {
            self.episodes.count_duplicate();
        }
        // The flight is computed before recovery inflates cwnd. Only duplicates cause this.
        let before = duplicate.then(|| self.flight(now));
        let spurious = self.was_spurious(arrival, &summary, acked, duplicate);
        // An acknowledgment that only advances has no effect on a recovery that is inactive and counts duplicates.
        let plain = !duplicate && !self.episodes.recovering() && !self.episodes.watches();
        // A duplicate may be reported, and a probe answered, after all data is acknowledged.
        let asked =
            (had_data || summary.duplicate.is_some() || self.episodes.watches()) && !plain && !self.peer.is_frozen();
        let (verdict, report) = if asked {
            self.ask_recovery(arrival, &summary, acked, duplicate)
        } else {
            (RecoveryVerdict::Ordinary, None)
        };
        let lost = self.board.total_lost() - lost_before;
        if self.rate.is_some() {
            self.feed_back(arrival, &summary, acked, lost, flight_before, rtt);
        }
        if spurious {
            self.cwnd.on_undo();
        }
        if verdict != RecoveryVerdict::Ordinary {
            let flight = before.unwrap_or_else(|| self.flight(now));
            self.apply(now, verdict, report, &flight, from);
        }
        self.take_mark(arrival, from);
        let delivered = self.delivered_by(&summary, acked, duplicate, preceding);
        let (board, episodes, mss) = (&self.board, &self.episodes, self.buffer.mss());
        self.cwnd.on_progress(|| {
            // Without SACK the next segment to be retransmitted is not yet marked lost, and therefore still in the
            // pipe.
            let hole = match verdict {
                RecoveryVerdict::Begin { resend: true } | RecoveryVerdict::Resend { .. } => f64::from(mss),
                _ => 0.0,
            };
            let pipe = (board.pipe() as f64 - episodes.inflation() - hole).max(0.0);
            ReductionProgress { delivered: delivered as f64, pipe, safe: acked > 0 && lost == 0 }
        });
        self.grow_after(verdict, arrival, [acked, delivered], rtt);
        // [RFC6582 s3.2 step 3]
        if acked > 0 && (self.board.is_empty() || verdict != (RecoveryVerdict::Resend { restart: false })) {
            self.restart_timer(now);
        }
        self.renew_inflation();
        self.emit_window();
    }

    /// Lets the congestion control grow cwnd, if the verdict of the recovery and the acknowledgment permit it.
    #[inline]
    fn grow_after(
        &mut self,
        verdict: RecoveryVerdict,
        arrival: &AckArrival<'_>,
        [acked, delivered]: [u64; 2],
        rtt: Option<Span>,
    ) {
        // [RFC3168 s6.1.2]: an acknowledgment with ECN-Echo does not grow cwnd.
        let echoes = arrival.ecn_echo && self.ecn.is_agreed() && !self.cwnd.precise_ecn();
        let opens = match verdict {
            RecoveryVerdict::Ordinary => true,
            RecoveryVerdict::Recovered => self.cwnd.grows_at_recovery_exit(),
            _ => false,
        };
        if opens && !self.cwnd.is_reducing() && !echoes {
            self.grow(arrival.now, acked, delivered, rtt);
        }
    }

    /// Lets the congestion control grow cwnd, if permitted.
    #[inline]
    fn grow(&mut self, now: Time, acked: u64, delivered: u64, rtt: Option<Span>) {
        let bytes = self.cwnd.growing_bytes(acked, delivered, || self.episodes.reordering().0 > DUP_THRESH);
        if bytes == 0 {
            return;
        }
        if self.cwnd.may_grow(self.peer.size()) {
            let (una, nxt, srtt) = (self.una(), self.nxt(), self.timer.rtt().srtt());
            self.cwnd.grow(&Acked { now, bytes, una, nxt, rtt, srtt });
        } else {
            self.cwnd.on_limited(now);
        }
    }

    /// Restarts the retransmission timer, or stops it when nothing is outstanding [RFC6298 s5.2, s5.3].
    #[inline]
    fn restart_timer(&mut self, now: Time) {
        if self.board.is_empty() {
            self.timer.stop();
        } else {
            self.timer.start(now);
        }
    }

    /// Updates the scoreboard with delivered data.
    #[inline]
    fn deliver(&mut self, arrival: &AckArrival<'_>, summary: &mut AckSummary) {
        let now = arrival.now;
        let echo = arrival.echo.map(|(echo, _)| echo);
        let view = self.episodes.watches().then(|| SenderView { echo, ..self.view() });
        let episode = self.episodes.sent_before();
        let Sender { board, rate, episodes, .. } = self;
        let mut blocks = [None; SackBlocks::MAX];
        if self.sack && !arrival.sack.is_empty() {
            blocks = resolve_sack_blocks(arrival, board);
            summary.duplicate = blocks[0].filter(|first| is_duplicate(*first, arrival.ack, blocks[1]));
            if summary.duplicate.is_some() {
                blocks[0] = None;
            }
        }
        let mut take = |sent: &SentSegment, snapshot: Option<Snapshot>, by_sack: bool| {
            if let (Some(rate), Some(snapshot)) = (rate.as_mut(), snapshot) {
                rate.on_delivered(now, sent, snapshot);
            }
            if let Some(view) = &view {
                episodes.on_delivered(now, sent, view);
            }
            summary.take(sent, by_sack, episode);
        };
        let una = board.una();
        if arrival.ack > una {
            board.acknowledge(arrival.ack, |sent, snapshot| {
                if !sent.sacked {
                    take(sent, snapshot, false);
                }
            });
        }
        // SACK reports the newest range first. Several ranges may be new after a lost acknowledgment. They are
        // processed in the order of sequence numbers, because otherwise they would appear reordered [RFC8985 s6.2 step
        // 2].
        blocks.sort_unstable();
        for (from, to) in blocks.into_iter().flatten() {
            board.sack(from, to, |sent, snapshot| take(sent, snapshot, true));
        }
    }

    /// Processes the round trip that the acknowledgment measures, if any.
    #[inline]
    fn measure(&mut self, now: Time, echo: Option<(u32, Span)>, summary: &AckSummary, acked: u64) -> Option<Span> {
        let echoed = echo.filter(|_| acked > 0).map(|(_, rtt)| rtt);
        let (smoothed, latest) = match self.timer.sampling() {
            Sampling::OneAtATime => {
                let began = self.timer.end_sample(self.board.una())?;
                let rtt = echoed.unwrap_or_else(|| now.since(began));
                (rtt, rtt)
            }
            Sampling::EachAcknowledgment => {
                let acked_at = summary.acked_at.filter(|_| !summary.retransmitted);
                let at = acked_at.or(summary.sacked_at).map(|at| now.since(at));
                let smoothed = at.or(echoed)?;
                (smoothed, summary.newest_at.map_or(smoothed, |at| now.since(at)))
            }
        };
        self.timer.on_sample(now, smoothed);
        self.telemetry.on_rtt(smoothed);
        let rtt = self.timer.rtt();
        self.telemetry.emit(|| Event::RttSample { rtt: smoothed, srtt: rtt.srtt(), rto: rtt.rto() });
        Some(latest)
    }

    /// Processes the acknowledgment of new data up to `ack`.
    #[inline]
    fn on_advance(&mut self, ack: u64) {
        self.timer.on_advance(self.board.resent_segments() == 0);
        self.episodes.on_advance(ack);
        self.buffer.on_advance(self.board.una(), self.board.nxt());
        self.notices.on_advance(ack);
        self.resends.on_advance(ack);
        if self.ecn.on_advance(ack) && !self.episodes.recovering() {
            self.cwnd.end_reduction();
        }
    }

    #[inline]
    fn feed_back(
        &mut self,
        arrival: &AckArrival<'_>,
        summary: &AckSummary,
        acked: u64,
        lost: u64,
        flight_before: f64,
        rtt: Option<Span>,
    ) {
        let now = arrival.now;
        let min_rtt = self.timer.rtt().min_rtt().unwrap_or(Span::ZERO);
        let feedback = Feedback {
            now,
            una: self.una(),
            nxt: self.nxt(),
            acked,
            delivered: summary.delivered,
            lost,
            flight_before,
            flight: self.board.pipe() as f64,
            rtt,
            srtt: self.timer.rtt().srtt(),
            ecn_echo: arrival.ecn_echo && self.ecn.is_agreed(),
            recovering: self.episodes.recovering(),
            rate: self.rate.as_mut().and_then(|rate| rate.sample(now, min_rtt, self.board.total_lost())),
        };
        if self.cwnd.on_feedback(&feedback) {
            // [RFC8257 s3.3]
            self.note_cut();
        }
        if let Some(differentiation) = &mut self.differentiation {
            differentiation.on_feedback(&feedback);
        }
    }

    /// Returns the bytes that an acknowledgment shows to be delivered. Without SACK each duplicate counts as one
    /// segment, which is subtracted when that segment is acknowledged [RFC9937 s6.2]. `preceding` is the number of
    /// earlier duplicates.
    #[inline]
    fn delivered_by(&self, summary: &AckSummary, acked: u64, duplicate: bool, preceding: u32) -> u64 {
        let segment = u64::from(self.buffer.mss());
        match (self.sack, acked) {
            (true, _) => summary.delivered,
            (false, 0) => u64::from(duplicate) * segment,
            (false, acked) => acked.saturating_sub(u64::from(preceding) * segment).max(acked.min(segment)),
        }
    }
}
