//! A small strict HTML parser: elements are closed in order, attributes quoted, and every `<` begins a tag.

/// An element of a document.
pub struct Element {
    pub name: String,
    /// Names and values of attributes.
    pub attributes: Vec<(String, String)>,
}

/// Returns the elements of a document in the order of their start tags.
///
/// # Errors
///
/// First violation of the parser's rules, with the text around it.
pub fn elements(html: &str) -> Result<Vec<Element>, String> {
    const VOID: [&str; 3] = ["meta", "link", "br"];
    let mut open: Vec<String> = Vec::new();
    let mut found = Vec::new();
    let mut rest = html.strip_prefix("<!DOCTYPE html>").ok_or("no document type")?;
    while let Some(at) = rest.find(['<', '>']) {
        let here = |what: &str| format!("{what}: {}", rest[at..].chars().take(60).collect::<String>());
        if rest[at..].starts_with('>') {
            return Err(here("a > outside of a tag"));
        }
        let end = at + rest[at..].find('>').ok_or_else(|| here("a tag without end"))?;
        let tag = &rest[at + 1..end];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop().as_deref() != Some(name) {
                return Err(here("closes what was not opened last"));
            }
            rest = &rest[end + 1..];
            continue;
        }
        let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(here("no name of an element"));
        }
        let attributes = self::attributes(attributes).ok_or_else(|| here("an attribute without quotes"))?;
        found.push(Element { name: name.to_owned(), attributes });
        rest = &rest[end + 1..];
        if ["style", "script"].contains(&name) {
            let close = format!("</{name}>");
            let end = rest.find(&close).ok_or_else(|| format!("no end of {name}"))?;
            rest = &rest[end + close.len()..];
        } else if !VOID.contains(&name) {
            open.push(name.to_owned());
        }
    }
    if open.is_empty() { Ok(found) } else { Err(format!("never closed: {open:?}")) }
}

fn attributes(mut text: &str) -> Option<Vec<(String, String)>> {
    let mut found = Vec::new();
    while !text.trim().is_empty() {
        let (name, rest) = text.trim_start().split_once("=\"")?;
        let (value, rest) = rest.split_once('"')?;
        if name.is_empty() || name.contains(['"', ' ', '<']) {
            return None;
        }
        found.push((name.to_owned(), value.to_owned()));
        text = rest;
    }
    Some(found)
}
