//! The constants of each edition of IEEE 802.11: rates, slots, spaces between frames, and how long a frame takes.

use std::fmt;

/// A rate's place among those of the standard, slowest first.
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
    /// The same at 2.4 GHz, among stations that all can [802.11-2007 s19].
    #[serde(rename = "802.11g")]
    G,
    /// High throughput at 5 GHz: 20 MHz, one stream, the long guard interval, MCS 0 to 7, 6.5 to 65 Mbps, among
    /// stations that all can, though with preambles that others understand (HT-mixed) [802.11-2012 s20].
    #[serde(rename = "802.11n")]
    N,
}

/// How a frame of a rate is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Modulation {
    /// A preamble and header, then bits at the rate, whole microseconds [802.11-2007 s18.3.4].
    Serial,
    /// A preamble and header, then symbols of 4 us that hold `bits` each; 16 bits precede the data and 6 follow it
    /// [802.11-2007 s17.4.3].
    Ofdm {
        /// Data bits of a symbol.
        bits_per_symbol: u32,
    },
    /// The same behind a longer preamble [802.11-2012 s20.3.9, s20.4.3].
    HighThroughput {
        /// Data bits of a symbol.
        bits_per_symbol: u32,
    },
}

/// A rate of a standard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode {
    /// Bits of the frame each second, once it has begun.
    pub rate: Rate,
    /// How they are sent.
    pub modulation: Modulation,
    /// Whether every station must be able to receive it, if a cell does not say otherwise.
    pub basic: bool,
}

/// Times of a standard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timings {
    /// A slot of the back-off.
    pub slot: Span,
    /// Between a frame and its answer.
    pub sifs: Span,
    /// The first contention window: back-offs are 0 to this many slots.
    pub cw_min: u32,
    /// The last.
    pub cw_max: u32,
    /// Preamble and header in front of a frame.
    pub preamble: Span,
    /// The same with the short preamble, for rates above the lowest; where there is one.
    pub short_preamble: Option<Span>,
    /// Silence that belongs to a frame, behind it.
    pub extension: Span,
    /// How long after the end of a frame's first energy a station knows that a frame has begun (aPHY-RX-START-Delay).
    pub rx_start_delay: Span,
}

const fn us(micros: u64) -> Span {
    Span::from_nanos(1000 * micros)
}

/// The rate from a number of units of 100 kbps.
const fn mbps(tenths: u64) -> Rate {
    match Rate::from_bits_per_sec(tenths * 100_000) {
        Some(rate) => rate,
        None => panic!("no rate is zero"),
    }
}

const fn serial(tenths: u64, basic: bool) -> Mode {
    Mode { rate: mbps(tenths), modulation: Modulation::Serial, basic }
}

/// A symbol of 4 us carries four bits for each Mbps.
const fn ofdm(megabits: u64, basic: bool) -> Mode {
    let bits_per_symbol = 4 * megabits as u32;
    Mode { rate: mbps(10 * megabits), modulation: Modulation::Ofdm { bits_per_symbol }, basic }
}

const SLOW: [Mode; 2] = [serial(10, true), serial(20, true)];
const CCK: [Mode; 4] = [serial(10, true), serial(20, true), serial(55, false), serial(110, false)];
/// 6, 12 and 24 Mbps are mandatory [802.11-2007 s17.3.2.2].
const OFDM: [Mode; 8] = [
    ofdm(6, true),
    ofdm(9, false),
    ofdm(12, true),
    ofdm(18, false),
    ofdm(24, true),
    ofdm(36, false),
    ofdm(48, false),
    ofdm(54, false),
];

/// A symbol of 4 us carries four bits for each Mbps; the rate in units of 100 kbps.
const fn high_throughput(tenths: u64) -> Mode {
    let bits_per_symbol = (4 * tenths / 10) as u32;
    Mode { rate: mbps(tenths), modulation: Modulation::HighThroughput { bits_per_symbol }, basic: false }
}

