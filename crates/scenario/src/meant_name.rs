//! Common names of values, among them the names in ns-2, ns-3, INET, iproute2 and Linux.

/// Each name in scenarios, and other names for it. Case, `_` and `-` do not matter.
const NAMES: &[(&str, &[&str])] = &[
    ("host", &["server", "client", "station", "mobile", "ue", "terminal", "pc"]),
    ("base-station", &["ap", "access-point", "bs", "enb", "enodeb", "gnb", "gateway"]),
    ("router", &["switch", "gateway"]),
    ("wired", &["ethernet", "wire", "cable", "fibre", "fiber", "point-to-point"]),
    ("wireless", &["wifi", "wlan", "radio", "air", "lte", "cellular", "satellite"]),
    ("bbr3", &["bbr2", "bbrv2", "bbrv3"]),
    ("bbr", &["bbr1", "bbrv1"]),
    ("linux-reno", &["linux-newreno"]),
    ("bulk", &["ftp", "iperf", "iperf3", "download", "upload", "file", "transfer", "greedy"]),
    ("requests", &["web", "http", "https", "page", "pages", "browser", "browsing"]),
    ("video", &["dash", "abr", "hls", "streaming"]),
    ("voip", &["voice", "call", "rtp", "telephone", "phone"]),
    ("ping", &["icmp", "echo"]),
    ("cbr", &["udp", "constant-bit-rate"]),
    ("icmp-echo", &["icmp", "ping"]),
    ("drop-tail", &["fifo", "pfifo", "bfifo", "tail-drop"]),
    ("fq-codel", &["fq", "sfq"]),
    ("drr", &["wfq", "wrr"]),
    ("uniform", &["bernoulli", "random", "iid", "random-loss"]),
    ("gilbert-elliott", &["gilbert", "gemodel", "ge"]),
    ("two-state", &["markov"]),
    ("perfect", &["none", "lossless", "ideal"]),
    ("stop-and-wait", &["saw", "arq"]),
    ("selective-repeat", &["sr", "rlc", "rlc-am", "harq"]),
    ("go-back-n", &["gbn"]),
    ("minstrel", &["minstrel-ht"]),
    ("arf", &["aarf"]),
    ("802.11n", &["wifi4", "wifi-4", "11n", "ht"]),
    ("fixed", &["constant"]),
    ("constant", &["fixed", "deterministic"]),
    ("exponential", &["poisson"]),
    ("unmodified", &["none", "plain"]),
    ("refined-icmp", &["icmp-retransmit"]),
    ("simple-icmp", &["icmp-defer"]),
    ("split", &["pep", "proxy", "i-tcp", "itcp"]),
];

/// The name among `known` that `name` means: a common synonym, or the most similar one.
pub(crate) fn find_meant_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.into_iter().collect();
    let plain = normalize_name(name);
    let synonyms = NAMES.iter().filter(|(_, others)| others.iter().any(|other| normalize_name(other) == plain));
    let meant = synonyms.filter_map(|(meant, _)| known.iter().find(|known| *known == meant).copied()).next();
    meant.filter(|_| !plain.is_empty()).or_else(|| engine::near::nearest_name(name, known))
}

/// Reduces a name to its letters, digits and points.
fn normalize_name(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '.').map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Shape;

    #[test]
    fn synonym_is_found_before_a_similar_name() {
        assert_eq!(find_meant_name("bbr2", ["bbr", "bbr3"]), Some("bbr3"));
        assert_eq!(find_meant_name("BBRv2", ["bbr", "bbr3"]), Some("bbr3"));
        assert_eq!(find_meant_name("web", ["bulk", "requests"]), Some("requests"));
        assert_eq!(find_meant_name("reqests", ["bulk", "requests"]), Some("requests"));
        assert_eq!(find_meant_name("web", ["bulk"]), None);
        assert_eq!(find_meant_name("--", ["bulk"]), None);
    }

    /// A synonym is no name of the same list: `icmp` is `ping` among applications and `icmp-echo` among transports.
    #[test]
    fn every_synonym_maps_to_a_name_of_the_schema() {
        let text = crate::schema().to_string();
        for (name, others) in NAMES {
            assert!(text.contains(&format!("\"{name}\"")), "{name}");
            assert!(!others.contains(name), "{name}");
        }
        let kinds = Shape::at(&crate::key_path::parse_key_path("flows.any.traffic")).kinds();
        assert!(
            NAMES
                .iter()
                .filter(|(name, _)| kinds.contains(name))
                .all(|(_, others)| { others.iter().all(|other| !kinds.contains(other)) })
        );
    }
}
