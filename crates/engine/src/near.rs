//! What somebody may have meant.

/// The nearest of `known` to `name`, if one is near: few letters are another or at another place, or it goes on where the
/// name ends.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.into_iter().collect();
    let near = known.iter().map(|other| (strsim::damerau_levenshtein(name, other), *other)).min();
    let near = near.filter(|(distance, _)| *distance <= 1 + name.chars().count() / 3).map(|(_, other)| other);
    near.or_else(|| known.into_iter().find(|other| name.len() > 2 && other.starts_with(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_found() {
        let known = ["socket", "setsockopt", "tcpi_snd_cwnd"];
        for (name, near) in [
            ("sockett", Some("socket")),
            ("tcpi_snd_cwd", Some("tcpi_snd_cwnd")),
            ("setsock", Some("setsockopt")),
            ("epoll_wait", None),
        ] {
            assert_eq!(nearest(name, known), near, "{name}");
        }
    }
}
