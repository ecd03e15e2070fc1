//! The workloads: bulk Reno flows without SACK and delayed ACKs, with 1000 bytes of data per packet.

use std::fmt::{self, Display};
use std::str::FromStr;

/// A workload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Workload {
    /// One flow over two hops without loss for 1000 s, which shows the cost of an event when few events are pending.
    P1,
    /// Many flows over one link of 1 Gbps whose queue overflows, for 20 s, with thousands of pending events.
    P2 {
        /// Number of flows.
        flows: u32,
    },
    /// Stations of an 802.11b cell that upload through the access point for 60 s: the cost of a contended frame.
    P3 {
        /// Number of stations.
        stations: u32,
    },
}

impl Workload {
    /// Default workloads.
    pub const USUAL: [Workload; 6] = [
        Workload::P1,
        Workload::P2 { flows: 1 },
        Workload::P2 { flows: 10 },
        Workload::P2 { flows: 100 },
        Workload::P2 { flows: 1000 },
        Workload::P3 { stations: 10 },
    ];

    /// Returns the time to simulate, in seconds.
    pub fn seconds(self) -> u32 {
        match self {
            Workload::P1 => 1000,
            Workload::P2 { .. } => 20,
            Workload::P3 { .. } => 60,
        }
    }

    /// Returns the workload as arguments of the peers' programs.
    pub fn words(self) -> Vec<String> {
        match self {
            Workload::P1 => vec!["p1".into()],
            Workload::P2 { flows } => vec!["p2".into(), flows.to_string()],
            Workload::P3 { stations } => vec!["p3".into(), stations.to_string()],
        }
    }

    /// Returns the workload as a lasthop scenario.
    pub fn scenario(self) -> String {
        self.scenario_of(self.seconds())
    }

    /// Returns the workload's scenario with another duration.
    pub fn scenario_of(self, seconds: u32) -> String {
        let mut text = format!("duration = \"{seconds} s\"\n");
        match self {
            Workload::P1 => {
                text += "nodes.a.kind = \"host\"\nnodes.r.kind = \"router\"\nnodes.b.kind = \"host\"\n";
                text += &render_link("first", ["a", "r"], "8 Mbps", "50 ms", 1000);
                text += &render_link("second", ["r", "b"], "10 Mbps", "1 ms", 1000);
                text += &render_flow(0, ["a", "b"], 128_000, 0);
            }
            Workload::P2 { flows } => {
                text += "nodes.a.kind = \"host\"\nnodes.b.kind = \"host\"\n";
                text += &render_link("link", ["a", "b"], "1 Gbps", "10 ms", 3000);
                for number in 0..flows {
                    text += &render_flow(number, ["a", "b"], 10_240_000, number % 100);
                }
            }
            Workload::P3 { stations } => {
                text += "nodes.b.kind = \"host\"\nnodes.ap.kind = \"base-station\"\n";
                for number in 0..stations {
                    text += &format!("nodes.s{number}.kind = \"host\"\n");
                }
                text += &render_link("wire", ["b", "ap"], "100 Mbps", "10 ms", 1000);
                text += "\n[media.cell]\nstandard = \"802.11b\"\n";
                for number in 0..stations {
                    let station = format!("s{number}");
                    text += &format!(
                        "\n[links.{station}]\nkind = \"wireless\"\nbetween = [\"ap\", \"{station}\"]\n\
                         medium = \"cell\"\nqueue = \"1000 packets\"\n"
                    );
                    text += &render_flow(number, [&station, "b"], 32_000, 10 * number);
                }
            }
        }
        text
    }
}

fn render_link(name: &str, [from, to]: [&str; 2], rate: &str, delay: &str, queue: u32) -> String {
    format!(
        "\n[links.{name}]\nkind = \"wired\"\nbetween = [\"{from}\", \"{to}\"]\n\
         rate = \"{rate}\"\ndelay = \"{delay}\"\nqueue = \"{queue} packets\"\n"
    )
}

fn render_flow(number: u32, [from, to]: [&str; 2], window: u32, start_ms: u32) -> String {
    format!(
        "\n[flows.bulk-{number}]\nfrom = \"{from}\"\nto = \"{to}\"\nmss = \"1000 B\"\n\
         receive_window = \"{window} B\"\nstart = \"{start_ms} ms\"\n"
    )
}

impl Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(&self.words().join("-"))
    }
}

impl FromStr for Workload {
    type Err = String;

    fn from_str(text: &str) -> Result<Workload, String> {
        let number = |row: &str| text.strip_prefix(row).and_then(|number| number.parse().ok()).filter(|&it| it > 0);
        match (text, number("p2-"), number("p3-")) {
            ("p1", ..) => Ok(Workload::P1),
            (_, Some(flows), _) => Ok(Workload::P2 { flows }),
            (.., Some(stations)) => Ok(Workload::P3 { stations }),
            _ => Err(format!("unknown row `{text}`, expected p1, p2-N with N flows or p3-N with N stations")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_names_parse_to_the_same_row() {
        for row in Workload::USUAL {
            assert_eq!(row.to_string().parse(), Ok(row));
        }
    }

    #[test]
    fn each_flow_is_in_the_scenario_and_starts_within_100_ms() {
        let scenario = Workload::P2 { flows: 250 }.scenario();
        assert_eq!(scenario.matches("[flows.").count(), 250);
        assert_eq!(scenario.matches("start = \"99 ms\"").count(), 2);
        assert!(!scenario.contains("start = \"100 ms\""));
    }
}
