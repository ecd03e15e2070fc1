//! SYN cookies: what a listener remembers of a SYN for which it keeps no state (`net/ipv4/syncookies.c`).

use std::num::NonZeroU16;

use wire::{Flags, Segment};

use crate::settings::IpVersion;

/// Segment sizes that a cookie can hold for IPv4 and IPv6 (`msstab`), in bytes.
const SEGMENT_SIZES: [[u16; 4]; 2] = [[536, 1300, 1440, 1460], [1220, 1420, 1440, 8940]];
/// Segment size of a SYN without an MSS option [RFC9293 s3.7.1].
const DEFAULT_SEGMENT: u16 = 536;

/// Returns the SYN as a listener knows it after the handshake: the size of a segment is the largest known one that is
/// not larger, and without timestamps, whose low bits hold the options, there is no SACK, no window scale and no ECN.
pub(super) fn encode_syn(syn: &Segment, version: IpVersion) -> Segment {
    let mss = syn.options.mss.map_or(DEFAULT_SEGMENT, NonZeroU16::get);
    let sizes = SEGMENT_SIZES[usize::from(version == IpVersion::V6)];
    let known = sizes.into_iter().rev().find(|size| *size <= mss).unwrap_or(sizes[0]);
    let mut kept = *syn;
    kept.options.mss = NonZeroU16::new(known);
    if syn.options.timestamps.is_none() {
        kept.options.sack_permitted = false;
        kept.options.window_scale = None;
        kept.flags = Flags(syn.flags.0 & !(Flags::ECE.0 | Flags::CWR.0));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::Timestamps;

    #[test]
    fn cookie_holds_one_of_four_sizes_and_options_only_in_timestamps() {
        for (mss, known) in [(100, 536), (1299, 536), (1300, 1300), (1459, 1440), (8960, 1460)] {
            let mut syn = Segment { flags: Flags::SYN | Flags::ECE | Flags::CWR, ..Segment::default() };
            syn.options.mss = NonZeroU16::new(mss);
            syn.options.sack_permitted = true;
            syn.options.window_scale = Some(7);
            let kept = encode_syn(&syn, IpVersion::V4);
            assert_eq!(kept.options.mss, NonZeroU16::new(known), "{mss}");
            assert_eq!((kept.options.sack_permitted, kept.options.window_scale), (false, None));
            assert_eq!(kept.flags, Flags::SYN);
            syn.options.timestamps = Some(Timestamps { value: 1, echo: 0 });
            let kept = encode_syn(&syn, IpVersion::V4);
            assert_eq!((kept.options.sack_permitted, kept.options.window_scale), (true, Some(7)));
            assert_eq!(kept.flags, syn.flags);
            syn.options.mss = NonZeroU16::new(9000);
            assert_eq!(encode_syn(&syn, IpVersion::V6).options.mss, NonZeroU16::new(8940));
        }
    }
}
