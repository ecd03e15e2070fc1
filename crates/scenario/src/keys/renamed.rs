//! Keys that have another name now.

use super::suggest::Pattern;
use crate::key_path::Step;

/// Each old key, by its path with `*` for a name of the scenario, and what the last part of it is called now.
const RENAMED: &[(&str, &str)] = &[
    ("flows.*.tcp.growth", "cwnd_validation"),
    ("flows.*.tcp.closed_window", "zero_window"),
    ("flows.*.tcp.retries.steady_syn", "syn_linear_timeouts"),
    ("flows.*.tcp.delayed_ack.at_once", "quick_acks"),
];

/// What the key at the end of `path` is called now, if it has been renamed.
pub(crate) fn new_name(path: &[Step]) -> Option<&'static str> {
    RENAMED.iter().find(|(old, _)| Pattern::of(old).is_of(path)).map(|(_, new)| *new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_path::steps;
    use crate::keys::Shape;

    #[test]
    fn every_old_key_is_gone_and_every_new_key_exists() {
        for (old, new) in RENAMED {
            let (table, name) = old.rsplit_once('.').unwrap_or(("", old));
            let keys = Shape::at(&steps(&table.replace('*', "any"))).keys();
            assert!(keys.contains(new) && !keys.contains(&name), "{old} -> {new}: {keys:?}");
        }
    }
}
