//! A file transfer: all bytes are written at once when the flow starts, or data is unlimited.

use engine::registry::{Fault, Settings};
use engine::{Bytes, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AppCx, Application};

/// Settings.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The amount of data, such as "10 MB"; endless by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let empty = self.bytes == Some(Bytes(0));
        if empty { vec![Fault::new("bytes", "0 B", "at least one byte")] } else { Vec::new() }
    }
}

impl Config {
    /// The application.
    pub fn build(&self, _: Stream) -> Box<dyn Application> {
        Box::new(Bulk { bytes: self.bytes.map(|bytes| bytes.0) })
    }
}

struct Bulk {
    bytes: Option<u64>,
}

impl Application for Bulk {
    fn total(&self) -> Option<u64> {
        self.bytes
    }

    fn start(&mut self, cx: &mut AppCx<'_>) {
        cx.write(0, self.bytes.unwrap_or(u64::MAX));
        // An endless transfer never sends a last byte, after which it would close.
        if self.bytes.is_some() {
            cx.finish();
        }
    }
}
