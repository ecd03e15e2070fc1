//! Short names of scenario keys.

/// Returns the last part of a key, or the full key if another one of `keys` has the same last part.
pub fn shorten_key<'a>(key: &'a str, keys: &[&str]) -> &'a str {
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
    fn abbreviated_keys_are_unique() {
        let keys = ["links.air.delay", "links.wire.delay", "links.air.rate", "seed"];
        assert_eq!(keys.map(|key| shorten_key(key, &keys)), ["links.air.delay", "links.wire.delay", "rate", "seed"]);
    }
}
