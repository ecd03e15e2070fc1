//! IEEE 802.11 frames as bytes, for captures [802.11-2007 s7].

use std::net::Ipv4Addr;

use crate::addr::Addr;
use crate::bytes::serialize_headers;
use crate::packet::Packet;

/// A MAC address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    /// The broadcast address.
    pub const ALL: Mac = Mac([0xFF; 6]);

    /// Returns the address of a node: locally administered, with the node's IPv4 address as its last four bytes.
    pub fn of_node(node: Addr) -> Self {
        let [a, b, c, d] = Ipv4Addr::from(node).octets();
        Mac([0x02, 0, a, b, c, d])
    }

    /// Returns an address for medium number `number`, used as BSSID if no station's address serves as such.
    pub fn of_medium(number: u32) -> Self {
        let [a, b, c, d] = number.to_be_bytes();
        Mac([0x06, 0, a, b, c, d])
    }
}

/// The header of an 802.11 frame, by type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameHead {
    /// Acknowledgment (ACK).
    Ack {
        /// Receiver: the transmitter of the acknowledged frame.
        to: Mac,
    },
    /// Request to send (RTS).
    Rts {
        /// Receiver address.
        to: Mac,
        /// Transmitter address.
        from: Mac,
    },
    /// Clear to send (CTS).
    Cts {
        /// Receiver: the transmitter of the RTS.
        to: Mac,
    },
    /// Compressed block acknowledgment [802.11-2012 s8.3.1.9.3].
    BlockAck {
        /// Receiver: the transmitter of the acknowledged packets.
        to: Mac,
        /// Transmitter: the station that received the packets.
        from: Mac,
        /// Starting sequence number: the number, modulo 4096, of the first packet in the bitmap.
        first: u16,
        /// Bitmap: bit i is set if packet `first` + i was received.
        come: u64,
    },
    /// Beacon, broadcast; without a body.
    Beacon {
        /// Transmitter: the access point.
        from: Mac,
        /// Sequence number, modulo 4096.
        sequence: u16,
    },
    /// Data frame.
    Data {
        /// Direction relative to an access point.
        path: DataPath,
        /// Receiver address, transmitter address, and address 3, whose meaning depends on `path`.
        addresses: [Mac; 3],
        /// Sequence number of the packet, modulo 4096.
        sequence: u16,
        /// Fragment number, modulo 16.
        fragment: u8,
        /// True if more fragments of the packet follow.
        more_fragments: bool,
        /// True for a retransmission.
        retry: bool,
        /// True for QoS data, which may be part of an aggregate [802.11-2012 s8.2.4.5].
        qos: bool,
    },
}

/// The direction of a data frame relative to an access point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataPath {
    /// Between stations without an access point.
    AdHoc,
    /// From a station to its access point; address 3 is the destination.
    ToAccessPoint,
    /// From the access point to a station; address 3 is the source.
    FromAccessPoint,
}

/// LLC and SNAP headers before an IPv4 packet: organization code 0, EtherType 0x0800 (RFC 1042).
const LLC_SNAP: [u8; 8] = [0xAA, 0xAA, 0x03, 0, 0, 0, 0x08, 0x00];

/// BAR control field of a block acknowledgment: compressed bitmap, traffic identifier 0.
const COMPRESSED: u16 = 0x0004;
/// QoS control field, with traffic identifier 0. The field stands for a normal acknowledgment, or for a block
/// acknowledgment within an A-MPDU.
const QOS_CONTROL: u16 = 0;

