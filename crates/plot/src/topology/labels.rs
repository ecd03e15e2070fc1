//! Places for texts that cover neither each other nor the symbols.

use std::ops::Range;

use crate::frame::PanelArea;

/// Minimum distance in pixels between texts.
const APART: f64 = 3.0;

/// The rectangles that texts must not cover, and the lines that they cover only if there is no other place.
#[derive(Default)]
pub(super) struct OccupiedSpace {
    areas: Vec<PanelArea>,
    lines: Vec<[(f64, f64); 2]>,
}

pub(super) fn has_overlap(a: &PanelArea, b: &PanelArea) -> bool {
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

/// The rectangle of this width and height around a point.
pub(super) fn center_area((x, y): (f64, f64), (width, height): (f64, f64)) -> PanelArea {
    PanelArea { left: x - width / 2.0, top: y - height / 2.0, right: x + width / 2.0, bottom: y + height / 2.0 }
}

/// Whether a line from `a` to `b` crosses a rectangle (Liang and Barsky 1984).
fn is_crossed(area: &PanelArea, [a, b]: &[(f64, f64); 2]) -> bool {
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

impl OccupiedSpace {
    pub fn add_area(&mut self, area: PanelArea) {
        self.areas.push(area);
    }

    /// Adds the lines between successive points and returns their numbers.
    pub fn add_line(&mut self, points: &[(f64, f64)]) -> Range<usize> {
        let first = self.lines.len();
        self.lines.extend(points.windows(2).map(|pair| [pair[0], pair[1]]));
        first..self.lines.len()
    }

    fn is_free(&self, area: &PanelArea) -> bool {
        let wider = PanelArea {
            left: area.left - APART,
            top: area.top - APART,
            right: area.right + APART,
            bottom: area.bottom + APART,
        };
        self.areas.iter().all(|taken| !has_overlap(taken, &wider))
    }

    /// Takes the first of some rectangles that covers nothing but lines with these numbers, or else the first that
    /// covers only lines. Returns `None` if each of them covers a rectangle.
    pub fn take_free_area(&mut self, candidates: &[PanelArea], own: Range<usize>) -> Option<PanelArea> {
        let free: Vec<&PanelArea> = candidates.iter().filter(|area| self.is_free(area)).collect();
        let clear = |area: &&&PanelArea| {
            let mut lines = self.lines.iter().enumerate().filter(|(number, _)| !own.contains(number));
            !lines.any(|(_, line)| is_crossed(area, line))
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
        let mut taken = OccupiedSpace::default();
        let at = |x: f64| center_area((x, 0.0), (20.0, 10.0));
        taken.add_area(at(0.0));
        taken.add_line(&[(30.0, -50.0), (30.0, 50.0)]);
        assert_eq!(taken.take_free_area(&[at(5.0), at(30.0), at(60.0)], 0..0), Some(at(60.0)), "neither text nor line");
        assert_eq!(taken.take_free_area(&[at(5.0), at(30.0), at(60.0)], 0..0), Some(at(30.0)), "only a line");
        let mut own = OccupiedSpace::default();
        let line = own.add_line(&[(30.0, -50.0), (30.0, 50.0)]);
        assert_eq!(own.take_free_area(&[at(30.0), at(60.0)], line), Some(at(30.0)), "its own line");
        assert_eq!(taken.take_free_area(&[at(5.0), at(30.0), at(60.0)], 0..0), None);
    }

    #[test]
    fn line_that_ends_before_a_rectangle_does_not_cross_it() {
        let area = center_area((0.0, 0.0), (10.0, 10.0));
        assert!(is_crossed(&area, &[(-20.0, -20.0), (20.0, 20.0)]));
        assert!(!is_crossed(&area, &[(-20.0, -20.0), (-6.0, -6.0)]));
        assert!(!is_crossed(&area, &[(-20.0, 6.0), (20.0, 6.0)]));
    }
}
