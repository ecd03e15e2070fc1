//! The cases of Snoop, each compared with a ladder in `tests/golden/snoop` [balakrishnan1995 3, snoop2002 2].

use crate::ladder;

use engine::{Span, Time};
use ladder::{Fed, HERE, Ladder, ack, ack_with, data, from_fixed, from_mobile, of_flow};
use path::agent::snoop::Config;
use path::agent::{AgentConfig, Departure};
use wire::{Body, Flags, Packet, SeqNum, Timestamps};

fn ladder(title: &str, config: Config) -> Ladder {
    Ladder::new(title, &AgentConfig::Snoop(config))
}

/// Sends `count` packets of 1000 bytes, numbered from `first`, one every 4 ms from `ms` on.
fn window(ladder: &mut Ladder, ms: f64, first: u32, count: u32) {
    for number in 0..count {
        ladder.at(ms + 4.0 * f64::from(number)).fixed(data((first + number) * 1000, 1000));
    }
}

/// Four packets after the lost one cause four duplicates. One duplicate triggers the retransmission, and three are
/// expected. Then no wake-up remains.
#[test]
fn first_duplicate_triggers_the_retransmission() {
    let mut ladder = ladder("0..1000 is lost: the first duplicate resends it, the others end here", Config::default());
    window(&mut ladder, 0.0, 0, 5);
    for ms in [18.0, 22.0, 26.0, 30.0] {
        ladder.at(ms).mobile(ack(0));
    }
    ladder.at(34.0).mobile(ack(5000)).at(5000.0);
    ladder.compare("snoop/first-duplicate");
}

/// Two packets after the first, lost one cause two duplicates. A third duplicate indicates that the retransmission was
/// lost too.
#[test]
fn unexpected_duplicate_indicates_another_loss() {
    let mut ladder = ladder("0..1000 is lost, and its retransmission too", Config::default());
    ladder.fixed(data(0, 1000)).at(4.0).fixed(data(1000, 1000)).at(8.0).fixed(data(2000, 1000));
    ladder.at(10.0).mobile(ack(0)).at(12.0).fixed(data(3000, 1000)).at(14.0).mobile(ack(0)).at(18.0).mobile(ack(0));
    ladder.at(26.0).mobile(ack(4000));
    ladder.compare("snoop/lost-again");
}

/// The last permitted retransmission causes as many duplicates as any other retransmission. These duplicates are
/// expected and suppressed. A further duplicate is forwarded to the sender [snoop2002 2.2, "Successive DUPACK"].
#[test]
fn duplicates_of_the_last_retransmission_are_suppressed() {
    let config = Config { retransmissions: 1, ..Config::default() };
    let mut ladder = ladder("0..1000 is lost, and resent once at most", config);
    window(&mut ladder, 0.0, 0, 5);
    for ms in [18.0, 22.0, 26.0, 30.0] {
        ladder.at(ms).mobile(ack(0));
    }
    assert_eq!((ladder.counter("duplicates_suppressed"), ladder.counter("duplicates_passed")), (4, 0));
    ladder.at(34.0).mobile(ack(0));
    assert_eq!((ladder.counter("duplicates_suppressed"), ladder.counter("duplicates_passed")), (4, 1));
    ladder.compare("snoop/last-retransmission");
}

#[test]
fn local_timer_retransmits_up_to_the_limit() {
    let config = Config { retransmissions: 3, srtt: Span::ZERO, rttvar: Span::ZERO, ..Config::default() };
    let mut ladder =
        ladder("No acknowledgment comes: three local timeouts, then silence until the sender resends", config);
    ladder.at(0.0).fixed(data(0, 1000)).at(50.0).fixed(data(1000, 1000)).at(1000.0);
    ladder.note("the sender's timeout").fixed(data(0, 1000)).at(1150.0);
    ladder.mobile(ack(2000)).at(5000.0);
    ladder.compare("snoop/local-timer");
}

