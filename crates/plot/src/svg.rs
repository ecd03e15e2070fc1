//! SVG output of a picture.

use std::fmt::Write;

use engine::text::escape_controls;

use crate::ink::{Anchor, Path, PenStep, Picture, PictureShape, Style, Text};
use crate::text::{FAMILIES, Weight};

impl Picture {
    /// Returns the picture as SVG; equal pictures give equal bytes.
    pub fn svg(&self) -> String {
        let mut out = String::new();
        let (w, h) = (self.width, self.height);
        append_text(&mut out, format_args!(r#"<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" "#));
        append_text(&mut out, format_args!(r#"viewBox="0 0 {w} {h}" role="img" font-family="{FAMILIES}">"#));
        append_text(&mut out, format_args!("\n<title>{}</title>\n", escape_xml(&self.title)));
        append_text(&mut out, format_args!("<desc>{}</desc>\n", escape_xml(&self.about)));
        append_text(
            &mut out,
            format_args!("<rect width=\"{w}\" height=\"{h}\" fill=\"#{:06x}\"/>\n", self.background.0),
        );
        for shape in &self.shapes {
            match shape {
                PictureShape::Path { class, title, path, style } => write_path(&mut out, class, title, path, style),
                PictureShape::Text(text) => write_text(&mut out, text),
            }
        }
        out.push_str("</svg>\n");
        out
    }
}

/// Appends formatted text; writing to a string cannot fail.
fn append_text(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string cannot fail");
}

fn write_path(out: &mut String, class: &str, title: &str, path: &Path, style: &Style) {
    out.push_str("<path");
    if !class.is_empty() {
        append_text(out, format_args!(r#" class="{class}""#));
    }
    match style.fill {
        Some(color) => append_text(out, format_args!(" fill=\"#{:06x}\"", color.0)),
        None => out.push_str(r#" fill="none""#),
    }
    if let Some(color) = style.stroke {
        append_text(out, format_args!(" stroke=\"#{:06x}\" stroke-width=\"{}\"", color.0, Tenths(style.width)));
        if let Some([on, off]) = style.dash {
            append_text(out, format_args!(r#" stroke-dasharray="{} {}""#, Tenths(on), Tenths(off)));
        }
        if style.round {
            out.push_str(r#" stroke-linecap="round" stroke-linejoin="round""#);
        }
    }
    out.push_str(r#" d=""#);
    write_steps(out, &path.steps);
    if title.is_empty() {
        out.push_str("\"/>\n");
    } else {
        append_text(out, format_args!("\"><title>{}</title></path>\n", escape_xml(title)));
    }
}

/// Writes steps as SVG path data, with absolute coordinates at the start of a mark and relative ones within it.
fn write_steps(out: &mut String, steps: &[PenStep]) {
    for step in steps {
        match *step {
            PenStep::Move(x, y) => append_text(out, format_args!("M{}{}", Tenths(x), Next(y))),
            PenStep::Hop(x, y) => append_text(out, format_args!("m{}{}", Tenths(x), Next(y))),
            PenStep::Draw(x, 0) => append_text(out, format_args!("h{}", Tenths(x))),
            PenStep::Draw(0, y) => append_text(out, format_args!("v{}", Tenths(y))),
            PenStep::Draw(x, y) => append_text(out, format_args!("l{}{}", Tenths(x), Next(y))),
            PenStep::Circle(r) => {
                let (out_r, r2) = (Tenths(r), Tenths(2 * r));
                append_text(out, format_args!("m-{out_r} 0a{out_r} {out_r} 0 1 0 {r2} 0a{out_r} {out_r} 0 1 0-{r2} 0"));
            }
            PenStep::Close => out.push('z'),
        }
    }
}

fn write_text(out: &mut String, text: &Text) {
    let (x, y) = (Tenths(text.x), Tenths(text.y));
    let (size, color) = (text.size, text.color.0);
    append_text(out, format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"#{color:06x}\""));
    match text.anchor {
        Anchor::Start => {}
        Anchor::Middle => out.push_str(r#" text-anchor="middle""#),
        Anchor::End => out.push_str(r#" text-anchor="end""#),
    }
    if text.weight == Weight::Bold {
        out.push_str(r#" font-weight="bold""#);
    }
    if let Some(width) = text.width {
        append_text(out, format_args!(r#" textLength="{}" lengthAdjust="spacingAndGlyphs""#, Tenths(width)));
    }
    if text.upright {
        append_text(out, format_args!(r#" transform="rotate(-90 {x} {y})""#));
    }
    append_text(out, format_args!(">{}</text>\n", escape_xml(&text.content)));
}

/// Formats tenths of a pixel as a decimal number of pixels: `12.5`, `-.3`, `7`.
struct Tenths(i32);

impl std::fmt::Display for Tenths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, tenth) = (self.0.unsigned_abs() / 10, self.0.unsigned_abs() % 10);
        if self.0 < 0 {
            f.write_char('-')?;
        }
        match (whole, tenth) {
            (_, 0) => write!(f, "{whole}"),
            (0, _) => write!(f, ".{tenth}"),
            _ => write!(f, "{whole}.{tenth}"),
        }
    }
}

/// A number that follows another one. They are separated by a space, or only by the number's minus sign.
struct Next(i32);

impl std::fmt::Display for Next {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 >= 0 {
            f.write_char(' ')?;
        }
        Tenths(self.0).fmt(f)
    }
}

/// Escapes text for XML. Control characters are written out as in other output, and newlines and tabs become spaces.
fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escape_controls(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_data_is_written_in_its_shortest_form() {
        let mut path = Path::default();
        path.move_to(123, -5).line_to(133, -5).line_to(133, 7).line_to(130, 0);
        let mut out = String::new();
        write_steps(&mut out, &path.steps);
        assert_eq!(out, "M12.3-.5h1v1.2l-.3-.7");
    }

    #[test]
    fn markup_and_control_characters_are_escaped() {
        assert_eq!(escape_xml("a<b> & \"c\"\n"), "a&lt;b&gt; &amp; &quot;c&quot; ");
        assert_eq!(escape_xml("\u{1b}[31m \u{202e}"), "\\u001b[31m \\u202e", "as in other output");
    }
}
