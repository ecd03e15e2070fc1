//! IEEE 802.11's distributed coordination function, with times computed by hand for the cell described in
//! [`cell::slow`]: access, back-offs, collisions, retries, neighbours. RTS and fragments are in dcf_requests.rs.

use crate::cell;

use cell::Plan;
use cell::slow::{LONG, SHORT, losing, micros, slow, timeline};
use engine::Span;
use path::mac::dcf::Config;
use path::scheduler::SchedulerConfig;

// covers [802.11-2007 s9.2.5.1], [802.11-2007 s9.2.5.2]
/// The second packet waits for the back-off after the first: 4508 + 50 + 5 x 20 = 4658.
#[test]
fn idle_medium_is_used_at_once_and_a_back_off_follows_every_exchange() {
    let plan = Plan::around_one(slow(), 1).drawing(1, &[(31, 5), (31, 2)]);
    assert_eq!(
        timeline(&plan, &[(0, 0, LONG), (1, 0, LONG)]),
        [
            "     0 1>0 DATA 0 takes 4192, reserving 314",
            "  4193 1>0 DATA received",
            "  4193 link 0: a packet arrives",
            "  4203 0>1 ACK 0 takes 304",
            "  4508 0>1 ACK received",
            "  4508 1 draws 5 of 31",
            "  4658 1>0 DATA 1 takes 4192, reserving 314",
            "  8851 1>0 DATA received",
            "  8851 link 0: a packet arrives",
            "  8861 0>1 ACK 1 takes 304",
            "  9166 0>1 ACK received",
            "  9166 1 draws 2 of 31",
        ]
    );
}

// covers [802.11-2007 s9.2.5.2]: the back-off after an exchange runs although no packet waits.
/// The first back-off lasts until 1308 + 50 + 10 x 20 = 1558 us, so that it is in progress at 1400 us. At 9000 us the
/// next back-off has ended.
#[test]
fn station_after_its_back_off_sends_at_once() {
    let plan = Plan::around_one(slow(), 1).drawing(1, &[(31, 10), (31, 0)]);
    assert_eq!(
        timeline(&plan, &[(0, 0, SHORT), (1400, 0, SHORT), (9000, 0, SHORT)]),
        [
            "     0 1>0 DATA 0 takes 992, reserving 314",
            "   993 1>0 DATA received",
            "   993 link 0: a packet arrives",
            "  1003 0>1 ACK 0 takes 304",
            "  1308 0>1 ACK received",
            "  1308 1 draws 10 of 31",
            "  1558 1>0 DATA 1 takes 992, reserving 314",
            "  2551 1>0 DATA received",
            "  2551 link 0: a packet arrives",
            "  2561 0>1 ACK 1 takes 304",
            "  2866 0>1 ACK received",
            "  2866 1 draws 0 of 31",
            "  9000 1>0 DATA 2 takes 992, reserving 314",
            "  9993 1>0 DATA received",
            "  9993 link 0: a packet arrives",
            " 10003 0>1 ACK 2 takes 304",
            " 10308 0>1 ACK received",
            " 10308 1 draws 18 of 31",
        ]
    );
}

// covers [802.11-2007 s9.2.5.1]
/// 4508 + 50 + 3 x 20 = 4618. A station that defers needs no NAV for the acknowledgment.
#[test]
fn busy_medium_causes_back_off() {
    let plan = Plan::around_one(slow(), 2).drawing(1, &[(31, 9)]).drawing(2, &[(31, 3)]);
    assert_eq!(
        timeline(&plan, &[(0, 0, LONG), (100, 1, LONG)]),
        [
            "     0 1>0 DATA 0 takes 4192, reserving 314",
            "   100 2 draws 3 of 31",
            "  4193 1>0 DATA received",
            "  4193 link 0: a packet arrives",
            "  4203 0>1 ACK 0 takes 304",
            "  4508 0>1 ACK received",
            "  4508 1 draws 9 of 31",
            "  4618 2>0 DATA 0 takes 4192, reserving 314",
            "  8811 2>0 DATA received",
            "  8811 link 1: a packet arrives",
            "  8821 0>2 ACK 0 takes 304",
            "  9126 0>2 ACK received",
            "  9126 2 draws 23 of 31",
        ]
    );
}

