//! Congestion control: how much data may be in flight.

pub mod bbr;
pub mod bbr3;
pub mod cubic;
pub mod dctcp;
mod filter;
pub mod hystart;
pub mod policy;
pub mod reno;
pub mod vegas;
pub mod veno;
pub mod westwood;
pub mod window;

use engine::{Span, Stream, Time};

engine::registry! {
    /// The kinds of congestion control.
    pub enum ControlConfig: "congestion control" => build(start: Start) -> Box<dyn CongestionControl> {
        Reno => reno, "reno", "Slow start, additive increase, halving (RFC 5681)";
        Vegas => vegas, "vegas", "Holds a few segments in the bottleneck's queue, by its delay (Brakmo and Peterson 1995)";
        Westwood => westwood, "westwood", "Westwood+: reduces cwnd to the measured rate times the minimum round trip (Mascolo et al. 2004)";
        Veno => veno, "veno", "Reno that reduces cwnd by a fifth if the queue is short (Fu and Liew 2003)";
        Cubic => cubic, "cubic", "cwnd is a cubic function of the time since the last reduction (RFC 9438)";
        Bbr => bbr, "bbr", "BBR: paces at the measured bandwidth, keeps about one bandwidth-delay product in flight (Cardwell et al. 2016)";
        Bbr3 => bbr3, "bbr3", "BBR version 3: BBR that also limits the flight after losses [draft-ietf-ccwg-bbr]";
        Dctcp => dctcp, "dctcp", "Reduces cwnd in proportion to the share of marked bytes (RFC 8257)";
        Policy => policy, "policy", "A trained neural network sets cwnd or the pacing rate once per step";
    }
}

/// The initial state of a congestion control.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Bytes in a full segment (SMSS).
    pub segment: f64,
    /// Initial window, in bytes.
    pub cwnd: f64,
    /// Initial slow start threshold, in bytes; infinite if unset.
    pub ssthresh: f64,
    /// Random numbers, for controls that need them.
    pub stream: Stream,
}

impl Start {
    /// An arbitrary initial state, to inspect a control.
    pub fn trial() -> Self {
        Start { segment: 1.0, cwnd: 1.0, ssthresh: f64::INFINITY, stream: Stream::default() }
    }
}

/// An acknowledgment, in any state of the sender. Offsets count from the beginning of the stream.
#[derive(Clone, Copy, Debug)]
pub struct Feedback {
    /// Time of its arrival.
    pub now: Time,
    /// First unacknowledged byte, now.
    pub una: u64,
    /// First byte never sent.
    pub nxt: u64,
    /// Bytes by which `una` has moved.
    pub acked: u64,
    /// Bytes known for the first time to have arrived, by acknowledgment or by SACK.
    pub delivered: u64,
    /// Bytes marked lost as a result of this acknowledgment.
    pub lost: u64,
    /// Bytes in the network as the sender estimates it (pipe) [RFC6675 s4], before this acknowledgment.
    pub flight_before: f64,
    /// Bytes in the network as the sender estimates it, after this acknowledgment.
    pub flight: f64,
    /// Round trip measured by the acknowledgment, if any [RFC6298 s3, RFC7323 s4].
    pub rtt: Option<Span>,
    /// Smoothed round-trip time [RFC6298 s2]; zero before the first measurement.
    pub srtt: Span,
    /// Whether the acknowledgment has ECN-Echo [RFC3168 s6.1].
    pub ecn_echo: bool,
    /// Whether the sender is recovering from a loss.
    pub recovering: bool,
    /// The delivery rate, if measured.
    pub rate: Option<RateSample>,
}

/// The delivery rate, measured by the most recently sent segment among the newly acknowledged or SACKed ones
/// [draft-ietf-ccwg-bbr s4.1].
#[derive(Clone, Copy, Debug)]
pub struct RateSample {
    /// Bytes delivered since that segment was sent.
    pub delivered: u64,
    /// The longer of the send interval and the acknowledgment interval.
    pub interval: Span,
    /// Total bytes delivered when that segment was sent (P.delivered): a round trip has ended once this is at least the
    /// total at the beginning of the round.
    pub prior_delivered: u64,
    /// Bytes delivered in all, now (C.delivered).
    pub total_delivered: u64,
    /// Whether the application limited the sender when it sent that segment.
    pub app_limited: bool,
    /// Bytes in the network just after that segment was sent.
    pub flight_at_send: f64,
    /// Bytes marked lost since that segment was sent.
    pub lost: u64,
    /// Bytes marked lost in all.
    pub total_lost: u64,
}

impl RateSample {
    /// Bytes per second.
    pub fn bytes_per_second(&self) -> f64 {
        self.delivered as f64 / self.interval.as_secs_f64().max(1e-9)
    }
}

/// New data was acknowledged and cwnd may grow.
#[derive(Clone, Copy, Debug)]
pub struct Acked {
    /// When.
    pub now: Time,
    /// Bytes newly acknowledged.
    pub bytes: u64,
    /// First unacknowledged byte, now.
    pub una: u64,
    /// First byte never sent.
    pub nxt: u64,
    /// Round trip measured by this acknowledgment, if any.
    pub rtt: Option<Span>,
    /// Smoothed round-trip time; zero before the first measurement.
    pub srtt: Span,
}

/// The flight at the time of an event.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// When.
    pub now: Time,
    /// Bytes sent and not acknowledged (FlightSize) [RFC5681 s2], without bytes sent by limited transmit; during
    /// go-back-N, bytes sent since its beginning.
    pub bytes: f64,
    /// The limit of the flight: the minimum of cwnd, with recovery's inflation, and the receive window.
    pub window: f64,
    /// Whether earlier losses are still being recovered: an undo then restores cwnd from before both reductions.
    pub again: bool,
}

