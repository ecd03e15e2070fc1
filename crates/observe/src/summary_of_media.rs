//! The part of a summary that is about shared media.

use engine::Span;
use path::medium::StationCounters;
use serde_json::{Value, json};
use sim::{Network, Results};

/// Each medium and its stations.
pub(super) fn media(network: &Network, results: &Results) -> Value {
    let share = |span: Span| span.as_secs_f64() / results.ended.as_secs_f64().max(f64::MIN_POSITIVE);
    let station = |(node, counted): (usize, &StationCounters)| {
        json!({
            "name": network.nodes[node].name,
            "data_sent": counted.data_sent,
            "acks_sent": counted.acks_sent,
            "rts_sent": counted.rts_sent,
            "cts_sent": counted.cts_sent,
            "beacons_sent": counted.beacons_sent,
            "attempts": counted.attempts,
            "attempts_collided": counted.attempts_collided,
            "retries": counted.retries,
            "retry_limit_drops": counted.given_up,
            "back_offs": counted.back_offs,
            "back_off_slots": counted.back_off_slots,
            "airtime": share(counted.airtime),
        })
    };
    let medium = |number: usize| {
        let (spec, counted) = (&network.media[number], &results.media[number]);
        let sum = |count: fn(&StationCounters) -> u64| counted.stations.iter().map(count).sum::<u64>();
        let attempts = sum(|station| station.attempts);
        let collided = sum(|station| station.attempts_collided);
        let busy = share(counted.air.busy);
        let stations = network.stations(number).into_iter().zip(&counted.stations);
        json!({
            "name": spec.name,
            "air_busy": busy,
            "air_idle": 1.0 - busy,
            "air_collided": share(counted.air.collided),
            "collision_probability": (attempts > 0).then(|| collided as f64 / attempts as f64),
            "stations": stations.map(station).collect::<Vec<_>>(),
        })
    };
    (0..network.media.len()).map(medium).collect()
}
