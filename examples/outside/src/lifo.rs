//! A queue that sends the newest packet first. A packet that finds it full is dropped. Expedited packets go before the
//! others, in the order of their arrival.

use std::collections::VecDeque;

use engine::registry::Fault;
use engine::{Member, Stream};
use path::queue::{DropCause, Limit, QueueConfig, QueueCx, QueueDiscipline, Queued};
use schemars::JsonSchema;
use serde::Deserialize;
use wire::Packet;

/// Settings.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The most packets that may wait, at least 1.
    pub packets: u32,
}

impl Member<QueueConfig> for Config {
    fn check(&self) -> Vec<Fault> {
        if self.packets == 0 { vec![Fault::new("packets", 0, "1 or more")] } else { Vec::new() }
    }

    fn build(&self, _: Stream) -> Box<dyn QueueDiscipline> {
        Box::new(Lifo { limit: Limit::Packets(self.packets), expedited: VecDeque::new(), others: Vec::new(), bytes: 0 })
    }
}

struct Lifo {
    limit: Limit,
    expedited: VecDeque<Queued>,
    /// The next to be sent is the last.
    others: Vec<Queued>,
    bytes: u64,
}

impl QueueDiscipline for Lifo {
    fn enqueue(&mut self, queued: Queued, cx: &mut QueueCx<'_>) -> Result<(), DropCause> {
        let (packets, bytes) = (self.len() + cx.others.0, self.bytes + cx.others.1);
        if !queued.at_once && !self.limit.admits(packets, bytes, queued.packet.size()) {
            return Err(DropCause::Full);
        }
        self.bytes += u64::from(queued.packet.size());
        if queued.expedited {
            self.expedited.push_back(queued)
        } else {
            self.others.push(queued)
        }
        Ok(())
    }

    fn dequeue(&mut self, _: &mut QueueCx<'_>) -> Option<Queued> {
        let queued = self.expedited.pop_front().or_else(|| self.others.pop())?;
        self.bytes -= u64::from(queued.packet.size());
        Some(queued)
    }

    fn packets(&self) -> Box<dyn Iterator<Item = &Packet> + '_> {
        Box::new(self.expedited.iter().chain(self.others.iter().rev()).map(|queued| &queued.packet))
    }

    fn len(&self) -> usize {
        self.expedited.len() + self.others.len()
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn limit(&self) -> Limit {
        self.limit
    }

    fn marks(&self) -> bool {
        false
    }
}
