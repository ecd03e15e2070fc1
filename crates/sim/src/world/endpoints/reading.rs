//! A receiving end whose application does not read on arrival.

use engine::time::NANOS_PER_SEC;
use engine::{Schedule, Slot, Span, Time};
use tcp::Connection;

use crate::reader::{ReaderBursts, ReaderConfig, ReaderPauses};

/// The application that reads at an end, and its wake-up.
pub(super) struct EndReader {
    slot: Slot,
    /// Start of the flow.
    start: Time,
    pace: ReadingPace,
}

/// The state of a reader.
enum ReadingPace {
    Rate {
        bits_per_sec: u64,
        /// Maximum bytes of a read: the data of a full segment.
        segment: u64,
        /// Start of the reads that follow each other without a wait, and their bytes.
        since: Time,
        bytes: u64,
        /// Time until which the data read last is processed.
        busy_until: Time,
    },
    Bursts {
        bursts: ReaderBursts,
        /// Number of the next read.
        next: u64,
    },
    Pauses {
        pauses: ReaderPauses,
        /// Whether the application pauses, and the time at which this changes.
        paused: bool,
        until: Time,
    },
}

impl EndReader {
    /// Creates the reader of a connection with segments of `segment` bytes, for a flow that starts at `start`, and
    /// schedules its first wake-up.
    pub fn new(
        config: ReaderConfig,
        segment: u32,
        start: Time,
        (slot, schedule): (Slot, &mut Schedule),
        connection: &mut Connection,
    ) -> Self {
        let pace = match config {
            ReaderConfig::Rate(rate) => ReadingPace::Rate {
                bits_per_sec: rate.bits_per_sec(),
                segment: u64::from(segment.max(1)),
                since: Time::ZERO,
                bytes: 0,
                busy_until: Time::ZERO,
            },
            ReaderConfig::Bursts(bursts) => ReadingPace::Bursts { bursts, next: 0 },
            ReaderConfig::Pauses(pauses) => {
                let until = start + pauses.every;
                schedule.arm(slot, until);
                ReadingPace::Pauses { pauses, paused: false, until }
            }
        };
        if !matches!(pace, ReadingPace::Pauses { .. }) {
            connection.hold_reading();
        }
        EndReader { slot, start, pace }
    }

    /// Reads the data that the application reads now, and schedules the next read. Called after every event at the end.
    pub fn act(&mut self, now: Time, connection: &mut Connection, schedule: &mut Schedule) {
        let wake = match &mut self.pace {
            ReadingPace::Rate { bits_per_sec, segment, since, bytes, busy_until } => {
                while *busy_until <= now {
                    let read = connection.read(*segment);
                    if read == 0 {
                        break;
                    }
                    if *busy_until < now {
                        (*since, *bytes) = (now, 0);
                    }
                    *bytes += read;
                    let nanos = u128::from(*bytes) * 8 * u128::from(NANOS_PER_SEC) / u128::from(*bits_per_sec);
                    *busy_until = *since + Span::from_nanos(nanos as u64);
                }
                if connection.readable() > 0 { *busy_until } else { Time::NEVER }
            }
            ReadingPace::Bursts { bursts, next } => {
                let (elapsed, every) = (now.since(self.start).as_nanos(), bursts.every.as_nanos());
                let reads_now = elapsed.is_multiple_of(every) && elapsed / every >= *next && now >= self.start;
                if reads_now && connection.read(bursts.burst.0) > 0 {
                    *next = elapsed / every + 1;
                }
                let waits = connection.readable() > 0;
                if waits { self.start + Span::from_nanos((elapsed / every + 1) * every) } else { Time::NEVER }
            }
            ReadingPace::Pauses { pauses, paused, until } => {
                if now < *until {
                    return;
                }
                *paused = !*paused;
                if *paused {
                    connection.hold_reading();
                    *until += pauses.duration;
                } else {
                    connection.read_on_arrival();
                    *until += Span::from_nanos(pauses.every.as_nanos() - pauses.duration.as_nanos());
                }
                if connection.at_end() { Time::NEVER } else { *until }
            }
        };
        if wake == Time::NEVER {
            schedule.disarm(self.slot);
        } else {
            schedule.arm(self.slot, wake);
        }
    }

    /// Cancels the wake-up.
    pub fn stop(&self, schedule: &mut Schedule) {
        schedule.disarm(self.slot);
    }
}
