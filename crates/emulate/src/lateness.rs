//! The lateness of packets that leave an emulation.

use engine::{Histogram, Span, Time};

/// Lateness at which emulation counts as behind real time: a tenth of a short wireless round trip.
pub const BEHIND: Span = Span::from_millis(1);

/// Time within which two late packets belong to one period.
const APART: Span = Span::from_millis(100);

/// Maximum number of recorded periods; further lateness extends the last period.
const MAX_PERIODS: usize = 100;

/// A period in which packets were late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Period {
    /// Due times of the first and the last late packet.
    pub from: Time,
    /// The last one.
    pub to: Time,
    /// Packets that were more than [`BEHIND`] late.
    pub packets: u64,
    /// The maximum lateness.
    pub max: Span,
}

/// The times from the arrival of each packet in the simulation to the writing of the packet to its host.
#[derive(Clone, Debug, Default)]
pub struct Lateness {
    all: Histogram,
    behind: Vec<Period>,
}

impl Lateness {
    /// Records that a packet that arrived at `due` in the simulation was written at `written`.
    pub fn record(&mut self, due: Time, written: Time) {
        let late = Span::from_nanos(written.as_nanos().saturating_sub(due.as_nanos()));
        self.all.record_span(late);
        if late <= BEHIND {
            return;
        }
        let full = self.behind.len() >= MAX_PERIODS;
        match self.behind.last_mut() {
            Some(last) if full || due <= last.to + APART => {
                last.to = last.to.max(due);
                last.packets += 1;
                last.max = last.max.max(late);
            }
            _ => self.behind.push(Period { from: due, to: due, packets: 1, max: late }),
        }
    }

    /// The lateness of all packets, in nanoseconds.
    pub fn all(&self) -> &Histogram {
        &self.all
    }

    /// The periods in which emulation fell behind real time.
    pub fn behind(&self) -> &[Period] {
        &self.behind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_packets_are_grouped_into_periods() {
        let mut lateness = Lateness::default();
        let ms = Time::from_millis;
        for (due, written) in [(0, 0), (10, 11), (20, 22), (100, 105), (190, 193), (300, 302), (900, 899)] {
            lateness.record(ms(due), ms(written));
        }
        let periods = [
            Period { from: ms(20), to: ms(190), packets: 3, max: Span::from_millis(5) },
            Period { from: ms(300), to: ms(300), packets: 1, max: Span::from_millis(2) },
        ];
        assert_eq!(lateness.behind(), periods);
        assert_eq!((lateness.all().count(), lateness.all().max()), (7, Some(5_000_000)));
    }
}
