//! Packets in the compact form that queues store.

use crate::addr::Addr;
use crate::datagram::Datagram;
use crate::dscp::Dscp;
use crate::icmp::Notice;
use crate::packet::{Body, Ecn, Packet};
use crate::segment::{Flags, Segment};
use crate::seq_num::SeqNum;

/// A packet without TCP options. Most segments have none, although `Options` is larger than all other fields together:
/// queues store this form, and options separately, because the cost of a queued packet is the memory that is copied.
#[derive(Clone, Copy, Debug)]
pub struct CompactPacket {
    src: Addr,
    dst: Addr,
    body: BareBody,
}

/// ECN field and class are part of each variant, where they fit into the padding beside the tag.
#[derive(Clone, Copy, Debug)]
enum BareBody {
    Tcp(Ecn, Dscp, Head),
    Icmp(Ecn, Dscp, Notice),
    Datagram(Ecn, Dscp, Datagram),
}

/// A segment without its options; same field order as [`Segment`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Head {
    src_port: u16,
    dst_port: u16,
    seq: SeqNum,
    ack: SeqNum,
    window: u32,
    len: u32,
    flags: Flags,
    window_shift: u8,
}

impl CompactPacket {
    /// Returns the packet without its options, and with `ecn` as its ECN field.
    #[inline]
    pub fn of(packet: &Packet, ecn: Ecn) -> Self {
        let Body::Tcp(segment) = &packet.body else { return Self::of_message(packet, ecn) };
        let body = BareBody::Tcp(
            ecn,
            packet.dscp,
            Head {
                src_port: segment.src_port,
                dst_port: segment.dst_port,
                seq: segment.seq,
                ack: segment.ack,
                window: segment.window,
                len: segment.len,
                flags: segment.flags,
                window_shift: segment.window_shift,
            },
        );
        CompactPacket { src: packet.src, dst: packet.dst, body }
    }

    /// The same for a packet other than a segment.
    #[inline(never)]
    fn of_message(packet: &Packet, ecn: Ecn) -> Self {
        let body = match &packet.body {
            Body::Tcp(_) => unreachable!("a segment is no message"),
            Body::Icmp(notice) => BareBody::Icmp(ecn, packet.dscp, *notice),
            Body::Datagram(datagram) => BareBody::Datagram(ecn, packet.dscp, *datagram),
        };
        CompactPacket { src: packet.src, dst: packet.dst, body }
    }

    /// Overwrites `packet` with this one, without options. If both are segments, the memory of the options is not
    /// written.
    #[inline]
    pub fn write_to(&self, packet: &mut Packet) {
        packet.src = self.src;
        packet.dst = self.dst;
        let BareBody::Tcp(ecn, dscp, head) = &self.body else { return self.write_message_to(packet) };
        (packet.ecn, packet.dscp) = (*ecn, *dscp);
        let segment = packet.segment_to_write();
        segment.src_port = head.src_port;
        segment.dst_port = head.dst_port;
        segment.seq = head.seq;
        segment.ack = head.ack;
        segment.flags = head.flags;
        segment.window = head.window;
        segment.window_shift = head.window_shift;
        segment.len = head.len;
        segment.options.clear();
    }

    /// The same for a packet other than a segment, whose addresses are written.
    #[inline(never)]
    fn write_message_to(&self, packet: &mut Packet) {
        let (ecn, dscp, body) = match &self.body {
            BareBody::Tcp(..) => unreachable!("a segment is no message"),
            BareBody::Icmp(ecn, dscp, notice) => (ecn, dscp, Body::Icmp(*notice)),
            BareBody::Datagram(ecn, dscp, datagram) => (ecn, dscp, Body::Datagram(*datagram)),
        };
        (packet.ecn, packet.dscp, packet.body) = (*ecn, *dscp, body);
    }

    /// Size on the wire in bytes, without options.
    #[inline]
    pub fn size(&self) -> u32 {
        match &self.body {
            BareBody::Tcp(_, _, head) => Packet::HEADER + Segment::HEADER + head.len,
            BareBody::Icmp(..) => Packet::HEADER + Notice::SIZE,
            BareBody::Datagram(_, _, datagram) => Packet::HEADER + Datagram::HEADER + datagram.len,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datagram::Protocol;
    use crate::icmp::NoticeKind;
    use crate::options::{Options, Timestamps};

    #[test]
    fn packet_is_restored_from_its_compact_form() {
        let options = Options {
            timestamps: Some(Timestamps { value: 1, echo: 2 }),
            sack: [(SeqNum(3), SeqNum(4))].into_iter().collect(),
            ..Options::default()
        };
        let segment = Segment {
            src_port: 5,
            dst_port: 6,
            seq: SeqNum(7),
            ack: SeqNum(8),
            flags: Flags::ACK | Flags::ECE | Flags::ELN,
            window: 9,
            window_shift: 10,
            len: 11,
            options,
        };
        let (src, dst) = (Addr::of_node(1), Addr::of_node(2));
        let data = Packet { ecn: Ecn::Ce, dscp: Dscp::EF, ..Packet::new(src, dst, Body::Tcp(segment)) };
        let mut again = Packet::blank(dst, src);
        CompactPacket::of(&data, data.ecn).write_to(&mut again);
        again.put_options(options);
        assert_eq!(again, data);
        assert_eq!(CompactPacket::of(&data, data.ecn).size() + options.size(), data.size());
        let notice = Notice { kind: NoticeKind::Defer, segment_dst: dst, src_port: 5, dst_port: 6, seq: SeqNum(7) };
        let message = Packet { ecn: Ecn::Ect0, ..Packet::new(src, dst, Body::Icmp(notice)) };
        CompactPacket::of(&message, message.ecn).write_to(&mut again);
        assert_eq!(again, message);
        CompactPacket::of(&data, data.ecn).write_to(&mut again);
        again.put_options(options);
        assert_eq!(again, data);
        assert_eq!(CompactPacket::of(&message, message.ecn).size(), message.size());
        let datagram = Datagram::new(Protocol::Udp, [5, 6], 160, 7, engine::Time::from_millis(8));
        let voice = Packet { dscp: Dscp::EF, ..Packet::new(src, dst, Body::Datagram(datagram)) };
        CompactPacket::of(&voice, voice.ecn).write_to(&mut again);
        assert_eq!(again, voice);
        assert_eq!(CompactPacket::of(&voice, voice.ecn).size(), voice.size());
    }

    /// 36 bytes, the size of a packet before options were added.
    #[test]
    fn compact_packet_has_36_bytes() {
        assert_eq!(size_of::<CompactPacket>(), 36);
    }
}
