//! Runs the path as a simulation.

use engine::{IdVec, Span, Time};
use path::HopId;
use sim::{Event, FlowId, Network, Sink, World};

use super::SAMPLING;
use super::measured::{FlowMeasurements, RunMeasurements};

/// Latest smoothed round trip time of each flow, in ms.
struct RoundTrips(IdVec<FlowId, Option<f64>>);

impl Sink for RoundTrips {
    const ACTIVE: bool = true;

    fn event(&mut self, _: Time, event: &Event) {
        if let Event::Sender { flow, event: tcp::Event::RttSample { srtt, .. } } = event {
            self.0[*flow] = Some(srtt.as_secs_f64() * 1000.0);
        }
    }
}

/// Runs `network`, sampling the queue of `bottleneck` at the same times as the emulated path.
pub fn simulate_flows(network: &Network, bottleneck: HopId) -> RunMeasurements {
    let mut world = World::new(network, true);
    let mut latest = RoundTrips(vec![None; network.flows.len()].into());
    let mut round_trips = vec![Vec::new(); network.flows.len()];
    let mut queue = Vec::new();
    let mut next = Time::ZERO + SAMPLING;
    loop {
        // Events at the sampling time itself come after the sample, as in a state trace.
        let before = Time::from_nanos(next.as_nanos() - Span::from_nanos(1).as_nanos());
        while world.advance_until(before, u64::MAX, &mut latest) {}
        if world.is_over() {
            break;
        }
        queue.push(world.hop_state(bottleneck).waiting);
        for (samples, latest) in round_trips.iter_mut().zip(&latest.0) {
            samples.extend(latest);
        }
        next += SAMPLING;
    }
    let flow = |(flow, round_trips): (&sim::FlowResult, Vec<f64>)| {
        let goodput = flow.goodput_bps().unwrap_or(0.0) / 1e6;
        FlowMeasurements { goodput, round_trips }
    };
    let results = world.results();
    RunMeasurements { flows: results.flows.iter().zip(round_trips).map(flow).collect(), queue }
}
