//! Loss recovery: which segments are lost, and which to retransmit.

pub mod fack;
pub mod newreno;
pub(crate) mod prr;
pub mod rack;
pub mod reno;
pub mod sack;
pub mod tahoe;

use engine::{Span, Time};

use crate::scoreboard::{Scoreboard, Sent};

engine::registry! {
    /// The kinds of loss recovery.
    pub enum RecoveryConfig: "recovery" => build() -> Box<dyn LossRecovery> {
        Tahoe => tahoe, "tahoe", "Third duplicate, then everything again from slow start [Jacobson 1988]", no settings;
        Reno => reno, "reno", "Third duplicate, then one segment a duplicate until new data is acknowledged [RFC5681 s3.2]", no settings;
        NewReno => newreno, "newreno", "Reno that stays until everything sent before the loss is acknowledged [RFC6582]";
        Sack => sack, "sack", "The holes between SACK blocks, as the pipe allows [RFC6675]", no settings;
        Fack => fack, "fack", "Everything below the highest SACK is lost [Mathis and Mahdavi 1996]", no settings;
        Rack => rack, "rack", "Lost is what was sent well before something that has arrived; probes for the tail [RFC8985]";
    }
}

/// What an acknowledgment brought. Bytes.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    /// When it came.
    pub now: Time,
    /// By how much `una` moved.
    pub acked: u64,
    /// How much was SACKed that had not been.
    pub sacked: u64,
    /// Which duplicate in a row it is, from 1; 0 if it is none. With SACK a duplicate is one that SACKs something new
    /// [RFC6675 s2].
    pub duplicates: u32,
    /// Whether the ends agreed on SACK.
    pub sack: bool,
    /// Where a duplicate arrived that SACK reports, if one did (RFC 2883).
    pub duplicate_sack: Option<(u64, u64)>,
    /// The network has said that the segment at `una` was lost for a reason other than congestion.
    pub notified: Option<Notified>,
    /// The timestamp it echoes is older than the retransmission of what it acknowledges.
    pub echoes_original: bool,
}

/// What the sender knows when an acknowledgment comes in. Windows are bytes.
#[derive(Clone, Copy, Debug)]
pub struct View {
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
    /// The timestamp that the acknowledgment at hand echoes.
    pub echo: Option<u32>,
    /// Whether recovery uses SACK and the ends agreed on it.
    pub sack: bool,
    /// Whether the losses of a timeout are being repaired.
    pub after_timeout: bool,
    /// When the retransmission timer expires.
    pub expiry: Time,
}

/// What a notified loss asks of recovery, instead of the ordinary rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notified {
    /// The segment was sent again when the message came: recover with the window as it is.
    AlreadyResent,
    /// Send the segment again and fly ssthresh plus three segments until new data is acknowledged.
    Resend,
    /// The ordinary rule, with the window as it is.
    Uncut,
}

impl Notified {
    /// Whether one duplicate is enough, for what it asks for is known to be lost.
    pub fn at_once(self) -> bool {
        self != Notified::Uncut
    }
}

/// The sender's task after an acknowledgment, or when a deadline has passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Nothing is being recovered.
    Ordinary,
    /// Recovery begins. The segment at `una` goes out at once if `resend`, even beyond the window.
    Begin {
        /// Whether to send it.
        resend: bool,
    },
    /// There is no recovery but slow start: everything not acknowledged is sent again, as the window allows.
    Restart,
    /// Recovery goes on.
    Recovering,
    /// Recovery goes on, and the segment at `una` goes out at once; the retransmission timer starts again if `restart`.
    Resend {
        /// Whether the timer starts again.
        restart: bool,
    },
    /// Recovery has ended.
    Recovered,
    /// Recovery has ended, and another begins with losses that are known already: of what was sent meanwhile.
    Again,
    /// A probe has repaired a loss before it was detected: cwnd is reduced and recovery is over.
    Repaired,
    /// The tail may be lost: send something to find out, new data if there is some, else the last segment again
    /// [RFC8985 s7.3].
    Probe,
}

