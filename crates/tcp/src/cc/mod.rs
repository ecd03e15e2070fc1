//! Congestion control: how much data may be in flight.

pub mod bbr;
pub mod bbr3;
pub mod cubic;
pub mod dctcp;
mod filter;
pub mod hystart;
pub mod reno;
pub mod vegas;
pub mod veno;
pub mod westwood;
pub mod window;

use engine::{Span, Stream, Time};

engine::registry! {
    /// The kinds of congestion control.
    pub enum ControlConfig: "congestion control" => build(start: Start) -> Box<dyn CongestionControl> {
        Reno => reno, "reno", "Slow start, additive increase, halving [RFC5681]";
        Vegas => vegas, "vegas", "Holds a few segments in the bottleneck's queue, by its delay (Brakmo and Peterson 1995)";
        Westwood => westwood, "westwood", "Westwood+: reduces cwnd to the measured rate times the minimum round trip (Mascolo et al. 2004)";
        Veno => veno, "veno", "Reno that reduces cwnd by a fifth if the queue is short (Fu and Liew 2003)";
        Cubic => cubic, "cubic", "cwnd is a cubic function of the time since the last reduction [RFC9438]";
        Bbr => bbr, "bbr", "BBR: paces at the measured bandwidth, keeps about one bandwidth-delay product in flight (Cardwell et al. 2016)";
        Bbr3 => bbr3, "bbr3", "BBR version 3: BBR that also limits the flight after losses [draft-ietf-ccwg-bbr]";
        Dctcp => dctcp, "dctcp", "Reduces cwnd in proportion to the share of marked bytes [RFC8257]";
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
    /// Random numbers, for those that need some.
    pub stream: Stream,
}

impl Start {
    /// Any beginning, to ask a control about itself.
    pub fn trial() -> Self {
        Start { segment: 1.0, cwnd: 1.0, ssthresh: f64::INFINITY, stream: Stream::default() }
    }
}

/// An acknowledgment, in any state of the sender. Offsets count from the beginning of the stream.
#[derive(Clone, Copy, Debug)]
pub struct Feedback {
    /// When it came.
    pub now: Time,
    /// First unacknowledged byte, now.
    pub una: u64,
    /// First byte never sent.
    pub nxt: u64,
    /// Bytes by which `una` has moved.
    pub acked: u64,
    /// Bytes known for the first time to have arrived, by acknowledgment or by SACK.
    pub delivered: u64,
    /// Bytes taken for lost because of this acknowledgment.
    pub lost: u64,
    /// Bytes in the network as the sender estimates it (pipe) [RFC6675 s4], before this acknowledgment.
    pub flight_before: f64,
    /// The same, after it.
    pub flight: f64,
    /// The round trip it measured, if it did [RFC6298 s3, RFC7323 s4].
    pub rtt: Option<Span>,
    /// Smoothed round-trip time [RFC6298 s2]; zero before the first measurement.
    pub srtt: Span,
    /// Whether it said that congestion was met (ECN-Echo) [RFC3168 s6.1].
    pub ecn_echo: bool,
    /// Whether the sender is repairing a loss.
    pub recovering: bool,
    /// How fast bytes arrived, if that could be measured.
    pub rate: Option<RateSample>,
}

/// The delivery rate, measured by the segment sent last among those that this acknowledgment newly acknowledges or SACKs
/// [draft-ietf-ccwg-bbr s4.1].
#[derive(Clone, Copy, Debug)]
pub struct RateSample {
    /// Bytes delivered since that segment was sent.
    pub delivered: u64,
    /// Over how long: the longer of the time to send them and the time to have them acknowledged.
    pub interval: Span,
    /// Bytes delivered in all when that segment was sent (P.delivered): a round trip has ended once this is at least
    /// what had been delivered when the round began.
    pub prior_delivered: u64,
    /// Bytes delivered in all, now (C.delivered).
    pub total_delivered: u64,
    /// Whether the sender had too little to send when it sent that segment.
    pub app_limited: bool,
    /// Bytes in the network just after that segment was sent.
    pub flight_at_send: f64,
    /// Bytes taken for lost since that segment was sent.
    pub lost: u64,
    /// Bytes taken for lost in all.
    pub total_lost: u64,
}

impl RateSample {
    /// Bytes per second.
    pub fn bytes_per_second(&self) -> f64 {
        self.delivered as f64 / self.interval.as_secs_f64().max(1e-9)
    }
}

/// New data has been acknowledged and the window may grow.
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
    /// The round trip measured by this acknowledgment, if it did.
    pub rtt: Option<Span>,
    /// Smoothed round-trip time; zero before the first measurement.
    pub srtt: Span,
}

