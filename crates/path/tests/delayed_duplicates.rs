//! Delayed duplicate acknowledgments (vaidya1999), compared with `tests/golden/delayed-duplicates`.

use crate::ladder;

use engine::Span;
use ladder::{Ladder, ack, from_mobile, of_flow};
use path::agent::AgentConfig;
use path::agent::delayed_duplicates::Config;
use wire::{Flags, SeqNum};

fn ladder(title: &str, config: Config) -> Ladder {
    let config = Config { delay: Span::from_millis(50), ..config };
    Ladder::new(title, &AgentConfig::DelayedDuplicates(config))
}

/// Sends an acknowledgment at 0 ms, and a duplicate at each of 10, 20, 30, ... ms.
fn duplicates(ladder: &mut Ladder, count: u32) {
    for number in 0..=count {
        ladder.at(10.0 * f64::from(number)).mobile(ack(1000));
    }
}

#[test]
fn loss_repaired_in_time_lets_two_duplicate_acknowledgments_pass() {
    let mut ladder =
        ladder("The link layer repairs the loss within 50 ms: the sender sees two duplicates", Config::default());
    duplicates(&mut ladder, 5);
    ladder.at(55.0).mobile(ack(7000)).at(500.0);
    ladder.compare("delayed-duplicates/repaired");
}

#[test]
fn duplicate_acknowledgments_are_delayed_while_the_loss_is_not_repaired() {
    let mut ladder = ladder("Lost for good: from the third on each goes on 50 ms later", Config::default());
    duplicates(&mut ladder, 5);
    ladder.at(500.0).mobile(ack(7000));
    ladder.compare("delayed-duplicates/lost-for-good");
}

#[test]
fn number_of_held_duplicates_and_of_flows_is_bounded() {
    let mut ladder = ladder(
        "Two are held of a flow, and one flow is remembered",
        Config { max_held: 2, flows: 1, ..Config::default() },
    );
    duplicates(&mut ladder, 5);
    ladder.mobile(of_flow(1, ack(5))).at(500.0);
    ladder.compare("delayed-duplicates/bounded");
}

/// The release of a held duplicate does not count as use of its flow. Therefore of two flows the one with a later
/// packet is kept.
#[test]
fn duplicate_released_by_the_timer_does_not_count_as_use_of_the_flow() {
    let mut ladder = ladder("", Config { flows: 2, ..Config::default() });
    duplicates(&mut ladder, 3);
    for _ in 0..3 {
        ladder.mobile(of_flow(1, ack(5)));
    }
    ladder.at(100.0).mobile(of_flow(2, ack(5))).mobile(of_flow(1, ack(5)));
    assert_eq!(
        ["flows_forgotten", "duplicates_released", "duplicates_held"].map(|name| ladder.counter(name)),
        [1, 1, 2]
    );
}

#[test]
fn packets_other_than_duplicate_acknowledgments_pass() {
    let mut ladder = ladder("Updates of the window, data, the past, RST", Config::default());
    duplicates(&mut ladder, 3);
    ladder.mobile(from_mobile(|segment| (segment.ack, segment.window) = (SeqNum(1000), 9000)));
    ladder.mobile(from_mobile(|segment| (segment.ack, segment.len) = (SeqNum(1000), 10))).mobile(ack(500));
    ladder
        .mobile(from_mobile(|segment| (segment.ack, segment.flags) = (SeqNum(1000), Flags::RST | Flags::ACK)))
        .at(500.0);
    ladder.compare("delayed-duplicates/what-else");
}