/// The radio link only delayed the packet, so that both copies arrive. The acknowledgment of the second copy looks like
/// a duplicate for the next packet. A copy of that packet would cause another such duplicate, and so on.
#[test]
fn duplicate_from_a_needless_copy_indicates_no_loss() {
    let config = Config { srtt: Span::ZERO, rttvar: Span::ZERO, ..Config::default() };
    let mut ladder =
        ladder("The air holds 0..1000 back beyond the local timer: it comes twice, nothing is lost", config);
    window(&mut ladder, 0.0, 0, 3);
    ladder.at(110.0).mobile(ack(1000)).note("of the copy").at(114.0).mobile(ack(1000));
    ladder.at(118.0).mobile(ack(2000)).at(122.0).mobile(ack(3000));
    ladder.compare("snoop/needless-copy");
}

/// A copy is sent before later packets: once these are acknowledged, no duplicate of the copy can still arrive.
#[test]
fn duplicates_of_a_copy_end_with_the_acknowledgment_of_later_packets() {
    let config = Config { srtt: Span::ZERO, rttvar: Span::ZERO, ..Config::default() };
    let mut ladder = ladder("0..1000 was lost, its copy came alone; then 3000..4000 is lost", config);
    window(&mut ladder, 0.0, 0, 2);
    ladder.at(110.0).mobile(ack(2000)).note("of what left after the copy").at(112.0);
    window(&mut ladder, 112.0, 2, 4);
    ladder.at(130.0).mobile(ack(3000)).at(138.0).mobile(ack(3000));
    ladder.compare("snoop/copy-of-the-past");
}

/// The sender retransmits after its timeout although the packet was only delayed.
#[test]
fn duplicate_from_the_senders_needless_copy_indicates_no_loss() {
    let mut ladder = ladder("The sender resends 0..1000, which was only slow", Config::default());
    window(&mut ladder, 0.0, 0, 3);
    ladder.at(500.0).fixed(data(0, 1000)).at(510.0).mobile(ack(1000)).at(514.0).mobile(ack(2000));
    ladder.at(518.0).mobile(ack(3000)).at(519.0).fixed(data(3000, 1000)).at(522.0).mobile(ack(3000));
    ladder.compare("snoop/senders-needless-copy");
}

/// One duplicate may come from a duplicated or delayed packet. Two duplicates indicate a loss, because a retransmission
/// of a lost packet causes no duplicate.
#[test]
fn two_duplicate_acknowledgments_indicate_a_loss() {
    let mut single = ladder("", Config::default());
    window(&mut single, 0.0, 0, 4);
    single.at(20.0).mobile(ack(1000)).at(21.0).mobile(ack(1000)).at(24.0).mobile(ack(2000)).at(28.0).mobile(ack(2000));
    assert_eq!(["local_retransmissions", "duplicates_suppressed"].map(|name| single.counter(name)), [1, 2]);
    // 1000..2000 and 3000..4000 are lost.
    let mut two = ladder("", Config::default());
    window(&mut two, 0.0, 0, 6);
    two.at(24.0).mobile(ack(1000)).at(28.0).mobile(ack(1000)).at(32.0).mobile(ack(1000));
    two.at(36.0).mobile(ack(3000)).at(40.0).mobile(ack(3000));
    assert_eq!(["local_retransmissions", "duplicates_suppressed"].map(|name| two.counter(name)), [2, 3]);
}

/// A sender's retransmission that a full queue drops was not sent, and causes no duplicate.
#[test]
fn copy_dropped_by_the_queue_causes_no_duplicate() {
    let mut ladder = ladder("", Config::default());
    window(&mut ladder, 0.0, 0, 4);
    ladder.at(500.0).fixed(data(0, 1000)).refused(data(0, 1000));
    ladder.at(510.0).mobile(ack(1000)).at(514.0).mobile(ack(1000));
    assert_eq!(ladder.counter("local_retransmissions"), 1);
}

