//! `lasthop schema`.

use super::print;
use crate::Failure;

/// Prints the JSON Schema of scenarios.
pub fn run() -> Result<(), Failure> {
    print(&format!("{:#}\n", scenario::schema()))
}
