//! Measurements of a path, to which a scenario is fitted.

use capture::transfer::Vantage;
use engine::quantity::format_span;
use engine::{Quantity, Rate, Span};

use crate::comparison::{TransferValues, TriedVariant};
use crate::log::{Iperf, Ping};
use crate::loss::Loss;
use crate::path::Bottleneck;
use crate::reordering::ExtraDelays;
use crate::scenario::{FittedHost, FittedPath};
use crate::transfer::MeasuredTransfer;

/// Reasons for which a measurement does not suffice for a scenario.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// The rate cannot be measured.
    #[error(
        "the rate of the path cannot be measured: fewer than 16 consecutive packets waited at a bottleneck; expected a \
         transfer that fills the path, or --rate"
    )]
    NoRate,
    /// The log of ping has no rate.
    #[error(
        "a log of ping does not show the rate of the path, expected --rate RATE, or in addition the log of `iperf3 -J`"
    )]
    NoRateOfPing,
    /// The capture has no round trip.
    #[error(
        "the capture shows no round trip: neither a handshake, nor timestamps, nor acknowledgments of segments sent once; expected \
         a capture at the sender, or one with the handshake"
    )]
    NoRoundTripCaptured,
    /// The logs contain no round trips.
    #[error(
        "found no round trips (`rtt`), expected the log of the sender (without -R), or in addition a log of `ping`"
    )]
    NoRoundTrips,
}

/// Settings given by the user: the sender of the fitted scenario, which a measurement does not show, and known
/// parameters.
#[derive(Clone, Debug)]
pub struct GivenSettings {
    /// The sender's variant. If it is not given, the variant that the measurement names is used, or else the
    /// [best](crate::comparison::try_variants) of several.
    pub variant: Option<String>,
    /// The rate of the path, instead of the measured rate.
    pub rate: Option<Rate>,
    /// The host that sends the data. A measurement does not show which host is wireless; the default is the server.
    pub sender: Option<FittedHost>,
    /// The name of the measurement.
    pub source: String,
}

impl GivenSettings {
    /// Returns the variant that the user gives, or else the variant named `control`, the congestion control in the
    /// measurement.
    pub fn variant(&self, control: Option<&str>) -> Option<String> {
        let known = control.filter(|name| tcp::presets::PRESETS.iter().any(|preset| preset.name == *name));
        self.variant.as_deref().or(known).map(str::to_owned)
    }
}

/// The default limit of Linux, used as receive window if the measurement does not show it.
const USUAL_WINDOW: u64 = 6_291_456;
/// Bytes of an echo request of 56 bytes.
const SMALL: u32 = 84;
/// The initial window of RFC 6928.
const USUAL_INITIAL_WINDOW: u32 = 10;
/// The duration of a run without a measured transfer.
const USUAL_DURATION: Span = Span::from_secs(30);

/// Fits a path from round trips and losses only.
pub fn fit_to_ping(ping: &Ping, given: &GivenSettings) -> Result<(FittedPath, TransferValues), FitError> {
    let rate = given.rate.ok_or(FitError::NoRateOfPing)?;
    let fitted = FittedPath {
        source: given.source.clone(),
        sender: given.sender.unwrap_or_default(),
        rate,
        rate_given: true,
        rates: None,
        delay: Span::from_nanos((ping.min_rtt() - rate.transmission_time(SMALL).times(2)).as_nanos() / 2),
        queue: None,
        queue_was_full: false,
        loss: ping.loss,
        reordering: None,
        mss: 1448,
        receive_window: USUAL_WINDOW,
        initial_window: USUAL_INITIAL_WINDOW,
        timestamps: true,
        sack: Some(true),
        variant: String::new(),
        bytes: None,
        duration: USUAL_DURATION,
    };
    Ok((fitted, TransferValues::default()))
}

