//! The elements of a picture: a list of shapes, in tenths of a pixel, that every back end reads.
//!
//! Whole tenths keep the bytes of a picture the same everywhere and its numbers short.

use crate::text::Weight;

/// A picture: shapes in the order they are painted.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) background: Color,
    /// A description of the picture, for screen readers.
    pub(crate) title: String,
    pub(crate) about: String,
    pub(crate) shapes: Vec<Shape>,
}

impl Picture {
    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }
}

/// Red, green, blue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Color(pub u32);

impl Color {
    /// The color between this one and another.
    pub fn halfway_to(self, other: Color) -> Color {
        let half = |shift: u32| (((self.0 >> shift & 0xFF) + (other.0 >> shift & 0xFF)) / 2) << shift;
        Color(half(16) | half(8) | half(0))
    }
}

/// A length or coordinate in tenths of a pixel.
pub(crate) fn tenths(pixels: f64) -> i32 {
    // `as` stops at the ends of the range; nothing on a picture lies there.
    (pixels * 10.0).round() as i32
}

/// One thing to paint.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Shape {
    /// Lines and marks of one kind.
    Path {
        /// Its meaning, as a word for style sheets and tests; empty for furniture.
        class: &'static str,
        /// Its meaning, for people.
        title: String,
        path: Path,
        style: Style,
    },
    Text(Text),
}

/// A line of text.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Text {
    /// Where its anchor is, on the baseline.
    pub x: i32,
    pub y: i32,
    pub anchor: Anchor,
    /// Pixels.
    pub size: u32,
    pub weight: Weight,
    pub color: Color,
    /// Read from below.
    pub upright: bool,
    /// How wide it must be in whatever font, where something stands behind it.
    pub width: Option<i32>,
    pub content: String,
}

/// Which point of a text is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a path is painted.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Style {
    pub fill: Option<Color>,
    pub stroke: Option<Color>,
    /// Tenths of a pixel.
    pub width: i32,
    /// Lengths of stroke and gap.
    pub dash: Option<[i32; 2]>,
    /// Round ends and corners.
    pub round: bool,
}

impl Style {
    /// A line.
    pub fn stroke(color: Color, width: f64) -> Self {
        Style { stroke: Some(color), width: tenths(width), ..Style::default() }
    }

    /// An area.
    pub fn fill(color: Color) -> Self {
        Style { fill: Some(color), ..Style::default() }
    }

    /// The same, dashed.
    pub fn dashed(self, on: f64, off: f64) -> Self {
        Style { dash: Some([tenths(on), tenths(off)]), ..self }
    }

    /// Scales the line width by `times`, down to a minimum that is still visible.
    pub fn thinner(self, times: f64) -> Self {
        let width = (f64::from(self.width) * times) as i32;
        Style { width: width.max(self.width.min(8)), ..self }
    }

    /// The same with round ends and corners.
    pub fn rounded(self) -> Self {
        Style { round: true, ..self }
    }
}

/// A step of a pen. Every mark begins with `Move` and has only one, so that marks can be counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Lift the pen; a new mark begins here.
    Move(i32, i32),
    /// Lift the pen within a mark: so far to the right and down.
    Hop(i32, i32),
    /// Draw so far to the right and down.
    Draw(i32, i32),
    /// Draw a circle of this radius around the pen, which then is on its left.
    Circle(i32),
    /// Draw back to where the pen last came down.
    Close,
}

/// A path drawn by a pen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Path {
    pub steps: Vec<Step>,
    at: (i32, i32),
}

impl Path {
    /// Whether there is nothing on it.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Begins a mark.
    pub fn move_to(&mut self, x: i32, y: i32) -> &mut Self {
        self.steps.push(Step::Move(x, y));
        self.at = (x, y);
        self
    }

    /// Draws to a place.
    pub fn line_to(&mut self, x: i32, y: i32) -> &mut Self {
        self.steps.push(Step::Draw(x - self.at.0, y - self.at.1));
        self.at = (x, y);
        self
    }

    /// A horizontal line to `x`, then a vertical one to `y`: the corner of a step line.
    pub fn step_to(&mut self, x: i32, y: i32) -> &mut Self {
        if x != self.at.0 {
            self.line_to(x, self.at.1);
        }
        if y != self.at.1 {
            self.line_to(x, y);
        }
        self
    }

    /// Adds steps as they are. The pen is lost: begin the next mark with `move_to`.
    pub fn extend(&mut self, steps: &[Step]) -> &mut Self {
        self.steps.extend_from_slice(steps);
        self
    }

    /// A rectangle.
    pub fn rect(&mut self, x: i32, y: i32, width: i32, height: i32) -> &mut Self {
        self.move_to(x, y);
        self.extend(&[Step::Draw(width, 0), Step::Draw(0, height), Step::Draw(-width, 0), Step::Close])
    }
}
