//! What a reader of rendered Markdown sees, for places that show text as it is.

use markdown::mdast::Node;
use markdown::{ParseOptions, to_mdast};

/// One line of Markdown without its marks: `\_` is `_`, a heading its title. None of a line that a
/// reader does not see, as the one below a table's head.
#[must_use]
pub fn line(markdown: &str) -> Option<String> {
    let line = markdown.trim();
    if line.is_empty() || is_rule(line) {
        return None;
    }
    let words = to_mdast(line, &ParseOptions::gfm()).map(|tree| words(&tree));
    Some(words.unwrap_or_else(|_| line.to_owned())).filter(|words| !words.is_empty())
}

/// Below the head of a table, or between two paragraphs.
fn is_rule(line: &str) -> bool {
    line.contains("--") && line.chars().all(|character| "|-: ".contains(character))
}

fn words(node: &Node) -> String {
    match node {
        Node::Text(text) => text.value.clone(),
        // An address that was written as code is no link, and stays none where this is shown.
        Node::InlineCode(code) => format!("`{}`", code.value),
        Node::Break(_) => " ".to_owned(),
        other => other.children().into_iter().flatten().map(words).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::line;
    use crate::markdown::inline;

    #[track_caller]
    fn check(markdown: &str, expect: Option<&str>) {
        assert_eq!(line(markdown).as_deref(), expect, "{markdown}");
    }

    #[test]
    fn marks_are_left_out_and_words_stay() {
        check("# People", Some("People"));
        check(r"- first\_name: **Ann** \| Turin", Some("first_name: Ann | Turin"));
        check("| Name | `www.example.org` |", Some("| Name | `www.example.org` |"));
        check("| --- | ---: |", None);
        check("---", None);
        check("  ", None);
        check("- not done", Some("not done"));
    }

    #[test]
    fn what_was_escaped_is_read_back() {
        for text in ["a_b *c* [d](e) <f>", "1 | 2", "5 < 6 & 7", "$4,200.00 #1 ~2~ !"] {
            check(&inline(text), Some(text));
        }
        check(
            &inline("see https://example.org/x_y now"),
            Some("see `https://example.org/x_y` now"),
        );
    }
}
