//! Link-level retransmission (automatic repeat request), and what is sent instead of it.

pub mod fec;
pub mod go_back_n;
pub mod none;
pub mod ns2_lan;
pub mod selective_repeat;
pub mod stop_and_wait;
pub mod window;

use engine::Span;

pub use fec::Fec;
pub use ns2_lan::Lan;
pub use window::SlidingWindow;

engine::registry! {
    /// The kinds of link-level retransmission.
    pub enum ArqConfig: "arq" => build() -> Arq {
        None => none, "none", "Frames are sent once and never acknowledged", no settings;
        StopAndWait => stop_and_wait, "stop-and-wait", "One frame at a time, sent until acknowledged or a number of times";
        GoBackN => go_back_n, "go-back-n", "A window of frames; after one that fails all behind it are sent again";
        SelectiveRepeat => selective_repeat, "selective-repeat", "A window of frames, each acknowledged and sent again by itself";
        Fec => fec, "fec", "Parity frames behind each block instead of acknowledgments (packet erasure code)";
        Ns2Lan => ns2_lan, "ns2-lan", "Frames are sent once behind a header of 64 bytes, with the delay at both ends, as on ns-2's LAN";
    }
}

/// The retransmission scheme of a link layer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Arq {
    /// Nothing.
    None,
    /// A [station](crate::station).
    StopAndWait(StopAndWait),
    /// A [transmitter](crate::transmitter) of the hop's own.
    Window(SlidingWindow),
    /// Nothing is sent again: parity goes ahead. A [transmitter](crate::transmitter) of the hop's own.
    Fec(Fec),
    /// Nothing, behind a header. A [transmitter](crate::transmitter) of the hop's own.
    Lan(Lan),
}

impl Arq {
    /// Bytes of a link acknowledgment; `None` for a link layer without acknowledgments.
    pub fn ack_size(&self) -> Option<u32> {
        match self {
            Arq::None | Arq::Fec(_) | Arq::Lan(_) => None,
            Arq::StopAndWait(arq) => Some(arq.ack_size),
            Arq::Window(arq) => Some(arq.ack_size),
        }
    }

    /// The most frames that may be unacknowledged at once; `None` for no bound.
    pub fn window(&self) -> Option<u32> {
        match self {
            Arq::None | Arq::Fec(_) | Arq::Lan(_) => None,
            Arq::StopAndWait(_) => Some(1),
            Arq::Window(arq) => Some(arq.window),
        }
    }

    /// Whether a transmitter that several links share can follow it: it must let another link's frame go between.
    pub fn shares_a_radio(&self) -> bool {
        matches!(self, Arq::None | Arq::StopAndWait(_))
    }
}

/// Bytes of an 802.11 acknowledgment frame.
const ACK_SIZE: u32 = 14;

/// The parameters of a stop-and-wait sender.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StopAndWait {
    /// How often a frame is sent at most.
    pub max_transmissions: u32,
    /// How long beyond the earliest possible acknowledgment the sender waits.
    pub margin: Span,
    /// Bytes of a link acknowledgment.
    pub ack_size: u32,
    /// The name of a retransmission.
    pub numbering: stop_and_wait::Numbering,
}
