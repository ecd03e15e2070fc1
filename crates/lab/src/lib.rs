//! What a laboratory does with scenarios on a disk: runs into result directories, sweeps, stores, papers.

pub mod catalogue;
pub mod compare;
pub mod disk;
pub mod export;
pub mod load;
pub mod papers;
mod result_dir;
pub mod run;
mod run_error;
pub mod steady;
pub mod store;
mod swap;
pub mod sweep;
mod value_text;
pub mod whole_file;
