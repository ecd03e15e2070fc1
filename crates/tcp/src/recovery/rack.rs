//! RACK-TLP: loss detection by time instead of counts, and tail loss probes (RFC 8985).
//!
//! A segment is lost when one sent after it was delivered and a round trip and a reordering window have passed since
//! its last transmission. The window is zero until reordering is seen and few segments are SACKed; then it is a quarter
//! of the min RTT, more when duplicates show that it was too small. Without SACK it is [NewReno](super::newreno).
//!
//! Reordering is seen when a segment sent only once is delivered after a later one [RFC8985 s6.2 step 3]. A segment
//! that was retransmitted before it arrived proves nothing by itself: a sender that retransmits early would never
//! learn. As in Linux two more signs count: a late original in fast recovery is recognized by Eifel
//! (`tcp_try_undo_partial`), and a second copy of a retransmitted segment is reported above `una` (`tcp_sacktag_one`). A
//! third sign is the undo of a fast recovery by DSACK, after which Linux begins the next recovery as early as before.

use std::cmp::Ordering;
use std::collections::VecDeque;

use engine::registry::Settings;
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::newreno::{NewReno, Variant};
use super::{AckEffects, DUP_THRESH, LossRecovery, Notified, RecoveryVerdict, SenderView, UndoEvidence};
use crate::scoreboard::{Moment, Scoreboard, SentSegment};
use crate::timestamps;

mod tail_probe;

use tail_probe::{Found, TailProbe};

/// Settings.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Whether the tail is probed (TLP) [RFC8985 s7]; `true` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = TAIL_PROBE))]
    pub tail_probe: Option<bool>,
}

/// Whether the tail is probed if the key is not given.
const TAIL_PROBE: bool = true;

impl Settings for Config {}

impl Config {
    /// Creates the recovery.
    pub fn build(&self) -> Box<dyn LossRecovery> {
        Box::new(Rack::new(self.tail_probe.unwrap_or(TAIL_PROBE)))
    }
}

/// Capacity kept for segments.
const MIN_CAPACITY: usize = 4;

struct Rack {
    without: NewReno,
    /// Segments in order of their last transmission, as time and first byte. Entries of segments that were since
    /// acknowledged or retransmitted remain.
    order: VecDeque<(Time, u64)>,
    /// The latest time of transmission among delivered segments (RACK.xmit_ts). The RFC orders segments of equal time
    /// by their ends (RACK.end_seq), which is wrong if a retransmission was sent after new data at the same time. In a
    /// simulation this is frequent.
    newest: Moment,
    /// The round trip of the last delivered segment (RACK.rtt).
    rtt: Span,
    /// The highest end of a delivered segment (RACK.fack).
    highest: u64,
    /// The lowest byte of the segments that the current acknowledgment shows to be reordered.
    lowest_late: Option<u64>,
    window: ReorderingWindow,
    /// During recovery: the recovery point.
    point: Option<u64>,
    /// Expiry of the reordering timer [RFC8985 s6.2]: the unacknowledged segments for which it runs are then marked
    /// lost.
    settles: Time,
    probe: TailProbe,
    /// Losses of a timeout are being recovered.
    after_timeout: bool,
}

/// The reordering window (RACK.reo_wnd).
struct ReorderingWindow {
    /// Size of the reordering window in quarters of the min RTT.
    quarters: u32,
    /// Number of recoveries until the window returns to one quarter.
    persist: u32,
    /// Set after a duplicate has widened the window. Further duplicates do not widen the window until this byte is
    /// acknowledged.
    round: Option<u64>,
    /// Number of reordered segments.
    seen: u32,
    /// Whether all retransmissions of a fast recovery were needless.
    undone: bool,
    /// Maximum reordering distance in segments.
    degree: u32,
}

impl Default for ReorderingWindow {
    fn default() -> Self {
        ReorderingWindow { quarters: 1, persist: 0, round: None, seen: 0, undone: false, degree: DUP_THRESH }
    }
}

/// Number of recoveries for which a widened window is kept [RFC8985 s6.2 step 4].
const PERSIST: u32 = 16;

impl ReorderingWindow {
    /// Handles the arrival of a duplicate, which shows that a retransmission was spurious [RFC8985 s6.2 step 4].
    fn on_duplicate(&mut self, board: &Scoreboard) {
        if self.round.is_some_and(|round| board.una() >= round) {
            self.round = None;
        }
        if self.round.is_none() {
            self.round = Some(board.nxt());
            self.quarters += 1;
            self.persist = PERSIST;
        }
    }

