//! The requirements of each scheme on a network, and its effect on TCP's guarantees.

/// The properties of a scheme that do not depend on its settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Traits {
    /// The meaning of an acknowledgment to a sender.
    pub semantics: Semantics,
    /// The nodes that must implement the scheme, beyond TCP and a link layer, where data flows to the mobile; empty
    /// when it has no effect in that direction.
    pub changes: &'static [Place],
    /// The same where data comes from the mobile.
    pub uploads: &'static [Place],
    /// Whether it goes by what the node's link layer learns: without one it has nothing to go by.
    pub hears_link_layer: bool,
}

/// Which way data crosses the air.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transfer {
    /// To the mobile.
    Download,
    /// From it.
    Upload,
}

/// The meaning of an acknowledgment to a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Semantics {
    /// The far end has the bytes.
    Kept,
    /// A node has the bytes and will forward them if it can.
    Lost,
}

/// A node that must implement a scheme.
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
    /// The nodes that must follow the scheme where data goes this way.
    pub fn places(&self, direction: Transfer) -> &'static [Place] {
        match direction {
            Transfer::Download => self.changes,
            Transfer::Upload => self.uploads,
        }
    }

    /// Whether this node must follow the scheme, whichever way data goes.
    pub fn changes(&self, place: Place) -> bool {
        self.changes.contains(&place) || self.uploads.contains(&place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_tables_of_schemes() {
        assert_eq!([Semantics::Kept, Semantics::Lost].map(Semantics::name), ["kept", "lost"]);
        let places = [Place::Sender, Place::BaseStation, Place::Receiver];
        assert_eq!(places.map(Place::name), ["sender", "base station", "receiver"]);
    }
}
