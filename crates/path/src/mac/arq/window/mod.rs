//! The common part of go-back-N and selective repeat: a window of unacknowledged frames, each with a timer.
//!
//! Frames are sent one after the other, up to `window` of them unacknowledged. The far end acknowledges each arriving
//! frame at once, without contention and ahead of queued data; acknowledgments cross the same channel. A frame has
//! failed if its acknowledgment has not arrived `2 x propagation + transmission of the acknowledgment + margin` after
//! its end. `sender` implements it.

mod far_end;
mod sender;

use engine::registry::Fault;
use engine::{Bytes, Span};

use super::Arq;
use sender::WindowSender;

/// The parameters of a link layer with a window.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SlidingWindow {
    /// Handling of the frames after one that fails.
    pub policy: WindowPolicy,
    /// Maximum number of unacknowledged frames.
    pub window: u32,
    /// Maximum number of transmissions of a frame.
    pub max_transmissions: u32,
    /// Time beyond the earliest possible acknowledgment after which the timer expires.
    pub margin: Span,
    /// Size of a link acknowledgment in bytes.
    pub ack_size: u32,
}

impl From<SlidingWindow> for Arq {
    fn from(arq: SlidingWindow) -> Self {
        let in_order = arq.policy != WindowPolicy::SelectiveRepeat { in_order: false };
        let own = Arq::own(move |parts| WindowSender::new(parts, arq));
        own.with_acknowledgments(arq.ack_size, arq.window).in_order(in_order)
    }
}

/// Handling of the frames after one that fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WindowPolicy {
    /// The far end discards frames out of sequence, and the sender retransmits them.
    GoBackN,
    /// The far end buffers frames out of sequence.
    SelectiveRepeat {
        /// Whether the link layer delivers packets in sequence, or on arrival.
        in_order: bool,
    },
}

/// The window of 802.11's block acknowledgment.
pub(super) fn sixty_four() -> u32 {
    64
}

pub(super) fn default_max_transmissions() -> u32 {
    9
}

pub(super) fn one_millisecond() -> Span {
    Span::from_millis(1)
}

pub(super) fn ack_size() -> Bytes {
    Bytes(u64::from(super::ACK_SIZE))
}

/// Maximum margin.
const MAX_MARGIN: Span = Span::from_secs(3600);
/// Maximum window, which bounds the far end's buffer.
const MAX_WINDOW: u32 = 65_536;
/// Maximum size of an acknowledgment.
const MAX_ACK: Bytes = Bytes(1500);

/// Returns the errors of the settings that go-back-N and selective repeat share.
pub(super) fn check_window_settings(window: u32, max_transmissions: u32, margin: Span, ack_size: Bytes) -> Vec<Fault> {
    let mut faults = Vec::new();
    if !(1..=MAX_WINDOW).contains(&window) {
        faults.push(Fault::new("window", window, format!("1 to {MAX_WINDOW} frames")));
    }
    if !(1..=10_000).contains(&max_transmissions) {
        faults.push(Fault::new("max_transmissions", max_transmissions, "1 to 10000, the first transmission included"));
    }
    if margin > MAX_MARGIN {
        faults.push(Fault::new("margin", margin, "at most an hour"));
    }
    if !(1..=MAX_ACK.0).contains(&ack_size.0) {
        faults.push(Fault::new("ack_size", ack_size, format!("1 B to {MAX_ACK}")));
    }
    faults
}
