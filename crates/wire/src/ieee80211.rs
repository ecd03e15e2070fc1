//! Frames of IEEE 802.11 as bytes, for captures [802.11-2007 s7].

use std::net::Ipv4Addr;

use crate::addr::Addr;
use crate::bytes::headers;
use crate::packet::Packet;

/// An address of 48 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    /// The broadcast address.
    pub const ALL: Mac = Mac([0xFF; 6]);

    /// That of a node: locally administered, its last four bytes are the node's IPv4 address.
    pub fn of_node(node: Addr) -> Self {
        let [a, b, c, d] = Ipv4Addr::from(node).octets();
        Mac([0x02, 0, a, b, c, d])
    }

    /// The name of medium number `number`, where no station lends it its own.
    pub fn of_medium(number: u32) -> Self {
        let [a, b, c, d] = number.to_be_bytes();
        Mac([0x06, 0, a, b, c, d])
    }
}

/// A frame without what it carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Head {
    /// An acknowledgment.
    Ack {
        /// The sender of the acknowledged frame.
        to: Mac,
    },
    /// A request to send.
    Rts {
        /// The receiver.
        to: Mac,
        /// The transmitter.
        from: Mac,
    },
    /// A clear-to-send.
    Cts {
        /// The sender of the request.
        to: Mac,
    },
    /// An acknowledgment of several packets, compressed [802.11-2012 s8.3.1.9.3].
    BlockAck {
        /// The sender of the acknowledged packets.
        to: Mac,
        /// The station that acknowledges them.
        from: Mac,
        /// The packet's number, modulo 4096, that the first bit stands for.
        first: u16,
        /// A bit for each that has come, from there on.
        come: u64,
    },
    /// A broadcast beacon; its body is left out.
    Beacon {
        /// The access point.
        from: Mac,
        /// The frame's number, modulo 4096.
        sequence: u16,
    },
    /// Data.
    Data {
        /// Through an access point, and which way.
        path: DataPath,
        /// Receiver, sender, and the third: which means what depends on the path.
        addresses: [Mac; 3],
        /// The packet's number, modulo 4096.
        sequence: u16,
        /// The fragment's number in the packet, modulo 16.
        fragment: u8,
        /// Whether more fragments follow.
        more_fragments: bool,
        /// Whether it has been sent before.
        retry: bool,
        /// Whether it is QoS data, which may go in an aggregate [802.11-2012 s8.2.4.5].
        qos: bool,
    },
}

/// How a data frame goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataPath {
    /// From a station to another, both of the same kind: as in a cell without access point.
    AdHoc,
    /// From a station to its access point; the third address is the destination.
    ToAccessPoint,
    /// From the access point to a station; the third address is the source.
    FromAccessPoint,
}

/// In front of an IP packet: LLC and SNAP, without an organization, the type of IPv4 [RFC1042].
const LLC_SNAP: [u8; 8] = [0xAA, 0xAA, 0x03, 0, 0, 0, 0x08, 0x00];

/// Control of a block acknowledgment: compressed, of traffic class 0.
const COMPRESSED: u16 = 0x0004;
/// QoS control: traffic class 0, to be acknowledged, in a block if it came in one.
const QOS_CONTROL: u16 = 0;

