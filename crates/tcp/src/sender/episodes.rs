//! Loss recovery in progress: fast recovery, and go-back-N after a timeout.

use engine::Time;

use crate::config::Config;
use crate::event::Reason;
use crate::recovery::{AckEffects, DUP_THRESH, LossRecovery, RecoveryVerdict, SenderView, UndoEvidence};
use crate::scoreboard::{Scoreboard, SentSegment};

/// The episodes of loss recovery.
///
/// `repair` is in recovery exactly while the recovery algorithm is: every call that may change this is in this file.
/// Duplicates are counted since the last acknowledgment of new data.
pub(super) struct Episodes {
    recovery: Box<dyn LossRecovery>,
    watches: bool,
    repair: Repair,
    duplicates: u32,
    limited_transmit: bool,
    /// Bytes sent by limited transmit since the last acknowledgment of new data.
    limited_sent: u64,
}

/// Losses under repair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Repair {
    /// Nothing.
    None,
    /// Losses shown by acknowledgments, in fast recovery.
    Recovery,
    /// Go-back-N of everything before `until`, which was `nxt` at the beginning. `recovering` is true while
    /// acknowledgments have shown further losses.
    GoBack { until: u64, cause: Reason, recovering: bool },
}

impl Episodes {
    pub fn new(config: &Config) -> Self {
        let recovery = config.recovery.build();
        Episodes {
            watches: recovery.watches(),
            recovery,
            repair: Repair::None,
            duplicates: 0,
            limited_transmit: config.limited_transmit,
            limited_sent: 0,
        }
    }

    pub fn uses_sack(&self) -> bool {
        self.recovery.uses_sack()
    }

    /// Whether recovery watches every segment.
    #[inline]
    pub fn watches(&self) -> bool {
        self.watches
    }

    /// Whether recovery is going on.
    #[inline]
    pub fn recovering(&self) -> bool {
        match self.repair {
            Repair::None => false,
            Repair::Recovery => true,
            Repair::GoBack { recovering, .. } => recovering,
        }
    }

    /// Reason of the current go-back-N.
    #[inline]
    pub fn going_back(&self) -> Option<Reason> {
        match self.repair {
            Repair::GoBack { cause, .. } => Some(cause),
            Repair::None | Repair::Recovery => None,
        }
    }

    /// Whether losses of a timeout are being recovered.
    #[inline]
    pub fn after_timeout(&self) -> bool {
        self.going_back() == Some(Reason::Timeout)
    }

    /// Returns the offset before which everything had been sent before the current go-back-N; 0 without go-back-N.
    #[inline]
    pub fn sent_before(&self) -> u64 {
        match self.repair {
            Repair::GoBack { until, .. } => until,
            Repair::None | Repair::Recovery => 0,
        }
    }

    /// Window inflation: bytes to add to cwnd during recovery; may be negative.
    #[inline]
    pub fn inflation(&self) -> f64 {
        if self.recovering() { self.recovery.inflation() } else { 0.0 }
    }

    /// Returns the number of segments of new data that limited transmit allows beyond cwnd [RFC3042 s2]. `nxt` is the
    /// first unsent byte. With SACK the pipe shrinks instead.
    #[inline]
    pub fn limited_segments(&self, nxt: u64) -> u32 {
        if self.duplicates == 0 || !self.limited_transmit {
            return 0;
        }
        let allowed = match self.repair {
            Repair::None => true,
            Repair::Recovery => false,
            // Duplicate acknowledgments refer to new data only if new data was sent [RFC5682 s2.1 step 3a].
            Repair::GoBack { until, recovering, .. } => !recovering && nxt > until,
        };
        if allowed { self.duplicates.min(DUP_THRESH - 1) } else { 0 }
    }

    /// Returns the number of duplicate acknowledgments since the last acknowledgment of new data.
    #[inline]
    pub fn duplicates(&self) -> u32 {
        self.duplicates
    }

    /// Bytes sent by limited transmit, at most `outstanding`.
    pub fn limited_sent(&self, outstanding: u64) -> u64 {
        self.limited_sent.min(outstanding)
    }

    /// Returns the maximum distance by which segments were reordered, in segments, and the number of reordered
    /// segments.
    pub fn reordering(&self) -> (u32, u32) {
        self.recovery.reordering()
    }

