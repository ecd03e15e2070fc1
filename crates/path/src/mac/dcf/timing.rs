//! Times and rates of a cell, from the standard and the settings of the cell.

use engine::{Rate, Span};

use super::config::{Config, Preamble};
use super::frame::ACK_SIZE;
use super::standard::{Mode, Modulation, RateIndex, Timings};

/// A microsecond in ns, the granularity of frame durations.
const MICRO: u64 = 1000;
/// Duration of an OFDM symbol.
const SYMBOL: Span = Span::from_nanos(4000);
/// Duration of the HT-mixed preamble: the legacy training and signal fields of 8, 8 and 4 us, then the high-throughput
/// signal field of 8 and the training fields for gain and stream of 4 us each [802.11-2012 s20.3.9].
const HT_PREAMBLE: Span = Span::from_nanos(36_000);
/// Number of bits added to a frame in its symbols: service field before the frame, tail after it [802.11-2007 s17.3.2].
const SERVICE_AND_TAIL: u32 = 16 + 6;

/// Parameters of the physical layer of a cell.
#[derive(Clone, Debug)]
pub struct Phy {
    /// Slot time of the back-off.
    pub slot: Span,
    /// SIFS, the time between a frame and its response.
    pub sifs: Span,
    /// DIFS, the idle time before back-off counters are decremented: SIFS and two slots [802.11-2007 s9.2.10].
    pub difs: Span,
    /// EIFS, the idle time before back-off counters are decremented after a frame that could not be decoded: DIFS, plus
    /// SIFS and the acknowledgment that may follow the frame, at the lowest rate [802.11-2007 s9.2.10].
    pub eifs: Span,
    /// Time after the end of a frame within which the response must begin [802.11-2012 s9.3.2.8].
    pub answer_timeout: Span,
    /// Propagation delay between all stations.
    pub delay: Span,
    /// Initial contention window, in slots.
    pub cw_min: u32,
    /// Maximum contention window, in slots.
    pub cw_max: u32,
    timings: Timings,
    preamble: Preamble,
    /// The data rates, followed by the rates of control frames if they differ.
    modes: Vec<Mode>,
    /// Number of data rates in `modes`.
    data_modes: usize,
    /// For each rate, the index of the response rate.
    answers: Vec<RateIndex>,
}

impl Phy {
    /// Creates the physical layer of a cell.
    pub fn new(config: &Config) -> Self {
        let timings = config.standard.timings();
        let data = config.modes();
        let alike = config.standard.modes() == config.standard.control_modes();
        let control = if alike { data.clone() } else { config.standard.control_modes().to_vec() };
        let apart = if alike { 0 } else { data.len() };
        let others = if apart == 0 { 0..0 } else { 0..control.len() };
        let reference = |rate| config.standard.reference(rate);
        let basic = |mode: &Mode| match &config.basic_rates {
            Some(rates) => rates.contains(&mode.rate),
            None => mode.basic,
        };
        // [802.11-2007 s9.6]: the highest basic rate not above the frame's rate; the lowest rate if there is none.
        let answer = |rate: usize| apart + (0..=rate).rev().find(|rate| basic(&control[*rate])).unwrap_or(0);
        let answers = (0..data.len()).map(reference).chain(others.clone()).map(answer).collect();
        let [slot, sifs] = [config.slot.unwrap_or(timings.slot), config.sifs.unwrap_or(timings.sifs)];
        let difs = sifs + slot.times(2);
        let timeout = sifs + slot + timings.rx_start_delay;
        let mut phy = Phy {
            slot,
            sifs,
            difs,
            eifs: difs,
            answer_timeout: config.answer_timeout.unwrap_or(timeout),
            delay: config.delay(),
            cw_min: config.cw_min.unwrap_or(timings.cw_min),
            cw_max: config.cw_max.unwrap_or(timings.cw_max),
            timings,
            preamble: config.preamble,
            modes: data.iter().chain(&control[others]).copied().collect(),
            data_modes: data.len(),
            answers,
        };
        phy.eifs = config.eifs.unwrap_or_else(|| sifs + phy.duration(apart, ACK_SIZE) + difs);
        phy
    }

