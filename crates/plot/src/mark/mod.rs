//! Marks: one shape for each kind of event. Kinds differ in shape, so that colour is not needed to tell them apart, and
//! the shapes nest: a retransmission lies inside the mark of its cause.

use path::agent::Effect;

use crate::ink::{Path, Step, Style, tenths};
use crate::palette::Palette;

/// A kind of event that is drawn as a mark at a time and a sequence number, or in a station's row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    Resent,
    Lost,
    AckLost,
    Corrupted,
    Timeout,
    FastRetransmit,
    Defer,
    Retransmit,
    /// Data sent by a node between the ends, such as a local retransmission of Snoop.
    LocalCopy,
    /// An acknowledgment consumed by a node between the ends.
    AckTaken,
    /// An action of a node's scheme, with its label.
    Action(Effect, &'static str),
    /// ssthresh exceeds the axis.
    Above,
    /// A frame lost to a collision.
    Collided,
    /// A frame corrupted by the channel.
    Damaged,
    /// A frame whose receiver is out of range.
    OutOfRange,
}

impl Mark {
    /// The mark's CSS class, for style sheets and tests.
    pub fn class(self) -> &'static str {
        match self {
            Mark::Resent => "resent",
            Mark::Lost => "lost",
            Mark::AckLost => "ack-lost",
            Mark::Corrupted => "corrupted",
            Mark::Timeout => "timeout",
            Mark::FastRetransmit => "fast-retransmit",
            Mark::Defer => "icmp-defer",
            Mark::Retransmit => "icmp-retransmit",
            Mark::LocalCopy => "local-copy",
            Mark::AckTaken => "ack-taken",
            Mark::Action(effect, _) => action_class(effect),
            Mark::Above => "ssthresh-above",
            Mark::Collided => "collided",
            Mark::Damaged => "frame-corrupted",
            Mark::OutOfRange => "out-of-range",
        }
    }

    /// The mark's name in the legend.
    pub fn label(self) -> &'static str {
        match self {
            Mark::Resent => "sent again",
            Mark::Lost => "packet lost",
            Mark::AckLost => "ACK lost",
            Mark::Corrupted => "frame corrupted",
            Mark::Timeout => "timeout",
            Mark::FastRetransmit => "recovery",
            Mark::Defer => "ICMP-DEFER",
            Mark::Retransmit => "ICMP-RETRANSMIT",
            Mark::LocalCopy => "sent by the base station",
            Mark::AckTaken => "ACK consumed by the base station",
            Mark::Action(_, label) => label,
            Mark::Above => "ssthresh above the scale",
            Mark::Collided => "collided",
            Mark::Damaged => "corrupted by the channel",
            Mark::OutOfRange => "out of range",
        }
    }

    /// The mark's colours and line style.
    pub fn style(self, palette: &Palette) -> Style {
        match self {
            Mark::Resent => Style { fill: Some(palette.again), ..Style::stroke(palette.again_edge, 0.8) },
            Mark::Lost => Style::stroke(palette.lost, 2.0),
            Mark::AckLost => Style::stroke(palette.lost, 1.4),
            Mark::Corrupted => Style::stroke(palette.lost, 0.8),
            Mark::Timeout | Mark::FastRetransmit => Style::stroke(palette.concluded, 1.4),
            Mark::Defer | Mark::Retransmit => Style::stroke(palette.notice, 1.4),
            Mark::LocalCopy | Mark::AckTaken | Mark::Action(..) => Style::stroke(palette.notice, 1.4),
            Mark::Above => Style::stroke(palette.ssthresh, 1.6),
            Mark::Collided | Mark::Damaged | Mark::OutOfRange => Style::stroke(palette.lost, 1.8),
        }
    }

    /// Appends one mark at (`x`, `y`) to `path`, scaled by `size`.
    pub fn stamp(self, path: &mut Path, (x, y): (i32, i32), size: f64) {
        use Step::{Circle, Close, Draw, Hop};
        let t = |pixels: f64| tenths(pixels * size);
        match self {
            Mark::Resent => {
                let r = t(3.8);
                path.move_to(x, y - r).extend(&[Draw(r, r), Draw(-r, r), Draw(-r, -r), Close]);
            }
            Mark::Lost | Mark::Collided => cross(path, x, y, t(4.0)),
            Mark::Corrupted => cross(path, x, y, t(1.5)),
            Mark::AckLost | Mark::Damaged => {
                let r = t(4.0);
                path.move_to(x - r, y).extend(&[Draw(2 * r, 0), Hop(-r, -r), Draw(0, 2 * r)]);
            }
            // The shape of a stop watch: a circle with a knob.
            Mark::Timeout => {
                let (r, knob) = (t(6.2), t(2.8));
                path.move_to(x, y - r - knob).extend(&[Draw(0, knob), Hop(0, r), Circle(r)]);
            }
            Mark::FastRetransmit => {
                let (up, down, side) = (t(8.6), t(5.4), t(7.6));
                path.move_to(x, y - up);
                path.extend(&[Draw(side, up + down), Draw(-2 * side, 0), Close]);
            }
            Mark::Defer => {
                let (r, dx, dy) = (t(4.8), t(4.2), t(2.4));
                path.move_to(x, y - r).extend(&[Draw(0, 2 * r)]);
                path.extend(&[Hop(-dx, -dy - r), Draw(2 * dx, 2 * dy)]);
                path.extend(&[Hop(0, -2 * dy), Draw(-2 * dx, 2 * dy)]);
            }
            Mark::Retransmit => {
                let r = t(5.8);
                path.rect(x - r, y - r, 2 * r, 2 * r);
            }
            // A chevron to the right, around the position.
            Mark::LocalCopy => {
                let (r, side) = (t(4.0), t(2.4));
                path.move_to(x - side, y - r).extend(&[Draw(2 * side, r), Draw(-2 * side, r)]);
            }
            // A lying bar below an upright one: the acknowledgment goes no further.
            Mark::AckTaken => {
                let r = t(3.6);
                path.move_to(x, y - r).extend(&[Draw(0, 2 * r), Hop(-r, 0), Draw(2 * r, 0)]);
            }
            Mark::Action(effect, _) => stamp_action(effect, path, (x, y), size),
            Mark::OutOfRange => {
                let r = t(4.0);
                path.move_to(x, y - r).extend(&[Hop(0, r), Circle(r)]);
            }
            Mark::Above => {
                let (r, head) = (t(5.5), t(4.0));
                path.move_to(x, y + r).extend(&[Draw(0, -2 * r)]);
                path.extend(&[Hop(-head, head), Draw(head, -head), Draw(head, head)]);
            }
        }
    }
}

