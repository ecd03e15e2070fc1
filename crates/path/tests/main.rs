//! Tests of links, media, channels, agents and queues: one program, so that each crate under test is linked once.

mod agent_contracts;
mod agent_ladders;
mod aggregation;
mod aggregation_frames;
mod air;
mod arq_contracts;
mod cell;
mod common;
mod contracts;
mod contributing;
mod dcf_counters;
mod dcf_properties;
mod dcf_requests;
mod dcf_rest;
mod dcf_saturation;
mod dcf_settings;
mod dcf_timeline;
mod delayed_duplicates;
mod eln;
mod filter_ladders;
mod ladder;
mod lan_timeline;
mod limits;
mod marks;
mod medium_corners;
mod medium_motion;
mod medium_places;
mod ns3_queues;
mod priority;
mod queue_contracts;
mod scheduler_contracts;
mod settings;
mod snoop;
mod snoop_ns2;
mod split;
mod station_timeline;
mod traits;
mod transmitter_contracts;
mod variable;
mod window_laws;
mod window_timeline;

/// The examples in CONTRIBUTING.md use these items by their paths in the crate.
use path::{ids, outcome, queue};
