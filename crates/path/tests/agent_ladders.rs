//! Agents driven packet by packet; the exchanges are compared with `tests/golden`.

use crate::common;
use crate::ladder;

use common::member;
use ladder::{HERE, Ladder, ack, data, from_fixed, of_flow};
use path::agent::AgentConfig;
use wire::Packet;

fn scheme(name: &str) -> AgentConfig {
    member(name).unwrap_or_else(|error| panic!("{name} needs defaults: {error}"))
}

/// Only the first failed attempt causes a message.
#[test]
fn simple_icmp_sends_defer_at_first_failure() {
    let mut ladder = Ladder::new("DEFER at the first failed attempt, nothing more", &scheme("simple-icmp"));
    ladder.at(0.0).fixed(data(0, 1000)).at(11.0).failed(data(0, 1000), 1, false);
    ladder.at(22.0).failed(data(0, 1000), 2, false).at(33.0).failed(data(0, 1000), 3, true);
    ladder.at(44.0).note("acknowledgments are not reported").failed(from_fixed(|_| {}), 1, false);
    ladder.at(55.0).note("sent once only").failed(of_flow(1, data(0, 500)), 1, true).at(60.0).mobile(ack(0));
    ladder.compare("simple-icmp/a-lost-segment");
}

/// The first and the last failed attempt each cause a message about the segment. Packets pass unchanged.
#[test]
fn refined_icmp_sends_defer_at_first_and_retransmit_at_last_failure() {
    let mut ladder = Ladder::new("DEFER at the first failed attempt, RETRANSMIT at the last", &scheme("refined-icmp"));
    ladder.at(0.0).fixed(data(0, 1000)).at(1.0).fixed(of_flow(1, data(0, 500)));
    ladder.at(11.0).failed(data(0, 1000), 1, false).at(22.0).failed(data(0, 1000), 2, false);
    ladder.at(33.0).failed(data(0, 1000), 3, true).failed(of_flow(1, data(0, 500)), 1, false);
    ladder.at(40.0).mobile(of_flow(1, ack(500)));
    ladder.compare("refined-icmp/a-lost-segment");
}

/// The host's own data is reported to its sender when the link layer gives the data up, not earlier. Acknowledgments
/// and forwarded packets are not reported.
#[test]
fn link_loss_reports_own_data_when_given_up() {
    let own = |packet: Packet| Packet { src: HERE, ..packet };
    let mut ladder = Ladder::new("The host in the middle sends 0..1000 itself", &scheme("link-loss"));
    ladder.at(0.0).failed(own(data(0, 1000)), 1, false).at(11.0).failed(own(data(0, 1000)), 7, true);
    ladder.at(20.0).failed(data(3000, 1000), 7, true).failed(own(data(1000, 0)), 7, true);
    ladder.compare("link-loss/given-up");
}
