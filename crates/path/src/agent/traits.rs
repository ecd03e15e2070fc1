//! What each scheme asks of a network, and what it leaves of TCP's promises.

/// What no setting of a scheme changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Traits {
    /// What an acknowledgment says to a sender.
    pub semantics: Semantics,
    /// The nodes that must follow the scheme, beyond what TCP and a link layer do anyway.
    pub changes: &'static [Place],
    /// Whether it goes by what the node's link layer learns: without one it has nothing to go by.
    pub hears_link_layer: bool,
}

/// What an acknowledgment says to a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Semantics {
    /// The far end has the bytes.
    Kept,
    /// Somebody has them, who will pass them on if he can.
    Lost,
}

/// Who must follow a scheme.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The end that sends data.
    Sender,
    /// The node that faces the air.
    BaseStation,
    /// The end that receives data.
    Receiver,
}

impl Semantics {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Semantics::Kept => "kept",
            Semantics::Lost => "lost",
        }
    }
}

impl Place {
    /// As people say it.
    pub fn name(self) -> &'static str {
        match self {
            Place::Sender => "sender",
            Place::BaseStation => "base station",
            Place::Receiver => "receiver",
        }
    }
}

impl Traits {
    /// Whether this node must follow the scheme.
    pub fn changes(&self, place: Place) -> bool {
        self.changes.contains(&place)
    }
}
