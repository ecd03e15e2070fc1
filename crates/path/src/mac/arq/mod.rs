//! Link layers of links with a separate channel: automatic repeat request (ARQ) and its alternatives.
//!
//! A *link layer* is one file (or folder) here and one line of the registry below. Its `build` returns an [`Arq`]:
//! mostly [`Arq::own`] with a function that builds its [`Link`].

pub mod fec;
pub mod go_back_n;
pub mod none;
pub mod ns2_lan;
pub mod selective_repeat;
pub mod stop_and_wait;
pub mod window;

pub use stop_and_wait::StopAndWait;

use crate::link::{Link, LinkParts};

engine::registry! {
    /// The link layers of links outside of media.
    pub enum ArqConfig: "link layer" => build() -> Arq {
        None => none, "none", "Frames are sent once and never acknowledged", no settings;
        StopAndWait => stop_and_wait, "stop-and-wait", "One frame at a time, retransmitted until acknowledged or up to a limit";
        GoBackN => go_back_n, "go-back-n", "A window of frames; after a failure that frame and all later ones are \
                                            retransmitted";
        SelectiveRepeat => selective_repeat, "selective-repeat", "A window of frames, each acknowledged and retransmitted individually";
        Fec => fec, "fec", "Parity frames after each block instead of acknowledgments (packet erasure code)";
        Ns2Lan => ns2_lan, "ns2-lan", "Frames are sent once with a header of 64 bytes and the delay at both ends, as on ns-2's LAN";
    }
}

impl Default for ArqConfig {
    fn default() -> Self {
        ArqConfig::None(none::Config::default())
    }
}

/// A link layer: its sender and its properties.
pub struct Arq {
    sender: ArqSender,
    /// Size of a link acknowledgment in bytes, and maximum number of unacknowledged frames.
    ack: Option<(u32, u32)>,
    in_order: bool,
    agent_before_delay: bool,
}

/// The sender of one direction of a link.
pub enum ArqSender {
    /// No link layer: each packet is sent once.
    Plain,
    /// A queue of a [station](crate::station), which other links of the node can share.
    Station(StopAndWait),
    /// A [`Link`] with its own transmitter. The function is called once for each direction, and builds the link.
    Own(Box<dyn Fn(LinkParts) -> Box<dyn Link>>),
}

impl Arq {
    /// Returns the absence of a link layer.
    pub fn none() -> Self {
        Arq { sender: ArqSender::Plain, ack: None, in_order: true, agent_before_delay: false }
    }

    /// Creates a link layer with a transmitter for each direction of a link, built by `build`. The link layer has no
    /// acknowledgments and does not keep the order of packets, unless
    /// [`with_acknowledgments`](Self::with_acknowledgments) and [`in_order`](Self::in_order) are called.
    pub fn own<L: Link + 'static>(build: impl Fn(LinkParts) -> L + 'static) -> Self {
        let sender = ArqSender::Own(Box::new(move |parts| Box::new(build(parts))));
        Arq { sender, ack: None, in_order: false, agent_before_delay: false }
    }

    /// Declares that the link layer acknowledges frames, with link acknowledgments of `ack_size` bytes, and reports
    /// failed attempts. At most `window` frames are unacknowledged at once.
    pub fn with_acknowledgments(self, ack_size: u32, window: u32) -> Self {
        Arq { ack: Some((ack_size, window)), ..self }
    }

    /// Sets whether the link layer delivers packets in the order in which they were accepted.
    pub fn in_order(self, in_order: bool) -> Self {
        Arq { in_order, ..self }
    }

    /// Declares that an agent at the far end of a link gets packets before that end's delay, which applies after the
    /// agent.
    pub fn agent_before_delay(self) -> Self {
        Arq { agent_before_delay: true, ..self }
    }

    /// Returns the sender.
    pub fn sender(&self) -> &ArqSender {
        &self.sender
    }

    /// Returns the size of a link acknowledgment in bytes; `None` for a link layer without acknowledgments.
    pub fn ack_size(&self) -> Option<u32> {
        self.ack.map(|(size, _)| size)
    }

    /// Returns the maximum number of unacknowledged frames; `None` for no limit.
    pub fn window(&self) -> Option<u32> {
        self.ack.map(|(_, window)| window)
    }

    /// Returns true if packets are delivered in the order in which they were sent.
    pub fn keeps_order(&self) -> bool {
        self.in_order
    }

    /// Returns true if an agent at the far end gets packets before that end's delay.
    pub fn hands_to_agent_before_delay(&self) -> bool {
        self.agent_before_delay
    }

    /// Returns true if each direction of a link has a separate transmitter, so that the node cannot share one radio
    /// among its links.
    pub fn needs_own_radio(&self) -> bool {
        matches!(self.sender, ArqSender::Own(_))
    }
}

impl From<StopAndWait> for Arq {
    fn from(arq: StopAndWait) -> Self {
        let none = Arq::none();
        Arq { sender: ArqSender::Station(arq), ..none.with_acknowledgments(arq.ack_size, 1) }
    }
}

/// Size of an 802.11 acknowledgment frame in bytes.
const ACK_SIZE: u32 = 14;
