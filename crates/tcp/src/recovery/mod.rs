//! Loss recovery: which segments are lost, and which to retransmit.

pub mod fack;
pub mod newreno;
pub(crate) mod prr;
pub mod rack;
pub mod reno;
pub mod sack;
pub mod tahoe;

use engine::{Span, Time};

use crate::scoreboard::{Scoreboard, SentSegment};

engine::registry! {
    /// The kinds of loss recovery.
    pub enum RecoveryConfig: "recovery" => build() -> Box<dyn LossRecovery> {
        Tahoe => tahoe, "tahoe", "Third duplicate, then slow start from the first unacknowledged byte [Jacobson 1988]", no settings;
        Reno => reno, "reno", "Third duplicate, then one segment per duplicate until new data is acknowledged [RFC5681 s3.2]", no settings;
        NewReno => newreno, "newreno", "Reno whose recovery lasts until all data sent before it is acknowledged (RFC 6582)";
        Sack => sack, "sack", "Retransmits the holes between SACK blocks as the pipe allows (RFC 6675)", no settings;
        Fack => fack, "fack", "All unSACKed data below the highest SACK is lost [Mathis and Mahdavi 1996]", no settings;
        Rack => rack, "rack", "A segment is lost if one sent sufficiently later was delivered; tail loss probes (RFC 8985)";
    }
}

/// The effects of an acknowledgment, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct AckEffects {
    /// Time of its arrival.
    pub now: Time,
    /// Bytes by which `una` advanced.
    pub acked: u64,
    /// Bytes newly SACKed.
    pub sacked: u64,
    /// Number of consecutive duplicates including this one; 0 for an acknowledgment that is not a duplicate. With SACK
    /// a duplicate is an acknowledgment that SACKs new data [RFC6675 s2].
    pub duplicates: u32,
    /// Whether SACK was negotiated.
    pub sack: bool,
    /// The range of a duplicate arrival that SACK reports, if any (RFC 2883).
    pub duplicate_sack: Option<(u64, u64)>,
    /// Set if the network reported that the segment at `una` was lost for a reason other than congestion.
    pub notified: Option<Notified>,
    /// The echoed timestamp is older than the retransmission of the acknowledged segment.
    pub echoes_original: bool,
}

/// The state of the sender at an acknowledgment. Windows are in bytes.
#[derive(Clone, Copy, Debug)]
pub struct SenderView {
    /// Bytes in a full segment.
    pub segment: f64,
    /// The congestion control's window.
    pub cwnd: f64,
    /// The congestion control's threshold.
    pub ssthresh: f64,
    /// Smoothed round-trip time, if one was measured.
    pub srtt: Option<Span>,
    /// The minimum round-trip time, if one was measured.
    pub min_rtt: Option<Span>,
    /// Timestamp echoed by the current acknowledgment.
    pub echo: Option<u32>,
    /// Whether recovery uses SACK and it was negotiated.
    pub sack: bool,
    /// Whether losses of a timeout are being recovered.
    pub after_timeout: bool,
    /// Expiry of the retransmission timer.
    pub expiry: Time,
}

/// The treatment of a reported loss by the recovery, instead of the standard rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notified {
    /// The segment was resent when the message arrived: recovery makes no reduction.
    AlreadyResent,
    /// Resend the segment, with ssthresh plus three segments in flight until new data is acknowledged.
    Resend,
    /// Retransmit as the recovery does after duplicate acknowledgments, but leave cwnd and ssthresh unchanged.
    Uncut,
}

impl Notified {
    /// Whether the first duplicate begins recovery, since its segment is known to be lost.
    pub fn at_once(self) -> bool {
        self != Notified::Uncut
    }
}

/// The evidence that all retransmissions of an episode were spurious.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UndoEvidence {
    /// In fast recovery a late original was acknowledged, and not its retransmission (Eifel): the network has
    /// reordered.
    LateOriginal {
        /// First byte that the acknowledgment acknowledges.
        from: u64,
    },
    /// Each retransmission was reported as a duplicate (DSACK).
    Duplicates {
        /// Whether fast recovery retransmitted, and not a timeout: then the network has reordered.
        fast: bool,
    },
    /// Original segments were acknowledged that had been taken for lost (F-RTO, Eifel at the end of an episode or after
    /// a timeout).
    Acknowledged,
}

/// The decision after an acknowledgment or a deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecoveryVerdict {
    /// No recovery is in progress.
    Ordinary,
    /// Recovery begins. The segment at `una` is sent at once if `resend`, even beyond cwnd.
    Begin {
        /// Whether to send the segment at `una`.
        resend: bool,
    },
    /// Slow start replaces recovery: all unacknowledged data is retransmitted, as cwnd allows.
    Restart,
    /// Recovery continues.
    Recovering,
    /// Recovery continues, and the segment at `una` is sent at once; the retransmission timer restarts if `restart`.
    Resend {
        /// Whether the retransmission timer restarts.
        restart: bool,
    },
    /// Recovery has ended.
    Recovered,
    /// Recovery has ended, and the next begins for losses already detected in data sent during recovery.
    Again,
    /// A tail loss probe recovered a loss before it was detected: cwnd is reduced and recovery ends.
    Repaired,
    /// The tail may be lost: send a probe, new data if available, otherwise a retransmission of the last segment
    /// [RFC8985 s7.3].
    Probe,
}

