//! Which packet is lost first in each of figures 3 to 11. The losses are those of slow start over a short queue: no chance
//! acts in them.
//!
//! Packet 0 is the SYN, as in ns-2. So packet n is the n-th segment of data.

use path::LinkEvent;
use serde_json::json;
use sim::{Event, NodeEvent};
use wire::{Body, Flags};

use super::{SEGMENT, WINDOW};
use crate::papers::Number;

/// By first window, as the text has them: figures 3 to 6, then "all numbered 5" for figures 7 to 11.
const PRINTED: [f64; 9] = [14.0, 13.0, 16.0, 11.0, 5.0, 5.0, 5.0, 5.0, 5.0];

pub(super) fn numbers() -> Vec<Number> {
    let mut numbers = Vec::new();
    for (window, paper) in (1..).zip(PRINTED) {
        let run = Run::of(window);
        let mut add = |figure: &str, paper, ours: Option<u32>| {
            let what = json!({ "first_window": window, "figure": figure });
            let place = format!("figure {}", window + 2);
            numbers.push(Number::new(&place, what, "packet number", paper, ours.map(f64::from)));
        };
        add("first packet lost", paper, run.lost.first().copied());
        // "The sender sends the next group of 16 packets until the labelled 29", and "acknowledgements of the packets 14 to 20".
        match window {
            1 => add("last packet sent before the lost one again", 29.0, run.sent_before_again),
            2 => add("last packet to arrive before the next that is lost", 20.0, run.lost.get(1).map(|next| next - 1)),
            _ => {}
        }
    }
    numbers
}

/// What a run without random losses shows, in packet numbers.
#[derive(Default)]
struct Run {
    /// What found the queue full.
    lost: Vec<u32>,
    /// The last packet sent before any was sent again.
    sent_before_again: Option<u32>,
}

impl Run {
    fn of(window: u32) -> Self {
        Run::with(window, &[])
    }

    fn with(window: u32, changes: &[&str]) -> Self {
        let window = format!("flows.transfer.tcp.initial_window={window}");
        let changes = [&[window.as_str(), "links.air.channel=perfect"], changes].concat();
        let mut run = Run::default();
        let mut again = false;
        // Sequence number of the first byte of data.
        let mut origin = 0;
        for (_, event) in WINDOW.events(None, &changes) {
            match event {
                Event::Node { event: NodeEvent::Sent { packet }, .. } => match packet.body {
                    Body::Tcp(syn) if syn.flags == Flags::SYN => origin = (syn.seq + 1).0,
                    _ => {}
                },
                Event::Link { event: LinkEvent::QueueFull { packet }, .. } => {
                    run.lost.extend(packet.data().map(|data| number(u64::from(data.seq.0.wrapping_sub(origin)))));
                }
                Event::Sender { event: tcp::Event::SegmentSent { seq, reason, .. }, .. } => {
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
    use crate::papers::Mark;
    use stats::Level;

    #[test]
    fn every_packet_number_of_the_figures_is_ours() {
        let numbers = numbers();
        assert_eq!(numbers.len(), 11);
        for number in numbers {
            assert_eq!(number.mark(Level::default()), Mark::Reproduced, "{}: {:?}", number.label(), number.ours.mean());
        }
    }

    /// Worked out with exact fractions, outside this program: how it would be if a place were free at once, or if the buffer
    /// had room for one packet less or more.
    #[test]
    fn no_other_reading_of_the_buffer_loses_these_packets() {
        let lost_first = |change: &str| (1..=9).map(|window| Run::with(window, &[change]).lost[0]).collect::<Vec<_>>();
        assert_eq!(lost_first("links.air.queue_tie=departure-first"), [15, 14, 17, 12, 5, 5, 5, 5, 5]);
        assert_eq!(lost_first("links.air.queue=2 packets"), [12, 11, 8, 4, 4, 4, 4, 4, 4]);
        assert_eq!(lost_first("links.air.queue=4 packets"), [24, 23, 18, 21, 14, 15, 7, 7, 7]);
    }
}