    /// Processes the acknowledgment of all data before `una`.
    #[inline]
    pub fn on_advance(&mut self, una: u64) {
        self.limited_sent = 0;
        if let Repair::GoBack { until, recovering, .. } = self.repair
            && una >= until
        {
            self.repair = if recovering { Repair::Recovery } else { Repair::None };
        }
    }

    /// Ends a series of duplicates at an acknowledgment of new data.
    #[inline]
    pub fn end_duplicates(&mut self) {
        self.duplicates = 0;
    }

    /// Counts a duplicate acknowledgment, which with SACK may also acknowledge new data [RFC6675 s5].
    #[inline]
    pub fn count_duplicate(&mut self) {
        self.duplicates += 1;
    }

    /// New data is sent.
    #[inline]
    pub fn on_new_data(&mut self, len: u64) {
        if self.limited_transmit && self.duplicates > 0 && !self.recovering() {
            self.limited_sent += len;
        }
    }

    /// A segment was delivered.
    #[inline]
    pub fn on_delivered(&mut self, now: Time, sent: &SentSegment, view: &SenderView) {
        self.recovery.on_delivered(now, sent, view);
    }

    /// Handles the transmission of a segment; `again` states whether this is a retransmission.
    #[inline]
    pub fn on_sent(&mut self, now: Time, seq: u64, again: bool, board: &Scoreboard, view: &SenderView) {
        self.recovery.on_sent(now, seq, again, board, view);
    }

    /// Handles the transmission of a tail loss probe.
    pub fn on_probe(&mut self, now: Time, again: Option<u64>, nxt: u64) {
        self.recovery.on_probe(now, again, nxt);
    }

    /// A segment that may be retransmitted when nothing else can be sent.
    pub fn spare(&mut self, board: &Scoreboard) -> Option<u64> {
        self.recovery.spare(board)
    }

    /// Passes an acknowledgment to recovery and returns its decision.
    pub fn on_ack(&mut self, ack: &AckEffects, board: &mut Scoreboard, view: &SenderView) -> RecoveryVerdict {
        let verdict = self.recovery.on_ack(ack, board, view);
        self.note_recovery();
        verdict
    }

    /// Returns the time at which recovery needs a call of `on_deadline`; NEVER if recovery has no deadline.
    #[inline]
    pub fn deadline(&self) -> Time {
        if self.watches { self.recovery.deadline() } else { Time::NEVER }
    }

    /// Passes the deadline to recovery and returns its decision.
    pub fn on_deadline(&mut self, now: Time, board: &mut Scoreboard, view: &SenderView) -> RecoveryVerdict {
        let verdict = self.recovery.on_deadline(now, board, view);
        self.note_recovery();
        verdict
    }

    /// Handles an expiry of the retransmission timer because of congestion: marks lost segments, and begins go-back-N.
    pub fn on_timeout(&mut self, now: Time, board: &mut Scoreboard, view: &SenderView) {
        self.recovery.lose_at_timeout(now, board, view);
        self.end_recovery(board);
        self.go_back(board.nxt(), Reason::Timeout);
    }

    /// Ends recovery, for example at a timeout. Go-back-N continues.
    pub fn end_recovery(&mut self, board: &Scoreboard) {
        self.duplicates = 0;
        self.recovery.on_timeout(board);
        self.note_recovery();
    }

    /// Begins go-back-N: everything before `until` is retransmitted.
    pub fn go_back(&mut self, until: u64, cause: Reason) {
        self.repair = Repair::GoBack { until, cause, recovering: self.recovering() };
    }

    /// Ends all episodes, because the last retransmissions were spurious.
    pub fn undo(&mut self, board: &Scoreboard, evidence: UndoEvidence) {
        self.recovery.on_undo(board, evidence);
        self.repair = Repair::None;
    }

    /// Updates whether recovery is in progress.
    fn note_recovery(&mut self) {
        let recovering = self.recovery.recovering();
        self.repair = match self.repair {
            Repair::GoBack { until, cause, .. } => Repair::GoBack { until, cause, recovering },
            _ if recovering => Repair::Recovery,
            _ => Repair::None,
        };
    }
}
