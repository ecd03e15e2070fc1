//! Hosts, applications, routing, and the world that runs.
//!
//! A [`Network`] describes nodes, links and flows; a [`World`] simulates it; an [`event::Sink`] receives its events;
//! [`Results`] are the final counters.
//!
//! ```
//! use engine::{Span, Time};
//! use path::agent::{AgentConfig, unmodified};
//! use path::channel::{ChannelConfig, perfect};
//! use path::link::Timing;
//! use path::mac::arq::{ArqConfig, none};
//! use path::queue::{Limit, Tie};
//! use sim::{FlowSpec, LinkSpec, Network, NullSink, NodeKind, NodeSpec, Radio, ApplicationConfig, World};
//!
//! let host = |name: &str| NodeSpec {
//!     name: name.to_owned(),
//!     kind: NodeKind::Host,
//!     buffer: None,
//!     processing_delay: Span::ZERO,
//!     radio: Radio::PerLink,
//!     scheduler: Default::default(),
//!     agent: AgentConfig::Unmodified(unmodified::Config::default()),
//!     place: None,
//!     association: None,
//! };
//! let wire = LinkSpec {
//!     name: "wire".to_owned(),
//!     between: [0, 1],
//!     wireless: false,
//!     rate: "8 Mbps".parse()?,
//!     delay: "50 ms".parse()?,
//!     timing: Timing::Exact,
//!     queue: Limit::None.into(),
//!     queue_tie: Tie::default(),
//!     changes: None,
//!     channel: ChannelConfig::Perfect(perfect::Config::default()),
//!     arq: ArqConfig::None(none::Config::default()),
//!     medium: None,
//!     medium_rate: None,
//!     random_seed: 0,
//!     backward: None,
//! };
//! let flow = FlowSpec::bulk("flow", [0, 1], Some(1000));
//! let network = Network {
//!     nodes: vec![host("a"), host("b")],
//!     links: vec![wire],
//!     media: Vec::new(),
//!     flows: vec![flow],
//!     duration: Span::from_secs(10),
//!     seed: 1,
//!     replication: 0,
//!     arrivals: Vec::new(),
//! };
//! let mut world = World::new(&network, false);
//! world.run(&mut NullSink);
//! // A packet of 1040 bytes takes 1.04 ms and 50 ms, its acknowledgment of 40 bytes 0.04 ms and 50 ms.
//! assert_eq!(world.results().flows[0].completed, Some(Time::from_nanos(101_080_000)));
//! # Ok::<(), engine::units::UnitError>(())
//! ```

pub mod app;
pub mod association;
pub mod delay;
pub mod event;
pub mod ids;
mod jitter;
pub mod network;
pub mod node_kind;
pub mod radio;
pub mod reader;
pub mod results;
pub mod routing;
pub mod size;
mod timer;
pub mod transport;
pub mod world;

pub use app::{AppCx, AppResult, Application, ApplicationConfig, DatagramArrival};
pub use association::Association;
pub use event::{Event, NodeEvent, NullSink, PacketFlow, Sink};
pub use ids::{ArrivalsId, FlowId, HopId, HopIndex, LinkId, MediumId, MediumStationId, NodeId};
pub use jitter::Jitter;
pub use network::{ArrivalSpec, DirectionSpec, FlowSpec, LinkSpec, Network, NodeSpec};
pub use node_kind::{NodeKind, NodeSetting};
pub use radio::Radio;
pub use reader::ReaderConfig;
pub use results::{DatagramResult, FlowResult, LinkResult, MediumResult, Results, RoamingResult, ShortFlow};
pub use size::SizeConfig;
pub use transport::Transport;
pub use world::{Delivered, FlowInfo, InjectError, NodeState, World};

/// Version of everything that determines results: raised whenever any run may give another result than before. Stored
/// results are used only if they were computed with the same number.
pub const MODEL_VERSION: u32 = 13;
