//! Reports: results as one self-contained HTML file, without network access, external fonts or external scripts.
//!
//! A [`Page`] is the content; [`render_html_page`] writes it, equal pages as equal bytes. [`store::render_store_page`] creates the page of a
//! sweep's store, [`captures::render_capture_page`] the page of a capture. [`pictures`] draws runs.
//!
//! ```
//! let words = report::PageBlock::Words("The *first* result.".into());
//! let section = report::PageSection { heading: "Results".into(), blocks: vec![words] };
//! let page = report::Page { title: "A < B".into(), sections: vec![section], ..Default::default() };
//! assert!(report::render_html_page(&page).contains("<h1>A &lt; B</h1>"));
//! ```

pub mod bars;
pub mod budget;
pub mod captures;
pub mod changes;
pub mod course;
pub mod curves;
mod estimate;
mod frame;
mod html;
pub mod marks;
pub mod number;
mod page;
pub mod paper;
pub mod pictures;
mod standalone;
pub mod store;
mod table;
mod words;

pub use bars::{BarChart, BarGroup};
pub use budget::{BudgetChart, BudgetRow};
pub use changes::ChangeChart;
pub use course::Course;
pub use curves::{CurveChart, CurveLine, CurvePoint};
pub use estimate::Estimate;
pub use html::render_html_page;
pub use page::{Page, PageBlock, PageSection};
pub use table::{ReportCell, ReportColumn, ReportTable};

/// Returns `text` with a capital first letter.
fn capitalize_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
