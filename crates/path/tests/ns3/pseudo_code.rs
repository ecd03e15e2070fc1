//! A second implementation of CoDel and of the rounds of FQ-CoDel after the pseudo-code of RFC 8289, s5, and RFC 8290,
//! s4, with the arithmetic of either the RFC or ns-3. It shows that ns-3 and lasthop differ only in arithmetic.

use std::collections::VecDeque;

/// The arithmetic of time and of the comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    /// Nanoseconds, exact square roots.
    Exact,
    /// Units of 1024 ns, square roots by one Newton step in 16 bits, `>` for `>=` and `<` for `<=`, and after a mark
    /// the control law from now instead of from the time that was due.
    Ns3,
}

/// A waiting packet.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub number: u32,
    pub flow: u32,
    pub size: u64,
    pub capable: bool,
    pub arrived: u64,
}

/// Fate of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    Dropped(u32),
    Marked(u32),
}

/// CoDel with a target of 5 ms, an interval of 100 ms and an MTU of 1500 bytes.
pub struct CoDel {
    arithmetic: Arithmetic,
    ecn: bool,
    items: VecDeque<Item>,
    first_above: u64,
    drop_next: u64,
    count: u64,
    last_count: u64,
    dropping: bool,
    /// 2^16 / sqrt(count), for ns-3's arithmetic.
    inverse_root: u64,
}

impl CoDel {
    pub fn new(arithmetic: Arithmetic, ecn: bool) -> Self {
        let items = VecDeque::new();
        let (first_above, drop_next, count, last_count, dropping) = (0, 0, 0, 0, false);
        let inverse_root = 0xffff;
        CoDel { arithmetic, ecn, items, first_above, drop_next, count, last_count, dropping, inverse_root }
    }

    pub fn push(&mut self, item: Item) {
        self.items.push_back(item);
    }

    fn units(&self, nanoseconds: u64) -> u64 {
        if self.arithmetic == Arithmetic::Ns3 { nanoseconds >> 10 } else { nanoseconds }
    }

    fn interval(&self) -> u64 {
        self.units(100_000_000)
    }

    /// Updates 1 / sqrt(count) after a change of `count`, by one step of Newton's method.
    fn newton(&mut self) {
        let root = self.inverse_root << 16;
        let square = (root * root) >> 32;
        let value = ((3 << 32) - self.count * square) >> 2;
        self.inverse_root = (((value * root) >> 31) & 0xffff_ffff) >> 16;
    }

    fn control_law(&self, from: u64) -> u64 {
        from + match self.arithmetic {
            Arithmetic::Exact => (self.interval() * self.interval() / self.count).isqrt(),
            Arithmetic::Ns3 => (self.interval() * (self.inverse_root << 16)) >> 32,
        }
    }

    fn take(&mut self, now: u64) -> Option<(Item, bool)> {
        let Some(item) = self.items.pop_front() else {
            self.first_above = 0;
            return None;
        };
        let bytes: u64 = self.items.iter().map(|item| item.size).sum();
        let ns3 = self.arithmetic == Arithmetic::Ns3;
        let short = if ns3 { bytes < 1500 } else { bytes <= 1500 };
        if self.units(now - item.arrived) < self.units(5_000_000) || short {
            self.first_above = 0;
            return Some((item, false));
        }
        let now = self.units(now);
        if self.first_above == 0 {
            self.first_above = now + self.interval();
            return Some((item, false));
        }
        Some((item, if ns3 { now > self.first_above } else { now >= self.first_above }))
    }

    pub fn dequeue(&mut self, time: u64, steps: &mut Vec<Step>) -> Option<Item> {
        let Some((mut item, mut ok_to_drop)) = self.take(time) else {
            self.dropping = false;
            return None;
        };
        let now = self.units(time);
        if self.dropping {
            self.dropping = ok_to_drop;
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                self.newton();
                if self.ecn && item.capable {
                    steps.push(Step::Marked(item.number));
                    let from = if self.arithmetic == Arithmetic::Ns3 { now } else { self.drop_next };
                    self.drop_next = self.control_law(from);
                    break;
                }
                steps.push(Step::Dropped(item.number));
                (item, ok_to_drop) = self.take(time)?;
                self.dropping = ok_to_drop;
                if ok_to_drop {
                    self.drop_next = self.control_law(self.drop_next);
                }
            }
        } else if ok_to_drop {
            if self.ecn && item.capable {
                steps.push(Step::Marked(item.number));
            } else {
                steps.push(Step::Dropped(item.number));
                (item, _) = self.take(time)?;
            }
            self.dropping = true;
            let delta = self.count - self.last_count;
            if delta > 1 && now.saturating_sub(self.drop_next) < 16 * self.interval() {
                self.count = delta;
                self.newton();
            } else {
                self.count = 1;
                self.inverse_root = 0xffff;
            }
            self.last_count = self.count;
            self.drop_next = self.control_law(now);
        }
        Some(item)
    }
}

/// FQ-CoDel with a queue for each flow and a quantum of 1514 bytes.
pub struct FqCoDel {
    flows: Vec<(CoDel, i64)>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
}

impl FqCoDel {
    pub fn new(arithmetic: Arithmetic, ecn: bool, flows: usize) -> Self {
        let flows = (0..flows).map(|_| (CoDel::new(arithmetic, ecn), 0)).collect();
        FqCoDel { flows, new: VecDeque::new(), old: VecDeque::new() }
    }

    pub fn push(&mut self, item: Item) {
        let number = item.flow as usize;
        if !self.new.contains(&number) && !self.old.contains(&number) {
            self.flows[number].1 = 1514;
            self.new.push_back(number);
        }
        self.flows[number].0.push(item);
    }

    pub fn dequeue(&mut self, time: u64, steps: &mut Vec<Step>) -> Option<Item> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let number = *list.front()?;
            let (codel, credits) = &mut self.flows[number];
            if *credits <= 0 {
                *credits += 1514;
                list.pop_front();
                self.old.push_back(number);
                continue;
            }
            if let Some(item) = codel.dequeue(time, steps) {
                *credits -= item.size as i64;
                return Some(item);
            }
            list.pop_front();
            if is_new {
                self.old.push_back(number);
            }
        }
    }
}
