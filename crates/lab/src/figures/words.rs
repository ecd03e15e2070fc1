//! Names of metrics and keys in words, for titles, axes and captions.

use observe::metric::Metric;

/// Abbreviations in names.
const SPELLED: [(&str, &str); 13] = [
    ("acks", "ACKs"),
    ("arq", "ARQ"),
    ("cts", "CTS"),
    ("cwnd", "cwnd"),
    ("ecn", "ECN"),
    ("fct", "flow completion time"),
    ("icmp", "ICMP"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("mos", "mean opinion score"),
    ("rtt", "round-trip time"),
    ("rts", "RTS"),
    ("tcp", "TCP"),
];
/// Statistics at the end of a metric's name.
const STATISTICS: [(&str, &str); 6] = [
    ("mean", "mean"),
    ("p50", "median"),
    ("p95", "95 % quantile"),
    ("p99", "99 % quantile"),
    ("max", "maximum"),
    ("min", "minimum"),
];
/// Tables of a scenario with named entries, and a word for an entry.
const TABLES: [(&str, &str); 5] =
    [("links", "link"), ("flows", "flow"), ("nodes", "node"), ("media", "medium"), ("arrivals", "arrivals")];

fn spell_out(word: &str) -> &str {
    SPELLED.iter().find(|(short, _)| *short == word).map_or(word, |(_, long)| long)
}

/// Returns the name of a metric in words, without its unit.
pub fn name_metric(metric: &Metric) -> String {
    let unit = match metric.unit {
        "s" => "_s",
        "bit/s" => "_bps",
        _ => "",
    };
    let name = metric.name.strip_suffix(unit).unwrap_or(metric.name);
    let mut words: Vec<&str> = name.split('_').collect();
    let last = words.last().copied().unwrap_or_default();
    let statistic = STATISTICS.iter().find(|(short, _)| words.len() > 1 && *short == last);
    if statistic.is_some() {
        words.pop();
    }
    let words = words.into_iter().map(spell_out).collect::<Vec<_>>().join(" ");
    statistic.map_or_else(|| words.clone(), |(_, long)| format!("{words} ({long})"))
}

/// Returns a scenario's key in words: `links.air.channel.mean_bad` is "channel mean bad of link air". A key with quoted
/// parts is returned unchanged.
pub fn name_key(key: &str) -> String {
    if key.contains(['"', '\'']) {
        return key.to_owned();
    }
    let parts: Vec<&str> = key.split('.').collect();
    let table = parts.first().and_then(|first| TABLES.iter().find(|(name, _)| name == first));
    match (table, &parts[..]) {
        (Some((_, kind)), [_, name, rest @ ..]) if !rest.is_empty() => format!("{} of {kind} {name}", join_words(rest)),
        _ => join_words(&parts),
    }
}

fn join_words(parts: &[&str]) -> String {
    parts.iter().flat_map(|part| part.split('_')).map(spell_out).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use observe::metric::{METRICS, find_metric};

    #[test]
    fn metric_names_omit_the_unit_and_end_with_the_statistic() {
        let of = |name: &str| name_metric(find_metric(name).unwrap());
        let names = ["completion_time_s", "goodput_bps", "fct_p95_s", "slowdown_mean", "max_pause_s", "rts_sent"];
        let words = [
            "completion time",
            "goodput",
            "flow completion time (95 % quantile)",
            "slowdown (mean)",
            "maximum pause",
            "RTS sent",
        ];
        assert_eq!(names.map(of), words);
    }

    #[test]
    fn names_of_metrics_are_unique() {
        for one in METRICS.iter() {
            let same =
                METRICS.iter().filter(|other| other.scope == one.scope && name_metric(other) == name_metric(one));
            assert_eq!(same.count(), 1, "{}", one.name);
            assert!(!name_metric(one).contains('_'), "{}", one.name);
        }
    }

    #[test]
    fn keys_name_their_setting_before_their_place() {
        let keys = [
            ("links.air.channel.mean_bad", "channel mean bad of link air"),
            ("flows.download.receive_window", "receive window of flow download"),
            ("flows.download.tcp.variant", "TCP variant of flow download"),
            ("scheme", "scheme"),
            ("links.\"a.b\".delay", "links.\"a.b\".delay"),
            ("links.air", "links air"),
        ];
        for (path, words) in keys {
            assert_eq!(name_key(path), words);
        }
    }
}
