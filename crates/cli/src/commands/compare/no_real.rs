//! Replaces `real` on systems without namespaces and TUN devices.

use lab::compare::Comparison;
use lab::sweep::Plan;

use super::Args;
use crate::Failure;

/// Refuses to run.
pub fn prepare() -> Result<(), Failure> {
    Err(Failure::Unsupported(format!("error: {}", host::Error::NotLinux)))
}

/// Nothing: `prepare` has refused.
pub fn ends(_: &Args, _: &[(String, Plan)]) -> Result<Vec<()>, Failure> {
    Ok(Vec::new())
}

/// Refuses to run.
pub fn compare(_: &Args, (): (), _: &Plan, _: &str) -> Result<Comparison, Failure> {
    prepare().and(Ok(Comparison { name: String::new(), title: String::new(), rows: Vec::new() }))
}
