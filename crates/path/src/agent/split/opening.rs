//! Options negotiated by the two ends of a flow, from their SYNs or estimated from the first data segment.

use tcp::Adoption;
use wire::{Ecn, Flags, Segment, SeqNum};

/// A SYN seen by the node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Syn {
    segment: Segment,
}

/// The SYNs of a flow seen by the node, by the sending end.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Opening([Option<Syn>; 2]);

/// Negotiated options and initial state of a flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct NegotiatedOptions {
    /// Sequence number of each end's first data byte.
    pub origins: [SeqNum; 2],
    /// Maximum segment size in bytes, without options.
    pub segment: u32,
    sack: bool,
    timestamps: bool,
    ecn: bool,
    /// Latest timestamp value of each end.
    recent: [Option<u32>; 2],
    /// Receive window of each end, in bytes.
    windows: [u64; 2],
    /// Window shift of each end.
    shifts: [u8; 2],
    /// True if window scaling was negotiated.
    scaled: bool,
    /// True if the maximum window is unknown because the handshake was not seen.
    unlimited: bool,
}

/// MSS of an end without the MSS option [RFC9293 s3.7.1].
const DEFAULT_MSS: u32 = 536;
/// Size of the timestamps option in a segment with padding, in bytes [RFC7323 appendix A].
const TIMESTAMPS: u32 = 12;

impl Opening {
    /// Records a SYN or SYN-ACK of end `from`.
    pub fn note(&mut self, from: usize, segment: &Segment) {
        self.0[from] = Some(Syn { segment: *segment });
    }

    /// Returns the negotiated options if both SYNs were seen and this segment of `from` acknowledges the other end's
    /// SYN.
    pub fn negotiate(&self, from: usize, segment: &Segment) -> Option<NegotiatedOptions> {
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
        // [RFC3168 s6.1.1]: an ECN-setup SYN has ECE and CWR, an ECN-setup SYN-ACK has ECE alone.
        let asks = |syn: &Segment| syn.flags.has(Flags::ECE | Flags::CWR);
        let grants = |syn: &Segment| syn.flags.has(Flags::ECE) && !syn.flags.has(Flags::CWR);
        let each = [one, two];
        Some(NegotiatedOptions {
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

impl NegotiatedOptions {
    /// Estimates the options of a flow from its first data segment, sent by `from`. The receive window of the other end
    /// is unknown before its first segment: one segment is assumed.
    pub fn of_first(from: usize, segment: &Segment, ecn: Ecn, sack: bool) -> Self {
        let each = |own: u32, other: u32| if from == 0 { [own, other] } else { [other, own] };
        let stamps = segment.options.timestamps;
        let recent = [stamps.map(|stamps| stamps.value), stamps.map(|stamps| stamps.echo)];
        NegotiatedOptions {
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

    /// Returns the state with which the node's connection toward `end` impersonates the other end.
    pub fn toward(&self, end: usize) -> Adoption {
        let other = 1 - end;
        let max = if self.scaled { u64::from(u16::MAX) << self.shifts[other] } else { u64::from(u16::MAX) };
        Adoption {
            origins: [self.origins[other], self.origins[end]],
            peer_window: self.windows[end],
            sack: self.sack,
            timestamps: self.timestamps,
            ecn: self.ecn,
            recent: self.recent[end],
            shift: self.shifts[other],
            max_window: if self.unlimited { u64::MAX } else { max },
        }
    }
}
