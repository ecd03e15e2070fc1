//! The packets that wait for a transmitter: a queue discipline with its counters and events.
//!
//! A transmitter that becomes free takes its next packet, and if none waits the discipline learns that its queue is
//! empty: FQ-CoDel then removes the emptied queues from its lists [RFC8290 s4.2], RED's idle time begins. No event is
//! needed for this. A transmitter states the time of its next request with [`Backlog::next_request`], which also
//! returns whether a packet waits for that time; if the queue is empty, `dequeue` is called with the time of the
//! request before the next event reaches the discipline. A transmitter that becomes free at an event calls
//! [`Backlog::has_more`]. A packet that finds its transmitter [idle](Queued::at_once) is never queued before that.

use engine::{Order, Stream, Time};
use wire::{Ecn, Packet};

use super::drop_tail::{self, DropTail};
use super::{DropCause, Limit, QueueAction, QueueConfig, QueueCx, QueueDiscipline, Queued, Tie};
use crate::context::{Cx, Observer};
use crate::counters::HopCounters;
use crate::event::LinkEvent;
use crate::ids::HopId;

/// The queue of one transmitter toward one neighbour.
pub struct Backlog {
    discipline: Discipline,
    dropped: Dropped,
}

/// The most frequent discipline is called without dynamic dispatch.
enum Discipline {
    DropTail(DropTail),
    Other(Box<Other>),
}

/// Any other discipline.
struct Other {
    queue: Box<dyn QueueDiscipline>,
    actions: Vec<QueueAction>,
    /// The packet returned by [`Backlog::peek`], which is sent next.
    peeked: Option<Queued>,
    /// True if the last `dequeue` returned no packet, and no packet has been queued since.
    found_empty: bool,
    /// Time of the transmitter's next request, if it is known and has not been made; `NEVER` otherwise.
    request: Time,
    /// Whether a request at the time of an arrival is made before it.
    tie: Tie,
}

impl Other {
    /// Takes the packet to be sent next at `now`.
    fn next(&mut self, now: Time) -> Option<Queued> {
        if self.peeked.is_some() {
            return self.peeked.take();
        }
        if self.found_empty {
            return None;
        }
        let since = if self.request < now && self.queue.is_empty() { self.request } else { now };
        self.request = Time::NEVER;
        self.ask(since)
    }

    /// Calls `dequeue` of the discipline.
    fn ask(&mut self, now: Time) -> Option<Queued> {
        let queued = self.queue.dequeue(&mut QueueCx::new(now, (0, 0), &mut self.actions));
        self.found_empty = queued.is_none();
        queued
    }

    /// Makes the transmitter's request if it is due at `now` and no packet waits.
    #[inline]
    fn make_due_request(&mut self, now: Time) {
        if self.tie.has_departed(self.request, now) {
            let at = std::mem::replace(&mut self.request, Time::NEVER);
            self.find_empty(at);
        }
    }

    /// Calls `dequeue` if the queue is empty and no `dequeue` has returned this result yet, so that the discipline
    /// detects the empty queue.
    fn find_empty(&mut self, at: Time) {
        if !self.found_empty && self.peeked.is_none() && self.queue.is_empty() {
            self.ask(at);
        }
    }

    /// Returns the packets and bytes outside of the discipline.
    fn outside(&self) -> (usize, u64) {
        self.peeked.as_ref().map_or((0, 0), |peeked| (1, u64::from(peeked.packet.size())))
    }
}

/// Packets dropped after they were queued.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Dropped {
    /// Number of packets.
    pub packets: u32,
    /// Size in bytes.
    pub bytes: u32,
}

/// A packet offered to the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Offer {
    /// See [`Queued::order`].
    pub order: Order,
    /// Whether the packet precedes others: see [`Queued::expedited`].
    pub expedited: bool,
    /// See [`Queued::at_once`].
    pub at_once: bool,
    /// See [`QueueCx::others`].
    pub others: (usize, u64),
}

impl From<Limit> for Backlog {
    /// Creates a drop-tail queue with this limit.
    fn from(limit: Limit) -> Self {
        drop_tail::Config::from(limit).into()
    }
}

impl From<drop_tail::Config> for Backlog {
    fn from(config: drop_tail::Config) -> Self {
        Backlog { discipline: Discipline::DropTail(DropTail::new(config)), dropped: Dropped::default() }
    }
}

impl Backlog {
    /// Creates an empty queue; a discipline draws random numbers from `stream`.
    pub fn new(config: &QueueConfig, stream: Stream) -> Self {
        if let Some(config) = config.drop_tail() {
            return config.into();
        }
        let other = Other {
            queue: config.build(stream),
            actions: Vec::new(),
            peeked: None,
            found_empty: true,
            request: Time::NEVER,
            tie: Tie::default(),
        };
        Backlog { discipline: Discipline::Other(Box::new(other)), dropped: Dropped::default() }
    }