    fn on_recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.quarters = 1;
        }
    }

    /// Handles the undo of a recovery whose retransmissions all arrived as duplicates: the recovery does not count
    /// towards the return to one quarter [Linux `tcp_try_undo_dsack`]. If it was a `fast` recovery, the network has
    /// reordered.
    fn on_duplicates_undone(&mut self, fast: bool) {
        self.persist = (self.persist + 1).min(PERSIST);
        self.undone |= fast;
    }

    /// The present reordering window.
    fn span(&self, recovering: bool, board: &Scoreboard, view: &SenderView) -> Span {
        let reorders = self.seen > 0 || self.undone;
        if !reorders && (recovering || board.sacked_segments() >= DUP_THRESH) {
            return Span::ZERO;
        }
        let min_rtt = view.min_rtt.unwrap_or(Span::ZERO);
        let span = Span::from_nanos(min_rtt.as_nanos() / 4 * u64::from(self.quarters));
        span.min(view.srtt.unwrap_or(span))
    }
}

impl Rack {
    fn new(tail_probe: bool) -> Self {
        Rack {
            without: NewReno::new(Variant::default()),
            order: VecDeque::new(),
            newest: Moment::default(),
            rtt: Span::ZERO,
            highest: 0,
            lowest_late: None,
            window: ReorderingWindow::default(),
            point: None,
            settles: Time::NEVER,
            probe: TailProbe::new(tail_probe),
            after_timeout: false,
        }
    }

    /// Marks segments lost whose time has passed [RFC8985 s6.2 step 5], and sets the time of the next check. Returns
    /// whether segments were marked.
    fn detect(&mut self, now: Time, board: &mut Scoreboard, view: &SenderView) -> bool {
        self.settles = Time::NEVER;
        let wait = self.wait(board, view);
        let mut lost = false;
        while let Some(&(at, seq)) = self.order.front() {
            let waiting = board.get(seq).filter(|sent| sent.at == at && !sent.sacked && (!sent.lost || sent.resent));
            if let Some(sent) = waiting {
                if !self.newest.is_after(sent.moment()) {
                    break;
                }
                if at + wait > now {
                    // If the last segment sent before the newest delivered one has expired, all earlier ones have too.
                    // If that segment itself was delivered, a slightly earlier one may be the last to expire; the RFC
                    // examines each segment.
                    let before = self.order.partition_point(|(at, _)| *at <= self.newest.at);
                    self.settles = self.order[before - 1].0 + wait;
                    break;
                }
                lost |= board.lose_at(seq);
            }
            self.order.pop_front();
        }
        lost
    }

    /// Returns the time after the transmission of a segment at which the segment counts as lost, if a later one was
    /// delivered.
    fn wait(&self, board: &Scoreboard, view: &SenderView) -> Span {
        let recovering = self.point.is_some() || view.after_timeout;
        self.rtt + self.window.span(recovering, board, view)
    }

    /// Records that the segment at `seq` arrived late.
    fn on_late(&mut self, seq: u64) {
        self.lowest_late = Some(self.lowest_late.map_or(seq, |lowest| lowest.min(seq)));
    }

    /// Handles the report of a duplicate arrival that begins at `from`.
    fn on_duplicate(&mut self, from: u64, board: &Scoreboard) {
        if board.get(from).is_some_and(|sent| sent.sacked && sent.retransmitted) {
            self.on_late(from);
        }
        self.window.on_duplicate(board);
    }

    fn note_reordering(&mut self, view: &SenderView) {
        if let Some(seq) = self.lowest_late.take() {
            self.window.seen += 1;
            let degree = ((self.highest - seq) as f64 / view.segment).ceil() as u32;
            self.window.degree = self.window.degree.max(degree);
        }
    }

    fn begin(&mut self, board: &Scoreboard) {
        self.point = Some(board.nxt());
        self.probe.stop();
    }
}

impl LossRecovery for Rack {
    fn on_ack(&mut self, ack: &AckEffects, board: &mut Scoreboard, view: &SenderView) -> RecoveryVerdict {
        if !ack.sack {
            return self.without.on_ack(ack, board, view);
        }
        if let Some((from, _)) = ack.duplicate_sack {
            self.on_duplicate(from, board);
        }
        self.note_reordering(view);
        if self.after_timeout && !view.after_timeout {
            self.after_timeout = false;
            self.window.on_recovered();
        }
        if board.is_empty() {
            // All segments were acknowledged; an idle connection frees their memory.
            self.order.clear();
            if self.order.capacity() > 2 * MIN_CAPACITY {
                self.order.shrink_to(0);
            }
        }
        let found = self.probe.on_ack(ack, board);
        let lost = self.detect(ack.now, board, view);
        if let Some(point) = self.point {
            if board.una() < point {
                return RecoveryVerdict::Recovering;
            }
            self.window.on_recovered();
            if board.lost_segments() > 0 {
                // Losses in two successive windows cause two reductions [RFC5681 s4.3]. Recovery begins without waiting
                // for another loss, as in Linux (`tcp_time_to_recover`).
                self.begin(board);
                return RecoveryVerdict::Again;
            }
            self.point = None;
            return RecoveryVerdict::Recovered;
        }
        if view.after_timeout {
            return RecoveryVerdict::Ordinary;
        }
        let notified = ack.duplicates > 0 && ack.notified.is_some_and(Notified::at_once);
        if lost || notified {
            self.begin(board);
            return RecoveryVerdict::Begin { resend: false };
        }
        if ack.acked > 0 {
            self.probe.schedule(ack.now, board, view);
        }
        match found {
            Found::Nothing => RecoveryVerdict::Ordinary,
            Found::Repaired => RecoveryVerdict::Repaired,
        }
    }

