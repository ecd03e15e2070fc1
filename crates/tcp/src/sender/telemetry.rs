//! Counters and events of the sender.

use std::collections::VecDeque;

use engine::Span;
use wire::NoticeKind;

use crate::event::{Blocked, Event, Reason};

/// Counters of the sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Segments with data sent, retransmissions included.
    pub segments_sent: u64,
    /// Segments retransmitted.
    pub segments_retransmitted: u64,
    /// Segments retransmitted because acknowledgments showed a loss.
    pub fast_retransmits: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// ICMP-DEFER messages received about this connection.
    pub notices_defer: u64,
    /// ICMP-RETRANSMIT messages received about this connection.
    pub notices_retransmit: u64,
    /// Tail loss probes sent.
    pub probes: u64,
    /// Reductions of cwnd that were undone as spurious.
    pub undone: u64,
    /// Reductions of cwnd because of marks (ECN).
    pub marks: u64,
}

/// Counters, and events if they are enabled.
#[derive(Debug)]
pub(super) struct Telemetry {
    counters: Counters,
    /// The reason why the last poll returned no data.
    blocked: Option<Blocked>,
    /// The round trip measured since the last call of `take_rtt`, or `UNMEASURED`.
    rtt: Span,
    /// Boxed, because most senders report no events.
    observer: Option<Box<SenderObserver>>,
}

/// Value without a measured round trip. An `Option` would take eight bytes more per connection.
const UNMEASURED: Span = Span::from_nanos(u64::MAX);

impl Default for Telemetry {
    fn default() -> Self {
        Telemetry { counters: Counters::default(), blocked: None, rtt: UNMEASURED, observer: None }
    }
}

#[derive(Debug, Default)]
struct SenderObserver {
    /// Events not fetched yet.
    events: VecDeque<Event>,
    /// As reported last.
    window: WindowState,
}

/// The window of the congestion control, and the flight, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WindowState {
    /// cwnd, inflated by recovery.
    pub cwnd: f64,
    pub ssthresh: f64,
    /// Bytes sent and not acknowledged.
    pub outstanding: u64,
}

impl Telemetry {
    pub fn observe(&mut self) {
        let events = &mut self.observer.get_or_insert_default().events;
        events.extend(self.blocked.map(|reason| Event::Blocked { reason }));
    }

    /// Takes the observer and the events from another sender, before the first transmission.
    pub fn inherit(&mut self, old: Telemetry) {
        self.observer = old.observer;
        if let Some(observer) = &mut self.observer {
            observer.window = WindowState::default();
        }
    }

    pub fn counters(&self) -> Counters {
        self.counters
    }

    pub fn pop(&mut self) -> Option<Event> {
        self.observer.as_mut()?.events.pop_front()
    }

    /// Emits an event.
    #[inline]
    pub fn emit(&mut self, event: impl FnOnce() -> Event) {
        if let Some(observer) = &mut self.observer {
            observer.events.push_back(event());
        }
    }

    /// A poll returned no data.
    #[inline]
    pub fn on_blocked(&mut self, reason: Blocked) {
        if self.blocked != Some(reason) {
            self.blocked = Some(reason);
            self.emit(|| Event::Blocked { reason });
        }
    }

    /// Returns the reason why the last poll returned no data.
    pub fn last_blocked(&self) -> Option<Blocked> {
        self.blocked
    }

    /// Records a measured round trip.
    #[inline]
    pub fn on_rtt(&mut self, rtt: Span) {
        self.rtt = rtt;
    }

    /// The round trip measured since the last call, if any.
    #[inline]
    pub fn take_rtt(&mut self) -> Option<Span> {
        let rtt = std::mem::replace(&mut self.rtt, UNMEASURED);
        (rtt != UNMEASURED).then_some(rtt)
    }

    #[inline]
    pub fn on_sent(&mut self, seq: u64, len: u32, reason: Reason) {
        self.counters.segments_sent += 1;
        if reason != Reason::New {
            self.counters.segments_retransmitted += 1;
            self.counters.fast_retransmits += u64::from(reason == Reason::FastRetransmit);
        }
        self.emit(|| Event::SegmentSent { seq, len, reason });
    }

    /// Records the transmission of a tail loss probe: new data, or a retransmission of the last segment.
    pub fn on_probe(&mut self) {
        self.counters.probes += 1;
    }

    pub fn on_timeout(&mut self, seq: u64, nth: u32, rto: Span) {
        self.counters.timeouts += 1;
        self.emit(|| Event::Timeout { seq, nth, rto });
    }

    pub fn on_notice(&mut self, kind: NoticeKind, seq: u64) {
        match kind {
            NoticeKind::Defer => self.counters.notices_defer += 1,
            NoticeKind::Retransmit => self.counters.notices_retransmit += 1,
        }
        self.emit(|| Event::NoticeReceived { kind, seq });
    }

    pub fn on_mark(&mut self) {
        self.counters.marks += 1;
        self.emit(|| Event::MarkAnswered);
    }

    pub fn on_undo(&mut self) {
        self.counters.undone += 1;
        self.emit(|| Event::Undone);
    }

    /// Returns true if events are enabled.
    #[inline]
    pub fn observes(&self) -> bool {
        self.observer.is_some()
    }

    /// Emits changes of cwnd, ssthresh and flight.
    pub fn emit_window(&mut self, window: impl FnOnce() -> WindowState) {
        if let Some(observer) = &mut self.observer {
            let now = window();
            let WindowState { cwnd, ssthresh, outstanding } = now;
            if (cwnd, ssthresh) != (observer.window.cwnd, observer.window.ssthresh) {
                observer.events.push_back(Event::Window { cwnd, ssthresh });
            }
            if outstanding != observer.window.outstanding {
                observer.events.push_back(Event::Flight { bytes: outstanding });
            }
            observer.window = now;
        }
    }
}
