//! Results of a sweep in presentation form: one metric with its values, the dimensions of the points, number formats.

mod figure;

pub mod facet;
pub mod grid;
pub mod key;
pub mod number;
pub mod slug;
pub mod words;

pub use figure::{MetricFigure, axis_value};
