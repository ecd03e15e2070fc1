//! RACK's reordering window, its deadlines and tail loss probes, with results computed by hand.

use super::tail_probe::Found;
use super::*;

const MS: fn(u64) -> Span = Span::from_millis;

fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// Returns a view with a round trip of 100 ms.
fn view() -> SenderView {
    SenderView {
        segment: 1000.0,
        cwnd: 10_000.0,
        ssthresh: 10_000.0,
        srtt: Some(MS(100)),
        min_rtt: Some(MS(100)),
        echo: None,
        sack: true,
        after_timeout: false,
        expiry: Time::NEVER,
    }
}

fn ack(now: Time, acked: u64, sacked: u64) -> AckEffects {
    let duplicates = u32::from(sacked > 0);
    let (duplicate_sack, notified) = (None, None);
    AckEffects { now, acked, sacked, duplicates, sack: true, duplicate_sack, notified, echoes_original: false }
}

/// Segments sent 1 ms apart, from time 0 on.
fn sending(segments: u64) -> (Rack, Scoreboard) {
    let (mut rack, mut board) = (Rack::new(true), Scoreboard::default());
    for number in 0..segments {
        board.record_new(at(number), 1000, false, None);
        rack.on_sent(at(number), 1000 * number, false, &board, &view());
    }
    (rack, board)
}

/// The other end SACKs segment `number`.
fn sacked(rack: &mut Rack, board: &mut Scoreboard, now: Time, number: u64) -> RecoveryVerdict {
    let view = view();
    board.sack(1000 * number, 1000 * number + 1000, |sent, _| rack.on_delivered(now, sent, &view));
    rack.on_ack(&ack(now, 0, 1000), board, &view)
}

/// Segment 1, sent at 1 ms, is delivered after 100 ms. Segments sent no later are lost when a round trip and a quarter
/// of the minimum have passed: at 126 ms, not before.
// covers [RFC8985 s6.2 step 5]. By the RFC the segment is lost at 125 ms, when no time remains; here the time must have
// passed, a deviation (tcp-recovery.md).
#[test]
fn segment_is_lost_a_round_trip_and_a_quarter_after_a_later_segment_was_sent() {
    let (mut rack, mut board) = sending(4);
    assert_eq!(sacked(&mut rack, &mut board, at(101), 1), RecoveryVerdict::Ordinary);
    assert_eq!((rack.settles, board.lost_segments()), (at(126), 0));
    assert_eq!(rack.on_deadline(at(125), &mut board, &view()), RecoveryVerdict::Ordinary);
    assert_eq!(board.lost_segments(), 0);
    assert_eq!(rack.on_deadline(at(126), &mut board, &view()), RecoveryVerdict::Begin { resend: false });
    assert_eq!((board.lost_segments(), board.first().map(|sent| sent.lost)), (1, Some(true)));
    assert!(rack.recovering());
}

/// With three segments SACKed and no reordering seen, the reordering window is zero.
// covers [RFC8985 s6.2 step 4]
#[test]
fn reordering_window_is_zero_after_three_sacked_segments() {
    let (mut rack, mut board) = sending(5);
    assert_eq!(sacked(&mut rack, &mut board, at(101), 1), RecoveryVerdict::Ordinary);
    assert_eq!(sacked(&mut rack, &mut board, at(102), 2), RecoveryVerdict::Ordinary);
    assert_eq!(sacked(&mut rack, &mut board, at(103), 3), RecoveryVerdict::Begin { resend: false });
    assert_eq!(board.lost_segments(), 1);
}

/// Recovery of a reported loss begins with the first duplicate, not before.
#[test]
fn reported_loss_begins_recovery_with_the_first_duplicate() {
    for (duplicates, notified, verdict) in [
        (0, Some(Notified::AlreadyResent), RecoveryVerdict::Ordinary),
        (1, Some(Notified::AlreadyResent), RecoveryVerdict::Begin { resend: false }),
        (1, Some(Notified::Uncut), RecoveryVerdict::Ordinary),
        (1, None, RecoveryVerdict::Ordinary),
    ] {
        let (mut rack, mut board) = sending(4);
        let told = AckEffects { duplicates, notified, ..ack(at(50), 0, 0) };
        assert_eq!(rack.on_ack(&told, &mut board, &view()), verdict, "{duplicates} {notified:?}");
    }
}

