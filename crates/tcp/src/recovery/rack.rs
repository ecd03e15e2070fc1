//! RACK-TLP: loss from time instead of counts, and probes for a lost tail (RFC 8985).
//!
//! A segment is lost when one sent after it has arrived and a round trip and a reordering window have gone by since it was
//! sent, whether that was the first time or a retransmission. The window is nothing until reordering is seen and few
//! segments are SACKed; then a quarter of the minimum round trip, more when duplicates show that it was too small. Without
//! SACK it is [NewReno](super::newreno).

use std::cmp::Ordering;
use std::collections::VecDeque;

use engine::registry::Settings;
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::newreno::{NewReno, Variant};
use super::{Ack, DUP_THRESH, LossRecovery, Notified, Verdict, View};
use crate::scoreboard::{Moment, Scoreboard, Sent};
use crate::timestamps;

mod tail_probe;

use tail_probe::{Found, TailProbe};

/// Settings.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Whether the tail is probed (TLP) [RFC8985 s7]; it is if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail_probe: Option<bool>,
}

impl Settings for Config {}

impl Config {
    /// The recovery.
    pub fn build(&self) -> Box<dyn LossRecovery> {
        Box::new(Rack::new(self.tail_probe.unwrap_or(true)))
    }
}

/// The capacity that is kept for segments.
const MIN_CAPACITY: usize = 4;

struct Rack {
    without: NewReno,
    /// What was sent, in order of time: when, and the segment's first byte. Some has been acknowledged or sent again since.
    order: VecDeque<(Time, u64)>,
    /// Of the segments delivered the one sent last: when (RACK.xmit_ts). The RFC tells those of one time apart by their ends
    /// (RACK.end_seq), which is wrong where a retransmission went out behind new data; simulated, that is often.
    newest: Moment,
    /// The round trip of the segment delivered last (RACK.rtt).
    rtt: Span,
    /// The highest end delivered (RACK.fack).
    highest: u64,
    /// Of the segments delivered by the acknowledgment at hand that came late, the lowest byte.
    lowest_late: Option<u64>,
    window: Window,
    /// While recovering: its end.
    point: Option<u64>,
    /// When segments that may only be late will be taken for lost.
    settles: Time,
    probe: TailProbe,
    /// The losses of a timeout are being repaired.
    after_timeout: bool,
}

/// How much reordering is allowed for (RACK.reo_wnd).
struct Window {
    /// In quarters of the minimum round trip.
    quarters: u32,
    /// Recoveries until it falls back to one quarter.
    persist: u32,
    /// A duplicate has widened it; no further one does before this is acknowledged.
    round: Option<u64>,
    /// Times that segments were seen to arrive out of order, and how far apart in segments.
    seen: u32,
    degree: u32,
}

impl Default for Window {
    fn default() -> Self {
        Window { quarters: 1, persist: 0, round: None, seen: 0, degree: DUP_THRESH }
    }
}

/// Recoveries for which a widened window is kept [RFC8985 s6.2 step 4].
const PERSIST: u32 = 16;

impl Window {
    /// A duplicate arrived: something was spuriously sent again. [RFC8985 s6.2 step 4]
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

    /// How long to wait.
    fn span(&self, recovering: bool, board: &Scoreboard, view: &View) -> Span {
        if self.seen == 0 && (recovering || board.sacked_segments() >= DUP_THRESH) {
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
            window: Window::default(),
            point: None,
            settles: Time::NEVER,
            probe: TailProbe::new(tail_probe),
            after_timeout: false,
        }
    }

