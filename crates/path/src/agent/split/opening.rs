//! What the two ends agree on before the node takes their places: from their SYNs, or from the first segment with data.

use tcp::Adoption;
use wire::{Ecn, Flags, Segment, SeqNum};

/// A SYN, as far as it matters afterwards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Syn {
    segment: Segment,
}

/// SYNs that went by, by which end sent them.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Opening([Option<Syn>; 2]);

/// What both ends agreed on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Agreed {
    /// The number of each end's first byte.
    pub origins: [SeqNum; 2],
    /// Bytes of data in a full segment.
    pub segment: u32,
    sack: bool,
    timestamps: bool,
    ecn: bool,
    /// The timestamp, the window, and the shift of windows, of each end.
    recent: [Option<u32>; 2],
    windows: [u64; 2],
    shifts: [u8; 2],
    /// Whether windows larger than 65,535 bytes can be said.
    scaled: bool,
    /// The largest window is not known to be limited: there was no handshake.
    unlimited: bool,
}

/// What is taken when an end does not say [RFC9293 s3.7.1].
const DEFAULT_MSS: u32 = 536;
/// What timestamps take of a segment [RFC7323 appendix A].
const TIMESTAMPS: u32 = 12;

impl Opening {
    /// A SYN, or an answer to one, goes by.
    pub fn note(&mut self, from: usize, segment: &Segment) {
        self.0[from] = Some(Syn { segment: *segment });
    }

    /// What was agreed on if both SYNs went by, and this segment of `from` says that it got the other's.
    pub fn agreed(&self, from: usize, segment: &Segment) -> Option<Agreed> {
        let [own, other] = [from, 1 - from].map(|end| self.0[end]);
        let (own, other) = (own?.segment, other?.segment);
        let got = segment.flags.has(Flags::ACK) && segment.ack.since(other.seq + 1) >= 0;
        if !got || segment.seq.since(own.seq + 1) < 0 {
            return None;
        }
        let [one, two] = self.0.map(|syn| syn.map_or(Segment::default(), |syn| syn.segment));
        let both = |has: fn(&Segment) -> bool| has(&one) && has(&two);
        let timestamps = both(|syn| syn.options.timestamps.is_some());
        let scaled = both(|syn| syn.options.window_scale.is_some());
        let mss = |syn: &Segment| syn.options.mss.map_or(DEFAULT_MSS, |mss| u32::from(mss.get()));
        let segment = mss(&one).min(mss(&two)).saturating_sub(if timestamps { TIMESTAMPS } else { 0 }).max(1);
        // [RFC3168 s6.1.1]: the one that asks has both, the answer has ECE alone.
        let asks = |syn: &Segment| syn.flags.has(Flags::ECE | Flags::CWR);
        let grants = |syn: &Segment| syn.flags.has(Flags::ECE) && !syn.flags.has(Flags::CWR);
        let each = [one, two];
        Some(Agreed {
            origins: each.map(|syn| syn.seq + 1),
            segment,
            sack: both(|syn| syn.options.sack_permitted),
            timestamps,
            ecn: (asks(&one) && grants(&two)) || (asks(&two) && grants(&one)),
            recent: each.map(|syn| syn.options.timestamps.map(|stamps| stamps.value)),
            windows: each.map(|syn| u64::from(syn.window)),
            shifts: each.map(|syn| syn.options.window_scale.filter(|_| scaled).unwrap_or(0).min(14)),
            scaled,
            unlimited: false,
        })
    }
}

impl Agreed {
    /// What can be known from a flow's first segment with data, which `from` has sent. What the other end takes is not
    /// known before it speaks: one segment.
    pub fn of_first(from: usize, segment: &Segment, ecn: Ecn, sack: bool) -> Self {
        let each = |own: u32, other: u32| if from == 0 { [own, other] } else { [other, own] };
        let stamps = segment.options.timestamps;
        let recent = [stamps.map(|stamps| stamps.value), stamps.map(|stamps| stamps.echo)];
        Agreed {
            origins: each(segment.seq.0, segment.ack.0).map(SeqNum),
            segment: segment.len,
            sack,
            timestamps: segment.options.timestamps.is_some(),
            ecn: ecn != Ecn::NotEct,
            recent: if from == 0 { recent } else { [recent[1], recent[0]] },
            windows: each(segment.window, segment.len).map(u64::from),
            shifts: [segment.window_shift; 2],
            scaled: false,
            unlimited: true,
        }
    }

    /// What the node takes over when it takes the place of the other end, towards `end`.
    pub fn toward(&self, end: usize) -> Adoption {
        let other = 1 - end;
        let most = if self.scaled { u64::from(u16::MAX) << self.shifts[other] } else { u64::from(u16::MAX) };
        Adoption {
            origins: [self.origins[other], self.origins[end]],
            peer_window: self.windows[end],
            sack: self.sack,
            timestamps: self.timestamps,
            ecn: self.ecn,
            recent: self.recent[end],
            shift: self.shifts[other],
            max_window: if self.unlimited { u64::MAX } else { most },
        }
    }
}
