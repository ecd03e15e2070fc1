//! Formats of files, link types, and headers.

use crate::common;

use std::net::IpAddr;

use capture::{Capture, CaptureError, Direction, End, Transport};
use common::{block, enhanced, ethernet, interface, ip, ip_back, packets, pcap, read, section, segment};
use engine::{Span, Time};
use wire::{Addr, Body, Ecn, Flags, Options, Packet, Segment, SeqNum, Timestamps, pcapng};

const MICROS: u32 = 0xA1B2_C3D4;
const NANOS: u32 = 0xA1B2_3C4D;

#[test]
fn pcap_times_are_read_in_both_resolutions_and_byte_orders() {
    let frame = ethernet(&ip(segment(1, 500)));
    for (magic, big_endian, expected) in [
        (MICROS, false, 1_000_005_000),
        (MICROS, true, 1_000_005_000),
        (NANOS, false, 1_000_000_005),
        (NANOS, true, 1_000_000_005),
    ] {
        let file = pcap(magic, big_endian, 1, &[(50, 10, &frame, 554), (51, 15, &frame, 554)]);
        let (packets, error, rest) = read(&file);
        assert!(error.is_none());
        let times: Vec<u64> = packets.iter().map(|packet| packet.at.as_nanos()).collect();
        assert_eq!(times, [0, expected], "{magic:x} {big_endian}");
        let per_tick = if magic == MICROS { 1000 } else { 1 };
        assert_eq!(rest.start, Some(50_000_000_000 + 10 * per_tick));
        assert_eq!(packets[1].segment().expect("TCP").len, 500);
        assert_eq!(packets[1].number, 2);
    }
}

#[test]
fn pcapng_times_follow_resolution_and_offset_of_their_interface() {
    let frame = ip(segment(1, 500));
    for big_endian in [false, true] {
        let file = [
            section(big_endian),
            // Microseconds by default, nanoseconds, 2^-20 seconds, and microseconds 3 s later.
            interface(big_endian, 101, None, None),
            interface(big_endian, 101, Some(9), None),
            interface(big_endian, 101, Some(0x80 | 20), None),
            interface(big_endian, 101, Some(6), Some(3)),
            enhanced(big_endian, 0, 1_000_000, &frame, 552),
            enhanced(big_endian, 1, 1_500_000_000, &frame, 552),
            enhanced(big_endian, 2, 2 << 20, &frame, 552),
            enhanced(big_endian, 3, 1_000_000, &frame, 552),
            // A block of an unknown type is skipped.
            block(big_endian, 0xBAD, &[1, 2, 3, 4]),
            enhanced(big_endian, 0, 500_000, &frame, 552),
        ];
        let packets = packets(&file.concat());
        let millis: Vec<u64> = packets.iter().map(|packet| packet.at.as_nanos() / 1_000_000).collect();
        // The last frame precedes the first.
        assert_eq!(millis, [0, 500, 1000, 3000, 0], "big endian: {big_endian}");
        assert_eq!(packets.iter().map(|packet| packet.interface).collect::<Vec<_>>(), [0, 1, 2, 3, 0]);
    }
}

#[test]
fn sections_may_differ_in_byte_order() {
    let frame = ip(segment(1, 500));
    let part = |big_endian, ticks| {
        [section(big_endian), interface(big_endian, 101, None, None), enhanced(big_endian, 0, ticks, &frame, 552)]
            .concat()
    };
    let packets = packets(&[part(false, 5), part(true, 8)].concat());
    assert_eq!(packets[1].at, Time::from_nanos(3000));
}

#[test]
fn simple_packets_belong_to_the_first_interface() {
    let frame = ip(segment(1, 500));
    let body = [&552_u32.to_le_bytes()[..], &frame].concat();
    let file = [section(false), interface(false, 101, None, None), block(false, 3, &body)].concat();
    let packets = packets(&file);
    assert_eq!((packets[0].ip_len, packets[0].interface), (552, 0));
}

