//! Random sequences of calls, in the order that the trait promises.

use engine::{Draws, Span};
use tcp::cc::Congestion;

use super::step::{ControlStep, Rate};
use crate::draw::Draw;

/// Maximum number of steps of a random case.
const MAX_STEPS: u64 = 200;

/// A congestion control from its construction to the last of a sequence of steps.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// Bytes in a full segment.
    pub segment: u32,
    /// Initial window in segments.
    pub initial_window: u32,
    /// Initial slow start threshold in segments, if any.
    pub initial_ssthresh: Option<u32>,
    /// The steps.
    pub steps: Vec<ControlStep>,
}

impl Case {
    /// Draws a case. Most values are ordinary; some occur only on a faulty path.
    pub fn random(draws: &mut Draws) -> Self {
        let mut steps = Steps::default();
        Case {
            segment: 1 + draws.below(8999) as u32,
            initial_window: 1 + draws.below(19) as u32,
            initial_ssthresh: draws.chance(0.5).then(|| 2 + draws.below(98) as u32),
            steps: (0..=draws.below(MAX_STEPS)).map(|_| steps.next(draws)).collect(),
        }
    }
}

/// The state of the sender that decides which events may follow.
#[derive(Default)]
struct Steps {
    /// A fast recovery has begun and not ended.
    recovering: bool,
    /// Expiries of the retransmission timer without progress.
    expiries: u32,
    /// A reduction has occurred and was not undone.
    reduced: bool,
}

impl Steps {
    fn next(&mut self, draws: &mut Draws) -> ControlStep {
        let nanos = |draws: &mut Draws, ordinary, rare, share| {
            let limit = if draws.chance(share) { rare } else { ordinary };
            Span::from_nanos(draws.below(limit))
        };
        let wait = nanos(draws, 20_000_000, 20_000_000_000, 0.2);
        let [acked, sacked, lost, sent] = [(); 4].map(|()| draw_bytes(draws));
        let rtt = draws.chance(0.8).then(|| nanos(draws, 300_000_000, 100_000_000_000, 0.2) + Span::from_nanos(1));
        let rate = draws.chance(0.8).then(|| Rate {
            delivered: draw_bytes(draws),
            interval: nanos(draws, 1_000_000_000, 1_000_000_000_000, 0.5),
            app_limited: draws.chance(0.5),
        });
        if acked > 0 {
            self.expiries = 0;
        }
        let recovering = self.recovering;
        let undo = draws.chance(0.05) && std::mem::take(&mut self.reduced);
        let congestion = self.congestion(draws);
        let recovered = recovering && self.recovering && draws.chance(0.2);
        self.recovering &= !recovered;
        ControlStep {
            wait,
            acked,
            sacked,
            lost,
            sent,
            rtt,
            ecn_echo: draws.chance(0.2),
            recovering,
            rate,
            undo,
            congestion,
            recovered,
            limited: draws.chance(0.5),
            idle: draws.chance(0.05).then(|| Span::from_nanos(draws.below(60_000_000_000))),
        }
    }

    fn congestion(&mut self, draws: &mut Draws) -> Option<Congestion> {
        let event = match draws.below(40) {
            0 | 1 if !self.recovering => Congestion::FastRetransmit,
            2 => Congestion::Restart,
            3 | 4 => Congestion::Timeout { nth: self.expiries + 1 },
            5 if self.expiries > 0 => Congestion::Timeout { nth: self.expiries + 1 },
            6 => Congestion::Ecn,
            7 => Congestion::Notified,
            _ => return None,
        };
        if let Congestion::Timeout { nth } = event {
            self.expiries = nth;
        }
        match event {
            Congestion::FastRetransmit => self.recovering = true,
            Congestion::Restart | Congestion::Timeout { .. } => self.recovering = false,
            Congestion::Ecn | Congestion::Notified => {}
        }
        self.reduced |= event != Congestion::Notified;
        Some(event)
    }
}

/// Returns a number of bytes: none, a few segments, or megabytes.
fn draw_bytes(draws: &mut Draws) -> u64 {
    match draws.below(7) {
        0 | 1 => 0,
        2..6 => draws.below(20_000),
        _ => draws.below(50_000_000),
    }
}
