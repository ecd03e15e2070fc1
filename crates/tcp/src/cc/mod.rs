//! HOW MUCH may fly.

pub mod reno;

use engine::Time;

engine::registry! {
    /// The kinds of congestion control.
    pub enum ControlConfig: "congestion control" => build(start: Start) -> Box<dyn CongestionControl> {
        Reno => reno, "reno", "Slow start, additive increase, halving [RFC5681]";
    }
}

/// Where a congestion control begins.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Bytes in a full segment (SMSS).
    pub segment: f64,
    /// The first window, in bytes.
    pub cwnd: f64,
    /// The first slow start threshold, in bytes; infinite if there is none.
    pub ssthresh: f64,
}

/// New data has been acknowledged outside recovery.
#[derive(Clone, Copy, Debug)]
pub struct Acked {
    /// When.
    pub now: Time,
    /// Bytes newly acknowledged.
    pub bytes: u64,
    /// Bytes the receiver is willing to take. A window beyond it cannot be used.
    pub peer_window: f64,
}

/// What was in flight when something happened.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// When.
    pub now: Time,
    /// Bytes sent and not acknowledged (FlightSize) [RFC5681 s2]; after going back, those sent since.
    pub bytes: f64,
    /// What might have been in flight: the least of the window, with what recovery added to it, and the receiver's.
    pub window: f64,
}

/// A reason to change the window, each with an exact meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Congestion {
    /// Recovery began because of duplicate acknowledgments. Once for each episode.
    FastRetransmit,
    /// The retransmission timer expired, for the `nth` time in a row (from 1).
    Timeout {
        /// 1 for the first expiry for a segment, 2 for the next without progress, and so on.
        nth: u32,
    },
    /// A segment was lost, but the network has said that congestion was not the cause.
    Notified,
}

/// The only writer of cwnd and ssthresh. All windows are bytes.
///
/// The sender calls `on_ack` for each acknowledgment of new data outside recovery, after the bytes have left flight;
/// `on_congestion` when an episode begins, before anything is sent again; and reads `cwnd` after each acknowledgment,
/// message and timeout. It does not ask as time passes.
/// `cwnd` must be finite and at least one segment at all times.
pub trait CongestionControl: Send {
    /// Congestion window.
    fn cwnd(&self) -> f64;
    /// Slow start threshold; infinite before the first loss.
    fn ssthresh(&self) -> f64;
    /// New data has been acknowledged.
    fn on_ack(&mut self, acked: &Acked);
    /// Something was lost, or seems so.
    fn on_congestion(&mut self, event: Congestion, flight: &Flight);
}
