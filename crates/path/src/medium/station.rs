//! A station of a medium: what it has to send, and where it stands in doing so.

use engine::random::Draws;
use engine::{Slot, Time};

use super::beacon::Beacons;
use super::phase::Phase;
use super::stats::StationCounters;
use super::tx_queue::TxQueue;
use crate::event::{HopId, LinkDirection};
use crate::mac::dcf::RateIndex;
use crate::mac::dcf::frame::ACK_SIZE;
use crate::station::scheduler_state::SchedulerState;

/// The data frame of an exchange.
#[derive(Clone, Copy)]
pub(super) struct Data {
    pub hop: HopId,
    /// Its receiver.
    pub to: u32,
    pub rate: RateIndex,
    /// Bytes, header and checksum included.
    pub size: u32,
    /// Bytes of the packet behind it, in further fragments.
    pub behind: u32,
    /// How many packets it carries.
    pub batch: usize,
    /// Bytes of the answer.
    pub answer: u32,
}

impl Default for Data {
    /// None yet.
    fn default() -> Self {
        Data {
            hop: HopId { link: 0, way: LinkDirection::Forward },
            to: 0,
            rate: 0,
            size: 0,
            behind: 0,
            batch: 1,
            answer: ACK_SIZE,
        }
    }
}

/// A station.
pub(super) struct Station {
    pub slot: Slot,
    pub phase: Phase,
    pub lanes: Vec<TxQueue>,
    pub turns: SchedulerState,
    /// The contention window: the largest number of slots of the next back-off.
    pub window: u32,
    /// Whether it is about to answer another's frame.
    pub answering: bool,
    /// Whether its next frame, or the one it is sending, is the first of an exchange: its turn came.
    pub contended: bool,
    /// When the last frame ended that was for it and that it could not read, though others could.
    pub unread: Option<Time>,
    pub counted: StationCounters,
    pub draws: Draws,
    /// The frame that it sends, or sent last.
    pub data: Data,
    /// Its beacons, if it sends any.
    pub beacons: Option<Beacons>,
    /// Whether its next frame is a beacon.
    pub announces: bool,
}

impl Station {
    /// The lane in service; there is one unless the station rests.
    pub fn serving(&self) -> usize {
        self.turns.next().expect("a station that does not rest has something to send")
    }

    /// A back-off: each number of slots from 0 to the window is equally likely.
    pub fn back_off(&mut self) -> u64 {
        // The window is one less than a power of two.
        (self.draws.next_u64() >> 32) & u64::from(self.window)
    }
}
