//! Mapping between the numbers in scripts and those on the wire.
//!
//! Scripts count sequence numbers from each side's initial one; windows are unscaled header values. Time stamps of the
//! end under test begin with the script's first value and advance with the end's clock.

use std::collections::BTreeMap;
use std::num::NonZeroU16;

use wire::{Ecn, Flags, Options, Segment, SeqNum, Timestamps};

use crate::host::{LOCAL_ISS, PORTS};
use crate::outbox::SentSegment;
use crate::syntax::ast::{IpMark, Opt, Tcp};

/// Initial sequence number of the script's side on the wire.
const REMOTE_ISS: SeqNum = SeqNum(2_000_000_000);

const LETTERS: [(char, Flags); 8] = [
    ('F', Flags::FIN),
    ('S', Flags::SYN),
    ('R', Flags::RST),
    ('P', Flags::PSH),
    ('E', Flags::ECE),
    ('W', Flags::CWR),
    ('U', Flags::URG),
    ('.', Flags::ACK),
];

/// Numbers learned from the packets so far.
#[derive(Default)]
pub(super) struct Numbers {
    /// Initial sequence number in the script of the end under test.
    local_isn: Option<u32>,
    /// Initial sequence number in the script of the script's side.
    remote_isn: Option<u32>,
    local_scale: Option<u8>,
    remote_scale: Option<u8>,
    /// The first time stamp value that the script expects, and the value on the wire.
    stamps: Option<(u32, u32)>,
    /// Time stamp values that the script expects, with the values on the wire.
    seen: BTreeMap<u32, u32>,
}

impl Numbers {
    /// Forgets the numbers of the previous connection: another one begins.
    pub(super) fn begin_connection(&mut self) {
        *self = Numbers::default();
    }

    /// Returns the window scale of the script's side; 0 if window scaling was not negotiated.
    fn remote_shift(&self) -> u8 {
        if self.local_scale.is_some() { self.remote_scale.unwrap_or(0) } else { 0 }
    }

    /// Converts an injected segment to wire numbers; `connected` states whether a connection exists. `Err` names an
    /// unsupported part.
    pub(super) fn incoming(&mut self, tcp: &Tcp, connected: bool) -> Result<(Segment, Ecn), String> {
        let mut flags = Flags::default();
        for (letter, flag) in LETTERS {
            if tcp.flags.contains(letter) {
                flags = flags | flag;
            }
        }
        let syn = flags.has(Flags::SYN);
        if tcp.urgent.is_some() {
            return Err("the urgent pointer of an injected packet".into());
        }
        // Only a SYN carries the script's initial sequence number. Later numbers count from 0 [packetdrill].
        let from = |isn: Option<u32>| if syn { isn.unwrap_or(0) } else { 0 };
        if syn && !connected {
            // A SYN without a connection begins one, or is refused. The next SYN may have another initial sequence
            // number.
            self.begin_connection();
            self.remote_isn = Some(tcp.seq);
        } else if syn {
            self.remote_isn.get_or_insert(tcp.seq);
        }
        let seq = REMOTE_ISS + tcp.seq.wrapping_sub(from(self.remote_isn));
        let ours = |number: u32| LOCAL_ISS + number.wrapping_sub(from(self.local_isn));
        let mut options = Options::default();
        for option in tcp.options.iter().flatten() {
            match option {
                Opt::Mss(mss) => options.mss = NonZeroU16::new(*mss),
                Opt::SackOk => options.sack_permitted = true,
                Opt::Scale(shift) => options.window_scale = Some(*shift),
                Opt::Stamps { value, echo } => {
                    options.timestamps = Some(Timestamps { value: *value, echo: self.echo(*echo) });
                }
                Opt::Sack(blocks) => {
                    if !blocks.iter().all(|(from, to)| options.sack.push(ours(*from), ours(*to))) {
                        return Err("more than four SACK blocks".into());
                    }
                }
                Opt::Nop | Opt::Eol => {}
                // No socket has a key, so that the host discards the segment.
                Opt::Other(text) if text.starts_with("md5 ") => {}
                Opt::Other(text) => return Err(format!("the TCP option `{text}`")),
            }
        }
        if syn {
            self.remote_scale = options.window_scale;
        }
        let shift = if syn { 0 } else { self.remote_shift() };
        let ecn = ecn_of(&tcp.ip)?;
        let segment = Segment {
            src_port: PORTS.remote,
            dst_port: PORTS.local,
            seq,
            ack: tcp.ack.map_or(SeqNum(0), ours),
            flags,
            window: tcp.window.unwrap_or(0) << shift.min(14),
            window_shift: shift,
            len: tcp.len,
            options,
        };
        Ok((segment, ecn))
    }