/// Marks lost segments on the scoreboard. It never writes cwnd: its `inflation` is the window increase for segments
/// that have left the network. Lost segments are retransmitted, lowest first, as the window allows.
///
/// The sender calls `on_ack` after the scoreboard has been updated, for each acknowledgment that arrives while data is
/// outstanding, including the last one. An acknowledgment that only advances `una` outside recovery is skipped unless
/// the recovery `watches`. When the retransmission timer has expired it calls `lose_at_timeout` and then `on_timeout`.
/// If `watches`, it also calls `on_delivered` for each segment that is acknowledged or SACKed, with its state before
/// that; `on_sent` after each segment sent; and `on_deadline` at `deadline`.
pub trait LossRecovery: Send {
    /// Processes an acknowledgment.
    fn on_ack(&mut self, ack: &AckEffects, board: &mut Scoreboard, view: &SenderView) -> RecoveryVerdict;
    /// Marks segments lost at an expiry of the retransmission timer, at least the first. Called before `on_timeout`.
    fn lose_at_timeout(&mut self, _now: Time, board: &mut Scoreboard, _view: &SenderView) {
        board.lose_all();
    }
    /// Called at an expiry of the retransmission timer.
    fn on_timeout(&mut self, board: &Scoreboard);
    /// Whether recovery is in progress.
    fn recovering(&self) -> bool;
    /// Ends a spurious recovery. No segment on the scoreboard is lost any more.
    fn on_undo(&mut self, board: &Scoreboard, evidence: UndoEvidence);
    /// Whether the algorithm has fast recovery, in which loss differentiation takes effect.
    fn has_fast_recovery(&self) -> bool {
        true
    }
    /// Whether the algorithm uses SACK; other algorithms count duplicates even if the other end sends SACK blocks.
    fn uses_sack(&self) -> bool {
        false
    }
    /// Bytes to add to cwnd during recovery, for segments that have left the network and that the scoreboard does not
    /// show; may be negative.
    fn inflation(&self) -> f64 {
        0.0
    }
    /// A segment not known to be lost that may be retransmitted when nothing else can be sent [RFC6675 s4 NextSeg (3),
    /// (4)].
    fn spare(&mut self, _board: &Scoreboard) -> Option<u64> {
        None
    }
    /// Whether the methods below are called.
    fn watches(&self) -> bool {
        false
    }
    /// Called for each delivered segment, acknowledged or SACKed.
    fn on_delivered(&mut self, _now: Time, _sent: &SentSegment, _view: &SenderView) {}
    /// Called after the segment at `seq` was sent; `again` states whether this is a retransmission.
    fn on_sent(&mut self, _now: Time, _seq: u64, _again: bool, _board: &Scoreboard, _view: &SenderView) {}
    /// Called after a probe was sent: the segment at `again`, or new data. `nxt` is the first unsent byte after the
    /// probe.
    fn on_probe(&mut self, _now: Time, _again: Option<u64>, _nxt: u64) {}
    /// Returns the time at which `on_deadline` is to be called.
    fn deadline(&self) -> Time {
        Time::NEVER
    }
    /// `deadline` has come.
    fn on_deadline(&mut self, _now: Time, _board: &mut Scoreboard, _view: &SenderView) -> RecoveryVerdict {
        RecoveryVerdict::Ordinary
    }
    /// Returns the maximum distance by which segments were reordered, in segments, and the number of reordered
    /// segments.
    fn reordering(&self) -> (u32, u32) {
        (DUP_THRESH, 0)
    }
}

/// Number of duplicate acknowledgments, or of SACKed segments above a segment, from which on the segment counts as lost
/// [RFC5681 s3.2, RFC6675 s2 DupThresh].
pub const DUP_THRESH: u32 = 3;

/// Whether a duplicate begins recovery in a sender without SACK: whether to send the segment at `una`, and the initial
/// inflation.
fn classic_trigger(ack: &AckEffects, view: &SenderView) -> Option<(bool, f64)> {
    let third = ack.duplicates == DUP_THRESH;
    match ack.notified {
        _ if ack.duplicates == 0 => None,
        Some(Notified::AlreadyResent) => Some((false, view.segment)),
        Some(Notified::Resend) => third.then(|| {
            // ssthresh is infinite before the first reduction; cwnd replaces it.
            let threshold = if view.ssthresh.is_finite() { view.ssthresh } else { view.cwnd };
            (true, threshold + 3.0 * view.segment - view.cwnd)
        }),
        // [RFC5681 s3.2 step 3]: three segments have left the network.
        Some(Notified::Uncut) | None => third.then_some((true, 3.0 * view.segment)),
    }
}

#[cfg(test)]
mod tests;
