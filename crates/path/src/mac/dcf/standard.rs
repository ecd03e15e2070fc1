//! Constants of the editions of IEEE 802.11: rates, slots, interframe spaces, and parameters of frame durations.

use std::fmt;

/// Index of a rate in the list of rates of the standard, in ascending order.
pub type RateIndex = usize;

use engine::{Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A physical layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub enum Standard {
    /// Frequency hopping, 1 and 2 Mbps [802.11-1999 s14].
    #[serde(rename = "802.11-fhss")]
    Fhss,
    /// Direct sequence, 1 and 2 Mbps [802.11-1999 s15].
    #[serde(rename = "802.11")]
    Dsss,
    /// Direct sequence up to 11 Mbps [802.11-2007 s18].
    #[default]
    #[serde(rename = "802.11b")]
    B,
    /// OFDM at 5 GHz, 6 to 54 Mbps [802.11-2007 s17].
    #[serde(rename = "802.11a")]
    A,
    /// OFDM at 2.4 GHz, with stations of this standard only [802.11-2007 s19].
    #[serde(rename = "802.11g")]
    G,
    /// High throughput at 5 GHz: 20 MHz, one stream, the long guard interval, MCS 0 to 7, 6.5 to 65 Mbps, with stations
    /// of this standard only, but with preambles that other stations can decode (HT-mixed) [802.11-2012 s20].
    #[serde(rename = "802.11n")]
    N,
}

/// Encoding of a frame at a rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Modulation {
    /// A preamble and header, then bits at the rate, rounded up to microseconds [802.11-2007 s18.3.4].
    Serial,
    /// OFDM: a preamble and header, then symbols of 4 us with `bits` each. 16 bits precede the data and 6 bits follow
    /// it [802.11-2007 s17.4.3].
    Ofdm {
        /// Number of data bits per symbol.
        bits_per_symbol: u32,
    },
    /// OFDM symbols after a longer preamble [802.11-2012 s20.3.9, s20.4.3].
    HighThroughput {
        /// Number of data bits per symbol.
        bits_per_symbol: u32,
    },
}

/// A rate of a standard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode {
    /// Rate of the bits after the preamble.
    pub rate: Rate,
    /// Encoding of the frame.
    pub modulation: Modulation,
    /// True if every station must be able to receive the rate, unless the cell sets its basic rates.
    pub basic: bool,
}

/// Times of a standard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timings {
    /// Slot time of the back-off.
    pub slot: Span,
    /// SIFS, the time between a frame and its response.
    pub sifs: Span,
    /// Initial contention window: back-offs are 0 to this many slots.
    pub cw_min: u32,
    /// Maximum contention window, in slots.
    pub cw_max: u32,
    /// Duration of the preamble and header of a frame.
    pub preamble: Span,
    /// Duration of the short preamble and header, for all rates but the lowest; `None` if there is none.
    pub short_preamble: Option<Span>,
    /// Signal extension: idle time after a frame that counts as part of it.
    pub extension: Span,
    /// Time after the start of the signal at which a receiver detects the start of a frame (aPHY-RX-START-Delay).
    pub rx_start_delay: Span,
}

const fn span_from_micros(micros: u64) -> Span {
    Span::from_nanos(1000 * micros)
}

/// Returns the rate from a number of units of 100 kbps.
const fn rate_from_tenths(tenths: u64) -> Rate {
    match Rate::from_bits_per_sec(tenths * 100_000) {
        Some(rate) => rate,
        None => panic!("no rate is zero"),
    }
}

const fn serial_mode(tenths: u64, basic: bool) -> Mode {
    Mode { rate: rate_from_tenths(tenths), modulation: Modulation::Serial, basic }
}

/// Returns an OFDM mode: a symbol of 4 us carries four bits per Mbps.
const fn ofdm_mode(megabits: u64, basic: bool) -> Mode {
    let bits_per_symbol = 4 * megabits as u32;
    Mode { rate: rate_from_tenths(10 * megabits), modulation: Modulation::Ofdm { bits_per_symbol }, basic }
}

const SLOW: [Mode; 2] = [serial_mode(10, true), serial_mode(20, true)];
const CCK: [Mode; 4] = [serial_mode(10, true), serial_mode(20, true), serial_mode(55, false), serial_mode(110, false)];
/// 6, 12 and 24 Mbps are mandatory [802.11-2007 s17.3.2.2].
const OFDM: [Mode; 8] = [
    ofdm_mode(6, true),
    ofdm_mode(9, false),
    ofdm_mode(12, true),
    ofdm_mode(18, false),
    ofdm_mode(24, true),
    ofdm_mode(36, false),
    ofdm_mode(48, false),
    ofdm_mode(54, false),
];

/// Returns a high-throughput mode with a rate in units of 100 kbps: a symbol of 4 us carries four bits per Mbps.
const fn high_throughput_mode(tenths: u64) -> Mode {
    let bits_per_symbol = (4 * tenths / 10) as u32;
    Mode { rate: rate_from_tenths(tenths), modulation: Modulation::HighThroughput { bits_per_symbol }, basic: false }
}

