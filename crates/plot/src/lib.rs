//! The picture of one flow, drawn from the events of a run: a [`Recorder`] is a sink that keeps of them what pictures
//! need.
//!
//! An [`AirRecorder`] records pictures of shared media: the frames of each station, one row a station.
//!
//! Of a flow the upper panel shows sequence numbers over time: what was sent, what was acknowledged, what was lost and
//! what the sender learned. The lower panel shows cwnd and ssthresh on the same time axis. A [`Picture`] is a list of
//! shapes; [`Picture::svg`] writes it for browsers and papers, [`Picture::png`] paints it with a font of its own, so
//! that a machine without any font gives the same bytes.
//!
//! ```
//! let network = sim::Network { nodes: vec![], links: vec![], media: vec![], flows: vec![], duration:
//! engine::Span::ZERO, seed: 1, replication: 0 }; let events: Vec<(engine::Time, sim::Event)> = Vec::new(); let picture
//! = plot::draw(&events, &plot::Description::of(&network), &plot::Options::default());
//! assert!(picture.svg().starts_with("<svg"));
//! ```

mod air;
mod blocked;
mod describe;
mod frame;
mod history;
mod ink;
mod layout;
mod legend;
mod mark;
mod options;
mod palette;
mod png;
mod record;
mod scale;
mod sequence;
mod spans;
mod svg;
mod text;
mod thin;
mod unit;
mod view;
mod window;

pub use air::{AirRecorder, AirRecording, MediumDescription};
pub use describe::{Description, FlowDescription};
pub use ink::Picture;
pub use options::{Marked, Options, Panel, SMALLEST, Theme, Unit};
pub use png::PngError;
pub use record::{Recorder, Recording, draw};
pub use scale::{Tick, grouped, ticks};