    /// [RFC8985 s6.3]
    fn lose_at_timeout(&mut self, now: Time, board: &mut Scoreboard, view: &SenderView) {
        if !view.sack {
            return board.lose_all();
        }
        let wait = self.wait(board, view);
        board.lose_where(|sent, first| first || sent.at + wait <= now);
    }

    fn on_timeout(&mut self, board: &Scoreboard) {
        self.without.on_timeout(board);
        self.point = None;
        self.settles = Time::NEVER;
        self.after_timeout = true;
        self.probe.stop();
    }

    fn recovering(&self) -> bool {
        self.point.is_some() || self.without.recovering()
    }

    fn on_undo(&mut self, board: &Scoreboard, evidence: UndoEvidence) {
        self.without.on_undo(board, evidence);
        self.point = None;
        match evidence {
            UndoEvidence::LateOriginal { from } => self.on_late(from),
            UndoEvidence::Duplicates { fast } => self.window.on_duplicates_undone(fast),
            UndoEvidence::Acknowledged => {}
        }
        // Segments marked lost earlier are in flight again, and may be lost again.
        let flying = board.iter().filter(|sent| !sent.sacked);
        let mut flying: Vec<_> = flying.map(|sent| (sent.moment(), sent.seq)).collect();
        flying.sort_unstable_by(|(a, _), (b, _)| if a.is_after(*b) { Ordering::Greater } else { Ordering::Less });
        self.order = flying.into_iter().map(|(moment, seq)| (moment.at, seq)).collect();
    }

    fn uses_sack(&self) -> bool {
        true
    }

    fn inflation(&self) -> f64 {
        self.without.inflation()
    }

    fn watches(&self) -> bool {
        true
    }

    fn on_delivered(&mut self, now: Time, sent: &SentSegment, view: &SenderView) {
        let rtt = now.since(sent.at);
        // [RFC8985 s6.2 step 2]: if the acknowledgment arrives less than the min RTT after the retransmission, or has
        // an older echo, the original was delivered.
        let soon = view.min_rtt.is_some_and(|min| rtt < min);
        let before = view.echo.is_some_and(|echo| timestamps::is_before(echo, sent.at));
        if !(sent.retransmitted && (soon || before)) {
            self.rtt = rtt;
            if sent.moment().is_after(self.newest) {
                self.newest = sent.moment();
            }
        }
        // [RFC8985 s6.2 step 3]
        if sent.end() > self.highest {
            self.highest = sent.end();
        } else if !sent.retransmitted {
            self.on_late(sent.seq);
        }
    }

    fn on_sent(&mut self, now: Time, seq: u64, again: bool, board: &Scoreboard, view: &SenderView) {
        // Acknowledged segments are removed when they reach the front.
        while self.order.front().is_some_and(|(_, seq)| *seq < board.una()) {
            self.order.pop_front();
        }
        self.order.push_back((now, seq));
        if !again && self.point.is_none() && !view.after_timeout {
            self.probe.schedule(now, board, view);
        }
    }

    fn on_probe(&mut self, now: Time, again: Option<u64>, nxt: u64) {
        self.probe.on_probe_sent(again.is_some(), nxt);
        self.order.extend(again.map(|seq| (now, seq)));
    }

    fn deadline(&self) -> Time {
        self.settles.min(self.probe.due())
    }

    fn on_deadline(&mut self, now: Time, board: &mut Scoreboard, view: &SenderView) -> RecoveryVerdict {
        if now >= self.settles {
            let lost = self.detect(now, board, view);
            if lost && self.point.is_none() && !view.after_timeout {
                self.begin(board);
                return RecoveryVerdict::Begin { resend: false };
            }
            return if self.point.is_some() { RecoveryVerdict::Recovering } else { RecoveryVerdict::Ordinary };
        }
        if now >= self.probe.due() {
            self.probe.stop();
            return RecoveryVerdict::Probe;
        }
        RecoveryVerdict::Ordinary
    }

    fn reordering(&self) -> (u32, u32) {
        (self.window.degree, self.window.seen)
    }
}

#[cfg(test)]
mod tests;
