//! Two captures of one connection, as text and JSON.

use capture::joined::{JoinedConnection, JoinedDirection, MAX_PACKETS, QUANTILES};
use engine::Span;
use lab::captures::BothEnds;
use serde_json::{Value, json};

use super::super::{format_count, format_path};
use crate::table;

/// Renders the packets of both directions and the clocks as text.
pub fn render_joined(both: &BothEnds<'_>) -> String {
    let JoinedConnection { data, acks, clock, beyond } = &both.joined;
    let names = both.files.map(|file| format_path(&file.path));
    let [sender, receiver] = [0, 1].map(|end| format!("stream {} of {}", both.numbers[end], names[end]));
    let head = ["direction", "packets", "lost", "share", "spurious"].into_iter().map(str::to_owned);
    let head = head.chain(QUANTILES.iter().map(|(name, _)| format!("{name} ms"))).collect();
    let row = |(name, direction): (&str, &JoinedDirection)| {
        let (packets, lost, delays) = (direction.packets.len(), direction.count_lost(), direction.delay_quantiles());
        let share = format!("{:.2} %", 100.0 * lost as f64 / packets.max(1) as f64);
        let spurious = if both.whole_path { direction.count_spurious().to_string() } else { "-".to_owned() };
        let counts = [name.to_owned(), packets.to_string(), lost.to_string(), share, spurious];
        let in_ms = |delay: Span| format!("{:.3}", delay.as_secs_f64() * 1e3);
        let delays = delays.into_iter().map(|(_, delay)| delay.map_or_else(|| "-".to_owned(), in_ms));
        counts.into_iter().chain(delays).collect::<Vec<String>>()
    };
    let rows: Vec<Vec<String>> = std::iter::once(head).chain([("data", data), ("ACKs", acks)].map(row)).collect();
    let places = if both.whole_path {
        format!("{sender} at the sender, {receiver} at the receiver")
    } else {
        format!("{sender}, nearer to the sender, and {receiver}")
    };
    let mut text = format!(
        "joined: {places}\n{}delays assume the same minimum, {:.3} ms, in both directions: the clock of the second \
         capture was {:.3} ms ahead",
        table::align_rows(&rows, 1),
        clock.least.as_secs_f64() * 1e3,
        both.clock_ahead() as f64 / 1e6,
    );
    match clock.skew {
        0.0 => text.push('\n'),
        skew => text.push_str(&format!(", and runs {skew:+.1} ppm faster\n")),
    }
    if !both.whole_path {
        text.push_str(
            "note: the captures are not from both ends and show a part of the path; the explanation does not \
                       use that part\n",
        );
    }
    let unknown = data.count_unknown() + acks.count_unknown();
    if unknown > 0 {
        let packets = format_count(unknown, "packet");
        text.push_str(&format!("note: for {packets} the other capture does not show whether they arrived\n"));
    }
    match data.unseen + acks.unseen {
        0 => {}
        1 => text.push_str("note: 1 packet arrived and was not captured where it was sent\n"),
        unseen => {
            text.push_str(&format!("note: {unseen} packets arrived and were not captured where they were sent\n"));
        }
    }
    if data.missed > 0 {
        let packets = format_count(data.missed, "packet");
        text.push_str(&format!("note: {packets} of these, acknowledged, were missed by the capture at the receiver\n"));
    }
    if *beyond > 0 {
        let packets = format_count(beyond, "packet");
        text.push_str(&format!("note: {packets} were not joined: only the first {MAX_PACKETS} of each capture are\n"));
    }
    text
}

/// Converts the packets of both directions and the clocks to JSON.
pub fn joined_to_json(both: &BothEnds<'_>) -> Value {
    let direction = |packets: &JoinedDirection| {
        let delays = packets.delay_quantiles().into_iter();
        let delays: serde_json::Map<String, Value> = delays
            .map(|(name, delay)| (name.to_owned(), delay.map(|delay| delay.as_secs_f64() * 1e3).into()))
            .collect();
        json!({
            "packets": packets.packets.len(),
            "lost": packets.count_lost(),
            "unknown": packets.count_unknown(),
            "unseen": packets.unseen,
            "missed": packets.missed,
            "spurious_retransmissions": both.whole_path.then(|| packets.count_spurious()),
            "one_way_ms": delays,
        })
    };
    let clock = both.joined.clock;
    json!({
        "sender": { "file": format_path(&both.files[0].path), "stream": both.numbers[0] },
        "receiver": { "file": format_path(&both.files[1].path), "stream": both.numbers[1] },
        "data": direction(&both.joined.data),
        "acks": direction(&both.joined.acks),
        "clock_ahead_ms": both.clock_ahead() as f64 / 1e6,
        "clock_skew_ppm": clock.skew,
        "min_one_way_ms": clock.least.as_secs_f64() * 1e3,
        "whole_path": both.whole_path,
        "packets_beyond": both.joined.beyond,
    })
}
