//! IEEE 802.11's distributed coordination function by hand: every time can be checked with pencil and paper.
//!
//! 802.11b with data at 1 Mbps, so that each byte takes 8 us behind the 192 us of preamble and header. A packet of 464 bytes
//! is a frame of 464 + 8 + 28 = 500, 4192 us; one of 64 bytes a frame of 100, 992 us. Acknowledgments and clears to send are
//! 14 bytes, 304 us, requests 20, 352 us. SIFS 10, slot 20, DIFS 50, EIFS 10 + 304 + 50 = 364, the wait for an answer
//! 10 + 20 + 192 = 222 from the end of the sending. The way to every station is 1 us: a frame of 4192 us that begins at 0 is
//! heard until 4193, its acknowledgment begins at 4203 and is heard until 4203 + 304 + 1 = 4508, and data reserves
//! 10 + 304 = 314.
//!
//! `1>0` is from station 1 to station 0. What a station draws is chosen by its stream and stands in the log. Draws in the last
//! line of an exchange that decides nothing more are whatever the stream gives.

mod cell;

use cell::{Cell, Plan};
use engine::{Bytes, Rate, Span};
use path::Way::Forward;
use path::channel::scripted;
use path::mac::dcf::Config;
use path::station::scheduler::Scheduler;

/// Packets that become frames of 500 and of 100 bytes.
const LONG: u32 = 464;
const SHORT: u32 = 64;

fn slow() -> Config {
    Config { rate: Rate::from_bits_per_sec(1_000_000), ..Config::default() }
}

/// Frames of more than 400 bytes ask first.
fn asking() -> Config {
    Config { rts_threshold: Some(Bytes(400)), ..slow() }
}

fn micros(from: u64, to: u64) -> [Span; 2] {
    [from, to].map(|at| Span::from_nanos(at * 1000))
}

/// Loses these data frames of a link, and all that is in the air in these intervals.
fn losing(drop: &[u64], bad: &[[Span; 2]]) -> scripted::Config {
    scripted::Config { drop: drop.to_vec(), bad: bad.to_vec(), ..scripted::Config::default() }
}

/// What happens to packets that are handed over at their times: (microsecond, link, size).
fn timeline(plan: &Plan, offers: &[(u64, usize, u32)]) -> Vec<String> {
    let mut cell = Cell::new(plan);
    let offers: Vec<_> = offers.iter().map(|(at, link, size)| (*at, *link, Forward, *size)).collect();
    cell.play(&offers);
    cell.lines()
}