/// Fits a path over which iperf3 sent, with the round trips of a ping on the idle path, if given.
///
/// # Errors
/// Neither log has round trips.
pub fn fit_to_iperf(
    iperf: &Iperf,
    ping: Option<&Ping>,
    given: &GivenSettings,
) -> Result<(FittedPath, TransferValues), FitError> {
    let rate = given.rate.unwrap_or(iperf.rate);
    let logged = [ping.map(Ping::min_rtt), iperf.rtt.map(|[least, _]| least)];
    let least = logged.into_iter().flatten().min().ok_or(FitError::NoRoundTrips)?;
    // The min RTT was measured with small packets: of the handshake, of iperf3's own messages, or of ping.
    let transmitted = rate.transmission_time(SMALL).times(2);
    let packets = |longest: Span| {
        let waited = (longest - least).as_secs_f64() / rate.transmission_time(iperf.mss + 52).as_secs_f64().max(1e-12);
        waited.round().max(1.0) as u32
    };
    let fitted = FittedPath {
        source: given.source.clone(),
        sender: given.sender.unwrap_or_default(),
        rate,
        rate_given: given.rate.is_some(),
        rates: iperf.rates.clone().filter(|_| given.rate.is_none()),
        delay: Span::from_nanos((least - transmitted).as_nanos() / 2),
        queue: iperf.rtt.map(|[_, longest]| packets(longest)),
        // SRTTs hide the longest wait, and losses may have occurred on the channel.
        queue_was_full: false,
        loss: iperf.loss,
        reordering: None,
        mss: iperf.mss,
        receive_window: USUAL_WINDOW,
        initial_window: USUAL_INITIAL_WINDOW,
        timestamps: true,
        sack: Some(true),
        variant: String::new(),
        bytes: None,
        duration: iperf.took.max(Span::from_secs(1)),
    };
    let goodput = 8.0 * iperf.bytes as f64 / iperf.took.as_secs_f64().max(1e-9);
    let values = TransferValues {
        goodput: Some(goodput),
        rtt: iperf.rtts,
        retransmitted: Some(iperf.retransmits as f64),
        ..TransferValues::default()
    };
    Ok((fitted, values))
}

/// Fits the path of a captured transfer.
///
/// # Errors
/// The rate of the path is not seen.
pub fn fit_to_transfer(
    transfer: &MeasuredTransfer,
    bottleneck: &Bottleneck,
    given: &GivenSettings,
) -> Result<(FittedPath, TransferValues), FitError> {
    let survey = &transfer.survey;
    let rate = given.rate.or(bottleneck.rate).ok_or(FitError::NoRate)?;
    let syn = survey.stream.syn[survey.sender.index()].zip(survey.stream.syn[survey.sender.other().index()]);
    let loss = Loss::select_model(&bottleneck.channel);
    let fitted = FittedPath {
        source: given.source.clone(),
        sender: given.sender.unwrap_or_default(),
        rate,
        rate_given: given.rate.is_some(),
        rates: bottleneck.rates.clone().filter(|_| given.rate.is_none()),
        delay: bottleneck.delay.ok_or(FitError::NoRoundTripCaptured)?,
        queue: bottleneck.queue,
        queue_was_full: bottleneck.has_overflowed(),
        loss,
        reordering: bottleneck.reordering,
        mss: survey.mss,
        receive_window: transfer.receive_window.unwrap_or(USUAL_WINDOW).max(u64::from(survey.mss)),
        initial_window: transfer.initial_window.clamp(1, 1000),
        timestamps: syn.is_none_or(|(one, other)| one.timestamps && other.timestamps),
        sack: syn.map(|(one, other)| one.sack_permitted && other.sack_permitted),
        variant: String::new(),
        bytes: None,
        duration: transfer.took.max(Span::from_secs(1)),
    };
    let values = TransferValues {
        goodput: Some(transfer.goodput()),
        // Away from the sender, round trips are estimates without the time in the queue.
        rtt: if survey.place_of_times() == Vantage::Sender {
            TransferValues::percentiles(&transfer.rtt)
        } else {
            Default::default()
        },
        retransmitted: Some(transfer.counts.repeated as f64),
        timeouts: Some(transfer.timeouts as f64).filter(|_| survey.is_at_sender()),
    };
    Ok((fitted, values))
}

