//! Settings of a cell.

use engine::or_none::NONE;
use engine::{Bytes, Decibels, Length, Named, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::standard::{Mode, Modulation, Standard};
use crate::mac::dcf::rate::RateControlConfig;

/// Frames to which the range applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RangeOf {
    /// Frames of all rates.
    #[default]
    EveryRate,
    /// Frames at the standard's lowest rate; faster frames need a stronger signal and have a shorter range.
    LowestRate,
}

/// A shared medium: the radio channel of a set of stations.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, default)]
#[schemars(transform = engine::bare_name::accept_name::<Config>)]
pub struct Config {
    /// IEEE 802.11 standard of the stations.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = Standard::default()))]
    pub standard: Standard,
    /// Data rate of links without `rate`. Default: the highest rate of the standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// True if `rate` may differ from the rates of the standard. Data bits are then sent at that rate, with the
    /// standard's preambles and headers, and response frames use the basic rates. Only for standards with serial
    /// modulation, not with symbols.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = bool::default()))]
    pub any_rate: bool,
    /// Rates that every station can receive: a response frame is sent at the highest basic rate that does not exceed
    /// the rate of the received frame. Default: the basic rates of the standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basic_rates: Option<Vec<Rate>>,
    /// Length of preambles, for standards with two lengths.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = Preamble::default()))]
    pub preamble: Preamble,
    /// Frames longer than this, with header and checksum, are preceded by RTS and CTS; unset for no RTS.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "engine::or_none::deserialize")]
    #[schemars(schema_with = "engine::or_none::schema::<Bytes>")]
    #[schemars(extend("default" = NONE))]
    pub rts_threshold: Option<Bytes>,
    /// Packets whose frames would be longer than this, with header and checksum, are sent in fragments of this size;
    /// unset for no fragmentation.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "engine::or_none::deserialize")]
    #[schemars(schema_with = "engine::or_none::schema::<Bytes>")]
    #[schemars(extend("default" = NONE))]
    pub fragmentation_threshold: Option<Bytes>,
    /// Maximum number of attempts at a frame up to the RTS threshold, or at an RTS, before its packet is given up;
    /// default 7.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = SHORT_RETRY_LIMIT))]
    pub short_retry_limit: Option<u32>,
    /// Maximum number of attempts at a longer frame before its packet is given up; default 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = LONG_RETRY_LIMIT))]
    pub long_retry_limit: Option<u32>,
    /// Increase of both limits with each consecutive packet to a station that is given up, until one is acknowledged
    /// (approach A of disconnections2012).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "engine::or_none::deserialize")]
    #[schemars(schema_with = "engine::or_none::schema::<Growth>")]
    #[schemars(extend("default" = NONE))]
    pub retry_growth: Option<Growth>,
    /// Rate control, for rates up to the rate of the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = Named(RateControlConfig::default())))]
    pub rate_control: Option<Named<RateControlConfig>>,
    /// Aggregation of packets to one station in a frame; unset for one packet per frame.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "engine::or_none::deserialize")]
    #[schemars(schema_with = "engine::or_none::schema::<Aggregation>")]
    #[schemars(extend("default" = NONE))]
    pub aggregation: Option<Aggregation>,
    /// Slot time. Default: the value of the standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<Span>,
    /// SIFS, the time between a frame and its response; default: the SIFS of the standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sifs: Option<Span>,
    /// Initial contention window in slots, one less than a power of two. Default: the value of the standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw_min: Option<u32>,
    /// Maximum contention window in slots, one less than a power of two. Default: the value of the standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw_max: Option<u32>,
    /// Time after the end of a frame within which the response must begin. Default: the time of the standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_timeout: Option<Span>,
    /// EIFS, the idle time after a frame that could not be decoded. Default: the value of the standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eifs: Option<Span>,
    /// Propagation delay between all stations; default 1 us.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = DELAY))]
    pub delay: Option<Span>,
    /// Distance up to which frames can be decoded; unset if all stations receive each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Length>,
    /// Frames to which the range applies.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = RangeOf::default()))]
    pub range_of: RangeOf,
    /// Carrier-sense range; default 2.2 times the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carrier_sense_range: Option<Length>,
    /// Power ratio by which a frame must exceed each later overlapping frame to be received; unset for no capture.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "engine::or_none::deserialize")]
    #[schemars(schema_with = "engine::or_none::schema::<Decibels>")]
    #[schemars(extend("default" = NONE))]
    pub capture: Option<Decibels>,
    /// Path loss exponent of the received power; default 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = PATH_LOSS))]
    pub path_loss: Option<f64>,
    /// Interval of the beacons of base stations and routers; unset for no beacons.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "engine::or_none::deserialize")]
    #[schemars(schema_with = "engine::or_none::schema::<Span>")]
    #[schemars(extend("default" = NONE))]
    pub beacon_interval: Option<Span>,
}

