//! The schemes that filter acknowledgments and data, compared with `tests/golden`.

use crate::ladder;

use engine::{Bytes, Span};
use ladder::{FIXED, Fed, HERE, Ladder, ack, ack_with, data, from_fixed, from_mobile, of_flow};
use path::agent::{AgentConfig, Departure, ack_decimation, freeze_tcp, m_tcp, packet_control, tack};
use path::channel::ChannelState;
use wire::{Body, Flags, Packet, Segment, SeqNum};

/// Both filters.
fn filters(threshold: u32) -> packet_control::Config {
    packet_control::Config { ack_filter: true, data_filter: true, threshold }
}

fn control(config: packet_control::Config) -> AgentConfig {
    AgentConfig::PacketControl(config)
}

/// Sends ten segments of 1000 bytes, and `count` duplicates of the acknowledgment of the first.
fn duplicates(ladder: &mut Ladder, count: u32) -> &mut Ladder {
    for number in 0..10 {
        ladder.at(f64::from(number)).fixed(data(number * 1000, 1000));
    }
    ladder.at(20.0).mobile(ack(1000));
    for number in 1..=count {
        ladder.at(20.0 + f64::from(number)).mobile(ack(1000));
    }
    ladder
}

/// The second, fourth and sixth of six duplicates pass.
#[test]
fn threshold_of_six_passes_every_second_duplicate() {
    let mut ladder = Ladder::new("Threshold 6, twelve duplicates: every second passes", &control(filters(6)));
    duplicates(&mut ladder, 12).at(40.0).mobile(ack(2000)).mobile(ack(2000)).mobile(ack(2000));
    ladder.compare("packet-control/threshold-6");
}

#[test]
fn duplicates_are_dropped_evenly() {
    for (threshold, dropped) in [(3, 0), (4, 3), (6, 6), (9, 8), (12, 9)] {
        let config = packet_control::Config { data_filter: false, ..filters(threshold) };
        let mut ladder = Ladder::new("", &control(config));
        duplicates(&mut ladder, 12);
        assert_eq!(ladder.counter("acks_duplicate_dropped"), dropped, "threshold {threshold}");
    }
}

/// Old acknowledgments are dropped; without the filter all pass.
#[test]
fn old_acknowledgments_are_dropped() {
    for (filter, name) in [(true, "packet-control/old-acknowledgment"), (false, "packet-control/no-ack-filter")] {
        let config = packet_control::Config { ack_filter: filter, ..filters(6) };
        let mut ladder = Ladder::new("The acknowledgment of 1000 comes after that of 2000", &control(config));
        ladder.fixed(data(0, 1000)).fixed(data(1000, 1000));
        ladder.at(10.0).mobile(ack(2000)).mobile(ack(1000)).mobile(ack(2000));
        ladder.note("with data, with another window, of what was never seen: no duplicates, and not old");
        ladder.mobile(from_mobile(|segment| (segment.ack, segment.len) = (SeqNum(1000), 100)));
        ladder.mobile(from_mobile(|segment| (segment.ack, segment.window) = (SeqNum(2000), 4000)));
        ladder.mobile(ack(50_000)).mobile(ack(2000));
        ladder.compare(name);
    }
}

/// After a spurious timeout, segments that have arrived are retransmitted several times.
#[test]
fn data_that_has_arrived_is_dropped() {
    for (filter, name) in [(true, "packet-control/arrived-data"), (false, "packet-control/no-data-filter")] {
        let config = packet_control::Config { data_filter: filter, ..filters(6) };
        let mut ladder = Ladder::new("Repeats of what was acknowledged", &control(config));
        for number in 0..4 {
            ladder.fixed(data(number * 1000, 1000));
        }
        ladder.at(10.0).mobile(ack_with(3000, &[(5000, 6000)]));
        ladder.at(20.0).fixed(data(0, 1000)).fixed(data(1000, 1000)).note("not acknowledged").fixed(data(3000, 1000));
        ladder.at(30.0).fixed(data(0, 1000)).note("partly acknowledged").fixed(data(2500, 1000));
        ladder.at(40.0).fixed(data(0, 1000)).fixed(data(1000, 1000));
        ladder.compare(name);
    }
}

/// A SYN starts a new connection, to which the old numbers do not apply.
#[test]
fn syn_resets_the_flow_state() {
    let mut ladder = Ladder::new("The same ports again, with lower numbers", &control(filters(6)));
    ladder.fixed(data(90_000, 1000)).mobile(ack(91_000));
    let opening = |segment: &mut Segment| (segment.seq, segment.flags) = (SeqNum(0), Flags::SYN);
    ladder.at(100.0).fixed(from_fixed(opening)).mobile(ack(1)).fixed(data(1, 1000)).mobile(ack(1001));
    ladder.compare("packet-control/new-connection");
}

