//! A fitted path as a scenario.
//!
//! ```text
//! server --- wire: 20 times the rate, nearly all of the delay --- station --- air: rate, queue, losses --- mobile
//! ```
//!
//! The data goes from the server to the mobile, or the other way: rate, queue, losses and reordering describe that
//! direction.
//!
//! The bottleneck is taken to be the last hop, and wireless, so that the schemes of a base station can act on it: the
//! measurement does not show on which link of a path the queue is, nor the losses.

#[cfg(test)]
pub mod tests;

use std::fmt::Write;

use engine::{Rate, Span};

use crate::loss::{Estimate, Loss};
use crate::reordering::Reordering;

/// A host of the scenario.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FittedHost {
    /// The wired host.
    #[default]
    Server,
    /// The wireless host.
    Mobile,
}

impl FittedHost {
    /// Name of the host in the scenario.
    pub const fn name(self) -> &'static str {
        match self {
            FittedHost::Server => "server",
            FittedHost::Mobile => "mobile",
        }
    }

    /// The other host.
    pub const fn other(self) -> FittedHost {
        match self {
            FittedHost::Server => FittedHost::Mobile,
            FittedHost::Mobile => FittedHost::Server,
        }
    }
}

/// The fitted parameters of a path, from which a scenario is written.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedPath {
    /// The name of the measurement, for the title.
    pub source: String,
    /// The sender of the data.
    pub sender: FittedHost,
    /// Rate of the bottleneck.
    pub rate: Rate,
    /// Whether the user gave the rate.
    pub rate_given: bool,
    /// The rate of each second, if it varies.
    pub rates: Option<Vec<f64>>,
    /// One-way propagation delay.
    pub delay: Span,
    /// The queue's limit in packets; `None` if it is not known.
    pub queue: Option<u32>,
    /// Whether the queue is known to have been full, so that `queue` is its limit and not a lower bound.
    pub queue_was_full: bool,
    /// The loss process in the direction of the data.
    pub loss: Loss,
    /// Packets that others overtake, in the direction of the data; `None` if they are not seen.
    pub reordering: Option<Reordering>,
    /// Bytes of data in a full segment.
    pub mss: u32,
    /// The receive window in bytes.
    pub receive_window: u64,
    /// The initial window in segments.
    pub initial_window: u32,
    /// Whether segments have timestamps.
    pub timestamps: bool,
    /// Whether the ends agreed on SACK; `None` if the handshake was not seen.
    pub sack: Option<bool>,
    /// The sender's variant, which a measurement does not show.
    pub variant: String,
    /// Bytes to transfer; `None` for a transfer that lasts as long as the run.
    pub bytes: Option<u64>,
    /// The duration of the run.
    pub duration: Span,
}

/// The delay of the wireless link, which has at most half of the whole delay. The wired link has the rest.
const AIR: Span = Span::from_millis(1);

impl FittedPath {
    /// The scenario as TOML.
    pub fn to_toml(&self) -> String {
        let air = if self.delay > AIR.times(2) { AIR } else { Span::from_nanos(self.delay.as_nanos() / 2) };
        let wire = Rate::from_bits_per_sec(self.rate.bits_per_sec().saturating_mul(20)).unwrap_or(self.rate);
        let mut text = String::new();
        let mut line = |part: std::fmt::Arguments<'_>| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{part}");
        };
        line(format_args!(
            "# Fitted to {} by `lasthop fit`. The measurement does not show on which hop the queue and",
            escape_text(&self.source)
        ));
        line(format_args!(
            "# the losses are: here both are on the last hop. The sender's variant is an assumption, too."
        ));
        line(format_args!("# `lasthop compare` on this file shows which scheme of the base station would help."));
        line(format_args!("title = \"A path like that of {}\"", escape_text(&self.source)));
        line(format_args!("duration = \"{}\"\n", format_value(self.duration)));
        line(format_args!("[nodes]\nserver = {{ kind = \"host\" }}\nstation = {{ kind = \"base-station\" }}"));
        line(format_args!("mobile = {{ kind = \"host\" }}\n"));
        line(format_args!("[links.wire]\nkind = \"wired\"\nbetween = [\"server\", \"station\"]\nrate = \"{wire}\""));
        line(format_args!("delay = \"{}\"\nqueue = \"unlimited\"\n", format_value(self.delay - air)));
        // A setting of one direction applies to the direction of the data.
        let between = match self.sender {
            FittedHost::Server => "\"station\", \"mobile\"",
            FittedHost::Mobile => "\"mobile\", \"station\"",
        };
        line(format_args!("[links.air]\nkind = \"wireless\"\nbetween = [{between}]\nrate = \"{}\"", self.rate));
        line(format_args!("delay = \"{}\"", format_value(air)));
        match self.queue {
            Some(packets) if self.queue_was_full => line(format_args!("queue = \"{packets} packets\"")),
            Some(held) => {
                let packets = self.bandwidth_delay_product().max(held.saturating_mul(2));
                line(format_args!(
                    "queue = \"{packets} packets\"          # a guess: the queue was never full, and held {held}"
                ));
            }
            None => {
                let packets = self.bandwidth_delay_product();
                line(format_args!(
                    "queue = \"{packets} packets\"          # a guess: the bandwidth-delay product; delays were not measured"
                ));
            }
        }
        if let Some(channel) = render_channel(&self.loss) {
            line(format_args!("channel = {{ forward = {channel}, backward = \"perfect\" }}"));
        }
        if let Some(jitter) = self.reordering.as_ref().and_then(render_jitter) {
            line(format_args!("{jitter}"));
        }
        if let Some(rates) = &self.rates {
            line(format_args!("link_trace.contents = \"\"\"\n{}\"\"\"", render_trace(rates, self.rate)));
        }
        let [from, to] = [self.sender, self.sender.other()].map(FittedHost::name);
        line(format_args!("\n[flows.transfer]\nfrom = \"{from}\"\nto = \"{to}\"\nmss = \"{} B\"", self.mss));
        if let Some(bytes) = self.bytes {
            line(format_args!("bytes = \"{bytes} B\""));
        }
        line(format_args!("receive_window = \"{} B\"", self.receive_window));
        line(format_args!("\n[flows.transfer.tcp]\nvariant = \"{}\"\nhandshake = true", self.variant));
        line(format_args!(
            "initial_window = {}\nwindow_scaling = true\ntimestamps = {}",
            self.initial_window, self.timestamps
        ));
        if let Some(sack) = self.sack {
            line(format_args!("sack = {sack}"));
        }
        text
    }
}

