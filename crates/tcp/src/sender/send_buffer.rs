//! The send buffer: data written by the application, its division into segments, and segments that wait for more data
//! (Nagle, TCP_CORK, MSG_MORE).
//!
//! Written data that a bounded buffer does not accept yet waits for space: it is the application's backlog, and the
//! rules for segments do not see it.

use std::collections::VecDeque;

use super::send_bound::{BufferedData, SendBound};
use crate::config::{Config, Nagle};

/// Data to send, of which only the amount is stored.
///
/// The end of the stream never decreases. Segments end at the MSS and at record boundaries.
#[derive(Debug)]
pub(super) struct SendBuffer {
    /// Bytes of data in a full segment.
    mss: u32,
    nagle: Nagle,
    /// Total bytes written, including the backlog of the application.
    written: u64,
    /// Bytes that the buffer has accepted.
    accepted: u64,
    /// `None` if the buffer is unlimited: it accepts all data when it is written.
    bound: Option<Box<SendBound>>,
    /// Whether a FIN follows the written bytes.
    finished: bool,
    corked: bool,
    /// Whether more data was announced. The last bytes wait for the next acknowledgment, and are sent without PSH if
    /// sent earlier.
    more: bool,
    unfinished_record: bool,
    /// Everything in the buffer may be sent, however small.
    pushed: bool,
    /// End of the last segment that was not full.
    small_end: u64,
    /// Ends of records not yet sent completely, in order. Boxed, as few applications use records.
    records: Option<Box<Records>>,
}

#[derive(Debug, Default)]
struct Records(VecDeque<u64>);

/// The next segment of new data, limited by the receive window only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draft {
    pub len: u64,
    /// Whether the segment includes the FIN.
    pub fin: bool,
    /// Bytes that have not been sent.
    unsent: u64,
    /// Whether the segment ends a record.
    record: bool,
}

impl Draft {
    /// Whether only a FIN remains to be sent.
    #[inline]
    pub fn fin_only(&self) -> bool {
        self.unsent == 0
    }

    /// Whether the segment contains all unsent data.
    #[inline]
    fn takes_all(&self) -> bool {
        self.len == self.unsent
    }

    /// Bytes that remain to be sent after the segment.
    #[inline]
    pub fn rest(&self) -> u64 {
        self.unsent - self.len
    }

    /// Shortens the segment to the receive window.
    #[inline]
    pub fn cut_to(&mut self, usable: u64) {
        (self.len, self.record) = (usable, false);
    }
}

impl SendBuffer {
    pub fn new(mss: u32, nagle: Nagle) -> Self {
        SendBuffer {
            mss,
            nagle,
            written: 0,
            accepted: 0,
            bound: None,
            finished: false,
            corked: false,
            more: false,
            unfinished_record: false,
            pushed: false,
            small_end: 0,
            records: None,
        }
    }

    /// Returns the buffer with another MSS, before anything was sent.
    pub fn with_mss(self, config: &Config) -> Self {
        let buffer = SendBuffer { mss: config.segment, small_end: 0, accepted: 0, ..self }.with_bound(config);
        SendBuffer { accepted: buffer.count_accepted(0, 0), ..buffer }
    }

    /// Returns the buffer with the bound of the settings.
    pub fn with_bound(self, config: &Config) -> Self {
        SendBuffer { bound: SendBound::new(config), ..self }
    }

    /// Returns the bytes that the buffer accepts before the byte `accepted`, with unacknowledged data from `una` on and
    /// unsent data from `nxt` on.
    fn count_accepted(&self, una: u64, nxt: u64) -> u64 {
        let (accepted, written) = (self.accepted, self.written);
        self.accepted
            + match &self.bound {
                None => written - accepted,
                Some(bound) => bound.count_accepted(BufferedData { una, nxt, accepted, written }, self.mss),
            }
    }

    /// Accepts as much of the application's backlog as fits.
    #[cold]
    fn accept(&mut self, una: u64, nxt: u64) {
        self.accepted = self.count_accepted(una, nxt);
    }

    /// Whether the application has written data that the buffer has not accepted.
    #[inline]
    pub fn has_backlog(&self) -> bool {
        self.accepted < self.written
    }

    /// Expands an autotuned buffer to `windows` times `segments` segments, and accepts the data that now fits.
    pub fn expand(&mut self, windows: u32, segments: u64, [una, nxt]: [u64; 2]) {
        if let Some(bound) = &mut self.bound {
            bound.expand(windows, segments, self.mss);
        }
        self.accept(una, nxt);
    }

    #[inline]
    pub fn mss(&self) -> u32 {
        self.mss
    }

