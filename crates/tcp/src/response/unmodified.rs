//! A sender without a scheme: messages are silently discarded [goel1997 5.5.4].

pub use engine::registry::NoSettings as Config;
use wire::NoticeKind;

use super::{NoticeResponse, Reaction};
use crate::recovery::Notified;

/// Creates the response.
pub fn build() -> Box<dyn NoticeResponse> {
    Box::new(Unmodified)
}

struct Unmodified;

impl NoticeResponse for Unmodified {
    fn on_notice(&mut self, _: NoticeKind, _: u64) -> Reaction {
        Reaction::default()
    }
    fn on_duplicate(&mut self, _: u64) -> Option<Notified> {
        None
    }
    fn on_recovery(&mut self, _: u64) {}
    fn on_timeout(&mut self, _: u64) -> bool {
        false
    }
    fn on_resent(&mut self, _: u64) {}
    fn on_advance(&mut self, _: u64) {}
}
