//! A packet as it waits in a queue.

use crate::addr::Addr;
use crate::icmp::Notice;
use crate::packet::{Body, Ecn, Packet};
use crate::segment::{Flags, Segment};
use crate::seq_num::SeqNum;

/// A packet without the options of its segment: most have none, and the room for them is larger than all the rest. Queues
/// keep packets like this and the few options beside them, because what a packet costs there is the memory it moves.
#[derive(Clone, Copy, Debug)]
pub struct CompactPacket {
    src: Addr,
    dst: Addr,
    body: BareBody,
}

/// The ECN field stands in the bodies, where it fits beside the tag.
#[derive(Clone, Copy, Debug)]
enum BareBody {
    Tcp(Ecn, Head),
    Icmp(Ecn, Notice),
}

/// A segment without its options, laid out as it is.
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
    /// The packet but for its options, with `ecn` in the place of what it says.
    #[inline]
    pub fn of(packet: &Packet, ecn: Ecn) -> Self {
        let body = match &packet.body {
            Body::Tcp(segment) => BareBody::Tcp(
                ecn,
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
            ),
            Body::Icmp(notice) => BareBody::Icmp(ecn, *notice),
        };
        CompactPacket { src: packet.src, dst: packet.dst, body }
    }

    /// The packet again, without options, written over another one: a segment over a segment leaves the room for options
    /// alone.
    #[inline]
    pub fn write_to(&self, packet: &mut Packet) {
        packet.src = self.src;
        packet.dst = self.dst;
        match &self.body {
            BareBody::Tcp(ecn, head) => {
                packet.ecn = *ecn;
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
            BareBody::Icmp(ecn, notice) => {
                packet.ecn = *ecn;
                packet.body = Body::Icmp(*notice);
            }
        }
    }

    /// Bytes on the wire, without options.
    #[inline]
    pub fn size(&self) -> u32 {
        match &self.body {
            BareBody::Tcp(_, head) => Packet::HEADER + Segment::HEADER + head.len,
            BareBody::Icmp(..) => Packet::HEADER + Notice::SIZE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::icmp::NoticeKind;
    use crate::options::{Options, Timestamps};

    #[test]
    fn a_packet_comes_back_whole() {
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
        let data = Packet { src, dst, ecn: Ecn::Ce, body: Body::Tcp(segment) };
        let mut again = Packet::blank(dst, src);
        CompactPacket::of(&data, data.ecn).write_to(&mut again);
        again.put_options(options);
        assert_eq!(again, data);
        assert_eq!(CompactPacket::of(&data, data.ecn).size() + options.size(), data.size());
        let notice = Notice { kind: NoticeKind::Defer, segment_dst: dst, src_port: 5, dst_port: 6, seq: SeqNum(7) };
        let message = Packet { src, dst, ecn: Ecn::Ect0, body: Body::Icmp(notice) };
        CompactPacket::of(&message, message.ecn).write_to(&mut again);
        assert_eq!(again, message);
        CompactPacket::of(&data, data.ecn).write_to(&mut again);
        again.put_options(options);
        assert_eq!(again, data);
        assert_eq!(CompactPacket::of(&message, message.ecn).size(), message.size());
    }

    /// As small as a packet was before there were options.
    #[test]
    fn a_bare_packet_is_small() {
        assert_eq!(size_of::<CompactPacket>(), 36);
    }
}