/// Sequence numbers wrap around.
#[test]
fn sequence_numbers_may_wrap() {
    let mut ladder = Ladder::new("", &control(filters(3)));
    let first = u32::MAX - 499;
    ladder.fixed(data(first, 1000)).mobile(ack(500)).mobile(ack(first)).fixed(data(first, 1000)).fixed(data(500, 1000));
    assert_eq!((ladder.counter("acks_old_dropped"), ladder.counter("segments_dropped")), (1, 1));
}

// The agent of the mobile thins its acknowledgments: in these ladders the radio link is on the fixed host's side, so
// acknowledgments point to the right.

/// Returns an acknowledgment on its way to the radio link.
fn up(ack: u32) -> Packet {
    from_fixed(|segment| segment.ack = SeqNum(ack))
}

fn up_with(change: impl FnOnce(&mut Segment)) -> Packet {
    from_fixed(change)
}

/// Sends packets other than plain acknowledgments: they pass immediately, after a held acknowledgment.
fn exceptions(ladder: &mut Ladder, from: f64) -> &mut Ladder {
    ladder.at(from).note("a duplicate").fixed(up(9000)).fixed(up(10_000)).fixed(up(10_000));
    ladder.at(from + 100.0).note("SACK").fixed(up(11_000)).fixed(up_with(|segment| {
        segment.ack = SeqNum(11_000);
        segment.options.sack = [(SeqNum(12_000), SeqNum(13_000))].into_iter().collect();
    }));
    ladder.at(from + 200.0).note("data with an acknowledgment, which says more").fixed(up(12_000));
    ladder.fixed(up_with(|segment| (segment.ack, segment.len) = (SeqNum(13_000), 100)));
    ladder.at(from + 300.0).note("a window that closes, and opens").fixed(up(14_000));
    ladder.fixed(up_with(|segment| (segment.ack, segment.window) = (SeqNum(15_000), 0))).fixed(up(15_000));
    ladder.at(from + 400.0).note("another flow waits by itself").fixed(up(16_000)).fixed(of_flow(1, up(500)));
    ladder.fixed(of_flow(1, up(600))).at(from + 500.0)
}

#[test]
fn decimation_passes_every_fourth_acknowledgment() {
    let config = ack_decimation::Config { every: 4, max_delay: Span::from_millis(10) };
    let mut ladder = Ladder::new("Every fourth, or after 10 ms", &AgentConfig::AckDecimation(config));
    for number in 0..7 {
        ladder.at(f64::from(number)).fixed(up(1000 * number));
    }
    exceptions(&mut ladder, 100.0).compare("ack-decimation/every-fourth");
}

/// A held acknowledgment is sent before a SYN or RST with or without acknowledgment. The numbers of the old connection
/// do not apply to the new one.
#[test]
fn held_acknowledgment_is_sent_before_syn_and_rst() {
    let config = ack_decimation::Config { every: 4, max_delay: Span::from_millis(10) };
    let mut ladder = Ladder::new("Connections on the same ports", &AgentConfig::AckDecimation(config));
    let flags = |flags: Flags| up_with(move |segment| (segment.ack, segment.flags) = (SeqNum(1), flags));
    let begins = [("SYN-ACK", Flags::SYN | Flags::ACK), ("SYN", Flags::SYN), ("RST", Flags::RST)];
    for (turn, (name, mark)) in (0..).map(f64::from).zip(begins) {
        ladder.at(100.0 * turn).note(name).fixed(up(90_000)).fixed(up(91_000)).fixed(flags(mark));
        ladder.at(100.0 * turn + 50.0).fixed(up(1)).fixed(up(1000)).fixed(flags(Flags::RST | Flags::ACK));
    }
    ladder.compare("ack-decimation/connections");
}

#[test]
fn decimation_by_one_passes_all() {
    let config = ack_decimation::Config { every: 1, max_delay: Span::from_millis(10) };
    let mut ladder = Ladder::new("", &AgentConfig::AckDecimation(config));
    exceptions(&mut ladder, 0.0);
    assert_eq!((ladder.counter("acks_dropped"), ladder.counter("acks_delayed")), (0, 0));
}

