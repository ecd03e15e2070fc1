//! What somebody may have meant.

/// The nearest of `known` to `name`, if one is near: few letters are another or at another place, or it goes on where the
/// name ends.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.into_iter().collect();
    let near = known.iter().map(|other| (strsim::damerau_levenshtein(name, other), *other)).min();
    // Who has more letters wrong than the other word has letters did not mean it: 1-h is not h.
    let few =
        |distance: usize, other: &str| distance <= 1 + name.chars().count() / 3 && distance <= other.chars().count();
    let near = near.filter(|(distance, other)| few(*distance, other)).map(|(_, other)| other);
    near.or_else(|| known.into_iter().find(|other| name.len() > 2 && other.starts_with(name)))
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
}
