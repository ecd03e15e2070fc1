//! I-TCP driven step by step; the packets of each side are compared with ladders.

use crate::ladder;

use engine::{Bytes, Span};
use ladder::{Ladder, ack, data, from_fixed, from_mobile, of_flow};
use path::agent::AgentConfig;
use path::agent::split::{Config, Side};
use tcp::config::{BufferSizes, ReceiveWindow};
use wire::{Flags, Options, Packet, SeqNum};

fn split(change: impl FnOnce(&mut Config)) -> AgentConfig {
    let mut config = Config { buffer: Some(Bytes(65_535).into()), ..Config::default() };
    change(&mut config);
    AgentConfig::Split(config)
}

fn flags(mut packet: Packet, flags: Flags) -> Packet {
    packet.segment_to_write().flags = flags;
    packet
}

/// Returns a SYN or SYN-ACK with options.
fn syn(mut packet: Packet, seq: u32, with: Flags, mss: u16) -> Packet {
    let segment = packet.segment_to_write();
    (segment.seq, segment.flags) = (SeqNum(seq), Flags::SYN | with);
    segment.options =
        Options { mss: mss.try_into().ok(), window_scale: Some(2), sack_permitted: true, ..Options::default() };
    packet
}

/// Both ends begin in ESTABLISHED. The node acknowledges the first byte after the mobile has confirmed it. From then on
/// the node acknowledges each segment at once, before the mobile has it. The node retransmits losses on the radio link,
/// which remain invisible to the sender.
#[test]
fn radio_loss_is_retransmitted_by_the_node() {
    let scheme = split(|config| config.wireless.initial_window = Some(5));
    let mut ladder = Ladder::new("0..1000 confirms the beginning; 1000..2000 is lost in the air", &scheme);
    ladder.at(0.0).fixed(data(0, 1000)).at(20.0).mobile(ack(1000));
    for number in 1..5 {
        ladder.at(40.0 + f64::from(number)).fixed(data(number * 1000, 1000));
    }
    ladder.at(60.0).mobile(ack(1000)).mobile(ack(1000)).mobile(ack(1000));
    assert_eq!(ladder.counter("bytes_acknowledged_early"), 4000);
    ladder.at(80.0).mobile(ack(5000));
    ladder.compare("split/a-loss-in-the-air");
    assert_eq!(ladder.counter("state_bytes"), 4096, "data that the mobile has is no longer buffered");
}

/// SYNs pass and determine the options of the two connections; FINs are handled separately in each direction.
#[test]
fn connection_is_split_from_syn_to_fin() {
    let mut ladder = Ladder::new("Handshake, data both ways, FIN from both", &split(|_| {}));
    let ack_of = |packet: Packet, seq: u32, ack: u32| {
        let mut packet = packet;
        let segment = packet.segment_to_write();
        (segment.seq, segment.ack) = (SeqNum(seq), SeqNum(ack));
        packet
    };
    let fixed = |seq, ack| ack_of(from_fixed(|_| {}), seq, ack);
    let mobile = |seq, ack| ack_of(from_mobile(|_| {}), seq, ack);
    let with = |mut packet: Packet, len: u32| {
        packet.segment_to_write().len = len;
        packet
    };
    let fin = Flags::FIN | Flags::ACK;
    ladder.at(0.0).fixed(syn(from_fixed(|_| {}), 99, Flags(0), 1000));
    ladder.at(10.0).mobile(syn(mobile(0, 100), 499, Flags::ACK, 700));
    ladder.at(20.0).fixed(fixed(100, 500)).at(21.0).fixed(with(fixed(100, 500), 900));
    ladder.at(40.0).mobile(mobile(500, 800)).at(41.0).mobile(with(mobile(500, 1000), 50));
    ladder.at(60.0).fixed(flags(fixed(1000, 550), fin));
    ladder.at(80.0).mobile(mobile(550, 1001));
    ladder.at(100.0).mobile(flags(mobile(550, 1001), fin));
    ladder.at(120.0).fixed(fixed(1001, 551));
    // A segment that the mobile missed is repeated during TIME-WAIT.
    ladder.at(500.0).note("the last acknowledgment was lost").mobile(flags(mobile(550, 1001), fin));
    ladder.at(61_000.0);
    ladder.compare("split/from-syn-to-fin");
    assert_eq!(ladder.counter("flows"), 0);
}

#[test]
fn full_buffer_closes_the_window() {
    let scheme = split(|config| config.buffer = Some(Bytes(3000).into()));
    let mut ladder = Ladder::new("3000 bytes kept at most; the mobile is slow", &scheme);
    ladder.at(0.0).fixed(data(0, 1000)).at(20.0).mobile(ack(1000));
    for number in 1..4 {
        ladder.at(30.0 + f64::from(number)).fixed(data(number * 1000, 1000));
    }
    ladder.at(40.0).note("beyond the window").fixed(data(4000, 1000));
    ladder.at(60.0).mobile(ack(3000)).at(80.0).mobile(ack(4000));
    ladder.at(90.0).fixed(data(4000, 1000));
    ladder.compare("split/a-full-buffer");
}