/// A reason to change the window, each with an exact meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Congestion {
    /// Recovery began because of a loss; reported once for each episode. cwnd becomes at most the new ssthresh. A
    /// control that regulates recovery may have no ssthresh.
    FastRetransmit,
    /// A loss of a sender whose only recovery is slow start (Tahoe): ssthresh falls as for
    /// [`FastRetransmit`](Self::FastRetransmit), and cwnd falls to one segment.
    Restart,
    /// The retransmission timer expired, for the `nth` consecutive time (from 1). The window becomes one segment.
    Timeout {
        /// Number of the expiry without progress in between: 1 for the first expiry for a segment.
        nth: u32,
    },
    /// The network marked a packet instead of dropping it; reported at most once per round trip [RFC3168 s6.1.2].
    Ecn,
    /// A segment was lost for a reason other than congestion, as reported by the network or assumed by the sender's
    /// loss differentiation.
    Notified,
}

/// The only writer of cwnd and ssthresh. All windows are bytes.
///
/// For each acknowledgment the sender calls `on_feedback` first. Then, in this order and where they apply: `on_undo`
/// when the last reduction was spurious; `on_congestion` when an episode begins, before any retransmission;
/// `on_recovered` when it has ended; `on_ack` if data was newly acknowledged outside fast recovery, or, if the sender's
/// settings permit it, by the acknowledgment that ended recovery, and cwnd was a limit; `on_limited` instead if cwnd
/// was no limit and the control `grows_only_if_limited`. It calls `on_idle` before it sends the first segment after
/// nothing was in flight for longer than the retransmission timeout. It reads `cwnd` and `pacing_rate` after each of
/// these calls, not as time passes. `cwnd` must be finite and at least one segment at all times.
pub trait CongestionControl: Send {
    /// Congestion window.
    fn cwnd(&self) -> f64;
    /// Slow start threshold; infinite before the first loss.
    fn ssthresh(&self) -> f64;
    /// Processes an acknowledgment of new data, outside of fast recovery, while cwnd limits the sender.
    fn on_ack(&mut self, acked: &Acked);
    /// Called after a detected loss or another congestion event.
    fn on_congestion(&mut self, event: Congestion, flight: &Flight);
    /// Called for each acknowledgment, in any state, if `wants_feedback`.
    fn on_feedback(&mut self, _: &Feedback) {}
    /// Whether the control needs feedback, which costs time; constant.
    fn wants_feedback(&self) -> bool {
        false
    }
    /// Processes an acknowledgment of new data that does not grow cwnd, because the application or the receive window
    /// limits the sender.
    fn on_limited(&mut self, _now: Time) {}
    /// Whether cwnd grows above ssthresh only in a round trip in which cwnd limited the sender [RFC9438 s5.8];
    /// constant. Other controls grow up to what the largest flight permits [draft-ietf-ccwg-ratelimited-increase s3].
    fn grows_only_if_limited(&self) -> bool {
        false
    }
    /// Restores cwnd and ssthresh, because the last reduction and earlier ones in the same episode were spurious:
    /// nothing was lost [RFC4015, RFC5682].
    fn on_undo(&mut self) {}
    /// Fast recovery has ended.
    fn on_recovered(&mut self, _: Time) {}
    /// Handles the end of an idle time: nothing was in flight for `idle`. `restart` is the restart window [RFC5681
    /// s4.1], if the sender's settings enable it.
    fn on_idle(&mut self, _now: Time, _idle: Span, _restart: Option<f64>) {}
    /// Pacing rate in bytes per second; `None` for no pacing. Called only if `paces`.
    fn pacing_rate(&self) -> Option<f64> {
        None
    }
    /// Whether the control ever has a pacing rate; constant.
    fn paces(&self) -> bool {
        false
    }
    /// The size of an autotuned send buffer in windows [Linux `sndbuf_expand`]; constant.
    fn send_buffer_windows(&self) -> u32 {
        2
    }
    /// Whether the control regulates sending during recovery (BBR), instead of proportional rate reduction. Such a
    /// control requires a recovery that uses SACK: the inflation of other recoveries would be added to its cwnd.
    fn regulates_recovery(&self) -> bool {
        false
    }
    /// Whether ECN is used as in DCTCP: every mark echoed separately [RFC8257 s3.2]; `on_congestion` is then not called
    /// for marks, which are part of the feedback.
    fn precise_ecn(&self) -> bool {
        false
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An acknowledgment at `millis` with only a round trip.
    pub fn feedback(millis: u64, rtt: Option<Span>) -> Feedback {
        Feedback {
            now: Time::from_millis(millis),
            una: 0,
            nxt: 0,
            acked: 0,
            delivered: 0,
            lost: 0,
            flight_before: 0.0,
            flight: 0.0,
            rtt,
            srtt: rtt.unwrap_or(Span::ZERO),
            ecn_echo: false,
            recovering: false,
            rate: None,
        }
    }

    /// Returns feedback on an acknowledgment at `millis` of `bytes`, up to `una`, with `flight` more outstanding.
    pub fn acked(millis: u64, bytes: u64, una: u64, flight: u64) -> Acked {
        Acked { now: Time::from_millis(millis), bytes, una, nxt: una + flight, rtt: None, srtt: Span::ZERO }
    }

    /// Returns a flight of `bytes`, with a limit of the same size.
    pub fn flight(bytes: f64) -> Flight {
        Flight { now: Time::ZERO, bytes, window: bytes, again: false }
    }
}
