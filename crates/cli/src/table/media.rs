//! The part of a run's table that is about shared media.

use serde_json::Value;

use crate::table::{aligned, row};

/// A line a station, and one for the air of each medium.
pub fn stations(media: &[Value]) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let percent = |value: &Value| value.as_f64().map_or("–".to_owned(), |share| format!("{:.1} %", 100.0 * share));
    let heads = ["medium", "station", "attempts", "collided", "retries", "given up", "back-off slots", "airtime"];
    let mut rows = vec![row(&heads)];
    for medium in media {
        for station in medium["stations"].as_array().into_iter().flatten() {
            let count = |key: &str| station[key].to_string();
            rows.push(vec![
                text(&medium["name"]),
                text(&station["name"]),
                count("attempts"),
                count("attempts_collided"),
                count("retries"),
                count("retry_limit_drops"),
                count("back_off_slots"),
                percent(&station["airtime"]),
            ]);
        }
    }
    let mut out = format!("\n{}\n", aligned(&rows, 2));
    for medium in media {
        let [busy, collided] = ["air_busy", "air_collided"].map(|key| percent(&medium[key]));
        let probability = percent(&medium["collision_probability"]);
        let name = text(&medium["name"]);
        let line = format!(
            "{name}: busy {busy} of the time, in collisions {collided}; an attempt collided with {probability}\n"
        );
        out.push_str(&line);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_a_station_and_one_for_the_air() {
        let station = json!({
            "name": "ap", "attempts": 12, "attempts_collided": 3, "retries": 2, "retry_limit_drops": 0,
            "back_off_slots": 170, "airtime": 0.25,
        });
        let media = [json!({
            "name": "cell", "air_busy": 0.5, "air_collided": 0.125, "collision_probability": 0.25, "stations": [station],
        })];
        let shown = "\nmedium  station  attempts  collided  retries  given up  back-off slots  airtime\n\
                     cell    ap             12         3        2         0             170   25.0 %\n\n\
                     cell: busy 50.0 % of the time, in collisions 12.5 %; an attempt collided with 25.0 %\n";
        assert_eq!(stations(&media), shown);
        let silent = [json!({ "name": "cell", "air_busy": 0.0, "air_collided": 0.0, "collision_probability": null })];
        assert!(stations(&silent).ends_with("an attempt collided with –\n"));
    }
}
