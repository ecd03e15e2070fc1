//! RTS, CTS, their reservations, and fragments, with times computed by hand for the cell described in [`cell::slow`].

use crate::cell;

use cell::Plan;
use cell::slow::{LONG, SHORT, asking, losing, micros, slow, timeline};
use engine::{Bytes, Span};
use path::mac::dcf::Config;

// covers [802.11-2007 s9.2.5.4], [802.11-2007 s9.2.5.7]
/// The RTS reserves 10 + 304, 10 + 4192 and 10 + 304 us, together 4830 us. The CTS reserves 4830 less 10 + 304, which
/// is 4516 us. The short frame is sent without RTS at 5186 + 50 + 2 x 20 = 5276 us.
#[test]
fn frames_above_the_threshold_use_rts_and_others_set_their_nav() {
    let plan = Plan::around_one(asking(), 2).drawing(1, &[(31, 10)]).drawing(2, &[(31, 2)]);
    assert_eq!(
        timeline(&plan, &[(0, 0, LONG), (20, 1, SHORT)]),
        [
            "     0 1>0 RTS 0 takes 352, reserving 4830",
            "    20 2 draws 2 of 31",
            "   353 1>0 RTS received",
            "   363 0>1 CTS 0 takes 304, reserving 4516",
            "   668 0>1 CTS received",
            "   678 1>0 DATA 0 takes 4192, reserving 314",
            "  4871 1>0 DATA received",
            "  4871 link 0: a packet arrives",
            "  4881 0>1 ACK 0 takes 304",
            "  5186 0>1 ACK received",
            "  5186 1 draws 10 of 31",
            "  5276 2>0 DATA 0 takes 992, reserving 314",
            "  6269 2>0 DATA received",
            "  6269 link 1: a packet arrives",
            "  6279 0>2 ACK 0 takes 304",
            "  6584 0>2 ACK received",
            "  6584 2 draws 16 of 31",
        ]
    );
}

/// A frame of 500 bytes with a threshold of 500, and of 499.
// covers [802.11-2007 s9.2.6]: RTS precedes a frame whose length is *greater* than dot11RTSThreshold.
#[test]
fn frame_at_the_threshold_is_sent_without_rts() {
    let first = |threshold: u64| {
        let config = Config { rts_threshold: Some(Bytes(threshold)), ..slow() };
        timeline(&Plan::around_one(config, 1), &[(0, 0, LONG)]).swap_remove(0)
    };
    assert_eq!(first(500), "     0 1>0 DATA 0 takes 4192, reserving 314");
    assert_eq!(first(499), "     0 1>0 RTS 0 takes 352, reserving 4830");
}

// covers [802.11-2007 s9.2.5.4]: a frame sets no NAV at its receiver.
/// The damaged CTS ends at 668 us; 668 + 364 + 2 x 20 = 1072, long before 353 + 4830.
#[test]
fn receiver_of_a_repeated_rts_answers_despite_the_reservation() {
    let plan = Plan::around_one(asking(), 1).drawing(1, &[(63, 2)]).scripted(0, losing(&[], &[micros(400, 410)]));
    assert_eq!(
        timeline(&plan, &[(0, 0, LONG)]),
        [
            "     0 1>0 RTS 0 takes 352, reserving 4830",
            "   353 1>0 RTS received",
            "   363 0>1 CTS 0 takes 304, reserving 4516",
            "   668 0>1 CTS corrupted",
            "   668 1 draws 2 of 63",
            "  1072 1>0 RTS 0 again takes 352, reserving 4830",
            "  1425 1>0 RTS received",
            "  1435 0>1 CTS 0 takes 304, reserving 4516",
            "  1740 0>1 CTS received",
            "  1750 1>0 DATA 0 takes 4192, reserving 314",
            "  5943 1>0 DATA received",
            "  5943 link 0: a packet arrives",
            "  5953 0>1 ACK 0 takes 304",
            "  6258 0>1 ACK received",
            "  6258 1 draws 16 of 31",
        ]
    );
}

