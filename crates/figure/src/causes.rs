//! Causes of a flow's time by name, with their colours, for the rules of style sheets.

use engine::Span;
use observe::explain::{Cause, captured_causes};

/// The name and the colours of every cause, as 0xRRGGBB on a light and on a dark background. The causes of simulated
/// runs come first, in the order of a stacked bar. The names that stand for several causes in captures follow; each has the
/// colours of its first cause.
pub fn list_cause_colors() -> Vec<(&'static str, [u32; 2])> {
    let mut colors: Vec<_> = Cause::ALL.into_iter().map(|cause| (cause.name(), cause.colors())).collect();
    for window_known in [true, false] {
        for cause in Cause::ALL {
            for captured in captured_causes(&[(cause, Span::from_secs(1))], window_known) {
                if !colors.iter().any(|(name, _)| *name == captured.name) {
                    colors.push((captured.name, captured.first.colors()));
                }
            }
        }
    }
    colors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cause_of_captures_has_the_colour_of_the_first_cause_that_it_combines() {
        let colors = list_cause_colors();
        let of = |name: &str| colors.iter().find(|(other, _)| *other == name).map(|(_, colors)| *colors);
        assert_eq!(of("path"), Some(Cause::LinkRate.colors()));
        assert_eq!(of("loss"), Some(Cause::AirLoss.colors()));
        assert_eq!(of("window"), Some(Cause::CongestionAvoidance.colors()));
        assert_eq!(colors.len(), Cause::ALL.len() + 3);
    }
}
