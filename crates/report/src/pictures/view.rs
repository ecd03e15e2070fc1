//! The choice of flows, media, panels and layout of a picture.

use engine::{Span, Time};
use lab::load::Loaded;
use plot::{AxisUnit, DEFAULT_SIZE, Panel, Picture, PictureOptions, Theme, choose_default_height};
use scenario::flows;
use scenario::ran::label_run;
use sim::Network;

use super::error::PictureError;

/// Suggested value of [`PictureView::max_flows`] for programs that write files.
pub const MAX_FLOWS: usize = 16;

/// The parts of a run to draw, and their layout. The default draws every flow and every medium over the whole run.
#[derive(Clone, Debug, Default)]
pub struct PictureView {
    /// The flows to draw, by name. An empty list draws every flow, and no flow beside a named medium. `all` alone draws
    /// every flow, unless a flow has this name.
    pub flows: Vec<String>,
    /// Maximum number of flows drawn without a choice; `None` for no limit.
    pub max_flows: Option<usize>,
    /// The medium to draw. `None` draws every medium, and no medium beside named flows. `all` draws every medium, unless a
    /// medium has this name.
    pub medium: Option<String>,
    /// True for a single picture of all flows, with their goodputs stacked, and fairness over time.
    pub together: bool,
    /// Left edge of the time axis; `None` for the start of the flow.
    pub from: Option<Span>,
    /// Right edge of the time axis; `None` for the end of the flow.
    pub to: Option<Span>,
    /// The panels. Empty for all, or for some if several runs are compared.
    pub panels: Vec<Panel>,
    /// Unit of the vertical axes.
    pub unit: AxisUnit,
    /// True to draw the reasons for a blocked sender.
    pub blocked: bool,
    /// Colour scheme.
    pub theme: Theme,
    /// Width and height in pixels; `None` for the default of each kind of picture.
    pub size: Option<(u32, u32)>,
}

/// A picture and its file name.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Name of the file, without ending.
    pub name: String,
    /// The picture.
    pub picture: Picture,
}

impl PictureView {
    /// Returns the flows to draw if none or all are named: the network's flows over TCP. `None` if some are named.
    ///
    /// # Errors
    /// There are too many flows and no choice.
    pub(super) fn every_flow(&self, network: &Network) -> Result<Option<Vec<usize>>, PictureError> {
        let all = flows::over_tcp(network);
        match &self.flows[..] {
            [] if self.medium.is_some() && !self.together => Ok(Some(Vec::new())),
            [] if !self.together && self.max_flows.is_some_and(|max| all.len() > max) => {
                Err(PictureError::ManyFlows(all.len()))
            }
            [] => Ok(Some(all)),
            // The network has no flow with this name.
            [name] if name == "all" && flows::tcp_flow(network, name).is_err() => Ok(Some(all)),
            _ => Ok(None),
        }
    }

    /// Returns the chosen panels, or `defaults` without a choice.
    pub(super) fn panels(&self, default: &[Panel]) -> Vec<Panel> {
        if self.panels.is_empty() { default.to_vec() } else { self.panels.clone() }
    }

    /// Returns the height of a picture whose panels are not chosen.
    pub(super) fn height(&self, default: u32) -> u32 {
        self.size.map_or(default, |(_, height)| height)
    }

    /// Returns the view as points in time.
    pub(super) fn times(&self) -> (Option<Time>, Option<Time>) {
        (self.from.map(|from| Time::ZERO + from), self.to.map(|to| Time::ZERO + to))
    }

    /// Returns the settings common to all pictures.
    pub(super) fn options(&self, panels: &[Panel]) -> PictureOptions {
        let (from, to) = self.times();
        PictureOptions {
            from,
            to,
            width: self.size.unwrap_or(DEFAULT_SIZE).0,
            height: self.height(choose_default_height(panels)),
            panels: panels.to_vec(),
            blocked: self.blocked,
            theme: self.theme,
            unit: self.unit,
            ..PictureOptions::default()
        }
    }

    /// Returns the ending of the names of pictures of a part of the run, such as ".1.2s-to-3s"; empty for the whole
    /// run.
    pub(super) fn part(&self) -> String {
        let compact = |time: Span| time.to_string().replace(' ', "");
        match (self.from, self.to) {
            (None, None) => String::new(),
            (Some(from), None) => format!(".from-{}", compact(from)),
            (None, Some(to)) => format!(".to-{}", compact(to)),
            (Some(from), Some(to)) => format!(".{}-to-{}", compact(from), compact(to)),
        }
    }

    /// Checks that the view overlaps a run that ends at `end`.
    pub(super) fn check_times(&self, end: Span) -> Result<(), PictureError> {
        match (self.from, self.to) {
            (Some(from), Some(to)) if to <= from => Err(PictureError::Backwards { from, to }),
            (Some(from), _) if from >= end => Err(PictureError::AfterEnd { from, end }),
            _ => Ok(()),
        }
    }
}

/// Draws the network of a scenario, without a run: nodes, links, media and flows.
pub fn draw_topology(loaded: &Loaded, view: &PictureView) -> Drawn {
    let title = Some(loaded.title().to_owned());
    let options = PictureOptions { title, ran: label_run(loaded), ..view.options(&[]) };
    // Names of flows have no dot, so that this name is free.
    Drawn { name: "network.topology".to_owned(), picture: plot::draw_network(&loaded.network, &options) }
}
