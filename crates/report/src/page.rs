//! What a page shows, without a word of HTML. All text is plain text unless it says Markdown: it may come from users
//! and is escaped when it is written.

use crate::{BarChart, CurveChart, Table};

/// A page.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Its heading.
    pub title: String,
    /// A line below it.
    pub subtitle: String,
    /// What concerns the whole page: names and values.
    pub facts: Vec<(String, String)>,
    /// Its parts.
    pub sections: Vec<Section>,
    /// What a reader must know to read it right, in Markdown.
    pub footer: String,
}

/// A part of a page, listed in its table of contents.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its heading.
    pub heading: String,
    /// What it consists of, from top to bottom. Charts that follow each other stand side by side where there is room.
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Clone, Debug)]
pub enum Block {
    /// Markdown; its headings are below the section's.
    Words(String),
    /// Names and values.
    Facts(Vec<(String, String)>),
    /// What must not be overlooked.
    Warnings(Vec<String>),
    /// Bars.
    Bars(BarChart),
    /// Lines.
    Curves(CurveChart),
    /// A table.
    Table(Table),
    /// A picture as an SVG document that this program made: it is not escaped.
    Svg {
        /// The document.
        svg: String,
        /// What it shows.
        caption: String,
    },
    /// Text that is kept as it is.
    Code {
        /// The text.
        text: String,
        /// What it is.
        caption: String,
    },
}