// covers [802.11-2007 s9.2.5.1], [802.11-2007 s9.2.5.2]
/// The second packet waits for the back-off behind the first: 4508 + 50 + 5 x 20 = 4658.
#[test]
fn the_air_is_taken_at_once_when_it_was_idle_and_a_back_off_follows_every_exchange() {
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

// covers [802.11-2007 s9.2.5.2]: the back-off behind an exchange runs though nothing waits.
/// At 1400 it is not over: 1308 + 50 + 10 x 20 = 1558. At 9000 the next long is.
#[test]
fn a_station_whose_back_off_is_over_sends_at_once() {
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
/// 4508 + 50 + 3 x 20 = 4618. The acknowledgment itself needs no reservation by whoever defers.
#[test]
fn who_finds_the_air_busy_backs_off() {
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
/// Station 1 sends at 4508 + 50 + 4 x 20 = 4638; of the 7 slots of station 2 then 3 are left: 9146 + 50 + 3 x 20 = 9256. The slot in
/// which the frame begins is not counted.
#[test]
fn a_back_off_freezes_while_the_air_is_busy_and_goes_on_behind_it() {
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
/// Sent until 4192, given up 222 later at 4414, where slots count at once, the air having been silent for more than DIFS:
/// 4414 + 20 = 4434. Station 2 has one slot left of two: 8942 + 50 + 20 = 9012.
#[test]
fn two_that_begin_together_collide_wait_for_an_answer_and_double_their_windows() {
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

/// The first frame reaches station 2 at 101, which is when it begins its own. Each waits from the end of its own frame: 4514 and 4515.
/// Then 4515 + 20 x 20 has 19 slots left at 4535: 9042 + 50 + 19 x 20 = 9472.
#[test]
fn who_cannot_have_heard_the_other_yet_sends_too() {
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
/// Station 3 sends at 4193 + 364 + 4 x 20 = 4637. Station 2 has counted from 4414 to 4638, 11 whole slots of 25:
/// 5945 + 50 + 14 x 20 = 6275. Station 1 has 30 - 11 - 14 = 5 left: 10783 + 50 + 5 x 20 = 10933.
#[test]
fn bystanders_of_a_collision_wait_for_eifs() {
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

/// Station 3 of the same collision sends at 4193 + 464 + 4 x 20 = 4737; who collided counts from 4414 as before.
#[test]
fn the_silence_behind_a_damaged_frame_can_be_set() {
    let config = Config { eifs: Some(Span::from_nanos(464_000)), ..slow() };
    let plan = Plan::around_one(config, 3).drawing(1, &[(63, 30)]).drawing(2, &[(63, 25)]).drawing(3, &[(31, 4)]);
    let lines = timeline(&plan, &[(0, 0, LONG), (0, 1, LONG), (500, 2, SHORT)]);
    assert_eq!(
        lines[5..8],
        ["  4414 1 draws 30 of 63", "  4414 2 draws 25 of 63", "  4737 3>0 DATA 0 takes 992, reserving 314"]
    );
}

// covers [802.11-2007 s9.2.3.4]
/// Station 0 sends at 4193 + 364 + 3 x 20 = 4617. Station 1 has counted from 4414 to 4618, 10 whole slots of 40:
/// 5925 + 50 + 30 x 20 = 6575.
#[test]
fn who_receives_a_damaged_frame_waits_for_eifs() {
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

// covers [802.11-2007 s9.2.9]
/// The acknowledgment ends damaged at 4508, which is when the sender learns of it: 4508 + 364 + 2 x 20 = 4912. The repetition is
/// acknowledged and not handed up.
#[test]
fn a_lost_acknowledgment_brings_a_duplicate() {
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
/// 4414 + 5 x 20 = 4514; given up at 4514 + 4192 + 222 = 8928; then 8928 + 6 x 20 = 9048.
#[test]
fn a_packet_is_dropped_at_the_short_retry_limit_and_the_window_begins_anew() {
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

// covers [802.11-2007 s9.2.5.4], [802.11-2007 s9.2.5.7]
/// The request reserves 10 + 304, 10 + 4192 and 10 + 304, 4830; the clear to send 4830 less 10 + 304, 4516. The short frame does not ask.
/// 5186 + 50 + 2 x 20 = 5276.
#[test]
fn frames_above_the_threshold_ask_first_and_others_heed_the_answer() {
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

// covers [802.11-2007 s9.2.5.4]: a frame sets no NAV at who it is for.
/// The clear to send ends damaged at 668; 668 + 364 + 2 x 20 = 1072, long before 353 + 4830.
#[test]
fn who_is_asked_again_answers_though_the_air_is_still_reserved() {
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
/// 4870 + 222 = 5092, and 5092 + 5 x 20 = 5192. The request is not answered late: each is a success of a short frame.
#[test]
fn a_packet_is_dropped_at_the_long_retry_limit() {
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
/// The first request is damaged, the first data frame dropped, the second damaged in the air. With a short limit of two nothing is given up,
/// since only one request failed; the windows go on to double.
#[test]
fn an_answer_to_a_request_ends_the_count_of_short_failures_but_not_the_window() {
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
/// 700 + 8 bytes are 272, 272 and 164, frames of 300, 300 and 192 bytes: 2592, 2592 and 1728 us. The first reserves its
/// acknowledgment and the next with its own, 314 + 10 + 2592 + 314 = 3230, the acknowledgment 3230 - 314 = 2916. The second is lost:
/// 5510 + 222 = 5732, and 5732 + 2 x 20 = 5772. It had been the first failure since a success, hence of 63.
#[test]
fn fragments_follow_one_another_and_a_lost_one_is_sent_again_alone() {
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

// covers [802.11-2007 s9.2.4]: the window begins anew after every MPDU that succeeds.
/// The first fragment fails twice, the second once: windows of 63, 127 and again 63.
#[test]
fn a_fragment_that_arrives_ends_the_doubling() {
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

/// With a wait of 6 ms the other exchange comes in between. It is over at 5925, DIFS has passed when the wait ends at 992 + 6000.
#[test]
fn who_hears_another_exchange_while_it_waits_counts_as_others_do() {
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

/// The other asks at 1357 and reserves the air until 1710 + 4830 = 6540; it loses the answer and asks again. The wait of station 1
/// ends at 992 + 1500 = 2492, when the air is silent but reserved: its 2 slots count behind the exchange, 7895 + 50 + 2 x 20.
#[test]
fn who_waits_for_an_answer_heeds_what_others_reserve_meanwhile() {
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

/// The first attempt fails at 992 + 222 = 1214; the other neighbour comes before the repetition. Draws of 0 leave DIFS.
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

/// The same packets: the second neighbour is served last.
#[test]
fn first_come_first_served_holds_up_all_until_delivered() {
    let plan = Plan { links: vec![[0, 1], [0, 2]], scheduler: Scheduler::Fifo, ..Plan::around_one(slow(), 2) }
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
