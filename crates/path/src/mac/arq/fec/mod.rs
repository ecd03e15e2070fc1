//! Forward error correction: trades rate for loss. After every `data` frames `parity` frames are sent, and any `data`
//! of the `data + parity` frames restore the whole block: a Reed-Solomon code over packets, with frame losses as
//! erasures (RFC5510).
//!
//! The code is systematic: data frames are the packets themselves and need no decoding. A parity frame is as long as
//! the longest packet of its block, to which the others are padded. There are no acknowledgments and no
//! retransmissions. A block that is not full when traffic pauses is closed after `flush`, and gets all its parity
//! frames. `sender` implements it.
//!
//! Limits: over GF(2^8) a block has at most 255 frames, parity included. Deviations: a real code protects each packet's
//! length too and transmits the block's number and shape, which take no bytes here; coding takes no time.

mod sender;

use engine::Span;
use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Arq;
use sender::FecSender;

/// Parameters of a sender with parity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fec {
    /// Data frames of a full block.
    pub data: u32,
    /// Parity frames after each block.
    pub parity: u32,
    /// Time after the last frame at which an incomplete block is closed.
    pub flush: Span,
    /// Whether packets are delivered in sequence, or on arrival.
    pub in_order: bool,
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Data frames of a full block.
    #[serde(default = "default_data_frames")]
    #[schemars(range(min = 1, max = 254))]
    pub data: u32,
    /// Parity frames after each block.
    #[serde(default = "default_parity_frames")]
    #[schemars(range(min = 1, max = 254))]
    pub parity: u32,
    /// Time after the end of its last frame at which an incomplete block is closed.
    #[serde(default = "ten_milliseconds")]
    pub flush: Span,
    /// Whether packets wait for earlier ones of their block, or are delivered on arrival.
    #[serde(default = "default_fec_in_order")]
    pub in_order: bool,
}

fn default_data_frames() -> u32 {
    8
}

fn default_parity_frames() -> u32 {
    2
}

fn ten_milliseconds() -> Span {
    Span::from_millis(10)
}

fn default_fec_in_order() -> bool {
    true
}

impl Default for Config {
    fn default() -> Self {
        Config {
            data: default_data_frames(),
            parity: default_parity_frames(),
            flush: ten_milliseconds(),
            in_order: default_fec_in_order(),
        }
    }
}

/// Frames of a Reed-Solomon block over GF(2^8) (RFC5510).
const MAX_BLOCK: u32 = 255;
/// Maximum time before a block is closed.
const MAX_FLUSH: Span = Span::from_secs(3600);

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (key, frames) in [("data", self.data), ("parity", self.parity)] {
            if !(1..MAX_BLOCK).contains(&frames) {
                faults.push(Fault::new(key, frames, format!("1 to {} frames", MAX_BLOCK - 1)));
            }
        }
        if faults.is_empty() && self.data + self.parity > MAX_BLOCK {
            let most = MAX_BLOCK - self.data;
            let fault = Fault::new("parity", self.parity, format!("at most {most}, with {} data frames", self.data));
            faults.push(fault.hint(format!("a block has at most {MAX_BLOCK} frames (Reed-Solomon over GF(2^8))")));
        }
        if self.flush > MAX_FLUSH {
            faults.push(Fault::new("flush", self.flush, "at most an hour"));
        }
        faults
    }
}

impl Config {
    /// Returns the link layer.
    pub fn build(&self) -> Arq {
        let fec = Fec { data: self.data, parity: self.parity, flush: self.flush, in_order: self.in_order };
        Arq::own(move |parts| FecSender::new(parts, fec)).in_order(self.in_order)
    }
}
