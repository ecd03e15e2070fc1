//! Reasons for a blocked sender: a test for each reason.

use crate::common;

use common::member;
use engine::{Bytes, Time};
use tcp::config::Nagle;
use tcp::{Blocked, Config, Connection, Event, Failure, State};
use wire::{Ecn, Flags, Segment, SeqNum};

const SEGMENT: u32 = 1000;

fn config() -> Config {
    Config { segment: SEGMENT, window: Bytes(60_000).into(), initial_window: 4, ..Config::default() }
}

/// Returns a sender with events enabled, whose other end accepts `window` bytes.
fn sender(config: &Config, window: u64) -> Connection {
    let mut sender = Connection::established(config, 1, 2, window);
    sender.observe();
    sender
}

/// Segments sent at `micros`, as bytes of data.
fn sent(sender: &mut Connection, micros: u64) -> Vec<u32> {
    std::iter::from_fn(|| sender.poll_transmit(at(micros))).map(|(segment, _)| segment.len).collect()
}

fn at(micros: u64) -> Time {
    Time::from_nanos(1000 * micros)
}

/// Processes an acknowledgment of `bytes` with a window at `micros`; returns the segments sent in response.
fn ack(sender: &mut Connection, micros: u64, bytes: u32, window: u32) -> Vec<u32> {
    let ack = SeqNum(bytes);
    let segment = Segment { src_port: 2, dst_port: 1, ack, flags: Flags::ACK, window, ..Segment::default() };
    sender.handle_segment(at(micros), &segment, Ecn::NotEct);
    sent(sender, micros)
}

/// The reasons reported since the last call.
fn told(sender: &mut Connection) -> Vec<Blocked> {
    let reason = |event| if let Event::Blocked { reason } = event { Some(reason) } else { None };
    std::iter::from_fn(|| sender.poll_event()).filter_map(reason).collect()
}

#[test]
fn sender_without_data_is_blocked_by_data() {
    let mut sender = sender(&config(), 60_000);
    assert_eq!((sender.blocked(), sent(&mut sender, 0).len()), (None, 0));
    assert_eq!(sender.blocked(), None, "an end that was never handed anything is not asked");
    sender.write(1500);
    assert_eq!(sent(&mut sender, 10), [1000, 500]);
    assert_eq!((sender.blocked(), told(&mut sender)), (Some(Blocked::Data), vec![Blocked::Data]));
    // Unacknowledged data, acknowledged data and an acknowledged FIN do not change this.
    assert_eq!(ack(&mut sender, 1000, 1500, 60_000).len(), 0);
    sender.shutdown_write();
    assert_eq!(sent(&mut sender, 2000), [0]);
    assert_eq!((sender.blocked(), told(&mut sender)), (Some(Blocked::Data), vec![]));
    ack(&mut sender, 3000, 1501, 60_000);
    assert_eq!((sender.state(), sender.blocked()), (State::FinWait2, None), "this end sends no more");
}

/// The receive window has 2,500 bytes. The third segment does not fit, and the part of it that fits is less than half
/// of the maximum window.
#[test]
fn full_or_closed_receive_window_blocks_the_sender() {
    let mut sender = sender(&config(), 2500);
    sender.write(10_000);
    assert_eq!(sent(&mut sender, 0), [1000, 1000]);
    assert_eq!((sender.blocked(), told(&mut sender)), (Some(Blocked::PeerWindow), vec![Blocked::PeerWindow]));
    assert_eq!(ack(&mut sender, 1000, 2000, 0).len(), 0);
    assert_eq!((sender.blocked(), told(&mut sender)), (Some(Blocked::PeerWindow), vec![]), "closed");
    // The congestion window of four segments did not grow, since it exceeds the receive window.
    assert_eq!(ack(&mut sender, 2000, 2000, 60_000), [1000; 4]);
    assert_eq!((sender.blocked(), told(&mut sender)), (Some(Blocked::Cwnd), vec![Blocked::Cwnd]));
}

/// Data in flight waits for a closed window, and a FIN needs one byte of the window.
#[test]
fn frozen_sender_and_fin_are_blocked_by_the_receive_window() {
    let mut frozen = sender(&config(), 60_000);
    frozen.write(3000);
    assert_eq!(sent(&mut frozen, 0).len(), 3);
    assert_eq!(ack(&mut frozen, 1000, 1000, 0).len(), 0);
    frozen.write(1000);
    assert_eq!((sent(&mut frozen, 2000).len(), frozen.blocked()), (0, Some(Blocked::PeerWindow)));

    let mut fin = sender(&config(), 1000);
    fin.write(1000);
    fin.shutdown_write();
    assert_eq!((sent(&mut fin, 0), fin.blocked()), (vec![1000], Some(Blocked::PeerWindow)));
}