/// The timer starts from srtt 100 ms and deviation 250 ms. After the sample of 20 ms the timer is 30 + 4 x 220 = 910
/// ms, and after the next one 21.25 + 4 x 192.656 = 791.875 ms.
#[test]
fn local_timer_follows_the_round_trip_time() {
    let mut ladder = ladder("Acknowledgments after 20 ms, then none", Config::default());
    ladder.at(0.0).fixed(data(0, 1000)).at(20.0).mobile(ack(1000));
    ladder.at(30.0).fixed(data(1000, 1000)).at(50.0).mobile(ack(2000));
    ladder.at(100.0).fixed(data(2000, 1000)).at(1000.0);
    ladder.compare("snoop/round-trip-time");
}

/// The timer of 910 ms (after a sample of 20 ms, as above) restarts at an acknowledgment that leaves a packet in the
/// cache.
#[test]
fn partial_acknowledgment_restarts_the_local_timer() {
    let mut ladder = ladder("", Config::default());
    ladder.at(0.0).fixed(data(0, 1000)).fixed(data(1000, 1000)).at(20.0).mobile(ack(1000));
    ladder.at(929.0);
    assert_eq!(ladder.counter("local_timeouts"), 0);
    ladder.at(931.0);
    assert_eq!(ladder.counter("local_timeouts"), 1);
}

/// The later of two copies of a segment is cached: it has the sender's latest timestamp [RFC7323 s3.2].
#[test]
fn latest_copy_from_the_sender_is_retransmitted() {
    let mut fed = Fed::new(&AgentConfig::Snoop(Config::default()));
    let stamped = |value: u32| {
        from_fixed(|segment| {
            (segment.seq, segment.len) = (SeqNum(0), 1000);
            segment.options.timestamps = Some(Timestamps { value, echo: 0 });
        })
    };
    for value in [1, 2] {
        fed.act(|agent, cx| agent.before_air(&mut stamped(value), cx));
    }
    let mut resent = Vec::new();
    fed.until(Time::from_millis(5000), |_, sent| resent.extend(sent));
    let Some(Departure { packet: Packet { body: Body::Tcp(first), .. }, .. }) = resent.first() else { panic!("none") };
    assert_eq!(first.options.timestamps.map(|stamp| stamp.value), Some(2));
}

#[test]
fn loss_in_the_wired_network_is_left_to_the_sender() {
    let mut ladder =
        ladder("1000..2000 is lost in the wired network, resent by the sender, and lost again", Config::default());
    ladder.at(0.0).fixed(data(0, 1000)).at(4.0).fixed(data(2000, 1000)).at(6.0).fixed(data(3000, 1000));
    ladder.at(10.0).mobile(ack(1000)).at(14.0).mobile(ack(1000)).at(16.0).mobile(ack(1000));
    ladder.at(200.0).fixed(data(1000, 1000)).at(201.0).fixed(data(4000, 1000));
    ladder.at(220.0).note("lost in the air: marked as the sender's, so its duplicates go on").mobile(ack(1000));
    ladder.at(1400.0).note("the local timer has resent it").mobile(ack(5000));
    ladder.compare("snoop/lost-in-the-wire");
}

#[test]
fn duplicates_of_sender_retransmissions_are_forwarded() {
    let mut ladder =
        ladder("The sender resends what is kept here: forwarded, and its duplicates go on", Config::default());
    ladder.at(0.0).fixed(data(0, 1000)).at(5.0).mobile(ack(1000));
    window(&mut ladder, 8.0, 1, 3);
    ladder.at(24.0).mobile(ack(1000)).at(300.0).note("the sender's timeout").fixed(data(1000, 1000));
    ladder.at(310.0).mobile(ack(1000)).at(320.0).mobile(ack(4000));
    ladder.compare("snoop/sender-resends");
}

#[test]
fn data_that_the_mobile_has_is_acknowledged_by_the_base_station() {
    let mut ladder = ladder("The acknowledgment was lost on its way to the sender", Config::default());
    window(&mut ladder, 0.0, 0, 2);
    ladder.at(12.0).mobile(ack(2000)).at(1000.0).fixed(data(0, 1000));
    ladder.compare("snoop/answered-here");
}