// covers [802.11-2007 s9.2.5.3]
/// 4870 + 222 = 5092, and 5092 + 5 x 20 = 5192. The RTS frames are answered, and each is a success of a short frame.
#[test]
fn long_retry_limit_exceeded_drops_packet() {
    let plan = Plan::around_one(Config { long_retry_limit: Some(2), ..asking() }, 1)
        .drawing(1, &[(63, 5), (31, 6)])
        .scripted(0, losing(&[0, 1], &[]));
    assert_eq!(
        timeline(&plan, &[(0, 0, LONG), (0, 0, SHORT)]),
        [
            "     0 1>0 RTS 0 takes 352, reserving 4830",
            "   353 1>0 RTS received",
            "   363 0>1 CTS 0 takes 304, reserving 4516",
            "   668 0>1 CTS received",
            "   678 1>0 DATA 0 takes 4192, reserving 314",
            "  4871 1>0 DATA corrupted",
            "  5092 1 draws 5 of 63",
            "  5192 1>0 RTS 0 again takes 352, reserving 4830",
            "  5545 1>0 RTS received",
            "  5555 0>1 CTS 0 takes 304, reserving 4516",
            "  5860 0>1 CTS received",
            "  5870 1>0 DATA 0 again takes 4192, reserving 314",
            " 10063 1>0 DATA corrupted",
            " 10284 link 0: gives up 0 after 2 attempts of data",
            " 10284 1 draws 6 of 31",
            " 10404 1>0 DATA 1 takes 992, reserving 314",
            " 11397 1>0 DATA received",
            " 11397 link 0: a packet arrives",
            " 11407 0>1 ACK 1 takes 304",
            " 11712 0>1 ACK received",
            " 11712 1 draws 27 of 31",
        ]
    );
}

// covers [802.11-2007 s9.2.5.3], [802.11-2007 s9.2.4]
/// The first RTS is damaged, the first data frame is dropped, and the second data frame is damaged by the channel. With
/// a short limit of two the packet is not given up, because only one RTS failed. The contention window continues to
/// double.
#[test]
fn cts_resets_the_short_failure_count_but_not_the_window() {
    let plan = Plan::around_one(Config { short_retry_limit: Some(2), ..asking() }, 1)
        .drawing(1, &[(63, 0), (127, 1), (255, 0)])
        .scripted(0, losing(&[0], &[micros(100, 101), micros(6700, 6701)]));
    assert_eq!(
        timeline(&plan, &[(0, 0, LONG)]),
        [
            "     0 1>0 RTS 0 takes 352, reserving 4830",
            "   353 1>0 RTS corrupted",
            "   574 1 draws 0 of 63",
            "   574 1>0 RTS 0 again takes 352, reserving 4830",
            "   927 1>0 RTS received",
            "   937 0>1 CTS 0 takes 304, reserving 4516",
            "  1242 0>1 CTS received",
            "  1252 1>0 DATA 0 takes 4192, reserving 314",
            "  5445 1>0 DATA corrupted",
            "  5666 1 draws 1 of 127",
            "  5686 1>0 RTS 0 again takes 352, reserving 4830",
            "  6039 1>0 RTS received",
            "  6049 0>1 CTS 0 takes 304, reserving 4516",
            "  6354 0>1 CTS received",
            "  6364 1>0 DATA 0 again takes 4192, reserving 314",
            " 10557 1>0 DATA corrupted",
            " 10778 1 draws 0 of 255",
            " 10778 1>0 RTS 0 again takes 352, reserving 4830",
            " 11131 1>0 RTS received",
            " 11141 0>1 CTS 0 takes 304, reserving 4516",
            " 11446 0>1 CTS received",
            " 11456 1>0 DATA 0 again takes 4192, reserving 314",
            " 15649 1>0 DATA received",
            " 15649 link 0: a packet arrives",
            " 15659 0>1 ACK 0 takes 304",
            " 15964 0>1 ACK received",
            " 15964 1 draws 30 of 31",
        ]
    );
}

// covers [802.11-2007 s9.1.4], [802.11-2007 s9.4]
/// 700 + 8 bytes are fragments of 272, 272 and 164, frames of 300, 300 and 192 bytes: 2592, 2592 and 1728 us. The first
/// reserves its acknowledgment and the next fragment with its acknowledgment, 314 + 10 + 2592 + 314 = 3230, the
/// acknowledgment reserves 3230 - 314 = 2916. The second fragment is lost: 5510 + 222 = 5732, and 5732 + 2 x 20 = 5772.
/// That is its first failure, so the window is 63.
#[test]
fn fragments_follow_after_sifs_and_only_a_lost_one_is_repeated() {
    let plan = Plan::around_one(Config { fragmentation_threshold: Some(Bytes(300)), ..slow() }, 1)
        .drawing(1, &[(63, 2)])
        .scripted(0, losing(&[1], &[]));
    assert_eq!(
        timeline(&plan, &[(0, 0, 700)]),
        [
            "     0 1>0 DATA 0 takes 2592, reserving 3230",
            "  2593 1>0 DATA received",
            "  2603 0>1 ACK 0 takes 304, reserving 2916",
            "  2908 0>1 ACK received",
            "  2918 1>0 DATA 0 takes 2592, reserving 2366",
            "  5511 1>0 DATA corrupted",
            "  5732 1 draws 2 of 63",
            "  5772 1>0 DATA 0 again takes 2592, reserving 2366",
            "  8365 1>0 DATA received",
            "  8375 0>1 ACK 0 takes 304, reserving 2052",
            "  8680 0>1 ACK received",
            "  8690 1>0 DATA 0 takes 1728, reserving 314",
            " 10419 1>0 DATA received",
            " 10419 link 0: a packet arrives",
            " 10429 0>1 ACK 0 takes 304",
            " 10734 0>1 ACK received",
            " 10734 1 draws 16 of 31",
        ]
    );
}

