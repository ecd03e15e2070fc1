//! State of a station of a medium.

use engine::random::Draws;
use engine::{Slot, Time};

use super::beacon::Beacons;
use super::phase::MediumPhase;
use super::stats::StationCounters;
use super::tx_queue::TxQueue;
use crate::ids::{HopId, LinkDirection, LinkId, MediumStationId};
use crate::mac::dcf::RateIndex;
use crate::mac::dcf::frame::ACK_SIZE;
use crate::scheduler::SchedulerState;

/// Data frame of an exchange.
#[derive(Clone, Copy)]
pub(super) struct ExchangeData {
    pub hop: HopId,
    /// Station number of the receiver.
    pub to: MediumStationId,
    pub rate: RateIndex,
    /// Size in bytes, including header and checksum.
    pub size: u32,
    /// Bytes of the packet after this fragment, in further fragments.
    pub behind: u32,
    /// Number of packets in the frame.
    pub batch: usize,
    /// Size of the response in bytes.
    pub answer: u32,
}

impl Default for ExchangeData {
    /// Returns a placeholder used before the first exchange.
    fn default() -> Self {
        ExchangeData {
            hop: LinkId::new(0).hop(LinkDirection::Forward),
            to: MediumStationId::new(0),
            rate: 0,
            size: 0,
            behind: 0,
            batch: 1,
            answer: ACK_SIZE,
        }
    }
}

/// A station of a medium.
pub(super) struct Station {
    pub slot: Slot,
    pub phase: MediumPhase,
    pub queues: Vec<TxQueue>,
    pub scheduler: SchedulerState,
    /// Contention window: maximum number of slots of the next back-off.
    pub window: u32,
    /// True while the station is about to respond to another station's frame.
    pub answering: bool,
    /// True if the station's next or current frame begins an exchange for which it contended.
    pub contended: bool,
    /// End of the last frame to this station that it could not decode although other stations could; `None` if there
    /// was none.
    pub unread: Option<Time>,
    pub counted: StationCounters,
    pub draws: Draws,
    /// Data frame of the current or the last exchange.
    pub data: ExchangeData,
    /// Beacons; `None` for a station without beacons.
    pub beacons: Option<Beacons>,
    /// True if the station's next frame is a beacon.
    pub announces: bool,
}

impl Station {
    /// Returns the index of the transmit queue in service; a station at rest has none.
    pub fn serving(&self) -> usize {
        self.scheduler.next().expect("a station that does not rest has a packet to send")
    }

    /// Draws a back-off: a number of slots uniformly distributed from 0 to the contention window.
    pub fn back_off(&mut self) -> u64 {
        // The contention window is one less than a power of two.
        (self.draws.next_u64() >> 32) & u64::from(self.window)
    }
}
