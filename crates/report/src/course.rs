//! The course of runs, as a picture, and as the data of the figures that replace the picture if scripts are enabled.

use std::io::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

/// Maximum size of a figure's columns in a page, in bytes.
const MAX_BYTES: usize = 3_000_000;

/// Runs side by side.
#[derive(Clone, Debug)]
pub struct Course {
    /// SVG document of the picture, created by this program: not escaped.
    pub svg: String,
    /// Caption of the picture.
    pub caption: String,
    /// The name and the figure of each run.
    pub runs: Vec<(String, figure::Figure)>,
}

/// Renders the picture. With `data` the result includes the input of the script that draws the figures, unless this
/// input is too large.
pub(crate) fn render_course(course: &Course, data: bool) -> Markup {
    let data = data.then(|| pack_figures(&course.runs)).flatten();
    html! {
        figure.picture.course {
            (PreEscaped(&course.svg))
            figcaption { (course.caption) }
            @if let Some(data) = data {
                // In a script element, `<` begins an element only if a name follows.
                script type="application/json" { (PreEscaped(data.to_string().replace('<', "\\u003c"))) }
            }
        }
    }
}

/// Returns the runs' names, the heads of their figures, the lengths of their columns, and the columns: 64-bit numbers in
/// little-endian order, one column after the other, compressed with gzip, in base64. `None` above [`MAX_BYTES`].
fn pack_figures(runs: &[(String, figure::Figure)]) -> Option<Value> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    for value in runs.iter().flat_map(|(_, figure)| figure.columns.iter().flatten()) {
        packer.write_all(&value.to_le_bytes()).ok()?;
    }
    let columns = BASE64_STANDARD.encode(packer.finish().ok()?);
    let lengths = |figure: &figure::Figure| figure.columns.iter().map(Vec::len).collect::<Value>();
    let run = |(name, figure): &(String, figure::Figure)| json!({ "name": name, "head": figure.head.to_string(), "lengths": lengths(figure) });
    let runs: Value = runs.iter().map(run).collect();
    (columns.len() <= MAX_BYTES).then(|| json!({ "runs": runs, "columns": columns }))
}