#[test]
fn each_link_type_leads_to_the_same_packet() {
    let packet = ip(segment(1, 500));
    let vlan = [&[2; 12][..], &[0x81, 0, 0, 7, 0x08, 0x00], &packet].concat();
    let in_two_vlans = [&[2; 12][..], &[0x88, 0xA8, 0, 7, 0x81, 0, 0, 8, 0x08, 0x00], &packet].concat();
    let sll = [&[0, 4][..], &[0; 12], &[0x08, 0x00], &packet].concat();
    let sll2 = [&[0x08, 0x00][..], &[0; 8], &[4], &[0; 9], &packet].concat();
    let null = [&[2, 0, 0, 0][..], &packet].concat();
    let raw = packet.clone();
    let frames: [(u32, &[u8]); 9] = [
        (1, &ethernet(&packet)),
        (1, &vlan),
        (1, &in_two_vlans),
        (113, &sll),
        (276, &sll2),
        (0, &null),
        (108, &null),
        (101, &raw),
        (12, &raw),
    ];
    for (link_type, frame) in frames {
        let length = frame.len() as u32 + 500;
        let packets = packets(&pcap(MICROS, false, link_type, &[(1, 2, frame, length)]));
        let [packet] = packets[..] else { panic!("link type {link_type}: {packets:?}") };
        let Transport::Tcp(found) = packet.transport else { panic!("link type {link_type}: {packet:?}") };
        assert_eq!(found, segment(1, 500), "link type {link_type}");
        assert!(packet.truncated, "the payload was not captured");
        assert_eq!((packet.ip_len, packet.ttl, packet.ip_id), (552, 64, Some(77)));
        let cooked = matches!(link_type, 113 | 276);
        assert_eq!(packet.direction, cooked.then_some(Direction::Out), "link type {link_type}");
    }
}

#[test]
fn payload_length_comes_from_the_header_when_the_snap_length_cuts_the_frame() {
    let whole = ethernet(&ip(segment(1, 1448)));
    // 14 + 20 + 20 + 12 bytes of headers: below 66 the timestamps are cut.
    for snap in [54, 60, 65, 66] {
        let packets = packets(&pcap(MICROS, false, 1, &[(1, 2, &whole[..snap], 1514)]));
        let found = *packets[0].segment().expect("TCP");
        assert_eq!((found.len, found.seq, found.window), (1448, SeqNum(1), 5000), "snap length {snap}");
        assert_eq!(packets[0].options_cut, snap < 66, "snap length {snap}");
        let stamps = found.options.timestamps;
        assert_eq!(stamps, (snap >= 66).then_some(Timestamps { value: 7, echo: 5 }), "snap length {snap}");
    }
    let (packets, error, rest) = read(&pcap(MICROS, false, 1, &[(1, 2, &whole[..53], 1514)]));
    assert!(packets.is_empty() && error.is_none());
    assert_eq!(rest.skipped.damaged, 1);
}

#[test]
fn padding_of_short_frames_is_not_payload() {
    let mut frame = ethernet(&ip(segment(1, 0)));
    frame.extend([0; 6]);
    let length = frame.len() as u32;
    let packets = packets(&pcap(MICROS, false, 1, &[(1, 2, &frame, length)]));
    assert_eq!(packets[0].segment().expect("TCP").len, 0);
    assert!(!packets[0].truncated);
}

#[test]
fn offloaded_packet_without_a_length_gets_the_length_of_its_frame() {
    let mut packet = ip(segment(1, 1000));
    packet[2..4].copy_from_slice(&[0, 0]);
    let frame = ethernet(&packet);
    let packets = packets(&pcap(MICROS, false, 1, &[(1, 2, &frame, 14 + 52 + 100_000)]));
    assert_eq!(packets[0].segment().expect("TCP").len, 100_000);
}