fn action_class(effect: Effect) -> &'static str {
    match effect {
        Effect::Forwards => "action-forwards",
        Effect::Resends => "action-resends",
        Effect::Acknowledges => "action-acknowledges",
        Effect::Holds => "action-holds",
        Effect::Releases => "action-releases",
        Effect::DropsAck => "action-drops-ack",
        Effect::DropsData => "action-drops-data",
        Effect::Pauses => "action-pauses",
        Effect::Resumes => "action-resumes",
        Effect::ReportsLoss => "action-reports-loss",
    }
}

/// Chevrons point towards the receiver or the sender and are double for what is sent late; a T ends what goes no
/// further; circles stop the sender or let it go.
fn stamp_action(effect: Effect, path: &mut Path, (x, y): (i32, i32), size: f64) {
    use Step::{Circle, Close, Draw, Hop};
    let t = |pixels: f64| tenths(pixels * size);
    let (r, side) = (t(4.0), t(2.2));
    match effect {
        Effect::Forwards => {
            path.move_to(x - side, y - r).extend(&[Draw(2 * side, r), Draw(-2 * side, r)]);
        }
        Effect::Acknowledges => {
            path.move_to(x + side, y - r).extend(&[Draw(-2 * side, r), Draw(2 * side, r)]);
        }
        Effect::Resends => {
            let arrow = [Draw(2 * side, r), Draw(-2 * side, r)];
            path.move_to(x - 2 * side, y - r).extend(&arrow).extend(&[Hop(2 * side, -2 * r)]).extend(&arrow);
            path.extend(&[Hop(2 * side, -r)]);
        }
        Effect::Releases => {
            let arrow = [Draw(-2 * side, r), Draw(2 * side, r)];
            path.move_to(x + 2 * side, y - r).extend(&arrow).extend(&[Hop(-2 * side, -2 * r)]).extend(&arrow);
            path.extend(&[Hop(-2 * side, -r)]);
        }
        Effect::Holds => {
            path.move_to(x - side, y - r).extend(&[Draw(0, 2 * r), Hop(2 * side, -2 * r), Draw(0, 2 * r)]);
        }
        Effect::DropsAck => {
            path.move_to(x - r, y + r).extend(&[Draw(2 * r, 0), Hop(-r, 0), Draw(0, -2 * r)]);
        }
        Effect::DropsData => {
            path.move_to(x - r, y - r).extend(&[Draw(2 * r, 0), Hop(-r, 0), Draw(0, 2 * r)]);
        }
        Effect::Pauses => {
            path.move_to(x - r, y).extend(&[Draw(2 * r, 0), Hop(-r, 0), Circle(t(4.6)), Hop(0, -r), Hop(0, r)]);
        }
        Effect::Resumes => {
            path.move_to(x, y - r).extend(&[Hop(0, r), Circle(r)]);
        }
        Effect::ReportsLoss => {
            path.move_to(x - r, y).extend(&[Draw(2 * r, -r), Draw(0, 2 * r), Close]);
        }
    }
}

