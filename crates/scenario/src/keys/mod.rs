//! The keys of scenarios, from their JSON Schema: what may stand where, and what a wrong key may have meant.

pub(crate) mod renamed;
mod shape;
pub(crate) mod suggest;
mod synonyms;

pub(crate) use shape::Shape;
