//! The delays that a simulation measures without a sink, compared with those that follow from an observation.

use engine::{Histogram, IdVec, Time};
use observation::flow::FlowObservation;
use observation::hop_packets::HopPassage;
use observation::hop_timing::HopTimings;
use observation::media::ObservedExchange;
use observation::transmitters::{Before, OnHop};
use observation::{Fact, HopPackets, Observation, PathObservation, Subscriber};
use path::{HopIndex, LinkEvent};
use sim::{Event, FlowId, Network, Sink, Transport, World};
use testkit::constructed_cases;

/// The one-way delays of segments, by flow.
struct OneWayDelays(Vec<Histogram>);

impl Subscriber for OneWayDelays {
    fn hold_until(&mut self, _: Time, _: FlowId, _: &FlowObservation, _: &PathObservation) {}
    fn on_hop(&mut self, _: &OnHop<'_>, _: &LinkEvent, _: FlowId, _: (&FlowObservation, &PathObservation), _: Before) {}
    fn on_exchange(&mut self, _: &ObservedExchange, _: FlowId, _: &FlowObservation, _: &PathObservation) {}
    fn on_facts(&mut self, at: Time, number: FlowId, facts: &[Fact], flow: &FlowObservation, _: &PathObservation) {
        for fact in facts {
            // A copy of acknowledged data is not measured.
            if let Fact::Reached { packet, .. } = fact
                && packet.seq() >= Some(flow.sender.una)
            {
                self.0[number.index()].record_span(at.since(packet.since));
            }
        }
    }
    fn on_end(&mut self, _: Time, _: FlowId, _: &FlowObservation, _: &PathObservation) {}
}

/// The delays of a run, from its events.
struct ObservedDelays {
    observation: Observation,
    one_way: OneWayDelays,
    packets: HopPackets,
    /// The waits in the queue of each hop.
    waits: IdVec<HopIndex, Histogram>,
}

impl ObservedDelays {
    fn of(network: &Network) -> Self {
        ObservedDelays {
            observation: Observation::new(network),
            one_way: OneWayDelays(vec![Histogram::default(); network.flows.len()]),
            packets: HopPackets::new(HopTimings::of(network)),
            waits: vec![Histogram::default(); 2 * network.links.len()].into(),
        }
    }

    fn record_wait(&mut self, passage: &HopPassage) {
        if !passage.outcome.is_drop() && !passage.arrives_again {
            self.waits[passage.hop].record_span(passage.starts.since(passage.joined));
        }
    }

    /// Adds the waits of packets that are still at hops.
    fn finish(&mut self) {
        for (hop, packet) in self.packets.all() {
            if let Some(starts) = packet.starts {
                self.waits[hop].record_span(starts.since(packet.joined));
            }
        }
    }
}

impl Sink for ObservedDelays {
    const ACTIVE: bool = true;
    fn event(&mut self, at: Time, event: &Event) {
        self.observation.apply(at, event, &mut self.one_way);
        if let Some(passage) = self.packets.apply(at, event) {
            self.record_wait(&passage);
        }
    }
}

/// Cases in which data has copies that its sender did not send: those of a link layer that delivers twice, and of a
/// node's scheme. Measured delays count from the transmission by the sender, those of an observation from the
/// transmission of the copy.
const WITH_COPIES: [&str; 4] = ["air-copies", "datagrams-copies", "scheme-snoop", "scheme-split"];

fn compare_means(one: &Histogram, other: &Histogram) -> String {
    let text = |histogram: &Histogram| format!("{} with mean {:?} ns", histogram.count(), histogram.mean());
    format!("{}, not {}", text(one), text(other))
}

#[test]
fn delays_measured_by_the_simulation_equal_those_derived_from_events() {
    for case in constructed_cases() {
        let network = case.network();
        let mut world = World::new(network, true);
        world.measure_delays(network);
        let mut observed = ObservedDelays::of(network);
        world.run(&mut observed);
        observed.finish();
        let delays = world.delays().unwrap();
        for (hop, waits) in observed.waits.enumerate() {
            let measured = &delays.hop(hop.link().index(), hop.direction().index()).unwrap().queue;
            assert!(waits == measured, "{}: waits at {hop:?}: {}", case.name, compare_means(waits, measured));
        }
        if WITH_COPIES.contains(&case.name.as_str()) {
            continue;
        }
        for (flow, one_way) in observed.one_way.0.iter().enumerate() {
            if network.flows[flow].transport == Transport::Tcp {
                let measured = &delays.flow(flow).unwrap().one_way;
                let means = compare_means(one_way, measured);
                assert!(one_way == measured, "{}: one-way delays of flow {flow}: {means}", case.name);
            }
        }
    }
}
