//! A transmission of a segment, and its fate.

use engine::Time;

/// The fate of a transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransmissionFate {
    /// The fate is not known.
    Open,
    /// The transmission reached the receiver at this time.
    Arrived(Time),
    /// The transmission was lost.
    Lost,
}

/// A transmission of a segment with data, in 32 bytes: a long transfer has millions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transmission {
    /// Time at which the transmission was sent.
    pub sent: Time,
    /// First byte of the transmission, counted from the first byte of the transfer.
    pub seq: u64,
    /// Arrival time of the transmission, or `LOST` or `OPEN`.
    arrival: Time,
    /// Bytes of data.
    pub len: u32,
    /// Whether the segment was sent before.
    pub retransmission: bool,
}

/// Value of `arrival` for a lost transmission: a time that no packet has.
const LOST: Time = Time::NEVER;
/// Value of `arrival` for an unknown fate: a time that no packet has.
const OPEN: Time = Time::from_nanos(u64::MAX - 1);

impl Transmission {
    /// Creates a transmission whose fate is not known.
    pub const fn new(sent: Time, seq: u64, len: u32, retransmission: bool) -> Self {
        Transmission { sent, seq, arrival: OPEN, len, retransmission }
    }

    /// The same with this fate.
    pub const fn with_fate(self, fate: TransmissionFate) -> Self {
        let arrival = match fate {
            TransmissionFate::Open => OPEN,
            TransmissionFate::Arrived(at) => at,
            TransmissionFate::Lost => LOST,
        };
        Transmission { arrival, ..self }
    }

    /// Returns the fate of the transmission.
    pub fn fate(&self) -> TransmissionFate {
        match self.arrival {
            OPEN => TransmissionFate::Open,
            LOST => TransmissionFate::Lost,
            at => TransmissionFate::Arrived(at),
        }
    }

    /// Returns the arrival time of the transmission, if it arrived.
    pub fn arrival(&self) -> Option<Time> {
        match self.fate() {
            TransmissionFate::Arrived(at) => Some(at),
            TransmissionFate::Open | TransmissionFate::Lost => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fates_are_kept_in_a_small_record() {
        assert_eq!(size_of::<Transmission>(), 32);
        for fate in [
            TransmissionFate::Open,
            TransmissionFate::Lost,
            TransmissionFate::Arrived(Time::ZERO),
            TransmissionFate::Arrived(Time::from_nanos(u64::MAX - 2)),
        ] {
            assert_eq!(Transmission::new(Time::ZERO, 0, 1, false).with_fate(fate).fate(), fate);
        }
    }
}
