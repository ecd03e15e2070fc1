//! Charts as separate SVG files.

use engine::text::escape_controls;
use maud::{Markup, PreEscaped, html};

use crate::budget;

/// Returns an SVG element of a page as a file, with the page's style in light colours.
pub(crate) fn render_standalone_svg(picture: &Markup) -> String {
    let style = format!(
        "svg.drawn {{ background: var(--ground); }}\n{}{}",
        include_str!("chart.css"),
        budget::render_cause_rules()
    );
    let style = html! { style { (PreEscaped(resolve_css_variables(&style))) } };
    let picture = escape_controls(&picture.0);
    let Some((head, rest)) = picture.split_once('>') else { return picture.into_owned() };
    format!("{head}>{}{rest}\n", style.into_string())
}

/// Replaces each `var(--name)` of a style by its first value, because not all SVG viewers support variables.
fn resolve_css_variables(style: &str) -> String {
    let declared = style.split(['{', ';']).filter_map(|part| part.trim().strip_prefix("--")?.split_once(':'));
    let mut known: Vec<(&str, &str)> = Vec::new();
    for (name, value) in declared {
        if known.iter().all(|(other, _)| *other != name) {
            known.push((name, value.trim()));
        }
    }
    // Only rules for `svg.` are kept. Rules that declare variables or depend on media queries are resolved.
    let rules = style.lines().filter(|line| line.starts_with("svg."));
    known.iter().fold(rules.collect::<Vec<_>>().join("\n"), |style, (name, value)| {
        style.replace(&format!("var(--{name})"), value)
    })
}