#[test]
fn old_acknowledgment_is_suppressed() {
    let mut ladder = ladder("Acknowledgments come in another order", Config::default());
    window(&mut ladder, 0.0, 0, 2);
    ladder.at(12.0).mobile(ack(2000)).at(13.0).mobile(ack(1000));
    ladder.note("one with data goes on").mobile(from_mobile(|segment| (segment.ack, segment.len) = (SeqNum(1000), 10)));
    ladder.compare("snoop/spurious");
}

/// [RFC5681 s2], [RFC6675 s2].
#[test]
fn window_update_is_no_duplicate() {
    let mut ladder = ladder("A window update is no duplicate, unless SACK says so", Config::default());
    window(&mut ladder, 0.0, 0, 3);
    let update = |window: u32| from_mobile(move |segment| (segment.ack, segment.window) = (SeqNum(1000), window));
    ladder.at(12.0).mobile(ack(1000)).at(13.0).mobile(update(9000)).at(14.0).mobile(ack_with(1000, &[(2000, 3000)]));
    ladder.compare("snoop/window-update");
}

#[test]
fn full_cache_forwards_packets_without_caching() {
    let mut ladder = ladder("Room for two packets", Config { cache: 2, ..Config::default() });
    window(&mut ladder, 0.0, 0, 4);
    ladder
        .at(16.0)
        .mobile(ack(2000))
        .note("2000..3000 is not kept")
        .at(17.0)
        .mobile(ack(2000))
        .at(18.0)
        .fixed(data(4000, 1000));
    ladder.compare("snoop/full");
}

#[test]
fn persist_timer_retransmits_after_silence() {
    let config = Config { persist: Some(Span::from_millis(200)), retransmissions: 2, ..Config::default() };
    let mut ladder = ladder("Nothing from either end for 200 ms, before the local timer", config);
    window(&mut ladder, 0.0, 0, 2);
    ladder.at(5000.0);
    ladder.compare("snoop/persist");
}

#[test]
fn flows_are_independent() {
    let mut ladder = ladder("Two flows, and room for no more", Config { flows: 2, ..Config::default() });
    for flow in [0, 1] {
        ladder.fixed(of_flow(flow, data(0, 1000))).fixed(of_flow(flow, data(1000, 1000)));
    }
    ladder.at(5.0).mobile(of_flow(0, ack(1000))).at(6.0).mobile(of_flow(1, ack(1000)));
    ladder.at(10.0).mobile(of_flow(1, ack(1000))).mobile(of_flow(0, ack(1000)));
    ladder.at(12.0).fixed(of_flow(2, data(0, 1000))).note("the second flow made room");
    ladder.at(13.0).mobile(of_flow(1, ack(1000))).mobile(of_flow(0, ack(2000)));
    ladder.compare("snoop/flows");
}

/// A SYN evicts a flow as data does.
#[test]
fn flow_evicted_for_a_syn_is_counted() {
    let mut ladder = ladder("", Config { flows: 1, ..Config::default() });
    let syn = from_fixed(|segment| segment.flags = Flags::SYN);
    ladder.fixed(data(0, 1000)).fixed(syn).fixed(syn);
    assert_eq!(
        (ladder.counter("flows_forgotten"), ladder.counter("flows")),
        (0, 1),
        "a SYN of the same flow evicts no flow"
    );
    ladder.fixed(of_flow(1, syn));
    assert_eq!((ladder.counter("flows_forgotten"), ladder.counter("flows")), (1, 1));
}

#[test]
fn syn_fin_and_rst_are_handled() {
    let mut ladder = ladder("SYN, data, FIN; data of the mobile passes; RST", Config::default());
    let flags = |seq: u32, flags: Flags| from_fixed(move |segment| (segment.seq, segment.flags) = (SeqNum(seq), flags));
    ladder.at(0.0).fixed(flags(u32::MAX, Flags::SYN)).at(2.0).mobile(from_mobile(|segment| {
        (segment.seq, segment.ack, segment.flags) = (SeqNum(500), SeqNum(0), Flags::SYN | Flags::ACK);
    }));
    ladder.at(4.0).fixed(data(0, 1000)).at(8.0).fixed(flags(1000, Flags::FIN | Flags::ACK)).at(12.0).mobile(ack(1001));
    ladder
        .at(14.0)
        .mobile(from_mobile(|segment| (segment.seq, segment.len, segment.ack) = (SeqNum(501), 9, SeqNum(1001))));
    ladder.at(16.0).fixed(flags(1001, Flags::RST));
    ladder.compare("snoop/connection");
}

