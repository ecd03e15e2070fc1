//! What is wrong with the settings of a cell.

use engine::registry::Fault;
use engine::{Rate, Span};

use super::config::{Aggregation, Config, Growth, Preamble};
use super::standard::{Mode, Standard};

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
            let [short, long] = [false, true].map(|long| self.retries().limit(long, 0));
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
        faults.extend(self.reach_faults());
        faults
    }
}

impl Aggregation {
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

/// What is wrong with a rate that stands at `key`, if it is none of `modes`.
fn rate_fault(modes: &[Mode], key: &'static str, rate: Rate) -> Option<Fault> {
    let known: Vec<String> = modes.iter().map(|mode| mode.rate.to_string()).collect();
    let fault = || Fault::new(key, rate, format!("a rate of the standard: {}", known.join(", ")));
    (!modes.iter().any(|mode| mode.rate == rate)).then(fault)
}
