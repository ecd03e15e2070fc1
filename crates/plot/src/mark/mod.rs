//! Marks, with their table and the code that draws them.

mod occurrence;
mod table;

use path::agent::Effect;

use crate::ink::{Path, PenStep, Style, to_tenths};
use crate::palette::Palette;
pub use occurrence::PacketRole;
pub(crate) use occurrence::{Occurrence, PacketFate};
pub use table::{Mark, MarkLayer, MarkRow};

/// The role of a mark's colour, which is a colour of the palette.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ColorRole {
    /// Retransmissions: filled, with an edge.
    Again,
    /// Losses.
    Lost,
    /// Timeouts and recoveries of the sender.
    Concluded,
    /// Notices of nodes between the ends, and actions of their schemes.
    Notice,
    /// The slow start threshold.
    Ssthresh,
}

impl ColorRole {
    /// Returns the name of the role's colour in the [palette](crate::list_palette_colors).
    pub const fn name(self) -> &'static str {
        match self {
            ColorRole::Again => "again",
            ColorRole::Lost => "lost",
            ColorRole::Concluded => "concluded",
            ColorRole::Notice => "notice",
            ColorRole::Ssthresh => "ssthresh",
        }
    }

    /// The name of the colour of the edge around the filled shape; `None` for shapes of lines.
    pub const fn edge(self) -> Option<&'static str> {
        match self {
            ColorRole::Again => Some("again-edge"),
            _ => None,
        }
    }
}

/// A step of the pen along a mark's shape. Positions are relative to the mark's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum MarkStep {
    /// Moves the pen.
    Move(f64, f64),
    /// Draws a line.
    Line(f64, f64),
    /// Draws a circle of this radius around the pen.
    Circle(f64),
    /// Draws a line to where the last move ended.
    Close,
}

impl Mark {
    /// The mark of an action with this effect.
    pub const fn of_action(effect: Effect) -> Self {
        match effect {
            Effect::Forwards => Mark::Forwards,
            Effect::Resends => Mark::Resends,
            Effect::Acknowledges => Mark::Acknowledges,
            Effect::Holds => Mark::Holds,
            Effect::Releases => Mark::Releases,
            Effect::DropsAck => Mark::DropsAck,
            Effect::DropsData => Mark::DropsData,
            Effect::Pauses => Mark::Pauses,
            Effect::Resumes => Mark::Resumes,
            Effect::ReportsLoss => Mark::ReportsLoss,
        }
    }

    /// The mark's CSS class, for style sheets and tests.
    pub(crate) fn class(self) -> &'static str {
        self.row().kind
    }

    /// The mark's name in the legend.
    pub(crate) fn label(self) -> &'static str {
        self.row().label
    }

    /// The mark's colours and line style.
    pub(crate) fn style(self, palette: &Palette) -> Style {
        let MarkRow { role, width, .. } = *self.row();
        match role {
            ColorRole::Again => Style { fill: Some(palette.again), ..Style::stroke(palette.again_edge, width) },
            ColorRole::Lost => Style::stroke(palette.lost, width),
            ColorRole::Concluded => Style::stroke(palette.concluded, width),
            ColorRole::Notice => Style::stroke(palette.notice, width),
            ColorRole::Ssthresh => Style::stroke(palette.ssthresh, width),
        }
    }

    /// Appends one mark at (`x`, `y`) to `path`, scaled by `size`.
    pub(crate) fn stamp(self, path: &mut Path, (x, y): (i32, i32), size: f64) {
        let at = |px: f64, py: f64| (to_tenths(px * size), to_tenths(py * size));
        // The pen's position, relative to the mark's.
        let mut pen = None;
        for step in self.row().shape {
            match *step {
                MarkStep::Move(px, py) => {
                    let (right, down) = at(px, py);
                    match pen {
                        None => {
                            path.move_to(x + right, y + down);
                        }
                        Some((from, top)) => {
                            path.extend(&[PenStep::Hop(right - from, down - top)]);
                        }
                    }
                    pen = Some((right, down));
                }
                MarkStep::Line(px, py) => {
                    let ((right, down), (from, top)) = (at(px, py), pen.unwrap_or_default());
                    path.extend(&[PenStep::Draw(right - from, down - top)]);
                    pen = Some((right, down));
                }
                MarkStep::Circle(radius) => {
                    path.extend(&[PenStep::Circle(to_tenths(radius * size))]);
                }
                MarkStep::Close => {
                    path.extend(&[PenStep::Close]);
                }
            }
        }
    }

    /// The shape as SVG path data, in pixels around the mark's position.
    pub fn path_data(self) -> String {
        let step = |step: &MarkStep| match *step {
            MarkStep::Move(x, y) => format!("M{x} {y}"),
            MarkStep::Line(x, y) => format!("L{x} {y}"),
            MarkStep::Circle(r) => format!("m{} 0a{r} {r} 0 1 0 {} 0a{r} {r} 0 1 0 {} 0", -r, 2.0 * r, -2.0 * r),
            MarkStep::Close => "Z".to_owned(),
        };
        self.row().shape.iter().map(step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks are counted by their `Move` steps. Each mark is centred on its position.
    #[test]
    fn path_of_every_mark_starts_with_its_only_move_and_is_centred() {
        for mark in Mark::ALL {
            let mut path = Path::default();
            mark.stamp(&mut path, (1000, 2000), 1.0);
            let (mut at, mut ends) = ((0, 0), Vec::new());
            for step in &path.steps {
                match *step {
                    PenStep::Move(x, y) => at = (x, y),
                    PenStep::Hop(x, y) | PenStep::Draw(x, y) => at = (at.0 + x, at.1 + y),
                    PenStep::Circle(_) | PenStep::Close => {}
                }
                ends.push(at);
            }
            let side = |pick: fn(&(i32, i32)) -> i32| {
                (ends.iter().map(pick).min().unwrap(), ends.iter().map(pick).max().unwrap())
            };
            let ((left, right), (top, bottom)) = (side(|p| p.0), side(|p| p.1));
            assert_eq!(left + right, 2000, "{mark:?} is symmetric");
            assert!(top >= 1900 && bottom <= 2100 && top < 2000, "{mark:?}: {top} to {bottom}");
            assert_eq!(path.steps.iter().filter(|step| matches!(step, PenStep::Move(..))).count(), 1, "{mark:?}");
        }
    }

    #[test]
    fn every_mark_has_a_meaning_and_a_unique_kind() {
        let kinds: std::collections::BTreeSet<&str> = Mark::ALL.iter().map(|mark| mark.row().kind).collect();
        assert_eq!(kinds.len(), Mark::ALL.len());
        for mark in Mark::ALL {
            let MarkRow { label, what, why, .. } = mark.row();
            let of_scheme = Effect::ALL.iter().any(|effect| Mark::of_action(*effect) == *mark);
            assert_eq!(label.is_empty(), of_scheme, "{mark:?}: schemes label their own actions");
            assert!(what.starts_with(char::is_uppercase) || *mark == Mark::Above, "{mark:?}: {what}");
            assert!(!why.is_empty() && !what.ends_with('.') && !why.ends_with('.'), "{mark:?}");
        }
    }

    #[test]
    fn path_data_draws_the_shape_around_the_position() {
        assert_eq!(Mark::Resent.path_data(), "M0 -3.8L3.8 0L0 3.8L-3.8 0Z");
        assert_eq!(Mark::Timeout.path_data(), "M0 -9.01L0 -6.2M0 0m-6.2 0a6.2 6.2 0 1 0 12.4 0a6.2 6.2 0 1 0 -12.4 0");
    }
}
