//! Names of labels and files, from text of any kind.

/// Maximum length of a name before its number. File systems allow 255 bytes for a name with its extension.
const MAX_LEN: usize = 160;

/// Names of ASCII letters, digits and hyphens, all different.
#[derive(Default)]
pub struct Slugs(Vec<String>);

impl Slugs {
    /// Returns a name for `text`: other characters become hyphens, a text without letters and digits becomes `figure`,
    /// and a repeated name gets a number.
    pub fn next(&mut self, text: &str) -> String {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let mut base = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
        base.truncate(MAX_LEN);
        let base = if base.is_empty() { "figure".to_owned() } else { base };
        let numbered = (1..).map(|number| if number == 1 { base.clone() } else { format!("{base}-{number}") });
        let slug = numbered.into_iter().find(|name| !self.0.contains(name)).unwrap_or_default();
        self.0.push(slug.clone());
        slug
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_have_letters_digits_and_hyphens_and_are_unique() {
        let mut slugs = Slugs::default();
        let texts = ["A sweep / goodput_bps", "a-sweep goodput bps", "../../etc/passwd", "電", "'; rm"];
        let found = texts.map(|text| slugs.next(text));
        assert_eq!(found, ["a-sweep-goodput-bps", "a-sweep-goodput-bps-2", "etc-passwd", "figure", "rm"]);
    }

    #[test]
    fn long_names_are_cut_and_stay_unique() {
        let mut slugs = Slugs::default();
        let found = ["x", "y"].map(|end| slugs.next(&("a".repeat(300) + end)));
        assert_eq!(found, ["a".repeat(MAX_LEN), "a".repeat(MAX_LEN) + "-2"]);
    }
}
