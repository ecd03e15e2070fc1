//! The checkout with the sources of the page.

use std::path::Path;

use super::sources::Sources;
use crate::commands::format_path;

/// The fingerprint of the sources of this program; none in a package from a registry.
pub const FINGERPRINT: Option<&str> = option_env!("LASTHOP_SOURCES");

/// The checkout from which this program was built; `None` for a program that embeds the page.
pub const OWN: Option<&str> = option_env!("LASTHOP_CHECKOUT");

/// Checks that a checkout has the sources of this program, so that the page and the command give the same results.
pub fn check_sources(checkout: &Path, fingerprint: &str) -> Result<(), String> {
    let place = format_path(checkout);
    let sources = Sources::list(checkout).map_err(|error| format!("{place}: {error}"))?;
    let Some(sources) = sources else {
        return Err(format!(
            "the page is built from the checkout of lasthop, and {place} is not a checkout (any more); \
             `lasthop web --build --checkout FOLDER` says where it is"
        ));
    };
    let found = sources.fingerprint().map_err(|error| format!("{place}: {error}"))?;
    if found == fingerprint {
        return Ok(());
    }
    Err(format!(
        "the checkout {place} has other sources than this lasthop was built from (fingerprint {found}, expected \
         {fingerprint}); install it again, `cargo install --path {place}/crates/cli`, then type `lasthop web`"
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::PathBuf;

    use super::super::sources::{CRATES, OTHERS, is_embedded};
    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    /// The workspace's crates that a crate depends on.
    fn dependencies(name: &str) -> BTreeSet<String> {
        let text = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        let of = manifest["dependencies"].as_table().unwrap().keys();
        of.filter(|name| root().join("crates").join(name).is_dir()).cloned().collect()
    }

    #[test]
    fn source_list_includes_every_dependency_of_the_web_crate() {
        let mut found = BTreeSet::from(["web".to_owned()]);
        let mut waiting = vec!["web".to_owned()];
        while let Some(name) = waiting.pop() {
            waiting.extend(dependencies(&name).into_iter().filter(|name| found.insert(name.clone())));
        }
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), CRATES);
    }

    #[test]
    fn installed_program_embeds_no_test_page() {
        let is_embedded = |signature, is_debug| is_embedded(signature, Some("0123"), is_debug);
        assert!(is_embedded("released 0123", false) && is_embedded("released 0123", true));
        assert!(is_embedded("tested 0123", true) && !is_embedded("tested 0123", false));
        for other in ["released 4567", "0123", ""] {
            assert!(!is_embedded(other, false) && !is_embedded(other, true), "{other}");
        }
        assert!(super::super::sources::is_embedded("released 0123", None, false));
    }

    #[test]
    fn listed_sources_of_the_page_exist() {
        for place in OTHERS {
            assert!(root().join(place).exists(), "{place}");
        }
    }

    #[test]
    fn folder_that_is_no_checkout_is_named_in_the_error() {
        let message = check_sources(Path::new("/nonexistent/lasthop"), "0").unwrap_err();
        assert!(
            message.contains("/nonexistent/lasthop is not a checkout (any more); `lasthop web --build --checkout"),
            "{message}"
        );
    }

    #[test]
    fn checkout_with_other_sources_is_refused() {
        let message = check_sources(&root(), "0123456789abcdef").unwrap_err();
        assert!(message.contains("expected 0123456789abcdef); install it again, `cargo install --path"), "{message}");
    }
}
