//! Link layers of wireless hops.

pub mod arq;
