//! Escaping of users' text for terminals, pages and tables.

use std::borrow::Cow;

/// Escapes the characters of `text` that could control a terminal or browser, for example ESC as `\u001b`: control
/// characters except newline and tab (C0, DEL, C1), and explicit directional characters. The escapes are valid in
/// strings of JSON and TOML.
///
/// All output to a terminal or into a CSV, HTML or SVG file passes through this function once, as its last step.
pub fn escape_controls(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_control_character) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first]);
    for c in text[first..].chars() {
        if is_control_character(c) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Returns `text` for use in a file name: the characters that [`escape_controls`] escapes, newlines and tabs become
/// underscores.
pub fn file_name(text: &str) -> String {
    text.chars().map(|c| if is_control_character(c) || c.is_control() { '_' } else { c }).collect()
}

/// Returns true for control characters. U+202A to U+202E and U+2066 to U+2069 are the explicit directional characters
/// [Unicode UAX 9 s2].
fn is_control_character(c: char) -> bool {
    let plain = c == '\n' || c == '\t';
    c.is_control() && !plain || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_without_control_characters_is_unchanged() {
        for text in ["", "a line\n\tand a tab", "ä √ 電 – \u{a0}"] {
            assert!(matches!(escape_controls(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn control_and_directional_characters_are_escaped() {
        assert_eq!(escape_controls("a\u{1b}[31mred\r\n"), "a\\u001b[31mred\\u000d\n");
        assert_eq!(
            escape_controls("\0\u{7}\u{7f}\u{9b}\u{202e}x\u{2069}"),
            "\\u0000\\u0007\\u007f\\u009b\\u202ex\\u2069"
        );
    }

    #[test]
    fn control_characters_of_file_names_become_underscores() {
        assert_eq!(file_name("a\u{1b}[31m\n\tb ä\u{202e}"), "a_[31m__b ä_");
    }

    /// All control characters are checked one by one: those below 0x20, DEL and C1.
    #[test]
    fn no_control_character_remains() {
        let all: String = (0..0x100).filter_map(char::from_u32).collect();
        assert!(escape_controls(&all).chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
    }
}