/// MCS 0 to 7 [802.11-2012 s20.6].
const HT: [Mode; 8] = [
    high_throughput(65),
    high_throughput(130),
    high_throughput(195),
    high_throughput(260),
    high_throughput(390),
    high_throughput(520),
    high_throughput(585),
    high_throughput(650),
];
/// For each of them the OFDM rate of the same modulation and coding, by which the rate of the answer is found; for 5/6,
/// which OFDM does not have, that of 3/4 [802.11-2012 s9.7].
const HT_REFERENCE: [usize; 8] = [0, 2, 3, 4, 5, 6, 7, 7];

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Standard {
    /// Every standard.
    pub const ALL: [Standard; 6] = [Standard::Fhss, Standard::Dsss, Standard::B, Standard::A, Standard::G, Standard::N];

    /// Its name in scenarios.
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

    /// Whether its frames are bits at a rate, not symbols.
    pub fn is_serial(self) -> bool {
        self.modes().iter().all(|mode| mode.modulation == Modulation::Serial)
    }

    /// The rates of frames that are not data, slowest first.
    pub const fn control_modes(self) -> &'static [Mode] {
        match self {
            Standard::N => &OFDM,
            _ => self.modes(),
        }
    }

    /// The place among [`control_modes`](Self::control_modes) of the rate that stands for that of a data frame when the
    /// rate of its answer is sought.
    pub const fn reference(self, rate: usize) -> usize {
        match self {
            Standard::N => HT_REFERENCE[rate],
            _ => rate,
        }
    }

    /// Its rates of data, slowest first.
    pub const fn modes(self) -> &'static [Mode] {
        match self {
            Standard::Fhss | Standard::Dsss => &SLOW,
            Standard::B => &CCK,
            Standard::A | Standard::G => &OFDM,
            Standard::N => &HT,
        }
    }

    /// Its times.
    pub const fn timings(self) -> Timings {
        match self {
            // [802.11-1999 s14.9]: 96 bits of preamble and 32 of header at 1 Mbps. Its bit stuffing is left out.
            Standard::Fhss => Timings {
                slot: us(50),
                sifs: us(28),
                cw_min: 15,
                cw_max: 1023,
                preamble: us(128),
                short_preamble: None,
                extension: us(0),
                rx_start_delay: us(128),
            },
            // [802.11-1999 s15.3.3]: 144 bits of preamble and 48 of header at 1 Mbps.
            Standard::Dsss => Timings {
                slot: us(20),
                sifs: us(10),
                cw_min: 31,
                cw_max: 1023,
                preamble: us(192),
                short_preamble: None,
                extension: us(0),
                rx_start_delay: us(192),
            },
            // [802.11-2007 s18.3.3]; short: 72 bits at 1 Mbps and 48 at 2 Mbps [s18.2.2.2].
            Standard::B => Timings {
                slot: us(20),
                sifs: us(10),
                cw_min: 31,
                cw_max: 1023,
                preamble: us(192),
                short_preamble: Some(us(96)),
                extension: us(0),
                rx_start_delay: us(192),
            },
            // [802.11-2007 s17.4.4]: 16 us of preamble and one symbol of header.
            Standard::A => Timings {
                slot: us(9),
                sifs: us(16),
                cw_min: 15,
                cw_max: 1023,
                preamble: us(20),
                short_preamble: None,
                extension: us(0),
                rx_start_delay: us(25),
            },
            // [802.11-2012 s20.4.4], at 5 GHz. The preamble is that of answers, which are sent as 802.11a's.
            Standard::N => Timings {
                slot: us(9),
                sifs: us(16),
                cw_min: 15,
                cw_max: 1023,
                preamble: us(20),
                short_preamble: None,
                extension: us(0),
                rx_start_delay: us(33),
            },
            // [802.11-2007 s19.8.4]: short slots, because no station is of an older standard.
            Standard::G => Timings {
                slot: us(9),
                sifs: us(10),
                cw_min: 15,
                cw_max: 1023,
                preamble: us(20),
                short_preamble: None,
                extension: us(6),
                rx_start_delay: us(24),
            },
        }
    }
}
