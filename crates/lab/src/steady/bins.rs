//! Bytes that arrived in each time bin.

use engine::{IdVec, Span, Time};
use sim::{Event, FlowId, Sink};

use observe::observation::ReceiverState;

/// The minimum number of bins: batch means need 400 after a warm-up of at most half of them; more bins give a finer
/// result.
pub(super) const MIN_BINS: u64 = 2000;

/// The shortest length that can be divided, into bins of 1 ns.
pub(super) const MIN_LENGTH: Span = Span::from_nanos(MIN_BINS);

/// Bins of equal width from a flow's start.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct BinGrid {
    start: Time,
    pub width: Span,
    pub count: usize,
}

impl BinGrid {
    /// Returns the widest bins of 1, 2 or 5 x 10^k ns such that at least [`MIN_BINS`] fit into `length`; `None` if bins
    /// of 1 ns do not fit.
    pub fn of(start: Time, length: Span) -> Option<Self> {
        let widths = (0..19).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u64.pow(power)));
        let width = widths.take_while(|width| length.as_nanos() / width >= MIN_BINS).last()?;
        // At most 2.5 times the minimum number.
        let count = (length.as_nanos() / width) as usize;
        Some(BinGrid { start, width: Span::from_nanos(width), count })
    }

    /// End of the first `bins` bins, from the start.
    pub fn end(&self, bins: usize) -> Span {
        self.width.times(bins as u64)
    }

    /// Returns the bin counts whose end is 1, 2 or 5 x 10^k ns and at least 1/500 of the whole length, and the count of
    /// all bins.
    pub fn rows(&self) -> Vec<usize> {
        let all = self.end(self.count).as_nanos();
        let ends = (0..19).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u64.pow(power)));
        let ends = ends.filter(|end| *end >= all / 500 && *end < all);
        // The width has the same digits, and is at most a quarter of these ends. Therefore the width divides the ends.
        ends.map(|end| (end / self.width.as_nanos()) as usize).chain([self.count]).collect()
    }

    /// The bin of `at`. Bytes that arrive at the end of a bin belong to it, as bytes at the end of a run belong to the
    /// run.
    fn bin(&self, at: Time) -> usize {
        (at.since(self.start).as_nanos().saturating_sub(1) / self.width.as_nanos()) as usize
    }
}

/// Counts the bytes that arrive in order at the selected flows.
pub(super) struct BinCounter {
    /// By flow; `None` for those that are not watched.
    flows: IdVec<FlowId, Option<FlowBins>>,
}

struct FlowBins {
    grid: BinGrid,
    receiver: ReceiverState,
    bins: Vec<u64>,
}

impl BinCounter {
    /// Counts the bytes of each flow of `watched` in bins.
    pub fn new(flows: usize, watched: &[(usize, BinGrid)]) -> Self {
        let mut arrivals = BinCounter { flows: (0..flows).map(|_| None).collect() };
        for &(flow, grid) in watched {
            let bins = vec![0; grid.count];
            arrivals.flows[FlowId::from_index(flow)] =
                Some(FlowBins { grid, receiver: ReceiverState::default(), bins });
        }
        arrivals
    }

    /// Bytes by bin, in the order of `watched`.
    pub fn finish(mut self, watched: &[(usize, BinGrid)]) -> Vec<Vec<u64>> {
        let mut take = |flow: usize| self.flows[FlowId::from_index(flow)].take();
        watched.iter().map(|(flow, _)| take(*flow).map(|flow| flow.bins).unwrap_or_default()).collect()
    }
}

impl Sink for BinCounter {
    const ACTIVE: bool = true;
    fn event(&mut self, at: Time, event: &Event) {
        let Event::Receiver { flow, event } = event else { return };
        let Some(flow) = &mut self.flows[*flow] else { return };
        let bytes = flow.receiver.apply(event);
        // Bytes after the last whole bin are not counted.
        if let Some(bin) = flow.bins.get_mut(flow.grid.bin(at)) {
            *bin += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bin_widths_are_round_and_the_number_of_bins_is_2000_to_5000() {
        // Length and width in ns, count.
        let cases = [
            (2000, 1, 2000),
            (3999, 1, 3999),
            (4000, 2, 2000),
            (10_000, 5, 2000),
            (20_000, 10, 2000),
            (4_300_000_000_000, 2_000_000_000, 2150),
            (u64::MAX, 5_000_000_000_000_000, 3689),
        ];
        for (length, width, count) in cases {
            let grid = BinGrid::of(Time::ZERO, Span::from_nanos(length)).unwrap();
            assert_eq!((grid.width.as_nanos(), grid.count), (width, count), "{length}");
        }
        assert_eq!(BinGrid::of(Time::ZERO, Span::from_nanos(1999)), None);
    }

    #[test]
    fn every_row_of_the_table_ends_at_the_end_of_a_bin() {
        for length in (2000..200_000).step_by(37) {
            let grid = BinGrid::of(Time::ZERO, Span::from_nanos(length)).unwrap();
            let rows = grid.rows();
            assert!(rows.len() >= 8 && rows.is_sorted_by(|a, b| a < b), "{length}: {rows:?}");
            for row in &rows[..rows.len() - 1] {
                let end = grid.end(*row).as_nanos();
                assert!(end.to_string().trim_end_matches('0').len() == 1, "{length}: {end}");
            }
        }
        let grid = BinGrid::of(Time::ZERO, Span::from_secs(400)).unwrap();
        let seconds: Vec<u64> = grid.rows().iter().map(|row| grid.end(*row).as_nanos() / 1_000_000_000).collect();
        assert_eq!(seconds, [1, 2, 5, 10, 20, 50, 100, 200, 400]);
    }

    #[test]
    fn bytes_at_the_end_of_a_bin_belong_to_it() {
        let grid = BinGrid::of(Time::from_nanos(100), Span::from_nanos(20_000)).unwrap();
        let bins = [100, 101, 110, 111, 120].map(|at| grid.bin(Time::from_nanos(at)));
        assert_eq!(bins, [0, 0, 0, 1, 1]);
    }
}
