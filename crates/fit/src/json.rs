//! A fit as JSON, with the figures of the tables in SI units.

use engine::Span;
use serde_json::{Value, json};

use crate::comparison::{TransferValues, TriedVariant};
use crate::loss::{Estimate, Loss};
use crate::reordering::Reordering;
use crate::scenario::FittedPath;

/// A fit with the variants that were tried, the nearest first, and the values of the measurement.
pub fn fit_to_json(tried: &[TriedVariant], measured: &TransferValues) -> Value {
    let best = tried.first().map(|tried| &tried.fitted);
    let simulated = |tried: &TriedVariant| {
        let mut object = values_to_json(&tried.values);
        object["variant"] = json!(tried.fitted.variant);
        object["distance"] = json!(tried.distance);
        object["goodputs_bps"] = json!(tried.goodputs);
        object["far"] = json!(tried.values.is_far(measured));
        object
    };
    json!({
        "source": best.map(|fitted| &fitted.source),
        "path": best.map(path_to_json),
        "measured": values_to_json(measured),
        "simulated": tried.iter().map(simulated).collect::<Vec<Value>>(),
        "scenario": best.map(FittedPath::to_toml),
    })
}

fn values_to_json(values: &TransferValues) -> Value {
    let [p50, p95] = values.rtt;
    json!({
        "goodput_bps": values.goodput,
        "rtt_p50_s": p50,
        "rtt_p95_s": p95,
        "segments_retransmitted": values.retransmitted,
        "timeouts": values.timeouts,
    })
}

fn path_to_json(fitted: &FittedPath) -> Value {
    json!({
        "sender": fitted.sender.name(),
        "rate_bps": fitted.rate.bits_per_sec(),
        "rate_given": fitted.rate_given,
        "rates_bps": fitted.rates,
        "delay_s": fitted.delay.as_secs_f64(),
        "queue_packets": fitted.queue,
        "queue_was_full": fitted.queue_was_full,
        "loss": loss_to_json(&fitted.loss),
        "reordering": fitted.reordering.as_ref().map(reordering_to_json),
    })
}

fn estimate_to_json(estimate: Estimate) -> Value {
    json!({ "value": estimate.value, "interval": estimate.interval })
}

fn loss_to_json(loss: &Loss) -> Value {
    match *loss {
        Loss::None(loss) => json!({ "model": "none", "loss": estimate_to_json(loss) }),
        Loss::Uniform(loss) => json!({ "model": "uniform", "loss": estimate_to_json(loss) }),
        Loss::Gilbert { p, r } => json!({ "model": "gilbert", "p": estimate_to_json(p), "r": estimate_to_json(r) }),
        Loss::GilbertElliott { p, r, h } => {
            json!({ "model": "gilbert-elliott", "p": estimate_to_json(p), "r": estimate_to_json(r), "h": estimate_to_json(h) })
        }
    }
}

fn reordering_to_json(reordering: &Reordering) -> Value {
    let late = reordering.late;
    json!({
        "share": estimate_to_json(reordering.share),
        "extra_delays_s": late.map(|late| late.delays.map(Span::as_secs_f64)),
        "extents_packets": late.map(|late| late.extents),
    })
}
