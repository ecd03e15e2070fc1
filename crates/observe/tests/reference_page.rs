//! The tables of docs/metrics.md are generated from the declarations of the fields and metrics.

use std::fmt::Write;
use std::path::Path;

use observe::metric::{Field, PARTS, Presence};

const END: &str = "<!-- end of table -->\n";

fn table<'a>(fields: impl Iterator<Item = &'a Field>) -> String {
    let mut table = "| field | unit | definition |\n|---|---|---|\n".to_owned();
    for field in fields {
        let text = field.text().replace('|', "\\|");
        let was: String = field.was.iter().map(|was| format!(" Formerly `{was}`.")).collect();
        writeln!(table, "| `{}` | {} | {text}{was} |", field.name, field.unit).unwrap();
    }
    table
}

/// The page with each part's table inserted between its marks.
fn with_tables(page: &str) -> String {
    let mut page = page.to_owned();
    let mut put = |name: &str, table: String| {
        let mark = format!("<!-- table: {name} -->\n");
        let start = page.find(&mark).unwrap_or_else(|| panic!("docs/metrics.md has no mark for {name}")) + mark.len();
        let end = start + page[start..].find(END).unwrap_or_else(|| panic!("the table of {name} has no end"));
        page.replace_range(start..end, &table);
    };
    for (name, fields) in PARTS {
        put(name, table(fields.iter().filter(|field| field.presence != Presence::Derived)));
    }
    let computed =
        PARTS.iter().flat_map(|(_, fields)| fields.iter()).filter(|field| field.presence == Presence::Derived);
    put("computed", table(computed));
    page
}

#[test]
fn reference_page_has_the_tables_of_the_declarations() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let expected = with_tables(&page);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &expected).unwrap();
    } else {
        assert!(page == expected, "docs/metrics.md is out of date: UPDATE_GOLDEN=1");
    }
}
