//! The built-in paths on which schemes are compared: each network with each kind of channel.

use scenario::problem::Problem;

/// A network or a kind of channel: the name, a description of one line, and the part of a scenario.
struct PathPart {
    name: &'static str,
    summary: &'static str,
    text: &'static str,
}

/// The networks: the path between the server and the base station.
const NETWORKS: &[PathPart] = &[
    PathPart { name: "lan", summary: "10 Mbps and 1 ms to the base station", text: include_str!("paths/lan.toml") },
    PathPart { name: "wan", summary: "10 Mbps and 50 ms to the base station", text: include_str!("paths/wan.toml") },
    PathPart {
        name: "satellite",
        summary: "10 Mbps and 250 ms to the base station",
        text: include_str!("paths/satellite.toml"),
    },
];

/// The kinds of channel. Each has the link between the base station and the mobile, 2 Mbps and 1 ms, and the flows over
/// it.
const CHANNELS: &[PathPart] = &[
    PathPart {
        name: "random-loss",
        summary: "2 % of frames lost, a link layer without retries",
        text: include_str!("paths/random-loss.toml"),
    },
    PathPart {
        name: "bursts",
        summary: "fades of 100 ms, a link layer with nine attempts",
        text: include_str!("paths/bursts.toml"),
    },
    PathPart {
        name: "disconnection",
        summary: "a disconnection of 3 s, a link layer with nine attempts",
        text: include_str!("paths/disconnection.toml"),
    },
    PathPart {
        name: "delay-variation",
        summary: "fades of 500 ms, a link layer without a retry limit",
        text: include_str!("paths/delay-variation.toml"),
    },
    PathPart {
        name: "upload",
        summary: "uploads; 2 % of packets lost, no link layer",
        text: include_str!("paths/upload.toml"),
    },
];

/// A path on which schemes are compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComparedPath {
    /// The name, `NETWORK-CHANNEL`, such as `wan-bursts`.
    pub name: String,
    /// Description of one line.
    pub summary: String,
    /// The scenario, as TOML.
    pub text: String,
}

/// All built-in paths.
pub fn list_paths() -> Vec<ComparedPath> {
    let of = |network: &PathPart, channel: &PathPart| ComparedPath {
        name: format!("{}-{}", network.name, channel.name),
        summary: format!("{}; {}", network.summary, channel.summary),
        text: format!("{}\n{}", network.text, channel.text),
    };
    NETWORKS.iter().flat_map(|network| CHANNELS.iter().map(move |channel| of(network, channel))).collect()
}

/// The names of the networks and of the kinds of channel, each with its description. A path has one of each.
pub fn list_path_parts() -> Vec<(&'static str, &'static str)> {
    NETWORKS.iter().chain(CHANNELS).map(|part| (part.name, part.summary)).collect()
}

/// The paths with these names, in the order of the list. The name of a network or of a kind of channel selects all
/// of its paths.
pub fn select_paths(names: &[String]) -> Result<Vec<ComparedPath>, Problem> {
    let every = list_paths();
    let of = |path: &ComparedPath, name: &str| {
        let parts = path.name.split_once('-');
        path.name == name || parts.is_some_and(|(network, channel)| network == name || channel == name)
    };
    if let Some(unknown) = names.iter().find(|name| !every.iter().any(|path| of(path, name))) {
        let parts = NETWORKS.iter().chain(CHANNELS).map(|part| part.name);
        let known: Vec<&str> = parts.chain(every.iter().map(|path| path.name.as_str())).collect();
        let problem = Problem::new("a network, a kind of channel, or both joined by \"-\", such as wan-bursts");
        let problem = problem.in_file("--paths").found(format!("\"{unknown}\""));
        let problem = problem.did_you_mean(unknown, known);
        let hint = problem.hint.clone().unwrap_or_else(|| {
            let names = |parts: &[PathPart]| parts.iter().map(|part| part.name).collect::<Vec<_>>().join(", ");
            format!("networks: {}; channels: {}", names(NETWORKS), names(CHANNELS))
        });
        return Err(problem.hint(hint));
    }
    Ok(every.into_iter().filter(|path| names.is_empty() || names.iter().any(|name| of(path, name))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(names: &[&str]) -> Vec<String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        select_paths(&names).unwrap().into_iter().map(|path| path.name).collect()
    }

    #[test]
    fn name_of_network_or_channel_selects_all_its_paths() {
        assert_eq!(chosen(&[]).len(), 15);
        let wan = ["wan-random-loss", "wan-bursts", "wan-disconnection", "wan-delay-variation", "wan-upload"];
        assert_eq!(chosen(&["wan"]), wan);
        assert_eq!(chosen(&["bursts"]), ["lan-bursts", "wan-bursts", "satellite-bursts"]);
        // The result has no duplicates, for any order of the names.
        assert_eq!(chosen(&["wan-bursts", "bursts"]), ["lan-bursts", "wan-bursts", "satellite-bursts"]);
    }

    #[test]
    fn unknown_path_is_reported_with_the_nearest_name() {
        let problem = select_paths(&["wan-burst".to_owned()]).unwrap_err();
        assert_eq!(problem.hint.as_deref(), Some("did you mean \"wan-bursts\"?"));
        let problem = select_paths(&["the moon".to_owned()]).unwrap_err();
        assert!(problem.hint.unwrap().starts_with("networks: lan, wan, satellite; channels: random-loss"));
    }
}
