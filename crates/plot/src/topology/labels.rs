//! Places for texts that cover neither each other nor what they belong to.

use std::ops::Range;

use crate::frame::Area;

/// Least distance in pixels between texts.
const APART: f64 = 3.0;

/// The rectangles that texts must not cover, and lines that they cover only if there is no other place.
#[derive(Default)]
pub(super) struct Taken {
    areas: Vec<Area>,
    lines: Vec<[(f64, f64); 2]>,
}

pub(super) fn overlap(a: &Area, b: &Area) -> bool {
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

/// The rectangle of this width and height around a point.
pub(super) fn around((x, y): (f64, f64), (width, height): (f64, f64)) -> Area {
    Area { left: x - width / 2.0, top: y - height / 2.0, right: x + width / 2.0, bottom: y + height / 2.0 }
}

/// Whether a line from `a` to `b` crosses a rectangle (Liang and Barsky 1984).
fn crosses(area: &Area, [a, b]: &[(f64, f64); 2]) -> bool {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let sides = [(-dx, a.0 - area.left), (dx, area.right - a.0), (-dy, a.1 - area.top), (dy, area.bottom - a.1)];
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    for (towards, room) in sides {
        if towards == 0.0 {
            if room < 0.0 {
                return false;
            }
        } else if towards < 0.0 {
            enters = enters.max(room / towards);
        } else {
            leaves = leaves.min(room / towards);
        }
    }
    enters <= leaves
}

impl Taken {
    pub fn area(&mut self, area: Area) {
        self.areas.push(area);
    }

    /// Adds the lines between successive points and returns their numbers.
    pub fn course(&mut self, points: &[(f64, f64)]) -> Range<usize> {
        let first = self.lines.len();
        self.lines.extend(points.windows(2).map(|pair| [pair[0], pair[1]]));
        first..self.lines.len()
    }

    fn is_free(&self, area: &Area) -> bool {
        let wider = Area {
            left: area.left - APART,
            top: area.top - APART,
            right: area.right + APART,
            bottom: area.bottom + APART,
        };
        self.areas.iter().all(|taken| !overlap(taken, &wider))
    }

    /// The first of some rectangles that covers nothing but lines with these numbers, or else the first that covers only
    /// lines; takes it. `None` if each covers a rectangle.
    pub fn take(&mut self, candidates: &[Area], own: Range<usize>) -> Option<Area> {
        let free: Vec<&Area> = candidates.iter().filter(|area| self.is_free(area)).collect();
        let clear = |area: &&&Area| {
            let mut lines = self.lines.iter().enumerate().filter(|(number, _)| !own.contains(number));
            !lines.any(|(_, line)| crosses(area, line))
        };
        let found = **free.iter().find(clear).or(free.first())?;
        self.areas.push(found);
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_takes_the_first_place_that_is_clear() {
        let mut taken = Taken::default();
        let at = |x: f64| around((x, 0.0), (20.0, 10.0));
        taken.area(at(0.0));
        taken.course(&[(30.0, -50.0), (30.0, 50.0)]);
        assert_eq!(taken.take(&[at(5.0), at(30.0), at(60.0)], 0..0), Some(at(60.0)), "neither text nor line");
        assert_eq!(taken.take(&[at(5.0), at(30.0), at(60.0)], 0..0), Some(at(30.0)), "only a line");
        let mut own = Taken::default();
        let line = own.course(&[(30.0, -50.0), (30.0, 50.0)]);
        assert_eq!(own.take(&[at(30.0), at(60.0)], line), Some(at(30.0)), "its own line");
        assert_eq!(taken.take(&[at(5.0), at(30.0), at(60.0)], 0..0), None);
    }

    #[test]
    fn line_that_ends_before_a_rectangle_does_not_cross_it() {
        let area = around((0.0, 0.0), (10.0, 10.0));
        assert!(crosses(&area, &[(-20.0, -20.0), (20.0, 20.0)]));
        assert!(!crosses(&area, &[(-20.0, -20.0), (-6.0, -6.0)]));
        assert!(!crosses(&area, &[(-20.0, 6.0), (20.0, 6.0)]));
    }
}
