//! On and off periods: a constant bit rate while on, nothing while off.
//!
//! The lengths of the periods are drawn from two distributions. The mean share of time that is on is the mean on period
//! over the sum of both means; with Pareto distributions of a shape between 1 and 2, many such sources together are
//! self-similar traffic (Willinger1997).

use std::fmt::Arguments;

use engine::registry::{Fault, MemberVisitor, Settings};
use engine::{Bytes, Draws, Named, Open, Rate, Span, Stream, Time};
use path::link::jitter::{DelayConfig, DelayDistribution, exponential};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cbr::{Ticks, unless_datagram};
use super::{AppCx, Application};
use crate::transport::Transport;

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Data bits per second while on, without headers.
    pub rate: Rate,
    /// Bytes written at a time; with UDP the payload of a datagram, at most 65,507 B.
    pub packet: Bytes,
    /// The distribution of on periods.
    #[serde(deserialize_with = "engine::named::deserialize")]
    #[schemars(with = "Named<DelayConfig>")]
    pub on: DelayConfig,
    /// The distribution of off periods.
    #[serde(deserialize_with = "engine::named::deserialize")]
    #[schemars(with = "Named<DelayConfig>")]
    pub off: DelayConfig,
}

impl Default for Config {
    /// A voice source with silence suppression: 64 kbps in 160 bytes, talk spurts of 1.004 s and gaps of 1.587 s on
    /// average, exponential (ITU-T P.59).
    fn default() -> Self {
        let exponential = |millis| DelayConfig::Exponential(exponential::Config { mean: Span::from_millis(millis) });
        let rate = Rate::from_bits_per_sec(64_000).expect("not zero");
        Config { rate, packet: Bytes(160), on: exponential(1004), off: exponential(1587) }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults: Vec<Fault> = unless_datagram(self.packet).into_iter().collect();
        for (part, periods) in [("on", &self.on), ("off", &self.off)] {
            let nested = |fault: Fault| Fault { key: format!("{part}.{}", fault.key).into(), ..fault };
            faults.extend(periods.check().into_iter().map(nested));
        }
        faults
    }

    fn visit_members<V: MemberVisitor>(&mut self, key: Arguments<'_>, visitor: &mut V) {
        self.on.visit(format_args!("{key}.on"), visitor);
        self.off.visit(format_args!("{key}.off"), visitor);
    }
}

impl Config {
    /// The application.
    pub fn build(&self, stream: Stream) -> Box<dyn Application> {
        Box::new(OnOff {
            ticks: Ticks::new(self.rate, self.packet),
            periods: [self.on.build(), self.off.build()],
            draws: stream.draws(),
            on: true,
            ends: Time::ZERO,
        })
    }
}

struct OnOff {
    ticks: Ticks,
    /// On and off.
    periods: [Box<dyn DelayDistribution>; 2],
    draws: Draws,
    on: bool,
    /// End of the current period.
    ends: Time,
}

/// Minimum of a period. Without this minimum, two distributions that give zero would stop simulated time.
const MIN_PERIOD: Span = Span::from_nanos(1_000);

impl OnOff {
    fn begin(&mut self, on: bool, now: Time) {
        self.on = on;
        self.ends = now + self.periods[usize::from(!on)].draw(&mut self.draws).max(MIN_PERIOD);
        if on {
            self.ticks.restart(now);
        }
    }

    fn act(&mut self, cx: &mut AppCx<'_>) {
        if self.ends <= cx.now {
            self.begin(!self.on, cx.now);
        }
        while self.on && self.ticks.next() <= cx.now {
            cx.write(0, self.ticks.packet);
            self.ticks.advance();
        }
    }
}

impl Application for OnOff {
    fn transports(&self) -> &'static [Transport] {
        &[Transport::Tcp, Transport::Udp]
    }

    fn start(&mut self, cx: &mut AppCx<'_>) {
        self.begin(true, cx.now);
        self.act(cx);
    }

    fn deadline(&self) -> Time {
        if self.on { self.ends.min(self.ticks.next()) } else { self.ends }
    }

    fn wake(&mut self, cx: &mut AppCx<'_>) {
        self.act(cx);
    }
}