// covers [802.11-2007 s9.2.5.2]
/// Station 1 transmits at 4508 + 50 + 4 x 20 = 4638. Then 3 of the 7 slots of station 2 remain: 9146 + 50 + 3 x 20 =
/// 9256. The slot in which the frame begins is not counted.
#[test]
fn back_off_is_frozen_while_the_medium_is_busy() {
    let plan = Plan::around_one(slow(), 2).drawing(1, &[(31, 4), (31, 0)]).drawing(2, &[(31, 7)]);
    assert_eq!(
        timeline(&plan, &[(0, 0, LONG), (0, 0, LONG), (100, 1, LONG)]),
        [
            "     0 1>0 DATA 0 takes 4192, reserving 314",
            "   100 2 draws 7 of 31",
            "  4193 1>0 DATA received",
            "  4193 link 0: a packet arrives",
            "  4203 0>1 ACK 0 takes 304",
            "  4508 0>1 ACK received",
            "  4508 1 draws 4 of 31",
            "  4638 1>0 DATA 1 takes 4192, reserving 314",
            "  8831 1>0 DATA received",
            "  8831 link 0: a packet arrives",
            "  8841 0>1 ACK 1 takes 304",
            "  9146 0>1 ACK received",
            "  9146 1 draws 0 of 31",
            "  9256 2>0 DATA 0 takes 4192, reserving 314",
            " 13449 2>0 DATA received",
            " 13449 link 1: a packet arrives",
            " 13459 0>2 ACK 0 takes 304",
            " 13764 0>2 ACK received",
            " 13764 2 draws 13 of 31",
        ]
    );
}

// covers [802.11-2007 s9.2.4], [802.11-2012 s9.3.2.8]
/// The frames are transmitted until 4192, and fail 222 us later at 4414. Slots count from then on, because the medium
/// has been idle for more than DIFS: 4414 + 20 = 4434. Station 2 has one of two slots left: 8942 + 50 + 20 = 9012.
#[test]
fn simultaneous_frames_collide_and_double_the_windows() {
    let plan = Plan::around_one(slow(), 2).drawing(1, &[(63, 1)]).drawing(2, &[(63, 2)]);
    assert_eq!(
        timeline(&plan, &[(0, 0, LONG), (0, 1, LONG)]),
        [
            "     0 1>0 DATA 0 takes 4192, reserving 314",
            "     0 2>0 DATA 0 takes 4192, reserving 314",
            "  4193 1>0 DATA collided",
            "  4193 2>0 DATA collided",
            "  4414 1 draws 1 of 63",
            "  4414 2 draws 2 of 63",
            "  4434 1>0 DATA 0 again takes 4192, reserving 314",
            "  8627 1>0 DATA received",
            "  8627 link 0: a packet arrives",
            "  8637 0>1 ACK 0 takes 304",
            "  8942 0>1 ACK received",
            "  8942 1 draws 29 of 31",
            "  9012 2>0 DATA 0 again takes 4192, reserving 314",
            " 13205 2>0 DATA received",
            " 13205 link 1: a packet arrives",
            " 13215 0>2 ACK 0 takes 304",
            " 13520 0>2 ACK received",
            " 13520 2 draws 16 of 31",
        ]
    );
}

/// The first frame reaches station 2 at 101, when station 2 begins its own. Each station's timeout counts from the end
/// of its own frame: 4514 and 4515. Of 20 slots that count from 4515 on, 19 remain at 4535: 9042 + 50 + 19 x 20 = 9472.
#[test]
fn frame_begun_within_the_propagation_delay_is_not_sensed() {
    let plan = Plan::around_one(slow(), 2).drawing(1, &[(63, 1)]).drawing(2, &[(63, 20)]);
    assert_eq!(
        timeline(&plan, &[(100, 0, LONG), (101, 1, LONG)]),
        [
            "   100 1>0 DATA 0 takes 4192, reserving 314",
            "   101 2>0 DATA 0 takes 4192, reserving 314",
            "  4293 1>0 DATA collided",
            "  4294 2>0 DATA collided",
            "  4514 1 draws 1 of 63",
            "  4515 2 draws 20 of 63",
            "  4534 1>0 DATA 0 again takes 4192, reserving 314",
            "  8727 1>0 DATA received",
            "  8727 link 0: a packet arrives",
            "  8737 0>1 ACK 0 takes 304",
            "  9042 0>1 ACK received",
            "  9042 1 draws 29 of 31",
            "  9472 2>0 DATA 0 again takes 4192, reserving 314",
            " 13665 2>0 DATA received",
            " 13665 link 1: a packet arrives",
            " 13675 0>2 ACK 0 takes 304",
            " 13980 0>2 ACK received",
            " 13980 2 draws 25 of 31",
        ]
    );
}

