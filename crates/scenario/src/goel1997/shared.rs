//! Links that share one bandwidth [goel1997 B.3.10]: each `shared_links` becomes a cell, whose stations follow the distributed
//! coordination function of IEEE 802.11 [goel1997 3.1, appendix A].
//!
//! | of a `wireless_link` | in a cell |
//! |---|---|
//! | `bandwidth` | the rate of data, one for all its links; it decides the standard: 1 and 2 Mbps are 802.11's, 5.5 and 11 Mbps 802.11b's. Of any other, data are timed as 802.11's frames with their bits at that rate, and answers are sent at 1 or 2 Mbps, no faster than data |
//! | the states of the air | the link's own, independent of the others [goel1997 3.1] |
//! | N transmissions [goel1997 4.3.1] | the retry limits, one for all its links; 1 where the ends have no link layer |
//! | `latency` | the cell's delay, if all its links have the same and it is shorter than a SIFS; if not, ignored with a warning |
//!
//! The thesis does not state how a latency agrees with slots of 20 us. Its example has 1 ms, or 300 km, a distance at
//! which no station senses another within a slot.

use std::collections::BTreeSet;

use engine::{Rate, Span};
use indexmap::IndexMap;
use path::LinkDirection;
use path::mac::arq::ArqConfig;
use path::mac::dcf;
use path::mac::dcf::Standard;

use super::components::{Component, LinkComponent, Medium, SharedLinks};
use super::translate::{Translator, suggest_id};
use crate::model;
use crate::problem::Problem;

/// Standards to which the bandwidth belongs as a rate, in the order in which they are tried.
const STANDARDS: [(&str, Standard); 2] = [("802.11", Standard::Dsss), ("802.11b", Standard::B)];

fn find_standard(rate: Rate) -> Option<Standard> {
    let has = |standard: &Standard| standard.modes().iter().any(|mode| mode.rate == rate);
    STANDARDS.map(|(_, standard)| standard).into_iter().find(has)
}

impl<'c, 'a> Translator<'c, 'a, '_> {
    /// The cells of links that share a bandwidth. Settings that belong to the cell are removed from `links`.
    pub(super) fn shared_links(&mut self, links: &mut IndexMap<String, model::Link>) -> IndexMap<String, dcf::Config> {
        let mut media = IndexMap::new();
        let mut seen = BTreeSet::new();
        for component in self.components {
            let Component::Shared(shared) = component else { continue };
            let members = self.shared_members(shared, &mut seen);
            let Some(cell) = self.cell(&members, links) else { continue };
            let name = format!("shared-{}", media.len() + 1);
            self.place(&format!("media.{name}"), shared.at);
            for member in members {
                if let Some(link) = links.get_mut(&member.id.value.to_string()) {
                    (link.rate, link.delay, link.arq) = (None, None, None);
                    link.medium = Some(name.clone());
                }
            }
            media.insert(name, cell);
        }
        media
    }

    /// Returns the links that share a bandwidth, without those links that cannot share one.
    fn shared_members(&mut self, shared: &SharedLinks, seen: &mut BTreeSet<u64>) -> Vec<&'c LinkComponent<'a>> {
        if shared.links.is_empty() {
            let problem = Problem::new("link_id is missing").key("shared_links.link_id");
            self.report.at(shared.at, problem.hint("name each link that shares, as link_id = 102"));
        }
        let links = || {
            self.components.iter().filter_map(|component| match component {
                Component::Link(link) => Some(link),
                _ => None,
            })
        };
        let mut members = Vec::new();
        for id in &shared.links {
            let problem = match links().find(|link| link.id.value == id.value) {
                None => {
                    let known = links().map(|link| link.id.value);
                    suggest_id(Problem::new("the link_id of a wireless_link"), id.value, known)
                }
                Some(LinkComponent { medium: Medium::Wire { .. }, .. }) => {
                    Problem::new("the link_id of a wireless_link; this one is wired").hint("wires are never shared")
                }
                Some(link) if link.at > id.at => Problem::new("a wireless_link earlier in the file")
                    .hint(format!("move shared_links after the wireless_link on line {}", self.report.line(link.at))),
                Some(_) if !seen.insert(id.value) => {
                    Problem::new("each link once").hint("a link shares with one set of links")
                }
                Some(link) => {
                    members.push(link);
                    continue;
                }
            };
            self.report.at(id.at, problem.key("shared_links.link_id").found(id.value.to_string()));
        }
        members
    }

    /// The common settings of the links.
    fn cell(&mut self, members: &[&LinkComponent<'_>], links: &IndexMap<String, model::Link>) -> Option<dcf::Config> {
        let first = members.first()?;
        for other in &members[1..] {
            if other.rate.value != first.rate.value {
                let expected = format!(
                    "{}, the bandwidth of link {}, with which it shares the medium [goel1997 B.3.10]",
                    first.rate.value.bits_per_sec(),
                    first.id.value
                );
                let problem = Problem::new(expected).key("wireless_link.bandwidth");
                let hint = "links of different bandwidths need separate cells: write a shared_links for each";
                let found = other.rate.value.bits_per_sec().to_string();
                self.report.at(other.rate.at, problem.found(found).hint(hint));
            }
        }
        let rate = first.rate.value;
        let limit = self.retry_limit(members, links);
        let cell = dcf::Config {
            standard: find_standard(rate).unwrap_or(Standard::Dsss),
            rate: Some(rate),
            any_rate: find_standard(rate).is_none(),
            short_retry_limit: Some(limit),
            long_retry_limit: Some(limit),
            ..dcf::Config::default()
        };
        Some(dcf::Config { delay: self.latency(members, &cell), ..cell })
    }

    /// The retry limit of the link layer of all members.
    fn retry_limit(&mut self, members: &[&LinkComponent<'_>], links: &IndexMap<String, model::Link>) -> u32 {
        let limit = |link: &LinkComponent<'_>| match links
            .get(&link.id.value.to_string())?
            .way(LinkDirection::Forward)
            .arq()?
        {
            ArqConfig::StopAndWait(arq) => Some(arq.max_transmissions),
            _ => Some(1),
        };
        let first = members.first().and_then(|link| limit(link)).unwrap_or(1);
        for other in members {
            if limit(other).is_some_and(|limit| limit != first) {
                let expected = "a link layer at the ends of all links that share the medium, or of none of them";
                let problem = Problem::new(expected).key("wireless_link.link_id").found(format!(
                    "a link layer only at the ends of link {} or of link {}",
                    members[0].id.value, other.id.value
                ));
                let hint = "base_station, wireless_source_node and wireless_sink_node have it";
                self.report.at(other.id.at, problem.hint(hint));
            }
        }
        first
    }

    /// Delay of the cell, if the latency of the links is a valid delay.
    fn latency(&mut self, members: &[&LinkComponent<'_>], cell: &dcf::Config) -> Option<Span> {
        let latency = members.first()?.delay.value;
        let fits = |delay: Span| dcf::Config { delay: Some(delay), ..cell.clone() }.check().is_empty();
        if fits(latency) && members.iter().all(|link| link.delay.value == latency) {
            return Some(latency);
        }
        for link in members {
            let problem = Problem::new(format!(
                "one latency for all links that share the medium, less than SIFS (0.01 ms); ignored, and {} is assumed",
                cell.delay()
            ));
            let problem = problem.key("wireless_link.latency").found(format!("{} in a shared link", link.delay.value));
            let hint = "stations of a cell sense each other within a slot; give the wire the latency that is meant";
            self.warnings.at(link.delay.at, problem.hint(hint));
        }
        None
    }
}
