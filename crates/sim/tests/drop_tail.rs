//! No variant starves as the only flow over a short queue. With a large receive window, slow start loses a hundred
//! segments of one window, and recovery must end within a few seconds.

use tcp::presets::PRESETS;
use testkit::{build_network, run_network};

const RATE: f64 = 10e6;

fn text(variant: &str) -> String {
    format!(
        r#"title = "a short queue"
duration = "20 s"
nodes = {{ a = {{ kind = "host" }}, r = {{ kind = "router" }}, b = {{ kind = "host" }} }}

[links.one]
kind = "wired"
between = ["a", "r"]
rate = "100 Mbps"
delay = "10 ms"

[links.two]
kind = "wired"
between = ["r", "b"]
rate = "10 Mbps"
delay = "10 ms"
queue = "40 packets"

[flows.f]
from = "a"
to = "b"
mss = "1000 B"
receive_window = "1 MB"
tcp = {{ variant = "{variant}" }}
"#
    )
}

/// As long as ssthresh was computed from all outstanding data instead of at most cwnd, SACK and NewReno lost the same
/// number of segments again each time, with a timeout every 1.5 s: 4.4 to 7 of 10 Mbps. A path that holds 50 packets
/// stays 90 % full when cwnd is halved, because its queue holds 40.
#[test]
fn slow_start_over_a_short_queue_rarely_causes_timeouts() {
    for preset in PRESETS {
        let results = run_network(&build_network(&text(preset.name)));
        let flow = &results.flows[0];
        let share = flow.goodput_bps().unwrap() / RATE;
        assert!(share > 0.8, "{}: {share:.2} of the rate, {:?}", preset.name, flow.sender);
        assert!(flow.sender.timeouts <= 3, "{}: {:?}", preset.name, flow.sender);
    }
}
