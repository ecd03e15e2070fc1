//! A transfer in both directions of one connection: each end writes all its bytes when the flow starts, or data without
//! end.
//!
//! The flow ends when all bytes of both directions have arrived and the data of the sending end is acknowledged. A
//! direction without an amount of data is endless, and so is the flow then.

use engine::registry::{Fault, Settings};
use engine::{Bytes, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AppCx, Application};

/// Settings.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The amount of data from the sending to the receiving end, such as "10 MB"; endless by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
    /// The amount of data from the receiving to the sending end; endless by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_back: Option<Bytes>,
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let amounts = [("bytes", self.bytes), ("bytes_back", self.bytes_back)];
        let empty = amounts.into_iter().filter(|(_, bytes)| *bytes == Some(Bytes(0)));
        empty.map(|(key, _)| Fault::new(key, "0 B", "at least one byte")).collect()
    }
}

impl Config {
    /// The application.
    pub fn build(&self, _: Stream) -> Box<dyn Application> {
        let [forward, back] = [self.bytes, self.bytes_back].map(|bytes| bytes.map_or(u64::MAX, |bytes| bytes.0));
        Box::new(Duplex { forward, back })
    }
}

/// Bytes of both directions; `u64::MAX` for endless data.
struct Duplex {
    forward: u64,
    back: u64,
}

impl Duplex {
    /// Ends the flow after the last byte of both directions.
    fn finish_if_delivered(&self, cx: &mut AppCx<'_>) {
        if cx.delivered_bytes(0) >= self.forward && cx.requested_bytes(0) >= self.back {
            cx.finish();
        }
    }
}

impl Application for Duplex {
    fn start(&mut self, cx: &mut AppCx<'_>) {
        cx.write(0, self.forward);
        cx.request(0, self.back);
    }

    fn observes(&self) -> bool {
        true
    }

    fn on_delivered(&mut self, _: usize, cx: &mut AppCx<'_>) {
        self.finish_if_delivered(cx);
    }

    fn on_requested(&mut self, _: usize, cx: &mut AppCx<'_>) {
        self.finish_if_delivered(cx);
    }
}
