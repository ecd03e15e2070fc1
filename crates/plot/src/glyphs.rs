//! Outlines of the glyphs of the embedded font, Noto Sans (SIL Open Font License), in two weights.

use ttf_parser::{Face, OutlineBuilder};

use crate::text::Weight;

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

    /// Draws the outline of `text` at font size `size` (pixels), its left end at (0, 0) on the baseline. Returns the
    /// width in pixels.
    pub fn outline(&self, text: &str, size: f32, weight: Weight, pen: &mut dyn Pen) -> f32 {
        let face = self.face(weight);
        let scale = size / f32::from(face.units_per_em());
        let mut left = 0.0;
        for c in text.chars() {
            let (glyph, advance) = find_advance(face, c);
            face.outline_glyph(glyph, &mut PlacedGlyph { pen, scale, left });
            left += f32::from(advance) * scale;
        }
        left
    }
}

fn find_advance(face: &Face<'_>, c: char) -> (ttf_parser::GlyphId, u16) {
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
struct PlacedGlyph<'a> {
    pen: &'a mut dyn Pen,
    scale: f32,
    left: f32,
}

impl PlacedGlyph<'_> {
    fn x(&self, x: f32) -> f32 {
        self.left + x * self.scale
    }
    fn y(&self, y: f32) -> f32 {
        -y * self.scale
    }
}

impl OutlineBuilder for PlacedGlyph<'_> {
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
