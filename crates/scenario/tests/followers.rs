//! The nodes that a scheme requires to run it.

use path::agent::AgentConfig;
use scenario::document::by_name;
use scenario::followers::find_requirements;
use testkit::{TO_MOBILE, last_hop_text, read_scenario};

const FROM_MOBILE: &str = "from = \"mobile\"\nto = \"server\"";
const LOSSY: &str = "channel = { kind = \"uniform\", loss = 0.02 }";

#[test]
fn nodes_that_run_a_scheme_depend_on_the_direction() {
    let nodes = |flow: &str, scheme: &str| {
        let scenario = read_scenario(&last_hop_text("duration = \"100 s\"", ("10 Mbps", "1 ms"), LOSSY, flow));
        let config: AgentConfig = by_name(scheme).unwrap();
        Vec::from_iter(find_requirements(&scenario, &config.traits()).nodes).join(" ")
    };
    for (scheme, download, upload) in [
        ("unmodified", "", ""),
        ("refined-icmp", "server station", "mobile"),
        ("snoop", "station", ""),
        ("eln", "", "mobile station"),
        ("packet-control", "station", "mobile"),
        ("tack", "mobile", "station"),
        ("freeze-tcp", "mobile", ""),
        ("split", "station", "station"),
    ] {
        assert_eq!(
            (nodes(TO_MOBILE, scheme), nodes(FROM_MOBILE, scheme)),
            (download.into(), upload.into()),
            "{scheme}"
        );
    }
}
