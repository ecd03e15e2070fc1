//! Transfers between ends with different settings.

use contracts::transfer::{TransferOptions, Weather, run_transfer_between};
use engine::Bytes;
use tcp::Config;
use tcp::presets::PRESETS;

/// Every pair of variants transfers everything under each of the usual impairments, with other segments and windows at the
/// receiving end.
#[test]
fn every_pair_of_variants_transfers_everything() {
    let options = TransferOptions { bytes: 60_123, ..TransferOptions::default() };
    for (row, sender) in PRESETS.iter().enumerate() {
        for (column, receiver) in PRESETS.iter().enumerate() {
            let sender = Config { segment: 1000, window: Bytes(32_000).into(), ..sender.config() };
            let (segment, window) = ([1460, 536][row % 2], Bytes([8_000, 65_535][column % 2]).into());
            let receiver = Config { segment, window, ..receiver.config() };
            for (number, weather) in Weather::USUAL.iter().enumerate() {
                let seed = (300 * row + 20 * column + number) as u64;
                run_transfer_between([&sender, &receiver], &options, weather, seed)
                    .unwrap_or_else(|breach| panic!("{breach}, weather {number}, seed {seed}"));
            }
        }
    }
}
