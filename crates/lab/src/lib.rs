//! Scenarios, runs and results.

pub mod catalogue;
pub mod compare;
pub mod explain;
pub mod export;
pub mod goel1997;
mod lines;
pub mod load;
pub mod metric;
pub mod output;
pub mod papers;
pub mod problem;
pub mod ran;
pub mod recordings;
mod result_dir;
pub mod run;
pub mod scenario;
pub mod steady;
pub mod store;
mod swap;
pub mod sweep;
mod usual_names;
pub mod whole_file;