/// The agent passes at most one acknowledgment per quarter of 100 ms. It passes an acknowledgment of less than two
/// segments only after that time.
#[test]
fn tack_passes_four_acknowledgments_per_round_trip() {
    let config = tack::Config { rtt: Span::from_millis(100), share: 4, bytes: Bytes(2000) };
    let mut ladder = Ladder::new("After 25 ms and 2000 bytes, or 25 ms of waiting", &AgentConfig::Tack(config));
    for number in 0..9 {
        ladder.at(5.0 * f64::from(number)).fixed(up(1000 * number));
    }
    ladder.at(95.0).note("enough time, not enough bytes").fixed(up(8500)).at(100.0).fixed(up(8900));
    exceptions(&mut ladder, 200.0).compare("tack/four-in-a-round-trip");
}

/// Returns data from the fixed host to this node: for Freeze-TCP the agent's node is the mobile, and the fixed host is
/// behind the radio link.
fn to_here(seq: u32, len: u32) -> Packet {
    Packet { dst: HERE, ..from_fixed(|segment| (segment.seq, segment.len) = (SeqNum(seq), len)) }
}

/// Returns an acknowledgment of this mobile.
fn from_here(ack: u32) -> Packet {
    Packet { src: HERE, dst: FIXED, ..from_mobile(|segment| segment.ack = SeqNum(ack)) }
}

/// The radio link is to the right of the agent, so packets from the right are the fixed host's.
#[test]
fn predicted_disconnection_advertises_a_zero_window() {
    let config = freeze_tcp::Config { warning: Span::from_millis(200) };
    let mut ladder = Ladder::new("The agent is the mobile, behind 200 ms of warning", &AgentConfig::FreezeTcp(config));
    ladder.at(0.0).mobile(to_here(0, 1000)).fixed(from_here(1000));
    ladder.at(100.0).note("BAD from 300 ms on").forecast(ChannelState::Bad);
    ladder.at(150.0).note("still on its way").mobile(to_here(1000, 1000)).fixed(from_here(2000));
    ladder.at(1000.0).note("GOOD from 1200 ms on").forecast(ChannelState::Good).at(1300.0);
    ladder.note("a fade comes before the air is back: the window stays closed").forecast(ChannelState::Bad);
    ladder
        .at(1500.0)
        .forecast(ChannelState::Good)
        .at(1600.0)
        .forecast(ChannelState::Bad)
        .at(2000.0)
        .forecast(ChannelState::Good)
        .at(2200.0);
    ladder.note("what has ended is told nothing more");
    ladder.fixed(Packet { src: HERE, ..from_mobile(|segment| segment.flags = Flags::ACK | Flags::FIN) });
    ladder.at(3000.0).forecast(ChannelState::Bad);
    ladder.compare("freeze-tcp/disconnection");
}

/// A window update has the sequence number that follows this host's own data [RFC9293 s3.10.7.4: a segment outside of
/// the window is answered, and changes no window].
#[test]
fn freeze_tcp_window_updates_carry_the_next_sequence_number() {
    let config = AgentConfig::FreezeTcp(freeze_tcp::Config { warning: Span::from_millis(200) });
    let mut fed = Fed::new(&config);
    let mut own = Packet { src: HERE, dst: FIXED, ..from_mobile(|_| {}) };
    let Body::Tcp(segment) = &mut own.body else { unreachable!() };
    (segment.seq, segment.ack, segment.len) = (SeqNum(7000), SeqNum(1000), 300);
    fed.act(|agent, cx| agent.after_air(&mut to_here(0, 1000), cx));
    fed.act(|agent, cx| agent.before_air(&mut own, cx));
    let (_, sent) = fed.act(|agent, cx| agent.on_forecast(ChannelState::Bad, cx));
    let [Departure { packet: Packet { body: Body::Tcp(update), .. }, .. }] = sent[..] else { panic!("{sent:?}") };
    assert_eq!((update.seq, update.len, update.ack, update.window), (SeqNum(7300), 0, SeqNum(1000), 0));
}

/// A base station with this scheme is not the receiver of the data, and therefore closes no window.
#[test]
fn freeze_tcp_at_a_base_station_closes_no_window() {
    let config = freeze_tcp::Config { warning: Span::from_millis(200) };
    let mut ladder = Ladder::new("", &AgentConfig::FreezeTcp(config));
    ladder.fixed(data(0, 1000)).mobile(ack(1000)).forecast(ChannelState::Bad).mobile(ack(1000));
    assert_eq!(ladder.counter("windows_closed"), 0);
}

fn m_tcp() -> AgentConfig {
    let [ack_timeout, probe, idle] = [500, 100, 50].map(Span::from_millis);
    AgentConfig::MTcp(m_tcp::Config { ack_timeout, link_failures: true, probe, idle })
}

