//! Tables of traces in a build without the feature `parquet`.

use std::io;

use observe::output::table::{Column, TableEncoder};

use crate::features::PARQUET;

/// Refuses to encode a table.
///
/// # Errors
/// Always: the error names the feature.
pub fn parquet(_: &str, _: &[Column]) -> io::Result<Box<dyn TableEncoder>> {
    Err(PARQUET.unsupported())
}
