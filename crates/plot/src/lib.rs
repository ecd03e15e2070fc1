//! Draws the picture of one flow from the events of a run. A [`Recorder`] is a sink that keeps the events that pictures
//! need.
//!
//! An [`AirRecorder`] records pictures of shared media: the frames of each station, in one row per station.
//!
//! [`draw_network`] draws the network itself.
//!
//! The upper panel of a flow shows sequence numbers over time: segments, acknowledgments, losses, timeouts and
//! recoveries. The panels below show, on the same time axis, cwnd and ssthresh, round trips and the retransmission
//! timeout, the queue of the bottleneck, and the goodput. A [`Picture`] is a list of shapes;
//! [`Picture::svg`] writes it for browsers and papers, [`Picture::png`] paints it with an embedded font, so that the
//! bytes do not depend on the machine's fonts.
//!
//! ```
//! let network = sim::Network {
//!     nodes: vec![],
//!     links: vec![],
//!     media: vec![],
//!     flows: vec![],
//!     duration: engine::Span::ZERO,
//!     seed: 1,
//!     replication: 0,
//!     arrivals: vec![],
//! };
//! let events: Vec<(engine::Time, sim::Event)> = Vec::new();
//! let picture = plot::draw_events(&events, &plot::Description::of(&network), &plot::PictureOptions::default());
//! assert!(picture.svg().starts_with("<svg"));
//! ```

mod air;
mod beside;
mod blocked;
mod budget;
mod contents;
mod describe;
mod frame;
mod glyphs;
mod goodput;
mod history;
mod ink;
mod layout;
mod legend;
mod mark;
mod options;
mod palette;
mod panel;
mod png;
mod queue;
mod queues;
mod record;
mod rtt;
mod scale;
mod schemes;
mod sequence;
mod spans;
mod svg;
mod text;
mod thin;
mod together;
mod topology;
mod unit;
mod view;
mod window;

pub use air::{AirRecorder, AirRecording, BackOffDraw, BackOffInterval, MediumDescription, TransmittedFrame};
pub use beside::{PictureRun, draw_run_comparison};
pub use describe::{Description, FlowDescription, LinkDescription};
pub use history::{Ack, FlowHistory, PlottedSegment, Rtt, SchemeAct, Spot, Window};
pub use ink::Picture;
pub use mark::{ColorRole, Mark, MarkLayer, MarkRow, MarkStep, PacketRole};
pub use options::{DEFAULT_SIZE, MAX_SIDE, MIN_PANEL, MIN_SIZE, PictureOptions, TimeShare, choose_default_height};
pub use palette::{Theme, list_palette_colors};
pub use panel::Panel;
pub use png::{PNG_SCALE, PngError};
pub use record::{FlowBottleneck, FlowRecording, Recorder, draw_events};
pub use scale::{AxisTick, choose_ticks, group_digits};
pub use spans::MarkedInterval;
pub use topology::{NodeSymbol, classify_node, draw_network, find_node_ranges, find_node_scheme};
pub use unit::AxisUnit;