fn cross(path: &mut Path, x: i32, y: i32, r: i32) {
    use Step::{Draw, Hop};
    path.move_to(x - r, y - r).extend(&[Draw(2 * r, 2 * r), Hop(-2 * r, 0), Draw(2 * r, -2 * r)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks are counted by their `Move` steps, and each mark is centred on its position.
    #[test]
    fn path_of_every_mark_starts_with_its_only_move_and_is_centred() {
        use Mark::*;
        let actions = Effect::ALL.map(|effect| Action(effect, ""));
        let others = [
            Resent,
            Lost,
            AckLost,
            Corrupted,
            Timeout,
            FastRetransmit,
            Defer,
            Retransmit,
            LocalCopy,
            AckTaken,
            Above,
            Collided,
            Damaged,
            OutOfRange,
        ];
        for mark in others.into_iter().chain(actions) {
            let mut path = Path::default();
            mark.stamp(&mut path, (1000, 2000), 1.0);
            let (mut at, mut ends) = ((0, 0), Vec::new());
            for step in &path.steps {
                match *step {
                    Step::Move(x, y) => at = (x, y),
                    Step::Hop(x, y) | Step::Draw(x, y) => at = (at.0 + x, at.1 + y),
                    Step::Circle(_) | Step::Close => {}
                }
                ends.push(at);
            }
            let side = |pick: fn(&(i32, i32)) -> i32| {
                (ends.iter().map(pick).min().unwrap(), ends.iter().map(pick).max().unwrap())
            };
            let ((left, right), (top, bottom)) = (side(|p| p.0), side(|p| p.1));
            assert_eq!(left + right, 2000, "{mark:?} is symmetric");
            assert!(top >= 1900 && bottom <= 2100 && top < 2000, "{mark:?}: {top} to {bottom}");
            assert_eq!(path.steps.iter().filter(|step| matches!(step, Step::Move(..))).count(), 1, "{mark:?}");
        }
    }
}
