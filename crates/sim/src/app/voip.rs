//! A telephone call over datagrams, rated by the E-model (ITU-T G.107).
//!
//! A packet of speech is sent every 20 ms. The receiver plays each at a fixed time after it was sent: the minimum delay
//! of the call plus the length of its jitter buffer. A packet that arrives later is lost to the listener. From the
//! share of lost packets and the delay from mouth to ear follow the rating R and the mean opinion score (MOS):
//!
//! ```text
//! R = 93.2 - Idd - Ie_eff
//! Idd = 25 ((1 + X^6)^(1/6) - 3 (1 + (X / 3)^6)^(1/6) + 2), X = log2(T / 100 ms), for T above 100 ms, else 0
//! Ie_eff = Ie + (95 - Ie) Ppl / (Ppl + Bpl), for random loss of Ppl percent
//! MOS = 1 + 0.035 R + 7e-6 R (R - 60) (100 - R), 1 for R below 0, 4.5 for R above 100
//! ```
//!
//! T is the packet time, the look-ahead of the codec, the minimum delay and the jitter buffer. 93.2 is G.107's value
//! for its default parameters. Ie and Bpl are from G.113 appendix I: G.711 with loss concealment 0 and 25.1, G.729A 11
//! and 19. Limits: losses count as random (BurstR = 1), there is no echo, and the jitter buffer does not adapt.

use engine::registry::{Fault, Settings};
use engine::{Histogram, Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AppCx, AppResult, Application, DatagramArrival};
use crate::transport::Transport;

/// A speech codec.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Codec {
    /// G.711: 64 kbps, 160 bytes of speech and 12 of RTP in a packet.
    #[default]
    G711,
    /// G.729A: 8 kbps, 20 bytes of speech and 12 of RTP in a packet.
    G729a,
}

/// RTP header [RFC3550 s5.1].
const RTP: u64 = 12;
/// Speech in a packet.
const PACKET_TIME: Span = Span::from_millis(20);

impl Codec {
    /// Bytes of a packet.
    const fn bytes(self) -> u64 {
        RTP + match self {
            Codec::G711 => 160,
            Codec::G729a => 20,
        }
    }

    /// Time of speech that follows a packet and that the codec needs to encode it.
    const fn look_ahead(self) -> Span {
        match self {
            Codec::G711 => Span::ZERO,
            Codec::G729a => Span::from_millis(5),
        }
    }

    /// Equipment impairment factor, and packet-loss robustness factor.
    const fn impairment(self) -> (f64, f64) {
        match self {
            Codec::G711 => (0.0, 25.1),
            Codec::G729a => (11.0, 19.0),
        }
    }
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The codec.
    pub codec: Codec,
    /// The length of the receiver's jitter buffer, at most 1 s.
    pub jitter_buffer: Span,
}

impl Default for Config {
    /// Returns G.711 and 60 ms, three packets.
    fn default() -> Self {
        Config { codec: Codec::G711, jitter_buffer: Span::from_millis(60) }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let long = self.jitter_buffer > Span::from_secs(1);
        if long { vec![Fault::new("jitter_buffer", self.jitter_buffer, "at most 1 s")] } else { Vec::new() }
    }
}

impl Config {
    /// The application.
    pub fn build(&self, _: Stream) -> Box<dyn Application> {
        Box::new(Voip {
            config: self.clone(),
            start: Time::ZERO,
            sent: 0,
            delays: Histogram::default(),
            next: Time::ZERO,
        })
    }
}

struct Voip {
    config: Config,
    start: Time,
    sent: u64,
    delays: Histogram,
    next: Time,
}