/// The sixteenth recovery after a duplicate resets the window to a quarter; a recovery that ends with a timeout counts
/// too.
// covers [RFC8985 s6.2 step 4]
#[test]
fn duplicate_widens_the_reordering_window_for_sixteen_recoveries() {
    let (mut rack, mut board) = sending(4);
    let twice = AckEffects { duplicate_sack: Some((0, 1000)), ..ack(at(50), 0, 0) };
    rack.on_ack(&twice, &mut board, &view());
    assert_eq!((rack.window.quarters, rack.window.persist), (2, 16));
    rack.on_ack(&twice, &mut board, &view());
    assert_eq!(rack.window.quarters, 2, "once a round trip");
    for _ in 0..14 {
        rack.window.on_recovered();
    }
    rack.on_timeout(&board);
    rack.on_ack(&ack(at(60), 0, 0), &mut board, &SenderView { after_timeout: true, ..view() });
    assert_eq!((rack.window.quarters, rack.window.persist), (2, 2), "it goes on");
    rack.on_ack(&ack(at(70), 0, 0), &mut board, &view());
    rack.on_ack(&ack(at(80), 0, 0), &mut board, &view());
    assert_eq!((rack.window.quarters, rack.window.persist), (2, 1), "once");
    rack.window.on_recovered();
    assert_eq!((rack.window.quarters, rack.window.persist), (1, 0));
    // Data outstanding at the duplicate is acknowledged, so another duplicate counts.
    board.acknowledge(3000, |_, _| ());
    rack.on_ack(&twice, &mut board, &view());
    assert_eq!(rack.window.quarters, 1, "not all of it");
    board.acknowledge(4000, |_, _| ());
    rack.on_ack(&twice, &mut board, &view());
    assert_eq!(rack.window.quarters, 2);
}

/// Quarters of the min RTT, at most the smoothed one; zero in a recovery before reordering was seen.
// covers [RFC8985 s6.2 step 4]
#[test]
fn reordering_window_is_quarters_of_min_rtt() {
    let board = Scoreboard::default();
    for (quarters, seen, recovering, expected) in
        [(1, 0, false, 25), (3, 0, false, 75), (9, 0, false, 100), (1, 0, true, 0), (1, 1, true, 25), (2, 1, false, 50)]
    {
        let window = ReorderingWindow { quarters, seen, ..ReorderingWindow::default() };
        assert_eq!(window.span(recovering, &board, &view()), MS(expected), "{quarters} {seen} {recovering}");
    }
}

/// Segment 0 was retransmitted, and its original arrives: Eifel shows this, RFC 8985 does not. Everything up to segment
/// 3 was delivered, so segment 0 was overtaken by four segments.
// covers [Linux `tcp_try_undo_partial`]
#[test]
fn late_original_of_a_retransmission_is_reordering() {
    for (evidence, expected) in [
        (UndoEvidence::LateOriginal { from: 0 }, (4, 1)),
        (UndoEvidence::Duplicates { fast: true }, (3, 0)),
        (UndoEvidence::Acknowledged, (3, 0)),
    ] {
        let (mut rack, mut board) = sending(6);
        for number in 1..=3 {
            sacked(&mut rack, &mut board, at(100 + number), number);
        }
        board.record_retransmission(at(103), 0, None);
        board.acknowledge(4000, |sent, _| {
            if !sent.sacked {
                rack.on_delivered(at(110), sent, &view());
            }
        });
        rack.on_undo(&board, evidence);
        assert!(!rack.recovering());
        rack.on_ack(&ack(at(110), 4000, 0), &mut board, &view());
        assert_eq!(rack.reordering(), expected, "{evidence:?}");
    }
}