/// The mobile is given up after the last retransmission. Buffered data is lost although it was acknowledged, and the
/// sender gets a reset.
#[test]
fn sender_gets_a_reset_if_the_mobile_is_unreachable() {
    let scheme = split(|config| config.wireless = Side { retries: 2, ..Side::default() });
    let mut ladder = Ladder::new("The mobile answers once; two retransmissions, then a reset", &scheme);
    ladder.at(0.0).fixed(data(0, 1000)).at(20.0).mobile(ack(1000));
    ladder.at(40.0).fixed(data(1000, 1000)).at(41.0).fixed(data(2000, 1000));
    ladder.at(30_000.0);
    ladder.compare("split/gone-for-ever");
    assert_eq!((ladder.counter("bytes_lost"), ladder.counter("flows")), (2000, 0));
}

#[test]
fn reset_is_passed_to_the_other_end() {
    let mut ladder = Ladder::new("The fixed host resets; what it was kept for is thrown away", &split(|_| {}));
    ladder.at(0.0).fixed(data(0, 1000)).at(20.0).mobile(ack(1000)).at(40.0).fixed(data(1000, 1000));
    let mut reset = flags(from_fixed(|_| {}), Flags::RST);
    reset.segment_to_write().seq = SeqNum(2000);
    ladder.at(50.0).fixed(reset);
    ladder.compare("split/a-reset");
}

/// The first packet was lost before the node: no data is acknowledged until the true first byte arrives.
#[test]
fn data_is_not_acknowledged_before_the_first_byte_arrives() {
    let mut ladder = Ladder::new("0..1000 comes last", &split(|_| {}));
    ladder.at(0.0).fixed(data(1000, 1000)).at(1.0).fixed(data(2000, 1000));
    ladder.at(20.0).mobile(ack(0));
    ladder.at(900.0).fixed(data(0, 1000)).at(920.0).mobile(ack(2000));
    ladder.at(930.0).fixed(data(1000, 1000)).at(931.0).fixed(data(2000, 1000)).at(950.0).mobile(ack(3000));
    ladder.compare("split/the-beginning-lost");
}

/// The limit is one flow. Another flow passes unchanged while the first flow has buffered data, and replaces the first
/// flow afterwards.
#[test]
fn flows_beyond_the_limit_pass_unchanged() {
    let mut ladder = Ladder::new("One flow at most", &split(|config| config.flows = 1));
    ladder.at(0.0).fixed(data(0, 1000));
    ladder.at(1.0).fixed(of_flow(1, data(0, 500))).at(2.0).mobile(of_flow(1, ack(500)));
    ladder.at(20.0).mobile(ack(1000));
    ladder.at(30.0).fixed(of_flow(1, data(500, 500))).at(50.0).mobile(of_flow(1, ack(1000)));
    // The first flow continues end to end, or is split as a new connection.
    ladder.at(60.0).fixed(data(1000, 1000)).at(80.0).mobile(ack(2000));
    ladder.compare("split/beyond-the-limit");
}

#[test]
fn invalid_settings_are_reported_with_their_keys() {
    let wrong = |change: &dyn Fn(&mut Config)| {
        let faults = split(change).check();
        faults.into_iter().map(|fault| fault.key).collect::<Vec<_>>()
    };
    assert_eq!(wrong(&|_| {}), [""; 0]);
    assert_eq!(wrong(&|config| config.buffer = Some(Bytes(0).into())), ["buffer"]);
    assert_eq!(wrong(&|config| config.buffer = Some(Bytes(1 << 31).into())), ["buffer"]);
    let sizes = |initial, max| ReceiveWindow::Autotuned(BufferSizes { initial: Bytes(initial), max: Bytes(max) });
    assert_eq!(wrong(&|config| config.buffer = Some(sizes(1023, 2000))), ["buffer"]);
    assert_eq!(wrong(&|config| config.buffer = Some(sizes(2000, 1999))), ["buffer"]);
    assert_eq!(wrong(&|config| config.buffer = Some(sizes(1024, 1 << 30))), [""; 0]);
    assert_eq!(wrong(&|config| config.flows = 0), ["flows"]);
    assert_eq!(wrong(&|config| config.wireless.variant = "rneo".into()), ["wireless.variant"]);
    assert_eq!(wrong(&|config| config.wired.initial_window = Some(0)), ["wired.initial_window"]);
    assert_eq!(wrong(&|config| config.wired.min_rto = Some(Span::from_secs(1000))), ["wired.min_rto"]);
    assert_eq!(wrong(&|config| config.wireless.retries = 256), ["wireless.retries"]);
}