#[test]
fn ipv6_segment_behind_an_extension_header_is_read() {
    let tcp = &ip(segment(1, 300))[20..];
    let hop_by_hop = [6, 0, 1, 4, 0, 0, 0, 0];
    let length = (tcp.len() + hop_by_hop.len() + 300) as u16;
    let mut packet = vec![0x60, 0x30, 0, 0];
    packet.extend(length.to_be_bytes());
    packet.extend([0, 55]);
    packet.extend([&[0xFD; 15][..], &[1], &[0xFD; 15], &[2], &hop_by_hop, tcp].concat());
    let packets = packets(&pcap(MICROS, false, 101, &[(1, 2, &packet, 40 + u32::from(length))]));
    let found = packets[0];
    assert_eq!(found.segment().expect("TCP").len, 300);
    assert_eq!((found.ttl, found.ip_id, found.ecn), (55, None, Ecn::Ce));
    assert!(matches!(found.src, IpAddr::V6(_)) && !found.fragment);
}

#[test]
fn later_fragments_have_no_transport_header() {
    let mut packet = ip(segment(1, 300));
    packet[6] = 0x20;
    let mut later = packet.clone();
    later[7] = 5;
    let frames = [(1, 2, &packet[..], 352), (1, 3, &later[..], 352)];
    let packets = packets(&pcap(MICROS, false, 101, &frames));
    assert!(packets[0].fragment && packets[0].segment().is_some());
    assert!(packets[1].fragment && packets[1].transport == Transport::Other(6));
}

#[test]
fn captures_of_the_simulator_return_their_segments() {
    let sack = [(SeqNum(100), SeqNum(200)), (SeqNum(300), SeqNum(400))].into_iter().collect();
    let options = Options { sack, timestamps: Some(Timestamps { value: 1, echo: 2 }), ..Options::default() };
    let segment = base(options);
    let packet = Packet { ecn: Ecn::Ect0, ..Packet::new(Addr::of_node(3), Addr::of_node(4), Body::Tcp(segment)) };
    let mut writer = pcapng::Writer::new(Vec::new(), &["a", "b"]).expect("memory");
    writer.packet(0, Time::from_millis(10), pcapng::Direction::Out, &packet).expect("memory");
    writer.packet(1, Time::from_millis(12), pcapng::Direction::In, &packet).expect("memory");
    let packets = packets(&writer.finish().expect("memory"));
    assert_eq!(packets[1].at, Time::ZERO + Span::from_millis(2));
    assert_eq!(packets[0].segment(), Some(&segment));
    assert_eq!(
        packets.iter().map(|packet| packet.direction).collect::<Vec<_>>(),
        [Some(Direction::Out), Some(Direction::In)]
    );
    assert_eq!(packets[0].ecn, Ecn::Ect0);
}

fn base(options: Options) -> Segment {
    Segment {
        src_port: 5,
        dst_port: 6,
        seq: SeqNum(u32::MAX),
        len: 1000,
        flags: Flags::ACK | Flags::ECE,
        options,
        ..Segment::default()
    }
}

#[test]
fn truncated_file_yields_packets_before_the_cut_and_reports_its_offset() {
    let frame = ethernet(&ip(segment(1, 500)));
    let records = [(1, 2, &frame[..], 566), (1, 3, &frame[..], 566)];
    let ng = [
        section(false),
        interface(false, 1, None, None),
        enhanced(false, 0, 1, &frame, 566),
        enhanced(false, 0, 2, &frame, 566),
    ];
    let starts = |file: &[u8], block: usize| [file.len() - 2 * block, file.len() - block];
    let pcap = pcap(MICROS, false, 1, &records);
    let record = 16 + frame.len();
    for (file, block) in [(ng.concat(), ng[3].len()), (pcap, record)] {
        let starts = starts(&file, block);
        for cut in starts[0]..file.len() {
            let (packets, error, _) = read(&file[..cut]);
            let whole = starts.iter().filter(|start| *start + block <= cut).count();
            assert_eq!(packets.len(), whole, "cut at {cut}");
            if starts.contains(&cut) {
                assert!(error.is_none(), "cut at {cut}: {error:?}");
                continue;
            }
            let Some(CaptureError::Truncated { offset, length, packets }) = error else {
                panic!("cut at {cut}: {error:?}")
            };
            assert_eq!((offset, length, packets), (starts[whole] as u64, cut as u64, whole as u64));
        }
    }
}