    /// Sets the order of an arrival and a simultaneous request of the transmitter.
    pub fn with_tie(mut self, tie: Tie) -> Self {
        if let Discipline::Other(other) = &mut self.discipline {
            other.tie = tie;
        }
        self
    }

    /// Returns the number of waiting packets.
    pub fn len(&self) -> usize {
        match &self.discipline {
            Discipline::DropTail(queue) => queue.len(),
            Discipline::Other(other) => other.outside().0 + other.queue.len(),
        }
    }

    /// Returns the bytes of waiting packets.
    pub fn bytes(&self) -> u64 {
        match &self.discipline {
            Discipline::DropTail(queue) => queue.bytes(),
            Discipline::Other(other) => other.outside().1 + other.queue.bytes(),
        }
    }

    /// Returns true if no packet waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the waiting packets, the next one first.
    pub fn packets(&self) -> Box<dyn Iterator<Item = &Packet> + '_> {
        match &self.discipline {
            Discipline::DropTail(queue) => queue.packets(),
            Discipline::Other(other) => {
                Box::new(other.peeked.iter().map(|peeked| &peeked.packet).chain(other.queue.packets()))
            }
        }
    }

    /// Returns true if a packet that is sent [at once](Queued::at_once) can bypass the queue without an effect on the
    /// discipline, as for [`report_bypass`](Self::report_bypass).
    #[inline]
    pub fn can_be_bypassed(&self) -> bool {
        matches!(self.discipline, Discipline::DropTail(_))
    }

    /// Reports a packet that bypasses the queue.
    #[inline]
    pub fn report_bypass<O: Observer>(packet: &Packet, hop: HopId, cx: &mut Cx<'_, O>) {
        let now = cx.now;
        cx.emit_timing(hop, || LinkEvent::Dequeued { packet: *packet, arrived: now, starts: now, leaves: None });
    }

    /// States when the transmitter takes its next packet; `None` if that depends on a later event. Returns true if a
    /// packet waits for this time, so that the transmitter needs a wake-up. To be called after each event that may
    /// change this time.
    #[inline]
    pub fn next_request(&mut self, at: Option<Time>, now: Time) -> bool {
        match &mut self.discipline {
            Discipline::DropTail(queue) => at.is_some() && queue.len() > 0,
            Discipline::Other(other) => {
                other.make_due_request(now);
                other.request = at.map_or(Time::NEVER, |at| at.max(now));
                at.is_some() && (other.peeked.is_some() || !other.queue.is_empty())
            }
        }
    }

    /// Asks whether a packet waits, on behalf of a transmitter that has become free now.
    pub fn has_more(&mut self, now: Time) -> bool {
        if let Discipline::Other(other) = &mut self.discipline {
            other.find_empty(now);
        }
        !self.is_empty()
    }

    /// Offers a packet; returns whether it was accepted. Drops and marks are counted in `counters` and reported for
    /// `hop`.
    #[inline]
    pub fn offer<O: Observer>(
        &mut self,
        packet: &Packet,
        offer: Offer,
        hop: HopId,
        counters: &mut HopCounters,
        cx: &mut Cx<'_, O>,
    ) -> bool {
        let Offer { order, expedited, at_once, others } = offer;
        let mut queued = Queued { packet: *packet, arrived: cx.now, order, expedited, at_once };
        match &mut self.discipline {
            Discipline::DropTail(queue) => {
                if !at_once {
                    let (packets, bytes) = (queue.len() + others.0, queue.bytes() + others.1);
                    if !queue.config.admits(packets, bytes, packet.size()) {
                        report_refusal(queued, DropCause::Full, hop, counters, cx);
                        return false;
                    }
                    if queue.config.marks(packet.ecn, packets, bytes) {
                        queued.packet.ecn = Ecn::Ce;
                        report_action(QueueAction::Marked(queued.packet), hop, counters, cx);
                    }
                }
                queue.push(queued);
                counters.backlog.add(cx.now);
                if !at_once {
                    counters.backlog.record((queue.len() + others.0) as u64);
                }
                report_joined(&queued, hop, cx);
                true
            }
            Discipline::Other(other) => {
                other.make_due_request(cx.now);
                if at_once {
                    other.find_empty(cx.now);
                }
                let peeked = other.outside();
                let others = (others.0 + peeked.0, others.1 + peeked.1);
                let result = other.queue.enqueue(queued, &mut QueueCx::new(cx.now, others, &mut other.actions));
                if result.is_ok() {
                    other.found_empty = false;
                    counters.backlog.add(cx.now);
                    report_joined(&queued, hop, cx);
                }
                let waits = result.is_ok() && !at_once;
                self.settle(hop, counters, cx);
                if waits {
                    counters.backlog.record((self.len() + offer.others.0) as u64);
                }
                if let Err(cause) = result {
                    report_refusal(queued, cause, hop, counters, cx);
                }
                result.is_ok()
            }
        }
    }

    /// Removes the packet that is sent next, after passing it to `take`, and reports its departure from the queue;
    /// `None` if no packet waits.
    #[inline]
    pub fn pop<O: Observer, T>(
        &mut self,
        hop: HopId,
        counters: &mut HopCounters,
        cx: &mut Cx<'_, O>,
        take: impl FnOnce(&Queued) -> T,
    ) -> Option<T> {
        self.pop_reporting(hop, counters, cx, |queued| (take(queued), None))
    }

    /// Acts as `pop` does. `take` also returns the end of the packet's transmission, if it is known, for the report.
    #[inline]
    pub fn pop_reporting<O: Observer, T>(
        &mut self,
        hop: HopId,
        counters: &mut HopCounters,
        cx: &mut Cx<'_, O>,
        take: impl FnOnce(&Queued) -> (T, Option<Time>),
    ) -> Option<T> {
        match &mut self.discipline {
            Discipline::DropTail(queue) => queue.pop_with(|queued| {
                counters.backlog.remove(cx.now);
                let (taken, leaves) = take(queued);
                report_departure(queued, leaves, hop, cx);
                taken
            }),
            Discipline::Other(other) => {
                let queued = other.next(cx.now);
                self.settle(hop, counters, cx);
                queued.map(|queued| {
                    counters.backlog.remove(cx.now);
                    let (taken, leaves) = take(&queued);
                    report_departure(&queued, leaves, hop, cx);
                    taken
                })
            }
        }
    }

    /// Returns the packet that [`pop`](Self::pop) returns next. Disciplines that drop or mark packets before a
    /// transmission do so in this call. `None` if no packet waits; `dequeue` is not called then, because the
    /// transmitter does not become idle.
    pub fn peek<O: Observer>(&mut self, hop: HopId, counters: &mut HopCounters, cx: &mut Cx<'_, O>) -> Option<Packet> {
        match &mut self.discipline {
            Discipline::DropTail(queue) => queue.front().copied(),
            Discipline::Other(other) => {
                if other.peeked.is_none() && other.queue.is_empty() {
                    return None;
                }
                other.peeked = other.next(cx.now);
                let packet = other.peeked.map(|peeked| peeked.packet);
                self.settle(hop, counters, cx);
                packet
            }
        }
    }

    /// Returns the packets dropped since the last call, without refused ones. The caller frees their space in the
    /// node's [`RouterBuffer`](super::RouterBuffer).
    #[inline]
    pub fn take_dropped(&mut self) -> Dropped {
        std::mem::take(&mut self.dropped)
    }

    /// Counts and reports the actions of the discipline.
    fn settle<O: Observer>(&mut self, hop: HopId, counters: &mut HopCounters, cx: &mut Cx<'_, O>) {
        let Discipline::Other(other) = &mut self.discipline else { return };
        for action in other.actions.drain(..) {
            report_action(action, hop, counters, cx);
            if let QueueAction::Dropped(queued, _) = action {
                counters.backlog.remove(cx.now);
                self.dropped.packets += 1;
                self.dropped.bytes += queued.packet.size();
            }
        }
    }
}

