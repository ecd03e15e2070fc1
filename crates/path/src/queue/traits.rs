//! Properties of a queue discipline that follow from its settings, for lints.

use super::Limit;

/// Properties of a queue discipline.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct QueueTraits {
    /// Description of the setting that enables marks; `None` if the discipline marks by default only, or never.
    pub marks_by: Option<&'static str>,
    /// The backlog above which packets are marked, if marks depend on the backlog only.
    pub ecn_threshold: Limit,
    /// True if windows fill the queue up to its limit, and packets that exceed the limit are dropped: such a limit
    /// should be about the bandwidth-delay product. False for disciplines that keep the queue short regardless of the
    /// limit.
    pub fills: bool,
}