// covers [802.11-2007 s9.2.3.4]
/// Station 3 transmits at 4193 + 364 + 4 x 20 = 4637. Station 2 has counted from 4414 to 4638, 11 complete slots of 25:
/// 5945 + 50 + 14 x 20 = 6275. Station 1 has 30 - 11 - 14 = 5 left: 10783 + 50 + 5 x 20 = 10933.
#[test]
fn stations_that_sense_a_collision_wait_for_eifs() {
    let plan = Plan::around_one(slow(), 3).drawing(1, &[(63, 30)]).drawing(2, &[(63, 25)]).drawing(3, &[(31, 4)]);
    assert_eq!(
        timeline(&plan, &[(0, 0, LONG), (0, 1, LONG), (500, 2, SHORT)]),
        [
            "     0 1>0 DATA 0 takes 4192, reserving 314",
            "     0 2>0 DATA 0 takes 4192, reserving 314",
            "   500 3 draws 4 of 31",
            "  4193 1>0 DATA collided",
            "  4193 2>0 DATA collided",
            "  4414 1 draws 30 of 63",
            "  4414 2 draws 25 of 63",
            "  4637 3>0 DATA 0 takes 992, reserving 314",
            "  5630 3>0 DATA received",
            "  5630 link 2: a packet arrives",
            "  5640 0>3 ACK 0 takes 304",
            "  5945 0>3 ACK received",
            "  5945 3 draws 4 of 31",
            "  6275 2>0 DATA 0 again takes 4192, reserving 314",
            " 10468 2>0 DATA received",
            " 10468 link 1: a packet arrives",
            " 10478 0>2 ACK 0 takes 304",
            " 10783 0>2 ACK received",
            " 10783 2 draws 24 of 31",
            " 10933 1>0 DATA 0 again takes 4192, reserving 314",
            " 15126 1>0 DATA received",
            " 15126 link 0: a packet arrives",
            " 15136 0>1 ACK 0 takes 304",
            " 15441 0>1 ACK received",
            " 15441 1 draws 2 of 31",
        ]
    );
}

/// After the collision of the test above, station 3 transmits at 4193 + 464 + 4 x 20 = 4737. The collided station
/// counts slots from 4414 on as before.
#[test]
fn eifs_can_be_configured() {
    let config = Config { eifs: Some(Span::from_nanos(464_000)), ..slow() };
    let plan = Plan::around_one(config, 3).drawing(1, &[(63, 30)]).drawing(2, &[(63, 25)]).drawing(3, &[(31, 4)]);
    let lines = timeline(&plan, &[(0, 0, LONG), (0, 1, LONG), (500, 2, SHORT)]);
    assert_eq!(
        lines[5..8],
        ["  4414 1 draws 30 of 63", "  4414 2 draws 25 of 63", "  4737 3>0 DATA 0 takes 992, reserving 314"]
    );
}

// covers [802.11-2007 s9.2.3.4]
/// Station 0 transmits at 4193 + 364 + 3 x 20 = 4617. Station 1 has counted from 4414 to 4618, 10 complete slots of 40:
/// 5925 + 50 + 30 x 20 = 6575.
#[test]
fn receiver_of_a_damaged_frame_waits_for_eifs() {
    let plan = Plan { links: vec![[1, 0], [0, 1]], ..Plan::around_one(slow(), 1) }
        .drawing(0, &[(31, 3)])
        .drawing(1, &[(63, 40)])
        .scripted(0, losing(&[0], &[]));
    assert_eq!(
        timeline(&plan, &[(0, 0, LONG), (50, 1, SHORT)]),
        [
            "     0 1>0 DATA 0 takes 4192, reserving 314",
            "    50 0 draws 3 of 31",
            "  4193 1>0 DATA corrupted",
            "  4414 1 draws 40 of 63",
            "  4617 0>1 DATA 0 takes 992, reserving 314",
            "  5610 0>1 DATA received",
            "  5610 link 1: a packet arrives",
            "  5620 1>0 ACK 0 takes 304",
            "  5925 1>0 ACK received",
            "  5925 0 draws 23 of 31",
            "  6575 1>0 DATA 0 again takes 4192, reserving 314",
            " 10768 1>0 DATA received",
            " 10768 link 0: a packet arrives",
            " 10778 0>1 ACK 0 takes 304",
            " 11083 0>1 ACK received",
            " 11083 1 draws 10 of 31",
        ]
    );
}

