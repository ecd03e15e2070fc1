//! The sender's part of explicit congestion notification (RFC 3168).

/// Which marks are answered, and which reductions the other end does not know of. Offsets are the first byte never sent when it began.
///
/// One window of data is cut once: a mark is answered only if no cut, for any reason, is still to be reported to the
/// other end [RFC3168 s6.1.2].
#[derive(Debug)]
pub(super) struct EcnState {
    /// Whether the ends have agreed on it.
    agreed: bool,
    /// The next segment of new data says that the window was reduced (CWR).
    tell_reduced: bool,
    /// A mark was answered (CWR state): no other is before this is acknowledged. NO_MARK outside of that state.
    mark: u64,
    /// The window was reduced, for any reason.
    cut: Option<u64>,
}

/// No offset is beyond it.
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

    /// Whether a mark has reduced the window, and that is not acknowledged.
    #[inline]
    pub fn is_reducing(&self) -> bool {
        self.mark != NO_MARK
    }

    /// Whether a mark, echoed by an acknowledgment of everything before `una`, is to be answered. Marks that the other end
    /// echoes until it hears of the last cut are answered by that.
    pub fn is_news(&self, una: u64) -> bool {
        !self.is_reducing() && self.cut.is_none_or(|cut| una > cut)
    }

    /// A mark is answered.
    pub fn on_mark(&mut self, nxt: u64) {
        self.mark = nxt;
    }

    /// The window was reduced, for any reason: the other end learns of it (CWR), and stops echoing marks from before.
    pub fn on_cut(&mut self, nxt: u64) {
        self.tell_reduced = self.agreed;
        self.cut = Some(nxt);
    }

    /// A loss has taken the place of the mark.
    pub fn forget_mark(&mut self) {
        self.mark = NO_MARK;
    }

    /// New data was acknowledged: whether the reduction because of a mark is over. Not before something sent since is acknowledged:
    /// that the window was reduced is said there, and whatever was acknowledged without having seen it still echoes the mark.
    #[inline]
    pub fn on_advance(&mut self, ack: u64) -> bool {
        let ended = ack > self.mark;
        if ended {
            self.mark = NO_MARK;
        }
        ended
    }

    /// Whether the segment of new data that leaves now says that the window was reduced; asking says that it does.
    #[inline]
    pub fn take_reduced(&mut self) -> bool {
        std::mem::take(&mut self.tell_reduced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10,000 bytes are out when the first mark is answered: other echoes say nothing new until a byte sent since is
    /// acknowledged.
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
