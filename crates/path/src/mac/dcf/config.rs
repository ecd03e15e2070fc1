//! The settings of a cell.

use engine::{Bytes, Decibels, Length, Named, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::standard::{Mode, Modulation, Standard};
use crate::mac::dcf::rate::RateControlConfig;

/// Which frames reach as far as the range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RangeOf {
    /// All of them.
    #[default]
    EveryRate,
    /// Those at the standard's lowest rate; faster ones need a stronger signal, which is nearer.
    LowestRate,
}

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
    /// Whether `rate` may be none of the standard's. Its frames are then timed as the standard's are, with their bits
    /// at that rate, and answers keep to the basic rates. Only where frames are bits at a rate, not symbols.
    #[serde(skip_serializing_if = "is_default")]
    pub any_rate: bool,
    /// The rates that every station can receive: answers are sent at the highest of them that is not above the rate of
    /// what they answer. The standard's if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basic_rates: Option<Vec<Rate>>,
    /// The length of preambles, where the standard has two.
    #[serde(skip_serializing_if = "is_default")]
    pub preamble: Preamble,
    /// Frames longer than this, header and checksum included, ask for the air first; none does if not given.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "engine::or_none::deserialize")]
    #[schemars(schema_with = "engine::or_none::schema::<Bytes>")]
    pub rts_threshold: Option<Bytes>,
    /// Frames longer than this, header and checksum included, are sent in fragments of this length; none is if not
    /// given.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "engine::or_none::deserialize")]
    #[schemars(schema_with = "engine::or_none::schema::<Bytes>")]
    pub fragmentation_threshold: Option<Bytes>,
    /// How often a frame up to the RTS threshold is sent, or a request, before its packet is given up; 7 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_retry_limit: Option<u32>,
    /// The same for longer frames; 4 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_retry_limit: Option<u32>,
    /// The increase of both limits with each packet to a station that is given up in a row, until one is acknowledged
    /// (approach A of disconnections2012).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "engine::or_none::deserialize")]
    #[schemars(schema_with = "engine::or_none::schema::<Growth>")]
    pub retry_growth: Option<Growth>,
    /// Which rate frames are sent at, up to that of the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_control: Option<Named<RateControlConfig>>,
    /// Packets to one station go together in one frame; each goes in one of its own if not given.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "engine::or_none::deserialize")]
    #[schemars(schema_with = "engine::or_none::schema::<Aggregation>")]
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
    /// The distance up to which frames can be decoded; without it all stations hear each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Length>,
    /// Which frames reach as far as the range.
    #[serde(skip_serializing_if = "is_default")]
    pub range_of: RangeOf,
    /// How far frames are sensed; 2.2 times the range if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carrier_sense_range: Option<Length>,
    /// A frame survives those that begin while it is received if it is stronger than each by this; none does if not
    /// given.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "engine::or_none::deserialize")]
    #[schemars(schema_with = "engine::or_none::schema::<Decibels>")]
    pub capture: Option<Decibels>,
    /// The power of distance with which signals fall; 4 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_loss: Option<f64>,
    /// How often base stations and routers send a beacon; never if not given.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "engine::or_none::deserialize")]
    #[schemars(schema_with = "engine::or_none::schema::<Span>")]
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
    /// The limits of the standard: the window of a block acknowledgment, the longest aggregate, the longest frame
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
    /// The limit for a long or a short frame after `drops` packets in a row were given up.
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
impl Config {
    /// Which rate frames are sent at.
    pub fn rate_control(&self) -> RateControlConfig {
        self.rate_control.as_ref().map_or_else(RateControlConfig::default, |named| named.0.clone())
    }

    /// The rate of data unless a link has one of its own.
    pub fn data_rate(&self) -> Rate {
        self.rate.unwrap_or_else(|| self.fastest().rate)
    }

    /// The rates of data, slowest first: the standard's, and with `any_rate` that of the cell.
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

    /// Whether data may go at this rate although the standard does not have it.
    pub(super) fn allows(&self, rate: Rate) -> bool {
        self.any_rate && self.rate == Some(rate) && self.standard.is_serial()
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
}
