//! A text in passages.

/// The longest passage, characters: about a paragraph, which is also what an answer shows of a document.
pub(super) const MAX_PASSAGE: usize = 800;

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Passage<'t> {
    /// The line of the text in which it begins, from 1.
    pub(super) line: usize,
    /// Its text, as it stands.
    pub(super) text: &'t str,
}

/// The passages of a text: whole lines as far as they fit. An empty text has one, which is empty.
pub(super) fn passages(text: &str) -> Vec<Passage<'_>> {
    let (mut all, mut line, mut rest) = (Vec::new(), 1, text);
    loop {
        let (passage, after) = rest.split_at(end(rest));
        all.push(Passage { line, text: passage });
        if after.is_empty() {
            return all;
        }
        line += lines(passage);
        rest = after;
    }
}

impl Passage<'_> {
    /// The same without blanks at its edges.
    pub(super) fn trimmed(self) -> Self {
        let begins = self.text.trim_start();
        let blank = &self.text[..self.text.len() - begins.len()];
        Self { line: self.line + lines(blank), text: begins.trim_end() }
    }
}

/// Where the first passage of a text ends: behind the last line that fits, else behind the last blank, else anywhere.
fn end(text: &str) -> usize {
    let Some((most, _)) = text.char_indices().nth(MAX_PASSAGE) else { return text.len() };
    let fits = &text[..most];
    fits.rfind('\n').or_else(|| fits.rfind(' ')).map_or(most, |at| at + 1)
}

fn lines(text: &str) -> usize {
    text.matches('\n').count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{MAX_PASSAGE, Passage, lines, passages};

    #[test]
    fn f_044_a_passage_ends_with_a_line_or_a_word() {
        let (line, word) = (format!("{}\n", "a".repeat(700)), "b".repeat(500));
        let text = format!("{line}{word} {word}");
        let all = passages(&text);
        let texts: Vec<&str> = all.iter().map(|one| one.text).collect();
        assert_eq!(texts, [line.as_str(), &format!("{word} "), &word]);
        assert_eq!(all.iter().map(|one| one.line).collect::<Vec<_>>(), [1, 2, 2]);
        assert_eq!(passages(""), [Passage { line: 1, text: "" }]);
        let trimmed = Passage { line: 3, text: "\n \n owls \n" }.trimmed();
        assert_eq!(trimmed, Passage { line: 5, text: "owls" });
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn f_044_passages_are_the_whole_text_in_order(parts in prop::collection::vec("[a-zé🦉 \n]{0,400}", 0..12)) {
            let text = parts.concat();
            let all = passages(&text);
            prop_assert_eq!(all.iter().map(|one| one.text).collect::<String>(), text.clone());
            let mut line = 1;
            for passage in all {
                prop_assert!(passage.text.chars().count() <= MAX_PASSAGE);
                prop_assert_eq!(passage.line, line);
                line += lines(passage.text);
            }
        }
    }
}
