//! The part of a run's table that is about shared media.

use observe::summary::{Summary, medium, station};

use super::columns::{render_column_heads, render_column_lines, render_metric_cell};
use crate::table::{align_rows, text_cells};

/// Renders a line for each station, and one for each medium; empty without media.
pub fn render_stations(summary: &Summary) -> String {
    let media = &summary.media;
    if media.is_empty() {
        return String::new();
    }
    let columns = [
        &station::attempts,
        &station::attempts_collided,
        &station::retries,
        &station::retry_limit_drops,
        &station::backoff_slots,
        &station::airtime,
    ];
    let mut rows = vec![[text_cells(&["medium", "station"]), render_column_heads(&columns)].concat()];
    let names = media
        .iter()
        .flat_map(|medium| medium.stations.iter().map(|station| text_cells(&[&medium.name, &station.name])));
    rows.extend(names.zip(render_column_lines(&columns, summary)).map(|(names, cells)| [names, cells].concat()));
    let mut out = format!("\n{}\n", align_rows(&rows, 2));
    for it in media {
        let busy = render_metric_cell(&medium::air_busy, Some(it.air_busy));
        let collided = render_metric_cell(&medium::air_collided, Some(it.air_collided));
        let probability = render_metric_cell(&medium::collision_probability, it.collision_probability);
        out.push_str(&format!(
            "{}: busy {busy} of the time, in collision {collided}; collision probability {probability}\n",
            it.name
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use observe::summary::RecordedSummary;
    use serde_json::{Value, json};

    fn shown(medium: &Value) -> String {
        render_stations(&RecordedSummary::parse(&json!({ "media": [medium] }).to_string()).expect("a summary"))
    }

    #[test]
    fn each_station_and_each_medium_has_a_line() {
        let station = json!({
            "name": "ap", "attempts": 12, "attempts_collided": 3, "retries": 2, "retry_limit_drops": 0,
            "backoff_slots": 170, "airtime": 0.25,
        });
        let medium = json!({
            "name": "cell", "air_busy": 0.5, "air_collided": 0.125, "collision_probability": 0.25, "stations": [station],
        });
        let table = "\nmedium  station  attempts  collided  retries  given up  backoff slots  airtime\n\
                     cell    ap             12         3        2         0            170   25.0 %\n\n\
                     cell: busy 50.0 % of the time, in collision 12.5 %; collision probability 25.0 %\n";
        assert_eq!(shown(&medium), table);
        let silent = json!({ "name": "cell", "air_busy": 0.0, "air_collided": 0.0, "collision_probability": null });
        assert!(shown(&silent).ends_with("collision probability –\n"));
    }
}
