//! What a cell can set.

use engine::registry::Fault;
use engine::{Bytes, Decibels, Length, Named, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::standard::{Mode, Standard};
use crate::medium::rate::RateControlConfig;

/// A shared medium: the air of stations that use one channel.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The standard that its stations follow.
    #[serde(skip_serializing_if = "is_default")]
    pub standard: Standard,
    /// The rate of data, unless a link has one of its own; the standard's highest if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// The rates that every station can receive: answers are sent at the highest of them that is not above the rate of what
    /// they answer. The standard's if not given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub basic_rates: Vec<Rate>,
    /// The length of preambles, where the standard has two.
    #[serde(skip_serializing_if = "is_default")]
    pub preamble: Preamble,
    /// Frames longer than this, header and checksum included, ask for the air first; none does if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rts_threshold: Option<Bytes>,
    /// Frames longer than this, header and checksum included, are sent in fragments of this length; none is if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fragmentation_threshold: Option<Bytes>,
    /// How often a frame up to the RTS threshold is sent, or a request, before its packet is given up; 7 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_retry_limit: Option<u32>,
    /// The same for longer frames; 4 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_retry_limit: Option<u32>,
    /// What is added to both limits with each packet to a station that is given up in a row, until one is acknowledged
    /// (approach A of disconnections2012).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_growth: Option<Growth>,
    /// Which rate frames are sent at, up to that of the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_control: Option<Named<RateControlConfig>>,
    /// Packets to one station go together in one frame; each goes in one of its own if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregation: Option<Aggregation>,
    /// A slot of the back-off, instead of the standard's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<Span>,
    /// The space between a frame and its answer, instead of the standard's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sifs: Option<Span>,
    /// The first contention window, one less than a power of two, instead of the standard's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw_min: Option<u32>,
    /// The last contention window, one less than a power of two, instead of the standard's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw_max: Option<u32>,
    /// How long after the end of its frame a sender waits for an answer to begin, instead of the standard's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_timeout: Option<Span>,
    /// How long the air must be silent behind a frame that could not be read, instead of the standard's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eifs: Option<Span>,
    /// How long a frame takes to every station of the medium; 1 us if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Span>,
    /// How far frames can be read; everybody hears everybody if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Length>,
    /// How far frames are sensed; 2.2 times the range if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carrier_sense_range: Option<Length>,
    /// A frame survives those that begin while it is received if it is stronger than each by this; none does if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture: Option<Decibels>,
    /// The power of distance with which signals fall; 4 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_loss: Option<f64>,
    /// How often base stations and routers send a beacon; never if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beacon_interval: Option<Span>,
}

/// How much goes in one frame. With settings of its own, or `aggregation = {}`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Aggregation {
    /// Packets, at most.
    pub frames: u32,
    /// Bytes, with all that is around the packets.
    pub bytes: Bytes,
    /// Time in the air.
    pub duration: Span,
}

impl Default for Aggregation {
    /// What the standard allows: the window of a block acknowledgment, the longest aggregate, the longest frame
    /// [802.11-2012 s8.3.1.9.3, s8.4.2.58.3, s20.4.4].
    fn default() -> Self {
        Aggregation { frames: 64, bytes: Bytes(65_535), duration: Span::from_millis(10) }
    }
}

/// The same, where it is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AggregateLimits {
    /// Packets.
    pub frames: u32,
    /// Bytes.
    pub bytes: u32,
    /// Time in the air.
    pub duration: Span,
}

impl Aggregation {
    /// The limits, as the medium keeps them.
    pub fn limits(self) -> AggregateLimits {
        let bytes = u32::try_from(self.bytes.0).unwrap_or(u32::MAX);
        AggregateLimits { frames: self.frames, bytes, duration: self.duration }
    }

