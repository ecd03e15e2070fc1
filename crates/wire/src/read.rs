//! Segments read from bytes, as the reverse of [`bytes`](crate::bytes).

use etherparse::{
    NetSlice, SlicedPacket, TcpHeaderSlice, TcpOptionElement, TcpOptionsIterator, TcpSlice, TransportSlice,
};

use crate::options::{Options, Timestamps};
use crate::packet::Ecn;
use crate::segment::{Flags, Segment};
use crate::seq_num::SeqNum;

/// Returns the segment in a packet; `None` for anything but TCP over IPv4.
///
/// The window is the header's value: only SYN segments contain the scale of a connection.
pub fn ipv4_segment(bytes: &[u8]) -> Option<(Segment, Ecn)> {
    let packet = SlicedPacket::from_ip(bytes).ok()?;
    let (Some(NetSlice::Ipv4(ip)), Some(TransportSlice::Tcp(tcp))) = (&packet.net, &packet.transport) else {
        return None;
    };
    Some((read_segment(tcp), Ecn::from_bits(ip.header().ecn().value())))
}

/// Returns a segment as a value. Options unknown to the simulation are omitted.
///
/// The window is the header's value, and the reserved bit next to CWR, which is used for ELN, is not read.
pub fn read_segment(tcp: &TcpSlice<'_>) -> Segment {
    let header = TcpHeaderSlice::from_slice(tcp.header_slice());
    let header = header.unwrap_or_else(|_| unreachable!("the header of a checked slice"));
    // The cast does not truncate: an IPv4 packet has at most 65,535 bytes.
    self::read_header(&header, tcp.payload().len() as u32, header.options_iterator())
}

/// Reads a segment as [`read_segment`] does, from a header, the number of data bytes after it, and its options; for a
/// truncated packet, from the captured options.
pub fn read_header(tcp: &TcpHeaderSlice<'_>, len: u32, options: TcpOptionsIterator<'_>) -> Segment {
    let flags = [
        (tcp.fin(), Flags::FIN),
        (tcp.syn(), Flags::SYN),
        (tcp.rst(), Flags::RST),
        (tcp.psh(), Flags::PSH),
        (tcp.ack(), Flags::ACK),
        (tcp.urg(), Flags::URG),
        (tcp.ece(), Flags::ECE),
        (tcp.cwr(), Flags::CWR),
    ];
    Segment {
        src_port: tcp.source_port(),
        dst_port: tcp.destination_port(),
        seq: SeqNum(tcp.sequence_number()),
        ack: SeqNum(tcp.acknowledgment_number()),
        flags: flags.iter().filter(|(set, _)| *set).fold(Flags::default(), |all, (_, flag)| all | *flag),
        window: u32::from(tcp.window_size()),
        len,
        window_shift: 0,
        options: read_options(options),
    }
}

/// The options up to the first that is damaged.
fn read_options(all: TcpOptionsIterator<'_>) -> Options {
    let mut options = Options::default();
    for option in all.map_while(Result::ok) {
        match option {
            TcpOptionElement::MaximumSegmentSize(mss) => options.mss = mss.try_into().ok(),
            TcpOptionElement::WindowScale(shift) => options.window_scale = Some(shift),
            TcpOptionElement::SelectiveAcknowledgementPermitted => options.sack_permitted = true,
            TcpOptionElement::Timestamp(value, echo) => options.timestamps = Some(Timestamps { value, echo }),
            TcpOptionElement::SelectiveAcknowledgement(first, rest) => {
                let all = std::iter::once(first).chain(rest.into_iter().flatten());
                options.sack = all.map(|(from, to)| (SeqNum(from), SeqNum(to))).collect();
            }
            TcpOptionElement::Noop => {}
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::addr::Addr;
    use crate::packet::{Body, Packet};
    use std::num::NonZeroU16;

    #[test]
    fn written_segment_is_read_back() {
        let options = Options {
            timestamps: Some(Timestamps { value: 7, echo: 8 }),
            sack: [(SeqNum(1), SeqNum(2)), (SeqNum(5), SeqNum(9))].into_iter().collect(),
            ..Options::default()
        };
        let opening = Options {
            mss: NonZeroU16::new(1460),
            window_scale: Some(7),
            sack_permitted: true,
            timestamps: options.timestamps,
            ..Options::default()
        };
        for (options, flags) in [(options, Flags::ACK | Flags::ECE), (opening, Flags::SYN | Flags::URG)] {
            let segment = Segment {
                src_port: 1,
                dst_port: 2,
                seq: SeqNum(u32::MAX),
                ack: SeqNum(4),
                window: 5000,
                len: 6,
                flags,
                window_shift: 0,
                options,
            };
            let packet = Packet::new(Addr::of_node(0), Addr::of_node(1), Body::Tcp(segment));
            let packet = Packet { ecn: Ecn::Ect0, ..packet };
            let bytes = [crate::bytes::serialize_headers(&packet, 0), vec![0; 6]].concat();
            assert_eq!(ipv4_segment(&bytes), Some((segment, Ecn::Ect0)));
        }
    }

    #[test]
    fn other_protocols_and_broken_packets_have_no_segment() {
        let packet = Packet::blank(Addr::of_node(0), Addr::of_node(1));
        let bytes = crate::bytes::serialize_headers(&packet, 0);
        assert!(ipv4_segment(&bytes).is_some());
        assert_eq!(ipv4_segment(&bytes[..39]), None);
        assert_eq!(ipv4_segment(&[]), None);
        let mut udp = bytes;
        udp[9] = 17;
        assert_eq!(ipv4_segment(&udp), None);
    }
}
