//! The times and rates of one cell: the standard's, with what the cell sets.

use engine::{Rate, Span};

use super::config::{Config, Preamble};
use super::frame::ACK_SIZE;
use super::standard::{Mode, Modulation, RateIndex, Timings};

/// A microsecond, the unit in which frames are measured.
const MICRO: u64 = 1000;
/// An OFDM symbol.
const SYMBOL: Span = Span::from_nanos(4000);
/// The legacy training and signal fields of 8, 8 and 4 us, then the high-throughput signal of 8 and one training field for each of
/// gain and stream, 4 us each [802.11-2012 s20.3.9].
const HT_PREAMBLE: Span = Span::from_nanos(36_000);
/// Bits around a frame's in its symbols: service in front, tail behind [802.11-2007 s17.3.2].
const SERVICE_AND_TAIL: u32 = 16 + 6;

/// What stations need to know of the physical layer.
#[derive(Clone, Debug)]
pub struct Phy {
    /// A slot of the back-off.
    pub slot: Span,
    /// Between a frame and its answer.
    pub sifs: Span,
    /// How long the air must be silent before slots count: SIFS and two slots [802.11-2007 s9.2.10].
    pub difs: Span,
    /// The same after a frame that could not be understood: DIFS, and the SIFS and the acknowledgment that may follow it, at
    /// the lowest rate [802.11-2007 s9.2.10].
    pub eifs: Span,
    /// How long after the end of its frame a sender waits for an answer to begin [802.11-2012 s9.3.2.8].
    pub answer_timeout: Span,
    /// The way to every station.
    pub delay: Span,
    /// The first contention window.
    pub cw_min: u32,
    /// The last.
    pub cw_max: u32,
    timings: Timings,
    preamble: Preamble,
    /// Those of data, then, where they differ, those of all other frames.
    modes: Vec<Mode>,
    /// How many of them are for data.
    data_modes: usize,
    /// For each rate, that of the answer.
    answers: Vec<RateIndex>,
}

impl Phy {
    /// The physical layer of a cell.
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
        // [802.11-2007 s9.6]: the highest basic rate that is not above that of the frame; the lowest rate if there is none.
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

    /// How long a frame of `size` bytes, header and checksum included, is in the air.
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

    /// How long preamble and header in front of a frame take.
    pub fn preamble(&self, rate: RateIndex) -> Span {
        match (self.modes[rate].modulation, self.preamble, self.timings.short_preamble) {
            (Modulation::HighThroughput { .. }, ..) => HT_PREAMBLE,
            // The lowest rate has no short one.
            (_, Preamble::Short, Some(short)) if rate > 0 => short,
            _ => self.timings.preamble,
        }
    }

    /// The rate of the answer to a frame.
    pub fn answer_rate(&self, rate: RateIndex) -> RateIndex {
        self.answers[rate]
    }

    /// The place of a rate of data; of the standard's highest if it has no such.
    pub fn index(&self, rate: Rate) -> RateIndex {
        let data = &self.modes[..self.data_modes];
        data.iter().position(|mode| mode.rate == rate).unwrap_or(data.len() - 1)
    }

    /// The place of any rate, whatever it is for, and how it is sent; of the highest of data if there is no such.
    pub fn mode(&self, rate: Rate) -> (RateIndex, Modulation) {
        let place = self.modes.iter().position(|mode| mode.rate == rate).unwrap_or(self.data_modes - 1);
        (place, self.modes[place].modulation)
    }

    /// How many rates of data there are.
    pub fn rates(&self) -> usize {
        self.data_modes
    }

    /// Bits a second.
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
    fn frames_take_what_the_standards_say() {
        let b = Config::default();
        // 192 us and 8 us a byte; 1,500 bytes at 11 Mbps are 1,090.9 us, rounded up.
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

    /// By hand: a rate between two of the standard's, and one below all. 1,000 bytes at 3 Mbps are 2,666.7 us, rounded up, and are
    /// answered at 2 Mbps; at 500 kbps they are 16,000 us, and no basic rate is that slow, so the answer is no faster.
    #[test]
    fn any_rate_is_timed_as_the_standards_own() {
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
        // A rate that the standard has stays as it is.
        assert_eq!(cell("2 Mbps").modes(), Standard::Dsss.modes());
        assert_eq!(Config { any_rate: false, ..cell("3 Mbps") }.check()[0].key, "rate");
        assert_eq!(Config { standard: Standard::A, ..cell("7 Mbps") }.check().len(), 2);
    }

    #[test]
    fn spaces_follow_from_slot_and_sifs() {
        let phy = Phy::new(&Config::default());
        assert_eq!(phy.difs, Span::from_nanos(50_000));
        assert_eq!(phy.eifs, Span::from_nanos((10 + 304 + 50) * MICRO));
        assert_eq!(phy.answer_timeout, Span::from_nanos((10 + 20 + 192) * MICRO));
        let phy = Phy::new(&Config { standard: Standard::A, ..Config::default() });
        assert_eq!(phy.difs, Span::from_nanos(34_000));
        assert_eq!(phy.eifs, Span::from_nanos((16 + 44 + 34) * MICRO));
    }

    #[test]
    fn answers_are_sent_at_a_basic_rate_not_above_the_frames() {
        let phy = Phy::new(&Config { standard: Standard::A, ..Config::default() });
        let answer = |megabits: u64| {
            let rate = Rate::from_bits_per_sec(megabits * 1_000_000).unwrap();
            phy.rate(phy.answer_rate(phy.index(rate))).bits_per_sec() / 1_000_000
        };
        assert_eq!([6, 9, 12, 18, 24, 54].map(answer), [6, 6, 12, 12, 24, 24]);
        // High throughput is answered as its modulation in 802.11a is, and an acknowledgment is no faster than that.
        let phy = Phy::new(&Config { standard: Standard::N, ..Config::default() });
        let answers: Vec<u64> =
            (0..phy.rates()).map(|rate| phy.rate(phy.answer_rate(rate)).bits_per_sec() / 1_000_000).collect();
        assert_eq!(answers, [6, 12, 12, 24, 24, 24, 24, 24]);
        assert_eq!(phy.duration(phy.answer_rate(7), 32), Span::from_nanos((20 + 3 * 4) * MICRO));
        assert_eq!(phy.answer_rate(phy.answer_rate(1)), phy.answer_rate(1));
        assert_eq!(phy.eifs, Span::from_nanos((16 + 44 + 34) * MICRO));
    }
}
