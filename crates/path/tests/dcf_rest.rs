//! The back-off after a failed exchange of a station without further data, and the end of several frames at the same
//! time. The times are computed by hand for the cell described in [`cell::slow`].

use crate::cell;

use cell::Plan;
use cell::slow::{LONG, SHORT, losing, slow, timeline};
use engine::Span;
use path::mac::dcf::Config;

// covers [802.11-2007 s9.2.5.2]: the back-off after a failed exchange runs although no packet waits.
/// The packet is given up at 4192 + 222 = 4414, and the station counts slots from then on: its 3 slots end at 4474. The
/// other stations, whose NAV lasts until 4507, begin to count at 4557. A packet that arrives at 4430 waits for the
/// slots, a packet that arrives at 4480 does not.
#[test]
fn back_off_after_giving_up_counts_from_the_timeout() {
    let plan = || {
        Plan::around_one(Config { short_retry_limit: Some(1), ..slow() }, 1)
            .drawing(1, &[(31, 3)])
            .scripted(0, losing(&[0], &[]))
    };
    for (offered, begins) in [(4430, 4474), (4480, 4480)] {
        let lines = timeline(&plan(), &[(0, 0, LONG), (offered, 0, SHORT)]);
        assert_eq!(
            lines[..5],
            [
                "     0 1>0 DATA 0 takes 4192, reserving 314".to_owned(),
                "  4193 1>0 DATA corrupted".to_owned(),
                "  4414 link 0: gives up 0 after 1 attempts of data".to_owned(),
                "  4414 1 draws 3 of 31".to_owned(),
                format!("{begins:>6} 1>0 DATA 1 takes 992, reserving 314"),
            ]
        );
    }
}

// covers [802.11-2007 s9.2.5.2]
/// Both packets are given up at 4192 + 384 = 4576. Station 1 transmits at once. Station 2 senses this transmission at
/// 4577 and has counted none of its 2 slots; the other stations have counted the first slot after EIFS, 4193 + 364 + 20
/// = 4577. A packet of station 2 at 5000 waits for both slots: 5884 + 50 + 2 x 20 = 5974. The order in which the
/// stations are handled makes no difference.
#[test]
fn slot_that_becomes_busy_is_not_counted_by_a_resting_station() {
    for slots_reversed in [false, true] {
        let config = Config { short_retry_limit: Some(1), answer_timeout: Some(Span::from_nanos(384_000)), ..slow() };
        let plan = Plan { slots_reversed, ..Plan::around_one(config, 2) }
            .drawing(1, &[(31, 0), (31, 9)])
            .drawing(2, &[(31, 2)]);
        let lines = timeline(&plan, &[(0, 0, LONG), (0, 1, LONG), (100, 0, SHORT), (5000, 1, SHORT)]);
        // Events at 4576 have no order.
        assert!(lines.iter().any(|line| line == "  4576 1>0 DATA 1 takes 992, reserving 314"), "{lines:#?}");
        let from = lines.iter().position(|line| line.starts_with("  5569")).expect("its end");
        assert_eq!(
            lines[from..from + 6],
            [
                "  5569 1>0 DATA received",
                "  5569 link 0: a packet arrives",
                "  5579 0>1 ACK 1 takes 304",
                "  5884 0>1 ACK received",
                "  5884 1 draws 9 of 31",
                "  5974 2>0 DATA 1 takes 992, reserving 314",
            ],
            "{lines:#?}"
        );
    }
}

/// The model's rule for a tie, which the standard does not define [802.11-2007 s9.2.3.4]: a frame that ends at the end
/// of a response timeout counts as sensed. Station 1 transmits until 992 and waits for a response until 992 + 3201 =
/// 4193, when the frame with which it collided ends. It then waits for EIFS, 4193 + 364 = 4557, in either order of
/// handling.
#[test]
fn frame_that_ends_at_the_response_timeout_counts_as_sensed() {
    for slots_reversed in [false, true] {
        let config = Config { answer_timeout: Some(Span::from_nanos(3_201_000)), ..slow() };
        let plan = Plan { slots_reversed, ..Plan::around_one(config, 2) }.drawing(1, &[(63, 0)]);
        let lines = timeline(&plan, &[(0, 0, SHORT), (0, 1, LONG)]);
        let again = lines.iter().find(|line| line.contains("again"));
        assert_eq!(again.map(String::as_str), Some("  4557 1>0 DATA 0 again takes 992, reserving 314"), "{lines:#?}");
    }
}
