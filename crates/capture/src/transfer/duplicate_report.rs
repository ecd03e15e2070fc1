//! Reports of bytes that arrived twice: the first block of selective acknowledgments [RFC2883].

use wire::{Segment, SeqNum};

/// Maximum length of a report. A report is about one packet [RFC2883 s4], into which offloading may have merged others.
const MAX_LEN: u64 = u16::MAX as u64;

/// The bytes that an acknowledgment of everything before `ack` reports as duplicates, if it does, as offsets from
/// `origin`.
pub fn find_duplicate_report(segment: &Segment, origin: SeqNum, ack: u64) -> Option<(u64, u64)> {
    let block = |place: usize| {
        let (from, to) = segment.options.sack.as_slice().get(place)?;
        Some((from.offset_from(origin, ack)?, to.offset_from(origin, ack)?)).filter(|(from, to)| from < to)
    };
    let (from, to) = block(0).filter(|(from, to)| to - from <= MAX_LEN)?;
    // [RFC2883 s4] Below the acknowledgment, or within the second block.
    let within = block(1).is_some_and(|(first, end)| first <= from && to <= end);
    (to <= ack || within).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_block_is_a_report_below_the_acknowledgment_or_within_the_second() {
        // Blocks of the acknowledgment of 5000, and the bytes reported.
        type Case<'a> = (&'a [(u32, u32)], Option<(u64, u64)>);
        let cases: [Case<'_>; 5] = [
            (&[], None),
            (&[(1000, 2000)], Some((1000, 2000))),
            (&[(6000, 7000)], None),
            (&[(6000, 7000), (6000, 9000)], Some((6000, 7000))),
            (&[(6000, 7000), (8000, 9000)], None),
        ];
        let origin = SeqNum(4_294_967_000);
        for (blocks, expected) in cases {
            let mut segment = Segment::default();
            blocks.iter().for_each(|(from, to)| {
                assert!(segment.options.sack.push(origin + *from, origin + *to));
            });
            assert_eq!(find_duplicate_report(&segment, origin, 5000), expected, "{blocks:?}");
        }
    }
}
