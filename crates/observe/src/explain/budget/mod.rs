//! The time budget of each flow: every moment has exactly one cause, so that the causes add up to the flow's time.
//!
//! At each moment the first of these rules that applies gives the cause.
//!
//! 1. The slowest hop transmits packets of the flow, or a link layer there waits for its acknowledgment: `link-rate`;
//!    `bad-air` for attempts that fail. In a medium, exchanges decide: see rule 3.
//! 2. Data of the flow waits at the slowest hop, which transmits packets of other flows: `others-queue`. The link is
//!    interrupted: `outage`.
//! 3. Packets of the flow are at stations of a medium. Once the exchanges are known, their time is charged: to
//!    `link-rate` if they carried packets of the flow, to `collision` and `bad-air` if those failed, to `others-queue` if
//!    the same station sent for another flow, to `contention` if another station sent. Interframe spaces and back-offs
//!    belong to `link-rate`.
//! 4. Packets of the flow wait at any other hop: `own-queue` behind others of the flow, `others-queue`, `outage`.
//! 5. A link layer will repeat a packet of the flow after a failed attempt: `bad-air`.
//! 6. The sender tells why it sends nothing, see `sender`. A segment that was lost precedes other reasons until it is
//!    acknowledged.
//!
//! The slowest hop is the one with the longest time for a full segment among those that have delivered data of the flow,
//! see `flow`; until a first segment has crossed a hop, it is any hop that transmits.
//!
//! A queue of the flow's own at the slowest hop costs no time by this definition, because the hop transmits; the delay
//! that it causes to other flows is theirs.

mod account;
mod cause;
mod packets;
mod sender;
mod transmitters;

use std::rc::Rc;

use engine::{Span, Time};
use path::{HopId, LinkEvent};
use sim::{Event, Network, PacketFlow, Transport};

pub(super) use account::StandingQueue;
use account::{Account, Before};
pub use cause::Cause;
use transmitters::{Kind, OnHop, Transmitters};

use super::cell::Exchange;
use super::hops::{self, Hops};

/// The budgets of all flows of a run.
pub(super) struct Budgets {
    hops: Rc<Hops>,
    transmitters: Transmitters,
    /// `None` for a flow without a connection.
    flows: Vec<Option<Account>>,
}

impl Budgets {
    pub fn of(network: &Network, hops: Rc<Hops>) -> Self {
        let account = |(number, spec): (usize, &sim::FlowSpec)| {
            (spec.transport == Transport::Tcp).then(|| Account::new(number as u32, spec))
        };
        let transmitters = Transmitters::of(network, &hops);
        Budgets { hops, transmitters, flows: network.flows.iter().enumerate().map(account).collect() }
    }

    /// Sets the slowest hop of a flow.
    pub fn slowest(&mut self, flow: u32, hop: HopId) {
        let number = hops::number(hop);
        if let (Some(line), Some(Some(account))) = (self.transmitters.line(number), self.flows.get_mut(flow as usize)) {
            account.set_slowest(number, line);
        }
    }

    /// Charges a flow's time until `at`, before an event changes its state.
    fn at(&mut self, at: Time, flow: u32) -> Option<&mut Account> {
        let budget = self.flows.get_mut(flow as usize)?.as_mut().filter(|account| !account.has_ended())?;
        budget.pass(at, &self.transmitters);
        Some(budget)
    }

    pub fn event(&mut self, at: Time, event: &Event) {
        match event {
            Event::Sender { flow, event } => {
                if let Some(budget) = self.at(at, *flow) {
                    budget.sender(event);
                }
            }
            Event::Node { node, event, of: Some(of) } => {
                let hops = Rc::clone(&self.hops);
                if let Some(budget) = self.at(at, of.flow) {
                    budget.node(at, *node as usize, event, of, &hops);
                }
            }
            Event::Link { hop, event, of } => self.link(at, *hop, event, of.as_ref()),
            Event::FlowCompleted { flow } => {
                if let Some(Some(budget)) = self.flows.get_mut(*flow as usize).filter(|budget| budget.is_some()) {
                    budget.end(at, &self.transmitters, true);
                }
            }
            _ => {}
        }
    }

    fn link(&mut self, at: Time, id: HopId, event: &LinkEvent, of: Option<&PacketFlow>) {
        let number = hops::number(id);
        let hops = Rc::clone(&self.hops);
        let (Some(hop), Some(kind)) = (hops.get(id), self.transmitters.line(number).map(|line| line.kind)) else {
            return;
        };
        let flow = of.map(|of| of.flow);
        let serving = self.transmitters.serving(number);
        // The flow that was served before waits from now on, or its frame is repeated.
        let taken = matches!(event, LinkEvent::Dequeued { .. } | LinkEvent::FrameSent { .. }) && kind != Kind::Medium;
        let concerned = serving.filter(|_| taken || matches!(event, LinkEvent::AckCorrupted { .. }));
        for flow in flow.into_iter().chain(concerned) {
            self.at(at, flow);
        }
        let on = OnHop { at, number, hop };
        let free = self.transmitters.observe(&on, event, flow, taken);
        let serves = self.transmitters.serving(number) == flow;
        let (Some(of), Some(line)) = (of, self.transmitters.line_mut(number)) else { return };
        if let Some(Some(account)) = self.flows.get_mut(of.flow as usize) {
            account.link(&on, event, of, line, Before { free, serves });
        }
    }

    /// An exchange in a medium is over, which concerns `flow`.
    pub fn exchange(&mut self, at: Time, flow: u32, exchange: &Exchange) {
        let near = exchange.hop.and_then(|hop| self.transmitters.line(hops::number(hop))).map(|line| line.near);
        if let (Some(budget), Some(near)) = (self.at(at, flow), near) {
            budget.exchange(exchange, near);
        }
    }

    /// Ends a flow if it is not complete. Returns the causes of its time, and its wait in the queue of others.
    pub fn finish(&mut self, at: Time, flow: u32) -> (Vec<(Cause, Span)>, Option<StandingQueue>) {
        let Some(Some(account)) = self.flows.get_mut(flow as usize) else { return (Vec::new(), None) };
        account.finish(at, &self.transmitters)
    }
}
