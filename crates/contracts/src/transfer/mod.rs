//! Contracts of a whole sender, for transfers over any network.

mod episodes;
mod pair;
mod weather;

use engine::Time;
use tcp::cc::ControlConfig;
use tcp::recovery::RecoveryConfig;
use tcp::{Config, Counters, Event};

use crate::breach::{Breach, Call, Contract, label_member};
use pair::Pair;
pub use weather::Weather;

/// Checks a sender with these settings in a transfer: every byte arrives, before it is acknowledged; unacknowledged data has
/// a timer, which is not in the past; data stays within the receiver's window; cwnd is at least one segment; a loss
/// episode changes ssthresh once; without impairments nothing is sent twice; and the same seed gives the same events.
///
/// # Errors
/// The first broken contract.
pub fn check_transfer(config: &Config, weather: &Weather, seed: u64) -> Result<(), Breach> {
    let options = TransferOptions::default();
    let first = run_transfer(config, &options, weather, seed)?;
    let second = run_transfer(config, &options, weather, seed)?;
    let Some(number) = (0..first.events.len().max(second.events.len()))
        .find(|number| first.events.get(*number) != second.events.get(*number))
    else {
        return Ok(());
    };
    let event =
        |outcome: &TransferOutcome| outcome.events.get(number).map_or("no event".into(), |event| format!("{event:?}"));
    Err(Breach {
        member: describe_member(config),
        contract: Contract::Repeatable,
        call: Some(Call { number: number as u64 + 1, what: "counted in events of the sender".into() }),
        found: event(&second),
        expected: format!("{} as in the first run", event(&first)),
    })
}

/// Checks a congestion control by [`check_transfer`] under each of the [usual impairments](Weather::USUAL). All other
/// settings of TCP have their defaults.
///
/// # Errors
/// The first broken contract.
pub fn check_transfers(control: &ControlConfig, seed: u64) -> Result<(), Breach> {
    let config = Config { control: control.clone(), ..Config::default() };
    Weather::USUAL.iter().try_for_each(|weather| check_transfer(&config, weather, seed))
}

/// A transfer, and the behaviour expected of its sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransferOptions {
    /// Bytes to send.
    pub bytes: u64,
    /// Whether ssthresh changes only when a loss episode begins. Otherwise the control may also change ssthresh outside
    /// of episodes, as at the end of slow start by delay.
    pub only_losses_set_ssthresh: bool,
}

impl Default for TransferOptions {
    fn default() -> Self {
        // The last segment is short.
        TransferOptions { bytes: 300_123, only_losses_set_ssthresh: false }
    }
}

/// A transfer without a broken contract.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TransferOutcome {
    /// The sender's counters.
    pub counters: Counters,
    /// The sender's events.
    pub events: Vec<(Time, Event)>,
    /// Changes of ssthresh.
    pub reductions: u32,
    /// Loss episodes explained by the network, in which ssthresh does not change.
    pub explained: u32,
}

/// Runs and checks one transfer with these options; [`check_transfer`] runs it twice with the default options.
///
/// # Errors
/// The first broken contract.
pub fn run_transfer(
    config: &Config,
    options: &TransferOptions,
    weather: &Weather,
    seed: u64,
) -> Result<TransferOutcome, Breach> {
    let member = describe_member(config);
    Breach::of_settings(label_member::<ControlConfig>(config.control.name()), config.control.check())?;
    Breach::of_settings(label_member::<RecoveryConfig>(config.recovery.name()), config.recovery.check())?;
    let mut outcome = Pair::new(config, &member, options.bytes, *weather, seed).transfer_all()?;
    let again = outcome.counters.segments_retransmitted;
    if again > 0 && *weather == Weather::CLEAR {
        let (found, expected) = (format!("{again} retransmissions"), "none".into());
        return Err(Breach { member, contract: Contract::Duplicate, call: None, found, expected });
    }
    episodes::count_episodes(config, options, &member, &mut outcome)?;
    Ok(outcome)
}

/// Runs one transfer between ends with different settings, the sending end first, with the checks of
/// [`check_transfer`] that concern data, timers and windows.
///
/// # Errors
/// The first broken contract.
pub fn run_transfer_between(
    ends: [&Config; 2],
    options: &TransferOptions,
    weather: &Weather,
    seed: u64,
) -> Result<TransferOutcome, Breach> {
    let member = ends.map(describe_member).join(" to ");
    // The smallest cwnd follows from the options on which both ends agree.
    let sender = ends[0].negotiate(ends[1], true);
    Pair::between([&sender, ends[1]], &member, options.bytes, *weather, seed).transfer_all()
}

fn describe_member(config: &Config) -> String {
    let control = label_member::<ControlConfig>(config.control.name());
    format!("{control} with {}", label_member::<RecoveryConfig>(config.recovery.name()))
}