#[test]
fn non_capture_files_are_rejected() {
    for (file, found) in [
        (&b""[..], "an empty file"),
        (b"ab", "a file of 2 bytes"),
        (b"[flows]\nname", "text that begins with \"[flows]\""),
        (b"\x89PNG\r\n", "the bytes 89 50 4e 47"),
        (b"\x1f\x8b\x08\x00", "a gzip file"),
    ] {
        let error = Capture::open(file).err().expect("an error").to_string();
        assert!(error.starts_with(&format!("found {found}, expected a pcap or pcapng file")), "{error}");
        assert!(!capture::is_capture(file));
    }
}

#[test]
fn foreign_link_type_is_an_error_unless_another_interface_can_be_read() {
    let frame = ip(segment(1, 500));
    let (packets, error, _) = read(&pcap(MICROS, false, 127, &[(1, 2, &frame, 552)]));
    let error = error.expect("an error").to_string();
    assert!(packets.is_empty());
    assert!(error.starts_with("found link type 127 (802.11 with radiotap), expected Ethernet"), "{error}");
    let file = [
        section(false),
        interface(false, 127, None, None),
        interface(false, 101, None, None),
        enhanced(false, 0, 1, &frame, 552),
        enhanced(false, 1, 2, &frame, 552),
    ];
    let (packets, error, rest) = read(&file.concat());
    assert_eq!((packets.len(), rest.skipped.foreign), (1, 1));
    assert!(error.is_none());
}

#[test]
fn damaged_blocks_end_the_capture_with_their_place() {
    let frame = ip(segment(1, 500));
    let good = [section(false), interface(false, 101, None, None), enhanced(false, 0, 1, &frame, 552)].concat();
    for (rest, reason) in [
        (enhanced(false, 7, 1, &frame, 552), "found a packet of interface 7, expected one of 1 interfaces"),
        ([6, 0, 0, 0, 0, 0, 0, 0x7F].to_vec(), "expected at most 16777216: the file is damaged"),
        (vec![6, 0, 0, 0, 16, 0, 0, 0, 1, 2, 3, 4, 99, 0, 0, 0], "the block is damaged"),
    ] {
        let file = [&good[..], &rest, &[0; 8]].concat();
        let (packets, error, _) = read(&file);
        let error = error.expect("an error").to_string();
        assert_eq!(packets.len(), 1, "{error}");
        assert!(error.contains(&format!("at byte {}", good.len())) && error.contains(reason), "{error}");
    }
}

#[test]
fn frames_without_ip_are_counted() {
    let arp = [&[2; 12][..], &[0x08, 0x06], &[0; 28]].concat();
    let frame = ethernet(&ip(segment(1, 500)));
    let (packets, _, rest) = read(&pcap(MICROS, false, 1, &[(1, 1, &arp, 42), (1, 2, &frame, 566)]));
    assert_eq!((packets[0].number, rest.skipped.not_ip, rest.frames), (2, 1, 2));
}

#[test]
fn window_is_scaled_by_the_shift_that_its_sender_announced() {
    let syn = |flags, shift| Segment {
        flags,
        options: Options { window_scale: shift, ..Options::default() },
        window: 1000,
        ..Segment::default()
    };
    let plain = Segment { flags: Flags::ACK, window: 1000, ..Segment::default() };
    let frames = |client, server| {
        [ip(syn(Flags::SYN, client)), ip_back(syn(Flags::SYN | Flags::ACK, server)), ip(plain), ip_back(plain)]
    };
    let windows = |frames: &[Vec<u8>]| {
        let records: Vec<(u32, u32, &[u8], u32)> =
            frames.iter().map(|frame| (0, 0, &frame[..], frame.len() as u32)).collect();
        let packets = packets(&pcap(MICROS, false, 101, &records));
        packets.iter().map(|packet| packet.segment().expect("TCP").window).collect::<Vec<_>>()
    };
    assert_eq!(windows(&frames(Some(2), Some(3))), [1000, 1000, 4000, 8000]);
    // One end does not scale its window. Therefore the other end does not scale its window, either.
    assert_eq!(windows(&frames(Some(2), None)), [1000, 1000, 1000, 1000]);
    // The capture begins with the SYN-ACK: the client's shift is unknown.
    assert_eq!(windows(&frames(Some(2), Some(3))[1..]), [1000, 1000, 8000]);
    assert_eq!(windows(&frames(Some(2), Some(3))[2..]), [1000, 1000]);
}

