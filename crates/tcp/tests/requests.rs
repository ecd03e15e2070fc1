//! Requests of the application: separate records (MSG_EOR), and a time limit (TCP_USER_TIMEOUT).

use engine::{Span, Time};
use tcp::config::Nagle;
use tcp::{Config, Connection, Failure, State};
use wire::{Ecn, Flags, Segment, SeqNum};

/// Full segments of 1000 bytes; the retransmission timeout is initially 1 s and doubles.
fn end(config: Config) -> Connection {
    Connection::established(&Config { segment: 1000, initial_window: 10, ..config }, 1, 2, 60_000)
}

/// First byte, length and PSH flag of all segments sent now.
fn sent(end: &mut Connection, now: Time) -> Vec<(u32, u32, bool)> {
    std::iter::from_fn(|| end.poll_transmit(now))
        .map(|(segment, _)| (segment.seq.0, segment.len, segment.flags.has(Flags::PSH)))
        .collect()
}

fn answer(end: &mut Connection, now: Time, ack: u32, window: u32) {
    let segment = Segment { src_port: 2, dst_port: 1, ack: SeqNum(ack), window, ..Segment::default() };
    end.handle_segment(now, &Segment { flags: Flags::ACK, ..segment }, Ecn::NotEct);
}

/// Lets timers expire until the connection fails; returns the time of each expiry.
fn expiries(end: &mut Connection, answers: bool) -> Vec<f64> {
    let mut times = Vec::new();
    while end.state() == State::Established {
        let now = end.poll_timeout();
        end.handle_timeout(now);
        sent(end, now);
        times.push(now.since(Time::ZERO).as_secs_f64());
        if answers && end.state() == State::Established {
            answer(end, now, 0, 0);
        }
    }
    times
}

#[test]
fn segment_ends_at_a_record_boundary() {
    let mut end = end(Config { nagle: Nagle::Minshall, ..Config::default() });
    for bytes in [400, 2500, 300] {
        end.write(bytes);
        end.end_record();
    }
    // The last small segment waits after another small one, as usual; earlier ones end records and cannot grow.
    let whole = [(0, 400, true), (400, 1000, false), (1400, 1000, false), (2400, 500, true)];
    assert_eq!(sent(&mut end, Time::ZERO), whole);
    answer(&mut end, Time::from_millis(100), 2900, 60_000);
    assert_eq!(sent(&mut end, Time::from_millis(100)), [(2900, 300, true)]);
}

/// Without the option the expiries at 1, 3 and 7 s are followed by others without end.
#[test]
fn user_timeout_counts_from_the_first_retransmission_and_shortens_the_last_timeout() {
    // covers [RFC9293 s3.9.1.2]
    let mut end = end(Config::default());
    end.set_user_timeout(Some(Span::from_secs(5)));
    end.write(1000);
    sent(&mut end, Time::ZERO);
    // Retransmissions after 1 and 3 s, and none after 7 s: the connection fails 5 s after the first.
    assert_eq!(expiries(&mut end, false), [1.0, 3.0, 6.0]);
    assert_eq!(end.failure(), Some(Failure::TimedOut));
}

#[test]
fn acknowledgment_resets_the_user_timeout() {
    let mut end = end(Config::default());
    end.set_user_timeout(Some(Span::from_secs(5)));
    end.write(1000);
    sent(&mut end, Time::ZERO);
    for at in [1, 3] {
        end.handle_timeout(Time::from_millis(1000 * at));
        sent(&mut end, Time::from_millis(1000 * at));
    }
    answer(&mut end, Time::from_millis(4000), 1000, 60_000);
    end.write(1000);
    sent(&mut end, Time::from_millis(10_000));
    // The timeout is still four seconds [RFC6298 s5.5]: retransmission at 14 s, failure five seconds later.
    assert_eq!(expiries(&mut end, false), [14.0, 19.0]);
}

/// Probes are sent after 1, 3 and 7 s, even if they are answered.
#[test]
fn receive_window_that_stays_closed_fails_the_connection() {
    let mut end = end(Config::default());
    answer(&mut end, Time::ZERO, 0, 0);
    end.set_user_timeout(Some(Span::from_secs(7)));
    end.write(1000);
    sent(&mut end, Time::ZERO);
    assert_eq!(expiries(&mut end, true), [1.0, 3.0, 7.0, 8.0]);
    assert_eq!(end.failure(), Some(Failure::TimedOut));
}

/// The rest of a write waits for an acknowledgment [RFC896]; TCP_NODELAY sends it at once, and has no effect on data
/// written later.
#[test]
fn nodelay_sends_only_held_back_data() {
    let mut end = end(Config { nagle: Nagle::On, ..Config::default() });
    end.write(1000);
    assert_eq!(sent(&mut end, Time::ZERO), [(0, 1000, true)]);
    // No data waits. Therefore enabling and disabling the option has no effect, and a small segment waits as before.
    end.set_nodelay(true);
    end.set_nodelay(false);
    end.write(10);
    assert_eq!(sent(&mut end, Time::ZERO), []);
    end.set_nodelay(true);
    end.set_nodelay(false);
    assert_eq!(sent(&mut end, Time::ZERO), [(1000, 10, true)]);
    end.write(20);
    assert_eq!(sent(&mut end, Time::ZERO), []);
    // Setting and removing a cork has no effect on data written later, either.
    answer(&mut end, Time::from_millis(100), 1010, 60_000);
    assert_eq!(sent(&mut end, Time::from_millis(100)), [(1010, 20, true)]);
    end.set_cork(true);
    end.set_cork(false);
    end.write(30);
    assert_eq!(sent(&mut end, Time::from_millis(100)), []);
}
