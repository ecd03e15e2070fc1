//! The content of a page, without HTML. Text is plain text unless it is called Markdown. It may come from users, and is
//! escaped on output.

use crate::{BarChart, BudgetChart, ChangeChart, Course, CurveChart, ReportTable};

/// The content of a report page.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Heading of the page.
    pub title: String,
    /// Line below the heading.
    pub subtitle: String,
    /// Names and values that apply to the whole page.
    pub facts: Vec<(String, String)>,
    /// Sections of the page.
    pub sections: Vec<PageSection>,
    /// Explanation of the page's terms, in Markdown.
    pub footer: String,
    /// Script that draws figures in place of the pictures of courses; empty for pictures only.
    pub script: String,
}

/// A section of a page, listed in the table of contents.
#[derive(Clone, Debug, Default)]
pub struct PageSection {
    /// Heading of the section.
    pub heading: String,
    /// Content from top to bottom. Consecutive charts are placed side by side if there is enough space.
    pub blocks: Vec<PageBlock>,
}

/// A part of a section.
#[derive(Clone, Debug)]
pub enum PageBlock {
    /// Markdown; its headings rank below the section's heading.
    Words(String),
    /// A list of names and values.
    Facts(Vec<(String, String)>),
    /// Warnings, shown highlighted.
    Warnings(Vec<String>),
    /// Bar chart.
    Bars(BarChart),
    /// Chart of changes from a baseline.
    Changes(ChangeChart),
    /// Chart of curves.
    Curves(CurveChart),
    /// Chart of time budgets.
    Budgets(BudgetChart),
    /// The course of runs.
    Course(Course),
    /// Table.
    Table(ReportTable),
    /// SVG document made by this program: not escaped.
    Svg {
        /// The SVG document.
        svg: String,
        /// Caption of the picture.
        caption: String,
    },
    /// Preformatted text.
    Code {
        /// The text, shown unchanged.
        text: String,
        /// Caption of the text.
        caption: String,
    },
}
