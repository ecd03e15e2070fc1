//! The acknowledgments of Linux's receiver.
//!
//! Source: Linux 7.2, `net/ipv4/tcp_input.c`, `tcp_output.c`, `tcp_timer.c` and `tcp.c`, functions named below. Quick
//! acknowledgments of each segment at the start of a connection, after a pause, and while the window grows; otherwise
//! an acknowledgment of more than one full segment, at the end of a burst that the application reads completely, or
//! after a delay that follows the time between segments. Acknowledgments of data out of order are compressed.
//!
//! Deviations: times are exact instead of jiffies. The application reads at once, unless it reads explicitly.

use engine::{Span, Time};

use super::segment_estimate::SizeClass;
use crate::config::ReceiverSettings;
use crate::recovery::DUP_THRESH;

/// Minimum delay (`TCP_ATO_MIN`, `TCP_DELACK_MIN`).
const MIN_DELAY: Span = Span::from_millis(40);
/// Maximum delay (`TCP_DELACK_MAX`).
const MAX_DELAY: Span = Span::from_millis(200);
/// Maximum delay before the end of a burst (`HZ / 2`).
const MAX_BULK_DELAY: Span = Span::from_millis(500);
/// Maximum number of quick acknowledgments (`TCP_MAX_QUICKACKS`).
const MAX_QUICK: u64 = 16;
/// Quick acknowledgments after a change of the ECN mark (`__tcp_data_ecn_check`).
const QUICK_AFTER_MARK: u64 = 2;

/// The end of a burst, as far as the flags of segments show it (`ICSK_ACK_PUSHED`, `ICSK_ACK_PUSHED2`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum BurstEnd {
    None,
    Once,
    Twice,
}

/// The round trips that bound delays: of this end's sender, and of the receiver; zero before the first sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundTrips {
    pub srtt: Span,
    pub rto: Span,
    pub at_receiver: Span,
}

/// A segment with data that has arrived, as the acknowledgments see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct AckCause {
    pub now: Time,
    pub place: SegmentPlace,
    /// Whether the segment has data.
    pub has_data: bool,
    pub class: SizeClass,
    /// Estimate of the size of the other end's segments.
    pub estimate: u32,
    /// Whether PSH is set.
    pub push: bool,
    pub fin: FinPlace,
    /// The change of the ECN mark.
    pub mark: MarkChange,
    /// Whether the sender reports a reduction of cwnd.
    pub reduced: bool,
    /// Whether the limit of the window has grown.
    pub window_grows: bool,
    /// The next byte expected, after the segment.
    pub next: u64,
    /// The window that was offered.
    pub window: u64,
    /// Whether at least the offered window could be offered from the next byte on.
    pub window_lasts: bool,
    /// Whether the application reads at once.
    pub reads_at_once: bool,
    pub times: RoundTrips,
}

/// The place of a segment in the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SegmentPlace {
    /// The next segment, without holes.
    InOrder,
    /// A segment that begins with data received before, and ends with the next data.
    Overlapping,
    /// The next segment, which fills the last hole.
    FillsLastHole,
    /// The next segment, with a hole after it, or a segment after a hole.
    BesideHole,
    /// Data that was received before, or outside the window.
    Useless,
}

/// A FIN received in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FinPlace {
    None,
    /// The other end closes first.
    First,
    /// This end has closed before.
    Last,
}

/// The change of the ECN mark by a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MarkChange {
    None,
    /// The first mark since the sender has reduced cwnd [RFC3168 s6.1.3].
    First,
    /// The mark differs from the mark of the last segment, which the acknowledgments report [RFC8257 s3.2].
    Reported,
}

/// State of the acknowledgments.
#[derive(Debug)]
pub(super) struct LinuxAcks {
    settings: ReceiverSettings,
    /// Acknowledgments to send now, each in a separate segment.
    owed: u32,
    /// Whether data awaits an acknowledgment.
    scheduled: bool,
    burst_end: BurstEnd,
    /// Number of further quick acknowledgments.
    quick: u64,
    /// Expected time until an acknowledgment can be sent with data (`ato`); zero before data arrives.
    delay: Span,
    /// Number of own segments that answered data within the delay (`pingpong`).
    answers: u32,
    /// Time of the last data.
    last_data: Time,
    /// Retransmission timeout of this end.
    rto: Span,
    /// The acknowledgment number sent last (`rcv_wup`).
    acknowledged: u64,
    /// Time at which the delayed acknowledgment is due.
    until: Time,
    /// Duplicate acknowledgments sent for the present acknowledgment number.
    duplicates: u32,
    duplicates_of: u64,
    /// Number of acknowledgments held back by compression, and the time at which one is sent for them.
    compressed: u32,
    compressed_until: Time,
}

