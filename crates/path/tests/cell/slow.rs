//! 802.11b at 1 Mbps, whose times can be computed by hand.
//!
//! Each byte of data takes 8 us after a preamble and header of 192 us. A packet of 464 bytes is a frame of 464 + 8 + 28
//! = 500 bytes, 4192 us; one of 64 bytes a frame of 100 bytes, 992 us. Acknowledgments and CTS have 14 bytes, 304 us,
//! RTS 20 bytes, 352 us. SIFS is 10 us, a slot 20, DIFS 50, EIFS 10 + 304 + 50 = 364, the response timeout 10 + 20 +
//! 192 = 222 from the end of the transmission. The propagation delay is 1 us: a frame of 4192 us that begins at 0 ends
//! everywhere at 4193, its acknowledgment begins at 4203 and ends at 4203 + 304 + 1 = 4508, and data reserves 10 + 304
//! = 314.
//!
//! `1>0` is from station 1 to station 0. The back-offs of a station are chosen by its stream and appear in the log. A
//! back-off drawn in the last line of a log has no effect and may have any value.

use engine::{Bytes, Rate, Span};
use path::LinkDirection::Forward;
use path::channel::scripted;
use path::mac::dcf::Config;

use super::{Cell, Plan};

/// Size in bytes of a packet whose frame has 500 bytes.
pub const LONG: u32 = 464;
/// Size in bytes of a packet whose frame has 100 bytes.
pub const SHORT: u32 = 64;

pub fn slow() -> Config {
    Config { rate: Rate::from_bits_per_sec(1_000_000), ..Config::default() }
}

/// Returns a cell in which frames of more than 400 bytes are preceded by RTS.
pub fn asking() -> Config {
    Config { rts_threshold: Some(Bytes(400)), ..slow() }
}

pub fn micros(from: u64, to: u64) -> [Span; 2] {
    [from, to].map(|at| Span::from_nanos(at * 1000))
}

/// Returns a channel that loses these data frames of a link, and all frames in these intervals.
pub fn losing(drop: &[u64], bad: &[[Span; 2]]) -> scripted::Config {
    scripted::Config { drop: drop.to_vec(), bad: bad.to_vec(), ..scripted::Config::default() }
}

/// Returns the events of packets offered as (microsecond, link, size).
pub fn timeline(plan: &Plan, offers: &[(u64, usize, u32)]) -> Vec<String> {
    let mut cell = Cell::new(plan);
    let offers: Vec<_> = offers.iter().map(|(at, link, size)| (*at, *link, Forward, *size)).collect();
    cell.play(&offers);
    cell.lines()
}
