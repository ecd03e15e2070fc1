//! Checks of positions, motion, and association with base stations.

use engine::registry::Settings;
use engine::{Length, Span, Speed, Time};
use indexmap::IndexSet;
use path::place::NodePath;
use sim::{Association, Network, NodeSetting};

use super::Checker;
use crate::geometry::{FARTHEST, ends_with_range, ever_in_range, in_three_digits, minimum_distance};
use crate::incidence::Incidence;
use crate::model::{Link, Node, Position, Scenario, Waypoint};
use crate::problem::Problem;

/// Maximum speed, 20 km/s: more than the escape velocity of the earth.
const FASTEST: Speed = Speed(20_000 * 3_600_000);
/// Nanoseconds in an hour.
const HOUR: i128 = 3_600_000_000_000;
/// Maximum number of links in a medium with a range, since pairs of stations are stored.
const MAX_PLACED_LINKS: usize = 2_000;

fn position_in_millimetres(position: &Position) -> [i128; 2] {
    position.map(|part| part.value(|length| length.0))
}

impl Checker<'_> {
    /// The position of a node, if given.
    pub(super) fn place(&mut self, key: &str, node: &Node) -> Option<NodePath> {
        let Some(position) = &node.position else {
            if node.motion.is_some() {
                let problem = Problem::new("`position` is missing: a motion begins there");
                self.report_problem(problem.key(format!("{key}.position")).hint("add position = [\"0 m\", \"0 m\"]"));
            }
            return None;
        };
        let mut sound = self.is_near(&format!("{key}.position"), position);
        let at = position_in_millimetres(position);
        let Some(motion) = &node.motion else { return sound.then(|| NodePath::still(at)) };
        let key = format!("{key}.motion");
        let waypoints = match (&motion.velocity, &motion.waypoints) {
            (Some(velocity), None) => {
                for (axis, part) in velocity.iter().enumerate().filter(|(_, part)| part.size > FASTEST) {
                    sound = false;
                    let problem = Problem::new(format!("at most {FASTEST}")).key(format!("{key}.velocity[{axis}]"));
                    self.report_problem(problem.found(format!("\"{part}\"")));
                }
                let velocity = velocity.map(|part| part.value(|speed| speed.0));
                return sound.then(|| NodePath::straight(at, velocity, Time::ZERO + motion.from.unwrap_or_default()));
            }
            (None, Some(waypoints)) => waypoints,
            (velocity, _) => {
                let found = if velocity.is_some() { "both" } else { "neither" };
                let problem = Problem::new("either `velocity` or `waypoints`").key(key).found(found);
                self.report_problem(problem.hint("write motion = { velocity = [\"5 m/s\", \"0 m/s\"] }"));
                return None;
            }
        };
        if waypoints.is_empty() {
            let problem = Problem::new("at least one place").key(format!("{key}.waypoints")).found("[]");
            self.report_problem(problem.hint("write waypoints = [{ at = \"10 s\", position = [\"50 m\", \"0 m\"] }]"));
        }
        if let Some(from) = motion.from {
            let problem = Problem::new("no value: waypoints have their own times").key(format!("{key}.from"));
            self.report_problem(problem.found(format!("\"{from}\"")).hint("leave it out"));
        }
        let (mut before, mut left) = (Span::ZERO, Some(at).filter(|_| sound));
        for (number, waypoint) in waypoints.iter().enumerate() {
            let key = format!("{key}.waypoints[{number}]");
            let near = self.is_near(&format!("{key}.position"), &waypoint.position);
            if waypoint.at <= before {
                let expected = match number {
                    0 => "more than 0 s: `position` is the place at 0 s".to_owned(),
                    _ => format!("later than the previous one, {before}"),
                };
                self.report_problem(
                    Problem::new(expected).key(format!("{key}.at")).found(format!("\"{}\"", waypoint.at)),
                );
                sound = false;
            } else if let Some(left) = left.filter(|_| near) {
                sound &= self.is_slow(&key, left, waypoint, waypoint.at - before);
            }
            sound &= near;
            (before, left) = (waypoint.at, near.then(|| position_in_millimetres(&waypoint.position)));
        }
        let place = |waypoint: &Waypoint| (Time::ZERO + waypoint.at, position_in_millimetres(&waypoint.position));
        sound.then(|| NodePath::through(at, &waypoints.iter().map(place).collect::<Vec<_>>()))
    }

    /// Whether a node can reach a waypoint in the given time at the maximum speed.
    fn is_slow(&mut self, key: &str, left: [i128; 2], waypoint: &Waypoint, time: Span) -> bool {
        let there = position_in_millimetres(&waypoint.position);
        let longest = [0, 1].map(|axis: usize| (there[axis] - left[axis]).abs()).into_iter().max().unwrap_or_default();
        let (distance, time_taken) = (longest * HOUR, i128::from(FASTEST.0) * i128::from(time.as_nanos()));
        if distance > time_taken {
            let length = Length(u64::try_from(longest).unwrap_or(u64::MAX));
            let expected =
                format!("a position that needs a speed of at most {FASTEST} along each axis, not {length} in {time}");
            self.report_problem(
                Problem::new(expected).key(format!("{key}.position")).found(format_position(&waypoint.position)),
            );
        }
        distance <= time_taken
    }

    fn is_near(&mut self, key: &str, position: &Position) -> bool {
        let far = position_in_millimetres(position).iter().any(|part| part.abs() > FARTHEST);
        if far {
            let problem = Problem::new("at most 100000 km along each axis").key(key);
            self.report_problem(problem.found(format_position(position)));
        }
        !far
    }

    /// The association of a node with base stations, if it has one.
    pub(super) fn association(&mut self, key: &str, name: &str, node: &Node) -> Option<Association> {
        let association = node.association.as_ref()?;
        let key = format!("{key}.association");
        if !node.kind.accepts(NodeSetting::Association) {
            return None;
        }
        self.faults(&key, association.check());
        let scenario = self.scenario;
        let links = self.names.links_at(name).into_iter();
        let medium = |link: &Link| scenario.media.get(link.medium.as_ref()?);
        let has_range = links.clone().filter_map(medium).any(|medium| medium.range.is_some());
        // Whether a missing medium has a range is unknown.
        let known = links.clone().all(|link| link.medium.is_none() || medium(link).is_some());
        if !has_range && known {
            let problem = Problem::new(format!("a link of {name} in a medium with a range")).key(key.clone());
            let without = links.clone().find_map(|link| link.medium.as_ref());
            let with = scenario.media.iter().find(|(_, medium)| medium.range.is_some());
            self.report_problem(problem.found("none").hint(match (without, with) {
                (Some(medium), _) => format!("add range = \"250 m\" to [media.{medium}]"),
                (None, Some((medium, _))) => format!("write medium = \"{medium}\" in a link of {name}"),
                (None, None) => {
                    format!("write medium = \"NAME\" in a link of {name}, and range = \"250 m\" in [media.NAME]")
                }
            }));
        }
        for link in links {
            let other = link.between.iter().find(|end| *end != name);
            let other_node = other.and_then(|other| scenario.nodes.get(other));
            if medium(link).is_some() && other_node.is_some_and(|node| !node.kind.serves_mobiles()) {
                let problem = Problem::new(format!("a link to a base station: {name} associates")).key(key.clone());
                let problem = problem.found(format!("a link to the host {}", other.map_or("", String::as_str)));
                self.report_problem(problem.hint("leave out the association, or the link"));
            }
        }
        Some(*association)
    }

    /// Checks the stations of a medium with a range.
    pub(super) fn stations_have_places(&mut self, name: &str) {
        let links = self.names.links_in(name);
        let placed = |node: &str| self.scenario.nodes.get(node).is_none_or(|node| node.position.is_some());
        let ends = links.iter().flat_map(|link| &link.between);
        let missing: IndexSet<&String> = ends.filter(|end| !placed(end)).collect();
        for node in missing {
            let problem = Problem::new(format!("`position` is missing: media.{name} has a range"));
            let problem = problem.key(format!("nodes.{node}.position"));
            self.report_problem(problem.hint("add position = [\"0 m\", \"0 m\"]"));
        }
        let links = links.len();
        if links > MAX_PLACED_LINKS {
            let problem = Problem::new(format!("at most {MAX_PLACED_LINKS} links in a medium with a range"));
            let problem = problem.key(format!("media.{name}")).found(links.to_string());
            self.report_problem(problem.hint("stations that cannot receive each other can be in different media"));
        }
    }
}