/// Names, values and intervals of a fit, as rows of a table with its head.
pub fn render_fit_rows(fitted: &FittedPath) -> Vec<Vec<String>> {
    let row = |name: &str, value: String, note: &str| vec![name.to_owned(), value, note.to_owned()];
    let rate = |bits: f64| Quantity::Rate.format_brief(bits);
    let note = if fitted.rate_given { "as given" } else { "with headers" };
    let mut rows = vec![row("of the path", "value".to_owned(), "95 % interval")];
    rows.push(row("rate", rate(fitted.rate.bits_per_sec() as f64), note));
    if let Some(rates) = &fitted.rates {
        let known = || rates.iter().copied().filter(|rate| *rate > 0.0);
        let (low, high) = (known().fold(f64::MAX, f64::min), known().fold(0.0, f64::max));
        rows.push(row("rate by seconds", format!("{} to {}", rate(low), rate(high)), "it varies: link_trace"));
    }
    rows.push(row("one-way delay", format_span(fitted.delay), "half of (min RTT - transmission times)"));
    match (fitted.queue, fitted.queue_was_full) {
        (Some(packets), true) => rows.push(row("queue", format!("{packets} packets"), "the queue was full")),
        (Some(packets), false) => rows.push(row("queue", format!("> {packets} packets"), "the queue was never full")),
        (None, _) => rows.push(row("queue", "unknown".to_owned(), "queueing delays were not measured")),
    }
    let share = |name: &str, estimate: crate::loss::Estimate| {
        // Three decimals: losses of real paths are often below 0.1 %.
        let percent = |share: f64| format!("{:.3} %", 100.0 * share);
        let [low, high] = estimate.interval.map(percent);
        vec![name.to_owned(), percent(estimate.value), format!("{low} to {high}")]
    };
    match fitted.loss {
        Loss::None(loss) => rows.push(share("loss", loss)),
        Loss::Uniform(loss) => rows.push(share("loss, independent", loss)),
        Loss::Gilbert { p, r } => rows.extend([share("loss bursts begin, p", p), share("loss bursts end, r", r)]),
        Loss::GilbertElliott { p, r, h } => rows.extend([
            share("loss bursts begin, p", p),
            share("loss bursts end, r", r),
            share("arrives in a burst, h", h),
        ]),
    }
    if let Some(reordering) = fitted.reordering {
        rows.push(share("reordered", reordering.share));
    }
    if let Some(ExtraDelays { delays, extents: [usual, most], .. }) =
        fitted.reordering.and_then(|reordering| reordering.late)
    {
        let [least, median, longest] = [delays[0], delays[2], delays[4]].map(format_span);
        rows.push(row("extra delay, median", median, &format!("{least} to {longest}")));
        rows.push(row("behind others, median", format!("{usual} packets"), &format!("{most} at most")));
    }
    rows
}

/// Renders measured and simulated values as rows of a table with its head.
pub fn render_comparison_rows(measured: &TransferValues, simulated: &TriedVariant) -> Vec<Vec<String>> {
    let TriedVariant { values, goodputs, .. } = simulated;
    // The name of each row has the unit, so that its values can be compared.
    let text = |value: Option<f64>, digits: usize, scale: f64| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{:.digits$}", scale * value))
    };
    let count = |count: Option<f64>| text(count, usize::from(count.is_some_and(|count| count.fract() > 0.0)), 1.0);
    let row =
        |name: &str, measured: String, simulated: String| vec![name.to_owned(), measured, simulated, String::new()];
    let mut goodput = row("goodput Mbps", text(measured.goodput, 3, 1e-6), text(values.goodput, 3, 1e-6));
    if let [lowest, .., highest] = goodputs[..] {
        goodput[3] = format!("{:.3} to {:.3}", lowest / 1e6, highest / 1e6);
    }
    let rtt = |place: usize, of: &TransferValues| text(of.rtt[place], 1, 1e3);
    vec![
        vec![
            format!("with {}", simulated.fitted.variant),
            "measured".to_owned(),
            "simulated".to_owned(),
            format!("in {} runs", goodputs.len()),
        ],
        goodput,
        row("RTT p50 ms", rtt(0, measured), rtt(0, values)),
        row("RTT p95 ms", rtt(1, measured), rtt(1, values)),
        row("retransmitted", count(measured.retransmitted), count(values.retransmitted)),
        row("timeouts", count(measured.timeouts), count(values.timeouts)),
    ]
}
