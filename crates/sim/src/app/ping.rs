//! Echo requests at equal intervals: a probe of the round trip time and of loss.

use engine::registry::{Fault, Settings};
use engine::{Bytes, Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cbr::unless_datagram;
use super::{AppCx, Application};
use crate::transport::Transport;

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The time between two requests; more than 0.
    pub interval: Span,
    /// Bytes of data in a request, at most 65,507 B.
    pub packet: Bytes,
    /// The number of requests; endless by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub requests: Option<u32>,
}

impl Default for Config {
    /// Returns the defaults of the program ping: 56 bytes each second.
    fn default() -> Self {
        Config { interval: Span::from_secs(1), packet: Bytes(56), requests: None }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults: Vec<Fault> = unless_datagram(self.packet).into_iter().collect();
        if self.interval == Span::ZERO {
            faults.push(Fault::new("interval", self.interval, "more than 0"));
        }
        if self.requests == Some(0) {
            faults.push(Fault::new("requests", 0, "at least one"));
        }
        faults
    }
}

impl Config {
    /// The application.
    pub fn build(&self, _: Stream) -> Box<dyn Application> {
        Box::new(Ping {
            interval: self.interval,
            packet: self.packet.0,
            left: self.requests.unwrap_or(u32::MAX),
            next: Time::ZERO,
        })
    }
}

struct Ping {
    interval: Span,
    packet: u64,
    left: u32,
    next: Time,
}

impl Application for Ping {
    fn transports(&self) -> &'static [Transport] {
        &[Transport::IcmpEcho]
    }

    fn start(&mut self, cx: &mut AppCx<'_>) {
        self.wake(cx);
    }

    fn deadline(&self) -> Time {
        if self.left > 0 { self.next } else { Time::NEVER }
    }

    fn wake(&mut self, cx: &mut AppCx<'_>) {
        cx.write(0, self.packet);
        self.next = cx.now + self.interval;
        self.left -= 1;
        if self.left == 0 {
            cx.finish();
        }
    }
}