impl Application for Voip {
    fn transports(&self) -> &'static [Transport] {
        &[Transport::Udp]
    }

    fn start(&mut self, cx: &mut AppCx<'_>) {
        self.start = cx.now;
        self.wake(cx);
    }

    fn deadline(&self) -> Time {
        self.next
    }

    fn wake(&mut self, cx: &mut AppCx<'_>) {
        cx.write(0, self.config.codec.bytes());
        self.sent += 1;
        self.next = cx.now + PACKET_TIME;
    }

    fn observes(&self) -> bool {
        true
    }

    fn on_datagram(&mut self, arrival: &DatagramArrival, _: &mut AppCx<'_>) {
        self.delays.record_span(arrival.delay);
    }

    fn results(&self, now: Time) -> Vec<AppResult> {
        let buffer = self.config.jitter_buffer.as_nanos();
        let least = self.delays.min();
        let late = least.and_then(|least| self.delays.share_above(least + buffer)).unwrap_or(0.0);
        let played = self.delays.count() as f64 * (1.0 - late);
        // Packets that are to be played after `now` may still arrive.
        let age = least.map_or(0, |least| now.since(self.start).as_nanos().saturating_sub(least + buffer));
        let due = self.sent.min(age / PACKET_TIME.as_nanos() + 1) as f64;
        let loss = (self.sent > 0).then(|| 1.0 - played.min(due) / due);
        let fixed = PACKET_TIME.as_nanos() + self.config.codec.look_ahead().as_nanos() + buffer;
        let mouth_to_ear = least.map(|least| (least + fixed) as f64 / 1e9);
        let rating = loss.zip(mouth_to_ear).map(|(loss, delay)| compute_rating(self.config.codec, loss, 1e3 * delay));
        vec![
            AppResult { name: "mos", value: rating.map(compute_opinion_score) },
            AppResult { name: "r_factor", value: rating },
            AppResult { name: "speech_lost", value: loss },
            AppResult { name: "late", value: least.map(|_| late) },
            AppResult { name: "mouth_to_ear_s", value: mouth_to_ear },
        ]
    }
}

/// The rating R for a share of lost packets and a delay from mouth to ear in milliseconds.
fn compute_rating(codec: Codec, loss: f64, delay: f64) -> f64 {
    let (ie, bpl) = codec.impairment();
    let percent = 100.0 * loss;
    let by_loss = ie + (95.0 - ie) * percent / (percent + bpl);
    let by_delay = if delay > 100.0 {
        let x = libm::log2(delay / 100.0);
        let root = |x: f64| libm::pow(1.0 + libm::pow(x, 6.0), 1.0 / 6.0);
        25.0 * (root(x) - 3.0 * root(x / 3.0) + 2.0)
    } else {
        0.0
    };
    93.2 - by_delay - by_loss
}

/// The mean opinion score of a rating.
fn compute_opinion_score(r: f64) -> f64 {
    match r {
        r if r <= 0.0 => 1.0,
        r if r >= 100.0 => 4.5,
        r => 1.0 + 0.035 * r + 7e-6 * r * (r - 60.0) * (100.0 - r),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of G.107 annex B, which gives two decimals; its 4.03 for R = 80 is 4.024 by the equation.
    #[test]
    fn opinion_score_agrees_with_the_table_of_the_standard() {
        for (r, mos) in [(93.2, 4.41), (90.0, 4.34), (80.0, 4.03), (70.0, 3.60), (60.0, 3.10), (50.0, 2.58)] {
            assert!((compute_opinion_score(r) - mos).abs() < 0.0065, "{r}: {}", compute_opinion_score(r));
        }
        assert_eq!((compute_opinion_score(-3.0), compute_opinion_score(101.0)), (1.0, 4.5));
    }

    #[test]
    fn rating_follows_the_equations_of_loss_and_delay() {
        assert_eq!(compute_rating(Codec::G711, 0.0, 100.0), 93.2);
        // 95 x 1 / 26.1
        assert!((compute_rating(Codec::G711, 0.01, 50.0) - (93.2 - 95.0 / 26.1)).abs() < 1e-9);
        // At 200 ms X = 1: 25 (2^(1/6) - 3 (1 + 3^-6)^(1/6) + 2).
        let by_delay = 25.0 * (libm::pow(2.0, 1.0 / 6.0) - 3.0 * libm::pow(1.0 + 1.0 / 729.0, 1.0 / 6.0) + 2.0);
        assert!((compute_rating(Codec::G729a, 0.0, 200.0) - (93.2 - 11.0 - by_delay)).abs() < 1e-9);
        assert!((by_delay - 3.04).abs() < 0.01, "{by_delay}");
    }
}
