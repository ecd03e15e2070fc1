//! Link layers: their rules and settings. [`arq`] for links that have the air to themselves, [`dcf`] where it is shared.

pub mod arq;
pub mod dcf;
