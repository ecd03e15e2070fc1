//! Widths of texts in the embedded font, Noto Sans. The build script reads the widths from the font. Therefore pictures
//! have the same layout if the font itself is not included.

/// Font families for browsers; the embedded font first.
pub(crate) const FAMILIES: &str = "Noto Sans, Helvetica Neue, Arial, sans-serif";

/// Font weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// The advance widths of a face, in units of the font.
struct Advances {
    units_per_em: u16,
    /// Width of the glyph for missing characters.
    missing: u16,
    /// The first of consecutive characters, and the width of each; in ascending order.
    runs: &'static [(u32, &'static [u16])],
}

include!(concat!(env!("OUT_DIR"), "/advances.rs"));

impl Advances {
    fn of(&self, c: char) -> u16 {
        let code = u32::from(c);
        let run = self.runs[..self.runs.partition_point(|(first, _)| *first <= code)].last();
        run.and_then(|(first, widths)| widths.get((code - first) as usize)).copied().unwrap_or(self.missing)
    }
}

/// Width of `text` in pixels at font size `size` in pixels.
pub(crate) fn measure_width(text: &str, size: u32, weight: Weight) -> f64 {
    let advances = match weight {
        Weight::Regular => &REGULAR,
        Weight::Bold => &BOLD,
    };
    let units: u64 = text.chars().map(|c| u64::from(advances.of(c))).sum();
    units as f64 * f64::from(size) / f64::from(advances.units_per_em)
}

/// Returns `text`, cut with an ellipsis to at most `max_width` pixels.
pub(crate) fn fit_text(text: &str, size: u32, weight: Weight, max_width: f64) -> String {
    if measure_width(text, size, weight) <= max_width {
        return text.into();
    }
    let mut cut: Vec<char> = text.chars().collect();
    while !cut.is_empty() {
        cut.pop();
        let shorter: String = cut.iter().collect::<String>().trim_end().to_string() + "\u{2026}";
        if measure_width(&shorter, size, weight) <= max_width {
            return shorter;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_of_texts_equal_the_widths_of_the_font() {
        for (advances, font) in [(&REGULAR, notosans::REGULAR_TTF), (&BOLD, notosans::BOLD_TTF)] {
            let face = ttf_parser::Face::parse(font, 0).unwrap();
            let of = |c| face.glyph_hor_advance(face.glyph_index(c).unwrap_or(ttf_parser::GlyphId(0))).unwrap();
            let wrong: Vec<char> = ('\0'..=char::MAX).filter(|c| advances.of(*c) != of(*c)).collect();
            assert_eq!((advances.units_per_em, wrong), (face.units_per_em(), vec![]));
        }
    }

    #[test]
    fn font_has_all_characters_of_labels() {
        for c in ('!'..='~').chain("\u{2026}\u{2013}\u{d7}\u{b7}".chars()) {
            let has = |advances: &Advances| {
                advances
                    .runs
                    .iter()
                    .any(|(first, widths)| (*first..*first + widths.len() as u32).contains(&u32::from(c)))
            };
            assert!(has(&REGULAR) && has(&BOLD), "{c:?}");
        }
    }

    #[test]
    fn long_texts_are_cut_with_an_ellipsis() {
        let cut = fit_text("a rather long heading that cannot fit", 14, Weight::Bold, 120.0);
        assert!(cut.ends_with('\u{2026}') && measure_width(&cut, 14, Weight::Bold) <= 120.0, "{cut}");
        assert_eq!(fit_text("short", 14, Weight::Bold, 120.0), "short");
    }
}