engine::bare_name! { Config, "standard" }

/// Limits of an aggregate. An empty table, `aggregation = {}`, sets the limits of the standard.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Aggregation {
    /// Maximum number of packets.
    pub frames: u32,
    /// Maximum size in bytes, including all headers.
    pub bytes: Bytes,
    /// Maximum duration of the transmission.
    pub duration: Span,
}

impl Default for Aggregation {
    /// Returns the limits of the standard: the window of a block acknowledgment, the maximum aggregate, the maximum
    /// duration of a frame [802.11-2012 s8.3.1.9.3, s8.4.2.58.3, s20.4.4].
    fn default() -> Self {
        Aggregation { frames: 64, bytes: Bytes(65_535), duration: Span::from_millis(10) }
    }
}

/// Limits of an aggregate in the units of the medium.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AggregateLimits {
    /// Maximum number of packets.
    pub frames: u32,
    /// Maximum size in bytes.
    pub bytes: u32,
    /// Maximum duration of the transmission.
    pub duration: Span,
}

impl Aggregation {
    /// Returns the limits in the units of the medium.
    pub fn limits(self) -> AggregateLimits {
        let bytes = u32::try_from(self.bytes.0).unwrap_or(u32::MAX);
        AggregateLimits { frames: self.frames, bytes, duration: self.duration }
    }
}

/// Growth of the retry limits with consecutive packets that are given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Growth {
    /// Increase per packet.
    pub step: u32,
    /// Maximum of the limits.
    pub max: u32,
}

/// Retry limits of short and long frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retries {
    limits: [u32; 2],
    growth: Option<Growth>,
}

impl Retries {
    /// Returns the maximum number of attempts at a long or a short frame after `drops` consecutive packets were given
    /// up.
    pub fn limit(&self, long: bool, drops: u32) -> u32 {
        let limit = self.limits[usize::from(long)];
        match self.growth {
            Some(Growth { step, max }) => limit.saturating_add(step.saturating_mul(drops)).min(max.max(limit)),
            None => limit,
        }
    }
}

/// Length of preambles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preamble {
    /// The long preamble, which every station can receive.
    #[default]
    Long,
    /// The short preamble, half as long, for all rates but the lowest.
    Short,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Default maximum number of attempts at a short frame (dot11ShortRetryLimit) [802.11-2007 annex D].
const SHORT_RETRY_LIMIT: u32 = 7;
/// Default maximum number of attempts at a long frame (dot11LongRetryLimit).
const LONG_RETRY_LIMIT: u32 = 4;
/// Default path loss exponent: the two-ray ground model, ns-2's default, beyond its crossover distance.
pub(super) const PATH_LOSS: f64 = 4.0;
/// Default propagation delay: 300 m.
const DELAY: Span = Span::from_nanos(1000);
impl Config {
    /// Returns the rate control.
    pub fn rate_control(&self) -> RateControlConfig {
        self.rate_control.as_ref().map_or_else(RateControlConfig::default, |named| named.0.clone())
    }

    /// Returns the data rate of links without an individual rate.
    pub fn data_rate(&self) -> Rate {
        self.rate.unwrap_or_else(|| self.fastest().rate)
    }

    /// Returns the data rates in ascending order: the rates of the standard, and with `any_rate` the additional rate of
    /// the cell.
    pub fn modes(&self) -> Vec<Mode> {
        let mut modes = self.standard.modes().to_vec();
        if let Some(rate) = self.rate.filter(|rate| self.allows(*rate)) {
            let place = modes.partition_point(|mode| mode.rate.bits_per_sec() < rate.bits_per_sec());
            if modes.get(place).is_none_or(|mode| mode.rate != rate) {
                modes.insert(place, Mode { rate, modulation: Modulation::Serial, basic: false });
            }
        }
        modes
    }

    /// Returns true if `any_rate` permits this data rate, even if it is not a rate of the standard.
    pub(super) fn allows(&self, rate: Rate) -> bool {
        self.any_rate && self.rate == Some(rate) && self.standard.is_serial()
    }

    fn fastest(&self) -> &'static Mode {
        let modes = self.standard.modes();
        &modes[modes.len() - 1]
    }

    /// Returns the propagation delay between stations.
    pub fn delay(&self) -> Span {
        self.delay.unwrap_or(DELAY)
    }

    /// Returns the retry limits.
    pub fn retries(&self) -> Retries {
        let short = self.short_retry_limit.unwrap_or(SHORT_RETRY_LIMIT);
        let long = self.long_retry_limit.unwrap_or(LONG_RETRY_LIMIT);
        Retries { limits: [short, long], growth: self.retry_growth }
    }
}
