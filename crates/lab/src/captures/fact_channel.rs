//! A channel for the facts of connections. It leads from the thread that derives the facts from packets to the thread
//! that explains them; each of these tasks takes about half of the time.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use engine::Time;
use observe::observation::{CapturedFact, CapturedSink};

/// Facts that are sent together. Of many connections each has as many in memory.
const BATCH: usize = 256;
/// Batches that wait at most.
const WAITING: usize = 16;

/// Facts of the connection with this place, in order.
type Batch = (usize, Vec<(Time, CapturedFact)>);

/// The facts of one connection, in the thread that derives them.
pub struct FactSender {
    place: usize,
    facts: Vec<(Time, CapturedFact)>,
    to: SyncSender<Batch>,
}

/// The facts of all connections, in the thread that explains them.
pub struct FactReceiver(Receiver<Batch>);

/// Both ends of the channel of the facts of `connections` connections.
pub fn open_channel(connections: usize) -> (Vec<FactSender>, FactReceiver) {
    let (to, from) = sync_channel(WAITING);
    let senders = (0..connections).map(|place| FactSender { place, facts: Vec::new(), to: to.clone() });
    (senders.collect(), FactReceiver(from))
}

impl FactSender {
    /// Sends the facts that wait.
    pub fn flush(&mut self) {
        let facts = std::mem::take(&mut self.facts);
        // An error means that the other thread has ended by a panic, which its caller sees.
        let _ = self.to.send((self.place, facts));
    }
}

impl CapturedSink for FactSender {
    fn on_captured(&mut self, at: Time, fact: &CapturedFact) {
        if self.facts.capacity() == 0 {
            self.facts.reserve_exact(BATCH);
        }
        self.facts.push((at, *fact));
        if self.facts.len() >= BATCH {
            self.flush();
        }
    }
}

impl FactReceiver {
    /// Passes the facts of each connection to its sink, until the last [`FactSender`] is dropped.
    pub fn forward<S: CapturedSink>(self, sinks: &mut [S]) {
        for (place, facts) in self.0 {
            for (at, fact) in &facts {
                sinks[place].on_captured(*at, fact);
            }
        }
    }
}
