//! Tests of scenarios: one program, so that each crate under test is linked once.

mod bad_input;
mod bad_media;
mod bad_tcp;
mod common;
mod controls;
mod copies;
mod directions;
mod examples;
mod followers;
mod fuzz_corpus;
mod fuzz_goel1997;
mod goel1997_language;
mod large;
mod lints;
mod member_files;
mod outside;
mod own_agent;
mod own_link_layer;
mod policies;
mod ran;
mod recordings;
mod set_every_key;
mod tcp_keys;
mod unnamed_members;
