//! The keys of scenarios, derived from their JSON Schema: allowed types, and suggestions for unknown keys.

pub(crate) mod renamed;
mod shape;
pub(crate) mod suggest;
mod synonyms;

pub(crate) use shape::Shape;
