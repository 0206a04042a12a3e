//! The YAML between two lines of `---` at the beginning of a Markdown text.

use countersign_document::{Limits, Tree};
use serde_json::Value;

/// The largest front matter that is read, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// A text without its front matter.
#[derive(Debug, PartialEq)]
pub(crate) struct Split<'t> {
    /// What it says; none when there is none, or it cannot be read.
    pub(crate) matter: Option<Value>,
    /// The text behind it; the whole text when it cannot be read.
    pub(crate) text: &'t str,
    /// Why it cannot be read.
    pub(crate) warning: Option<String>,
}

/// Takes the front matter off a text.
pub(crate) fn split(text: &str) -> Split<'_> {
    let whole = |warning| Split { matter: None, text, warning };
    let Some((yaml, rest)) = parts(text) else { return whole(None) };
    match read(yaml) {
        Ok(matter) => Split { matter: Some(matter), text: rest, warning: None },
        Err(why) => whole(Some(format!("the front matter cannot be read: {why}"))),
    }
}

/// What is between the marks, and what is behind them.
fn parts(text: &str) -> Option<(&str, &str)> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().filter(|line| line.trim_end() == "---")?;
    let mut end = first.len();
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            return Some((&text[first.len()..end], &text[end + line.len()..]));
        }
        end += line.len();
    }
    None
}

fn read(yaml: &str) -> Result<Value, String> {
    let limits = Limits { bytes: MAX_BYTES, depth: 32, values: 5_000, aliases: 100 };
    let tree = Tree::parse(yaml, "front matter", limits).map_err(|problem| problem.message)?;
    if let Some(twice) = tree.duplicates().first() {
        return Err(twice.message.clone());
    }
    let value = tree.root().value().clone();
    if value.is_object() { Ok(value) } else { Err("it is not a mapping".to_owned()) }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::split;

    fn check(text: &str, matter: Option<&Value>, rest: &str, warns: bool) {
        let found = split(text);
        assert_eq!((found.matter.as_ref(), found.text), (matter, rest), "{text}");
        assert_eq!(found.warning.is_some(), warns, "{:?}", found.warning);
    }

    #[test]
    fn f_080_front_matter_is_read_and_what_is_not_one_stays_in_the_text() {
        let both = json!({ "title": "A", "tags": ["x", "y"] });
        check("---\ntitle: A\ntags: [x, y]\n---\n# A\n", Some(&both), "# A\n", false);
        check("---\r\ntitle: A\r\ntags: [x, y]\r\n...\r\n# A\n", Some(&both), "# A\n", false);
        for text in ["# A\n", "", "---", "---\ntitle: A\n", "a\n---\nb: 1\n---\n"] {
            check(text, None, text, false);
        }
        for text in
            ["---\n- a\n---\nb", "---\na: [\n---\nb", "---\n---\nb", "---\na: 1\na: 2\n---\nb"]
        {
            check(text, None, text, true);
        }
        let bomb = "---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\n\
                    d: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n---\nb";
        check(bomb, None, bomb, true);
    }
}
