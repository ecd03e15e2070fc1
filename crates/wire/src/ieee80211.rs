//! Frames of IEEE 802.11 as bytes, for captures [802.11-2007 s7].

use std::net::Ipv4Addr;

use crate::addr::Addr;
use crate::bytes::headers;
use crate::packet::Packet;

/// An address of 48 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    /// Everybody.
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
        /// Who sent what is acknowledged.
        to: Mac,
    },
    /// A request to send.
    Rts {
        /// Who is asked.
        to: Mac,
        /// Who asks.
        from: Mac,
    },
    /// A clear-to-send.
    Cts {
        /// Who has asked.
        to: Mac,
    },
    /// An acknowledgment of several packets; what stands behind its header is left out.
    BlockAck {
        /// Who sent them.
        to: Mac,
        /// Who acknowledges them.
        from: Mac,
    },
    /// A beacon, for all; what stands behind its header is left out.
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
    },
}

/// How a data frame goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataPath {
    /// From a station to another, both of the same kind: as in a cell without access point.
    AdHoc,
    /// From a station to its access point; the third address is whom it is for.
    ToAccessPoint,
    /// From the access point to a station; the third address is who made it.
    FromAccessPoint,
}

/// In front of an IP packet: LLC and SNAP, without an organization, the type of IPv4 [RFC1042].
const LLC_SNAP: [u8; 8] = [0xAA, 0xAA, 0x03, 0, 0, 0, 0x08, 0x00];

/// A frame's header; `duration` is how many microseconds it reserves behind its end.
pub fn header(head: &Head, duration: u16) -> Vec<u8> {
    let (control, flags) = match head {
        Head::Ack { .. } => (0xD4, 0),
        Head::Rts { .. } => (0xB4, 0),
        Head::Cts { .. } => (0xC4, 0),
        Head::BlockAck { .. } => (0x94, 0),
        Head::Beacon { .. } => (0x80, 0),
        Head::Data { path, more_fragments, retry, .. } => {
            let path = match path {
                DataPath::AdHoc => 0,
                DataPath::ToAccessPoint => 0x01,
                DataPath::FromAccessPoint => 0x02,
            };
            (0x08, path | if *more_fragments { 0x04 } else { 0 } | if *retry { 0x08 } else { 0 })
        }
    };
    let mut out = vec![control, flags];
    out.extend(duration.to_le_bytes());
    match head {
        Head::Ack { to } | Head::Cts { to } => out.extend(to.0),
        Head::Rts { to, from } | Head::BlockAck { to, from } => {
            out.extend(to.0);
            out.extend(from.0);
        }
        Head::Beacon { from, sequence } => {
            for address in [Mac::ALL, *from, *from] {
                out.extend(address.0);
            }
            out.extend((sequence << 4).to_le_bytes());
        }
        Head::Data { addresses, sequence, fragment, .. } => {
            addresses.iter().for_each(|address| out.extend(address.0));
            out.extend((sequence << 4 | u16::from(fragment & 0xF)).to_le_bytes());
        }
    }
    out
}

/// What the first fragment of a packet carries: LLC, SNAP, and the packet's headers; its data is left out.
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
        let data = header(
            &Head::Data {
                path: DataPath::ToAccessPoint,
                addresses: [a, b, a],
                sequence: 0xABC,
                fragment: 3,
                more_fragments: true,
                retry: true,
            },
            44,
        );
        assert_eq!((data.len() + 4, &data[..2], &data[22..]), (28, &[0x08, 0x0D][..], &[0xC3, 0xAB][..]));
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
