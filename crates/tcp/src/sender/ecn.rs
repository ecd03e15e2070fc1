//! The sender's part of explicit congestion notification (RFC 3168).

/// Marks that cause a reduction, and reductions not yet reported to the other end. Offsets are `nxt` at the time.
///
/// cwnd is reduced once per window of data: a mark counts only if no reduction, for any reason, is still to be reported
/// to the other end [RFC3168 s6.1.2].
#[derive(Debug)]
pub(super) struct EcnState {
    /// Whether ECN was negotiated.
    agreed: bool,
    /// The next segment of new data carries CWR.
    tell_reduced: bool,
    /// In CWR state, the offset that must be acknowledged before the next mark counts; NO_MARK otherwise.
    mark: u64,
    /// `nxt` at the last reduction, for any reason.
    cut: Option<u64>,
}

/// Larger than any offset.
const NO_MARK: u64 = u64::MAX;

impl Default for EcnState {
    fn default() -> Self {
        EcnState { agreed: false, tell_reduced: false, mark: NO_MARK, cut: None }
    }
}

impl EcnState {
    pub fn agree(&mut self, agreed: bool) {
        self.agreed = agreed;
    }

    #[inline]
    pub fn is_agreed(&self) -> bool {
        self.agreed
    }

    /// Whether a reduction by a mark is not yet acknowledged.
    #[inline]
    pub fn is_reducing(&self) -> bool {
        self.mark != NO_MARK
    }

    /// Whether a mark, echoed by an acknowledgment up to `una`, causes a reduction. Marks echoed until the other end
    /// receives the CWR of the last reduction do not.
    pub fn is_news(&self, una: u64) -> bool {
        !self.is_reducing() && self.cut.is_none_or(|cut| una > cut)
    }

    /// Records that a mark caused a reduction.
    pub fn on_mark(&mut self, nxt: u64) {
        self.mark = nxt;
    }

    /// Notes a reduction of cwnd, for any reason. The other end is notified by CWR and stops echoing earlier marks.
    pub fn on_cut(&mut self, nxt: u64) {
        self.tell_reduced = self.agreed;
        self.cut = Some(nxt);
    }

    /// Forgets the mark, which a loss supersedes.
    pub fn forget_mark(&mut self) {
        self.mark = NO_MARK;
    }

    /// Processes the acknowledgment of new data. Returns whether the reduction by a mark has ended: data sent after the
    /// reduction, which carries CWR, is acknowledged. Acknowledgments sent before still echo the mark.
    #[inline]
    pub fn on_advance(&mut self, ack: u64) -> bool {
        let ended = ack > self.mark;
        if ended {
            self.mark = NO_MARK;
        }
        ended
    }

    /// Whether the segment of new data sent now carries CWR; clears the request.
    #[inline]
    pub fn take_reduced(&mut self) -> bool {
        std::mem::take(&mut self.tell_reduced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When the first mark counts, 10,000 bytes are in flight. Further echoes are ignored until a byte sent after the
    /// mark is acknowledged.
    // covers [RFC3168 s6.1.2]
    #[test]
    fn marks_of_one_window_count_once() {
        let mut ecn = EcnState::default();
        ecn.agree(true);
        assert!(ecn.is_news(1000));
        ecn.on_mark(10_000);
        ecn.on_cut(10_000);
        assert!(ecn.take_reduced() && !ecn.take_reduced());
        assert!(!ecn.on_advance(10_000) && !ecn.is_news(10_000));
        assert!(ecn.on_advance(10_001) && ecn.is_news(10_001));
    }

    #[test]
    fn ecn_echo_from_before_a_reduction_is_ignored() {
        let mut ecn = EcnState::default();
        ecn.on_cut(10_000);
        assert!(!ecn.take_reduced(), "the ends did not agree on it");
        assert!(!ecn.is_news(10_000) && ecn.is_news(10_001));
    }
}
