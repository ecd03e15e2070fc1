//! Which losses are being repaired: fast recovery, and going back after a timeout.

use engine::Time;

use crate::config::Config;
use crate::event::Reason;
use crate::recovery::{Ack, DUP_THRESH, LossRecovery, Verdict, View};
use crate::scoreboard::{Scoreboard, Sent};

/// The episodes of repair, with the recovery that begins and ends them.
///
/// `repair` says that recovery is going on exactly while the recovery itself does: every call that may change that comes
/// through here. Duplicates are counted since the last acknowledgment of new data.
pub(super) struct Episodes {
    recovery: Box<dyn LossRecovery>,
    watches: bool,
    repair: Repair,
    duplicates: u32,
    limited_transmit: bool,
    /// Bytes sent because of limited transmit since the last acknowledgment of new data.
    limited_sent: u64,
}

/// What is being repaired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Repair {
    /// Nothing.
    None,
    /// Losses that acknowledgments have shown, in fast recovery.
    Recovery,
    /// Everything before `until`, the first byte never sent when it began; `recovering` while acknowledgments have shown losses
    /// among that, too.
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

    /// Why everything up to a point is being sent again, if it is.
    #[inline]
    pub fn going_back(&self) -> Option<Reason> {
        match self.repair {
            Repair::GoBack { cause, .. } => Some(cause),
            Repair::None | Repair::Recovery => None,
        }
    }

    /// Whether a timeout's losses are being repaired.
    #[inline]
    pub fn after_timeout(&self) -> bool {
        self.going_back() == Some(Reason::Timeout)
    }

    /// Everything before this was sent before the episode of going back began; 0 without one.
    #[inline]
    pub fn sent_before(&self) -> u64 {
        match self.repair {
            Repair::GoBack { until, .. } => until,
            Repair::None | Repair::Recovery => 0,
        }
    }

    /// Window inflation: bytes to add to cwnd for now; may be negative.
    #[inline]
    pub fn inflation(&self) -> f64 {
        if self.recovering() { self.recovery.inflation() } else { 0.0 }
    }

    /// The segments of new data that limited transmit lets out beyond the window [RFC3042 s2], while `nxt` is the first byte never
    /// sent. With SACK the pipe shrinks by itself.
    #[inline]
    pub fn limited_segments(&self, nxt: u64) -> u32 {
        if self.duplicates == 0 || !self.limited_transmit {
            return 0;
        }
        let allowed = match self.repair {
            Repair::None => true,
            Repair::Recovery => false,
            // Duplicates tell of new data only if there was any [RFC5682 s2.1 step 3a].
            Repair::GoBack { until, recovering, .. } => !recovering && nxt > until,
        };
        if allowed { self.duplicates.min(DUP_THRESH - 1) } else { 0 }
    }

    /// Duplicate acknowledgments since the last of new data.
    #[inline]
    pub fn duplicates(&self) -> u32 {
        self.duplicates
    }

    /// What limited transmit has sent, of `outstanding` bytes.
    pub fn limited_sent(&self, outstanding: u64) -> u64 {
        self.limited_sent.min(outstanding)
    }

    /// How far segments have been seen to be out of order, in segments, and how often.
    pub fn reordering(&self) -> (u32, u32) {
        self.recovery.reordering()
    }

    /// New data was acknowledged, everything before `una`.
    #[inline]
    pub fn on_advance(&mut self, una: u64) {
        self.limited_sent = 0;
        if let Repair::GoBack { until, recovering, .. } = self.repair
            && una >= until
        {
            self.repair = if recovering { Repair::Recovery } else { Repair::None };
        }
    }

    /// Counts the duplicates in a row after an acknowledgment that `advances`, is a `duplicate`, or with SACK both
    /// [RFC6675 s5].
    #[inline]
    pub fn count_duplicates(&mut self, advances: bool, duplicate: bool) {
        if advances {
            self.duplicates = 0;
        }
        self.duplicates += u32::from(duplicate);
    }

    /// New data leaves.
    #[inline]
    pub fn on_new_data(&mut self, len: u64) {
        if self.limited_transmit && self.duplicates > 0 && !self.recovering() {
            self.limited_sent += len;
        }
    }

    /// A segment was delivered.
    #[inline]
    pub fn on_delivered(&mut self, now: Time, sent: &Sent, view: &View) {
        self.recovery.on_delivered(now, sent, view);
    }

    /// A segment was sent, `again` or for the first time.
    #[inline]
    pub fn on_sent(&mut self, now: Time, seq: u64, again: bool, board: &Scoreboard, view: &View) {
        self.recovery.on_sent(now, seq, again, board, view);
    }

    /// A probe of the tail goes out.
    pub fn on_probe(&mut self, now: Time, again: Option<u64>, nxt: u64) {
        self.recovery.on_probe(now, again, nxt);
    }

    /// A segment that may be sent again when there is nothing better to send.
    pub fn spare(&mut self, board: &Scoreboard) -> Option<u64> {
        self.recovery.spare(board)
    }

    /// What recovery makes of an acknowledgment.
    pub fn on_ack(&mut self, ack: &Ack, board: &mut Scoreboard, view: &View) -> Verdict {
        let verdict = self.recovery.on_ack(ack, board, view);
        self.note_recovery();
        verdict
    }

    /// When recovery has something to do as time passes; NEVER if it does not watch.
    #[inline]
    pub fn deadline(&self) -> Time {
        if self.watches { self.recovery.deadline() } else { Time::NEVER }
    }

    /// What recovery does as `deadline` has come.
    pub fn on_deadline(&mut self, now: Time, board: &mut Scoreboard, view: &View) -> Verdict {
        let verdict = self.recovery.on_deadline(now, board, view);
        self.note_recovery();
        verdict
    }

    /// The retransmission timer has expired for losses that are congestion: what that says is lost is marked, and everything is
    /// sent again.
    pub fn on_timeout(&mut self, now: Time, board: &mut Scoreboard, view: &View) {
        self.recovery.lose_at_timeout(now, board, view);
        self.end_recovery(board);
        self.go_back(board.nxt(), Reason::Timeout);
    }

    /// Recovery is over, as at a timeout. Going back goes on.
    pub fn end_recovery(&mut self, board: &Scoreboard) {
        self.duplicates = 0;
        self.recovery.on_timeout(board);
        self.note_recovery();
    }

    /// Everything before `until` is sent again.
    pub fn go_back(&mut self, until: u64, cause: Reason) {
        self.repair = Repair::GoBack { until, cause, recovering: self.recovering() };
    }

    /// The last retransmissions were spurious: nothing is being repaired any more.
    pub fn undo(&mut self, board: &Scoreboard) {
        self.recovery.on_undo(board);
        self.repair = Repair::None;
    }

    /// Notes whether recovery is going on.
    fn note_recovery(&mut self) {
        let recovering = self.recovery.recovering();
        self.repair = match self.repair {
            Repair::GoBack { until, cause, .. } => Repair::GoBack { until, cause, recovering },
            _ if recovering => Repair::Recovery,
            _ => Repair::None,
        };
    }
}
