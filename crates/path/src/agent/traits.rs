//! Properties of the schemes: requirements on the nodes, and effect on TCP's guarantees.

/// Properties of a scheme that do not depend on its settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Traits {
    /// Meaning of an acknowledgment to a sender.
    pub semantics: Semantics,
    /// Nodes that must implement the scheme, beyond TCP and a link layer, for data to the mobile; empty if the scheme
    /// has no effect in that direction.
    pub changes: &'static [SchemeNode],
    /// Nodes that must implement the scheme for data from the mobile.
    pub uploads: &'static [SchemeNode],
    /// True if the scheme needs reports of the node's link layer.
    pub needs_link_reports: bool,
    /// Actions that pictures of a run mark; empty if there are none. Actions with the same effect have the same label.
    pub actions: &'static [SchemeAction],
}

/// An action of a scheme that pictures of a run mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SchemeAction {
    /// Name of the action's events: a [counter](super::Agent::counters) of the agent, or an event that it
    /// [emits](super::AgentCx::emit).
    pub event: &'static str,
    /// Description of one action in a few words, for legends.
    pub label: &'static str,
    /// The effect, which determines the mark's shape.
    pub effect: Effect,
}

/// Effect of an action on the packets of a flow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Effect {
    /// The node sends data on a second connection, or a packet that the receiver must answer.
    Forwards,
    /// The node retransmits data.
    Resends,
    /// The node sends an acknowledgment on behalf of the receiver.
    Acknowledges,
    /// The node holds back an acknowledgment.
    Holds,
    /// The node sends an acknowledgment that it has held back.
    Releases,
    /// The node drops or consumes an acknowledgment.
    DropsAck,
    /// The node drops data.
    DropsData,
    /// The node asks the sender to wait.
    Pauses,
    /// The node asks the sender to continue.
    Resumes,
    /// The node reports a loss on the radio link to the sender.
    ReportsLoss,
}

impl Effect {
    /// Every effect, in the order of legends.
    pub const ALL: [Effect; 10] = [
        Effect::Forwards,
        Effect::Resends,
        Effect::Acknowledges,
        Effect::Holds,
        Effect::Releases,
        Effect::DropsAck,
        Effect::DropsData,
        Effect::Pauses,
        Effect::Resumes,
        Effect::ReportsLoss,
    ];
}

impl Default for Traits {
    /// Returns the properties of a scheme at the base station only that does not change the meaning of acknowledgments.
    fn default() -> Self {
        Traits {
            semantics: Semantics::Kept,
            changes: &[SchemeNode::BaseStation],
            uploads: &[SchemeNode::BaseStation],
            needs_link_reports: false,
            actions: &[],
        }
    }
}

/// Direction in which data crosses the radio link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransferDirection {
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
    /// An intermediate node has stored the bytes and will try to forward them.
    Lost,
}

/// A node that must implement a scheme.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SchemeNode {
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

impl SchemeNode {
    /// Returns the name for messages and tables.
    pub fn name(self) -> &'static str {
        match self {
            SchemeNode::Sender => "sender",
            SchemeNode::BaseStation => "base station",
            SchemeNode::Receiver => "receiver",
        }
    }
}

impl Traits {
    /// Returns the nodes that must implement the scheme for data in this direction.
    pub fn places(&self, direction: TransferDirection) -> &'static [SchemeNode] {
        match direction {
            TransferDirection::Download => self.changes,
            TransferDirection::Upload => self.uploads,
        }
    }

    /// Returns true if this node must implement the scheme for data in any direction.
    pub fn changes(&self, place: SchemeNode) -> bool {
        self.changes.contains(&place) || self.uploads.contains(&place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_the_tables_of_schemes() {
        assert_eq!([Semantics::Kept, Semantics::Lost].map(Semantics::name), ["kept", "lost"]);
        let places = [SchemeNode::Sender, SchemeNode::BaseStation, SchemeNode::Receiver];
        assert_eq!(places.map(SchemeNode::name), ["sender", "base station", "receiver"]);
    }
}
