//! The data of interactive figures. A run is recorded once; what a figure shows of it is a *head*, which is JSON, and
//! *columns* of numbers, to which the head refers by their indices.
//!
//! - [`record_run`]: the series, marks and findings of each flow, and the summary;
//! - [`record_journeys`]: where packets are at any time, what stations of a cell do, and where nodes move;
//! - [`lesson`]: guided pages, their texts with results of runs, and their checks;
//! - [`draw_flow_picture`]: the picture of one flow, as SVG;
//! - [`collect_readings`]: all metrics of a run, for statistics;
//! - [`protocol`]: what else crosses to the page as JSON;
//! - [`marks`]: what a mark means: what happened, why, and the rule behind it;
//! - [`list_cause_colors`]: the colour of each cause of a flow's time.
//!
//! Numbers are 64-bit floats in columns of several values a row: a page draws from them without a copy for each point.

mod causes;
pub mod cell;
mod columns;
pub mod journeys;
pub mod lesson;
pub mod marks;
mod packet;
mod picture;
pub mod places;
pub mod protocol;
mod readings;
pub mod run;

pub use causes::list_cause_colors;
pub use columns::{Column, Columns, Figure};
pub use journeys::record_journeys;
pub use picture::{PictureError, compose_flow_title, draw_flow_picture};
pub use readings::collect_readings;
pub use run::{RunParts, record_run};
