//! Reductions of cwnd, of which there is one per loss episode.

use engine::Time;
use tcp::cc::Start;
use tcp::{Config, Event};

use super::pair::least_cwnd;
use super::{TransferOptions, TransferOutcome};
use crate::breach::{Breach, Call, Contract};

/// Checks the changes of ssthresh among the events of a transfer, and counts them.
pub fn count_episodes(
    config: &Config,
    options: &TransferOptions,
    member: &str,
    outcome: &mut TransferOutcome,
) -> Result<(), Breach> {
    // Such a control responds to the delivery rate and not to loss episodes.
    let regulates = config.control.build(Start::trial()).regulates_recovery();
    let mut threshold = config.initial_ssthresh.map_or(f64::INFINITY, |bytes| bytes.0 as f64);
    let mut state = EpisodeState::default();
    for (number, (at, event)) in outcome.events.iter().enumerate() {
        let breach = |contract, found, expected: &str| {
            let call = Call { number: number as u64 + 1, what: format!("counted in events of the sender, at {at:?}") };
            let expected = expected.to_owned();
            Err(Breach { member: member.to_owned(), contract, call: Some(call), found, expected })
        };
        state.observe(event);
        match event {
            Event::NotifiedRecovery { .. } => outcome.explained += 1,
            Event::Window { cwnd, ssthresh } => {
                if cwnd.is_nan() || *cwnd < least_cwnd(config) {
                    return breach(Contract::Cwnd, format!("cwnd {cwnd}"), "at least one segment");
                }
                let begun = std::mem::take(&mut state.begun);
                if *ssthresh == threshold {
                    continue;
                }
                if !begun && !regulates && (state.recovering || options.only_losses_set_ssthresh) {
                    let found = format!("a change of ssthresh from {threshold} to {ssthresh}");
                    return breach(Contract::Episode, found, "one change, at the beginning of a loss episode");
                }
                outcome.reductions += 1;
                threshold = *ssthresh;
            }
            _ => {}
        }
    }
    let lost: Option<&(Time, Event)> =
        outcome.events.iter().find(|(_, event)| matches!(event, Event::FastRetransmit { .. }));
    match lost {
        Some((at, _)) if outcome.reductions == 0 && threshold.is_infinite() && !regulates => Err(Breach {
            member: member.to_owned(),
            contract: Contract::Reduction,
            call: None,
            found: format!("an infinite ssthresh after the loss at {at:?}"),
            expected: "a finite number".into(),
        }),
        _ => Ok(()),
    }
}

/// The position of the sender in an episode.
#[derive(Default)]
struct EpisodeState {
    /// An episode has begun, or a reduction was undone, and the window has not been reported since.
    begun: bool,
    recovering: bool,
}

impl EpisodeState {
    fn observe(&mut self, event: &Event) {
        match event {
            Event::FastRetransmit { .. } => (self.begun, self.recovering) = (true, true),
            Event::NotifiedRecovery { .. } => self.recovering = true,
            Event::Timeout { .. } => (self.begun, self.recovering) = (true, false),
            Event::Undone => self.begun = true,
            Event::RecoveryEnd => self.recovering = false,
            _ => {}
        }
    }
}
