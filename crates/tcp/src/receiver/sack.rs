//! The contents of SACK blocks [RFC2018 s4, RFC2883].

use super::reassembly::Reassembly;
use crate::config::Config;

/// Maximum number of blocks in a header without timestamps.
const MAX_BLOCKS: usize = wire::SackBlocks::MAX;

/// The data that an acknowledgment may report in SACK blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum SackReports {
    /// Nothing, because SACK is not agreed.
    #[default]
    None,
    /// Data received out of order [RFC2018].
    Received,
    /// Data received out of order [RFC2018], and data received a second time [RFC2883].
    Duplicates,
}

impl SackReports {
    /// Returns what may be reported with the SACK settings of `config`.
    pub fn of(config: &Config) -> Self {
        if !config.sack {
            SackReports::None
        } else if config.dsack {
            SackReports::Duplicates
        } else {
            SackReports::Received
        }
    }
}

/// The order in which ranges are reported.
#[derive(Debug, Default)]
pub(super) struct Reports {
    /// Whether SACK is agreed. The value is read for each segment: a flag costs fewer instructions than the enum
    /// (`bench/budget.toml`).
    agreed: bool,
    /// Whether data received a second time is reported.
    duplicates: bool,
    /// A byte of each of the islands that grew last, the newest first. An acknowledged one stays until the next growth.
    recent: [Option<u64>; MAX_BLOCKS],
    duplicate: Option<(u64, u64)>,
}

impl Reports {
    pub fn enable(&mut self, allowed: SackReports) {
        self.agreed = allowed != SackReports::None;
        self.duplicates = allowed == SackReports::Duplicates;
    }

    /// Whether SACK is agreed.
    pub fn are_enabled(&self) -> bool {
        self.agreed
    }

    /// Bytes from `seq` on were received, and are in the `assembly`.
    #[inline]
    pub fn on_data(&mut self, seq: u64, assembly: &Reassembly) {
        if self.agreed && seq > assembly.next() {
            self.grew(seq, assembly);
        }
    }

    /// Makes the range around `seq` the newest, with a single entry, whichever ranges were merged into it.
    fn grew(&mut self, seq: u64, assembly: &Reassembly) {
        let Some((from, to)) = assembly.island(seq) else { return };
        let within = |at: u64| from <= at && at < to;
        let mut others = self.recent.into_iter().flatten().filter(|at| *at >= assembly.next() && !within(*at));
        self.recent = std::array::from_fn(|place| if place == 0 { Some(seq) } else { others.next() });
    }

    /// Records bytes that were received a second time [RFC2883 s4].
    pub fn duplicate(&mut self, from: u64, to: u64) {
        if self.duplicates {
            self.duplicate = Some((from, to));
        }
    }

    #[inline]
    pub fn has_reports(&self, assembly: &Reassembly) -> bool {
        self.agreed && (self.duplicate.is_some() || assembly.has_holes())
    }

    /// Returns the blocks to report: a duplicate first, with the range around it, then the most recently grown ranges,
    /// then the others, lowest first.
    pub fn blocks(&mut self, assembly: &Reassembly, max: usize) -> impl Iterator<Item = (u64, u64)> + use<> {
        let mut blocks = [None; MAX_BLOCKS + 1];
        let mut count = 0;
        let duplicate = self.duplicate.take();
        let around = duplicate.and_then(|(from, _)| assembly.island(from));
        let recent = self.recent.iter().flatten().filter_map(|at| assembly.island(*at));
        for island in around.into_iter().chain(recent).chain(assembly.islands().take(MAX_BLOCKS)) {
            if count < MAX_BLOCKS && !blocks[..count].contains(&Some(island)) {
                blocks[count] = Some(island);
                count += 1;
            }
        }
        duplicate.into_iter().chain(blocks.into_iter().flatten()).take(max.min(MAX_BLOCKS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Receives ten bytes at each offset of `segments`, in this order; returns the blocks reported after the last one.
    fn after(segments: &[u64]) -> Vec<(u64, u64)> {
        let (mut assembly, mut reports) = (Reassembly::default(), Reports::default());
        reports.enable(SackReports::Duplicates);
        for seq in segments {
            assembly.insert(*seq, seq + 10);
            reports.on_data(*seq, &assembly);
        }
        reports.blocks(&assembly, MAX_BLOCKS).collect()
    }

    // covers [RFC2018 s4]
    #[test]
    fn most_recent_of_five_sack_blocks_are_reported() {
        assert_eq!(after(&[20, 40, 60, 80, 100]), [(100, 110), (80, 90), (60, 70), (40, 50)]);
        assert_eq!(after(&[20, 40, 60, 80, 100, 110, 120, 130]), [(100, 140), (80, 90), (60, 70), (40, 50)]);
        assert_eq!(after(&[20, 40, 60, 80, 100, 90]), [(80, 110), (60, 70), (40, 50), (20, 30)]);
        assert_eq!(after(&[20, 40, 60, 80, 100, 110, 50, 120]), [(100, 130), (40, 70), (80, 90), (20, 30)]);
        // The newest range contains the previous one, so another range can be reported.
        assert_eq!(after(&[20, 40, 60, 100, 80, 90, 120]), [(120, 130), (80, 110), (60, 70), (40, 50)]);
    }

    /// The lowest range grows and is acknowledged; another range takes its place in the report.
    #[test]
    fn acknowledged_sack_blocks_are_not_reported() {
        assert_eq!(after(&[10, 30, 50, 70, 90, 20, 0]), [(90, 100), (70, 80), (50, 60)]);
        assert_eq!(after(&[10, 30, 50, 70, 90, 110, 20, 0]), [(110, 120), (90, 100), (70, 80), (50, 60)]);
        assert_eq!(after(&[10, 40, 60, 80, 100, 20, 0, 120]), [(120, 130), (100, 110), (80, 90), (60, 70)]);
    }
}
