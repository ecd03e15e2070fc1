//! 100 kB at once.

pub use engine::registry::NoSettings as Config;

use engine::{Bytes, Stream};

use super::{Application, bulk};

/// The application.
pub fn build(stream: Stream) -> Box<dyn Application> {
    bulk::Config { bytes: Some(Bytes(100_000)) }.build(stream)
}