/// Reports stations that are never in range of a node to which they have a link.
pub(super) fn check_places(scenario: &Scenario, network: &Network, incidence: &Incidence) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (number, node) in network.nodes.iter().enumerate() {
        let placed: Vec<_> =
            incidence.links(network, number).filter_map(|link| Some((link, ends_with_range(network, link)?))).collect();
        // Base stations out of range are reported with the hosts concerned.
        if node.kind.serves_mobiles() || placed.iter().any(|(_, ends)| ever_in_range(*ends, network)) {
            continue;
        }
        let placed = placed.into_iter().map(|(link, (ends, range))| (link, range, minimum_distance(ends, network)));
        // The link whose distance exceeds its range by the smallest amount.
        let Some((link, range, nearest)) = placed.min_by_key(|(_, range, nearest)| nearest.0 - range.0) else {
            continue;
        };
        let other = link.between.iter().find(|end| **end != number).map_or("", |end| &network.nodes[*end].name);
        let medium = link.medium.map_or("", |medium| &network.media[medium].name);
        let [about, enough] = in_three_digits(nearest);
        // A distance just above the range must not be displayed as the range.
        let about = if about > range { about } else { nearest };
        let expected = format!(
            "a place that is at some time within the range of {other}, {range}: its minimum distance is about {about}, so \
             no station ever receives it"
        );
        let problem = Problem::new(expected).key(format!("nodes.{}.position", node.name));
        let position = scenario.nodes.get(&node.name).and_then(|node| node.position.as_ref());
        let problem = Problem { found: position.map(format_position), ..problem };
        problems.push(problem.hint(format!("move it nearer, or write range = \"{enough}\" in [media.{medium}]")));
    }
    problems
}

fn format_position(position: &Position) -> String {
    format!("[\"{}\", \"{}\"]", position[0], position[1])
}