    /// What is wrong with the settings in a cell of `config`.
    fn check(self, config: &Config) -> Vec<Fault> {
        let mut faults = Vec::new();
        let most = Aggregation::default();
        if config.standard != Standard::N {
            let expected = "a standard that has it: \"802.11n\"".to_owned();
            let hint = Some("write standard = \"802.11n\"".to_owned());
            faults.push(Fault { key: "aggregation", found: None, expected, hint });
        }
        if let Some(size) = config.fragmentation_threshold {
            let expected = "nothing: packets are put together, not cut";
            faults.push(Fault::new("fragmentation_threshold", size, expected));
        }
        if !(1..=most.frames).contains(&self.frames) {
            let expected = format!("1 to {} packets, the window of a block acknowledgment", most.frames);
            faults.push(Fault::new("aggregation.frames", self.frames, expected));
        }
        if !(1..=most.bytes.0).contains(&self.bytes.0) {
            faults.push(Fault::new("aggregation.bytes", self.bytes, format!("1 to {} B", most.bytes.0)));
        }
        if self.duration == Span::ZERO || self.duration > most.duration {
            let expected = format!("more than nothing, at most {}", most.duration);
            faults.push(Fault::new("aggregation.duration", self.duration, expected));
        }
        faults
    }
}

/// How retry limits grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Growth {
    /// With each packet.
    pub step: u32,
    /// But not beyond this.
    pub most: u32,
}

/// How often a frame is sent before its packet is given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retries {
    limits: [u32; 2],
    growth: Option<Growth>,
}

impl Retries {
    /// The limit for a long frame or a short one, behind so many packets given up in a row.
    pub fn limit(&self, long: bool, drops: u32) -> u32 {
        let limit = self.limits[usize::from(long)];
        match self.growth {
            Some(Growth { step, most }) => limit.saturating_add(step.saturating_mul(drops)).min(most.max(limit)),
            None => limit,
        }
    }
}

/// How long preambles are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preamble {
    /// As every station understands it.
    #[default]
    Long,
    /// Half of that, above the lowest rate.
    Short,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// How often a short frame is sent at most (dot11ShortRetryLimit) [802.11-2007 annex D].
const SHORT_RETRY_LIMIT: u32 = 7;
/// The same for a long one (dot11LongRetryLimit).
const LONG_RETRY_LIMIT: u32 = 4;
/// Two stations 300 m apart hear each other after this time.
const DELAY: Span = Span::from_nanos(1000);
/// More attempts than anybody makes.
const MOST_ATTEMPTS: u32 = 10_000;
/// The longest frame there is [802.11-2007 annex D, dot11RTSThreshold].
const LONGEST_FRAME: u64 = 2347;
/// The longest aggregate [802.11-2012 s8.4.2.58.3].
const LONGEST_AGGREGATE: u64 = 65_535;
/// The shortest fragment [802.11-2007 annex D, dot11FragmentationThreshold].
const SHORTEST_FRAGMENT: u64 = 256;
/// Longer than any slot or space between frames.
const LONGEST_SLOT: Span = Span::from_millis(10);

impl Config {
    /// Which rate frames are sent at.
    pub fn rate_control(&self) -> RateControlConfig {
        self.rate_control.as_ref().map_or_else(RateControlConfig::default, |named| named.0.clone())
    }

    /// The rate of data unless a link has one of its own.
    pub fn data_rate(&self) -> Rate {
        self.rate.unwrap_or_else(|| self.fastest().rate)
    }

