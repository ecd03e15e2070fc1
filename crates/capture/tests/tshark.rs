//! Comparison of the parsed fields with those that tshark reads.

use crate::common;

use std::process::Command;

use common::{ethernet, ip, ip_back, packets, pcap, segment};
use wire::{Flags, Options, Segment};

#[test]
fn fields_agree_with_tshark() {
    skip::need!("tshark");
    let shift = |window_scale| Options { window_scale, ..Options::default() };
    let back = |segment: Segment| Segment { src_port: 80, dst_port: 1000, ..segment };
    let segments = [
        ethernet(&ip(Segment { flags: Flags::SYN, options: shift(Some(3)), ..segment(100, 0) })),
        ethernet(&ip_back(back(Segment {
            flags: Flags::SYN | Flags::ACK,
            options: shift(Some(7)),
            ..segment(500, 0)
        }))),
        ethernet(&ip(segment(101, 1448))),
        ethernet(&ip_back(back(segment(501, 0)))),
        ethernet(&ip(Segment { src_port: 1001, ..segment(7, 20) })),
        ethernet(&ip(Segment { flags: Flags::FIN | Flags::ACK, ..segment(1549, 3) })),
    ];
    let lengths = [0, 0, 1448, 0, 20, 3];
    let records: Vec<(u32, u32, &[u8], u32)> = segments
        .iter()
        .zip(lengths)
        .enumerate()
        .map(|(at, (frame, len))| (5, 1000 * at as u32, &frame[..], frame.len() as u32 + len))
        .collect();
    let file = pcap(0xA1B2_C3D4, false, 1, &records);
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.pcap");
    std::fs::write(&path, &file).expect("written");
    let fields =
        ["frame.number", "tcp.stream", "tcp.len", "tcp.window_size", "tcp.seq_raw", "ip.ttl", "frame.time_relative"];
    let mut command = Command::new("tshark");
    command.arg("-r").arg(&path).args(["-T", "fields"]);
    command.args(fields.iter().flat_map(|field| ["-e", field]));
    let output = command.output().expect("tshark runs");
    let theirs = String::from_utf8(output.stdout).expect("text");
    let ours: String = packets(&file)
        .iter()
        .map(|packet| {
            let segment = packet.segment().expect("TCP");
            let stream = packet.stream.expect("TCP").stream;
            let (window, seq) = (segment.window, segment.seq.0);
            let at = packet.at.as_nanos();
            let seconds = format!("{}.{:09}", at / 1_000_000_000, at % 1_000_000_000);
            format!("{}\t{stream}\t{}\t{window}\t{seq}\t{}\t{seconds}\n", packet.number, segment.len, packet.ttl)
        })
        .collect();
    assert_eq!(ours, theirs);
}