#[test]
fn configured_duplicate_count_triggers_the_retransmission() {
    let mut ladder =
        ladder("The second duplicate brings the packet, as in ns-2", Config { duplicates: 2, ..Config::default() });
    window(&mut ladder, 0.0, 0, 4);
    for ms in [16.0, 17.0, 18.0] {
        ladder.at(ms).mobile(ack(0));
    }
    ladder.compare("snoop/two-duplicates");
}

#[test]
fn packets_with_implausible_sequence_numbers_pass() {
    let mut ladder = ladder("Numbers of no window, and packets of the node itself", Config::default());
    ladder.at(0.0).fixed(data(0, 1000)).fixed(data(3_000_000_000, 1000)).mobile(ack(9000)).mobile(ack(3_000_000_000));
    let mut own = data(0, 1000);
    own.src = HERE;
    ladder.fixed(own).at(5.0).mobile(ack(1000));
    ladder.compare("snoop/implausible");
}

/// A needless retransmission causes a duplicate with a D-SACK block below the acknowledgment number. This duplicate
/// does not indicate a loss. A retransmission in response would cause the next such duplicate. covers [RFC2883 s4.1]
#[test]
fn dsack_report_is_no_duplicate() {
    let mut ladder = ladder("0..1000 came twice: nothing of what flies is resent", Config::default());
    window(&mut ladder, 0.0, 0, 4);
    ladder.at(16.0).mobile(ack(1000)).at(17.0).mobile(ack_with(1000, &[(0, 1000)]));
    ladder.note("together with a hole it is one").at(18.0).mobile(ack_with(1000, &[(0, 1000), (2000, 3000)]));
    ladder.compare("snoop/second-arrival");
}

/// The fixed host may send acknowledgments, too. A full queue drops such a packet without other effects.
#[test]
fn dropped_acknowledgment_does_not_change_the_cache() {
    let mut ladder = ladder("", Config::default());
    ladder.fixed(data(0, 1000)).fixed(from_fixed(|_| {})).refused(from_fixed(|_| {}));
    ladder.at(10.0).mobile(ack(0));
    let counted = ["packets_lost_in_queue", "local_retransmissions"].map(|name| ladder.counter(name));
    assert_eq!(counted, [0, 1]);
}

/// A packet that is neither cached nor admitted by the queue causes no duplicate. With one packet after the lost one, a
/// second duplicate indicates another loss of the lost packet.
#[test]
fn duplicate_of_an_uncached_packet_dropped_by_the_queue_is_not_expected() {
    let mut ladder = ladder("", Config { cache: 1, ..Config::default() });
    ladder.fixed(data(0, 1000)).fixed(data(1000, 1000)).refused(data(1000, 1000)).fixed(data(2000, 1000));
    ladder.at(10.0).mobile(ack(0)).mobile(ack(0));
    assert_eq!(["packets_not_cached", "local_retransmissions"].map(|name| ladder.counter(name)), [2, 2]);
}

/// [ns-2]: a packet dropped by the queue indicates congestion and is left to the sender.
#[test]
fn packet_dropped_by_the_queue_is_left_to_the_sender() {
    let mut ladder = ladder("1000..2000 finds the queue full", Config::default());
    ladder
        .fixed(data(0, 1000))
        .at(1.0)
        .fixed(data(1000, 1000))
        .refused(data(1000, 1000))
        .at(5.0)
        .fixed(data(2000, 1000));
    ladder.at(10.0).mobile(ack(1000)).at(14.0).mobile(ack(1000)).at(60.0).fixed(data(1000, 1000));
    ladder.note("its retransmission too").refused(data(1000, 1000)).at(70.0).mobile(ack(1000)).at(2000.0);
    ladder.compare("snoop/queue-full");
}
