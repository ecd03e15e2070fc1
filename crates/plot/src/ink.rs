//! The elements of a picture: a list of shapes, with coordinates in tenths of a pixel, that the SVG and PNG writers
//! read.
//!
//! Integer coordinates make the bytes of a picture identical on all machines, and keep its numbers short.

use crate::text::Weight;

/// A picture, which consists of shapes in the order in which they are painted.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) background: Color,
    /// A description of the picture, for screen readers.
    pub(crate) title: String,
    pub(crate) about: String,
    pub(crate) shapes: Vec<PictureShape>,
}

impl Picture {
    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Adds another picture below this one. The result is as wide as the wider picture.
    pub(crate) fn append(&mut self, below: Picture) {
        let down = to_tenths(f64::from(self.height));
        for mut shape in below.shapes {
            match &mut shape {
                PictureShape::Path { path, .. } => path.shift(down),
                PictureShape::Text(text) => text.y += down,
            }
            self.shapes.push(shape);
        }
        self.width = self.width.max(below.width);
        self.height += below.height;
        self.title = format!("{}; {}", self.title, below.title);
        self.about = format!("{}; {}", self.about, below.about);
    }
}

/// A colour as 0xRRGGBB.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Color(pub u32);

impl Color {
    /// Returns the mean of two colours.
    pub fn halfway_to(self, other: Color) -> Color {
        let half = |shift: u32| (((self.0 >> shift & 0xFF) + (other.0 >> shift & 0xFF)) / 2) << shift;
        Color(half(16) | half(8) | half(0))
    }
}

/// Converts pixels to tenths of a pixel, the unit of all lengths and coordinates here.
pub(crate) fn to_tenths(pixels: f64) -> i32 {
    // `as` saturates at the ends of the range, far outside of any picture.
    (pixels * 10.0).round() as i32
}

/// An element of a picture.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum PictureShape {
    /// Lines or marks of one kind.
    Path {
        /// The kind, as a CSS class for style sheets and tests; empty for axes, grids and legends.
        class: &'static str,
        /// The kind in words, shown as a tooltip.
        title: String,
        path: Path,
        style: Style,
    },
    Text(Text),
}

/// A line of text.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Text {
    /// Position of the anchor, on the baseline.
    pub x: i32,
    pub y: i32,
    pub anchor: Anchor,
    /// Font size in pixels.
    pub size: u32,
    pub weight: Weight,
    pub color: Color,
    /// Rotated by 90 degrees counter-clockwise.
    pub upright: bool,
    /// Width in tenths of a pixel that the text must have in any font, because other elements follow it; `None` if the
    /// width may vary with the font.
    pub width: Option<i32>,
    pub content: String,
}

/// The point of a text that its coordinates denote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// Colours and line style of a path.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Style {
    pub fill: Option<Color>,
    pub stroke: Option<Color>,
    /// Line width in tenths of a pixel.
    pub width: i32,
    /// Lengths of dash and gap in tenths of a pixel; `None` for a solid line.
    pub dash: Option<[i32; 2]>,
    /// Rounded line ends and corners.
    pub round: bool,
}

impl Style {
    /// Returns the style of a line without filling; `width` in pixels.
    pub fn stroke(color: Color, width: f64) -> Self {
        Style { stroke: Some(color), width: to_tenths(width), ..Style::default() }
    }

    /// Returns the style of a filled area without an outline.
    pub fn fill(color: Color) -> Self {
        Style { fill: Some(color), ..Style::default() }
    }

    /// Returns this style with dashes of `on` and gaps of `off` pixels.
    pub fn with_dashes(self, on: f64, off: f64) -> Self {
        Style { dash: Some([to_tenths(on), to_tenths(off)]), ..self }
    }

    /// Scales the line width by `times`, down to a minimum that is still visible.
    pub fn with_scaled_width(self, times: f64) -> Self {
        let width = (f64::from(self.width) * times) as i32;
        Style { width: width.max(self.width.min(8)), ..self }
    }

    /// Returns this style with rounded line ends and corners.
    pub fn with_round_ends(self) -> Self {
        Style { round: true, ..self }
    }
}

/// A drawing command. Every mark begins with `Move` and has only one `Move`, so that marks can be counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PenStep {
    /// Begins a new mark at this absolute position.
    Move(i32, i32),
    /// Moves the pen within a mark without drawing, by (right, down).
    Hop(i32, i32),
    /// Draws a line by (right, down).
    Draw(i32, i32),
    /// Draws a circle of this radius around the pen's position; the pen ends at the circle's leftmost point.
    Circle(i32),
    /// Draws a line back to the position of the last `Move` or `Hop`.
    Close,
}

/// A sequence of drawing commands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Path {
    pub steps: Vec<PenStep>,
    at: (i32, i32),
}

impl Path {
    /// True if the path has no steps.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Begins a mark at this position.
    pub fn move_to(&mut self, x: i32, y: i32) -> &mut Self {
        self.steps.push(PenStep::Move(x, y));
        self.at = (x, y);
        self
    }

    /// Draws a line to this position.
    pub fn line_to(&mut self, x: i32, y: i32) -> &mut Self {
        self.steps.push(PenStep::Draw(x - self.at.0, y - self.at.1));
        self.at = (x, y);
        self
    }

    /// Draws a horizontal line to `x`, then a vertical one to `y`: one step of a step function.
    pub fn step_to(&mut self, x: i32, y: i32) -> &mut Self {
        if x != self.at.0 {
            self.line_to(x, self.at.1);
        }
        if y != self.at.1 {
            self.line_to(x, y);
        }
        self
    }

    /// Appends steps unchanged. As the pen's position is not updated, the next call must be `move_to`.
    pub fn extend(&mut self, steps: &[PenStep]) -> &mut Self {
        self.steps.extend_from_slice(steps);
        self
    }

    /// Moves the whole path down.
    pub fn shift(&mut self, down: i32) {
        for step in &mut self.steps {
            if let PenStep::Move(_, y) = step {
                *y += down;
            }
        }
        self.at.1 += down;
    }

    /// Draws a rectangle with the upper left corner (`x`, `y`).
    pub fn rect(&mut self, x: i32, y: i32, width: i32, height: i32) -> &mut Self {
        self.move_to(x, y);
        self.extend(&[PenStep::Draw(width, 0), PenStep::Draw(0, height), PenStep::Draw(-width, 0), PenStep::Close])
    }
}
