//! Motions that begin after the end of the run.

use super::Context;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let scenario = context.scenario;
    let late = scenario.nodes.iter().filter_map(|(name, node)| {
        let from = node.motion.as_ref()?.from.filter(|from| *from >= scenario.duration)?;
        let text = format!("a time before the end (`duration`): otherwise {name} does not move");
        Some(Problem::new(text).key(format!("nodes.{name}.motion.from")).found(format!("\"{from}\"")))
    });
    late.collect()
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{HERE, NEAR, assert_no_warnings, assert_only_warning, cell_network};

    /// In a run of 10 s.
    pub fn examples() -> [String; 2] {
        ["10 s", "9.9 s"].map(|from| {
            let motion = format!("motion = {{ velocity = [\"1 m/s\", \"0 m/s\"], from = \"{from}\" }}");
            cell_network("range = \"100 m\"", HERE, &format!("{NEAR}, {motion}"), "")
        })
    }

    #[test]
    fn motion_from_the_end_on_is_reported() {
        let [late, in_time] = examples();
        assert_only_warning(&late, &["nodes.laptop.motion.from: found \"10 s\"", "laptop does not move"]);
        assert_no_warnings(&in_time);
    }
}