// covers [802.11-2007 s9.2.3.4]
/// A station that has data only after the damaged frame waits for EIFS, too. At 11 Mbps the reservation lasts 258 us,
/// with DIFS until 308 us after the frame that the station could not decode, so that the station does not know the
/// reservation. EIFS is 364 us.
#[test]
fn resting_receiver_of_a_damaged_frame_waits_for_eifs() {
    let plan =
        Plan { links: vec![[1, 0], [0, 1]], ..Plan::around_one(Config::default(), 1) }.scripted(0, losing(&[0], &[]));
    let lines = timeline(&plan, &[(0, 0, LONG), (700, 1, SHORT)]);
    let begin = |line: &str| line[..lines[3].find(" takes").unwrap_or_default()].to_owned();
    assert_eq!(lines[1..3], ["   557 1>0 DATA corrupted", "   778 1 draws 35 of 63"]);
    assert_eq!(begin(&lines[3]), "   921 0>1 DATA 0");
}

// covers [802.11-2007 s9.2.9]
/// The damaged acknowledgment ends at 4508, when the sender detects the failure: 4508 + 364 + 2 x 20 = 4912. The
/// retransmission is acknowledged and not delivered again.
#[test]
fn lost_acknowledgment_causes_a_duplicate() {
    let plan = Plan::around_one(slow(), 1).drawing(1, &[(63, 2)]).scripted(0, losing(&[], &[micros(4300, 4310)]));
    assert_eq!(
        timeline(&plan, &[(0, 0, LONG)]),
        [
            "     0 1>0 DATA 0 takes 4192, reserving 314",
            "  4193 1>0 DATA received",
            "  4193 link 0: a packet arrives",
            "  4203 0>1 ACK 0 takes 304",
            "  4508 0>1 ACK corrupted",
            "  4508 1 draws 2 of 63",
            "  4912 1>0 DATA 0 again takes 4192, reserving 314",
            "  9105 1>0 DATA received",
            "  9105 link 0: 0 is a duplicate",
            "  9115 0>1 ACK 0 takes 304",
            "  9420 0>1 ACK received",
            "  9420 1 draws 16 of 31",
        ]
    );
}

// covers [802.11-2007 s9.2.5.3], [802.11-2007 s9.2.4]
/// The packet is sent again at 4414 + 5 x 20 = 4514, and given up at 4514 + 4192 + 222 = 8928. The next one is sent at
/// 8928 + 6 x 20 = 9048.
#[test]
fn short_retry_limit_exceeded_drops_packet_and_resets_the_window() {
    let plan = Plan::around_one(Config { short_retry_limit: Some(2), ..slow() }, 1)
        .drawing(1, &[(63, 5), (31, 6)])
        .scripted(0, losing(&[0, 1], &[]));
    assert_eq!(
        timeline(&plan, &[(0, 0, LONG), (0, 0, SHORT)]),
        [
            "     0 1>0 DATA 0 takes 4192, reserving 314",
            "  4193 1>0 DATA corrupted",
            "  4414 1 draws 5 of 63",
            "  4514 1>0 DATA 0 again takes 4192, reserving 314",
            "  8707 1>0 DATA corrupted",
            "  8928 link 0: gives up 0 after 2 attempts of data",
            "  8928 1 draws 6 of 31",
            "  9048 1>0 DATA 1 takes 992, reserving 314",
            " 10041 1>0 DATA received",
            " 10041 link 0: a packet arrives",
            " 10051 0>1 ACK 1 takes 304",
            " 10356 0>1 ACK received",
            " 10356 1 draws 27 of 31",
        ]
    );
}