    /// End of the stream, including the FIN.
    #[inline]
    pub fn end(&self) -> u64 {
        self.written + u64::from(self.finished)
    }

    /// Bytes from `nxt` on.
    #[inline]
    pub fn unsent(&self, nxt: u64) -> u64 {
        self.accepted.saturating_sub(nxt)
    }

    /// Whether data or a FIN can be sent from `nxt` on.
    #[inline]
    pub fn has_next(&self, nxt: u64) -> bool {
        self.accepted > nxt || (self.finished && self.accepted == self.written && nxt == self.written)
    }

    /// Whether a FIN follows the data.
    #[inline]
    pub fn has_fin(&self) -> bool {
        self.finished
    }

    /// Whether a segment that ends at `end` contains the last byte of the buffer.
    #[inline]
    pub fn ends_at(&self, end: u64) -> bool {
        end >= self.accepted
    }

    /// Writes `bytes` more, with unacknowledged data from `una` on and unsent data from `nxt` on.
    pub fn write(&mut self, bytes: u64, [una, nxt]: [u64; 2]) {
        self.written = self.written.saturating_add(bytes);
        self.accept(una, nxt);
    }

    /// Discards the data that an application that stops at `nxt` would not have written: the backlog of a bounded
    /// buffer, and everything unsent of an unlimited one. No effect after the end of writing.
    pub fn discard_after(&mut self, nxt: u64) {
        if !self.finished {
            let nxt = if self.bound.is_some() { self.accepted } else { nxt };
            self.written = self.written.min(nxt);
            self.accepted = self.written;
            if let Some(Records(ends)) = self.records.as_deref_mut() {
                ends.retain(|end| *end <= nxt);
            }
        }
    }

    /// Bytes written in all.
    pub fn bytes_written(&self) -> u64 {
        self.written
    }

    /// Makes a FIN follow the data written.
    pub fn finish(&mut self) {
        self.finished = true;
    }

    /// TCP_NODELAY.
    pub fn set_nodelay(&mut self, on: bool, default: Nagle, nxt: u64) {
        self.nagle = if on { Nagle::Off } else { default };
        self.pushed |= on && self.unsent(nxt) > 0;
    }

    /// TCP_CORK.
    pub fn set_cork(&mut self, on: bool, nxt: u64) {
        self.pushed |= self.corked && !on && self.unsent(nxt) > 0;
        self.corked = on;
    }

    /// Notes that the application has announced more data after the data written last (MSG_MORE).
    pub fn set_more(&mut self, on: bool) {
        self.more = on;
        self.unfinished_record = on;
    }

    /// Sends all data held back, however small.
    pub fn push(&mut self) {
        self.pushed = true;
    }

    /// Ends a record with the data written last (MSG_EOR). No segment contains bytes of two records.
    pub fn end_record(&mut self) {
        self.records.get_or_insert_default().0.push_back(self.written);
    }

    /// Whether a cork or MSG_MORE holds back unsent data.
    pub fn waits_for_more(&self, nxt: u64) -> bool {
        (self.corked || self.more) && self.unsent(nxt) > 0
    }

    /// Processes the acknowledgment of new data up to `una`, which ends the wait of MSG_MORE and frees space.
    #[inline]
    pub fn on_advance(&mut self, una: u64, nxt: u64) {
        self.more = false;
        if self.has_backlog() {
            self.accept(una, nxt);
        }
    }

    /// Accepts data after transmissions up to `nxt`, if unsent data is limited.
    #[inline]
    pub fn on_less_unsent(&mut self, una: u64, nxt: u64) {
        if self.has_backlog() && self.bound.as_ref().is_some_and(|bound| bound.has_lowat()) {
            self.accept(una, nxt);
        }
    }

    /// The segment that begins at `nxt`, if data or a FIN remains.
    #[inline]
    pub fn next(&mut self, nxt: u64) -> Option<Draft> {
        let unsent = self.unsent(nxt);
        if unsent == 0 {
            let fin_only = self.finished && nxt == self.written;
            return fin_only.then_some(Draft { len: 0, fin: false, unsent, record: false });
        }
        let len = u64::from(self.mss).min(unsent);
        let (len, record) = match &mut self.records {
            Some(records) => records.part(nxt, len),
            None => (len, false),
        };
        Some(Draft { len, fin: false, unsent, record })
    }

    /// Adds the FIN to the segment with the last byte. The FIN counts only against the receive window [RFC9293 s3.4],
    /// which accepts `usable` bytes.
    #[inline]
    pub fn add_fin(&self, draft: &mut Draft, usable: u64) {
        draft.fin = draft.takes_all() && self.finished && !self.has_backlog() && usable > draft.len;
    }

