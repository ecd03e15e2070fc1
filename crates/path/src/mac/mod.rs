//! Link layers: rules and settings. [`arq`] for links with a channel of their own, [`dcf`] for shared media.

pub mod arq;
pub mod dcf;
