//! The matrix of stations of a medium that sense each other's frames.

use path::Reach;
use sim::Network;

/// Whether a station senses another one, by both stations. Without a range all stations sense each other.
pub struct SenseMatrix(Option<Vec<Vec<bool>>>);

impl SenseMatrix {
    /// The matrix of a medium with `stations` stations, at time zero.
    pub fn of(network: &Network, medium: usize, stations: usize) -> Self {
        let has_range = network.media[medium].config.range.is_some();
        let mut hearing = SenseMatrix(has_range.then(|| vec![vec![true; stations]; stations]));
        network.apart(medium).into_iter().for_each(|(a, b, reach)| hearing.set_reach(a, b, reach));
        hearing
    }

    /// Updates whether two stations sense each other.
    pub fn set_reach(&mut self, a: u32, b: u32, reach: Reach) {
        if let Some(senses) = &mut self.0 {
            senses[a as usize][b as usize] = reach != Reach::Nothing;
            senses[b as usize][a as usize] = reach != Reach::Nothing;
        }
    }

    /// Whether a station senses another; also true for the station itself.
    pub fn senses(&self, station: u32, other: u32) -> bool {
        self.audience(other).is_none_or(|audience| audience[station as usize])
    }

    /// Returns for each station whether it senses the station `of`; `None` if all do.
    pub fn audience(&self, of: u32) -> Option<&[bool]> {
        self.0.as_ref().map(|senses| senses[of as usize].as_slice())
    }
}
