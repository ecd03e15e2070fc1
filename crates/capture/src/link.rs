//! Link types: where the IP packet begins in a frame.

use etherparse::EtherType;

use crate::packet::Direction;

/// A link type whose frames can be read. The numbers are those of <https://www.tcpdump.org/linktypes.html>.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkType {
    /// Four bytes with the address family of the host, in the byte order of the host (NULL) or of networks (LOOP).
    Loopback,
    /// Ethernet II, with any number of VLAN tags.
    Ethernet,
    /// IPv4 or IPv6 without a header.
    Raw,
    /// Linux cooked capture, 16 bytes.
    Sll,
    /// Linux cooked capture version 2, 20 bytes.
    Sll2,
}

/// Tags before the EtherType proper: 802.1Q, 802.1ad, and the tag used before 802.1ad.
const TAGS: [EtherType; 3] =
    [EtherType::VLAN_TAGGED_FRAME, EtherType::PROVIDER_BRIDGING, EtherType::VLAN_DOUBLE_TAGGED_FRAME];

/// Returns the link type with this number; `None` for a link type that cannot be read.
pub fn find_link_type(number: u32) -> Option<LinkType> {
    match number {
        0 | 108 => Some(LinkType::Loopback),
        1 => Some(LinkType::Ethernet),
        // 12 and 14 were written by systems on which DLT_RAW has these values.
        12 | 14 | 101 | 228 | 229 => Some(LinkType::Raw),
        113 => Some(LinkType::Sll),
        276 => Some(LinkType::Sll2),
        _ => None,
    }
}

/// Returns the name of a link type that cannot be read, in parentheses after a space; empty if the link type is not
/// frequent.
pub fn name_link_type(number: u32) -> &'static str {
    match number {
        9 => " (PPP)",
        105 => " (802.11)",
        127 => " (802.11 with radiotap)",
        147..=162 => " (private use)",
        189 | 220 => " (USB)",
        187 | 201 => " (Bluetooth)",
        195 | 230 => " (802.15.4)",
        _ => "",
    }
}

/// Returns the IP packet in a frame, and the direction of the frame if the header states it; `None` if there is no IP
/// packet.
pub fn find_ip_packet(link_type: LinkType, frame: &[u8]) -> Option<(&[u8], Option<Direction>)> {
    match link_type {
        LinkType::Raw => Some((frame, None)),
        // The families of IPv6 differ between systems; the version in the IP header decides.
        LinkType::Loopback => Some((frame.get(4..)?, None)),
        LinkType::Ethernet => Some((skip_tags(frame, 12)?, None)),
        LinkType::Sll => Some((skip_tags(frame, 14)?, parse_sll_direction(frame.get(..2)?))),
        LinkType::Sll2 => {
            let ethertype = u16::from_be_bytes(frame.first_chunk().copied()?);
            let ip = if TAGS.contains(&EtherType(ethertype)) {
                skip_tags(frame, 22)?
            } else {
                frame.get(20..).filter(|_| is_ip(ethertype))?
            };
            Some((ip, parse_sll_direction(&[0, *frame.get(10)?])))
        }
    }
}

/// Returns the packet after the EtherType at `at` and after its tags, if it is an IP packet.
fn skip_tags(frame: &[u8], mut at: usize) -> Option<&[u8]> {
    loop {
        let ethertype = u16::from_be_bytes(frame.get(at..)?.first_chunk().copied()?);
        if !TAGS.contains(&EtherType(ethertype)) {
            return frame.get(at + 2..).filter(|_| is_ip(ethertype));
        }
        at += 4;
    }
}

fn is_ip(ethertype: u16) -> bool {
    [EtherType::IPV4, EtherType::IPV6].contains(&EtherType(ethertype))
}

/// Returns the direction from the packet type of a cooked capture: type 4 was sent by this host, type 0 was sent to it.
fn parse_sll_direction(packet_type: &[u8]) -> Option<Direction> {
    match packet_type {
        [0, 0] => Some(Direction::In),
        [0, 4] => Some(Direction::Out),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vlan_tags_precede_the_packet() {
        let mut frame = vec![0; 12];
        frame.extend([0x88, 0xA8, 0, 7, 0x81, 0, 0, 8, 0x08, 0x00, 0x45]);
        assert_eq!(find_ip_packet(LinkType::Ethernet, &frame), Some((&[0x45][..], None)));
        frame.truncate(20);
        assert_eq!(find_ip_packet(LinkType::Ethernet, &frame), None);
    }

    #[test]
    fn frames_without_ip_have_no_packet() {
        let arp = [vec![0; 12], vec![0x08, 0x06, 0, 1]].concat();
        assert_eq!(find_ip_packet(LinkType::Ethernet, &arp), None);
        for link_type in [LinkType::Ethernet, LinkType::Sll, LinkType::Sll2, LinkType::Loopback] {
            assert_eq!(find_ip_packet(link_type, &[]), None);
        }
    }

    #[test]
    fn direction_is_read_from_cooked_headers() {
        let sll = [vec![0, 4], vec![0; 12], vec![0x86, 0xDD, 0x60]].concat();
        assert_eq!(find_ip_packet(LinkType::Sll, &sll), Some((&[0x60][..], Some(Direction::Out))));
        let sll2 = [vec![0x08, 0x00], vec![0; 8], vec![0], vec![0; 9], vec![0x45]].concat();
        assert_eq!(find_ip_packet(LinkType::Sll2, &sll2), Some((&[0x45][..], Some(Direction::In))));
    }

    #[test]
    fn loopback_header_has_four_bytes() {
        assert_eq!(find_ip_packet(LinkType::Loopback, &[2, 0, 0, 0, 0x45]), Some((&[0x45][..], None)));
    }
}
