//! Properties of the schemes: requirements on the nodes, and effect on TCP's guarantees.

/// Properties of a scheme that do not depend on its settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Traits {
    /// Meaning of an acknowledgment to a sender.
    pub semantics: Semantics,
    /// Nodes that must implement the scheme, beyond TCP and a link layer, for data to the mobile; empty if the scheme
    /// has no effect in that direction.
    pub changes: &'static [Place],
    /// Nodes that must implement the scheme for data from the mobile.
    pub uploads: &'static [Place],
    /// True if the scheme needs reports of the node's link layer.
    pub needs_link_reports: bool,
}

impl Default for Traits {
    /// Those of a scheme of the base station alone that leaves acknowledgments their meaning.
    fn default() -> Self {
        Traits {
            semantics: Semantics::Kept,
            changes: &[Place::BaseStation],
            uploads: &[Place::BaseStation],
            needs_link_reports: false,
        }
    }
}

/// Direction in which data crosses the radio link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transfer {
    /// To the mobile.
    Download,
    /// From the mobile.
    Upload,
}

/// Meaning of an acknowledgment to a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Semantics {
    /// The receiver has the bytes.
    Kept,
    /// An intermediate node has the bytes and will try to forward them.
    Lost,
}

/// A node that must implement a scheme.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The end that sends data.
    Sender,
    /// The node between the wired network and the radio link.
    BaseStation,
    /// The end that receives data.
    Receiver,
}

impl Semantics {
    /// Returns the name for tables.
    pub fn name(self) -> &'static str {
        match self {
            Semantics::Kept => "kept",
            Semantics::Lost => "lost",
        }
    }
}

impl Place {
    /// Returns the name for messages and tables.
    pub fn name(self) -> &'static str {
        match self {
            Place::Sender => "sender",
            Place::BaseStation => "base station",
            Place::Receiver => "receiver",
        }
    }
}

impl Traits {
    /// Returns the nodes that must implement the scheme for data in this direction.
    pub fn places(&self, direction: Transfer) -> &'static [Place] {
        match direction {
            Transfer::Download => self.changes,
            Transfer::Upload => self.uploads,
        }
    }

    /// Returns true if this node must implement the scheme for data in any direction.
    pub fn changes(&self, place: Place) -> bool {
        self.changes.contains(&place) || self.uploads.contains(&place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_the_tables_of_schemes() {
        assert_eq!([Semantics::Kept, Semantics::Lost].map(Semantics::name), ["kept", "lost"]);
        let places = [Place::Sender, Place::BaseStation, Place::Receiver];
        assert_eq!(places.map(Place::name), ["sender", "base station", "receiver"]);
    }
}