impl LinuxAcks {
    pub fn new(settings: ReceiverSettings) -> Self {
        LinuxAcks {
            settings,
            owed: 0,
            scheduled: false,
            burst_end: BurstEnd::None,
            quick: 0,
            delay: Span::ZERO,
            answers: 0,
            last_data: Time::ZERO,
            rto: Span::ZERO,
            acknowledged: 0,
            until: Time::NEVER,
            duplicates: 0,
            duplicates_of: 0,
            compressed: 0,
            compressed_until: Time::NEVER,
        }
    }

    /// Processes a received segment.
    pub fn on_segment(&mut self, cause: &AckCause) {
        self.scheduled = true;
        self.rto = cause.times.rto;
        let must = match cause.place {
            SegmentPlace::InOrder | SegmentPlace::Overlapping => {
                self.on_data_in_order(cause);
                false
            }
            SegmentPlace::FillsLastHole => {
                self.on_data_in_order(cause);
                true
            }
            SegmentPlace::BesideHole => {
                self.note_burst_end(cause);
                false
            }
            SegmentPlace::Useless => {
                self.enter_quick_mode(cause, MAX_QUICK);
                false
            }
        };
        if cause.window_grows {
            self.quick |= 1;
        }
        if cause.mark == MarkChange::First {
            self.enter_quick_mode(cause, QUICK_AFTER_MARK);
        }
        if cause.fin == FinPlace::First {
            // The application is expected to answer with its own FIN (`tcp_fin`).
            self.answers = self.answers.max(self.settings.tcp_pingpong_thresh);
        }
        let must = must || cause.reduced || cause.mark == MarkChange::Reported || cause.fin == FinPlace::Last;
        self.check(cause, must);
        if cause.reads_at_once && self.owed == 0 {
            self.on_read(cause.next, cause.estimate, true);
        }
    }

    /// Processes a segment in order (`tcp_event_data_recv`).
    fn on_data_in_order(&mut self, cause: &AckCause) {
        if !cause.has_data {
            return;
        }
        self.note_burst_end(cause);
        let pause = cause.now.since(self.last_data);
        if self.delay == Span::ZERO {
            self.add_quick(cause, MAX_QUICK);
            self.delay = MIN_DELAY;
        } else if pause <= halve(MIN_DELAY) {
            self.delay = halve(self.delay) + halve(MIN_DELAY);
        } else if pause < self.delay {
            self.delay = (halve(self.delay) + pause).min(cause.times.rto).min(MAX_DELAY);
        } else if pause > cause.times.rto {
            // The sender may have restarted its window.
            self.add_quick(cause, MAX_QUICK);
        }
        self.last_data = cause.now;
    }

    fn note_burst_end(&mut self, cause: &AckCause) {
        match cause.class {
            SizeClass::Full | SizeClass::Larger if cause.push => self.burst_end = self.burst_end.max(BurstEnd::Once),
            SizeClass::Full | SizeClass::Larger | SizeClass::Repeated => {}
            SizeClass::Small if self.burst_end == BurstEnd::None => self.burst_end = BurstEnd::Once,
            SizeClass::Small => self.burst_end = BurstEnd::Twice,
        }
    }

    /// Allows quick acknowledgments for half of the window, at most `max` (`tcp_incr_quickack`).
    fn add_quick(&mut self, cause: &AckCause, max: u64) {
        let half = cause.window / (2 * u64::from(cause.estimate.max(1)));
        let quick = if half == 0 { 2 } else { half };
        self.quick = self.quick.max(quick.min(max));
    }

    /// Acknowledges the next segments at once (`tcp_enter_quickack_mode`).
    fn enter_quick_mode(&mut self, cause: &AckCause, max: u64) {
        self.add_quick(cause, max);
        self.answers = 0;
        self.delay = MIN_DELAY;
    }

    fn is_interactive(&self) -> bool {
        self.answers >= self.settings.tcp_pingpong_thresh
    }

    /// Decides when the acknowledgment is sent (`__tcp_ack_snd_check`).
    fn check(&mut self, cause: &AckCause, must: bool) {
        let more_than_one = cause.next.saturating_sub(self.acknowledged) > u64::from(cause.estimate);
        if must || more_than_one && cause.window_lasts || self.quick > 0 && !self.is_interactive() {
            return self.at_once();
        }
        if cause.place != SegmentPlace::BesideHole {
            return self.delay(cause);
        }
        self.compress(cause);
    }

    /// Sends the first duplicates at once, and holds further ones back for a fraction of the round trip.
    fn compress(&mut self, cause: &AckCause) {
        if self.compressed >= self.settings.tcp_comp_sack_nr {
            return self.at_once();
        }
        if self.duplicates_of != cause.next {
            (self.duplicates_of, self.duplicates) = (cause.next, 0);
        }
        if self.duplicates < DUP_THRESH {
            self.duplicates += 1;
            return self.at_once();
        }
        self.compressed += 1;
        if self.compressed_until != Time::NEVER {
            return;
        }
        let RoundTrips { srtt, at_receiver, .. } = cause.times;
        let rtt = if srtt == Span::ZERO { at_receiver } else { srtt.min(at_receiver) };
        let share = rtt.as_nanos() / 100 * u64::from(self.settings.tcp_comp_sack_rtt_percent);
        self.compressed_until = cause.now + Span::from_nanos(share).min(self.settings.tcp_comp_sack_delay);
    }

