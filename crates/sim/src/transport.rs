//! Transport protocols of flows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A transport protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// TCP.
    #[default]
    Tcp,
    /// UDP (RFC 768).
    Udp,
    /// ICMP echo requests, to which the receiving node replies (RFC 792).
    IcmpEcho,
}

impl Transport {
    /// Name in scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Transport::Tcp => "tcp",
            Transport::Udp => "udp",
            Transport::IcmpEcho => "icmp-echo",
        }
    }
}
