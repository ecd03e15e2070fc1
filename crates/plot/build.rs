//! Writes the advance widths of the embedded font as tables.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs, io};

use ttf_parser::{Face, GlyphId};

fn main() -> io::Result<()> {
    let mut code = String::new();
    for (name, font) in [("REGULAR", notosans::REGULAR_TTF), ("BOLD", notosans::BOLD_TTF)] {
        let face = Face::parse(font, 0).map_err(io::Error::other)?;
        let missing = face.glyph_hor_advance(GlyphId(0)).unwrap_or(0);
        // Writing to a text in memory does not fail.
        let _ = writeln!(
            code,
            "static {name}: Advances = Advances {{ units_per_em: {}, missing: {missing}, runs: &{:?} }};",
            face.units_per_em(),
            CharacterRuns(collect_character_runs(&face))
        );
    }
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("advances.rs"), code)
}

/// Returns the characters of a face, as the first of consecutive ones and the width of each.
fn collect_character_runs(face: &Face<'_>) -> Vec<(u32, Vec<u16>)> {
    let mut runs: Vec<(u32, Vec<u16>)> = Vec::new();
    for c in '\0'..=char::MAX {
        let Some(glyph) = face.glyph_index(c) else { continue };
        let (code, width) = (u32::from(c), face.glyph_hor_advance(glyph).unwrap_or(0));
        match runs.last_mut() {
            Some((first, widths)) if *first + widths.len() as u32 == code => widths.push(width),
            _ => runs.push((code, vec![width])),
        }
    }
    runs
}

/// Runs as a list in Rust.
struct CharacterRuns(Vec<(u32, Vec<u16>)>);

impl std::fmt::Debug for CharacterRuns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[")?;
        for (first, widths) in &self.0 {
            write!(f, "({first}, &{widths:?}), ")?;
        }
        f.write_str("]")
    }
}
