//! Which stations of a medium sense each other's frames.

use path::Reach;
use path::mac::dcf::Config;
use path::place::crossing::within;
use path::place::square_of;
use sim::Network;

/// By station and station; without a range everybody senses everybody.
pub(super) struct Hearing(Option<Vec<Vec<bool>>>);

impl Hearing {
    /// At time zero.
    pub fn of(network: &Network, config: &Config, stations: &[usize]) -> Self {
        let paths: Option<Vec<_>> = stations.iter().map(|node| network.nodes[*node].place.as_ref()).collect();
        let by_place = config.ranges().zip(paths).map(|(ranges, paths)| {
            let most = square_of(ranges.sensed.0);
            let row = |a| paths.iter().map(|b| within(a, b, most, engine::Time::ZERO)).collect();
            paths.iter().copied().map(row).collect()
        });
        Hearing(by_place)
    }

    /// Two stations hear each other otherwise than before.
    pub fn changed(&mut self, a: u32, b: u32, reach: Reach) {
        if let Some(senses) = &mut self.0 {
            senses[a as usize][b as usize] = reach != Reach::Nothing;
            senses[b as usize][a as usize] = reach != Reach::Nothing;
        }
    }

    /// Whether a station senses another, or is it.
    pub fn senses(&self, station: u32, other: u32) -> bool {
        self.audience(other).is_none_or(|audience| audience[station as usize])
    }

    /// For each station, whether it senses another; `None` if all do.
    pub fn audience(&self, of: u32) -> Option<&[bool]> {
        self.0.as_ref().map(|senses| senses[of as usize].as_slice())
    }
}
