//! A fit as JSON, with the figures of the tables in SI units.

use engine::Span;
use serde_json::{Value, json};

use crate::comparison::{Tried, Values};
use crate::loss::{Estimate, Loss};
use crate::reordering::Reordering;
use crate::scenario::Fitted;

/// A fit with the variants that were tried, the nearest first, beside the values of the measurement.
pub fn report(tried: &[Tried], measured: &Values) -> Value {
    let best = tried.first().map(|tried| &tried.fitted);
    let simulated = |tried: &Tried| {
        let mut object = values(&tried.values);
        object["variant"] = json!(tried.fitted.variant);
        object["distance"] = json!(tried.distance);
        object["goodputs_bps"] = json!(tried.goodputs);
        object["far"] = json!(tried.values.is_far(measured));
        object
    };
    json!({
        "source": best.map(|fitted| &fitted.source),
        "path": best.map(path),
        "measured": values(measured),
        "simulated": tried.iter().map(simulated).collect::<Vec<Value>>(),
        "scenario": best.map(Fitted::to_toml),
    })
}

fn values(values: &Values) -> Value {
    let [p50, p95] = values.rtt;
    json!({
        "goodput_bps": values.goodput,
        "rtt_p50_s": p50,
        "rtt_p95_s": p95,
        "segments_retransmitted": values.retransmitted,
        "timeouts": values.timeouts,
    })
}

fn path(fitted: &Fitted) -> Value {
    json!({
        "sender": fitted.sender.name(),
        "rate_bps": fitted.rate.bits_per_sec(),
        "rate_given": fitted.rate_given,
        "rates_bps": fitted.rates,
        "delay_s": fitted.delay.as_secs_f64(),
        "queue_packets": fitted.queue,
        "queue_was_full": fitted.queue_was_full,
        "loss": loss(&fitted.loss),
        "reordering": fitted.reordering.as_ref().map(reordering),
    })
}

fn estimate(estimate: Estimate) -> Value {
    json!({ "value": estimate.value, "interval": estimate.interval })
}

fn loss(loss: &Loss) -> Value {
    match *loss {
        Loss::None(loss) => json!({ "model": "none", "loss": estimate(loss) }),
        Loss::Uniform(loss) => json!({ "model": "uniform", "loss": estimate(loss) }),
        Loss::Gilbert { p, r } => json!({ "model": "gilbert", "p": estimate(p), "r": estimate(r) }),
        Loss::GilbertElliott { p, r, h } => {
            json!({ "model": "gilbert-elliott", "p": estimate(p), "r": estimate(r), "h": estimate(h) })
        }
    }
}

fn reordering(reordering: &Reordering) -> Value {
    let late = reordering.late;
    json!({
        "share": estimate(reordering.share),
        "extra_delays_s": late.map(|late| late.delays.map(Span::as_secs_f64)),
        "extents_packets": late.map(|late| late.extents),
    })
}