/// Says what is lost, by marking it on the scoreboard, and never writes cwnd: what it wants to add to the window for
/// segments that have left the network it keeps in `inflation`. Lost segments are sent again, lowest first, as the
/// window allows.
///
/// The sender calls `on_ack` for each acknowledgment of this connection while data is outstanding, or that was outstanding
/// until it came, after the scoreboard has been updated; not for one that only advances while nothing is being
/// recovered, unless the recovery `watches`. It calls `lose_at_timeout` and then `on_timeout` when the retransmission timer has
/// expired. If `watches`, it also calls `on_delivered` for each segment as it is acknowledged
/// or SACKed, as it was just before; `on_sent` after each segment sent; and `on_deadline` when `deadline` has come.
pub trait LossRecovery: Send {
    /// An acknowledgment has come.
    fn on_ack(&mut self, ack: &Ack, board: &mut Scoreboard, view: &View) -> Verdict;
    /// The retransmission timer is about to expire: marks what that says is lost, the first segment at least.
    fn lose_at_timeout(&mut self, _now: Time, board: &mut Scoreboard, _view: &View) {
        board.lose_all();
    }
    /// The retransmission timer has expired.
    fn on_timeout(&mut self, board: &Scoreboard);
    /// Whether recovery is going on.
    fn recovering(&self) -> bool;
    /// Recovery turns out to have been spurious: it ends, and nothing on the board is lost any more.
    fn on_undo(&mut self, board: &Scoreboard);
    /// Whether it uses SACK; the others count duplicates even if the other end sends blocks.
    fn uses_sack(&self) -> bool {
        false
    }
    /// Bytes to add to cwnd for now, for segments that have left the network unseen by the scoreboard; may be negative.
    fn inflation(&self) -> f64 {
        0.0
    }
    /// A segment that is not known to be lost, but may be sent again when there is nothing better to send
    /// [RFC6675 s4 NextSeg (3), (4)].
    fn spare(&mut self, _board: &Scoreboard) -> Option<u64> {
        None
    }
    /// Whether it wants the calls below.
    fn watches(&self) -> bool {
        false
    }
    /// A segment was delivered, by acknowledgment or SACK.
    fn on_delivered(&mut self, _now: Time, _sent: &Sent, _view: &View) {}
    /// The segment at `seq` was sent, `again` or for the first time.
    fn on_sent(&mut self, _now: Time, _seq: u64, _again: bool, _board: &Scoreboard, _view: &View) {}
    /// A probe goes out: the segment at `again`, or new data. After it `nxt` is the first byte never sent.
    fn on_probe(&mut self, _now: Time, _again: Option<u64>, _nxt: u64) {}
    /// When `on_deadline` is to be called.
    fn deadline(&self) -> Time {
        Time::NEVER
    }
    /// `deadline` has come.
    fn on_deadline(&mut self, _now: Time, _board: &mut Scoreboard, _view: &View) -> Verdict {
        Verdict::Ordinary
    }
    /// How far segments have been seen to be out of order, in segments, and how often.
    fn reordering(&self) -> (u32, u32) {
        (DUP_THRESH, 0)
    }
}

/// The number of duplicates, or of segments SACKed above it, that shows that a segment is lost [RFC5681 s3.2, RFC6675 s2
/// DupThresh].
pub const DUP_THRESH: u32 = 3;

/// Whether a duplicate begins recovery in a sender without SACK: whether to send the segment at `una`, and the
/// inflation to begin with.
fn classic_trigger(ack: &Ack, view: &View) -> Option<(bool, f64)> {
    let third = ack.duplicates == DUP_THRESH;
    match ack.notified {
        _ if ack.duplicates == 0 => None,
        Some(Notified::AlreadyResent) => Some((false, view.segment)),
        Some(Notified::Resend) => third.then(|| {
            // Before the first cut there is no threshold to fly.
            let threshold = if view.ssthresh.is_finite() { view.ssthresh } else { view.cwnd };
            (true, threshold + 3.0 * view.segment - view.cwnd)
        }),
        // [RFC5681 s3.2 step 3]: three segments have left the network.
        Some(Notified::Uncut) | None => third.then_some((true, 3.0 * view.segment)),
    }
}

#[cfg(test)]
mod tests;