/// What was in flight when something happened.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// When.
    pub now: Time,
    /// Bytes sent and not acknowledged (FlightSize) [RFC5681 s2], without those that limited transmit allowed; after
    /// going back, those sent since.
    pub bytes: f64,
    /// What might have been in flight: the least of the window, with what recovery added to it, and the receiver's.
    pub window: f64,
    /// Whether earlier losses are still being repaired: an undo takes back the cuts for both.
    pub again: bool,
}

/// A reason to change the window, each with an exact meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Congestion {
    /// Recovery began: something is lost. Once for each episode. The window becomes the new threshold, if it was above
    /// that; a control that regulates recovery may have no threshold.
    FastRetransmit,
    /// Something is lost and the sender has no recovery but slow start (Tahoe): the threshold falls as for
    /// [`FastRetransmit`](Self::FastRetransmit), the window to one segment.
    Restart,
    /// The retransmission timer expired, for the `nth` time in a row (from 1). The window becomes one segment.
    Timeout {
        /// 1 for the first expiry for a segment, 2 for the next without progress, and so on.
        nth: u32,
    },
    /// The network marked a packet instead of dropping it. At most once a round trip [RFC3168 s6.1.2].
    Ecn,
    /// A segment was lost, but congestion was not the cause: the network said so, or the sender's loss
    /// differentiation thinks so.
    Notified,
}

/// The only writer of cwnd and ssthresh. All windows are bytes.
///
/// For each acknowledgment the sender calls `on_feedback` first. Then, in this order and where they apply: `on_undo`
/// when the last reduction was spurious; `on_congestion` when an episode begins, before any retransmission;
/// `on_recovered` when it has ended; `on_ack` if data was newly acknowledged outside fast recovery, or by the
/// acknowledgment that ended it if the sender's settings say so, and cwnd was a limit. It calls `on_idle` before it
/// sends the first segment after nothing was in flight for longer than the retransmission timeout. It reads `cwnd` and
/// `pacing_rate` after each of these calls, not as time passes. `cwnd` must be finite and at least one segment at all
/// times.
pub trait CongestionControl: Send {
    /// Congestion window.
    fn cwnd(&self) -> f64;
    /// Slow start threshold; infinite before the first loss.
    fn ssthresh(&self) -> f64;
    /// New data has been acknowledged, not during fast recovery, and the window was what limited the sender.
    fn on_ack(&mut self, acked: &Acked);
    /// Something was lost, or seems so.
    fn on_congestion(&mut self, event: Congestion, flight: &Flight);
    /// An acknowledgment has come, in any state. Called only if `wants_feedback`.
    fn on_feedback(&mut self, _: &Feedback) {}
    /// Whether it wants feedback; making it costs time, and it does not change.
    fn wants_feedback(&self) -> bool {
        false
    }
    /// The last reduction was spurious, and those before it on top of which it came: nothing had been lost
    /// [RFC4015, RFC5682]. Window and threshold become what they were.
    fn on_undo(&mut self) {}
    /// Fast recovery has ended.
    fn on_recovered(&mut self, _: Time) {}
    /// Nothing has been in flight for `idle`; `restart` is the window to begin again with [RFC5681 s4.1], if the
    /// sender's settings ask for that.
    fn on_idle(&mut self, _now: Time, _idle: Span, _restart: Option<f64>) {}
    /// Bytes per second at which segments are sent; `None` if as soon as the window allows. Asked only if `paces`.
    fn pacing_rate(&self) -> Option<f64> {
        None
    }
    /// Whether it ever gives a pacing rate; that does not change.
    fn paces(&self) -> bool {
        false
    }
    /// Whether it regulates sending during recovery itself (BBR), so that proportional rate reduction is not wanted. It goes
    /// with a recovery that uses SACK: the inflation of one that does not would be added to its window.
    fn regulates_recovery(&self) -> bool {
        false
    }
    /// Whether ECN is spoken in DCTCP's way: every mark echoed, by itself [RFC8257 s3.2]; `on_congestion` is then never
    /// called for marks, which are in the feedback.
    fn precise_ecn(&self) -> bool {
        false
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An acknowledgment at `millis` that says nothing but a round trip.
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

    /// `bytes` acknowledged at `millis`, up to `una`, with `flight` more on their way.
    pub fn acked(millis: u64, bytes: u64, una: u64, flight: u64) -> Acked {
        Acked { now: Time::from_millis(millis), bytes, una, nxt: una + flight, rtt: None, srtt: Span::ZERO }
    }

    /// `bytes` in flight, and as many allowed.
    pub fn flight(bytes: f64) -> Flight {
        Flight { now: Time::ZERO, bytes, window: bytes, again: false }
    }
}
