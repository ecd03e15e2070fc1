//! PNG output of a picture.

use tiny_skia::{FillRule, LineCap, LineJoin, Paint, PathBuilder, Pixmap, Stroke, StrokeDash, Transform};

use crate::glyphs::{Fonts, Pen};
use crate::ink::{Anchor, Color, Path, PenStep, Picture, PictureShape, Style, Text};

/// Pixels for each unit of the SVG in the PNG files that the command and the Python package write.
pub const PNG_SCALE: f32 = 2.0;

/// The reason why a picture could not be converted to PNG.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The image would have no pixels, or more than fit into memory.
    #[error(
        "a picture of {width} x {height} pixels cannot be {scale} times as large: choose a scale between 0.1 and 10"
    )]
    Size {
        /// Width of the picture in pixels at scale 1.
        width: u32,
        /// Height of the picture in pixels at scale 1.
        height: u32,
        /// The requested scale.
        scale: f32,
    },
    /// The PNG encoder failed.
    #[error("the picture could not be written as PNG: {0}")]
    Encoding(String),
}

impl Picture {
    /// Returns the picture as PNG, scaled by `scale` (0.1 to 10; 2 suits most screens). Text is painted with the
    /// embedded font.
    ///
    /// # Errors
    ///
    /// [`PngError::Size`] if `scale` is out of range or the image is too large, [`PngError::Encoding`] if the encoder
    /// fails.
    pub fn png(&self, scale: f32) -> Result<Vec<u8>, PngError> {
        let error = || PngError::Size { width: self.width, height: self.height, scale };
        if !(0.1..=10.0).contains(&scale) {
            return Err(error());
        }
        let pixels = |length: u32| ((length as f32 * scale).round() as u32).max(1);
        let mut pixmap = Pixmap::new(pixels(self.width), pixels(self.height)).ok_or_else(error)?;
        let Color(rgb) = self.background;
        let [_, r, g, b] = rgb.to_be_bytes();
        pixmap.fill(tiny_skia::Color::from_rgba8(r, g, b, 255));
        let (fonts, transform) = (Fonts::load(), Transform::from_scale(scale, scale));
        for shape in &self.shapes {
            match shape {
                PictureShape::Path { path, style, .. } => paint_path(&mut pixmap, path, style, transform),
                PictureShape::Text(text) => paint_text(&mut pixmap, text, &fonts, transform),
            }
        }
        pixmap.encode_png().map_err(|error| PngError::Encoding(error.to_string()))
    }
}

fn make_paint(color: Color) -> Paint<'static> {
    let [_, r, g, b] = color.0.to_be_bytes();
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(r, g, b, 255);
    paint
}

fn convert_to_pixels(tenths: i32) -> f32 {
    tenths as f32 / 10.0
}

fn paint_path(pixmap: &mut Pixmap, path: &Path, style: &Style, transform: Transform) {
    let Some(outline) = build_outline(&path.steps) else { return };
    if let Some(color) = style.fill {
        pixmap.fill_path(&outline, &make_paint(color), FillRule::Winding, transform, None);
    }
    if let Some(color) = style.stroke {
        let (line_cap, line_join) =
            if style.round { (LineCap::Round, LineJoin::Round) } else { (LineCap::Butt, LineJoin::Miter) };
        let dash =
            style.dash.and_then(|[on, off]| StrokeDash::new(vec![convert_to_pixels(on), convert_to_pixels(off)], 0.0));
        let stroke = Stroke { width: convert_to_pixels(style.width), line_cap, line_join, dash, ..Stroke::default() };
        pixmap.stroke_path(&outline, &make_paint(color), &stroke, transform, None);
    }
}

/// Converts steps to an outline; `None` if there is nothing to paint.
fn build_outline(steps: &[PenStep]) -> Option<tiny_skia::Path> {
    let mut builder = PathBuilder::new();
    // The pen's position, and the position of the last `Move` or `Hop`.
    let (mut at, mut down) = ((0, 0), (0, 0));
    for step in steps {
        match *step {
            PenStep::Move(x, y) => (at, down) = ((x, y), (x, y)),
            PenStep::Hop(x, y) => {
                at = (at.0 + x, at.1 + y);
                down = at;
            }
            PenStep::Draw(x, y) => {
                at = (at.0 + x, at.1 + y);
                builder.line_to(convert_to_pixels(at.0), convert_to_pixels(at.1));
            }
            PenStep::Circle(r) => {
                builder.push_circle(convert_to_pixels(at.0), convert_to_pixels(at.1), convert_to_pixels(r));
                at = (at.0 - r, at.1);
                down = at;
            }
            PenStep::Close => {
                builder.close();
                at = down;
            }
        }
        if matches!(step, PenStep::Move(..) | PenStep::Hop(..)) {
            builder.move_to(convert_to_pixels(at.0), convert_to_pixels(at.1));
        }
    }
    builder.finish()
}

fn paint_text(pixmap: &mut Pixmap, text: &Text, fonts: &Fonts, transform: Transform) {
    let mut glyphs = Glyphs(PathBuilder::new());
    let width = fonts.outline(&text.content, text.size as f32, text.weight, &mut glyphs);
    let Some(glyphs) = glyphs.0.finish() else { return };
    let back = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => width / 2.0,
        Anchor::End => width,
    };
    let place = transform.pre_translate(convert_to_pixels(text.x), convert_to_pixels(text.y));
    // A quarter turn with exact coefficients, without sine and cosine.
    let turned =
        if text.upright { place.pre_concat(Transform::from_row(0.0, -1.0, 1.0, 0.0, 0.0, 0.0)) } else { place };
    pixmap.fill_path(&glyphs, &make_paint(text.color), FillRule::Winding, turned.pre_translate(-back, 0.0), None);
}

/// Collects the outlines of glyphs.
struct Glyphs(PathBuilder);

impl Pen for Glyphs {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }
    fn cubic_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.0.close();
    }
}
