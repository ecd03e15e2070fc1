//! Absences that begin at or after the end of the run.

use engine::Time;

use super::Context;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let network = context.network;
    let end = Time::ZERO + network.duration;
    let directions = network.links.iter().flat_map(|link| link.distinct().map(move |direction| (link, direction)));
    let never = directions.filter_map(|(link, direction)| {
        let first = link.direction(direction).channel.traits().first_absence?;
        (Time::ZERO + first.value >= end).then(|| {
            let text = format!(
                "an interval that begins before the end (`duration`, {}): otherwise no station is ever out of range",
                network.duration
            );
            Problem::new(text).key(format!("{}.{}", context.key(link, direction, "channel"), first.key))
        })
    });
    never.collect()
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, cell_network};

    /// In a run of 10 s.
    pub fn examples() -> [String; 2] {
        ["10 s", "9.9 s"].map(|from| {
            cell_network(
                "",
                "",
                "",
                &format!("channel = {{ kind = \"absence\", disconnections = [[\"{from}\", \"20 s\"]] }}"),
            )
        })
    }

    #[test]
    fn absence_from_the_end_on_is_reported() {
        let [late, in_time] = examples();
        assert_only_warning(
            &late,
            &["links.air.channel.disconnections: an interval", "no station is ever out of range"],
        );
        assert_no_warnings(&in_time);
    }
}
