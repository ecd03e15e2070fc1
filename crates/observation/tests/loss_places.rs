//! Where packets are lost: in a medium by the last exchange of the hop that gives the packet up, whatever happened to
//! other packets of the flow meanwhile.

use std::collections::BTreeMap;

use engine::Time;
use observation::losses::LossPlace;
use observation::media::{AttemptFailure, ObservedExchange};
use observation::transmitters::{Before, OnHop};
use observation::{Evidence, Fact, FlowObservation, ObservingSink, PathObservation, Subscriber};
use path::{HopIndex, LinkEvent};
use sim::{FlowId, Network};
use testkit::run_with_sink;

/// An upload, whose acknowledgments cross the same medium, beside the datagrams of a hidden station. Two attempts end a
/// frame.
const HIDDEN_STATIONS: &str = r#"
duration = "60 s"
[media.cell]
standard = "802.11b"
range = "250 m"
carrier_sense_range = "300 m"
short_retry_limit = 2
long_retry_limit = 2
[nodes]
server = { kind = "host" }
ap = { kind = "base-station", position = ["0 m", "0 m"] }
a = { kind = "host", position = ["200 m", "0 m"] }
b = { kind = "host", position = ["-200 m", "0 m"] }
[links.wire]
kind = "wired"
between = ["server", "ap"]
rate = "100 Mbps"
delay = "5 ms"
[links.first]
kind = "wireless"
between = ["ap", "a"]
medium = "cell"
channel = { kind = "uniform", loss = 0.2 }
[links.second]
kind = "wireless"
between = ["ap", "b"]
medium = "cell"
channel = { kind = "uniform", loss = 0.2 }
[flows.one]
from = "a"
to = "server"
[flows.two]
from = "b"
to = "server"
transport = "udp"
traffic = { kind = "cbr", rate = "300 kbps", packet = "500 B" }
"#;

/// Compares each place of a loss with the last exchange of the hop.
#[derive(Default)]
struct PlaceCheck {
    /// Why the last exchange of each hop failed, by flow, if it did.
    failures: BTreeMap<(FlowId, HopIndex), Option<AttemptFailure>>,
    /// The hop that gives a packet up now, by flow.
    gives_up: BTreeMap<FlowId, HopIndex>,
    /// The number of losses by place, with those after an exchange of another hop that ended otherwise.
    found: BTreeMap<&'static str, u32>,
    others: u32,
}

impl Subscriber for PlaceCheck {
    fn on_hop(
        &mut self,
        on: &OnHop<'_>,
        event: &LinkEvent,
        number: FlowId,
        _: (&FlowObservation, &PathObservation),
        _: Before,
    ) {
        self.gives_up.remove(&number);
        if matches!(event, LinkEvent::GivenUp { .. }) {
            self.gives_up.insert(number, on.number);
        }
    }

    fn on_exchange(&mut self, exchange: &ObservedExchange, number: FlowId, _: &FlowObservation, _: &PathObservation) {
        let is_own = exchange.carried.iter().any(|carried| carried.flow == Some(number));
        if let Some(hop) = exchange.hop.filter(|_| is_own) {
            self.failures.insert((number, hop.into()), exchange.spoilt);
        }
    }

    fn on_facts(&mut self, _: Time, number: FlowId, facts: &[Fact], _: &FlowObservation, _: &PathObservation) {
        for fact in facts {
            let (Fact::Gone { place, .. }, Some(hop)) = (fact, self.gives_up.get(&number)) else { continue };
            let failure = self.failures.get(&(number, *hop)).copied().flatten();
            let collided = matches!(failure, Some(AttemptFailure::Collision | AttemptFailure::Hidden));
            let expected = if collided { LossPlace::Collision } else { LossPlace::Air };
            assert_eq!(*place, Evidence::Known(expected), "{hop:?}: {failure:?}");
            *self.found.entry(if collided { "collision" } else { "air" }).or_default() += 1;
            let of_others = self.failures.iter().filter(|((flow, other), _)| *flow == number && other != hop);
            self.others += u32::from(of_others.into_iter().any(|(_, other)| *other != failure));
        }
    }
}

#[test]
fn packet_that_a_medium_gives_up_is_lost_where_its_last_exchange_failed() {
    let network: Network = testkit::build_network(HIDDEN_STATIONS);
    let mut sink = ObservingSink::new(&network, PlaceCheck::default());
    let ended = run_with_sink(&network, &mut sink).ended;
    let check = sink.finish(ended);
    let [air, collision] = ["air", "collision"].map(|place| check.found.get(place).copied().unwrap_or_default());
    assert!(air > 10 && collision > 10 && check.others > 20, "{:?}, {}", check.found, check.others);
}
