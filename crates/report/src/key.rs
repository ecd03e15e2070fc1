//! Keys of a scenario for people.

/// The last part of a key says most; the whole of it where two of `keys` would look alike.
pub fn short<'a>(key: &'a str, keys: &[&str]) -> &'a str {
    fn last(key: &str) -> &str {
        key.rsplit('.').next().unwrap_or_default()
    }
    let alike = keys.iter().filter(|other| last(other) == last(key)).count();
    if alike > 1 { key } else { last(key) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_short_and_never_alike() {
        let keys = ["links.air.delay", "links.wire.delay", "links.air.rate", "seed"];
        assert_eq!(keys.map(|key| short(key, &keys)), ["links.air.delay", "links.wire.delay", "rate", "seed"]);
    }
}
