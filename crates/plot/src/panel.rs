//! The table of panels. A panel is one row here and a file with its [contents](PanelContents); options of the command,
//! names in Python, layout and recording follow from the row.

use std::str::FromStr;

use crate::contents::{PanelContents, PanelContext};
use crate::goodput::GoodputPanel;
use crate::queue::QueuePanel;
use crate::rtt::RttPanel;
use crate::sequence::SequencePanel;
use crate::window::WindowPanel;

/// A row of the table.
pub(crate) struct PanelRow {
    /// The name by which it is chosen.
    name: &'static str,
    /// A line of help.
    help: &'static str,
    /// Weight of its height.
    pub weight: f64,
    /// What is recorded for it alone.
    pub needs: &'static [PanelData],
    /// Returns its contents.
    pub build: for<'a> fn(&PanelContext<'a>) -> Box<dyn PanelContents + 'a>,
}

/// Data that is recorded only for panels that need it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PanelData {
    /// RTT samples and retransmission timeouts.
    RoundTrips,
    /// The packets at all hops.
    Queues,
}

macro_rules! panels {
    ($($(#[doc = $doc:literal])* $panel:ident { $($key:ident: $value:expr),* $(,)? })*) => {
        /// A panel of a flow's picture. All panels share one time axis; from top to bottom they have the order of the
        /// variants.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Panel {
            $($(#[doc = $doc])* $panel,)*
        }

        impl Panel {
            /// Every panel, from top to bottom.
            pub const ALL: [Panel; [$(Panel::$panel),*].len()] = [$(Panel::$panel),*];

            /// Returns the row of the table.
            pub(crate) const fn row(self) -> &'static PanelRow {
                match self {
                    $(Panel::$panel => const { &PanelRow { $($key: $value),* } },)*
                }
            }
        }
    };
}

panels! {
    /// Sequence numbers over time.
    Sequence {
        name: "sequence",
        help: "Sequence and acknowledgment numbers",
        weight: 0.62,
        needs: &[],
        build: |context| Box::new(SequencePanel::new(context)),
    }
    /// cwnd and ssthresh over time.
    Window {
        name: "window",
        help: "Congestion window and slow start threshold",
        weight: 0.38,
        needs: &[],
        build: |context| Box::new(WindowPanel::new(context)),
    }
    /// RTT samples, the smoothed RTT and the retransmission timeout over time.
    Rtt {
        name: "rtt",
        help: "Round trips and the retransmission timeout",
        weight: 0.22,
        needs: &[PanelData::RoundTrips],
        build: |context| Box::new(RttPanel::new(context)),
    }
    /// Packets over time that wait for the flow's bottleneck or are being sent there.
    Queue {
        name: "queue",
        help: "Packets at the bottleneck of the flow",
        weight: 0.22,
        needs: &[PanelData::Queues],
        build: |context| Box::new(QueuePanel::new(context)),
    }
    /// Acknowledged data over time, as the mean rate of each bin.
    Goodput {
        name: "goodput",
        help: "Acknowledged data",
        weight: 0.22,
        needs: &[],
        build: |context| Box::new(GoodputPanel::new(context)),
    }
}

impl Panel {
    /// Returns the name by which it is chosen.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns a line of help.
    pub fn help(self) -> &'static str {
        self.row().help
    }
}

impl FromStr for Panel {
    /// The names of all panels, as the rest of a sentence.
    type Err = String;

    fn from_str(name: &str) -> Result<Panel, String> {
        let [others @ .., last] = Panel::ALL.map(Panel::name);
        let expected = || format!("{} or {last}", others.join(", "));
        Panel::ALL.into_iter().find(|panel| panel.name() == name).ok_or_else(expected)
    }
}
