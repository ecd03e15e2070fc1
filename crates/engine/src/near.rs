//! What somebody may have meant.

/// The nearest of `known` to `name`, if one is near: few letters are another or at another place, or it goes on where the
/// name ends. Whether letters are large or small tells only those apart that are equally near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.into_iter().collect();
    let small = name.to_lowercase();
    let distance = |other: &str| strsim::damerau_levenshtein(&small, &other.to_lowercase());
    let distances = |other: &&'a str| (distance(other), strsim::damerau_levenshtein(name, other), *other);
    let near = known.iter().map(distances).min();
    // Who has more letters wrong than the other word has letters did not mean it: 1-h is not h.
    let few =
        |distance: usize, other: &str| distance <= 1 + name.chars().count() / 3 && distance <= other.chars().count();
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
    fn large_letters_and_small_ones_are_the_same_letters() {
        let standards = ["802.11", "802.11b", "802.11a", "802.11g"];
        assert_eq!(nearest("802.11G", standards), Some("802.11g"));
        assert_eq!(nearest("ARF", ["fixed", "arf", "minstrel"]), Some("arf"));
        assert_eq!(nearest("MIN", ["fixed", "arf", "minstrel"]), Some("minstrel"));
        // Of equally near ones the one with the same letters.
        assert_eq!(nearest("Mb", ["MB", "Mb", "mb"]), Some("Mb"));
    }
}
