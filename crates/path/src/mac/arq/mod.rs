//! Link-level retransmission (automatic repeat request).

pub mod none;
pub mod stop_and_wait;

use engine::Span;

engine::registry! {
    /// The kinds of link-level retransmission.
    pub enum ArqConfig: "arq" => build() -> Arq {
        None => none, "none", "Frames are sent once and never acknowledged", no settings;
        StopAndWait => stop_and_wait, "stop-and-wait", "One frame at a time, sent until acknowledged or a number of times";
    }
}

/// What sends frames again, if anything does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Arq {
    /// Nothing.
    None,
    /// A [station](crate::station).
    StopAndWait(StopAndWait),
}

impl Arq {
    /// Bytes of a link acknowledgment; none if frames are not acknowledged.
    pub fn ack_size(&self) -> Option<u32> {
        match self {
            Arq::None => None,
            Arq::StopAndWait(arq) => Some(arq.ack_size),
        }
    }
}

/// The parameters of a stop-and-wait sender.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StopAndWait {
    /// How often a frame is sent at most.
    pub transmissions: u32,
    /// How long beyond the earliest possible acknowledgment the sender waits.
    pub margin: Span,
    /// Bytes of a link acknowledgment.
    pub ack_size: u32,
    /// What a retransmission is called.
    pub numbering: stop_and_wait::Numbering,
}
