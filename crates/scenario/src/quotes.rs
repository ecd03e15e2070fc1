//! Text values without quotes.

use crate::problem::sanitize_input;

/// The value with quotes, as a suggestion for an unquoted one at byte `offset` of `text`, where the parser failed.
pub(super) fn add_quotes(text: &str, offset: usize) -> Option<String> {
    let offset = offset.min(text.len());
    let (before, behind) = (text.get(..offset)?, text.get(offset..)?);
    let line = before.rfind('\n').map_or(0, |newline| newline + 1);
    let begin = before[line..].rfind(['=', ',', '[', '{']).map(|at| line + at + 1)?;
    let end = behind.find([',', ']', '}', '#', '\n']).map_or(text.len(), |at| offset + at);
    let value = text[begin..end].trim();
    // Only a bare word with a letter after a key is meant as text; a number, quoted text or a list is not.
    let is_value = text[line..begin].contains('=') && value.contains(char::is_alphabetic);
    let is_other = |c: char| "\"'=[{".contains(c) || c.is_control();
    (is_value && !value.contains(is_other)).then(|| format!("write \"{}\", in quotes", sanitize_input(value)))
}

#[cfg(test)]
mod tests {
    use super::add_quotes;

    #[test]
    fn unquoted_value_is_suggested_with_quotes() {
        let hint = |text: &str, at: &str| add_quotes(text, text.find(at).unwrap());
        let quoted = |value: &str| Some(format!("write \"{value}\", in quotes"));
        assert_eq!(hint("a = 1\nstandard = 802.11b # fast\n", "b # fast"), quoted("802.11b"));
        assert_eq!(hint("cell = { standard = 802.11b, range = 5 }", "b,"), quoted("802.11b"));
        assert_eq!(hint("rates = [1 Mbps, 2 Mbps]", "Mbps,"), quoted("1 Mbps"));
        assert_eq!(hint("rate = 8 Mbps", "Mbps"), quoted("8 Mbps"));
        for (text, at) in [
            ("[flows.down\na = 1", "\n"),
            ("a = 1 2", "2"),
            ("a = { \0links", "links"),
            ("a = \"10 s\nb = 1", "10"),
            ("seed = 1\nseed = 2", "seed"),
        ] {
            assert_eq!(hint(text, at), None, "{text}");
        }
    }
}
