//! Suggestions for a misspelt name.

/// Names with more letters than this have only the beginning of others in common with them.
const LONGEST: usize = 100;

/// The nearest of `known` to `name`, if one is near: few letters are another or at another place, or it goes on where
/// the name ends. Whether letters are large or small tells only those apart that are equally near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.into_iter().collect();
    let small = name.to_lowercase();
    let letters = |text: &str| text.chars().count();
    // Most letters that may be wrong. A word that is longer or shorter by more is not compared: that takes time and
    // memory of the product of both lengths, and texts from input can have any length.
    let most = 1 + letters(name) / 3;
    let comparable =
        |other: &&&str| letters(name) <= LONGEST && letters(&other.to_lowercase()).abs_diff(letters(&small)) <= most;
    let distance = |other: &str| strsim::damerau_levenshtein(&small, &other.to_lowercase());
    let distances = |other: &&'a str| (distance(other), strsim::damerau_levenshtein(name, other), *other);
    let near = known.iter().filter(comparable).map(distances).min();
    // More edits than the other word has letters make no suggestion: 1-h is not h.
    let few = |distance: usize, other: &str| distance <= most && distance <= letters(other);
    let near = near.filter(|(distance, _, other)| few(*distance, other)).map(|(_, _, other)| other);
    near.or_else(|| known.into_iter().find(|other| name.len() > 2 && other.to_lowercase().starts_with(&small)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_found() {
        let known = ["socket", "setsockopt", "tcpi_snd_cwnd", "h"];
        for (name, near) in [
            ("sockett", Some("socket")),
            ("tcpi_snd_cwd", Some("tcpi_snd_cwnd")),
            ("setsock", Some("setsockopt")),
            ("epoll_wait", None),
            ("1-h", None),
        ] {
            assert_eq!(nearest(name, known), near, "{name}");
        }
    }

    #[test]
    fn a_name_of_a_million_letters_is_compared_with_nothing() {
        let (long, longer) = ("a".repeat(1_000_000), "a".repeat(1_000_001));
        assert_eq!(nearest(&long, ["air", &longer]), Some(&longer[..]));
        assert_eq!(nearest(&longer, ["air", &long]), None);
    }

    #[test]
    fn large_letters_and_small_ones_are_the_same_letters() {
        let standards = ["802.11", "802.11b", "802.11a", "802.11g"];
        assert_eq!(nearest("802.11G", standards), Some("802.11g"));
        assert_eq!(nearest("ARF", ["fixed", "arf", "minstrel"]), Some("arf"));
        assert_eq!(nearest("MIN", ["fixed", "arf", "minstrel"]), Some("minstrel"));
        // Of equally near ones the one with the same letters.
        assert_eq!(nearest("Mb", ["MB", "Mb", "mb"]), Some("Mb"));
    }
}
