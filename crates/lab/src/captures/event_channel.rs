//! A channel for the events of connections, from the thread that derives them from packets to the thread that explains
//! them: each takes about half of the time.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use engine::Time;
use sim::{Event, Sink};

/// Number of events that are sent together. Every connection holds up to this many in memory.
const BATCH: usize = 256;
/// Capacity of the channel, in batches.
const WAITING: usize = 16;

/// Events of the connection with this place, in order.
type Batch = (usize, Vec<(Time, Event)>);

/// The events of one connection, in the thread that derives them.
pub struct EventSender {
    place: usize,
    events: Vec<(Time, Event)>,
    to: SyncSender<Batch>,
}

/// The events of all connections, in the thread that explains them.
pub struct EventReceiver(Receiver<Batch>);

/// Both ends of the channel of the events of `connections` connections.
pub fn open_event_channel(connections: usize) -> (Vec<EventSender>, EventReceiver) {
    let (to, from) = sync_channel(WAITING);
    let senders = (0..connections).map(|place| EventSender { place, events: Vec::new(), to: to.clone() });
    (senders.collect(), EventReceiver(from))
}

impl EventSender {
    /// Sends the events that have not been sent.
    pub fn flush(&mut self) {
        let events = std::mem::take(&mut self.events);
        // An error says that the other thread has ended, by a panic that its caller sees.
        let _ = self.to.send((self.place, events));
    }
}

impl Sink for EventSender {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        if self.events.capacity() == 0 {
            self.events.reserve_exact(BATCH);
        }
        self.events.push((at, *event));
        if self.events.len() >= BATCH {
            self.flush();
        }
    }
}

impl EventReceiver {
    /// Passes the events of each connection to its sink, until the last [`EventSender`] is dropped.
    pub fn forward<S: Sink>(self, sinks: &mut [S]) {
        for (place, events) in self.0 {
            for (at, event) in &events {
                sinks[place].event(*at, event);
            }
        }
    }
}
