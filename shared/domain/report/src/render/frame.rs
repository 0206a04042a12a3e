//! What stands around the content of a Markdown document: what it is not based on before it, where it is from behind it.

use countersign_run::{WAS_A_REPLAY, WAS_A_TEST};

use crate::markdown::unescaped_line;

/// What begins the warnings of a document of which a model has written a part.
pub(super) const OF_A_MODEL: &str =
    "**Missing, incomplete or written by a language model**, among what this is based on:";

/// What begins the warnings of any other document.
pub(super) const NOT_READ: &str = "**Not everything could be read.** What follows leaves it out.";

/// What begins the lines about where a document is from.
pub(super) const PROVENANCE: &str = "---\n\n**Provenance**\n\n";

/// The content of a document that [`render`](super::render) has written as Markdown, for whoever goes on with it: without its notice, its
/// warnings and its provenance, and without the escapes by which data is no markup.
#[must_use]
pub fn content(document: &str) -> String {
    let mut rest = document;
    for notice in [WAS_A_TEST, WAS_A_REPLAY] {
        rest = rest.strip_prefix(&format!("**{notice}**\n")).map_or(rest, str::trim_start);
    }
    for head in [OF_A_MODEL, NOT_READ] {
        if let Some(after) = rest.strip_prefix(head) {
            rest = after_list(after.trim_start());
        }
    }
    // The last one: an author's own text may have such lines too.
    let (before, behind) = match rest.rsplit_once(PROVENANCE) {
        Some((before, after)) => (before, after_list(after)),
        None => (rest, ""),
    };
    let parts = [before, behind]
        .map(|part| part.trim_matches('\n'))
        .into_iter()
        .filter(|part| !part.is_empty());
    unescaped(&parts.collect::<Vec<_>>().join("\n\n"))
}

/// What follows the lines of a list.
fn after_list(text: &str) -> &str {
    let lines = text.split_inclusive('\n').take_while(|line| line.starts_with("- "));
    text[lines.map(str::len).sum::<usize>()..].trim_start()
}

/// Within code nothing is escaped; lines of JSON are indented code.
fn unescaped(text: &str) -> String {
    let lines = text.split('\n').map(|line| match line.starts_with("    ") {
        true => line.to_owned(),
        false => unescaped_line(line),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::{Format, Layout, Provenance, Section, SectionFormat, render};

    fn written(answer: &str, warnings: &[&str]) -> String {
        let section = Section {
            title: "Answer".to_owned(),
            source: "answer".to_owned(),
            format: SectionFormat::Text,
            ..Section::default()
        };
        let layout = Layout { sections: vec![section], ..Layout::default() };
        let from = Provenance {
            run: "run_1".to_owned(),
            profile: "Looks".to_owned(),
            playbook: None,
            query: "Which *funds*?".to_owned(),
            entity_name: String::new(),
            at: Timestamp::UNIX_EPOCH,
            warnings: warnings.iter().map(|one| (*one).to_owned()).collect(),
        };
        render(Format::Markdown, &layout, &json!({ "answer": answer }), &from).unwrap().body
    }

    #[test]
    fn r_037_of_a_document_only_its_content_is_left() {
        let model = "1 warning in `answer`: written by the model `openai/a`; nobody has checked it";
        for warnings in [&[][..], &[model], &["a.csv, row 2"], &[WAS_A_TEST, model]] {
            let document = written("One *Owl* Fund: a_b\n- and more", warnings);
            assert!(document.contains("**Provenance**") && document.contains("\\*Owl\\*"));
            let expect = "## Answer\n\nOne *Owl* Fund: a_b\n\n- and more";
            assert_eq!(content(&document), expect, "{document}");
            let blocked = format!("{}\n\n## Not done\n\n- pay: denied\n", document.trim_end());
            assert_eq!(content(&blocked), format!("{expect}\n\n## Not done\n\n- pay: denied"));
        }
    }

    #[test]
    fn r_037_other_texts_stay_as_they_are() {
        for text in ["", "One.", "- a\n- b", "`a\\_b`", "    {\"a\": \"\\\"\"}"] {
            assert_eq!(content(text), text);
        }
    }
}
