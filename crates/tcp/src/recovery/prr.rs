//! Proportional rate reduction (RFC 9937): how fast a sender goes from the old window to the new one during recovery.
//!
//! Above the threshold segments leave in proportion to those that arrive; below it, one more than arrive, as long as
//! acknowledgments show progress and nothing new is lost. Counted in whole segments, rounded up.

/// A reduction going on. Bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduction {
    segment: f64,
    /// The new window.
    target: f64,
    /// What was in flight when it began (RecoverFS).
    from: f64,
    delivered: f64,
    sent: f64,
    window: f64,
}

/// What an acknowledgment during the reduction says. Bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    /// Newly delivered.
    pub delivered: f64,
    /// In the network now.
    pub pipe: f64,
    /// Whether `una` moved and nothing more was taken for lost (SafeACK).
    pub safe: bool,
}

impl Reduction {
    /// A reduction from `from` bytes in flight to a window of `target`.
    pub fn new(segment: f64, from: f64, target: f64, pipe: f64) -> Self {
        Reduction { segment, target, from: from.max(segment), delivered: 0.0, sent: 0.0, window: pipe }
    }

    /// What may be in flight for now.
    pub fn window(&self) -> f64 {
        self.window
    }

    /// An acknowledgment has come. [RFC9937 s6.2]
    pub fn on_ack(&mut self, progress: Progress) {
        let Progress { delivered, pipe, safe } = progress;
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
        self.window = pipe + if first { self.segment } else { allowed.max(0.0) };
    }

    /// Recovery began without an acknowledgment: the first retransmission is allowed.
    pub fn allow_first(&mut self, pipe: f64) {
        self.window = pipe + self.segment;
    }

    /// Bytes were sent.
    pub fn on_sent(&mut self, bytes: f64) {
        self.sent += bytes;
    }
}
