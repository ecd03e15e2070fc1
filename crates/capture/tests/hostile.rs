//! Damaged files cause no panic, and memory is bounded by the limits of the format.

use crate::common;

use common::{enhanced, ethernet, interface, ip, pcap, read, section, segment};
use proptest::prelude::*;

fn good_files() -> Vec<Vec<u8>> {
    let frame = ethernet(&ip(segment(1, 500)));
    let raw = ip(segment(1, 500));
    let records: Vec<(u32, u32, &[u8], u32)> = (0..6).map(|at| (at, at, &frame[..], 566)).collect();
    let ng = |big_endian| {
        let packets = (0..6).flat_map(|at| enhanced(big_endian, at % 2, at.into(), &raw, 552));
        let interfaces = [interface(big_endian, 101, Some(9), Some(-4)), interface(big_endian, 101, Some(0x94), None)];
        [section(big_endian), interfaces.concat(), packets.collect()].concat()
    };
    vec![pcap(0xA1B2_C3D4, false, 1, &records), pcap(0xA1B2_3C4D, true, 1, &records), ng(false), ng(true)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_and_cut_files_never_panic(
        kind in 0_usize..4,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(),
        cuts in any::<bool>(),
    ) {
        let mut file = good_files().swap_remove(kind);
        for (place, value) in &changes {
            let place = place.index(file.len());
            file[place] = *value;
        }
        if cuts {
            file.truncate(cut.index(file.len()));
        }
        let (packets, error, rest) = read(&file);
        prop_assert!(packets.len() <= 6 + changes.len());
        prop_assert!(error.is_none_or(|error| !error.to_string().is_empty()));
        prop_assert!(rest.streams.len() <= packets.len());
    }

    #[test]
    fn arbitrary_bytes_behind_a_header_never_panic(rest in proptest::collection::vec(any::<u8>(), 0..200), kind in 0_usize..4) {
        let start = [24, 24, 28, 28][kind];
        let file = [&good_files()[kind][..start], &rest].concat();
        read(&file);
    }

    #[test]
    fn arbitrary_packets_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..120), first in prop::sample::select(vec![0x45, 0x46, 0x4F, 0x60])) {
        let mut packet = bytes;
        if let Some(byte) = packet.first_mut() {
            *byte = first;
        }
        for protocol in [6, 17, 1, 44, 51, 58] {
            if let Some(byte) = packet.get_mut(if first == 0x60 { 6 } else { 9 }) {
                *byte = protocol;
            }
            let length = packet.len() as u32;
            read(&pcap(0xA1B2_C3D4, false, 101, &[(0, 0, &packet, length)]));
        }
    }
}
