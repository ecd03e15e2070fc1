//! Generic receive offload (GRO): segments that arrive together are joined before TCP processes them.
//!
//! Source: Linux 7.2, `net/ipv4/tcp_offload.c` (`tcp_gro_receive`) and `net/core/gro.c` (`skb_gro_receive`,
//! `dev_gro_receive`, `napi_gro_flush`). A segment with data is held. The next one is joined to it if it continues it
//! with the same header: acknowledgment number, window, flags except FIN and PSH, options and ECN codepoint. It may not
//! be longer than the first one. A joined segment with PSH, FIN or URG, or a shorter one, completes the group. A segment
//! that does not fit passes the held group on, and is held itself. Segments without data are never held.
//!
//! The driver's poll ends the wait (`napi_complete_done`): with `gro_flush_timeout` = 0 the group has the segments of one
//! poll, here the segments of one moment. Otherwise the group waits this time after its last segment; a group that is
//! older than a tick is passed on by the next segment.
//!
//! Deviations: a tick is 4 ms (`CONFIG_HZ` = 250) after the first segment of the group, instead of the next multiple. A
//! poll has no limit of 64 packets, and takes no time: interrupt coalescing is part of `gro_flush_timeout`. Segments of
//! other connections do not restart the wait.

use engine::{Span, Time};
use wire::{Ecn, Flags, Segment};

use crate::config::ReceiverSettings;

/// Upper limit of a joined packet, in bytes with its headers (`GRO_LEGACY_MAX_SIZE`, `gro_max_size`).
const MAX_PACKET: u32 = 65_536;
/// Size of an IPv4 header.
const IP_HEADER: u32 = 20;
/// Age from which the next segment passes a group on.
const TICK: Span = Span::from_millis(4);
/// Flags that may differ between joined segments.
const JOINED_FLAGS: u16 = Flags::FIN.0 | Flags::PSH.0;
/// Flags that complete a group.
const LAST_FLAGS: u16 = JOINED_FLAGS | Flags::URG.0 | Flags::RST.0 | Flags::SYN.0;

/// Segments that are joined for one connection.
#[derive(Debug)]
pub(crate) struct ReceiveOffload {
    /// Time for which a group waits after its last segment.
    timeout: Span,
    held: Option<JoinedSegments>,
    /// Time at which the held group is passed on.
    until: Time,
}

/// One or more segments joined to one.
#[derive(Clone, Debug)]
pub(crate) struct JoinedSegments {
    /// The header of the first segment, with the data of all.
    pub segment: Segment,
    pub ecn: Ecn,
    /// Bytes of data of the first segment (`gso_size`).
    pub size: u32,
    since: Time,
}

/// The effect of an arrival.
#[derive(Debug)]
pub(crate) struct OffloadedArrival {
    /// A complete group, which TCP processes now.
    pub complete: Option<JoinedSegments>,
    /// Whether the arrived segment was not held: TCP processes it after the group.
    pub passes: bool,
}

impl ReceiveOffload {
    /// Creates the state, if the settings join segments.
    pub fn of(settings: &ReceiverSettings) -> Option<Box<Self>> {
        let ReceiverSettings { gro, gro_flush_timeout, .. } = *settings;
        gro.then(|| Box::new(ReceiveOffload { timeout: gro_flush_timeout, held: None, until: Time::NEVER }))
    }

    /// Returns the time at which the held segments are passed on.
    pub fn deadline(&self) -> Time {
        self.until
    }

    /// Returns the held segments.
    pub fn take_held(&mut self) -> Option<JoinedSegments> {
        self.until = Time::NEVER;
        self.held.take()
    }

    /// Processes an arrived segment.
    pub fn take_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) -> OffloadedArrival {
        let is_last = segment.flags.0 & LAST_FLAGS != 0;
        if let Some(held) = &mut self.held
            && held.continues_with(segment, ecn)
        {
            held.join(segment);
            let is_old = self.timeout > Span::ZERO && now.since(held.since) >= TICK;
            let is_complete = is_last || segment.len < held.size || is_old;
            self.until = now + self.timeout;
            let complete = if is_complete { self.take_held() } else { None };
            return OffloadedArrival { complete, passes: false };
        }
        let complete = self.take_held();
        let passes = is_last || segment.len == 0;
        if !passes {
            self.held = Some(JoinedSegments { segment: *segment, ecn, size: segment.len, since: now });
            self.until = now + self.timeout;
        }
        OffloadedArrival { complete, passes }
    }
}

impl JoinedSegments {
    /// Whether a segment continues these with the same header.
    fn continues_with(&self, segment: &Segment, ecn: Ecn) -> bool {
        let held = &self.segment;
        let packet = IP_HEADER + held.header() + held.len + segment.len;
        (1..=self.size).contains(&segment.len)
            && segment.seq == held.seq + held.len
            && (segment.ack, segment.window, segment.options) == (held.ack, held.window, held.options)
            && (segment.flags.0 ^ held.flags.0) & !JOINED_FLAGS == 0
            && ecn == self.ecn
            && packet < MAX_PACKET
    }

    /// Adds the data and the end of a segment.
    fn join(&mut self, segment: &Segment) {
        self.segment.len += segment.len;
        self.segment.flags = self.segment.flags | Flags(segment.flags.0 & JOINED_FLAGS);
    }
}
