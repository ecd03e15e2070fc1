//! 802.11b at 1 Mbps, whose times can be computed by hand.
//!
//! Each byte of data takes 8 us behind the 192 us of preamble and header. A packet of 464 bytes
//! is a frame of 464 + 8 + 28 = 500, 4192 us; one of 64 bytes a frame of 100, 992 us. Acknowledgments and clears to
//! send are 14 bytes, 304 us, requests 20, 352 us. SIFS 10, slot 20, DIFS 50, EIFS 10 + 304 + 50 = 364, the wait for an
//! answer 10 + 20 + 192 = 222 from the end of the sending. The way to every station is 1 us: a frame of 4192 us that
//! begins at 0 is heard until 4193, its acknowledgment begins at 4203 and is heard until 4203 + 304 + 1 = 4508, and
//! data reserves 10 + 304 = 314.
//!
//! `1>0` is from station 1 to station 0. A station's draws are chosen by its stream and stand in the log. Draws in
//! the last line of an exchange that decides nothing more are whatever the stream gives.

use engine::{Bytes, Rate, Span};
use path::LinkDirection::Forward;
use path::channel::scripted;
use path::mac::dcf::Config;

use super::{Cell, Plan};

/// Packets that become frames of 500 and of 100 bytes.
pub const LONG: u32 = 464;
pub const SHORT: u32 = 64;

pub fn slow() -> Config {
    Config { rate: Rate::from_bits_per_sec(1_000_000), ..Config::default() }
}

/// Frames of more than 400 bytes ask first.
pub fn asking() -> Config {
    Config { rts_threshold: Some(Bytes(400)), ..slow() }
}

pub fn micros(from: u64, to: u64) -> [Span; 2] {
    [from, to].map(|at| Span::from_nanos(at * 1000))
}

/// Loses these data frames of a link, and all that is in the air in these intervals.
pub fn losing(drop: &[u64], bad: &[[Span; 2]]) -> scripted::Config {
    scripted::Config { drop: drop.to_vec(), bad: bad.to_vec(), ..scripted::Config::default() }
}

/// The events of packets that are handed over at their times: (microsecond, link, size).
pub fn timeline(plan: &Plan, offers: &[(u64, usize, u32)]) -> Vec<String> {
    let mut cell = Cell::new(plan);
    let offers: Vec<_> = offers.iter().map(|(at, link, size)| (*at, *link, Forward, *size)).collect();
    cell.play(&offers);
    cell.lines()
}
