//! First in, first out: the packet that arrived first is served until it is delivered or given up. One mobile in a fade
//! blocks all others (head-of-line blocking).

use std::collections::VecDeque;

use engine::Time;
pub use engine::registry::NoSettings as Config;

use super::{Attempt, Joined, Scheduler};

/// Creates the scheduler.
pub fn build() -> Box<dyn Scheduler> {
    Box::<Fifo>::default()
}

#[derive(Default)]
struct Fifo {
    /// Queue of each packet, in the order of service.
    packets: VecDeque<usize>,
    /// Number of expedited packets after the one in service.
    expedited: usize,
}

impl Fifo {
    /// Removes the packet at `place`.
    fn remove(&mut self, place: usize) {
        self.packets.remove(place);
        self.expedited -= usize::from(place < self.expedited);
    }
}

impl Scheduler for Fifo {
    fn next(&self) -> Option<usize> {
        self.packets.front().copied()
    }

    fn on_join(&mut self, queue: usize, packet: Joined, _: Time) {
        if packet.expedited && packet.serving {
            self.packets.insert((1 + self.expedited).min(self.packets.len()), queue);
            self.expedited += 1;
        } else {
            self.packets.push_back(queue);
        }
    }

    /// Removes completed packets; an incomplete packet remains in front.
    fn on_attempt(&mut self, Attempt { done, besides, .. }: Attempt, _: Time) {
        let Some(queue) = self.packets.pop_front() else { return };
        for _ in 0..besides {
            let Some(place) = self.packets.iter().position(|other| *other == queue) else { break };
            self.remove(place);
        }
        if done {
            // An expedited packet that reaches the front is in service now.
            self.expedited = self.expedited.saturating_sub(1);
        } else {
            self.packets.push_front(queue);
        }
    }

    fn on_drop(&mut self, queue: usize) {
        // The packet in front is in service.
        let Some(serving) = self.packets.pop_front() else { return };
        if let Some(place) = self.packets.iter().position(|other| *other == queue) {
            self.remove(place);
        }
        self.packets.push_front(serving);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOINED: Joined = Joined { first: false, expedited: false, serving: false };

    #[test]
    fn expedited_packets_precede_others_in_order_of_arrival() {
        let mut fifo = Fifo::default();
        for (queue, expedited) in [(0, false), (1, false), (2, true), (3, true)] {
            fifo.on_join(queue, Joined { expedited, serving: queue > 0, ..JOINED }, Time::ZERO);
        }
        let done = Attempt { acknowledged: true, done: true, besides: 0, more: false };
        let mut order = Vec::new();
        while let Some(queue) = fifo.next() {
            order.push(queue);
            fifo.on_attempt(done, Time::ZERO);
        }
        assert_eq!(order, [0, 2, 3, 1]);
    }

    #[test]
    fn packets_of_an_aggregate_leave_together() {
        let mut fifo = Fifo::default();
        for (place, queue) in [0, 0, 1, 0, 1].into_iter().enumerate() {
            fifo.on_join(queue, Joined { serving: place > 0, ..JOINED }, Time::ZERO);
        }
        // The second and the third packet of queue 0 are completed, and the first one remains in front.
        fifo.on_attempt(Attempt { acknowledged: true, done: false, besides: 2, more: true }, Time::ZERO);
        assert_eq!(fifo.packets, [0, 1, 1]);
        fifo.on_attempt(Attempt { acknowledged: true, done: true, besides: 0, more: true }, Time::ZERO);
        fifo.on_attempt(Attempt { acknowledged: true, done: true, besides: 1, more: false }, Time::ZERO);
        assert_eq!(fifo.next(), None);
    }

    #[test]
    fn dropped_packet_frees_its_place_and_the_one_in_service_remains() {
        let mut fifo = Fifo::default();
        for (queue, expedited) in [(0, false), (0, false), (1, false), (0, true)] {
            fifo.on_join(queue, Joined { expedited, serving: true, ..JOINED }, Time::ZERO);
        }
        fifo.on_drop(0);
        assert_eq!((&fifo.packets, fifo.expedited), (&VecDeque::from([0, 0, 1]), 0));
        fifo.on_drop(1);
        assert_eq!(fifo.packets, [0, 0]);
    }
}