#[test]
fn acknowledgment_of_the_last_byte_is_withheld_until_no_data_is_outstanding() {
    let mut ladder = Ladder::new("One byte less is acknowledged, with the same right edge", &m_tcp());
    ladder.fixed(data(0, 1000)).fixed(data(1000, 1000)).fixed(data(2000, 1000));
    ladder.at(10.0).mobile(ack(1000)).at(20.0).mobile(ack(2000)).note("duplicates").mobile(ack(2000)).mobile(ack(2000));
    ladder.at(40.0).note("the end of a recovery").mobile(ack(3000)).fixed(data(3000, 1000)).at(50.0).mobile(ack(4000));
    ladder.note("nothing is outstanding any more").at(110.0);
    ladder.fixed(data(4000, 1000)).fixed(data(5000, 1000)).at(120.0).mobile(ack(5000)).at(130.0).mobile(ack(6000));
    ladder.at(140.0).fixed(from_fixed(|segment| {
        (segment.seq, segment.flags) = (SeqNum(6000), Flags::ACK | Flags::FIN);
    }));
    ladder.note("a FIN is acknowledged whole").mobile(ack(6001)).at(1000.0);
    ladder.compare("m-tcp/last-byte");
}

#[test]
fn missing_acknowledgments_of_the_mobile_give_the_sender_a_zero_window() {
    let mut ladder = Ladder::new("Nothing comes for 500 ms", &m_tcp());
    ladder.fixed(data(0, 1000)).fixed(data(1000, 1000)).fixed(data(2000, 1000));
    ladder.at(10.0).mobile(ack(1000)).at(750.0).note("the sender's own probe").fixed(from_fixed(|segment| {
        segment.seq = SeqNum(999);
    }));
    ladder.at(820.0).note("back").mobile(ack(1000)).at(830.0).fixed(data(1000, 1000)).at(840.0).mobile(ack(3000));
    ladder.at(900.0);
    ladder.compare("m-tcp/ack-timeout");
}

/// The timeout counts from the last acknowledgment, at 10 ms, or from the time at which data became outstanding again.
/// Further data from the fixed host does not restart the timeout.
#[test]
fn further_data_does_not_postpone_the_zero_window() {
    let mut ladder = Ladder::new("", &m_tcp());
    ladder.fixed(data(0, 1000)).fixed(data(1000, 1000)).at(10.0).mobile(ack(1000));
    ladder.at(400.0).fixed(data(2000, 1000)).at(509.0);
    assert_eq!(ladder.counter("freezes"), 0);
    ladder.at(511.0);
    assert_eq!(ladder.counter("freezes"), 1);
}

/// After 500 ms without an acknowledgment the mobile counts as disconnected, at 510 ms, and the node probes it every
/// 100 ms for 100 s. An answer of the mobile to a probe of the sender reopens the window.
#[test]
fn probing_of_a_disconnected_mobile_ends() {
    let mut ladder = Ladder::new("", &m_tcp());
    ladder.fixed(data(0, 1000)).fixed(data(1000, 1000)).at(10.0).mobile(ack(1000)).at(100_509.0);
    assert_eq!((ladder.counter("probes"), ladder.counter("flows_given_up")), (999, 0));
    ladder.at(1_000_000.0);
    assert_eq!((ladder.counter("probes"), ladder.counter("flows_given_up")), (999, 1));
    ladder.mobile(ack(1000)).at(1_001_000.0);
    assert_eq!((ladder.counter("freezes"), ladder.counter("probes")), (2, 1004), "reconnected, and disconnected again");
}

/// A link layer with a single attempt also loses frames of a connected mobile.
#[test]
fn failure_of_a_single_attempt_gives_the_sender_no_zero_window() {
    let mut ladder = Ladder::new("", &m_tcp());
    ladder.fixed(data(0, 1000)).fixed(data(1000, 1000)).at(10.0).mobile(ack(1000)).failed(data(1000, 1000), 1, true);
    assert_eq!(ladder.counter("freezes"), 0);
    ladder.failed(data(1000, 1000), 2, true);
    assert_eq!(ladder.counter("freezes"), 1);
}

#[test]
fn last_failed_attempt_gives_the_sender_a_zero_window() {
    let mut ladder = Ladder::new("The last attempt at a segment fails", &m_tcp());
    ladder.fixed(data(0, 1000)).fixed(data(1000, 1000)).at(10.0).mobile(ack(1000));
    ladder.at(20.0).failed(data(1000, 1000), 1, false).at(90.0).failed(data(1000, 1000), 9, true);
    ladder.note("a second one changes nothing").failed(data(1000, 1000), 9, true);
    ladder.at(200.0).mobile(ack(1000)).note("of what was never seen, and old").mobile(ack(9000)).mobile(ack(500));
    ladder.compare("m-tcp/given-up");
}
