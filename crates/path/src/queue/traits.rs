//! Properties of a queue discipline that follow from its settings, as lints ask for them.

use super::Limit;

/// Properties of a queue discipline.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct QueueTraits {
    /// The setting by which it was asked to mark, in words; `None` if it marks by default only, or never.
    pub marks_by: Option<&'static str>,
    /// The backlog above which it marks, if that alone decides.
    pub ecn_threshold: Limit,
    /// True if windows fill it up to its limit, and packets that exceed the limit are dropped: the limit should be about
    /// the bandwidth-delay product. Disciplines that keep the queue short regardless of the limit leave it false.
    pub fills: bool,
}
