//! Proportional rate reduction (RFC 9937): reduces from the old window to the new one during recovery.
//!
//! Above the threshold, segments are sent in proportion to delivered segments; below it, one more than delivered, as
//! long as `una` advances and no new loss is detected. Counted in whole segments, rounded up. The window is at least one
//! segment, also while a shorter segment is all that is in flight: Linux counts the two alike.

/// A reduction in progress, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduction {
    segment: f64,
    /// The new window.
    target: f64,
    /// Bytes in flight when the reduction began (RecoverFS).
    from: f64,
    delivered: f64,
    sent: f64,
    window: f64,
}

/// The effects of an acknowledgment during the reduction, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReductionProgress {
    /// Newly delivered.
    pub delivered: f64,
    /// In the network now.
    pub pipe: f64,
    /// Whether `una` advanced and no further loss was detected (SafeACK).
    pub safe: bool,
}

impl Reduction {
    /// A reduction from `from` bytes in flight to a window of `target`.
    pub fn new(segment: f64, from: f64, target: f64, pipe: f64) -> Self {
        Reduction { segment, target, from: from.max(segment), delivered: 0.0, sent: 0.0, window: pipe }
    }

    /// The present limit of bytes in flight.
    pub fn window(&self) -> f64 {
        self.window
    }

    /// Processes an acknowledgment [RFC9937 s6.2].
    pub fn on_ack(&mut self, progress: ReductionProgress) {
        let ReductionProgress { delivered, pipe, safe } = progress;
        if delivered == 0.0 {
            return;
        }
        self.delivered += delivered;
        let allowed = if pipe > self.target {
            let share = self.delivered * self.target / self.from;
            (share / self.segment).ceil() * self.segment - self.sent
        } else {
            let arrived = (self.delivered - self.sent).max(delivered);
            let arrived = if safe { arrived + self.segment } else { arrived };
            (self.target - pipe).min(arrived)
        };
        // The first retransmission is always allowed.
        let first = self.sent == 0.0 && allowed <= 0.0;
        self.window = (pipe + if first { self.segment } else { allowed.max(0.0) }).max(self.segment);
    }

    /// Allows the first retransmission of a recovery that began without an acknowledgment.
    pub fn allow_first(&mut self, pipe: f64) {
        self.window = pipe + self.segment;
    }

    /// Bytes were sent.
    pub fn on_sent(&mut self, bytes: f64) {
        self.sent += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten segments were in flight. The retransmission is sent, and of the rest only a segment of 300 bytes is in
    /// flight when a duplicate arrives.
    #[test]
    fn window_is_at_least_one_segment() {
        let mut reduction = Reduction::new(1000.0, 10_000.0, 5000.0, 9000.0);
        reduction.on_ack(ReductionProgress { delivered: 1000.0, pipe: 8000.0, safe: false });
        assert_eq!(reduction.window(), 9000.0);
        for _ in 0..3 {
            reduction.on_sent(1000.0);
        }
        reduction.on_ack(ReductionProgress { delivered: 1000.0, pipe: 6000.0, safe: false });
        assert_eq!(reduction.window(), 6000.0, "three sent, and one is two times one half");
        reduction.on_ack(ReductionProgress { delivered: 0.0, pipe: 300.0, safe: false });
        assert_eq!(reduction.window(), 6000.0, "nothing was delivered");
        reduction.on_sent(1000.0);
        reduction.on_ack(ReductionProgress { delivered: 300.0, pipe: 300.0, safe: false });
        assert_eq!(reduction.window(), 1000.0);
    }
}
