//! The first lost packet in each of figures 3 to 11. The losses occur in slow start over a short queue; the runs are
//! deterministic.
//!
//! Packet 0 is the SYN, as in ns-2, so packet n is the n-th segment of data.

use observe::observation::losses::LossPlace;
use observe::observation::packet_in_flight::{PacketInFlight, PacketLoad};
use observe::observation::{Evidence, Fact};
use serde_json::json;

use super::{SEGMENT, WINDOW};
use crate::papers::{Contradiction, FlowFact, Number};

/// Printed numbers by initial window: figures 3 to 6, then "all numbered 5" for figures 7 to 11.
const PRINTED: [f64; 9] = [14.0, 13.0, 16.0, 11.0, 5.0, 5.0, 5.0, 5.0, 5.0];

/// The statements of section 5 at figure 7, and "as in the previous configuration" at figure 8.
const SIX: f64 = 6.0;
const NOT_SIX: Contradiction = Contradiction {
    pages: "section 5, at figures 7 and 8, and after figure 11",
    values: ["\"the first lost packet is numbered 6\"", "those of figures 7 to 11 \"are all numbered 5\""],
    why: "it is the same packet of the same run.",
};

pub(super) fn numbers() -> Vec<Number> {
    let mut numbers = Vec::new();
    for (window, paper) in (1..).zip(PRINTED) {
        let run = Run::of(window);
        let number = |figure: &str, paper, ours: Option<u32>| {
            let what = json!({ "first_window": window, "figure": figure });
            Number::new(&format!("figure {}", window + 2), what, "packet number", paper, ours.map(f64::from))
        };
        let first = run.lost.first().copied();
        numbers.push(number("first packet lost", paper, first));
        // The paper says: "The sender sends the next group of 16 packets until the labelled 29"; "acknowledgements of
        // the packets 14 to 20 which have been received correctly"; "for each received packet ... until the packet 27".
        let arrives = "last packet to arrive before the next flight has a loss";
        numbers.extend(match window {
            1 => Some(number("last packet sent before the lost one again", 29.0, run.sent_before_again)),
            2 => Some(number(arrives, 20.0, run.arrives_before_next_flights_loss(window))),
            3 => Some(number(arrives, 27.0, run.arrives_before_next_flights_loss(window))),
            5 | 6 => Some(number("first packet lost, at the figure", SIX, first).with_contradiction(NOT_SIX)),
            _ => None,
        });
    }
    numbers
}

/// Measurements of a run without random losses, in packet numbers.
#[derive(Default)]
struct Run {
    /// The packets dropped by the full queue.
    lost: Vec<u32>,
    /// The last packet sent before the first retransmission.
    sent_before_again: Option<u32>,
}

impl Run {
    /// The last packet before the first loss in the flight after the flight of the first loss. Slow start sends flights
    /// of w, 2w, 4w, ... packets, which end at w, 3w, 7w, ...
    fn arrives_before_next_flights_loss(&self, window: u32) -> Option<u32> {
        let first = *self.lost.first()?;
        let end = (1..16).map(|flights| window * ((1 << flights) - 1)).find(|end| *end >= first)?;
        self.lost.iter().find(|lost| **lost > end).map(|next| next - 1)
    }

    fn of(window: u32) -> Self {
        Run::with(window, &[])
    }

    fn with(window: u32, changes: &[&str]) -> Self {
        let window = format!("flows.transfer.tcp.initial_window={window}");
        let changes = [&[window.as_str(), "links.air.channel=perfect"], changes].concat();
        let mut run = Run::default();
        let mut again = false;
        for FlowFact { fact, .. } in WINDOW.facts(None, &changes) {
            match fact {
                Fact::Gone { packet, place: Evidence::Known(LossPlace::Queue) } => {
                    run.lost.extend(packet.seq().map(number));
                }
                Fact::Sent(PacketInFlight { load: PacketLoad::Data { seq, reason, .. }, .. }) => {
                    again |= reason != tcp::Reason::New;
                    if !again {
                        run.sent_before_again = Some(number(seq));
                    }
                }
                _ => {}
            }
        }
        run
    }
}

/// The packet that begins with byte `seq` of the stream.
fn number(seq: u64) -> u32 {
    (seq / SEGMENT) as u32 + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::{Mark, PrintedValue};
    use stats::Level;

    #[test]
    fn every_packet_number_of_the_figures_is_reproduced() {
        let numbers = numbers();
        assert_eq!(numbers.len(), 14);
        for number in numbers {
            let expected =
                if number.paper == PrintedValue::Value(SIX) { Mark::Contradicts(NOT_SIX) } else { Mark::Reproduced };
            assert_eq!(number.mark(Level::default()), expected, "{}: {:?}", number.label(), number.ours.mean());
        }
    }

    /// Results of other rules, computed with exact fractions outside of this program: if a departing packet freed its
    /// space immediately, or if the buffer held one packet less or more.
    #[test]
    fn other_buffer_rules_change_the_first_loss() {
        let lost_first = |change: &str| (1..=9).map(|window| Run::with(window, &[change]).lost[0]).collect::<Vec<_>>();
        assert_eq!(lost_first("links.air.queue_tie=departure-first"), [15, 14, 17, 12, 5, 5, 5, 5, 5]);
        assert_eq!(lost_first("links.air.queue=2 packets"), [12, 11, 8, 4, 4, 4, 4, 4, 4]);
        assert_eq!(lost_first("links.air.queue=4 packets"), [24, 23, 18, 21, 14, 15, 7, 7, 7]);
    }
}
