//! Events of connections, handed from the thread that makes them of packets to the one that explains them: each takes
//! about half of the time.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use engine::Time;
use sim::{Event, Sink};

/// Events that are handed over together. Of many connections each has as many in memory.
const BATCH: usize = 256;
/// Batches that wait at most.
const WAITING: usize = 16;

/// Events of the connection with this place, in order.
type Batch = (usize, Vec<(Time, Event)>);

/// The events of one connection, in the thread that makes them.
pub struct Made {
    place: usize,
    events: Vec<(Time, Event)>,
    to: SyncSender<Batch>,
}

/// The events of all connections, in the thread that explains them.
pub struct HandedOver(Receiver<Batch>);

/// Both ends of the channel of the events of `connections` connections.
pub fn channel(connections: usize) -> (Vec<Made>, HandedOver) {
    let (to, from) = sync_channel(WAITING);
    let made = (0..connections).map(|place| Made { place, events: Vec::new(), to: to.clone() });
    (made.collect(), HandedOver(from))
}

impl Made {
    /// Hands over what has been made.
    pub fn flush(&mut self) {
        let events = std::mem::replace(&mut self.events, Vec::with_capacity(BATCH));
        // An error says that the other thread has ended, by a panic that its caller sees.
        let _ = self.to.send((self.place, events));
    }
}

impl Sink for Made {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        self.events.push((at, *event));
        if self.events.len() >= BATCH {
            self.flush();
        }
    }
}

impl HandedOver {
    /// Passes the events of each connection to its sink, until the last [`Made`] is dropped.
    pub fn pass_to<S: Sink>(self, sinks: &mut [S]) {
        for (place, events) in self.0 {
            for (at, event) in &events {
                sinks[place].event(*at, event);
            }
        }
    }
}
