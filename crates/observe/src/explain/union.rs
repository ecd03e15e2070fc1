//! Time lost, each moment counted once.
//!
//! Each moment counts with the largest share of any problem: L = integral of max_i s_i(t) dt. Two problems that each
//! halve the speed count as one; the union does not show which of them must be solved to gain the time.

use engine::{Span, Time};

/// Number of intervals collected before they are summed: large enough for cheap sorting, small enough for little
/// memory.
const BUFFER: usize = 1024;

struct Piece {
    from: Time,
    to: Time,
    share: f64,
}

/// Sum so far, and intervals that later ones may still overlap.
#[derive(Default)]
pub(super) struct Union {
    pieces: Vec<Piece>,
    /// Intervals that the last summation could not complete.
    left: usize,
    nanos: f64,
}

impl Union {
    /// Adds an interval in which this share of the time was lost.
    pub fn add(&mut self, from: Time, to: Time, share: f64) {
        if from >= to || share <= 0.0 {
            return;
        }
        if let Some(last) = self.pieces.last_mut()
            && last.to == from
            && last.share == share
        {
            last.to = to;
        } else {
            self.pieces.push(Piece { from, to, share });
        }
    }

    /// Whether the intervals should be summed.
    pub fn is_full(&self) -> bool {
        self.pieces.len() >= BUFFER + 2 * self.left
    }

    /// Sums everything before `horizon`: no interval that begins earlier may follow.
    pub fn settle(&mut self, horizon: Time) {
        self.pieces.sort_by_key(|piece| piece.from);
        let mut edges: Vec<Time> = self.pieces.iter().flat_map(|piece| [piece.from, piece.to]).collect();
        edges.push(horizon);
        edges.retain(|edge| *edge <= horizon);
        edges.sort_unstable();
        edges.dedup();
        let mut coming = self.pieces.iter().peekable();
        let mut active: Vec<&Piece> = Vec::new();
        for pair in edges.windows(2) {
            active.retain(|piece| piece.to > pair[0]);
            while let Some(piece) = coming.next_if(|piece| piece.from <= pair[0]) {
                active.push(piece);
            }
            let share = active.iter().map(|piece| piece.share).fold(0.0, f64::max);
            self.nanos += share * pair[1].since(pair[0]).as_nanos() as f64;
        }
        self.pieces.retain_mut(|piece| {
            piece.from = piece.from.max(horizon);
            piece.from < piece.to
        });
        self.left = self.pieces.len();
    }

    /// The total.
    pub fn total(&mut self) -> Span {
        self.settle(Time::NEVER);
        Span::from_nanos(self.nanos.round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(at: u64) -> Time {
        Time::from_millis(at)
    }

    /// 0-10 whole, 5-20 half, 15-20 a quarter, 30-40 half twice: 10 + 5 + 5 (the larger) = 10 + 10 x 0.5 + 10 x 0.5.
    #[test]
    fn time_covered_by_several_findings_counts_once_with_the_largest_share() {
        for settled_at in [0, 7, 15, 17, 35, 50] {
            let mut union = Union::default();
            for (from, to, share) in [(5, 20, 0.5), (0, 10, 1.0), (15, 20, 0.25), (30, 40, 0.5), (30, 40, 0.5)] {
                union.add(ms(from), ms(to), share);
            }
            union.settle(ms(settled_at));
            assert_eq!(union.total(), Span::from_millis(20), "settled at {settled_at}");
        }
    }
}
