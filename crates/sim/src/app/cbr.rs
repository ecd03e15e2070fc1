//! A constant bit rate: packets of one size at equal intervals.
//!
//! Packet number k is written k x size / rate after the start, rounded down to nanoseconds, so that rounding errors do
//! not accumulate.

use engine::registry::{Fault, Settings};
use engine::time::NANOS_PER_SEC;
use engine::{Bytes, Rate, Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AppCx, Application, MAX_DATAGRAM};
use crate::transport::Transport;

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Data bits per second, without headers.
    pub rate: Rate,
    /// Bytes written at a time; with UDP the payload of a datagram, at most 65,507 B.
    pub packet: Bytes,
    /// The amount of data, such as "10 MB"; endless by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
}

impl Default for Config {
    /// Returns 1 Mbps in packets of 1000 bytes.
    fn default() -> Self {
        Config { rate: Rate::from_bits_per_sec(1_000_000).expect("not zero"), packet: Bytes(1000), bytes: None }
    }
}

/// A fault if `packet` is no payload of a datagram.
pub(super) fn unless_datagram(packet: Bytes) -> Option<Fault> {
    let fits = (1..=MAX_DATAGRAM).contains(&packet.0);
    (!fits).then(|| Fault::new("packet", packet, format!("1 to {MAX_DATAGRAM} bytes, the data of a UDP datagram")))
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults: Vec<Fault> = unless_datagram(self.packet).into_iter().collect();
        if self.bytes == Some(Bytes(0)) {
            faults.push(Fault::new("bytes", "0 B", "at least one byte"));
        }
        faults
    }
}

impl Config {
    /// The application.
    pub fn build(&self, _: Stream) -> Box<dyn Application> {
        let left = self.bytes.map_or(u64::MAX, |bytes| bytes.0);
        Box::new(Cbr { ticks: Ticks::new(self.rate, self.packet), total: self.bytes.map(|bytes| bytes.0), left })
    }
}

/// The times of packets at a constant rate.
pub(super) struct Ticks {
    rate: Rate,
    pub packet: u64,
    start: Time,
    sent: u64,
}

impl Ticks {
    pub fn new(rate: Rate, packet: Bytes) -> Self {
        Ticks { rate, packet: packet.0, start: Time::ZERO, sent: 0 }
    }

    /// Schedules the first packet at `now`.
    pub fn restart(&mut self, now: Time) {
        (self.start, self.sent) = (now, 0);
    }

    /// Counts a packet.
    pub fn advance(&mut self) {
        self.sent += 1;
    }

    /// The time of the next packet.
    pub fn next(&self) -> Time {
        let bits = u128::from(self.sent) * u128::from(self.packet) * 8;
        let nanos = bits * u128::from(NANOS_PER_SEC) / u128::from(self.rate.bits_per_sec());
        self.start + Span::from_nanos(nanos as u64)
    }
}

struct Cbr {
    ticks: Ticks,
    total: Option<u64>,
    left: u64,
}

impl Cbr {
    fn send(&mut self, cx: &mut AppCx<'_>) {
        // Several packets of a rate beyond one packet in a nanosecond.
        while self.left > 0 && self.ticks.next() <= cx.now {
            let bytes = self.ticks.packet.min(self.left);
            cx.write(0, bytes);
            self.left -= bytes;
            self.ticks.advance();
        }
        if self.left == 0 {
            cx.finish();
        }
    }
}

impl Application for Cbr {
    fn transports(&self) -> &'static [Transport] {
        &[Transport::Tcp, Transport::Udp]
    }

    fn total(&self) -> Option<u64> {
        self.total
    }

    fn start(&mut self, cx: &mut AppCx<'_>) {
        self.ticks.restart(cx.now);
        self.send(cx);
    }

    fn deadline(&self) -> Time {
        if self.left > 0 { self.ticks.next() } else { Time::NEVER }
    }

    fn wake(&mut self, cx: &mut AppCx<'_>) {
        self.send(cx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_errors_of_intervals_do_not_accumulate() {
        let mut ticks = Ticks::new("3 bps".parse().unwrap(), Bytes(1));
        ticks.restart(Time::from_nanos(5));
        let times: Vec<u64> = (0..4)
            .map(|_| {
                let at = ticks.next().as_nanos();
                ticks.advance();
                at
            })
            .collect();
        // Every 8/3 s.
        assert_eq!(times, [5, 2_666_666_671, 5_333_333_338, 8_000_000_005]);
    }

    #[test]
    fn packet_larger_than_a_datagram_is_a_fault() {
        let keys = |packet: u64, bytes: Option<u64>| {
            let config = Config { packet: Bytes(packet), bytes: bytes.map(Bytes), ..Config::default() };
            config.check().into_iter().map(|fault| fault.key).collect::<Vec<_>>()
        };
        assert_eq!(
            (keys(0, None), keys(65_508, Some(0))),
            (vec!["packet".into()], vec!["packet".into(), "bytes".into()])
        );
        assert!(keys(65_507, None).is_empty());
    }
}
