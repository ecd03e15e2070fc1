//! Transmitters that one direction of one link has for itself, and that act at the moment they send: which packet goes
//! next is decided when the line is free, not when a packet is queued as on a [FIFO link](crate::link::fifo).
//!
//! Each has one wake-up: the earliest of its timers. Its outcomes for the world outside stand in a queue that
//! [`Transmitter::outcome`] empties; without a link layer, [`crate::link::priority`], it is at most one packet that arrives. A link
//! layer's far end is played here too, as at a [station](crate::station).

use engine::Time;
use wire::Packet;

use crate::context::{Cx, Observer};
use crate::hop_state::HopState;
use crate::link::Counters;
use crate::mac::arq::fec::sender::FecSender;
use crate::mac::arq::ns2_lan::sender::LanSender;
use crate::mac::arq::window::sender::WindowSender;
use crate::outcome::Outcome;
use crate::queue::{Backlog, Buffer};

/// One direction of one link that schedules its own transmissions.
pub enum Transmitter {
    /// Many frames on their way, acknowledged and sent again.
    Window(WindowSender),
    /// Parity behind each block.
    Fec(FecSender),
    /// As on ns-2's LAN.
    Lan(LanSender),
}

impl Transmitter {
    /// Takes a packet that has its room in `buffer`, before all that wait and are not if `expedited`. Whether it was
    /// taken: if not it has given its room back; if so it will when it has left, or with acknowledgments when it is
    /// done. On ns-2's LAN the queue is behind a delay, so a packet may be taken and find no room there later.
    pub fn on_packet<O: Observer>(
        &mut self,
        packet: &Packet,
        expedited: bool,
        buffer: &mut Buffer,
        cx: &mut Cx<'_, O>,
    ) -> bool {
        let taken = match self {
            Transmitter::Window(window) => window.on_packet(packet, expedited, cx),
            Transmitter::Fec(fec) => fec.on_packet(packet, expedited, buffer, cx),
            Transmitter::Lan(lan) => {
                lan.on_packet(packet, expedited, cx);
                true
            }
        };
        if !taken {
            buffer.left(packet.size());
        }
        buffer.left(self.backlog().take_dropped().bytes);
        taken
    }

    /// Its time has come.
    pub fn on_wake<O: Observer>(&mut self, buffer: &mut Buffer, cx: &mut Cx<'_, O>) {
        match self {
            Transmitter::Window(window) => window.on_wake(buffer, cx),
            Transmitter::Fec(fec) => fec.on_wake(buffer, cx),
            Transmitter::Lan(lan) => lan.on_wake(buffer, cx),
        }
        buffer.left(self.backlog().take_dropped().bytes);
    }

    fn backlog(&mut self) -> &mut Backlog {
        match self {
            Transmitter::Window(window) => &mut window.backlog,
            Transmitter::Fec(fec) => &mut fec.backlog,
            Transmitter::Lan(lan) => &mut lan.backlog,
        }
    }

    /// Its outcomes, oldest first. To be called until there is nothing more after each `on_wake`.
    pub fn outcome(&mut self) -> Option<Outcome> {
        match self {
            Transmitter::Window(window) => window.outcomes.pop_front(),
            Transmitter::Fec(fec) => fec.outcomes.pop_front(),
            Transmitter::Lan(lan) => lan.outcomes.pop_front(),
        }
    }

    /// The counters at `now`: of a frame that is being sent, the part that has been.
    pub fn counters(&self, now: Time) -> Counters {
        match self {
            Transmitter::Window(window) => window.counters(now),
            Transmitter::Fec(fec) => fec.counters(now),
            Transmitter::Lan(lan) => lan.counters(now),
        }
    }

    /// The packets that it holds.
    pub fn state(&self) -> HopState {
        match self {
            Transmitter::Window(window) => window.state(),
            Transmitter::Fec(fec) => fec.state(),
            Transmitter::Lan(lan) => lan.state(),
        }
    }

    /// Packets that wait to be sent for the first time.
    pub fn waiting(&self) -> usize {
        match self {
            Transmitter::Window(window) => window.backlog.len(),
            Transmitter::Fec(fec) => fec.backlog.len(),
            Transmitter::Lan(lan) => lan.backlog.len(),
        }
    }
}
