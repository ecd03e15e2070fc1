//! What flows and their path do, as the events of a run tell it: the one place where events become states and facts.
//!
//! An [`Observation`] follows every flow of a network. A [`FlowObservation`] has the [state of its
//! sender](sender_state::SenderState), the bytes that its receiver has, its [losses](losses::Losses), and the place and stage of each
//! of its [packets](packets_in_flight::PacketsInFlight); a [`PathObservation`] has the
//! [transmitters](transmitters::Transmitters) and the [media](media::Media). A [`Subscriber`] sees each [`Fact`] with the states
//! after it, and the states until then before they change.
//!
//! Memory: proportional to the data in flight and the packets in the network.

pub mod byte_ranges;
mod fact;
pub mod flow;
pub mod hop_timing;
pub mod losses;
pub mod media;
mod observer;
pub mod packet_in_flight;
pub mod packets_in_flight;
mod path_observation;
pub mod sender_state;
mod sense_matrix;
pub mod transmitters;

pub use byte_ranges::ByteRanges;
pub use fact::Fact;
pub use flow::FlowObservation;
pub use observer::{Observation, Subscriber};
pub use path_observation::PathObservation;
pub use sender_state::{Acknowledged, SenderState};
