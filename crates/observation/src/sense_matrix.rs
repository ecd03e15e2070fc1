//! The matrix of stations of a medium that sense each other's frames.

use engine::IdVec;
use path::{MediumStationId, Reach};
use sim::Network;

/// Whether a station senses another one, by both stations. Without a range all stations sense each other.
pub struct SenseMatrix(Option<IdVec<MediumStationId, IdVec<MediumStationId, bool>>>);

impl SenseMatrix {
    /// The matrix of a medium with `stations` stations, at time zero.
    pub fn of(network: &Network, medium: usize, stations: usize) -> Self {
        let has_range = network.media[medium].config.range.is_some();
        let mut hearing = SenseMatrix(has_range.then(|| vec![vec![true; stations].into(); stations].into()));
        network.apart(medium).into_iter().for_each(|(a, b, reach)| hearing.set_reach(a, b, reach));
        hearing
    }

    /// Updates whether two stations sense each other.
    pub fn set_reach(&mut self, a: MediumStationId, b: MediumStationId, reach: Reach) {
        if let Some(senses) = &mut self.0 {
            senses[a][b] = reach != Reach::Nothing;
            senses[b][a] = reach != Reach::Nothing;
        }
    }

    /// Whether a station senses another; also true for the station itself.
    pub fn senses(&self, station: MediumStationId, other: MediumStationId) -> bool {
        self.audience(other).is_none_or(|audience| audience[station])
    }

    /// Returns for each station whether it senses the station `of`; `None` if all do.
    pub fn audience(&self, of: MediumStationId) -> Option<&IdVec<MediumStationId, bool>> {
        self.0.as_ref().map(|senses| &senses[of])
    }
}
