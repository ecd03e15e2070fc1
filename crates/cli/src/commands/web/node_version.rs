//! Versions of Node that can build the page. `cargo xtask` includes this file.

/// Major versions, each with its minimum minor version. Later major versions are accepted, and versions between two
/// listed ones are not.
const VERSIONS: [(u32, u32); 2] = [(20, 19), (22, 12)];

/// Returns a sentence if this version, such as `v18.20.4`, is too old.
pub fn explain_old_version(version: &str) -> Option<String> {
    let [(old, minor), (new, least)] = VERSIONS;
    (!is_recent(version)).then(|| {
        format!(
            "Node has version {version:?}, and the page needs {old}.{minor} or a later {old}, or {new}.{least} or newer: \
             https://nodejs.org"
        )
    })
}

/// Returns true if the page can be built with this version.
fn is_recent(version: &str) -> bool {
    let mut parts = version.trim_start_matches('v').split('.').map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor))) = (parts.next(), parts.next()) else { return false };
    VERSIONS.iter().any(|(of, least)| *of == major && minor >= *least) || VERSIONS.iter().all(|(of, _)| *of < major)
}