/// A duplicate of segment 1 is reported, which is SACKed above the hole at segment 0. If segment 1 was retransmitted,
/// one of its copies is the late original; otherwise the network has doubled it.
// covers [Linux `tcp_sacktag_one`]
#[test]
fn duplicate_of_a_sacked_retransmission_is_reordering() {
    for (retransmitted, expected) in [(true, (4, 1)), (false, (3, 0))] {
        let (mut rack, mut board) = sending(6);
        for number in [2, 3, 4] {
            sacked(&mut rack, &mut board, at(100 + number), number);
        }
        if retransmitted {
            board.record_retransmission(at(105), 1000, None);
        }
        // Not below the highest if it was not retransmitted, which would be reordering too.
        board.sack(1000, 2000, |_, _| ());
        let twice = AckEffects { duplicate_sack: Some((1000, 2000)), ..ack(at(210), 0, 0) };
        rack.on_ack(&twice, &mut board, &view());
        assert_eq!(rack.reordering(), expected);
    }
}

/// A recovery that is undone because all its retransmissions were duplicates does not count towards the sixteen.
// covers [Linux `tcp_try_undo_dsack`]
#[test]
fn undone_recovery_does_not_shorten_the_life_of_the_window() {
    let (mut rack, mut board) = sending(4);
    let twice = AckEffects { duplicate_sack: Some((0, 1000)), ..ack(at(50), 0, 0) };
    rack.on_ack(&twice, &mut board, &view());
    rack.on_undo(&board, UndoEvidence::Duplicates { fast: false });
    assert_eq!(rack.window.persist, 16, "not more than 16");
    rack.window.on_recovered();
    rack.on_undo(&board, UndoEvidence::LateOriginal { from: 0 });
    assert_eq!(rack.window.persist, 15);
    rack.on_undo(&board, UndoEvidence::Duplicates { fast: false });
    assert_eq!(rack.window.persist, 16);
}

/// All retransmissions of a fast recovery were needless: the next hole below three SACKed segments waits for a quarter
/// of the min RTT. A timeout that was too early is no such sign.
#[test]
fn undone_fast_recovery_is_reordering() {
    for (fast, expected) in [(true, RecoveryVerdict::Ordinary), (false, RecoveryVerdict::Begin { resend: false })] {
        let (mut rack, mut board) = sending(5);
        rack.on_undo(&board, UndoEvidence::Duplicates { fast });
        sacked(&mut rack, &mut board, at(101), 1);
        sacked(&mut rack, &mut board, at(102), 2);
        assert_eq!(sacked(&mut rack, &mut board, at(103), 3), expected, "{fast}");
        assert_eq!(rack.reordering(), (3, 0), "no segment is known to be late");
    }
}

/// Segment 1 arrives after segment 3. This reordering by three segments is counted once, from first transmissions only.
// covers [RFC8985 s6.2 step 3]
#[test]
fn first_transmission_below_the_highest_delivered_is_reordering() {
    let (mut rack, mut board) = sending(5);
    assert_eq!(rack.reordering(), (3, 0));
    sacked(&mut rack, &mut board, at(104), 4);
    assert_eq!(rack.reordering(), (3, 0));
    sacked(&mut rack, &mut board, at(105), 0);
    assert_eq!(rack.reordering(), (5, 1), "4000 and its 1000 bytes, from 0");
    sacked(&mut rack, &mut board, at(106), 1);
    assert_eq!(rack.reordering(), (5, 2));
    board.record_retransmission(at(107), 2000, None);
    sacked(&mut rack, &mut board, at(300), 2);
    assert_eq!(rack.reordering(), (5, 2));
}

/// When nothing is in flight, the capacity for a large window is freed, and the capacity for a small one is kept.
#[test]
fn idle_connection_frees_capacity() {
    for (segments, kept) in [(100, false), (4, true)] {
        let (mut rack, mut board) = sending(segments);
        let room = rack.order.capacity();
        board.acknowledge(1000 * segments, |_, _| ());
        rack.on_ack(&ack(at(200), 1000 * segments, 0), &mut board, &view());
        assert_eq!(rack.order.capacity() == room, kept, "{segments}");
        assert!(rack.order.is_empty());
    }
}

