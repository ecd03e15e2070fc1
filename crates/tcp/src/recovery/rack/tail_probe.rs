//! Tail loss probes [RFC8985 s7].

use engine::{Span, Time};

use crate::recovery::{AckEffects, SenderView};
use crate::scoreboard::Scoreboard;

/// Maximum delay of the acknowledgment of a single segment (TLP.max_ack_delay).
const MAX_ACK_DELAY: Span = Span::from_millis(200);
/// The delay of the probe without a round trip sample [RFC8985 s7.2].
const UNMEASURED: Span = Span::from_secs(1);

/// The time of the next probe, and the state of the last one.
pub(super) struct TailProbe {
    on: bool,
    due: Time,
    /// The outstanding probe: the first unsent byte at that time (TLP.end_seq), and whether the probe was a
    /// retransmission.
    outstanding: Option<(u64, bool)>,
}

/// The outcome of a probe according to an acknowledgment.
pub(super) enum Found {
    /// No probe has been sent yet, or the probe was spurious.
    Nothing,
    /// The probe recovered a loss.
    Repaired,
}

impl TailProbe {
    pub fn new(on: bool) -> Self {
        TailProbe { on, due: Time::NEVER, outstanding: None }
    }

    pub fn due(&self) -> Time {
        self.due
    }

    /// Cancels the probe until the next `schedule`.
    pub fn stop(&mut self) {
        self.due = Time::NEVER;
        self.outstanding = None;
    }

    /// Schedules the probe after new data was sent or acknowledged [RFC8985 s7.2].
    pub fn schedule(&mut self, now: Time, board: &Scoreboard, view: &SenderView) {
        self.due = Time::NEVER;
        if !self.on || !view.sack || self.outstanding.is_some() || board.is_empty() || board.sacked_segments() > 0 {
            return;
        }
        let wait = match view.srtt {
            Some(srtt) if board.segments() == 1 => srtt.times(2) + MAX_ACK_DELAY,
            Some(srtt) => srtt.times(2),
            None => UNMEASURED,
        };
        self.due = (now + wait).min(view.expiry);
    }

    /// Records that the probe was sent; `nxt` is the first unsent byte after the probe.
    pub fn on_probe_sent(&mut self, again: bool, nxt: u64) {
        self.outstanding = Some((nxt, again));
    }

    /// [RFC8985 s7.4.2]
    pub fn on_ack(&mut self, ack: &AckEffects, board: &Scoreboard) -> Found {
        if board.is_empty() {
            self.due = Time::NEVER;
        }
        let Some((end, again)) = self.outstanding.filter(|(end, _)| board.una() >= *end) else { return Found::Nothing };
        if !again || ack.duplicate_sack.is_some_and(|block| block.1 == end) || ack.echoes_original {
            self.outstanding = None;
        } else if board.una() > end {
            self.outstanding = None;
            return Found::Repaired;
        } else if ack.acked == 0 && ack.sacked == 0 {
            self.outstanding = None;
        }
        Found::Nothing
    }
}
