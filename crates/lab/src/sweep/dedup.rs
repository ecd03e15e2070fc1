//! Merging of the warnings of a sweep that differ only in numbers or flows, because most warnings occur at every point.

use std::str::FromStr;

use engine::{Bytes, Rate, Span};

use scenario::problem::Problem;

/// Maximum number of other flows named in a warning.
const NAMED: usize = 5;

/// Whether two warnings about one key differ only in numbers and names of flows.
pub(super) fn is_same_warning(one: &Problem, other: &Problem) -> bool {
    one.key == other.key && words_without_quantities(&one.expected) == words_without_quantities(&other.expected)
}

/// Merges equal warnings about several flows. The first warning is kept, and names the other flows.
pub fn merge_warnings(warnings: &[Problem]) -> Vec<Problem> {
    let mut once: Vec<(Problem, Vec<&str>)> = Vec::new();
    for warning in warnings {
        let same = once.iter_mut().find(|(known, _)| of_flows(known, warning));
        match (same, warning.key.as_deref().and_then(split_flow_key)) {
            (Some((_, others)), Some((flow, _))) => others.push(flow),
            _ => once.push((warning.clone(), Vec::new())),
        }
    }
    once.into_iter().map(|(warning, others)| name_other_flows(warning, &others)).collect()
}

/// Whether two warnings are equal for the same key of two flows.
fn of_flows(one: &Problem, other: &Problem) -> bool {
    let flows = [one, other].map(|problem| problem.key.as_deref().and_then(split_flow_key));
    let [Some((one_flow, one_key)), Some((other_flow, other_key))] = flows else { return false };
    one_flow != other_flow
        && one_key == other_key
        && words_without_quantities(&one.expected) == words_without_quantities(&other.expected)
}

/// The flow to which a key belongs, and the rest of the key.
fn split_flow_key(key: &str) -> Option<(&str, &str)> {
    let (flow, rest) = key.strip_prefix("flows.")?.split_once('.')?;
    Some((flow, rest))
}

fn name_other_flows(mut warning: Problem, others: &[&str]) -> Problem {
    if others.is_empty() {
        return warning;
    }
    let named: Vec<String> = others.iter().take(NAMED).map(|flow| format!("flows.{flow}")).collect();
    let more = others.len() - named.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let same = format!("the same for {}{more}", named.join(", "));
    warning.hint = Some(match warning.hint {
        Some(hint) => format!("{hint}; {same}"),
        None => same,
    });
    warning
}

/// The words of a text, without quantities and flows.
fn words_without_quantities(text: &str) -> Vec<&str> {
    let words: Vec<&str> = text.split_whitespace().map(trim_punctuation).collect();
    let mut kept = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let quantity = words.get(at + 1).is_some_and(|unit| is_quantity(&format!("{} {unit}", words[at])));
        if quantity {
            at += 2;
            continue;
        }
        let numbered = words[at].starts_with(|c: char| c.is_ascii_digit());
        if !numbered && !words[at].starts_with("flows.") {
            kept.push(words[at]);
        }
        at += 1;
    }
    kept
}

/// A word without surrounding punctuation.
fn trim_punctuation(word: &str) -> &str {
    word.trim_matches(|c: char| c.is_ascii_punctuation())
}

fn is_quantity(text: &str) -> bool {
    Span::from_str(text).is_ok() || Rate::from_str(text).is_ok() || Bytes::from_str(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warning(key: &str, text: &str) -> Problem {
        Problem::new(text).key(key)
    }

    #[test]
    fn warnings_that_differ_in_numbers_and_flows_are_equal() {
        let one = warning("duration", "at least 24.1 s: slow start of flows.a takes 2407 ms (6 round trips)");
        let slower = warning("duration", "at least 480 ms: slow start of flows.b1 takes 7 us (12 round trips)");
        assert!(is_same_warning(&one, &slower));
        let other = warning("duration", "at least 24.1 s: the tail of flows.a takes 2407 ms (6 round trips)");
        assert!(!is_same_warning(&one, &other));
        assert!(!is_same_warning(&one, &Problem { key: Some("nodes.a".into()), ..one.clone() }));
    }

    #[test]
    fn flows_with_equal_warnings_are_named_together() {
        let flows: Vec<Problem> =
            (0..8).map(|flow| warning(&format!("flows.f{flow}.window"), "more than 4 kB").hint("more")).collect();
        let [once] = &merge_warnings(&flows)[..] else { panic!("several") };
        let names = "flows.f1, flows.f2, flows.f3, flows.f4, flows.f5 and 2 more";
        assert_eq!(once.hint.as_deref(), Some(format!("more; the same for {names}").as_str()));
        assert_eq!(once.key, flows[0].key);
        let others = [
            warning("flows.a.receive_window", "more"),
            warning("flows.b.mss", "more"),
            warning("flows.b.receive_window", "less"),
        ];
        assert_eq!(merge_warnings(&others), others);
    }
}