/// A frame's header, and of a block acknowledgment all but the checksum; `duration` is how many microseconds it
/// reserves behind its end.
pub fn header(head: &Head, duration: u16) -> Vec<u8> {
    let (control, flags) = match head {
        Head::Ack { .. } => (0xD4, 0),
        Head::Rts { .. } => (0xB4, 0),
        Head::Cts { .. } => (0xC4, 0),
        Head::BlockAck { .. } => (0x94, 0),
        Head::Beacon { .. } => (0x80, 0),
        Head::Data { path, more_fragments, retry, qos, .. } => {
            let path = match path {
                DataPath::AdHoc => 0,
                DataPath::ToAccessPoint => 0x01,
                DataPath::FromAccessPoint => 0x02,
            };
            (
                if *qos { 0x88 } else { 0x08 },
                path | if *more_fragments { 0x04 } else { 0 } | if *retry { 0x08 } else { 0 },
            )
        }
    };
    let mut out = vec![control, flags];
    out.extend(duration.to_le_bytes());
    match head {
        Head::Ack { to } | Head::Cts { to } => out.extend(to.0),
        Head::Rts { to, from } => {
            out.extend(to.0);
            out.extend(from.0);
        }
        Head::BlockAck { to, from, first, come } => {
            out.extend(to.0);
            out.extend(from.0);
            out.extend(COMPRESSED.to_le_bytes());
            out.extend((first << 4).to_le_bytes());
            out.extend(come.to_le_bytes());
        }
        Head::Beacon { from, sequence } => {
            for address in [Mac::ALL, *from, *from] {
                out.extend(address.0);
            }
            out.extend((sequence << 4).to_le_bytes());
        }
        Head::Data { addresses, sequence, fragment, qos, .. } => {
            addresses.iter().for_each(|address| out.extend(address.0));
            out.extend((sequence << 4 | u16::from(fragment & 0xF)).to_le_bytes());
            if *qos {
                out.extend(QOS_CONTROL.to_le_bytes());
            }
        }
    }
    out
}

/// The contents of a packet's first fragment: LLC, SNAP, and the packet's headers; its data is left out.
/// `identification` numbers the packets of a capture.
pub fn body(packet: &Packet, identification: u16) -> Vec<u8> {
    let mut out = LLC_SNAP.to_vec();
    out.extend(headers(packet, identification));
    out
}

/// Puts the checksum behind a whole frame; a wrong one if it is `bad`.
pub fn close(frame: &mut Vec<u8>, bad: bool) {
    let checksum = crc32fast::hash(frame);
    frame.extend(if bad { !checksum } else { checksum }.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_the_lengths_of_the_standard() {
        let (a, b) = (Mac::of_node(Addr::of_node(0)), Mac::of_node(Addr::of_node(257)));
        assert_eq!((a.0, b.0), ([2, 0, 10, 0, 0, 1], [2, 0, 10, 0, 1, 2]));
        let mut ack = header(&Head::Ack { to: a }, 0x0102);
        assert_eq!(ack, [0xD4, 0, 2, 1, 2, 0, 10, 0, 0, 1]);
        close(&mut ack, false);
        assert_eq!(ack.len(), 14);
        assert_eq!(header(&Head::Cts { to: a }, 0).len() + 4, 14);
        assert_eq!(header(&Head::Rts { to: a, from: b }, 0).len() + 4, 20);
        let data = |fragment, more_fragments, qos| {
            let (path, addresses, sequence, retry) = (DataPath::ToAccessPoint, [a, b, a], 0xABC, true);
            header(&Head::Data { path, addresses, sequence, fragment, more_fragments, retry, qos }, 44)
        };
        let plain = data(3, true, false);
        assert_eq!((plain.len() + 4, &plain[..2], &plain[22..]), (28, &[0x08, 0x0D][..], &[0xC3, 0xAB][..]));
        let qos = data(0, false, true);
        assert_eq!((qos.len() + 4, &qos[..2], &qos[22..]), (30, &[0x88, 0x09][..], &[0xC0, 0xAB, 0, 0][..]));
        let block = header(&Head::BlockAck { to: a, from: b, first: 0xABC, come: 0b101 }, 0);
        assert_eq!((block.len() + 4, block[0]), (32, 0x94));
        assert_eq!(block[16..], [4, 0, 0xC0, 0xAB, 5, 0, 0, 0, 0, 0, 0, 0]);
    }

    /// The residue of a frame with its checksum [802.11-2007 s7.1.3.7].
    #[test]
    fn a_checksum_is_that_of_the_standard() {
        let mut frame = b"123456789".to_vec();
        close(&mut frame, false);
        // The check value of CRC-32.
        assert_eq!(frame[9..], 0xCBF4_3926_u32.to_le_bytes());
        let mut bad = b"123456789".to_vec();
        close(&mut bad, true);
        assert_ne!(frame, bad);
    }
}