    fn fastest(&self) -> &'static Mode {
        let modes = self.standard.modes();
        &modes[modes.len() - 1]
    }

    /// The time a frame takes to every station.
    pub fn delay(&self) -> Span {
        self.delay.unwrap_or(DELAY)
    }

    /// How often frames are sent at most.
    pub fn retries(&self) -> Retries {
        let short = self.short_retry_limit.unwrap_or(SHORT_RETRY_LIMIT);
        let long = self.long_retry_limit.unwrap_or(LONG_RETRY_LIMIT);
        Retries { limits: [short, long], growth: self.retry_growth }
    }

    /// What is wrong with a rate that stands at `key`, if anything.
    pub fn rate_fault(&self, key: &'static str, rate: Rate) -> Option<Fault> {
        rate_fault(self.standard.modes(), key, rate)
    }

    /// What is wrong with the settings.
    pub fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        faults.extend(self.rate.and_then(|rate| self.rate_fault("rate", rate)));
        let basic = self.basic_rates.iter();
        faults.extend(basic.filter_map(|rate| rate_fault(self.standard.control_modes(), "basic_rates", *rate)));
        faults.extend(self.aggregation.iter().flat_map(|aggregation| aggregation.check(self)));
        let timings = self.standard.timings();
        if self.preamble == Preamble::Short && timings.short_preamble.is_none() {
            faults.push(Fault::new("preamble", "\"short\"", "\"long\": the standard has no other"));
        }
        for (key, span) in [("slot", self.slot), ("sifs", self.sifs)] {
            if let Some(span) = span.filter(|span| *span == Span::ZERO || *span > LONGEST_SLOT) {
                faults.push(Fault::new(key, span, "more than nothing and at most 10 ms"));
            }
        }
        let [slot, sifs] = [self.slot.unwrap_or(timings.slot), self.sifs.unwrap_or(timings.sifs)];
        // Beside nothing every delay is too long, which is not news.
        if slot.min(sifs) > Span::ZERO && self.delay() >= slot.min(sifs) {
            let expected = "less than a slot and a SIFS: who is farther away is not heard in time";
            faults.push(Fault::new("delay", self.delay(), expected));
        }
        for (key, window) in [("cw_min", self.cw_min), ("cw_max", self.cw_max)] {
            let fits = |window: u32| window < 1 << 16 && (window + 1).is_power_of_two();
            if let Some(window) = window.filter(|window| !fits(*window)) {
                let nearest = ((window.saturating_add(1)).min(1 << 16).next_power_of_two() - 1).min((1 << 16) - 1);
                let fault = Fault::new(key, window, "one less than a power of two, 0 to 65535");
                faults.push(fault.hint(format!("write {nearest}")));
            }
        }
        let windows = [self.cw_min.unwrap_or(timings.cw_min), self.cw_max.unwrap_or(timings.cw_max)];
        if windows[0] > windows[1] {
            faults.push(Fault::new("cw_min", windows[0], format!("at most cw_max, {}", windows[1])));
        }
        for (key, limit) in [("short_retry_limit", self.short_retry_limit), ("long_retry_limit", self.long_retry_limit)]
        {
            faults.extend(limit.and_then(|limit| Fault::unless_some(key, limit, MOST_ATTEMPTS)));
        }
        if let Some(Growth { step, most }) = self.retry_growth {
            let [short, long] = self.retries().limits;
            if step == 0 {
                faults.push(Fault::new("retry_growth.step", step, "at least 1"));
            }
            if !(short.max(long)..=MOST_ATTEMPTS).contains(&most) {
                let expected = format!("{} (the larger limit) to {MOST_ATTEMPTS}", short.max(long));
                faults.push(Fault::new("retry_growth.most", most, expected));
            }
        }
        let longest = if self.aggregation.is_some() { LONGEST_AGGREGATE } else { LONGEST_FRAME };
        if let Some(size) = self.rts_threshold.filter(|size| size.0 > longest) {
            faults.push(Fault::new("rts_threshold", size, format!("at most {longest} B, the longest frame")));
        }
        let fits = SHORTEST_FRAGMENT..=LONGEST_FRAME;
        if let Some(size) = self.fragmentation_threshold.filter(|size| !fits.contains(&size.0)) {
            let expected = format!("{SHORTEST_FRAGMENT} to {LONGEST_FRAME} B");
            faults.push(Fault::new("fragmentation_threshold", size, expected));
        }
        if let Some(wait) = self.answer_timeout
            && (wait <= sifs + self.delay() + self.delay() || wait > LONGEST_SLOT)
        {
            faults.push(Fault::new("answer_timeout", wait, "more than a SIFS and the way back, at most 10 ms"));
        }
        let difs = sifs + slot.times(2);
        if let Some(silence) = self.eifs.filter(|silence| *silence < difs || *silence > LONGEST_SLOT) {
            faults.push(Fault::new("eifs", silence, "at least a DIFS, at most 10 ms"));
        }
        faults.extend(self.reach_faults());
        faults
    }
}

/// What is wrong with a rate that stands at `key`, if it is none of `modes`.
fn rate_fault(modes: &[Mode], key: &'static str, rate: Rate) -> Option<Fault> {
    let known: Vec<String> = modes.iter().map(|mode| mode.rate.to_string()).collect();
    let fault = || Fault::new(key, rate, format!("a rate of the standard: {}", known.join(", ")));
    (!modes.iter().any(|mode| mode.rate == rate)).then(fault)
}