    /// Takes for lost what has had its time [RFC8985 s6.2 step 5], and notes when to look again. Whether anything was.
    fn detect(&mut self, now: Time, board: &mut Scoreboard, view: &View) -> bool {
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
                    // The last segment sent before the newest that arrived: then the time of all of them is over. It may have
                    // arrived, and another, sent a little earlier, be the last to wait; the RFC looks at each.
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

    /// How long after it was sent a segment has had its time, if one sent later has arrived.
    fn wait(&self, board: &Scoreboard, view: &View) -> Span {
        let recovering = self.point.is_some() || view.after_timeout;
        self.rtt + self.window.span(recovering, board, view)
    }

    fn note_reordering(&mut self, view: &View) {
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
    fn on_ack(&mut self, ack: &Ack, board: &mut Scoreboard, view: &View) -> Verdict {
        if !ack.sack {
            return self.without.on_ack(ack, board, view);
        }
        self.note_reordering(view);
        if self.after_timeout && !view.after_timeout {
            self.after_timeout = false;
            self.window.on_recovered();
        }
        if board.is_empty() {
            // All of it was acknowledged; an idle connection keeps no memory for it.
            self.order.clear();
            if self.order.capacity() > 2 * MIN_CAPACITY {
                self.order.shrink_to(0);
            }
        }
        if ack.duplicate_sack.is_some() {
            self.window.on_duplicate(board);
        }
        let found = self.probe.on_ack(ack, board);
        let lost = self.detect(ack.now, board, view);
        if let Some(point) = self.point {
            if board.una() < point {
                return Verdict::Recovering;
            }
            self.window.on_recovered();
            if board.lost_segments() > 0 {
                // Losses in two successive windows count twice [RFC5681 s4.3]; Linux does not wait for another to be found
                // (`tcp_time_to_recover`).
                self.begin(board);
                return Verdict::Again;
            }
            self.point = None;
            return Verdict::Recovered;
        }
        if view.after_timeout {
            return Verdict::Ordinary;
        }
        let notified = ack.duplicates > 0 && ack.notified.is_some_and(Notified::at_once);
        if lost || notified {
            self.begin(board);
            return Verdict::Begin { resend: false };
        }
        if ack.acked > 0 {
            self.probe.schedule(ack.now, board, view);
        }
        match found {
            Found::Nothing => Verdict::Ordinary,
            Found::Repaired => Verdict::Repaired,
        }
    }

    /// [RFC8985 s6.3]
    fn lose_at_timeout(&mut self, now: Time, board: &mut Scoreboard, view: &View) {
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

    fn on_undo(&mut self, board: &Scoreboard) {
        self.without.on_undo(board);
        self.point = None;
        // What had been taken for lost flies again, and may yet be.
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

    fn on_delivered(&mut self, now: Time, sent: &Sent, view: &View) {
        let rtt = now.since(sent.at);
        // [RFC8985 s6.2 step 2]: too soon for the retransmission, or with an echo from before it: the first one arrived.
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
            self.lowest_late = Some(self.lowest_late.map_or(sent.seq, |seq| seq.min(sent.seq)));
        }
    }

    fn on_sent(&mut self, now: Time, seq: u64, again: bool, board: &Scoreboard, view: &View) {
        // What has been acknowledged goes when it comes to the front.
        while self.order.front().is_some_and(|(_, seq)| *seq < board.una()) {
            self.order.pop_front();
        }
        self.order.push_back((now, seq));
        if !again && self.point.is_none() && !view.after_timeout {
            self.probe.schedule(now, board, view);
        }
    }

    fn on_probe(&mut self, now: Time, again: Option<u64>, nxt: u64) {
        self.probe.sent(again.is_some(), nxt);
        self.order.extend(again.map(|seq| (now, seq)));
    }

    fn deadline(&self) -> Time {
        self.settles.min(self.probe.due())
    }

    fn on_deadline(&mut self, now: Time, board: &mut Scoreboard, view: &View) -> Verdict {
        if now >= self.settles {
            let lost = self.detect(now, board, view);
            if lost && self.point.is_none() && !view.after_timeout {
                self.begin(board);
                return Verdict::Begin { resend: false };
            }
            return if self.point.is_some() { Verdict::Recovering } else { Verdict::Ordinary };
        }
        if now >= self.probe.due() {
            self.probe.stop();
            return Verdict::Probe;
        }
        Verdict::Ordinary
    }

    fn reordering(&self) -> (u32, u32) {
        (self.window.degree, self.window.seen)
    }
}

#[cfg(test)]
mod tests;
