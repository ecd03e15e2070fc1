//! Tables of traces in a build without the feature `parquet`.

use std::io;

use observe::output::table::{EncodedColumn, TableEncoder};

use crate::features::PARQUET;

/// Refuses to encode a table.
///
/// # Errors
/// Always: the error names the feature.
pub fn parquet(_: &str, _: &[EncodedColumn]) -> io::Result<Box<dyn TableEncoder>> {
    Err(PARQUET.unsupported())
}
