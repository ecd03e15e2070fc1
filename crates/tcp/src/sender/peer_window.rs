//! The receive window as the sender knows it [RFC9293 s3.10.7.4]: its size, the segment that advertised it, and the
//! behaviour while it is closed or nearly closed [RFC9293 s3.8.6].

use engine::{Span, Time};
use wire::SeqNum;

use super::retransmit_timer::RetransmitTimer;
use crate::config::ZeroWindow;

/// The window advertised by the other end (SND.WND), and the persist timer.
///
/// `max` is never below `window`. The sender is frozen only while the window is zero and data in flight waits for it to
/// open. The persist timer runs only while the window holds back new data or data in flight.
#[derive(Debug)]
pub(super) struct PeerWindow {
    window: u64,
    /// The largest window ever advertised.
    max: u64,
    /// Sequence and acknowledgment number of the segment that advertised last (SND.WL1, SND.WL2).
    updated_by: Option<(SeqNum, SeqNum)>,
    zero_window: ZeroWindow,
    frozen: bool,
    persist: Persist,
}

/// The persist timer. It probes a closed window repeatedly [RFC9293 s3.8.6.1], and ends the wait for a larger window if
/// the window is nearly closed.
#[derive(Debug)]
struct Persist {
    /// Expiry of the timer; NEVER while it is stopped.
    due: Time,
    /// Probes sent since the window closed.
    sent: u32,
    /// A probe is due.
    probe: bool,
    /// The persist timer has expired: the next segment is cut to the window, however small.
    waited: bool,
}

impl Persist {
    const STOPPED: Persist = Persist { due: Time::NEVER, sent: 0, probe: false, waited: false };
}

/// The effect of a closed window on data in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Freeze {
    /// The window has just closed.
    Begins,
    /// The window is still closed.
    Lasts,
    /// The window has opened.
    Ends,
}

impl PeerWindow {
    pub fn new(window: u64, zero_window: ZeroWindow) -> Self {
        PeerWindow { window, max: window, updated_by: None, zero_window, frozen: false, persist: Persist::STOPPED }
    }

    /// Sets the window of the handshake; `by` is the segment that advertised it, if any.
    pub fn on_handshake(&mut self, window: u64, by: Option<(SeqNum, SeqNum)>) {
        (self.window, self.max) = (window, window);
        self.updated_by = by;
    }

    /// Bytes that the other end accepts from the first unacknowledged byte on.
    #[inline]
    pub fn size(&self) -> u64 {
        self.window
    }

    /// The largest window ever advertised.
    #[inline]
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Bytes that the other end accepts from `nxt` on.
    #[inline]
    pub fn usable(&self, una: u64, nxt: u64) -> u64 {
        (una + self.window).saturating_sub(nxt)
    }

    /// Whether the segment with these sequence and acknowledgment numbers is newer than the last one that advertised a
    /// window [RFC9293 s3.10.7.4]; if so, it becomes the last such segment. `ack` is the acknowledged offset.
    #[inline]
    pub fn is_update(&mut self, numbers: (SeqNum, SeqNum), ack: u64, una: u64, nxt: u64) -> bool {
        // A segment that acknowledges unsent data is invalid and must not block later window updates.
        let newer = ack <= nxt
            && match self.updated_by {
                None => true,
                Some(last) => {
                    let later = numbers.0.since(last.0);
                    ack >= una && (later > 0 || (later == 0 && numbers.1.since(last.1) >= 0))
                }
            };
        if newer {
            self.updated_by = Some(numbers);
        }
        newer
    }

    /// Sets the window of a sender that never had data to send.
    #[inline]
    pub fn set(&mut self, window: u64) {
        self.window = window;
        self.max = self.max.max(window);
    }

    /// Handles an update of the receive window. An open window stops the persist timer.
    #[inline]
    pub fn on_update(&mut self, window: u64) {
        self.set(window);
        if window > 0 {
            self.persist = Persist::STOPPED;
        }
    }

    /// Whether a segment that does not fit is truncated to the `usable` bytes and sent [RFC9293 s3.8.6.2.1]: if these
    /// are at least half of the maximum window, or if the persist timer has expired.
    pub fn admits_part(&mut self, usable: u64) -> bool {
        let waited = std::mem::take(&mut self.persist.waited);
        usable > 0 && (usable >= self.max / 2 || waited)
    }

    /// Starts the persist timer: the window holds data back, and no acknowledgment is expected that could open the
    /// window.
    pub fn persist(&mut self, now: Time, rto: Span) {
        if self.persist.due == Time::NEVER {
            self.persist.due = now + rto;
        }
    }

