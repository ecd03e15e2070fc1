//! A Markdown page: its links, and the anchors of its headings.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The targets of a page's links and pictures, as written. A link without a target is a heading in the list of pages.
pub fn list_targets(text: &str) -> Vec<String> {
    let target = |event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    };
    Parser::new_ext(text, Options::ENABLE_TABLES).filter_map(target).filter(|target| !target.is_empty()).collect()
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
pub fn list_anchors(text: &str) -> Vec<String> {
    let (mut anchors, mut heading, mut repeated) = (Vec::new(), None::<String>, BTreeMap::new());
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match (event, &mut heading) {
            (Event::Start(Tag::Heading { .. }), _) => heading = Some(String::new()),
            (Event::Text(text) | Event::Code(text), Some(heading)) => heading.push_str(&text),
            (Event::End(TagEnd::Heading(_)), _) => {
                let anchor = render_anchor(&heading.take().unwrap_or_default());
                let before = repeated.entry(anchor.clone()).and_modify(|count| *count += 1).or_insert(0);
                anchors.push(if *before == 0 { anchor } else { format!("{anchor}-{before}") });
            }
            _ => {}
        }
    }
    anchors
}

fn render_anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_code_do_not_count() {
        let text =
            "[a](a.md) `[b](b.md)` ![p](p.svg)\n\n```\n[c](c.md)\n```\n\n| t |\n|---|\n| [d](d.md#x) |\n\n- [e]()\n";
        assert_eq!(list_targets(text), ["a.md", "p.svg", "d.md#x"]);
    }

    #[test]
    fn anchors_drop_punctuation_and_number_repetitions() {
        let text = "# ns-2's LAN (`ns2-lan`)\n\n## Keys\n\n## Keys\n";
        assert_eq!(list_anchors(text), ["ns-2s-lan-ns2-lan", "keys", "keys-1"]);
    }
}
