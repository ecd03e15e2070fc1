//! Leaves out points that cannot be distinguished at the picture's resolution, so that a long run gives a small file.

use std::collections::BTreeSet;

use crate::ink::Path;

/// Size of a grid cell in tenths of a pixel. Ordinary marks within one cell are drawn as one.
const SAME: i32 = 5;

/// Number of marks of one kind above which marks with equal coordinates are drawn once.
const MANY: usize = 1_000;

/// Returns one mark for each half pixel.
pub(crate) fn thin_marks(places: impl IntoIterator<Item = (i32, i32)>) -> Vec<(i32, i32)> {
    let mut taken = BTreeSet::new();
    let cell = |(x, y): (i32, i32)| (x.div_euclid(SAME), y.div_euclid(SAME));
    places.into_iter().filter(|place| taken.insert(cell(*place))).collect()
}

/// Returns all marks, or only those with distinct coordinates if there are more than [`MANY`].
pub(crate) fn merge_equal_marks(mut places: Vec<(i32, i32)>) -> Vec<(i32, i32)> {
    if places.len() > MANY {
        let mut taken = BTreeSet::new();
        places.retain(|place| taken.insert(*place));
    }
    places
}

/// Returns a step function. `points` are ordered by x; `None` ends the line. For each half pixel only the first,
/// lowest, highest and last value are kept. These paint the same pixels as all values.
pub(crate) fn thin_step_line(points: impl IntoIterator<Item = (i32, Option<i32>)>) -> Path {
    let mut pen = StepPen { path: Path::default(), column: None, lifted: true };
    for (x, y) in points {
        match &mut pen.column {
            Some(column) if column.cell == x.div_euclid(SAME) && column.up.is_none() && y.is_some() => {
                let y = y.unwrap_or(column.last);
                column.low = column.low.min(y);
                column.high = column.high.max(y);
                (column.last, column.last_x) = (y, x);
            }
            _ => pen.begin(x, y),
        }
    }
    pen.end();
    pen.path
}

/// The values of a line within one half pixel.
struct PixelColumn {
    cell: i32,
    x: i32,
    first: i32,
    low: i32,
    high: i32,
    last: i32,
    last_x: i32,
    /// The x coordinate at which the line ends, if it ends in this column.
    up: Option<i32>,
}

struct StepPen {
    path: Path,
    column: Option<PixelColumn>,
    /// True if the next column begins a new line.
    lifted: bool,
}

impl StepPen {
    fn begin(&mut self, x: i32, y: Option<i32>) {
        match y {
            None => {
                if let Some(column) = &mut self.column {
                    column.up = column.up.or(Some(x));
                }
            }
            Some(y) => {
                self.end();
                let cell = x.div_euclid(SAME);
                self.column = Some(PixelColumn { cell, x, first: y, low: y, high: y, last: y, last_x: x, up: None });
            }
        }
    }

    /// Draws the column, and the line up to the point where it ends.
    fn end(&mut self) {
        let Some(column) = self.column.take() else { return };
        if std::mem::take(&mut self.lifted) {
            self.path.move_to(column.x, column.first);
        } else {
            self.path.step_to(column.x, column.first);
        }
        for y in [column.low, column.high, column.last] {
            self.path.step_to(column.x, y);
        }
        if column.last_x != column.x {
            self.path.step_to(column.last_x, column.last);
        }
        if let Some(x) = column.up {
            self.path.step_to(x, column.last);
            self.lifted = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ink::PenStep;

    #[test]
    fn ordinary_marks_merge_per_half_pixel_and_important_ones_do_not() {
        let places = vec![(10, 10), (12, 11), (10, 10), (40, 10)];
        assert_eq!(thin_marks(places.clone()), [(10, 10), (40, 10)]);
        assert_eq!(merge_equal_marks(places), [(10, 10), (12, 11), (10, 10), (40, 10)]);
        assert_eq!(merge_equal_marks(vec![(1, 1); 5_000]), [(1, 1)]);
    }

    #[test]
    fn step_line_keeps_lowest_and_highest_values() {
        let line = thin_step_line([(0, Some(100)), (100, Some(50)), (101, Some(10)), (102, Some(90)), (200, Some(90))]);
        use PenStep::{Draw, Move};
        let expected = [Move(0, 100), Draw(100, 0), Draw(0, -50), Draw(0, -40), Draw(0, 80), Draw(2, 0), Draw(98, 0)];
        assert_eq!(line.steps, expected);
    }

    #[test]
    fn missing_value_interrupts_the_line() {
        let line = thin_step_line([(0, Some(10)), (50, None), (60, None), (80, Some(20)), (90, Some(20))]);
        assert_eq!(
            line.steps,
            [PenStep::Move(0, 10), PenStep::Draw(50, 0), PenStep::Move(80, 20), PenStep::Draw(10, 0)]
        );
    }

    #[test]
    fn million_points_are_thinned_to_one_column_per_half_pixel() {
        let line = thin_step_line((0..1_000_000).map(|i| (i / 100, Some(i % 7))));
        assert!(line.steps.len() < 12_000, "{}", line.steps.len());
    }
}