#[test]
fn streams_are_counted_by_ends_and_by_reuse_of_ports() {
    let syn = |seq| Segment { seq: SeqNum(seq), flags: Flags::SYN, src_port: 1000, dst_port: 80, ..Segment::default() };
    let back = |segment: Segment| Segment { src_port: 80, dst_port: 1000, ..segment };
    let other = Segment { src_port: 1001, ..syn(9) };
    let frames = [
        ip(syn(1)),
        ip(syn(1)),
        ip_back(back(Segment { flags: Flags::SYN | Flags::ACK, ..syn(50) })),
        ip(segment(2, 10)),
        ip_back(other),
        ip_back(back(segment(51, 1000))),
        ip(syn(7000)),
        ip(segment(7001, 5)),
    ];
    let records: Vec<(u32, u32, &[u8], u32)> =
        frames.iter().enumerate().map(|(at, frame)| (at as u32, 0, &frame[..], frame.len() as u32)).collect();
    let (packets, _, rest) = read(&pcap(MICROS, false, 101, &records));
    let numbers: Vec<u32> = packets.iter().map(|packet| packet.stream.expect("TCP").stream).collect();
    assert_eq!(numbers, [0, 0, 0, 0, 1, 0, 2, 2]);
    assert_eq!(packets[5].stream.expect("TCP").from, End::Server);
    let [first, _, third] = &rest.streams[..] else { panic!("{:?}", &rest.streams[..]) };
    assert_eq!((first.packets, first.bytes, first.largest), ([3, 2], [10, 1000], [10, 1000]));
    assert_eq!(first.syn.map(|syn| syn.map(|syn| syn.seq.0)), [Some(1), Some(50)]);
    assert_eq!((first.start, first.end), (Time::ZERO, Time::ZERO + Span::from_secs(5)));
    assert_eq!(first.main_sender(), End::Server);
    assert!(first.knows_scale(End::Client) && !first.fin[0] && !first.reset);
    assert_eq!((third.packets, third.bytes), ([2, 0], [5, 0]));
}

#[test]
fn scale_is_unknown_if_the_capture_begins_mid_connection() {
    let frame = ip(segment(1, 500));
    let (_, _, rest) = read(&pcap(MICROS, false, 101, &[(1, 2, &frame, 552)]));
    assert_eq!(rest.streams[0].syn, [None, None]);
    assert!(!rest.streams[0].knows_scale(End::Client));
}

/// A SYN whose options were cut may have had a scale that the capture does not show.
#[test]
fn scale_is_unknown_if_the_options_of_the_syn_are_truncated() {
    let options = Options { mss: 1460.try_into().ok(), window_scale: Some(7), ..Options::default() };
    let syn = Segment { flags: Flags::SYN, len: 0, options, ..segment(1, 0) };
    let frame = ethernet(&ip(syn));
    for (snap, known, mss) in [(frame.len(), true, Some(1460)), (58, false, Some(1460)), (54, false, None)] {
        let file = pcap(MICROS, false, 1, &[(1, 2, &frame[..snap], frame.len() as u32)]);
        let (_, error, rest) = read(&file);
        let stream = &rest.streams[0];
        assert!(error.is_none());
        assert_eq!((stream.knows_scale(End::Client), stream.options_cut), (known, u64::from(!known)), "{snap}");
        assert_eq!(stream.syn[0].and_then(|syn| syn.mss), mss, "{snap}");
    }
}
