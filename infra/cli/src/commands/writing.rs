//! What models write while somebody waits for a run.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{field_items, text, visible};
use crate::console::Console;

/// What has been shown of the answers that models are writing.
#[derive(Debug, Default)]
pub(super) struct Writing {
    shown: BTreeMap<Place, String>,
    /// The text whose line is open.
    open: Option<Place>,
}

/// A text: its step, the turn, and the field of the answer.
type Place = (String, u64, String);

impl Writing {
    /// Shows what a run has of new text, and leaves its last line open.
    pub(super) fn show(&mut self, run: &Value, console: &Console) {
        let new = self.new_text(run);
        if !new.is_empty() {
            console.part(new);
        }
    }

    /// Ends the line that is open.
    pub(super) fn close(&mut self, console: &Console) {
        if self.open.take().is_some() {
            console.note("");
        }
    }

    fn new_text(&mut self, run: &Value) -> String {
        let mut new = String::new();
        for draft in field_items(run, "drafts") {
            let step = text(draft, "step").unwrap_or_default();
            let turn = draft["turn"].as_u64().unwrap_or_default();
            for (field, written) in draft["texts"].as_object().into_iter().flatten() {
                let place = (step.clone(), turn, field.clone());
                self.add(&mut new, place, written.as_str().unwrap_or_default());
            }
        }
        new
    }

    /// Adds the new part of a text. One that does not go on from what was shown is rewritten: by a repair, or another try.
    fn add(&mut self, new: &mut String, place: Place, written: &str) {
        let before = self.shown.get(&place).map_or("", String::as_str);
        let rest = written.strip_prefix(before);
        let part = rest.unwrap_or(written);
        if part.is_empty() {
            return;
        }
        if rest.is_none() || self.open.as_ref() != Some(&place) {
            let (step, _, field) = &place;
            new.push_str(if self.open.is_some() { "\n" } else { "" });
            new.push_str(&visible(&format!("{step} writes `{field}`, not checked yet:")));
            new.push('\n');
        }
        let lines: Vec<String> = part.split('\n').map(visible).collect();
        new.push_str(&lines.join("\n"));
        self.shown.insert(place.clone(), written.to_owned());
        self.open = Some(place);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn r_101_what_is_written_is_shown_once_and_where_it_belongs() {
        let draft = |step: &str, turn: u64, answer: &str| json!({ "step": step, "turn": turn, "texts": { "answer": answer } });
        let run = |drafts: &[Value]| json!({ "drafts": drafts });
        let mut writing = Writing::default();
        let mut check = |drafts: &[Value], expect: &str| {
            assert_eq!(writing.new_text(&run(drafts)), expect);
        };
        check(&[], "");
        let head = "answer writes `answer`, not checked yet:\n";
        check(&[draft("answer", 1, "Two\nowls")], &format!("{head}Two\nowls"));
        check(&[draft("answer", 1, "Two\nowls")], "");
        check(&[draft("answer", 1, "Two\nowls, one\u{1b}[2J")], ", one\\u{1b}[2J");
        check(&[], "");
        check(&[draft("answer", 2, "Three")], &format!("\n{head}Three"));
        let other = "\nlook writes `answer`, not checked yet:\nMice";
        check(&[draft("answer", 2, "Three"), draft("look", 1, "Mice")], other);
        check(&[draft("answer", 2, "Three.")], &format!("\n{head}."));
        let two = [draft("answer", 2, "Three. "), draft("look", 1, "Mice!")];
        check(&two, " \nlook writes `answer`, not checked yet:\n!");
        check(&[draft("look", 1, "Anew")], "\nlook writes `answer`, not checked yet:\nAnew");
    }
}
