//! Packets and frames of a capture without TCP.

use std::fmt;

use capture::{SkippedFrames, Transport};

/// Packets other than TCP segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NonTcp {
    /// UDP datagrams; QUIC is among them.
    pub udp: u64,
    /// ICMP and ICMPv6 messages.
    pub icmp: u64,
    /// Other protocols, and fragments after the first.
    pub other: u64,
}

impl NonTcp {
    pub(super) fn add(&mut self, transport: &Transport) {
        match transport {
            Transport::Tcp(_) => {}
            Transport::Udp(_) => self.udp += 1,
            Transport::Icmp(_) => self.icmp += 1,
            Transport::Other(_) => self.other += 1,
        }
    }
}

/// Frames outside of the explanation, as a list in brackets; empty without such frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnexplainedFrames(pub NonTcp, pub SkippedFrames);

impl fmt::Display for UnexplainedFrames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnexplainedFrames(others, skipped) = self;
        let kinds = [
            (others.udp, "UDP"),
            (others.icmp, "ICMP"),
            (others.other, "other IP protocols or later fragments"),
            (skipped.not_ip, "without IP"),
            (skipped.foreign, "of link types that cannot be read"),
            (skipped.damaged, "with damaged or truncated headers"),
        ];
        let parts: Vec<String> =
            kinds.iter().filter(|(count, _)| *count > 0).map(|(count, kind)| format!("{count} {kind}")).collect();
        if parts.is_empty() { Ok(()) } else { write!(f, " ({})", parts.join(", ")) }
    }
}
