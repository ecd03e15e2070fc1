//! What SACK blocks report [RFC2018 s4, RFC2883].

use super::reassembly::Reassembly;

/// Blocks in a header without timestamps.
const MOST: usize = wire::SackBlocks::MOST;

/// What is to be reported.
#[derive(Debug, Default)]
pub(super) struct Reports {
    agreed: bool,
    duplicates: bool,
    /// A byte of each of the islands that grew last, the newest first.
    recent: [Option<u64>; MOST],
    duplicate: Option<(u64, u64)>,
}

impl Reports {
    pub fn agreed(&mut self, sack: bool, duplicates: bool) {
        self.agreed = sack;
        self.duplicates = sack && duplicates;
    }

    /// Bytes from `seq` on came; everything before `next` is there now.
    #[inline]
    pub fn arrived(&mut self, seq: u64, next: u64) {
        if self.agreed && seq > next {
            self.recent.rotate_right(1);
            self.recent[0] = Some(seq);
        }
    }

    /// Bytes came that had come before [RFC2883 s4].
    pub fn duplicate(&mut self, from: u64, to: u64) {
        if self.duplicates {
            self.duplicate = Some((from, to));
        }
    }

    #[inline]
    pub fn wanted(&self, assembly: &Reassembly) -> bool {
        self.agreed && (self.duplicate.is_some() || assembly.has_holes())
    }

    /// A duplicate first, and the island around it, then the islands that grew last, then the others, lowest first.
    pub fn blocks(&mut self, assembly: &Reassembly, room: usize) -> impl Iterator<Item = (u64, u64)> + use<> {
        let mut blocks = [None; MOST + 1];
        let mut count = 0;
        let duplicate = self.duplicate.take();
        let around = duplicate.and_then(|(from, _)| assembly.island(from));
        let recent = self.recent.iter().flatten().filter_map(|at| assembly.island(*at));
        for island in around.into_iter().chain(recent).chain(assembly.islands().take(MOST)) {
            if count < MOST && !blocks[..count].contains(&Some(island)) {
                blocks[count] = Some(island);
                count += 1;
            }
        }
        duplicate.into_iter().chain(blocks.into_iter().flatten()).take(room.min(MOST))
    }
}