    /// Delays the acknowledgment (`tcp_send_delayed_ack`).
    fn delay(&mut self, cause: &AckCause) {
        let mut delay = self.delay;
        if delay > MIN_DELAY {
            let short = self.is_interactive() || self.burst_end != BurstEnd::None;
            let mut max = if short { MAX_DELAY } else { MAX_BULK_DELAY };
            if cause.times.srtt != Span::ZERO {
                max = max.min(cause.times.srtt.max(MIN_DELAY));
            }
            delay = delay.min(max);
        }
        if delay == Span::ZERO {
            // No data was received before a FIN.
            return self.at_once();
        }
        let due = cause.now + delay.min(MAX_DELAY);
        if self.until == Time::NEVER {
            self.until = due;
        } else if self.until <= cause.now + Span::from_nanos(delay.as_nanos() / 4) {
            self.at_once();
        } else {
            self.until = self.until.min(due);
        }
    }

    /// Processes a read of the application, which `empties` the receive queue or not (`__tcp_cleanup_rbuf`).
    pub fn on_read(&mut self, next: u64, estimate: u32, empties: bool) {
        if !self.scheduled || self.owed > 0 {
            return;
        }
        let more_than_one = next.saturating_sub(self.acknowledged) > u64::from(estimate);
        let ends_burst = match self.burst_end {
            BurstEnd::None => false,
            BurstEnd::Once => !self.is_interactive(),
            BurstEnd::Twice => true,
        };
        if more_than_one || empties && ends_burst {
            self.at_once();
        }
    }

    pub fn at_once(&mut self) {
        self.owed += 1;
    }

    /// Whether an acknowledgment is delayed.
    pub fn waits(&self) -> bool {
        self.owed == 0 && (self.until != Time::NEVER || self.compressed > 0)
    }

    /// Allows or forbids quick acknowledgments (TCP_QUICKACK). If allowed, an acknowledgment that is delayed now is sent
    /// when the application has read all data: at once, or at the read (`__tcp_sock_set_quickack`).
    pub fn set_quick(&mut self, on: bool, unread: u64) {
        self.answers = if on { 0 } else { self.answers.max(self.settings.tcp_pingpong_thresh) };
        if !on || !self.scheduled {
            return;
        }
        self.burst_end = self.burst_end.max(BurstEnd::Once);
        if unread == 0 {
            self.at_once();
        }
    }

    /// Returns whether an acknowledgment of the data before `next` is due; if so, it counts as sent.
    pub fn take(&mut self, now: Time, next: u64) -> bool {
        if now >= self.until && self.owed == 0 {
            self.on_delay_end();
        }
        if now >= self.compressed_until && self.owed == 0 {
            self.at_once();
        }
        let owes = self.owed > 0;
        if owes {
            self.owed -= 1;
            self.on_ack_sent(next);
        }
        owes
    }

    /// Handles the end of the delay (`tcp_delack_timer_handler`).
    fn on_delay_end(&mut self) {
        if self.is_interactive() {
            self.answers = 0;
            self.delay = MIN_DELAY;
        } else {
            self.delay = self.delay.times(2).min(self.rto).min(MAX_DELAY);
        }
        self.at_once();
    }

    /// Whether an acknowledgment is due, ignoring delayed ones.
    pub fn owes(&self) -> bool {
        self.owed > 0
    }

    /// Records that a segment that acknowledges all data before `next` was sent instead of those that are due.
    pub fn clear(&mut self, next: u64) {
        self.owed = 0;
        self.on_ack_sent(next);
    }

    /// Records that a segment that acknowledges all data before `next` was sent (`tcp_event_ack_sent`).
    fn on_ack_sent(&mut self, next: u64) {
        if self.scheduled && self.quick > 0 {
            self.quick -= 1;
            if self.quick == 0 {
                self.delay = MIN_DELAY;
            }
        }
        self.acknowledged = next;
        self.scheduled = false;
        self.burst_end = BurstEnd::None;
        self.until = Time::NEVER;
        (self.compressed, self.compressed_until) = (0, Time::NEVER);
    }

    /// Records that a segment with data was sent (`tcp_event_data_sent`).
    pub fn on_data_sent(&mut self, now: Time) {
        if now.since(self.last_data) < self.delay {
            self.answers = self.answers.saturating_add(1);
        }
    }

    pub fn deadline(&self) -> Time {
        self.until.min(self.compressed_until)
    }
}

fn halve(span: Span) -> Span {
    Span::from_nanos(span.as_nanos() / 2)
}
