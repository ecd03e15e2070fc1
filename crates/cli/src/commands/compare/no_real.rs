//! Replaces `real` on systems without namespaces and TUN devices.

use lab::compare::Comparison;
use lab::sweep::Plan;

use super::Args;
use crate::CommandFailure;

/// Refuses to run.
pub fn prepare() -> Result<(), CommandFailure> {
    Err(CommandFailure::Unsupported(format!("error: {}", host::Error::NotLinux)))
}

/// Returns nothing, because `prepare` refuses the options.
pub fn ends(_: &Args, _: &[(String, Plan)]) -> Result<Vec<()>, CommandFailure> {
    Ok(Vec::new())
}

/// Refuses to run.
pub fn compare(_: &Args, (): (), _: &Plan, _: &str) -> Result<Comparison, CommandFailure> {
    prepare().and(Ok(Comparison { name: String::new(), title: String::new(), rows: Vec::new() }))
}
