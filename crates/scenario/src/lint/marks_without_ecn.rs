//! Queues that mark packets although all flows through them are without ECN.

use path::queue::Limit;
use sim::Transport;
use tcp::config::EcnMode;

use super::Context;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let Context { scenario, network, routes, .. } = *context;
    // For each hop, whether a flow over TCP crosses it, and whether one of them is ECN-capable.
    let mut crossed = vec![(false, false); 2 * network.links.len()];
    let arriving = network.arrivals.iter().map(|spec| {
        let is_asked = spec.tcp.ecn == EcnMode::Request;
        (Transport::Tcp, is_asked && spec.peer.as_ref().is_none_or(|peer| peer.ecn != EcnMode::Off))
    });
    let flows = network.flows.iter().map(|flow| (flow.transport, flow.agreed_tcp().ecn == EcnMode::Request));
    for ((transport, uses_ecn), [there, _]) in flows.chain(arriving).zip(routes) {
        for hop in there.hops.iter().filter(|_| transport == Transport::Tcp) {
            let (any, capable) = &mut crossed[*hop];
            *any = true;
            *capable |= uses_ecn;
        }
    }
    let mut warnings = Vec::new();
    for (link, crossed) in network.links.iter().zip(crossed.chunks(2)) {
        for direction in link.distinct() {
            // Settings of both directions are reported once.
            let shared = link.backward.is_none();
            let (any, capable) =
                if shared { (crossed[0].0 || crossed[1].0, crossed[0].1 || crossed[1].1) } else { crossed[direction] };
            let queue = link.direction(direction).queue;
            let Some(setting) = queue.traits().marks_by.filter(|_| any && !capable) else { continue };
            let at_link = scenario.links.get(&link.name).is_some_and(|link| link.ecn_threshold != Limit::None);
            let key = if at_link {
                format!("links.{}.ecn_threshold", link.name)
            } else {
                context.key(link, direction, "queue")
            };
            let problem = Problem::new(format!(
                "a flow with tcp.ecn = \"request\" over this link: no sender uses ECN, and {setting} marks nothing"
            ));
            warnings.push(problem.key(key).found(format!("\"{}\"", queue.name())));
        }
    }
    warnings
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, modify_network};

    fn with(queue: &str, tcp: &str) -> String {
        modify_network(&[
            ("delay = \"100 ms\"", &format!("delay = \"100 ms\"\nqueue = {queue}")),
            ("mss = \"1000 B\"", &format!("mss = \"1000 B\"\ntcp = {{ {tcp} }}")),
        ])
    }

    pub fn examples() -> [String; 2] {
        let codel = "{ kind = \"codel\", ecn = true }";
        [with(codel, "variant = \"newreno\""), with(codel, "variant = \"newreno\", ecn = \"request\"")]
    }

    #[test]
    fn marking_queue_without_ecn_senders_is_reported() {
        let newreno = "variant = \"newreno\"";
        assert_only_warning(
            &with("{ kind = \"codel\", ecn = true }", newreno),
            &["links.wire.queue", "ecn = true marks nothing"],
        );
        assert_only_warning(&with("\"dualpi2\"", newreno), &["links.wire.queue", "low-latency queue"]);
        // These mark by default.
        assert_no_warnings(&with("\"fq-codel\"", newreno));
        assert_no_warnings(&with("\"codel\"", newreno));
    }
}