    /// Returns the duration of a frame of `size` bytes, including header and checksum.
    pub fn duration(&self, rate: RateIndex, size: u32) -> Span {
        let Mode { rate: bits, modulation, .. } = self.modes[rate];
        let body = match modulation {
            Modulation::Serial => {
                let micros = (u64::from(size) * 8 * 1_000_000).div_ceil(bits.bits_per_sec());
                Span::from_nanos(MICRO * micros)
            }
            Modulation::Ofdm { bits_per_symbol } | Modulation::HighThroughput { bits_per_symbol } => {
                SYMBOL.times(u64::from((SERVICE_AND_TAIL + 8 * size).div_ceil(bits_per_symbol)))
            }
        };
        self.preamble(rate) + body + self.timings.extension
    }

    /// Returns the duration of a frame's preamble and header.
    pub fn preamble(&self, rate: RateIndex) -> Span {
        match (self.modes[rate].modulation, self.preamble, self.timings.short_preamble) {
            (Modulation::HighThroughput { .. }, ..) => HT_PREAMBLE,
            // The lowest rate has no short preamble.
            (_, Preamble::Short, Some(short)) if rate > 0 => short,
            _ => self.timings.preamble,
        }
    }

    /// Returns the rate of the response to a frame.
    pub fn answer_rate(&self, rate: RateIndex) -> RateIndex {
        self.answers[rate]
    }

    /// Returns the index of a data rate, or of the highest data rate if the rate is unknown.
    pub fn index(&self, rate: Rate) -> RateIndex {
        let data = &self.modes[..self.data_modes];
        data.iter().position(|mode| mode.rate == rate).unwrap_or(data.len() - 1)
    }

    /// Returns the index and modulation of a data or control rate, or of the highest data rate if the rate is unknown.
    pub fn mode(&self, rate: Rate) -> (RateIndex, Modulation) {
        let place = self.modes.iter().position(|mode| mode.rate == rate).unwrap_or(self.data_modes - 1);
        (place, self.modes[place].modulation)
    }

    /// Returns the number of data rates.
    pub fn rates(&self) -> usize {
        self.data_modes
    }

