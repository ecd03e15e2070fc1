//! Minimum input levels of receivers.

use engine::Rate;

/// Returns the minimum signal power, in dBm, at which the standard requires a receiver to decode a rate: with at most
/// 10 % of 1,000-byte frames lost for OFDM and high throughput [802.11-2012 s18.3.10.2, s20.3.21.1], 8 % of 1,024-byte
/// frames for direct sequence [s16.4.8.2, s17.4.8.2]. The standard has no level for 1 and 5.5 Mbps; the levels of 2 and
/// 11 Mbps are used. `None` for a rate of no standard.
pub fn minimum_input(rate: Rate) -> Option<f64> {
    let is_rate = |(tenths, _): &&(u64, f64)| tenths * 100_000 == rate.bits_per_sec();
    MINIMUM_INPUT.iter().find(is_rate).map(|(_, dbm)| *dbm)
}

/// Rates in units of 100 kbps, with their levels in dBm.
const MINIMUM_INPUT: [(u64, f64); 20] = [
    (10, -80.0),
    (20, -80.0),
    (55, -76.0),
    (110, -76.0),
    (60, -82.0),
    (90, -81.0),
    (120, -79.0),
    (180, -77.0),
    (240, -74.0),
    (360, -70.0),
    (480, -66.0),
    (540, -65.0),
    (65, -82.0),
    (130, -79.0),
    (195, -77.0),
    (260, -74.0),
    (390, -70.0),
    (520, -66.0),
    (585, -65.0),
    (650, -64.0),
];
