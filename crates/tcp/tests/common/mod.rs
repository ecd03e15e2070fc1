//! Helpers of several tests.

use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer};

/// The member of a registry with this name and its default settings.
pub fn member<T: for<'de> Deserialize<'de>>(name: &str) -> T {
    T::deserialize(MapDeserializer::<_, Error>::new([("kind", name)].into_iter())).expect("a member needs no settings")
}

/// Compares `text` with the file `name` in `tests/golden`; `UPDATE_GOLDEN=1` rewrites it.
pub fn golden(name: &str, text: &str) {
    let path = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = kept.lines().zip(text.lines()).position(|(kept, new)| kept != new);
    let line = differs.unwrap_or(kept.lines().count().min(text.lines().count()));
    let lines = |text: &str| text.lines().skip(line).take(5).collect::<Vec<_>>().join("\n");
    assert!(
        kept == text,
        "{} is not what happens today, from line {} on:\n{}\ntoday:\n{}",
        path.display(),
        line + 1,
        lines(&kept),
        lines(text)
    );
}