/// With a timeout of 6 ms the other exchange takes place during the timeout. That exchange ends at 5925, and DIFS has
/// elapsed when the timeout ends at 992 + 6000.
#[test]
fn exchange_during_an_acknowledgment_timeout_makes_the_medium_busy() {
    let plan = Plan::around_one(Config { answer_timeout: Some(Span::from_millis(6)), ..slow() }, 2)
        .drawing(1, &[(63, 1)])
        .drawing(2, &[(31, 3)])
        .scripted(0, losing(&[0], &[]));
    assert_eq!(
        timeline(&plan, &[(0, 0, SHORT), (100, 1, LONG)]),
        [
            "     0 1>0 DATA 0 takes 992, reserving 314",
            "   100 2 draws 3 of 31",
            "   993 1>0 DATA corrupted",
            "  1417 2>0 DATA 0 takes 4192, reserving 314",
            "  5610 2>0 DATA received",
            "  5610 link 1: a packet arrives",
            "  5620 0>2 ACK 0 takes 304",
            "  5925 0>2 ACK received",
            "  5925 2 draws 23 of 31",
            "  6992 1 draws 1 of 63",
            "  7012 1>0 DATA 0 again takes 992, reserving 314",
            "  8005 1>0 DATA received",
            "  8005 link 0: a packet arrives",
            "  8015 0>1 ACK 0 takes 304",
            "  8320 0>1 ACK received",
            "  8320 1 draws 29 of 31",
        ]
    );
}

/// The first attempt fails at 992 + 222 = 1214; the other neighbour is served before the retransmission. Back-offs of 0
/// leave DIFS.
#[test]
fn neighbours_are_served_in_turn_one_attempt_each() {
    let plan = Plan { links: vec![[0, 1], [0, 2]], ..Plan::around_one(slow(), 2) }
        .drawing(0, &[(63, 0), (31, 0), (31, 0), (31, 0)])
        .scripted(0, losing(&[0], &[]));
    assert_eq!(
        timeline(&plan, &[(0, 0, SHORT), (0, 0, SHORT), (0, 1, SHORT)]),
        [
            "     0 0>1 DATA 0 takes 992, reserving 314",
            "   993 0>1 DATA corrupted",
            "  1214 0 draws 0 of 63",
            "  1214 0>2 DATA 0 takes 992, reserving 314",
            "  2207 0>2 DATA received",
            "  2207 link 1: a packet arrives",
            "  2217 2>0 ACK 0 takes 304",
            "  2522 2>0 ACK received",
            "  2522 0 draws 0 of 31",
            "  2572 0>1 DATA 0 again takes 992, reserving 314",
            "  3565 0>1 DATA received",
            "  3565 link 0: a packet arrives",
            "  3575 1>0 ACK 0 takes 304",
            "  3880 1>0 ACK received",
            "  3880 0 draws 0 of 31",
            "  3930 0>1 DATA 1 takes 992, reserving 314",
            "  4923 0>1 DATA received",
            "  4923 link 0: a packet arrives",
            "  4933 1>0 ACK 1 takes 304",
            "  5238 1>0 ACK received",
            "  5238 0 draws 0 of 31",
        ]
    );
}

/// The packets of the test above, with FIFO scheduling: the second neighbour is served last.
#[test]
fn fifo_scheduler_blocks_others_until_delivery() {
    let plan = Plan {
        links: vec![[0, 1], [0, 2]],
        scheduler: SchedulerConfig::Fifo(Default::default()),
        ..Plan::around_one(slow(), 2)
    }
    .drawing(0, &[(63, 0), (31, 0), (31, 0), (31, 0)])
    .scripted(0, losing(&[0], &[]));
    assert_eq!(
        timeline(&plan, &[(0, 0, SHORT), (0, 0, SHORT), (0, 1, SHORT)]),
        [
            "     0 0>1 DATA 0 takes 992, reserving 314",
            "   993 0>1 DATA corrupted",
            "  1214 0 draws 0 of 63",
            "  1214 0>1 DATA 0 again takes 992, reserving 314",
            "  2207 0>1 DATA received",
            "  2207 link 0: a packet arrives",
            "  2217 1>0 ACK 0 takes 304",
            "  2522 1>0 ACK received",
            "  2522 0 draws 0 of 31",
            "  2572 0>1 DATA 1 takes 992, reserving 314",
            "  3565 0>1 DATA received",
            "  3565 link 0: a packet arrives",
            "  3575 1>0 ACK 1 takes 304",
            "  3880 1>0 ACK received",
            "  3880 0 draws 0 of 31",
            "  3930 0>2 DATA 0 takes 992, reserving 314",
            "  4923 0>2 DATA received",
            "  4923 link 1: a packet arrives",
            "  4933 2>0 ACK 0 takes 304",
            "  5238 2>0 ACK received",
            "  5238 0 draws 0 of 31",
        ]
    );
}
