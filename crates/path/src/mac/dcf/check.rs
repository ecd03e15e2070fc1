//! Validation of the settings of a cell.

use engine::registry::Fault;
use engine::{Rate, Span};

use super::config::{Aggregation, Config, Growth, Preamble};
use super::standard::{Mode, Standard};

/// Maximum number of attempts.
const MAX_ATTEMPTS: u32 = 10_000;
/// Maximum size of a frame in bytes [802.11-2007 annex D, dot11RTSThreshold].
const MAX_FRAME: u64 = 2347;
/// Maximum size of an aggregate in bytes [802.11-2012 s8.4.2.58.3].
const MAX_AGGREGATE: u64 = 65_535;
/// Minimum size of a fragment in bytes [802.11-2007 annex D, dot11FragmentationThreshold].
const MIN_FRAGMENT: u64 = 256;
/// Upper bound of slots and interframe spaces.
const MAX_SLOT: Span = Span::from_millis(10);
/// Maximum contention window, which has 16 bits.
const MAX_WINDOW: u32 = (1 << 16) - 1;

impl Config {
    /// Returns the error of a data rate at `key`; `None` for a valid rate.
    pub fn rate_fault(&self, key: &'static str, rate: Rate) -> Option<Fault> {
        if self.allows(rate) {
            return None;
        }
        let of_data = |standard: Standard| standard.modes();
        rate_fault(self.standard, of_data, "rate of", key, rate)
    }

    /// Returns all errors of the settings.
    pub fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        faults.extend(self.rate.and_then(|rate| self.rate_fault("rate", rate)));
        faults.extend(self.any_rate_fault());
        faults.extend(self.basic_rate_faults());
        faults.extend(self.aggregation.iter().flat_map(|aggregation| aggregation.check(self)));
        faults.extend(self.timing_faults());
        faults.extend(self.window_faults());
        faults.extend(self.attempt_faults());
        faults.extend(self.length_faults());
        faults.extend(self.reach_faults());
        faults
    }

    fn any_rate_fault(&self) -> Option<Fault> {
        let wrong = self.any_rate && !self.standard.is_serial();
        wrong.then(|| {
            let serial = Standard::ALL.into_iter().filter(|standard| standard.is_serial());
            let serial = serial.map(Standard::name).collect::<Vec<_>>().join(", ");
            let expected =
                format!("false: {} has its own rates only, since its frames are OFDM symbols", self.standard);
            Fault::new("any_rate", true, expected).hint(format!("standards that allow any rate: {serial}"))
        })
    }

    fn basic_rate_faults(&self) -> Vec<Fault> {
        const WHAT: &str = "response rate of";
        let Some(rates) = &self.basic_rates else { return Vec::new() };
        let modes = self.standard.control_modes();
        if rates.is_empty() {
            let expected = format!("at least one {WHAT} {}: {}", self.standard, join_rates(modes));
            let basic = join_rates(modes.iter().filter(|mode| mode.basic));
            return vec![
                Fault::new("basic_rates", "[]", expected)
                    .hint(format!("leave the key out for the rates of the standard: {basic}")),
            ];
        }
        let fault = |rate| rate_fault(self.standard, Standard::control_modes, WHAT, "basic_rates", rate);
        rates.iter().enumerate().filter_map(|(number, rate)| Some(fault(*rate)?.entry(number))).collect()
    }

    fn timing_faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let timings = self.standard.timings();
        if self.preamble == Preamble::Short && timings.short_preamble.is_none() {
            let fault =
                Fault::new("preamble", "\"short\"", format!("\"long\": {} has no short preamble", self.standard));
            let has = Standard::ALL.into_iter().find(|standard| standard.timings().short_preamble.is_some());
            faults.extend(has.map(|standard| fault.hint(format!("leave it out, or write standard = \"{standard}\""))));
        }
        for (key, span, usual) in [("slot", self.slot, timings.slot), ("sifs", self.sifs, timings.sifs)] {
            if let Some(span) = span.filter(|span| *span == Span::ZERO || *span > MAX_SLOT) {
                let fault = Fault::new(key, span, format!("more than 0 and at most {MAX_SLOT}"));
                faults.push(fault.hint(format!("{} has {usual}", self.standard)));
            }
        }
        let [slot, sifs] = [self.slot.unwrap_or(timings.slot), self.sifs.unwrap_or(timings.sifs)];
        // If the slot or SIFS is zero, that error is reported instead.
        if slot.min(sifs) > Span::ZERO && self.delay() >= slot.min(sifs) {
            let min = slot.min(sifs);
            let expected = format!("less than slot and SIFS, so less than {min}: carrier sense takes at most one slot");
            faults.push(Fault::new("delay", self.delay(), expected).hint("1 us is enough for 300 m"));
        }
        let min = sifs + self.delay() + self.delay();
        if let Some(wait) = self.answer_timeout.filter(|wait| *wait <= min || *wait > MAX_SLOT) {
            let expected = format!("more than {min} (SIFS and two propagation delays), and at most {MAX_SLOT}");
            let usual = sifs + slot + timings.rx_start_delay;
            let hint = format!("leave it out for the value of the standard, {usual}");
            faults.push(Fault::new("answer_timeout", wait, expected).hint(hint));
        }
        let difs = sifs + slot.times(2);
        if let Some(silence) = self.eifs.filter(|silence| *silence < difs || *silence > MAX_SLOT) {
            let expected = format!("at least a DIFS, {difs}, at most {MAX_SLOT}");
            faults.push(Fault::new("eifs", silence, expected).hint("leave it out for the value of the standard"));
        }
        faults
    }

    fn window_faults(&self) -> Vec<Fault> {
        let fits = |window: u32| window <= MAX_WINDOW && (window + 1).is_power_of_two();
        let wrong = [("cw_min", self.cw_min), ("cw_max", self.cw_max)].into_iter();
        let wrong = wrong.filter_map(|(key, window)| Some((key, window.filter(|window| !fits(*window))?)));
        let faults: Vec<Fault> = wrong
            .map(|(key, window)| {
                let nearest = (window.min(MAX_WINDOW) + 1).next_power_of_two().min(1 << 16) - 1;
                let expected = format!("one less than a power of two, 0 to {MAX_WINDOW}");
                Fault::new(key, window, expected).hint(format!("write {nearest}"))
            })
            .collect();
        if !faults.is_empty() {
            return faults;
        }
        let timings = self.standard.timings();
        let [first, last] = [self.cw_min.unwrap_or(timings.cw_min), self.cw_max.unwrap_or(timings.cw_max)];
        match self.cw_min {
            _ if first <= last => Vec::new(),
            Some(_) => {
                let fault = Fault::new("cw_min", first, format!("at most cw_max, {last}"));
                vec![fault.hint(format!("write cw_max = {first} too"))]
            }
            None => {
                let fault = Fault::new("cw_max", last, format!("at least cw_min, {first}"));
                vec![fault.hint(format!("write cw_min = {last} too"))]
            }
        }
    }

    fn attempt_faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let usual = Config::default().retries();
        let limits = [("short_retry_limit", self.short_retry_limit), ("long_retry_limit", self.long_retry_limit)];
        for ((key, limit), long) in limits.into_iter().zip([false, true]) {
            let fault = limit.and_then(|limit| Fault::unless_some(key, limit, MAX_ATTEMPTS));
            faults.extend(fault.map(|fault| fault.hint(format!("the standard has {}", usual.limit(long, 0)))));
        }
        if let Some(Growth { step, max }) = self.retry_growth {
            let larger = self.retries().limit(false, 0).max(self.retries().limit(true, 0));
            if step == 0 {
                let fault = Fault::new("retry_growth.step", step, "at least 1");
                faults.push(fault.hint("leave out retry_growth for constant limits"));
            }
            if !(larger..=MAX_ATTEMPTS).contains(&max) {
                let expected = format!("{larger} (the larger of the retry limits) to {MAX_ATTEMPTS}");
                faults.push(Fault::new("retry_growth.max", max, expected));
            }
        }
        faults
    }

    fn length_faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let longest = if self.aggregation.is_some() { MAX_AGGREGATE } else { MAX_FRAME };
        if let Some(size) = self.rts_threshold.filter(|size| size.0 > longest) {
            let fault = Fault::new("rts_threshold", size, format!("at most {longest} B, the longest frame"));
            faults.push(fault.hint("leave it out to send all frames without RTS"));
        }
        let fits = MIN_FRAGMENT..=MAX_FRAME;
        if let Some(size) = self.fragmentation_threshold.filter(|size| !fits.contains(&size.0)) {
            let expected = format!("{MIN_FRAGMENT} to {MAX_FRAME} B");
            let fault = Fault::new("fragmentation_threshold", size, expected);
            faults.push(fault.hint("leave it out to send all packets without fragmentation"));
        }
        faults
    }
}

