//! What is generated from the command's own declarations.

mod common;

use std::fs;

use common::{fine, root, scratch};

#[test]
fn schema_in_the_docs_is_the_one_that_is_printed() {
    let printed = fine(&scratch("schema"), &["schema"]);
    let kept = root().join("docs/scenario.schema.json");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&kept, &printed).unwrap();
    }
    assert!(fs::read_to_string(&kept).unwrap() == printed, "{} is out of date: UPDATE_GOLDEN=1", kept.display());
}
