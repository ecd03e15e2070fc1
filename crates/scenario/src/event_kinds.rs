//! The kinds of events in the event trace, each of which can be left out [goel1997 4.2 (7)].

use crate::problem::Problem;

/// A kind of event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// A frame corrupted by the channel.
    Corrupted,
    /// A frame given up by the link layer.
    GivenUp,
    /// A packet lost on a link without link layer.
    Lost,
    /// A packet dropped by a full queue or buffer.
    Dropped,
    /// The begin of a fast recovery.
    FastRetransmit,
    /// A retransmission timeout.
    Timeout,
    /// A retransmission by TCP.
    Retransmitted,
    /// A scheme's message at the source.
    Icmp,
    /// The periodic state of flows, nodes and links.
    State,
    /// The reason why a sender can send nothing, at each change.
    Blocked,
}

/// Every kind: its name in scenarios, and a line about it. The kinds after the first [`DEFAULT_EVENT_KINDS`] are
/// opt-in.
pub const EVENT_KINDS: [(&str, &str); 10] = [
    ("corrupted", "A frame corrupted by the channel"),
    ("given-up", "A frame given up by the link layer"),
    ("lost", "A packet lost on a link without link layer"),
    ("dropped", "A packet dropped by a full queue or node buffer"),
    ("fast-retransmit", "The begin of a fast recovery"),
    ("timeout", "A retransmission timeout"),
    ("retransmitted", "A retransmission by TCP"),
    ("icmp", "A message of a scheme that the source receives"),
    ("state", "The periodic state of flows, nodes and links, with print_interval"),
    ("blocked", "The reason why a sender can send nothing, at each change; opt-in"),
];

/// The number of kinds that appear by default, which the name `all` selects: the kinds of the thesis's program.
pub const DEFAULT_EVENT_KINDS: usize = 9;

/// The kinds that appear.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventKinds(u16);

impl Default for EventKinds {
    /// Returns all kinds except opt-in ones.
    fn default() -> Self {
        EventKinds((1 << DEFAULT_EVENT_KINDS) - 1)
    }
}

impl EventKinds {
    /// Names accepted by [`select`](Self::select).
    pub fn names() -> Vec<String> {
        let names = || EVENT_KINDS.iter().map(|(name, _)| *name).chain(["all"]);
        names().map(str::to_owned).chain(names().map(|name| format!("-{name}"))).collect()
    }

    /// The kinds selected by a list: the named kinds, or otherwise the default ones, without the kinds after a `-`.
    pub fn select(list: &[String]) -> Result<Self, Problem> {
        let bit = |name: &str| {
            let kind = EVENT_KINDS.iter().position(|(known, _)| *known == name);
            kind.map(|kind| 1 << kind).or((name == "all").then_some(EventKinds::default().0)).ok_or_else(|| {
                let known = EVENT_KINDS.iter().map(|(name, _)| *name).chain(["all"]);
                let problem = Problem::new("a kind of event, with a - in front to leave it out");
                problem.found(format!("\"{name}\"")).nearest(name, known)
            })
        };
        let (mut with, mut without, mut named) = (0, 0, false);
        for name in list {
            match name.strip_prefix('-') {
                Some(name) => without |= bit(name)?,
                None => {
                    with |= bit(name)?;
                    named = true;
                }
            }
        }
        let with = if named { with } else { EventKinds::default().0 };
        Ok(EventKinds(with & !without))
    }

    /// Whether events of this kind are printed.
    pub fn has(self, kind: EventKind) -> bool {
        self.0 & (1 << kind as u16) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select(list: &[&str]) -> Result<EventKinds, Problem> {
        EventKinds::select(&list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn list_allows_or_disallows_names() {
        assert_eq!(select(&[]), Ok(EventKinds::default()));
        assert_eq!(select(&["all"]), Ok(EventKinds::default()));
        let only = select(&["corrupted", "timeout"]).unwrap();
        assert!(only.has(EventKind::Corrupted) && only.has(EventKind::Timeout) && !only.has(EventKind::Retransmitted));
        let without = select(&["-corrupted"]).unwrap();
        assert!(!without.has(EventKind::Corrupted) && without.has(EventKind::Timeout) && without.has(EventKind::State));
        assert_eq!(select(&["all", "-corrupted"]), Ok(without));
        let nothing = select(&["-all"]).unwrap();
        assert!(!nothing.has(EventKind::State));
    }

    #[test]
    fn blocked_trace_is_off_by_default() {
        for list in [&[][..], &["all"], &["-corrupted"], &["timeout"]] {
            assert!(!select(list).unwrap().has(EventKind::Blocked), "{list:?}");
        }
        assert!(select(&["blocked"]).unwrap().has(EventKind::Blocked));
        let both = select(&["all", "blocked"]).unwrap();
        assert!(both.has(EventKind::Blocked) && both.has(EventKind::State));
    }

    #[test]
    fn unknown_kind_is_refused_with_the_nearest_name() {
        for name in ["corupted", "-corupted"] {
            let problem = select(&[name]).unwrap_err();
            assert_eq!(problem.found.as_deref(), Some("\"corupted\""));
            assert_eq!(problem.hint.as_deref(), Some("did you mean \"corrupted\"?"));
        }
    }

    /// The number of a kind is the index of its name in `EVENT_KINDS`, and the name selects the kind.
    #[test]
    fn name_at_the_index_of_a_kind_selects_it() {
        for (number, kind) in [(0, EventKind::Corrupted), (4, EventKind::FastRetransmit), (9, EventKind::Blocked)] {
            assert_eq!(kind as usize, number);
            assert!(select(&[EVENT_KINDS[number].0]).unwrap().has(kind));
        }
    }
}
