//! The embedded font: Noto Sans (SIL Open Font License) in two weights.

use ttf_parser::{Face, OutlineBuilder};

/// Font families for browsers; the embedded font first.
pub(crate) const FAMILIES: &str = "Noto Sans, Helvetica Neue, Arial, sans-serif";

/// Font weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// The parsed font, in both weights.
pub(crate) struct Fonts {
    regular: Face<'static>,
    bold: Face<'static>,
}

impl Fonts {
    pub fn load() -> Self {
        let face = |bytes| Face::parse(bytes, 0).expect("the embedded font is valid");
        Fonts { regular: face(notosans::REGULAR_TTF), bold: face(notosans::BOLD_TTF) }
    }

    fn face(&self, weight: Weight) -> &Face<'static> {
        match weight {
            Weight::Regular => &self.regular,
            Weight::Bold => &self.bold,
        }
    }

    /// Width of `text` in pixels at font size `size` in pixels.
    pub fn width(&self, text: &str, size: u32, weight: Weight) -> f64 {
        let face = self.face(weight);
        let units: u64 = text.chars().map(|c| u64::from(advance(face, c).1)).sum();
        units as f64 * f64::from(size) / f64::from(face.units_per_em())
    }

    /// Returns `text`, cut with an ellipsis to at most `max_width` pixels.
    pub fn fit(&self, text: &str, size: u32, weight: Weight, max_width: f64) -> String {
        if self.width(text, size, weight) <= max_width {
            return text.into();
        }
        let mut cut: Vec<char> = text.chars().collect();
        while !cut.is_empty() {
            cut.pop();
            let shorter: String = cut.iter().collect::<String>().trim_end().to_string() + "\u{2026}";
            if self.width(&shorter, size, weight) <= max_width {
                return shorter;
            }
        }
        String::new()
    }

    /// Draws the outline of `text` at font size `size` (pixels), its left end at (0, 0) on the baseline. Returns the
    /// width in pixels.
    pub fn outline(&self, text: &str, size: f32, weight: Weight, pen: &mut dyn Pen) -> f32 {
        let face = self.face(weight);
        let scale = size / f32::from(face.units_per_em());
        let mut left = 0.0;
        for c in text.chars() {
            let (glyph, advance) = advance(face, c);
            face.outline_glyph(glyph, &mut Placed { pen, scale, left });
            left += f32::from(advance) * scale;
        }
        left
    }
}

fn advance(face: &Face<'_>, c: char) -> (ttf_parser::GlyphId, u16) {
    // Glyph 0 is the font's box for missing characters.
    let glyph = face.glyph_index(c).unwrap_or(ttf_parser::GlyphId(0));
    (glyph, face.glyph_hor_advance(glyph).unwrap_or(0))
}

/// Receives the outline of a glyph; the y axis points downwards.
pub(crate) trait Pen {
    fn move_to(&mut self, x: f32, y: f32);
    fn line_to(&mut self, x: f32, y: f32);
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32);
    fn cubic_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32);
    fn close(&mut self);
}

/// Draws the outline of a glyph, scaled and shifted to its position in the line of text.
struct Placed<'a> {
    pen: &'a mut dyn Pen,
    scale: f32,
    left: f32,
}

impl Placed<'_> {
    fn x(&self, x: f32) -> f32 {
        self.left + x * self.scale
    }
    fn y(&self, y: f32) -> f32 {
        -y * self.scale
    }
}

impl OutlineBuilder for Placed<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = (self.x(x), self.y(y));
        self.pen.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = (self.x(x), self.y(y));
        self.pen.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (x1, y1, x, y) = (self.x(x1), self.y(y1), self.x(x), self.y(y));
        self.pen.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (x1, y1, x2, y2) = (self.x(x1), self.y(y1), self.x(x2), self.y(y2));
        let (x, y) = (self.x(x), self.y(y));
        self.pen.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.pen.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn font_has_all_characters_of_labels() {
        let fonts = Fonts::load();
        for c in ('!'..='~').chain("\u{2026}\u{2013}\u{d7}\u{b7}".chars()) {
            assert!(fonts.regular.glyph_index(c).is_some() && fonts.bold.glyph_index(c).is_some(), "{c:?}");
        }
    }

    #[test]
    fn long_texts_are_cut_with_an_ellipsis() {
        let fonts = Fonts::load();
        let cut = fonts.fit("a rather long heading that cannot fit", 14, Weight::Bold, 120.0);
        assert!(cut.ends_with('\u{2026}') && fonts.width(&cut, 14, Weight::Bold) <= 120.0, "{cut}");
        assert_eq!(fonts.fit("short", 14, Weight::Bold, 120.0), "short");
    }
}