// covers [802.11-2007 s9.2.4]: the window is reset after every MPDU that succeeds.
/// The first fragment fails twice, the second once: contention windows of 63, 127 and again 63.
#[test]
fn acknowledged_fragment_resets_the_contention_window() {
    let plan = Plan::around_one(Config { fragmentation_threshold: Some(Bytes(300)), ..slow() }, 1)
        .drawing(1, &[(63, 1), (127, 1), (63, 1)])
        .scripted(0, losing(&[0, 1, 3], &[]));
    assert_eq!(
        timeline(&plan, &[(0, 0, 500)]),
        [
            "     0 1>0 DATA 0 takes 2592, reserving 2942",
            "  2593 1>0 DATA corrupted",
            "  2814 1 draws 1 of 63",
            "  2834 1>0 DATA 0 again takes 2592, reserving 2942",
            "  5427 1>0 DATA corrupted",
            "  5648 1 draws 1 of 127",
            "  5668 1>0 DATA 0 again takes 2592, reserving 2942",
            "  8261 1>0 DATA received",
            "  8271 0>1 ACK 0 takes 304, reserving 2628",
            "  8576 0>1 ACK received",
            "  8586 1>0 DATA 0 takes 2304, reserving 314",
            " 10891 1>0 DATA corrupted",
            " 11112 1 draws 1 of 63",
            " 11132 1>0 DATA 0 again takes 2304, reserving 314",
            " 13437 1>0 DATA received",
            " 13437 link 0: a packet arrives",
            " 13447 0>1 ACK 0 takes 304",
            " 13752 0>1 ACK received",
            " 13752 1 draws 9 of 31",
        ]
    );
}

/// Station 2 sends an RTS at 1357 us that reserves the medium until 1710 + 4830 = 6540, misses the CTS and retransmits
/// the RTS. The timeout of station 1 ends at 992 + 1500 = 2492, when the medium is idle but reserved: its 2 slots count
/// after the exchange, 7895 + 50 + 2 x 20.
#[test]
fn reservation_during_a_response_timeout_is_respected() {
    let plan = Plan::around_one(Config { answer_timeout: Some(Span::from_nanos(1_500_000)), ..asking() }, 2)
        .drawing(1, &[(63, 2)])
        .drawing(2, &[(31, 0)])
        .scripted(0, losing(&[0], &[]))
        .scripted(1, losing(&[], &[micros(1750, 1760)]));
    assert_eq!(
        timeline(&plan, &[(0, 0, SHORT), (100, 1, LONG)]),
        [
            "     0 1>0 DATA 0 takes 992, reserving 314",
            "   100 2 draws 0 of 31",
            "   993 1>0 DATA corrupted",
            "  1357 2>0 RTS 0 takes 352, reserving 4830",
            "  1710 2>0 RTS received",
            "  1720 0>2 CTS 0 takes 304, reserving 4516",
            "  2025 0>2 CTS corrupted",
            "  2025 2 draws 16 of 63",
            "  2492 1 draws 2 of 63",
            "  2709 2>0 RTS 0 again takes 352, reserving 4830",
            "  3062 2>0 RTS received",
            "  3072 0>2 CTS 0 takes 304, reserving 4516",
            "  3377 0>2 CTS received",
            "  3387 2>0 DATA 0 takes 4192, reserving 314",
            "  7580 2>0 DATA received",
            "  7580 link 1: a packet arrives",
            "  7590 0>2 ACK 0 takes 304",
            "  7895 0>2 ACK received",
            "  7895 2 draws 14 of 31",
            "  7985 1>0 DATA 0 again takes 992, reserving 314",
            "  8978 1>0 DATA received",
            "  8978 link 0: a packet arrives",
            "  8988 0>1 ACK 0 takes 304",
            "  9293 0>1 ACK received",
            "  9293 1 draws 16 of 31",
        ]
    );
}