    /// Converts a time stamp that the script echoes to its value on the wire.
    fn echo(&self, echo: u32) -> u32 {
        match (self.seen.get(&echo), self.stamps) {
            (Some(live), _) => *live,
            (None, Some((script, live))) => echo.wrapping_sub(script).wrapping_add(live),
            (None, None) => echo,
        }
    }

    /// Learns initial numbers and time stamps from the segment `sent`, which the script writes as `expected`.
    pub(super) fn learn(&mut self, expected: &Tcp, sent: &Segment) {
        if sent.flags.has(Flags::SYN) {
            self.local_scale = sent.options.window_scale;
            if expected.flags.contains('S') {
                self.local_isn.get_or_insert(expected.seq);
            }
        }
        let stamp = expected.options.iter().flatten().find_map(|option| match option {
            Opt::Stamps { value, .. } => Some(*value),
            _ => None,
        });
        if let (Some(script), Some(live)) = (stamp, sent.options.timestamps) {
            self.stamps.get_or_insert((script, live.value));
            self.seen.insert(script, live.value);
        }
    }

    /// Converts a sent segment to script numbers.
    pub(super) fn convert_sent(&self, sent: &SentSegment) -> Tcp {
        let segment = &sent.segment;
        let has = |flag| segment.flags.has(flag);
        let syn = has(Flags::SYN);
        let flags = LETTERS.iter().filter(|(_, flag)| has(*flag)).map(|(letter, _)| letter).collect();
        let from = |isn: Option<u32>| if syn { isn.unwrap_or(0) } else { 0 };
        let theirs = |number: SeqNum| number.0.wrapping_sub(REMOTE_ISS.0).wrapping_add(from(self.remote_isn));
        let mut options = Vec::new();
        options.extend(segment.options.mss.map(|mss| Opt::Mss(mss.get())));
        options.extend(segment.options.sack_permitted.then_some(Opt::SackOk));
        options.extend(segment.options.timestamps.map(|stamps| {
            let (script, live) = self.stamps.unwrap_or((stamps.value, stamps.value));
            Opt::Stamps { value: stamps.value.wrapping_sub(live).wrapping_add(script), echo: stamps.echo }
        }));
        options.extend(segment.options.window_scale.map(Opt::Scale));
        let blocks = segment.options.sack.as_slice();
        if !blocks.is_empty() {
            options.push(Opt::Sack(blocks.iter().map(|(from, to)| (theirs(*from), theirs(*to))).collect()));
        }
        let mark = match sent.ecn {
            Ecn::NotEct => None,
            Ecn::Ect0 => Some(IpMark::Ect0),
            Ecn::Ect1 => Some(IpMark::Ect1),
            Ecn::Ce => Some(IpMark::Ce),
        };
        Tcp {
            ip: mark.into_iter().collect(),
            flags,
            seq: segment.seq.0.wrapping_sub(LOCAL_ISS.0).wrapping_add(from(self.local_isn)),
            len: segment.len,
            ack: has(Flags::ACK).then(|| theirs(segment.ack)),
            window: Some(segment.window >> segment.window_shift.min(31)),
            urgent: None,
            options: Some(options),
        }
    }
}

fn ecn_of(marks: &[IpMark]) -> Result<Ecn, String> {
    let mut ecn = Ecn::NotEct;
    for mark in marks {
        ecn = match mark {
            IpMark::NoEcn => Ecn::NotEct,
            IpMark::Ect0 => Ecn::Ect0,
            IpMark::Ect1 => Ecn::Ect1,
            IpMark::Ce => Ecn::Ce,
            IpMark::Tos(tos) => Ecn::from_bits(*tos as u8),
            IpMark::Ect01 | IpMark::Ttl(_) | IpMark::FlowLabel(_) => {
                return Err(format!("`{mark}` of an injected packet"));
            }
        };
    }
    Ok(ecn)
}
