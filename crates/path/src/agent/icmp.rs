//! The common part of the two ICMP schemes: the ICMP message about a segment.

use wire::{Body, Notice, NoticeKind, Packet};

use super::AgentCx;

/// Sends a message about a data segment to its source. There is no message about a pure acknowledgment: the next
/// acknowledgment compensates for a lost one.
pub fn tell_sender(kind: NoticeKind, about: &Packet, cx: &mut AgentCx<'_>) {
    let Some(segment) = about.data() else { return };
    let notice = Notice {
        kind,
        segment_dst: about.dst,
        src_port: segment.src_port,
        dst_port: segment.dst_port,
        seq: segment.seq,
    };
    let packet = Packet::new(cx.here, about.src, Body::Icmp(notice));
    let name = match kind {
        NoticeKind::Defer => "icmp_defers",
        NoticeKind::Retransmit => "icmp_retransmits",
    };
    cx.emit(name, 1.0, Some(&packet));
    cx.send(packet);
}