/// Returns the frame's header, for a block acknowledgment with its bitmap; without the checksum. `duration` is the
/// duration field in microseconds.
pub fn serialize_header(head: &FrameHead, duration: u16) -> Vec<u8> {
    let (control, flags) = match head {
        FrameHead::Ack { .. } => (0xD4, 0),
        FrameHead::Rts { .. } => (0xB4, 0),
        FrameHead::Cts { .. } => (0xC4, 0),
        FrameHead::BlockAck { .. } => (0x94, 0),
        FrameHead::Beacon { .. } => (0x80, 0),
        FrameHead::Data { path, more_fragments, retry, qos, .. } => {
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
        FrameHead::Ack { to } | FrameHead::Cts { to } => out.extend(to.0),
        FrameHead::Rts { to, from } => {
            out.extend(to.0);
            out.extend(from.0);
        }
        FrameHead::BlockAck { to, from, first, come } => {
            out.extend(to.0);
            out.extend(from.0);
            out.extend(COMPRESSED.to_le_bytes());
            out.extend((first << 4).to_le_bytes());
            out.extend(come.to_le_bytes());
        }
        FrameHead::Beacon { from, sequence } => {
            for address in [Mac::ALL, *from, *from] {
                out.extend(address.0);
            }
            out.extend((sequence << 4).to_le_bytes());
        }
        FrameHead::Data { addresses, sequence, fragment, qos, .. } => {
            addresses.iter().for_each(|address| out.extend(address.0));
            out.extend((sequence << 4 | u16::from(fragment & 0xF)).to_le_bytes());
            if *qos {
                out.extend(QOS_CONTROL.to_le_bytes());
            }
        }
    }
    out
}

/// Returns the start of a packet's first fragment: LLC and SNAP headers and the packet's headers; its payload is left
/// out. `identification` is the IPv4 identification field.
pub fn serialize_body(packet: &Packet, identification: u16) -> Vec<u8> {
    let mut out = LLC_SNAP.to_vec();
    out.extend(serialize_headers(packet, identification));
    out
}

/// Appends the frame check sequence to a frame. If `bad`, the sequence is wrong.
pub fn append_fcs(frame: &mut Vec<u8>, bad: bool) {
    let checksum = crc32fast::hash(frame);
    frame.extend(if bad { !checksum } else { checksum }.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_lengths_and_fields_follow_the_standard() {
        let (a, b) = (Mac::of_node(Addr::of_node(0)), Mac::of_node(Addr::of_node(257)));
        assert_eq!((a.0, b.0), ([2, 0, 10, 0, 0, 1], [2, 0, 10, 0, 1, 2]));
        let mut ack = serialize_header(&FrameHead::Ack { to: a }, 0x0102);
        assert_eq!(ack, [0xD4, 0, 2, 1, 2, 0, 10, 0, 0, 1]);
        append_fcs(&mut ack, false);
        assert_eq!(ack.len(), 14);
        assert_eq!(serialize_header(&FrameHead::Cts { to: a }, 0).len() + 4, 14);
        assert_eq!(serialize_header(&FrameHead::Rts { to: a, from: b }, 0).len() + 4, 20);
        let data = |fragment, more_fragments, qos| {
            let (path, addresses, sequence, retry) = (DataPath::ToAccessPoint, [a, b, a], 0xABC, true);
            serialize_header(&FrameHead::Data { path, addresses, sequence, fragment, more_fragments, retry, qos }, 44)
        };
        let plain = data(3, true, false);
        assert_eq!((plain.len() + 4, &plain[..2], &plain[22..]), (28, &[0x08, 0x0D][..], &[0xC3, 0xAB][..]));
        let qos = data(0, false, true);
        assert_eq!((qos.len() + 4, &qos[..2], &qos[22..]), (30, &[0x88, 0x09][..], &[0xC0, 0xAB, 0, 0][..]));
        let block = serialize_header(&FrameHead::BlockAck { to: a, from: b, first: 0xABC, come: 0b101 }, 0);
        assert_eq!((block.len() + 4, block[0]), (32, 0x94));
        assert_eq!(block[16..], [4, 0, 0xC0, 0xAB, 5, 0, 0, 0, 0, 0, 0, 0]);
    }

    /// The frame check sequence is CRC-32 [802.11-2007 s7.1.3.7].
    #[test]
    fn frame_check_sequence_is_crc_32() {
        let mut frame = b"123456789".to_vec();
        append_fcs(&mut frame, false);
        // The check value of CRC-32 for the input "123456789".
        assert_eq!(frame[9..], 0xCBF4_3926_u32.to_le_bytes());
        let mut bad = b"123456789".to_vec();
        append_fcs(&mut bad, true);
        assert_ne!(frame, bad);
    }
}
