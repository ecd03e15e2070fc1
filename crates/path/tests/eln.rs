//! Explicit loss notification (balakrishnan1998), compared with `tests/golden/eln`. The mobile sends, the fixed host
//! acknowledges.

use crate::ladder;

use ladder::{Ladder, from_fixed, from_mobile, of_flow};
use path::agent::AgentConfig;
use path::agent::eln::Config;
use wire::{Flags, Packet, SeqNum};

fn ladder(title: &str, config: Config) -> Ladder {
    Ladder::new(title, &AgentConfig::Eln(config))
}

fn data(seq: u32) -> Packet {
    from_mobile(|segment| (segment.seq, segment.len) = (SeqNum(seq), 1000))
}

fn ack(ack: u32) -> Packet {
    from_fixed(|segment| segment.ack = SeqNum(ack))
}

#[test]
fn acknowledgments_are_marked_until_the_hole_of_a_radio_loss_is_filled() {
    let mut ladder = ladder("1000..2000 is lost in the air, 3000..4000 in the wire", Config::default());
    for (ms, seq) in [(0.0, 0), (8.0, 2000), (12.0, 3000), (16.0, 4000), (20.0, 5000)] {
        ladder.at(ms).mobile(data(seq));
    }
    ladder.at(40.0).fixed(ack(1000)).at(48.0).fixed(ack(1000)).at(56.0).fixed(ack(1000)).at(60.0).mobile(data(1000));
    ladder.at(64.0).note("it has come: if it is asked for still, that is the wire's doing").fixed(ack(1000));
    ladder.at(100.0).fixed(ack(3000)).at(108.0).fixed(ack(3000)).at(200.0).fixed(ack(6000));
    ladder.compare("eln/a-hole");
}

/// Data before the first segment seen of a flow is neither known to have arrived nor to have been lost on the radio
/// link.
#[test]
fn data_before_the_first_segment_seen_is_not_marked() {
    let mut ladder =
        ladder("One flow is remembered, and the first comes back", Config { flows: 1, ..Config::default() });
    ladder.mobile(data(0)).mobile(data(1000)).at(4.0).mobile(of_flow(1, data(0))).at(8.0).mobile(data(2000));
    ladder.note("lost in the wire, if at all").at(40.0).fixed(ack(1000));
    ladder.note("3000..4000 is lost in the air").at(44.0).mobile(data(4000)).at(80.0).fixed(ack(3000));
    ladder.compare("eln/forgotten");
}

#[test]
fn flow_evicted_for_a_syn_is_counted() {
    let mut ladder = ladder("", Config { flows: 1, ..Config::default() });
    let syn = from_mobile(|segment| segment.flags = Flags::SYN);
    ladder.mobile(data(0)).mobile(syn).mobile(of_flow(1, syn));
    assert_eq!((ladder.counter("flows_forgotten"), ladder.counter("flows")), (1, 1));
}

#[test]
fn hole_beyond_the_limit_counts_as_filled() {
    let mut ladder = ladder(
        "Room for two stretches: the first of two holes counts as filled",
        Config { max_ranges: 2, ..Config::default() },
    );
    for (ms, seq) in [(0.0, 0), (8.0, 2000), (16.0, 4000)] {
        ladder.at(ms).mobile(data(seq));
    }
    ladder.at(40.0).fixed(ack(1000)).at(50.0).fixed(ack(3000));
    ladder.compare("eln/without-room");
}

#[test]
fn sequence_numbers_may_wrap_and_rst_ends_a_flow() {
    let mut ladder = ladder("SYN at the end of the numbers, a hole, RST", Config::default());
    ladder.mobile(from_mobile(|segment| (segment.seq, segment.flags) = (SeqNum(u32::MAX - 499), Flags::SYN)));
    ladder.at(5.0).mobile(data(u32::MAX - 498)).at(9.0).mobile(data(1501)).at(20.0).fixed(ack(501)).fixed(ack(9000));
    ladder.at(30.0).fixed(from_fixed(|segment| segment.flags = Flags::RST)).at(40.0).fixed(ack(501));
    ladder.compare("eln/connection");
}
