//! Hosts, applications, routing, and the world that runs.
//!
//! A [`Network`] says what there is; a [`World`] made from it runs; an [`event::Sink`] sees what happens;
//! [`Results`] say how it ended.

pub mod event;
pub mod network;
pub mod node;
pub mod results;
mod roaming;
pub mod routing;
mod timer;
pub mod world;

pub use event::{Event, Nobody, NodeEvent, PacketFlow, Sink};
pub use network::{Association, FlowSpec, LinkSpec, Network, NodeKind, NodeSpec, Radio};
pub use results::{FlowResult, LinkResult, MediumResult, Results, RoamingResult};
pub use world::{Delivered, FlowInfo, InjectError, NodeState, World};

/// Of everything that decides results: raised whenever any run may come out otherwise than before. Kept results are
/// only taken for a run's if they were made with the same number.
pub const MODEL_VERSION: u32 = 9;
