//! Symbols of nodes, 20 pixels wide and high around their centre.

use super::graph::NodeSymbol;
use crate::frame::Sheet;
use crate::ink::{Path, PenStep, Style, to_tenths};

/// Width and height in pixels.
pub(super) const ICON: f64 = 22.0;

/// Draws the symbol of a kind around `at`.
pub(super) fn draw_icon(sheet: &mut Sheet, kind: NodeSymbol, at: (f64, f64), title: String) {
    let (x, y) = (to_tenths(at.0), to_tenths(at.1));
    let mut path = Path::default();
    match kind {
        // A screen on a stand.
        NodeSymbol::Host => {
            path.rect(x - 95, y - 80, 190, 120);
            path.move_to(x, y + 40).line_to(x, y + 80);
            path.move_to(x - 55, y + 80).line_to(x + 55, y + 80);
        }
        // A telephone.
        NodeSymbol::Mobile => {
            path.rect(x - 55, y - 95, 110, 190);
            path.move_to(x - 20, y + 65).line_to(x + 20, y + 65);
        }
        // A disc with a cross.
        NodeSymbol::Router => {
            path.move_to(x, y).extend(&[PenStep::Circle(95)]);
            path.move_to(x - 45, y - 45).line_to(x + 45, y + 45);
            path.move_to(x - 45, y + 45).line_to(x + 45, y - 45);
        }
        // A mast with waves on both sides.
        NodeSymbol::BaseStation => {
            path.move_to(x - 45, y + 95).line_to(x, y - 40).line_to(x + 45, y + 95);
            path.move_to(x - 25, y + 35).line_to(x + 25, y + 35);
            for side in [-1, 1] {
                for radius in [50.0, 90.0] {
                    draw_wave(&mut path, (at.0, at.1 - 4.0), side, radius / 10.0);
                }
            }
        }
    }
    let line = Style::stroke(sheet.palette.text, 1.3).with_round_ends();
    let style = Style { fill: Some(sheet.palette.background), ..line };
    sheet.path("node", title, path, style);
}

/// Draws an arc from 45 degrees above the horizontal to 45 degrees below, on the right (1) or the left (-1).
fn draw_wave(path: &mut Path, (x, y): (f64, f64), side: i32, radius: f64) {
    for part in 0..=6 {
        let angle = (f64::from(part) - 3.0) * std::f64::consts::FRAC_PI_4 / 3.0;
        let at = (to_tenths(x + f64::from(side) * radius * libm::cos(angle)), to_tenths(y + radius * libm::sin(angle)));
        match part {
            0 => path.move_to(at.0, at.1),
            _ => path.line_to(at.0, at.1),
        };
    }
}
