//! Options on which two ends with different settings agree.

use super::{Config, EcnMode, WindowScaling};

impl Config {
    /// Returns these settings with the options that a handshake with `other` leaves: SACK, timestamps and window scaling
    /// are on if both ends offer them, ECN is on if the end that opens requests it and the other one accepts it, and a
    /// segment is the smaller one of the two [RFC9293 s3.7.1]. This end opens the connection if `opens`.
    pub fn negotiate(&self, other: &Config, opens: bool) -> Config {
        let [asks, answers] = if opens { [self, other] } else { [other, self] };
        let agrees_on_ecn = asks.ecn == EcnMode::Request && answers.ecn != EcnMode::Off;
        let is_scaled = other.window_scaling != WindowScaling::Off;
        Config {
            segment: self.segment.min(other.segment),
            sack: self.offers_sack() && other.offers_sack(),
            timestamps: self.timestamps && other.timestamps,
            window_scaling: if is_scaled { self.window_scaling } else { WindowScaling::Off },
            ecn: if agrees_on_ecn { EcnMode::Request } else { EcnMode::Off },
            ..self.clone()
        }
    }

    /// Whether the end offers SACK: its recovery uses it, and it is not off.
    pub fn offers_sack(&self) -> bool {
        self.sack && self.recovery.build().uses_sack()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::find_preset;

    fn config(variant: &str) -> Config {
        find_preset(variant).expect("a variant").config()
    }

    #[test]
    fn option_is_on_if_both_ends_offer_it() {
        let (linux, sack) = (config("linux"), config("sack"));
        let agreed = linux.negotiate(&sack, true);
        assert_eq!((agreed.sack, agreed.timestamps, agreed.ecn), (true, false, EcnMode::Off));
        assert_eq!((agreed.delayed_ack, agreed.initial_window), (linux.delayed_ack, 10));
        // The recovery of Reno does not use SACK, so that it does not offer it.
        assert!(!linux.negotiate(&config("reno"), true).sack && !config("reno").negotiate(&linux, false).sack);
        let unscaled = Config { window_scaling: WindowScaling::Off, ..linux.clone() };
        assert_eq!(linux.negotiate(&unscaled, true).window_scaling, WindowScaling::Off);
        let small = Config { segment: 536, ..linux.clone() };
        assert_eq!([linux.negotiate(&small, true).segment, small.negotiate(&linux, false).segment], [536, 536]);
    }

    /// [RFC3168 s6.1.1]: the SYN requests ECN, the SYN-ACK accepts it.
    #[test]
    fn end_that_opens_requests_ecn() {
        let with = |ecn| Config { ecn, ..Config::default() };
        for (asks, answers, on) in [
            (EcnMode::Request, EcnMode::Accept, true),
            (EcnMode::Request, EcnMode::Request, true),
            (EcnMode::Request, EcnMode::Off, false),
            (EcnMode::Accept, EcnMode::Request, false),
            (EcnMode::Accept, EcnMode::Accept, false),
            (EcnMode::Off, EcnMode::Request, false),
        ] {
            let agreed = if on { EcnMode::Request } else { EcnMode::Off };
            assert_eq!(with(asks).negotiate(&with(answers), true).ecn, agreed, "{asks:?} {answers:?}");
            assert_eq!(with(answers).negotiate(&with(asks), false).ecn, agreed, "{asks:?} {answers:?}");
        }
    }
}
