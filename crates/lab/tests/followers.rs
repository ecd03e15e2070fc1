//! The nodes that a scheme requires to run it.

use lab::compare::paths;
use path::agent::AgentConfig;
use scenario::Document;
use scenario::document::by_name;
use scenario::followers::asked;

#[test]
fn nodes_that_run_a_scheme_depend_on_the_direction() {
    let nodes = |path: &str, scheme: &str| {
        let path = paths::named(&[path.to_owned()]).unwrap().remove(0);
        let scenario = Document::parse("p", path.text.as_bytes()).unwrap().read().unwrap();
        let config: AgentConfig = by_name(scheme).unwrap();
        Vec::from_iter(asked(&scenario, &config.traits()).nodes).join(" ")
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
            (nodes("lan-bursts", scheme), nodes("lan-upload", scheme)),
            (download.into(), upload.into()),
            "{scheme}"
        );
    }
}