/// MCS 0 to 7 [802.11-2012 s20.6].
const HT: [Mode; 8] = [
    high_throughput_mode(65),
    high_throughput_mode(130),
    high_throughput_mode(195),
    high_throughput_mode(260),
    high_throughput_mode(390),
    high_throughput_mode(520),
    high_throughput_mode(585),
    high_throughput_mode(650),
];
/// For each MCS, the index of the OFDM rate with the same modulation and coding, from which the rate of the response is
/// derived; coding rate 5/6, which OFDM does not have, uses the index of 3/4 [802.11-2012 s9.7].
const HT_REFERENCE: [usize; 8] = [0, 2, 3, 4, 5, 6, 7, 7];

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Standard {
    /// All standards.
    pub const ALL: [Standard; 6] = [Standard::Fhss, Standard::Dsss, Standard::B, Standard::A, Standard::G, Standard::N];

    /// Returns the name in scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Standard::Fhss => "802.11-fhss",
            Standard::Dsss => "802.11",
            Standard::B => "802.11b",
            Standard::A => "802.11a",
            Standard::G => "802.11g",
            Standard::N => "802.11n",
        }
    }

    /// Returns true if all rates have serial modulation, without symbols.
    pub fn is_serial(self) -> bool {
        self.modes().iter().all(|mode| mode.modulation == Modulation::Serial)
    }

    /// Returns true if stations can aggregate packets [802.11-2012 s8.6.1].
    pub const fn aggregates(self) -> bool {
        matches!(self, Standard::N)
    }

    /// Returns the rates of control frames, in ascending order.
    pub const fn control_modes(self) -> &'static [Mode] {
        match self {
            Standard::N => &OFDM,
            _ => self.modes(),
        }
    }

    /// Returns the index among [`control_modes`](Self::control_modes) of the rate from which the response rate to a
    /// data frame at `rate` is derived.
    pub const fn reference(self, rate: usize) -> usize {
        match self {
            Standard::N => HT_REFERENCE[rate],
            _ => rate,
        }
    }

    /// Returns the data rates, in ascending order.
    pub const fn modes(self) -> &'static [Mode] {
        match self {
            Standard::Fhss | Standard::Dsss => &SLOW,
            Standard::B => &CCK,
            Standard::A | Standard::G => &OFDM,
            Standard::N => &HT,
        }
    }

    /// Returns the times of the standard.
    pub const fn timings(self) -> Timings {
        match self {
            // [802.11-1999 s14.9]: 96 bits of preamble and 32 of header at 1 Mbps. The bit stuffing of the standard is
            // omitted.
            Standard::Fhss => Timings {
                slot: span_from_micros(50),
                sifs: span_from_micros(28),
                cw_min: 15,
                cw_max: 1023,
                preamble: span_from_micros(128),
                short_preamble: None,
                extension: span_from_micros(0),
                rx_start_delay: span_from_micros(128),
            },
            // [802.11-1999 s15.3.3]: 144 bits of preamble and 48 of header at 1 Mbps.
            Standard::Dsss => Timings {
                slot: span_from_micros(20),
                sifs: span_from_micros(10),
                cw_min: 31,
                cw_max: 1023,
                preamble: span_from_micros(192),
                short_preamble: None,
                extension: span_from_micros(0),
                rx_start_delay: span_from_micros(192),
            },
            // [802.11-2007 s18.3.3]; short: 72 bits at 1 Mbps and 48 at 2 Mbps [s18.2.2.2].
            Standard::B => Timings {
                slot: span_from_micros(20),
                sifs: span_from_micros(10),
                cw_min: 31,
                cw_max: 1023,
                preamble: span_from_micros(192),
                short_preamble: Some(span_from_micros(96)),
                extension: span_from_micros(0),
                rx_start_delay: span_from_micros(192),
            },
            // [802.11-2007 s17.4.4]: 16 us of preamble and one symbol of header.
            Standard::A => Timings {
                slot: span_from_micros(9),
                sifs: span_from_micros(16),
                cw_min: 15,
                cw_max: 1023,
                preamble: span_from_micros(20),
                short_preamble: None,
                extension: span_from_micros(0),
                rx_start_delay: span_from_micros(25),
            },
            // [802.11-2012 s20.4.4], at 5 GHz. The preamble applies to response frames, which are sent as in 802.11a.
            Standard::N => Timings {
                slot: span_from_micros(9),
                sifs: span_from_micros(16),
                cw_min: 15,
                cw_max: 1023,
                preamble: span_from_micros(20),
                short_preamble: None,
                extension: span_from_micros(0),
                rx_start_delay: span_from_micros(33),
            },
            // [802.11-2007 s19.8.4]: short slots, because no station is of an older standard.
            Standard::G => Timings {
                slot: span_from_micros(9),
                sifs: span_from_micros(10),
                cw_min: 15,
                cw_max: 1023,
                preamble: span_from_micros(20),
                short_preamble: None,
                extension: span_from_micros(6),
                rx_start_delay: span_from_micros(24),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::sensitivity::minimum_input;

    #[test]
    fn minimum_levels_exist_for_all_rates_and_do_not_fall_with_rate() {
        for standard in Standard::ALL {
            let minima: Vec<f64> =
                standard.modes().iter().map(|mode| minimum_input(mode.rate).expect("a minimum")).collect();
            assert!(minima.is_sorted_by(|slow, fast| slow <= fast), "{standard:?}: {minima:?}");
        }
    }
}
