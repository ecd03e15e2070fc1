//! A second implementation of RED and PIE after [Floyd1993 s4] and RFC 8033, s4 and s5, optionally with the deviations
//! of ns-3. It shows that ns-3 and lasthop differ only by these deviations.

use std::collections::VecDeque;

use engine::Draws;

use super::pseudo_code::{Item, Step};

/// RED with thresholds of 5 and 15 packets, weight 0.002, probability 0.1, gentle, and a packet time of 797 us. A
/// packet that finds the transmitter idle is not dropped, as on each link of the simulator.
///
/// ns-3 drops nothing while at most one packet waits, takes the packet with which the average exceeds the minimum as
/// the first of the count, does not reset the count at a drop beyond twice the maximum, and counts whole packets of
/// idle time.
pub struct Red {
    ns3: bool,
    draws: Draws,
    items: VecDeque<Item>,
    average: f64,
    count: i64,
    /// Time since which the transmitter has been idle.
    idle: Option<u64>,
}

const PACKET_TIME: f64 = 797_000.0;

impl Red {
    pub fn new(ns3: bool, draws: Draws) -> Self {
        Red { ns3, draws, items: VecDeque::new(), average: 0.0, count: -1, idle: Some(0) }
    }

    fn update_average(&mut self, now: u64) {
        let waiting = self.items.len() as f64;
        if let Some(since) = self.idle.take() {
            let packets = (now - since) as f64 / PACKET_TIME;
            self.average *= libm::pow(0.998, if self.ns3 { packets.floor() + 1.0 } else { packets });
        } else {
            self.average += 0.002 * (waiting - self.average);
        }
    }

    fn is_chosen(&mut self) -> bool {
        let probability = match self.average {
            average if average < 15.0 => 0.1 * (average - 5.0) / 10.0,
            average => 0.1 + 0.9 * (average - 15.0) / 15.0,
        };
        let left = 1.0 - self.count as f64 * probability;
        left <= 0.0 || self.draws.unit() < probability / left
    }

    pub fn push(&mut self, item: Item, steps: &mut Vec<Step>) {
        let at_once = self.idle.is_some();
        self.update_average(item.arrived);
        if at_once && !self.ns3 {
            self.items.push_back(item);
            return;
        }
        if self.average < 5.0 || (self.ns3 && self.items.len() <= 1) {
            self.count = -1;
        } else if self.average >= 30.0 {
            self.count = if self.ns3 { self.count.max(0) + 1 } else { 0 };
            steps.push(Step::Dropped(item.number));
            return;
        } else if self.ns3 && self.count < 0 {
            self.count = 1;
        } else {
            self.count += 1;
            if self.is_chosen() {
                self.count = 0;
                steps.push(if item.capable { Step::Marked(item.number) } else { Step::Dropped(item.number) });
                if !item.capable {
                    return;
                }
            }
        }
        self.items.push_back(item);
    }

    pub fn dequeue(&mut self, now: u64) -> Option<Item> {
        let item = self.items.pop_front();
        if item.is_none() {
            self.idle.get_or_insert(now);
        }
        item
    }
}

/// PIE with its defaults, but without a burst allowance, and with a mean packet of 1000 bytes.
///
/// ns-3 drops nothing while at most two packets wait instead of two mean packets, and a mark does not reset the sum of
/// probabilities.
pub struct Pie {
    ns3: bool,
    draws: Draws,
    items: VecDeque<Item>,
    probability: f64,
    sum: f64,
    /// In seconds.
    delay: f64,
    old_delay: f64,
    update: u64,
}

impl Pie {
    pub fn new(ns3: bool, draws: Draws) -> Self {
        let (probability, sum, delay, old_delay, update) = (0.0, 0.0, 0.0, 0.0, 15_000_000);
        Pie { ns3, draws, items: VecDeque::new(), probability, sum, delay, old_delay, update }
    }

    fn advance(&mut self, now: u64) {
        while self.update <= now {
            let change = 0.125 * (self.delay - 0.015) + 1.25 * (self.delay - self.old_delay);
            let divisor = match self.probability {
                p if p < 1e-6 => 2048.0,
                p if p < 1e-5 => 512.0,
                p if p < 1e-4 => 128.0,
                p if p < 1e-3 => 32.0,
                p if p < 1e-2 => 8.0,
                p if p < 1e-1 => 2.0,
                _ => 1.0,
            };
            let change: f64 = change / divisor;
            self.probability += if self.probability >= 0.1 { change.min(0.02) } else { change };
            if self.delay == 0.0 && self.old_delay == 0.0 {
                self.probability *= 0.98;
            }
            self.probability = self.probability.clamp(0.0, 1.0);
            self.old_delay = self.delay;
            self.update += 15_000_000;
        }
    }

    fn is_chosen(&mut self) -> bool {
        let bytes: u64 = self.items.iter().map(|item| item.size).sum();
        let few = if self.ns3 { self.items.len() <= 2 } else { bytes <= 2000 };
        if (self.old_delay < 0.0075 && self.probability < 0.2) || few {
            return false;
        }
        if self.probability == 0.0 {
            self.sum = 0.0;
        }
        self.sum += self.probability;
        self.sum >= 8.5 || (self.sum >= 0.85 && self.draws.unit() < self.probability)
    }

    pub fn push(&mut self, item: Item, steps: &mut Vec<Step>) {
        self.advance(item.arrived);
        if self.is_chosen() {
            let marks = item.capable && self.probability < 0.1;
            if !(marks && self.ns3) {
                self.sum = 0.0;
            }
            steps.push(if marks { Step::Marked(item.number) } else { Step::Dropped(item.number) });
            if !marks {
                return;
            }
        }
        self.items.push_back(item);
    }

    pub fn dequeue(&mut self, now: u64) -> Option<Item> {
        self.advance(now);
        let item = self.items.pop_front()?;
        self.delay = if self.items.is_empty() { 0.0 } else { (now - item.arrived) as f64 / 1e9 };
        Some(item)
    }
}
