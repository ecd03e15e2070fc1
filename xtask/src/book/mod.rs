//! `cargo xtask book`: the documentation as a book, with mdBook.
//!
//! The book contains the pages listed in `docs/SUMMARY.md`. They are copied to `target/book/src` at their paths in the
//! repository, with each file that a page links to, so every relative link is also valid in the book.

mod links;
mod page;
mod stage;

use std::process::Command;

use crate::workspace;

/// The list of the book's pages, in mdBook's form.
const SUMMARY: &str = "docs/SUMMARY.md";

const INSTALL: &str = "mdBook is missing: `cargo install mdbook --locked --no-default-features --features search`";

/// Checks every link, and builds the book in `target/book/html`.
pub fn build_book() -> Result<(), String> {
    links::check_links()?;
    let folder = workspace::target_folder().join("book");
    stage::write_stage(&workspace::root_folder(), &folder)?;
    if !workspace::on_path("mdbook") {
        return Err(INSTALL.to_owned());
    }
    workspace::run_command(Command::new("mdbook").arg("build").arg(&folder))?;
    workspace::print_text(&format!("{}\n", folder.join("html/index.html").display()))
}
