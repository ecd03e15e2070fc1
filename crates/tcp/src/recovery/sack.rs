//! Recovery with selective acknowledgments [RFC6675, RFC2018].
//!
//! A segment is lost if more than two segments' bytes, or three separate ranges, are SACKed above it. As the pipe
//! allows, the sender retransmits holes first, then sends new data, then retransmits segments below the highest SACK
//! that are not known to be lost, and once per recovery the last segment (rescue). Without SACK it is
//! [NewReno](super::newreno).
//!
//! Deviation: RescueRxt of RFC 6675 is undefined when recovery begins, so that the rescue would be sent as soon as the
//! pipe allows it: in each recovery of a sender limited by the receive window, whose last segments are still in flight.
//! Here it begins as HighACK, and only a segment sent before the recovery is rescued: once `una` has advanced, the
//! first retransmission has arrived, and segments sent before it should have been reported.

pub use engine::registry::NoSettings as Config;

use engine::Time;

use super::newreno::{NewReno, Variant};
use super::{AckEffects, DUP_THRESH, LossRecovery, Notified, RecoveryVerdict, SenderView, UndoEvidence};
use crate::scoreboard::Scoreboard;

/// Creates the recovery.
pub fn build() -> Box<dyn LossRecovery> {
    Box::new(Sack::new(Edge::IsLost))
}

/// The edge below which all data that is not SACKed is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Edge {
    /// `IsLost` of RFC 6675.
    IsLost,
    /// The highest SACK (FACK).
    Forward,
}

pub(super) struct Sack {
    edge: Edge,
    without: NewReno,
    /// During recovery: the recovery point (RecoveryPoint).
    point: Option<u64>,
    /// Offset that must be acknowledged after a recovery or a timeout before duplicates indicate a loss again.
    not_before: u64,
    /// Offset up to which `spare` has examined segments.
    spared_to: u64,
    /// Offset that must be acknowledged before the last segment may be rescued (RescueRxt).
    rescue_from: u64,
    /// Time at which this recovery began.
    began: Time,
}

impl Sack {
    pub fn new(edge: Edge) -> Self {
        let without = NewReno::new(Variant::default());
        Sack { edge, without, point: None, not_before: 0, spared_to: 0, rescue_from: 0, began: Time::ZERO }
    }

    fn edge(&self, board: &Scoreboard, view: &SenderView) -> u64 {
        match self.edge {
            // [RFC6675 s4 IsLost]
            Edge::IsLost => board.lost_below((f64::from(DUP_THRESH - 1) * view.segment) as u64, DUP_THRESH as usize),
            Edge::Forward => board.sacked_to(),
        }
    }

    fn triggers_recovery(&self, ack: &AckEffects, board: &Scoreboard, edge: u64, view: &SenderView) -> bool {
        if board.una() < self.not_before {
            return false;
        }
        let lost = match self.edge {
            Edge::IsLost => edge > board.una(),
            // [Mathis and Mahdavi 1996 s2.3]
            Edge::Forward => (board.sacked_to() - board.una()) as f64 > f64::from(DUP_THRESH) * view.segment,
        };
        lost || ack.duplicates >= DUP_THRESH || (ack.duplicates > 0 && ack.notified.is_some_and(Notified::at_once))
    }
}

impl LossRecovery for Sack {
    fn on_ack(&mut self, ack: &AckEffects, board: &mut Scoreboard, view: &SenderView) -> RecoveryVerdict {
        if !ack.sack {
            return self.without.on_ack(ack, board, view);
        }
        let edge = self.edge(board, view);
        if let Some(point) = self.point {
            if board.una() >= point {
                // [RFC6675 s5 (A)]
                self.point = None;
                return RecoveryVerdict::Recovered;
            }
            // [RFC6675 s5 (C)]
            board.lose_below(edge);
            return RecoveryVerdict::Recovering;
        }
        if view.after_timeout {
            // [RFC6675 s5.1]: all data that is not SACKed is already lost.
            board.lose_below(edge);
        }
        if ack.sacked == 0 || !self.triggers_recovery(ack, board, edge, view) {
            return RecoveryVerdict::Ordinary;
        }
        // [RFC6675 s5 (4)]
        self.point = Some(board.nxt());
        self.not_before = board.nxt();
        (self.spared_to, self.rescue_from, self.began) = (board.una(), board.una(), ack.now);
        board.lose_below(edge);
        RecoveryVerdict::Begin { resend: !ack.notified.is_some_and(Notified::at_once) || ack.duplicates >= DUP_THRESH }
    }

    fn on_timeout(&mut self, board: &Scoreboard) {
        self.without.on_timeout(board);
        self.point = None;
        // [RFC6675 s5.1]
        self.not_before = board.nxt();
    }

    fn recovering(&self) -> bool {
        self.point.is_some() || self.without.recovering()
    }

    fn on_undo(&mut self, board: &Scoreboard, evidence: UndoEvidence) {
        self.without.on_undo(board, evidence);
        self.point = None;
        self.not_before = 0;
    }

    fn uses_sack(&self) -> bool {
        true
    }

    fn inflation(&self) -> f64 {
        self.without.inflation()
    }

    fn spare(&mut self, board: &Scoreboard) -> Option<u64> {
        self.point?;
        // [RFC6675 s4 NextSeg (3)]: below the highest SACK, neither SACKed nor retransmitted.
        while self.spared_to < board.sacked_to() {
            let sent = board.get(self.spared_to.max(board.una()))?;
            self.spared_to = sent.end();
            if !sent.sacked && !sent.resent {
                return Some(sent.seq);
            }
        }
        // [RFC6675 s4 NextSeg (4)]
        let due = board.una() > self.rescue_from;
        let last = board.last().filter(|last| due && !last.sacked && !last.resent && last.at <= self.began)?;
        self.rescue_from = self.point?;
        Some(last.seq)
    }
}
