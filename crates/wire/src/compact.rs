//! Packets in the compact form that queues store.

use crate::addr::Addr;
use crate::datagram::Datagram;
use crate::dscp::Dscp;
use crate::icmp::Notice;
use crate::options::Options;
use crate::packet::{Body, Ecn, Packet};
use crate::segment::{Flags, Segment};
use crate::seq_num::SeqNum;

/// A packet without TCP options. Most segments have no options, although `Options` is larger than all other fields
/// together. Therefore queues store this form, and options separately: the cost of a queued packet is the memory that
/// is copied.
#[derive(Clone, Copy, Debug)]
pub struct CompactPacket {
    src: Addr,
    dst: Addr,
    body: BareBody,
}

/// ECN field and class are part of each variant, where the padding after the tag has space for them.
#[derive(Clone, Copy, Debug)]
enum BareBody {
    Tcp(Ecn, Dscp, CompactSegment),
    Icmp(Ecn, Dscp, Notice),
    Datagram(Ecn, Dscp, Datagram),
}

/// A segment without its options. Fields and field order are those of [`Segment`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
#[expect(missing_docs, reason = "the fields are those of `Segment`")]
pub struct CompactSegment {
    pub src_port: u16,
    pub dst_port: u16,
    pub seq: SeqNum,
    pub ack: SeqNum,
    pub window: u32,
    pub len: u32,
    pub flags: Flags,
    pub window_shift: u8,
}

impl CompactSegment {
    /// Returns the segment without its options.
    #[inline]
    pub fn of(segment: &Segment) -> Self {
        CompactSegment {
            src_port: segment.src_port,
            dst_port: segment.dst_port,
            seq: segment.seq,
            ack: segment.ack,
            window: segment.window,
            len: segment.len,
            flags: segment.flags,
            window_shift: segment.window_shift,
        }
    }

    /// Overwrites `segment` with this segment, without options. The memory of the options is not written.
    #[inline]
    pub fn write_to(&self, segment: &mut Segment) {
        segment.src_port = self.src_port;
        segment.dst_port = self.dst_port;
        segment.seq = self.seq;
        segment.ack = self.ack;
        segment.flags = self.flags;
        segment.window = self.window;
        segment.window_shift = self.window_shift;
        segment.len = self.len;
        segment.options.clear();
    }
}

impl CompactPacket {
    /// Returns a packet with a segment.
    #[inline]
    pub fn new([src, dst]: [Addr; 2], ecn: Ecn, dscp: Dscp, segment: CompactSegment) -> Self {
        CompactPacket { src, dst, body: BareBody::Tcp(ecn, dscp, segment) }
    }

    /// Destination address.
    #[inline]
    pub fn dst(&self) -> Addr {
        self.dst
    }

    /// ECN field of the IP header.
    #[inline]
    pub fn ecn(&self) -> Ecn {
        let (BareBody::Tcp(ecn, ..) | BareBody::Icmp(ecn, ..) | BareBody::Datagram(ecn, ..)) = self.body;
        ecn
    }

    /// Returns the packet with another ECN field.
    #[inline]
    pub fn with_ecn(mut self, to: Ecn) -> Self {
        let (BareBody::Tcp(ecn, ..) | BareBody::Icmp(ecn, ..) | BareBody::Datagram(ecn, ..)) = &mut self.body;
        *ecn = to;
        self
    }

    /// Returns the segment; `None` for any other payload.
    #[inline]
    pub fn segment(&self) -> Option<&CompactSegment> {
        match &self.body {
            BareBody::Tcp(_, _, segment) => Some(segment),
            BareBody::Icmp(..) | BareBody::Datagram(..) => None,
        }
    }

    /// Returns the packet without its options.
    #[inline]
    pub fn of(packet: &Packet) -> Self {
        let Body::Tcp(segment) = &packet.body else { return Self::of_message(packet) };
        let body = BareBody::Tcp(packet.ecn, packet.dscp, CompactSegment::of(segment));
        CompactPacket { src: packet.src, dst: packet.dst, body }
    }

    /// Returns the packet without its options, if it is not a segment.
    #[inline(never)]
    fn of_message(packet: &Packet) -> Self {
        let body = match &packet.body {
            Body::Tcp(_) => unreachable!("a segment is no message"),
            Body::Icmp(notice) => BareBody::Icmp(packet.ecn, packet.dscp, *notice),
            Body::Datagram(datagram) => BareBody::Datagram(packet.ecn, packet.dscp, *datagram),
        };
        CompactPacket { src: packet.src, dst: packet.dst, body }
    }

    /// Returns the packet with options.
    pub fn with_options(&self, options: Option<&Options>) -> Packet {
        let mut packet = Packet::blank(self.src, self.dst);
        self.write_to(&mut packet);
        if let Some(options) = options {
            packet.put_options(*options);
        }
        packet
    }

    /// Overwrites `packet` with this packet, without options. If both are segments, the memory of the options is not
    /// written.
    #[inline]
    pub fn write_to(&self, packet: &mut Packet) {
        packet.src = self.src;
        packet.dst = self.dst;
        let BareBody::Tcp(ecn, dscp, segment) = &self.body else { return self.write_message_to(packet) };
        (packet.ecn, packet.dscp) = (*ecn, *dscp);
        segment.write_to(packet.segment_to_write());
    }

    /// Overwrites the ECN codepoint, the DSCP and the body of `packet` with those of this packet, which is not a
    /// segment.
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
            BareBody::Tcp(_, _, segment) => Packet::HEADER + Segment::HEADER + segment.len,
            BareBody::Icmp(..) => Packet::HEADER + Notice::SIZE,
            BareBody::Datagram(_, _, datagram) => Packet::HEADER + datagram.size(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datagram::Protocol;
    use crate::icmp::NoticeKind;
    use crate::options::Timestamps;

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
        CompactPacket::of(&data).write_to(&mut again);
        again.put_options(options);
        assert_eq!(again, data);
        assert_eq!(CompactPacket::of(&data).size() + options.size(), data.size());
        let notice = Notice { kind: NoticeKind::Defer, segment_dst: dst, src_port: 5, dst_port: 6, seq: SeqNum(7) };
        let message = Packet { ecn: Ecn::Ect0, ..Packet::new(src, dst, Body::Icmp(notice)) };
        CompactPacket::of(&message).write_to(&mut again);
        assert_eq!(again, message);
        CompactPacket::of(&data).write_to(&mut again);
        again.put_options(options);
        assert_eq!(again, data);
        assert_eq!(CompactPacket::of(&message).size(), message.size());
        let datagram = Datagram::new(Protocol::Udp, [5, 6], 160, 7, engine::Time::from_millis(8));
        let voice = Packet { dscp: Dscp::EF, ..Packet::new(src, dst, Body::Datagram(datagram)) };
        CompactPacket::of(&voice).write_to(&mut again);
        assert_eq!(again, voice);
        assert_eq!(CompactPacket::of(&voice).size(), voice.size());
    }

    /// The size is 36 bytes, that of a packet before options were added.
    #[test]
    fn compact_packet_has_36_bytes() {
        assert_eq!(size_of::<CompactPacket>(), 36);
    }
}