/// A duration as a scenario's value, to a microsecond: four significant digits would change the fitted path.
fn format_value(span: Span) -> String {
    let micros = (span.as_nanos() + 500) / 1000;
    let text = format!("{}.{:03}", micros / 1000, micros % 1000);
    format!("{} ms", text.trim_end_matches('0').trim_end_matches('.'))
}

impl FittedPath {
    /// The bandwidth-delay product in full packets, at least 20.
    fn bandwidth_delay_product(&self) -> u32 {
        let bits = self.rate.bits_per_sec() as f64 * 2.0 * self.delay.as_secs_f64();
        (bits / (8.0 * f64::from(self.mss + 52))).ceil().clamp(20.0, 1e6) as u32
    }
}

fn escape_text(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control() && !['"', '\\'].contains(letter)).collect()
}

/// The channel of a loss process.
fn render_channel(loss: &Loss) -> Option<String> {
    let text = match loss {
        Loss::None(_) => return None,
        Loss::Uniform(loss) => format!("{{ kind = \"uniform\", loss = {} }}", format_probability(*loss)),
        Loss::Gilbert { p, r } => {
            format!("{{ kind = \"gilbert-elliott\", p = {}, r = {} }}", format_probability(*p), format_probability(*r))
        }
        Loss::GilbertElliott { p, r, h } => {
            format!(
                "{{ kind = \"gilbert-elliott\", p = {}, r = {}, h = {} }}",
                format_probability(*p),
                format_probability(*r),
                format_probability(*h)
            )
        }
    };
    Some(text)
}

/// A probability with four significant digits.
fn format_probability(estimate: Estimate) -> String {
    let text = format!("{:.3e}", estimate.value);
    text.parse::<f64>().map_or(text, |value| value.to_string())
}

/// The jitter of reordered packets: a quarter of the extra delays lies between two quartiles; if the delays differ by
/// no more than the precision, all have the median.
fn render_jitter(reordering: &Reordering) -> Option<String> {
    /// Number of units that make up a probability of 1, so that the decimals of probabilities sum to 1.
    const UNITS: u64 = 40_000_000;
    let late = reordering.late?;
    let delayed = ((reordering.share.value * UNITS as f64 / 4.0).round() as u64).clamp(1, UNITS / 4) * 4;
    let share = |units: u64| (units as f64 / UNITS as f64).to_string();
    let part =
        |units: u64, delay: String| format!("    {{ probability = {}, delay = {{ {delay} }} }},\n", share(units));
    let constant = |span: Span| format!("kind = \"constant\", value = \"{}\"", format_value(span));
    let mut text = String::from(
        "jitter = { reordering = true, directions = \"forward\", delay = { kind = \"mixture\", parts = [\n",
    );
    text += &part(UNITS - delayed, constant(Span::ZERO));
    if late.delays[4] - late.delays[0] <= late.precision {
        text += &part(delayed, constant(late.delays[2]));
    } else {
        for pair in late.delays.windows(2) {
            let [low, high] = [format_value(pair[0]), format_value(pair[1])];
            text += &part(delayed / 4, format!("kind = \"uniform\", low = \"{low}\", high = \"{high}\""));
        }
    }
    text += "] } }";
    Some(text)
}

/// Renders a table with the rate of each second. A second without a rate repeats the previous rate.
fn render_trace(rates: &[f64], mean: Rate) -> String {
    let mut text = String::from("time_s,rate_bps\n");
    let mut last = mean.bits_per_sec();
    for (second, rate) in rates.iter().enumerate() {
        if *rate >= 1.0 {
            last = rate.round() as u64;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{second},{last}");
    }
    text
}
