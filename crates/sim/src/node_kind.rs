//! Kinds of nodes: their role in a network, and the keys of a node that they accept.
//!
//! A kind is one line of the table below. Scenarios, their checks, the schema, `lasthop list` and the world take its
//! properties from here.

use serde::{Deserialize, Serialize};

macro_rules! node_kinds {
    ($($variant:ident => $name:literal, $plural:literal, $summary:literal, $forwards:ident, [$($setting:ident),*];)+) => {
        /// The kind of a node.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
        pub enum NodeKind {
            $(
                #[doc = $summary]
                #[serde(rename = $name)]
                $variant,
            )+
        }

        impl NodeKind {
            /// Every kind.
            pub const ALL: &'static [NodeKind] = &[$(NodeKind::$variant),+];

            /// The name of every kind in scenarios, and one line about it.
            pub const MEMBERS: &'static [(&'static str, &'static str)] = &[$(($name, $summary)),+];

            const fn properties(self) -> Properties {
                match self {
                    $(NodeKind::$variant => Properties {
                        name: $name,
                        plural: $plural,
                        role: Role::$forwards,
                        settings: &[$(NodeSetting::$setting),*],
                    },)+
                }
            }
        }
    };
}

// Kind => name in scenarios, plural in messages, one line about it, its role, the settings that not every kind accepts.
node_kinds! {
    Host => "host", "hosts", "Flows start and end here", Endpoint, [Scheme, Association];
    Router => "router", "routers", "Forwards packets", Forwarder, [Buffer, ProcessingDelay];
    BaseStation => "base-station", "base stations",
        "Forwards packets between wires and the air, and may run a scheme", Forwarder, [Buffer, ProcessingDelay, Scheme];
}

struct Properties {
    name: &'static str,
    plural: &'static str,
    role: Role,
    settings: &'static [NodeSetting],
}

/// The role of a node in routing.
#[derive(Clone, Copy)]
enum Role {
    /// Flows start and end here, and packets to other nodes are discarded.
    Endpoint,
    /// Packets to other nodes are forwarded, and no flow starts or ends here.
    Forwarder,
}

impl NodeKind {
    /// Returns the name of the kind in scenarios.
    pub const fn name(self) -> &'static str {
        self.properties().name
    }

    /// Whether the node forwards packets to other nodes.
    pub const fn forwards(self) -> bool {
        matches!(self.properties().role, Role::Forwarder)
    }

    /// Whether flows can start and end at the node.
    pub const fn ends_flows(self) -> bool {
        matches!(self.properties().role, Role::Endpoint)
    }

    /// Whether a mobile can associate with the node. The node then sends the beacons of its media.
    pub const fn serves_mobiles(self) -> bool {
        self.forwards()
    }

    /// Whether the node runs an agent, which acts on packets that cross its wireless links.
    pub fn runs_agent(self) -> bool {
        self.accepts(NodeSetting::Scheme)
    }

    /// Returns whether [`SchemeNode::BaseStation`](path::agent::SchemeNode::BaseStation) includes the kind: a node of
    /// the kind forwards packets and runs an agent.
    pub fn is_base_station(self) -> bool {
        self.forwards() && self.runs_agent()
    }

    /// Whether nodes of this kind accept a setting.
    pub fn accepts(self, setting: NodeSetting) -> bool {
        self.properties().settings.contains(&setting)
    }

    /// The kind that accepts a setting refused by this kind, and has the same role; `None` if no kind does.
    pub fn alternative(self, setting: NodeSetting) -> Option<NodeKind> {
        NodeKind::ALL.iter().copied().find(|kind| kind.forwards() == self.forwards() && kind.accepts(setting))
    }

    /// Names of the kinds at which flows can start and end, as listed in messages: `"host"`.
    pub fn flow_ends() -> String {
        let kinds = NodeKind::ALL.iter().filter(|kind| kind.ends_flows());
        kinds.map(|kind| format!("\"{}\"", kind.name())).collect::<Vec<_>>().join(" or ")
    }
}

/// A key of a node that only some kinds accept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeSetting {
    /// `buffer`
    Buffer,
    /// `processing_delay`
    ProcessingDelay,
    /// `scheme`
    Scheme,
    /// `association`
    Association,
}

impl NodeSetting {
    /// Every such key.
    pub const ALL: [NodeSetting; 4] =
        [NodeSetting::Buffer, NodeSetting::ProcessingDelay, NodeSetting::Scheme, NodeSetting::Association];

    /// The key in scenarios.
    pub const fn key(self) -> &'static str {
        match self {
            NodeSetting::Buffer => "buffer",
            NodeSetting::ProcessingDelay => "processing_delay",
            NodeSetting::Scheme => "scheme",
            NodeSetting::Association => "association",
        }
    }

    /// Kinds that accept the key, as listed in messages: "routers and base stations".
    pub fn kinds(self) -> String {
        let kinds = NodeKind::ALL.iter().filter(|kind| kind.accepts(self));
        kinds.map(|kind| kind.properties().plural).collect::<Vec<_>>().join(" and ")
    }
}

#[cfg(test)]
mod tests {
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, StrDeserializer};

    use super::*;

    #[test]
    fn each_name_deserializes_to_its_kind() {
        for (kind, (name, _)) in NodeKind::ALL.iter().zip(NodeKind::MEMBERS) {
            let text: StrDeserializer<'_, Error> = name.into_deserializer();
            assert_eq!(NodeKind::deserialize(text), Ok(*kind));
            assert_eq!(kind.name(), *name);
        }
    }

    #[test]
    fn kinds_of_a_setting_are_listed_in_words() {
        let listed = NodeSetting::ALL.map(|setting| setting.kinds());
        let routers = "routers and base stations";
        assert_eq!(listed, [routers, routers, "hosts and base stations", "hosts"]);
    }

    #[test]
    fn alternative_accepts_the_setting_and_has_the_same_role() {
        assert_eq!(NodeKind::Router.alternative(NodeSetting::Scheme), Some(NodeKind::BaseStation));
        assert_eq!(NodeKind::Host.alternative(NodeSetting::Buffer), None);
    }
}
