//! Link layers: rules and settings. [`arq`] for links with a separate channel, [`dcf`] for shared media.

pub mod arq;
pub mod dcf;
