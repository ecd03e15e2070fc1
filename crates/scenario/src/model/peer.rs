//! Settings of the receiving end of a flow.

use engine::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tcp::PartialConfig;
use tcp::config::ReceiveWindow;

/// Settings of the receiving end, in place of the settings of the flow.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// Data bytes of a full segment at the receiving end; the `mss` of the flow if not given. Segments have the smaller
    /// one of both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mss: Option<Bytes>,
    /// The receive window of the receiving end; the `receive_window` of the flow, which is then the window of the sending
    /// end, if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_window: Option<ReceiveWindow>,
    /// Settings of TCP at the receiving end. With a `variant` they begin from that variant, otherwise from the settings
    /// of the sending end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<PartialConfig>,
}