impl Aggregation {
    /// Returns the errors of the settings in a cell of `config`.
    fn check(self, config: &Config) -> Vec<Fault> {
        let mut faults = Vec::new();
        let max = Aggregation::default();
        if !config.standard.aggregates() {
            let found = format!("a cell of {}", config.standard);
            let fault = Fault::new(
                "aggregation",
                found,
                format!("a cell of {}, the only standard with aggregation", Standard::N),
            );
            faults.push(fault.hint(format!("write standard = \"{}\"", Standard::N)));
        }
        if let Some(size) = config.fragmentation_threshold {
            let expected = "no value: aggregation excludes fragmentation";
            let fault = Fault::new("fragmentation_threshold", size, expected);
            faults.push(fault.hint("leave out fragmentation_threshold, or aggregation"));
        }
        if !(1..=max.frames).contains(&self.frames) {
            let expected = format!("1 to {} packets, the window of a block acknowledgment", max.frames);
            faults.push(Fault::new("aggregation.frames", self.frames, expected));
        }
        if !(1..=max.bytes.0).contains(&self.bytes.0) {
            faults.push(Fault::new("aggregation.bytes", self.bytes, format!("1 to {} B", max.bytes.0)));
        }
        if self.duration == Span::ZERO || self.duration > max.duration {
            let expected = format!("more than 0, at most {}", max.duration);
            faults.push(Fault::new("aggregation.duration", self.duration, expected));
        }
        faults
    }
}

fn join_rates<'a>(modes: impl IntoIterator<Item = &'a Mode>) -> String {
    modes.into_iter().map(|mode| mode.rate.to_string()).collect::<Vec<_>>().join(", ")
}

/// Returns the error of a rate at `key` that is not among the `modes` of the standard; `what` describes the modes.
fn rate_fault(
    standard: Standard,
    modes: impl Fn(Standard) -> &'static [Mode],
    what: &str,
    key: &'static str,
    rate: Rate,
) -> Option<Fault> {
    let has = |standard: &Standard| modes(*standard).iter().any(|mode| mode.rate == rate);
    if has(&standard) {
        return None;
    }
    let fault = Fault::new(key, rate, format!("a {what} {standard}: {}", join_rates(modes(standard))));
    let others: Vec<String> = Standard::ALL.iter().filter(|other| has(other)).map(ToString::to_string).collect();
    Some(match &others[..] {
        [] => fault,
        others => fault.hint(format!("{rate} is a {what} {}", others.join(", "))),
    })
}