#[test]
fn small_segment_is_blocked_by_nagle_until_all_data_is_acknowledged() {
    let mut sender = sender(&Config { nagle: Nagle::On, ..config() }, 60_000);
    sender.write(1400);
    assert_eq!(sent(&mut sender, 0), [1000]);
    assert_eq!((sender.blocked(), told(&mut sender)), (Some(Blocked::Nagle), vec![Blocked::Nagle]));
    assert_eq!(ack(&mut sender, 1000, 1000, 60_000), [400]);
    assert_eq!((sender.blocked(), told(&mut sender)), (Some(Blocked::Data), vec![Blocked::Data]));
    sender.set_cork(true);
    sender.write(10);
    assert_eq!((sent(&mut sender, 2000).len(), sender.blocked()), (0, Some(Blocked::Nagle)), "a cork counts as Nagle");
}

/// In slow start each acknowledgment of a segment allows two more segments. Each time cwnd blocks the third; only the
/// first of these blocks is reported, because the reason stays the same.
#[test]
fn full_cwnd_is_reported_once() {
    let mut sender = sender(&config(), 60_000);
    sender.write(u64::MAX);
    assert_eq!(sent(&mut sender, 0), [1000; 4]);
    for number in 1..=20 {
        assert_eq!(ack(&mut sender, u64::from(1000 * number), 1000 * number, 60_000), [1000; 2]);
        assert_eq!(sender.blocked(), Some(Blocked::Cwnd));
    }
    assert_eq!(told(&mut sender), [Blocked::Cwnd]);
}

/// cwnd limits retransmissions too: the first duplicates free no space in cwnd, and the timeout's cwnd of one segment
/// allows one retransmission.
#[test]
fn waiting_retransmission_is_blocked_by_cwnd() {
    let mut sender = sender(&config(), 60_000);
    sender.write(4000);
    assert_eq!((sent(&mut sender, 0).len(), sender.blocked()), (4, Some(Blocked::Data)));
    let timeout = sender.poll_timeout();
    sender.handle_timeout(timeout);
    let micros = timeout.as_nanos() / 1000;
    assert_eq!((sent(&mut sender, micros), sender.blocked()), (vec![1000], Some(Blocked::Cwnd)));
    assert_eq!(told(&mut sender), [Blocked::Data, Blocked::Cwnd]);
}

/// BBR begins at 0.99 x 2 / ln 2 windows a millisecond: a window of 4,000 bytes gives 11.42 bytes per microsecond, and
/// a segment of 1,000 bytes takes 87.5 us.
#[test]
fn paced_sender_is_blocked_until_the_departure_time() {
    let mut sender = sender(&Config { control: member("bbr"), recovery: member("sack"), ..config() }, 60_000);
    sender.write(u64::MAX);
    assert_eq!((sent(&mut sender, 0), sender.blocked()), (vec![1000], Some(Blocked::Pacing)));
    assert_eq!(sender.poll_timeout().as_nanos() / 1000, 87);
    assert_eq!((sent(&mut sender, 87).len(), sender.blocked()), (0, Some(Blocked::Pacing)));
    assert_eq!((sent(&mut sender, 88), sender.blocked()), (vec![1000], Some(Blocked::Pacing)));
    sent(&mut sender, 200);
    assert_eq!((sent(&mut sender, 300), sender.blocked()), (vec![1000], Some(Blocked::Pacing)));
    assert_eq!((sent(&mut sender, 400).len(), sender.blocked()), (0, Some(Blocked::Cwnd)), "four segments are out");
    assert_eq!(told(&mut sender), [Blocked::Pacing, Blocked::Cwnd]);
}

#[test]
fn blocked_has_no_reason_in_states_that_do_not_send() {
    let mut opening = Connection::connect(&config(), 1, 2, SeqNum(0));
    opening.write(1000);
    assert_eq!((sent(&mut opening, 0).len(), opening.blocked()), (1, None), "only its SYN goes out");
    let mut over = sender(&config(), 60_000);
    over.write(1000);
    sent(&mut over, 0);
    assert_eq!(over.blocked(), Some(Blocked::Data));
    let reset = Segment { src_port: 2, dst_port: 1, flags: Flags::RST, ..Segment::default() };
    over.handle_segment(at(10), &reset, Ecn::NotEct);
    assert_eq!((over.failure(), over.blocked()), (Some(Failure::Reset), None));
}

/// Events enabled after a poll begin with the present state.
#[test]
fn events_enabled_later_report_the_present_reason() {
    let mut sender = Connection::established(&config(), 1, 2, 60_000);
    sender.write(u64::MAX);
    sent(&mut sender, 0);
    assert_eq!(told(&mut sender), []);
    sender.observe();
    assert_eq!(told(&mut sender), [Blocked::Cwnd]);
}