    /// Returns whether a segment waits for more data: it is not full, and does not end a record that is followed by
    /// other records, because no data can be added to such a record. `una` is the first unacknowledged byte; `idle` is
    /// true if nothing is unacknowledged.
    #[inline]
    pub fn holds_back(&self, draft: &Draft, una: u64, idle: bool) -> bool {
        let complete = draft.record && !draft.takes_all();
        draft.len < u64::from(self.mss) && !complete && self.holds_back_small(draft, una, idle)
    }

    fn holds_back_small(&self, draft: &Draft, una: u64, idle: bool) -> bool {
        if self.pushed || draft.fin {
            return false;
        }
        if self.corked || (self.more && draft.takes_all()) {
            return true;
        }
        match self.nagle {
            Nagle::Off => false,
            Nagle::On => !idle,
            Nagle::Minshall => self.small_end > una,
        }
    }

    /// Records that a segment is sent at `nxt`. Returns whether the segment has PSH [RFC9293 s3.9.1].
    #[inline]
    pub fn on_sent(&mut self, draft: &Draft, nxt: u64) -> bool {
        if draft.len < u64::from(self.mss) {
            self.small_end = nxt + draft.len;
        }
        if draft.takes_all() {
            self.pushed = false;
        }
        draft.record || (draft.takes_all() && !self.unfinished_record)
    }

    /// Returns whether the segment has PSH if it is sent as a tail loss probe.
    pub fn on_probe(&self, draft: &Draft) -> bool {
        draft.record || draft.takes_all()
    }
}

impl Records {
    /// Returns the length of the part of `len` bytes from `nxt` on that lies within one record, and whether the part
    /// ends the record.
    fn part(&mut self, nxt: u64, len: u64) -> (u64, bool) {
        while self.0.front().is_some_and(|end| *end <= nxt) {
            self.0.pop_front();
        }
        match self.0.front() {
            Some(end) if end - nxt <= len => (end - nxt, true),
            _ => (len, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(nagle: Nagle, written: u64) -> SendBuffer {
        let mut buffer = SendBuffer::new(1000, nagle);
        buffer.write(written, [0; 2]);
        buffer
    }

    /// When 400 bytes are left, Nagle waits while anything is unacknowledged, and Minshall waits while a small segment
    /// is unacknowledged.
    // covers [RFC9293 s3.7.4]
    #[test]
    fn small_segment_waits_according_to_the_nagle_setting() {
        for (nagle, after_full, after_small) in
            [(Nagle::Off, false, false), (Nagle::On, true, true), (Nagle::Minshall, false, true)]
        {
            let mut buffer = buffer(nagle, 1400);
            let full = buffer.next(0).unwrap();
            assert!(!buffer.holds_back(&full, 0, false), "{nagle:?}: a full segment never waits");
            buffer.on_sent(&full, 0);
            let small = buffer.next(1000).unwrap();
            assert_eq!(small.len, 400);
            assert_eq!(buffer.holds_back(&small, 0, false), after_full, "{nagle:?}");
            assert!(!buffer.holds_back(&small, 1000, true), "{nagle:?}: nothing is unacknowledged");
            buffer.on_sent(&small, 1000);
            buffer.write(10, [0, 1400]);
            let next = buffer.next(1400).unwrap();
            assert_eq!(buffer.holds_back(&next, 1000, false), after_small, "{nagle:?}");
        }
    }

    #[test]
    fn segments_end_at_record_boundaries() {
        let mut buffer = buffer(Nagle::On, 300);
        buffer.end_record();
        buffer.write(1500, [0; 2]);
        let first = buffer.next(0).unwrap();
        assert_eq!(first.len, 300);
        assert!(!buffer.holds_back(&first, 0, false), "nothing can join the record");
        assert!(buffer.on_sent(&first, 0), "the end of a record is pushed");
        assert_eq!(buffer.next(300).unwrap().len, 1000);
        assert_eq!(buffer.next(1300).unwrap().len, 500);
    }

    #[test]
    fn fin_is_sent_with_the_last_byte_if_both_fit_in_the_window() {
        let mut buffer = buffer(Nagle::Off, 1200);
        buffer.finish();
        assert_eq!(buffer.end(), 1201);
        let mut first = buffer.next(0).unwrap();
        buffer.add_fin(&mut first, 5000);
        assert!(!first.fin, "200 bytes follow");
        for (usable, fin) in [(200, false), (201, true)] {
            let mut last = buffer.next(1000).unwrap();
            buffer.add_fin(&mut last, usable);
            assert_eq!((last.len, last.fin), (200, fin));
        }
        assert!(buffer.next(1200).is_some_and(|draft| draft.fin_only()));
        assert!(buffer.next(1201).is_none());
    }
}