#[inline]
fn report_joined<O: Observer>(queued: &Queued, hop: HopId, cx: &mut Cx<'_, O>) {
    if !queued.at_once {
        cx.emit(hop, || LinkEvent::Joined { packet: queued.packet });
    }
}

#[inline]
fn report_departure<O: Observer>(queued: &Queued, leaves: Option<Time>, hop: HopId, cx: &mut Cx<'_, O>) {
    let (starts, arrived) = (cx.now, queued.arrived);
    cx.emit_timing(hop, || LinkEvent::Dequeued { packet: queued.packet, arrived, starts, leaves });
}

fn report_refusal<O: Observer>(
    queued: Queued,
    cause: DropCause,
    hop: HopId,
    counters: &mut HopCounters,
    cx: &mut Cx<'_, O>,
) {
    report_action(QueueAction::Dropped(queued, cause), hop, counters, cx);
}

fn report_action<O: Observer>(action: QueueAction, hop: HopId, counters: &mut HopCounters, cx: &mut Cx<'_, O>) {
    match action {
        QueueAction::Dropped(Queued { packet, arrived, .. }, DropCause::Full) => {
            counters.packets_dropped += 1;
            counters.queue_full += 1;
            cx.emit_timing(hop, || LinkEvent::QueueFull { packet, arrived });
        }
        QueueAction::Dropped(Queued { packet, arrived, .. }, DropCause::Early) => {
            counters.packets_dropped += 1;
            cx.emit_timing(hop, || LinkEvent::DroppedEarly { packet, arrived });
        }
        QueueAction::Marked(packet) => {
            counters.marked += 1;
            cx.emit(hop, || LinkEvent::Marked { packet });
        }
    }
}
