//! Phrases in comments that hide the subject of the sentence, with plainer alternatives.

use super::source::CommentLine;

/// The phrases, in lower case.
const PHRASES: [&str; 18] = [
    "that of",
    "those of",
    "the one of",
    "what it",
    "what the",
    "what is",
    "what was",
    "what are",
    "is over",
    "under way",
    "sent again",
    "beside",
    "of its own",
    "of their own",
    "none of",
    "as many",
    "so many",
    "the same as",
];

/// A phrase that was found.
#[derive(Debug, PartialEq)]
pub struct PhraseMatch {
    pub phrase: &'static str,
    /// Line in which the phrase begins.
    pub line: usize,
}

/// Returns the phrases in the comments of a file; one may continue in the next line.
pub fn find_phrases(comments: &[CommentLine]) -> Vec<PhraseMatch> {
    let (mut text, mut starts) = (String::new(), Vec::new());
    for comment in comments {
        starts.push((text.len(), comment.line));
        text += &comment.text.to_ascii_lowercase();
        text.push(' ');
    }
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some((at, phrase)) = find_first(&text, from) {
        let next = starts.partition_point(|(start, _)| *start <= at);
        found.push(PhraseMatch { phrase, line: starts[next - 1].1 });
        from = at + phrase.len();
    }
    found
}

/// Returns the number of words.
pub fn count_words(comments: &[CommentLine]) -> usize {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '\'';
    comments.iter().map(|comment| comment.text.split(|c| !is_letter(c)).filter(|word| !word.is_empty()).count()).sum()
}

/// Returns the first phrase of whole words from this position.
fn find_first(text: &str, from: usize) -> Option<(usize, &'static str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut begins = !text[..from].ends_with(is_part);
    for (offset, c) in text[from..].char_indices() {
        let rest = &text[from + offset..];
        if begins && is_part(c) {
            let is_whole =
                |phrase: &&&str| rest.strip_prefix(**phrase).is_some_and(|after| !after.starts_with(is_part));
            if let Some(phrase) = PHRASES.iter().find(is_whole) {
                return Some((from + offset, phrase));
            }
        }
        begins = !is_part(c);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comments(lines: &[&str]) -> Vec<CommentLine> {
        lines
            .iter()
            .enumerate()
            .map(|(index, text)| CommentLine { text: (*text).to_owned(), line: index + 1 })
            .collect()
    }

    #[test]
    fn phrases_are_whole_words_in_any_case_across_lines() {
        let found = find_phrases(&comments(&["The rate. That", "of a link, besides", "somewhat is, what is: Beside"]));
        let found: Vec<_> = found.iter().map(|it| (it.phrase, it.line)).collect();
        assert_eq!(found, [("that of", 1), ("what is", 3), ("beside", 3)]);
    }

    #[test]
    fn words_are_runs_of_letters() {
        assert_eq!(count_words(&comments(&["A flow's `cwnd_max` of 10 MB.", "", "é"])), 6);
    }
}
