//! Suggestions for misspelt names.

/// Maximum length in characters of a name whose edit distances are computed. Longer names are compared by prefix only.
const MAX_COMPARED: usize = 100;

/// Returns the name of `known` that is most similar to `name`: few characters differ or are transposed, or `name` is a
/// prefix of at least three characters. `None` if no name is similar. Upper and lower case only decide between equally
/// similar names.
pub fn nearest_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.into_iter().collect();
    let lower = name.to_lowercase();
    let letters = |text: &str| text.chars().count();
    // Maximum edit distance. A name whose length differs by more is not compared, because time and memory of a
    // comparison grow with the product of both lengths, which input does not limit.
    let max = 1 + letters(name) / 3;
    let comparable = |other: &&&str| {
        letters(name) <= MAX_COMPARED && letters(&other.to_lowercase()).abs_diff(letters(&lower)) <= max
    };
    let distance = |other: &str| strsim::damerau_levenshtein(&lower, &other.to_lowercase());
    let distances = |other: &&'a str| (distance(other), strsim::damerau_levenshtein(name, other), *other);
    let near = known.iter().filter(comparable).map(distances).min();
    // A distance above the other name's length gives no suggestion: 1-h is not similar to h.
    let few = |distance: usize, other: &str| distance <= max && distance <= letters(other);
    let near = near.filter(|(distance, _, other)| few(*distance, other)).map(|(_, _, other)| other);
    let begins = |other: &&&str| name.len() > 2 && other.to_lowercase().starts_with(&lower);
    near.or_else(|| known.iter().find(begins).copied()).or_else(|| nearest_beginning(&lower, &known))
}

/// Returns the name whose first words are most similar to the words of `name`, separated by `_` or `-`, and the shortest
/// of equally similar ones: `goodput_bps` for `goodptu`, and not `goodput_back_bps`.
fn nearest_beginning<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let letters = name.chars().count();
    let max = (letters / 3).min(2);
    let beginnings = |other: &&'a str| {
        let other = *other;
        other.match_indices(['_', '-']).map(move |(end, _)| (other, &other[..end])).collect::<Vec<_>>()
    };
    let near = known.iter().flat_map(beginnings).filter(|(_, start)| start.chars().count().abs_diff(letters) <= max);
    let distance = |(other, start): (&'a str, &str)| {
        (strsim::damerau_levenshtein(name, &start.to_lowercase()), other.chars().count(), other)
    };
    near.map(distance).min().filter(|(distance, ..)| *distance <= max).map(|(.., other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_similar_names_only() {
        let known = ["socket", "setsockopt", "tcpi_snd_cwnd", "goodput_back_bps", "goodput_bps", "h"];
        for (name, near) in [
            ("sockett", Some("socket")),
            ("tcpi_snd_cwd", Some("tcpi_snd_cwnd")),
            ("setsock", Some("setsockopt")),
            ("tpci_snd", Some("tcpi_snd_cwnd")),
            ("goodptu", Some("goodput_bps")),
            ("epoll_wait", None),
            ("1-h", None),
        ] {
            assert_eq!(nearest_name(name, known), near, "{name}");
        }
    }

    #[test]
    fn very_long_names_are_compared_by_prefix_only() {
        let (long, longer) = ("a".repeat(1_000_000), "a".repeat(1_000_001));
        assert_eq!(nearest_name(&long, ["air", &longer]), Some(&longer[..]));
        assert_eq!(nearest_name(&longer, ["air", &long]), None);
    }

    #[test]
    fn comparison_ignores_case() {
        let standards = ["802.11", "802.11b", "802.11a", "802.11g"];
        assert_eq!(nearest_name("802.11G", standards), Some("802.11g"));
        assert_eq!(nearest_name("ARF", ["fixed", "arf", "minstrel"]), Some("arf"));
        assert_eq!(nearest_name("MIN", ["fixed", "arf", "minstrel"]), Some("minstrel"));
        // Among equally similar names the name in the same case is chosen.
        assert_eq!(nearest_name("Mb", ["MB", "Mb", "mb"]), Some("Mb"));
    }
}
