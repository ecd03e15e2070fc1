//! States and facts of flows and their path, derived from the events of a run. No other crate derives them.
//!
//! An [`Observation`] follows every flow of a network. A [`FlowObservation`] has the [state of its
//! sender](sender_state::SenderState) and of its [receiver](receiver_state::ReceiverState), its [losses](losses::Losses), and the
//! place and stage of each of its [packets](packets_in_flight::PacketsInFlight); a [`PathObservation`] has the
//! [transmitters](transmitters::Transmitters), the [media](media::Media) and the states of channels. A [`Subscriber`] sees each [`Fact`] with the states
//! after it, and the states until then before they change. [`SenderState`] and [`HopPackets`] need no observation: they follow
//! the sender of a flow, and the packets of all flows at hops, from the same events.
//!
//! Memory: proportional to the data in flight and the packets in the network.

pub mod byte_ranges;
pub mod captured;
pub mod evidence;
mod fact;
pub mod flow;
pub mod hop_packets;
pub mod hop_timing;
pub mod losses;
pub mod media;
mod observer;
pub mod packet_in_flight;
pub mod packets_in_flight;
mod path_observation;
pub mod receiver_state;
mod sender_fact;
pub mod sender_state;
mod sense_matrix;
mod sent_data;
pub mod transmitters;

pub use byte_ranges::ByteRanges;
pub use captured::{CapturedConnection, CapturedFact, CapturedSink};
pub use evidence::{Evidence, Rule, Unseen};
pub use fact::Fact;
pub use flow::FlowObservation;
pub use hop_packets::{HopOutcome, HopPackets, HopPassage, PacketAtHop};
pub use observer::{Observation, ObservingSink, Subscriber};
pub use path_observation::PathObservation;
pub use receiver_state::ReceiverState;
pub use sender_fact::SenderFact;
pub use sender_state::{Acknowledged, SenderState};
