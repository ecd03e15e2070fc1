//! Text of a user's on its way out: to a terminal, a page, a table.

use std::borrow::Cow;

/// `text` with every character that a terminal or a browser could obey written out, as `\u001b` for ESC: control characters
/// but the newline and the tab (C0, DEL, C1), and those that change the direction of what follows. Inside a string of JSON
/// or TOML it means the same as before.
///
/// Whatever goes to a terminal or into a CSV, HTML or SVG file passes here once, at the end, whole.
pub fn visible(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_obeyed) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first]);
    for c in text[first..].chars() {
        if is_obeyed(c) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// `text` as part of a file's name: what [`visible`] writes out, the newline and the tab are underscores.
pub fn file_name(text: &str) -> String {
    text.chars().map(|c| if is_obeyed(c) || c.is_control() { '_' } else { c }).collect()
}

/// U+202A to U+202E and U+2066 to U+2069 are the explicit directional characters [Unicode UAX 9 s2].
fn is_obeyed(c: char) -> bool {
    let plain = c == '\n' || c == '\t';
    c.is_control() && !plain || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_left_alone() {
        for text in ["", "a line\n\tand a tab", "ä √ 電 – \u{a0}"] {
            assert!(matches!(visible(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn what_is_obeyed_is_written_out() {
        assert_eq!(visible("a\u{1b}[31mred\r\n"), "a\\u001b[31mred\\u000d\n");
        assert_eq!(visible("\0\u{7}\u{7f}\u{9b}\u{202e}x\u{2069}"), "\\u0000\\u0007\\u007f\\u009b\\u202ex\\u2069");
    }

    #[test]
    fn a_file_name_has_underscores() {
        assert_eq!(file_name("a\u{1b}[31m\n\tb ä\u{202e}"), "a_[31m__b ä_");
    }

    /// Every character below 0x20, DEL and C1.
    #[test]
    fn no_control_character_is_left() {
        let all: String = (0..0x100).filter_map(char::from_u32).collect();
        assert!(visible(&all).chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
    }
}