    /// Expiry of the persist timer; NEVER while it is stopped.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.persist.due
    }

    /// Checks whether the persist timer has expired. `unsent` is true while unsent data waits.
    pub fn on_time(&mut self, now: Time, unsent: bool, timer: &mut RetransmitTimer) {
        if now < self.deadline() {
            return;
        }
        if self.window > 0 && unsent {
            // [RFC9293 s3.8.6.2.1 (4)]
            self.persist = Persist { waited: true, ..Persist::STOPPED };
        } else if let Some(due) = timer.next_window_probe(now, self.persist.sent) {
            self.persist.probe = true;
            self.persist.sent += 1;
            self.persist.due = due;
        }
    }

    /// Whether a probe of the closed window is due; clears the request.
    #[inline]
    pub fn take_probe(&mut self) -> bool {
        std::mem::take(&mut self.persist.probe)
    }

    /// Whether the window is closed over data in flight.
    #[inline]
    pub fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// Processes an acknowledgment that closes the window, or that arrived while the sender was frozen. Returns the
    /// change for data in flight, if any.
    #[cold]
    pub fn freeze(&mut self) -> Option<Freeze> {
        if self.zero_window == ZeroWindow::Retransmit {
            return None;
        }
        let was_frozen = std::mem::replace(&mut self.frozen, self.window == 0);
        match (was_frozen, self.frozen) {
            (false, true) => Some(Freeze::Begins),
            (true, true) => Some(Freeze::Lasts),
            (true, false) => Some(Freeze::Ends),
            (false, false) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    fn window(size: u64) -> PeerWindow {
        PeerWindow::new(size, ZeroWindow::Persist)
    }

    /// Bytes 40 to 80 are outstanding. Numbers wrap between the second segment and the fourth.
    // covers [RFC9293 s3.10.7.4]
    #[test]
    fn older_segment_does_not_update_the_window() {
        let mut window = window(0);
        let mut newer = |seq: u32, ack: u32| window.is_update((SeqNum(seq), SeqNum(ack)), u64::from(ack), 40, 80);
        assert!(!newer(u32::MAX - 9, 90), "it acknowledges what was never sent");
        assert!(newer(u32::MAX - 9, 50), "the first");
        assert!(newer(u32::MAX - 9, 50), "the same numbers again");
        assert!(!newer(u32::MAX - 9, 45), "the same data, an older acknowledgment");
        assert!(newer(5, 45), "newer data");
        assert!(!newer(u32::MAX - 9, 60), "older data");
        assert!(!newer(6, 30), "newer data, but an acknowledgment from before");
    }

    /// The maximum window was 8,000 bytes: a partial segment of 4,000 is sent, 3,999 wait for the persist timer.
    // covers [RFC9293 s3.8.6.2.1]
    #[test]
    fn partial_segment_is_sent_at_half_the_maximum_window_or_after_the_wait() {
        let mut window = window(8000);
        window.on_update(3999);
        assert_eq!(window.usable(10_000, 10_000), 3999);
        assert!(window.admits_part(4000) && !window.admits_part(3999) && !window.admits_part(0));
        window.persist(Time::ZERO, Span::from_secs(1));
        let due = window.deadline();
        assert_eq!(due, Time::from_millis(1000));
        window.on_time(due, true, &mut RetransmitTimer::new(&Config::default()));
        assert_eq!(window.deadline(), Time::NEVER);
        assert!(window.admits_part(3999), "it has waited");
        assert!(!window.admits_part(3999), "once");
    }

    /// With a timeout of 1 s before the first measurement, the first probe is sent after 1 s, the others 2 s and 4 s
    /// later.
    // covers [RFC9293 s3.8.6.1]
    #[test]
    fn closed_window_is_probed_at_growing_intervals() {
        let mut window = window(0);
        let mut timer = RetransmitTimer::new(&Config::default());
        window.persist(Time::ZERO, timer.rtt().rto());
        for due in [1000, 3000, 7000] {
            assert_eq!(window.deadline(), Time::from_millis(due));
            window.on_time(window.deadline(), true, &mut timer);
            assert!(window.take_probe() && !window.take_probe());
        }
        window.on_update(1);
        assert_eq!(window.deadline(), Time::NEVER);
    }

    #[test]
    fn timer_of_data_in_flight_is_stopped_while_the_window_is_closed() {
        let mut window = window(0);
        assert_eq!([window.freeze(), window.freeze()], [Some(Freeze::Begins), Some(Freeze::Lasts)]);
        assert!(window.is_frozen());
        window.on_update(5000);
        assert_eq!([window.freeze(), window.freeze()], [Some(Freeze::Ends), None]);
        let mut other = PeerWindow::new(0, ZeroWindow::Retransmit);
        assert_eq!((other.freeze(), other.is_frozen()), (None, false));
    }
}