    /// Returns the rate at an index.
    pub fn rate(&self, rate: RateIndex) -> Rate {
        self.modes[rate].rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::dcf::Standard;

    fn micros(config: &Config, megabits: f64, size: u32) -> u64 {
        let phy = Phy::new(config);
        let rate = Rate::from_bits_per_sec((megabits * 1e6) as u64).unwrap();
        phy.duration(phy.index(rate), size).as_nanos() / MICRO
    }

    #[test]
    fn frame_durations_match_the_standards() {
        let b = Config::default();
        // 192 us, and 8 us per byte at 1 Mbps; 1,500 bytes at 11 Mbps take 1,090.9 us, rounded up.
        assert_eq!(micros(&b, 1.0, 14), 192 + 112);
        assert_eq!(micros(&b, 2.0, 14), 192 + 56);
        assert_eq!(micros(&b, 11.0, 1500), 192 + 1091);
        let short = Config { preamble: Preamble::Short, ..b };
        assert_eq!(micros(&short, 11.0, 1500), 96 + 1091);
        assert_eq!(micros(&short, 1.0, 14), 192 + 112);
        // 22 + 8 x 14 = 134 bits are 6 symbols of 24, and 22 + 8 x 1,536 = 12,310 bits are 57 symbols of 216.
        let a = Config { standard: Standard::A, ..Config::default() };
        assert_eq!(micros(&a, 6.0, 14), 20 + 24);
        assert_eq!(micros(&a, 54.0, 1536), 20 + 57 * 4);
        let g = Config { standard: Standard::G, ..Config::default() };
        assert_eq!(micros(&g, 54.0, 1536), 20 + 57 * 4 + 6);
        // 22 + 8 x 1,538 = 12,326 bits are 48 symbols of 260, and 475 of 26.
        let n = Config { standard: Standard::N, ..Config::default() };
        assert_eq!(micros(&n, 65.0, 1538), 36 + 48 * 4);
        assert_eq!(micros(&n, 6.5, 1538), 36 + 475 * 4);
    }

    /// By hand, for two rates that are not rates of the standard. At 3 Mbps 1,000 bytes take 2,666.7 us, rounded up,
    /// and are answered at 2 Mbps. At 500 kbps, which is below all basic rates, they take 16,000 us and are answered at
    /// 500 kbps.
    #[test]
    fn any_rate_is_timed_as_a_standard_rate() {
        let cell = |rate: &str| Config {
            standard: Standard::Dsss,
            rate: Some(rate.parse().unwrap()),
            any_rate: true,
            ..Config::default()
        };
        for (rate, micros, answer) in [("3 Mbps", 192 + 2667, "2 Mbps"), ("500 kbps", 192 + 16_000, "500 kbps")] {
            let config = cell(rate);
            assert_eq!(config.check(), [], "{rate}");
            let phy = Phy::new(&config);
            let place = phy.index(rate.parse().unwrap());
            assert_eq!(phy.duration(place, 1000).as_nanos() / MICRO, micros, "{rate}");
            assert_eq!(phy.rate(phy.answer_rate(place)), answer.parse().unwrap(), "{rate}");
        }
        // A rate of the standard is not added again.
        assert_eq!(cell("2 Mbps").modes(), Standard::Dsss.modes());
        assert_eq!(Config { any_rate: false, ..cell("3 Mbps") }.check()[0].key, "rate");
        assert_eq!(Config { standard: Standard::A, ..cell("7 Mbps") }.check().len(), 2);
    }

    #[test]
    fn interframe_spaces_follow_from_slot_and_sifs() {
        let phy = Phy::new(&Config::default());
        assert_eq!(phy.difs, Span::from_nanos(50_000));
        assert_eq!(phy.eifs, Span::from_nanos((10 + 304 + 50) * MICRO));
        assert_eq!(phy.answer_timeout, Span::from_nanos((10 + 20 + 192) * MICRO));
        let phy = Phy::new(&Config { standard: Standard::A, ..Config::default() });
        assert_eq!(phy.difs, Span::from_nanos(34_000));
        assert_eq!(phy.eifs, Span::from_nanos((16 + 44 + 34) * MICRO));
    }

    #[test]
    fn response_rate_is_the_highest_basic_rate_not_above_the_frame_rate() {
        let phy = Phy::new(&Config { standard: Standard::A, ..Config::default() });
        let answer = |megabits: u64| {
            let rate = Rate::from_bits_per_sec(megabits * 1_000_000).unwrap();
            phy.rate(phy.answer_rate(phy.index(rate))).bits_per_sec() / 1_000_000
        };
        assert_eq!([6, 9, 12, 18, 24, 54].map(answer), [6, 6, 12, 12, 24, 24]);
        // The response to a high-throughput frame is at most at the OFDM rate of the same modulation.
        let phy = Phy::new(&Config { standard: Standard::N, ..Config::default() });
        let answers: Vec<u64> =
            (0..phy.rates()).map(|rate| phy.rate(phy.answer_rate(rate)).bits_per_sec() / 1_000_000).collect();
        assert_eq!(answers, [6, 12, 12, 24, 24, 24, 24, 24]);
        assert_eq!(phy.duration(phy.answer_rate(7), 32), Span::from_nanos((20 + 3 * 4) * MICRO));
        assert_eq!(phy.answer_rate(phy.answer_rate(1)), phy.answer_rate(1));
        assert_eq!(phy.eifs, Span::from_nanos((16 + 44 + 34) * MICRO));
    }
}
