//! 802.11n without aggregation.
//!
//! ```text
//! share of data = T / (DIFS + m + P + F + SIFS + A)
//! T: the data bits of a full packet at the rate        m: the mean back-off, cw_min / 2 slots
//! P + F: preamble and frame                            A: the acknowledgment
//! ```
//!
//! Source: the timing of one station without collisions (Bianchi, "Performance analysis of the IEEE 802.11 distributed
//! coordination function", IEEE JSAC 18(3), 2000, with one station). Stations of 802.11n aggregate (802.11-2012
//! s8.6.1), which pays the overhead once for many packets.

use engine::Rate;
use path::mac::dcf::frame::{ACK_SIZE, BLOCK_ACK_SIZE, LLC_OVERHEAD, MAC_OVERHEAD};
use path::mac::dcf::{Config, Phy};
use sim::network::MediumSpec;

use super::Context;
use crate::problem::Problem;

/// A packet of Ethernet's maximum size, in bytes.
const PACKET: u32 = 1500;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    context.network.media.iter().filter_map(without_aggregation).collect()
}

fn without_aggregation(MediumSpec { name, config }: &MediumSpec) -> Option<Problem> {
    if !config.standard.aggregates() || config.aggregation.is_some() {
        return None;
    }
    let rate = config.data_rate();
    let share = data_share(config, rate);
    let text = format!(
        "`aggregation`, which stations of {} use: without it a packet of {PACKET} B at {rate} is {:.0} % of the airtime \
         that it takes, and the rest is preamble, back-off and acknowledgment",
        config.standard,
        share * 100.0,
    );
    let key = format!("media.{name}.aggregation");
    let hint = format!("write {key} = {{}}, the limits of the standard, or frames = 1 to have it off");
    Some(Problem::new(text).key(key).hint(hint))
}

/// The share of the airtime in which a station that sends full packets at `rate` without collisions sends their data.
pub(super) fn data_share(config: &Config, rate: Rate) -> f64 {
    let (phy, frame) = (Phy::new(config), PACKET + MAC_OVERHEAD + LLC_OVERHEAD);
    let index = phy.index(rate);
    let packets = config.aggregation.map_or(1, |limits| {
        let by_bytes = (limits.bytes.0 / u64::from(frame)) as u32;
        let by_time = limits.duration.as_nanos() / rate.transmission_time(frame).as_nanos().max(1);
        limits.frames.min(by_bytes).min(u32::try_from(by_time).unwrap_or(u32::MAX)).max(1)
    });
    let response = phy.duration(phy.answer_rate(index), if packets > 1 { BLOCK_ACK_SIZE } else { ACK_SIZE });
    let back_off = phy.slot.as_secs_f64() * f64::from(phy.cw_min) / 2.0;
    let cycle = back_off + (phy.difs + phy.duration(index, packets * frame) + phy.sifs + response).as_secs_f64();
    rate.transmission_time(packets * PACKET).as_secs_f64() / cycle
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, cell_network};

    fn cell(media: &str) -> String {
        let window = "to = \"laptop\", receive_window = \"200 kB\"";
        cell_network(media, "", "", "").replace("to = \"laptop\"", window)
    }

    pub fn examples() -> [String; 2] {
        ["standard = \"802.11n\"", "standard = \"802.11n\", aggregation = {}"].map(cell)
    }

    /// By hand at 65 Mbps: a DIFS of 34 us, 7.5 slots of 9 us, a preamble of 36 us, 48 symbols of 4 us for 12,000 bits
    /// and header, SIFS 16 us and an acknowledgment of 28 us at 24 Mbps are 373.5 us, of which the data take 184.6 us.
    #[test]
    fn standard_that_aggregates_is_reported_without_aggregation() {
        let parts = ["media.cell.aggregation", "802.11n", "1500 B at 65 Mbps is 49 %", "aggregation = {}"];
        assert_only_warning(&cell("standard = \"802.11n\", rate = \"65 Mbps\""), &parts);
        assert_no_warnings(&cell("standard = \"802.11n\", aggregation = { frames = 1 }"));
        assert_no_warnings(&cell("standard = \"802.11g\""));
    }
}