/// The probe is sent two round trips after the last segment, 200 ms later for a single segment because its
/// acknowledgment may be delayed, one second after the segment without a round trip sample, and never later than the
/// retransmission timer.
// covers [RFC8985 s7.2]
#[test]
fn tail_is_probed_after_two_round_trips() {
    let due = |segments: u64, view: &SenderView| {
        let mut board = Scoreboard::default();
        (0..segments).for_each(|_| board.record_new(at(0), 1000, false, None));
        let mut probe = TailProbe::new(true);
        probe.schedule(at(10), &board, view);
        probe.due()
    };
    assert_eq!(due(0, &view()), Time::NEVER);
    assert_eq!(due(1, &view()), at(10 + 200 + 200));
    assert_eq!(due(2, &view()), at(10 + 200));
    assert_eq!(due(2, &SenderView { srtt: None, ..view() }), at(1010));
    assert_eq!(due(2, &SenderView { expiry: at(150), ..view() }), at(150));
    assert_eq!(due(2, &SenderView { sack: false, ..view() }), Time::NEVER);
    let (_, mut board) = sending(3);
    let mut off = TailProbe::new(false);
    off.schedule(at(10), &board, &view());
    assert_eq!(off.due(), Time::NEVER);
    let mut probe = TailProbe::new(true);
    board.sack(1000, 2000, |_, _| ());
    probe.schedule(at(10), &board, &view());
    assert_eq!(probe.due(), Time::NEVER, "losses show without it");
}

/// A probe was retransmitted when 5000 bytes had been sent. The test states which acknowledgments show that the
/// original had arrived, and which show that it had not.
// covers [RFC8985 s7.4.2]
#[test]
fn probe_recovers_a_loss_unless_both_copies_arrived() {
    let found = |again: bool, acks: &[(u64, AckEffects)]| {
        let mut board = Scoreboard::default();
        (0..8).for_each(|_| board.record_new(at(0), 1000, false, None));
        let mut probe = TailProbe::new(true);
        probe.on_probe_sent(again, 5000);
        let found = acks.iter().map(|(una, ack)| {
            board.acknowledge(*una, |_, _| ());
            matches!(probe.on_ack(ack, &board), Found::Repaired)
        });
        found.collect::<Vec<_>>()
    };
    let plain = |acked| ack(at(300), acked, 0);
    let twice = |end| AckEffects { duplicate_sack: Some((end - 1000, end)), ..plain(0) };
    assert_eq!(found(true, &[(4000, plain(4000)), (6000, plain(2000)), (7000, plain(1000))]), [false, true, false]);
    assert_eq!(found(true, &[(5000, plain(5000)), (6000, plain(1000))]), [false, true]);
    assert_eq!(found(true, &[(5000, plain(5000)), (5000, plain(0)), (6000, plain(1000))]), [false; 3]);
    assert_eq!(
        found(true, &[(5000, plain(5000)), (5000, ack(at(300), 0, 1000)), (6000, plain(1000))]),
        [false, false, true]
    );
    assert_eq!(found(true, &[(5000, twice(5000)), (6000, plain(1000))]), [false; 2]);
    assert_eq!(found(true, &[(6000, twice(4000))]), [true]);
    assert_eq!(found(true, &[(6000, AckEffects { echoes_original: true, ..plain(6000) })]), [false]);
    assert_eq!(found(false, &[(6000, plain(6000))]), [false], "new data repairs nothing");
}

// covers [RFC8985 s6.2 step 2]: the segment was retransmitted 100 ms ago, and the timestamp echo of its acknowledgment
// is older than the retransmission, equal to it, or missing.
#[test]
fn echo_older_than_the_retransmission_is_not_measured() {
    for (echo, measured) in [(Some(199), 0), (Some(200), 100), (None, 100)] {
        let mut board = Scoreboard::default();
        board.record_new(Time::ZERO, 1000, false, None);
        board.lose_all();
        board.record_retransmission(Time::from_millis(200), 0, None);
        let view = SenderView {
            segment: 1000.0,
            cwnd: 10_000.0,
            ssthresh: 10_000.0,
            srtt: None,
            min_rtt: Some(Span::from_millis(50)),
            echo,
            sack: true,
            after_timeout: false,
            expiry: Time::NEVER,
        };
        let mut rack = Rack::new(true);
        rack.on_delivered(Time::from_millis(300), board.first().expect("it was sent"), &view);
        assert_eq!(rack.rtt, Span::from_millis(measured), "{echo:?}");
    }
}
