//! What a run shows: its summary, metrics, traces, and an explanation of where its time went.

pub mod event_digest;
pub mod explain;
pub mod metric;
pub mod output;
pub mod received;
pub mod summary;
mod summary_of_media;
pub mod usual_names;
