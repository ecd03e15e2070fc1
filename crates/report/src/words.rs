//! Markdown to HTML. HTML in the text is escaped; images, which would be fetched, are replaced by their descriptions.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// Converts `text` to HTML; a heading of level 1 in it becomes a heading of level `top`.
pub(crate) fn markdown_to_html(text: &str, top: usize) -> String {
    let mut out = String::new();
    // The end tag of a removed link must be removed too. Links do not nest.
    let mut plain_link = false;
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).filter_map(|event| match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Some(Event::Text(raw)),
        Event::Start(Tag::HtmlBlock) => Some(Event::Start(Tag::Paragraph)),
        Event::End(TagEnd::HtmlBlock) => Some(Event::End(TagEnd::Paragraph)),
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        Event::Start(Tag::Link { dest_url, .. }) if !is_safe_url(&dest_url) => {
            plain_link = true;
            None
        }
        Event::End(TagEnd::Link) if std::mem::take(&mut plain_link) => None,
        Event::Start(Tag::Heading { level, .. }) => {
            let (level, id, classes, attrs) = (lower_heading(level, top), None::<CowStr<'_>>, Vec::new(), Vec::new());
            Some(Event::Start(Tag::Heading { level, id, classes, attrs }))
        }
        Event::End(TagEnd::Heading(level)) => Some(Event::End(TagEnd::Heading(lower_heading(level, top)))),
        other => Some(other),
    });
    html::push_html(&mut out, events);
    // Wide tables get a box that scrolls.
    out.replace("<table>", r#"<div class="scroll" tabindex="0" role="region" aria-label="table"><table>"#)
        .replace("</table>", "</table></div>")
}

fn lower_heading(level: HeadingLevel, top: usize) -> HeadingLevel {
    HeadingLevel::try_from((level as usize + top - 1).min(6)).unwrap_or(HeadingLevel::H6)
}

/// Returns true for links within the page, and for web pages and mail addresses; false for `javascript:` and other
/// schemes.
fn is_safe_url(url: &str) -> bool {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    scheme.is_none_or(|scheme| ["http", "https", "mailto"].contains(&scheme.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_scripts_and_images_are_not_executed() {
        assert_eq!(markdown_to_html("a <b>c</b>", 3), "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n");
        assert_eq!(markdown_to_html("<script>\nx()\n</script>", 3), "<p>&lt;script&gt;\nx()\n&lt;/script&gt;</p>\n");
        assert_eq!(markdown_to_html("[a](javascript:b) [c](#d) ![e](f.png)", 3), "<p>a <a href=\"#d\">c</a> e</p>\n");
    }

    #[test]
    fn headings_start_at_the_given_level() {
        assert_eq!(markdown_to_html("# a\n\n###### b", 3), "<h3>a</h3>\n<h6>b</h6>\n");
    }
}
