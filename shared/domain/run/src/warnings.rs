//! What a step could not read as it should be.
//!
//! By contract, a step's output lists files and other sources that were left out under `errors`, files that were read and hold
//! nothing under `file_notes`, and everything else that could not be read under `warnings`, each a text or a record with the place (`name` or `file`, `row`, `field`) and a
//! `message`. Both lists are bounded; `files_failed` and `warning_count` say how many there were.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// The longest sentence about one warning, in characters.
const MAX_LENGTH: usize = 200;

/// The warnings of one step: values that are not of their type, files that could not be read, pages that are missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepWarnings {
    /// The step.
    pub step: String,
    /// How many there are.
    pub count: u64,
    /// Some of them, one sentence each; untrusted text. Empty in the head of a run, which every step reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<String>,
    /// SHA-256, hex, of the step's name, the count and all that its output lists of them, however many are written out here.
    pub hash: String,
    /// Whether a later irreversible step waits for a signature that was given knowing them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks: bool,
}

impl StepWarnings {
    /// One warning about a step.
    #[must_use]
    pub fn one(step: &str, sentence: String, asks: bool) -> Self {
        let hash = hex::encode(Sha256::digest(&sentence));
        Self { step: step.to_owned(), count: 1, first: vec![sentence], hash, asks }
    }

    /// The same with those of another list about the step, behind its own.
    #[must_use]
    pub fn and(self, other: Option<Self>) -> Self {
        let Some(other) = other else { return self };
        let hash = hex::encode(Sha256::digest(format!("{}\0{}", self.hash, other.hash)));
        let first = self.first.into_iter().chain(other.first).collect();
        Self { count: self.count.saturating_add(other.count), first, hash, ..self }
    }

    /// ``3 warnings in `read` ``.
    #[must_use]
    pub fn title(&self) -> String {
        let Self { step, count, .. } = self;
        let noun = if *count == 1 { "warning" } else { "warnings" };
        format!("{count} {noun} in `{step}`")
    }

    /// The title and the first sentences, one line.
    #[must_use]
    pub fn sentence(&self) -> String {
        self.said(&BTreeSet::new()).line(&self.title())
    }

    /// The same of several steps. Steps that read the same files say the same of them: it is written out once, and counted where
    /// it comes again.
    #[must_use]
    pub fn sentences(all: &[Self]) -> Vec<String> {
        let said = Self::told_once(all).into_iter();
        said.map(|(of_step, said)| said.line(&of_step.title())).collect()
    }

    /// What is written out of each step beside the others.
    #[must_use]
    pub fn told_once(all: &[Self]) -> Vec<(&Self, WarningText<'_>)> {
        let mut known = BTreeSet::new();
        let said = all.iter().map(|of_step| {
            let said = of_step.said(&known);
            known.extend(of_step.first.iter().map(String::as_str));
            (of_step, said)
        });
        said.collect()
    }

    fn said(&self, known: &BTreeSet<&str>) -> WarningText<'_> {
        let all = self.first.iter().map(String::as_str);
        let (again, new): (Vec<&str>, Vec<&str>) = all.partition(|one| known.contains(one));
        let more = self.count.saturating_sub(self.first.len() as u64);
        WarningText { new, again: again.len(), more }
    }
}

/// What is said of the warnings of one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarningText<'w> {
    /// Sentences that no earlier step has said.
    pub new: Vec<&'w str>,
    /// How many an earlier step has said.
    pub again: usize,
    /// How many are not written out anywhere.
    pub more: u64,
}

impl WarningText<'_> {
    fn line(&self, title: &str) -> String {
        let again = (self.again > 0).then(|| format!("{} as above", self.again));
        let more = (self.more > 0).then(|| format!("and {} more", self.more));
        let said = self.new.iter().copied().map(str::to_owned);
        let said: Vec<String> = said.chain(again).chain(more).collect();
        if said.is_empty() { title.to_owned() } else { format!("{title}: {}", said.join("; ")) }
    }
}

/// What an output says of sources that were left out. Other outputs may have data of their own under that name.
#[must_use]
pub fn left_out(output: &Value) -> &[Value] {
    if output.get("files_failed").is_some() { listed(output, "errors") } else { &[] }
}

/// Files that were read and hold nothing of what was looked for: whoever signs a total has to know that they add nothing to it.
fn without_records(output: &Value) -> &[Value] {
    if output.get("files_read").is_some() { listed(output, "file_notes") } else { &[] }
}

/// Everything that an output lists of what could not be read: what was left out, what holds nothing and the rest in turn, so
/// that many of one do not hide the others where only the first are shown.
pub fn all_warnings(output: &Value) -> impl Iterator<Item = &Value> {
    let lists = [left_out(output), without_records(output), warned(output)];
    let longest = lists.iter().map(|list| list.len()).max().unwrap_or_default();
    (0..longest).flat_map(move |n| lists.into_iter().filter_map(move |list| list.get(n)))
}

/// The warnings that an output lists.
#[must_use]
pub fn warned(output: &Value) -> &[Value] {
    listed(output, "warnings")
}

fn listed<'v>(output: &'v Value, name: &str) -> &'v [Value] {
    output[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// How many warnings an output tells of.
#[must_use]
pub fn warning_count(output: &Value) -> u64 {
    counted(warned(output), output.get("warning_count"))
        .saturating_add(counted(left_out(output), output.get("files_failed")))
        .saturating_add(without_records(output).len() as u64)
}

fn counted(list: &[Value], total: Option<&Value>) -> u64 {
    total.and_then(Value::as_u64).unwrap_or_default().max(list.len() as u64)
}

/// The first warnings of an output, one sentence each, in the order of [`all_warnings`].
#[must_use]
pub fn warning_sentences(output: &Value, limit: usize) -> Vec<String> {
    all_warnings(output).take(limit).map(|one| cut(&sentence(one))).collect()
}

/// ``a.csv, row 3, `amount`: `$4` is not of type number``.
fn sentence(one: &Value) -> String {
    match one {
        Value::String(text) => text.clone(),
        Value::Object(fields) => of_record(fields),
        other => other.to_string(),
    }
}

fn of_record(fields: &Map<String, Value>) -> String {
    let text =
        |name: &str| fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let number = |name: &str| fields.get(name).and_then(Value::as_u64);
    let source = text("name").or_else(|| text("file")).map(str::to_owned);
    let row = number("row").map(|row| format!("row {row}"));
    let message = text("message").or_else(|| text("code")).unwrap_or("could not be read");
    // Records are counted from 0 in data, from 1 by people. A reader that knows the row of its file says that instead.
    let knows_place = ["row ", "line ", "sheet ", "page ", "record "]
        .iter()
        .any(|word| message.starts_with(word));
    let record = number("record").filter(|_| !knows_place);
    let row = row.or_else(|| record.map(|record| format!("record {}", record + 1)));
    let field = text("field").map(|field| format!("`{field}`"));
    let place: Vec<String> = [source, row, field].into_iter().flatten().collect();
    if place.is_empty() { message.to_owned() } else { format!("{}: {message}", place.join(", ")) }
}

/// A text of at most `most` characters: a longer one ends with `…`.
pub(crate) fn within(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

fn cut(text: &str) -> String {
    within(text, MAX_LENGTH)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(count: u64, first: &[&str], expect: &str) {
        let first = first.iter().map(|text| (*text).to_owned()).collect();
        let warnings =
            StepWarnings { step: "read".to_owned(), count, first, hash: String::new(), asks: true };
        assert_eq!(warnings.sentence(), expect);
    }

    #[test]
    fn f_311_a_sentence_says_how_many_are_not_named() {
        check(1, &["a.csv, row 2"], "1 warning in `read`: a.csv, row 2");
        check(3, &["a.csv, row 2"], "3 warnings in `read`: a.csv, row 2; and 2 more");
        check(2, &[], "2 warnings in `read`: and 2 more");
    }

    #[test]
    fn f_311_what_two_steps_say_of_one_file_is_written_out_once() {
        let of = |step: &str, count, first: &[&str]| StepWarnings {
            step: step.to_owned(),
            count,
            first: first.iter().map(|text| (*text).to_owned()).collect(),
            hash: String::new(),
            asks: true,
        };
        let all = [
            of("people", 2, &["b.xml: the file is empty", "c.xml: no people"]),
            of("grants", 3, &["b.xml: the file is empty", "c.xml: no grants"]),
        ];
        assert_eq!(
            StepWarnings::sentences(&all),
            [
                "2 warnings in `people`: b.xml: the file is empty; c.xml: no people",
                "3 warnings in `grants`: c.xml: no grants; 1 as above; and 1 more",
            ]
        );
    }

    #[test]
    fn f_311_a_file_without_records_is_one_of_them() {
        let note = json!({"file": "file_1", "name": "empty.csv", "message": "the file was read and has no entries"});
        let output =
            json!({"files_read": 1, "files_failed": 0, "file_notes": [note], "warning_count": 0});
        assert_eq!(warning_count(&output), 1);
        assert_eq!(
            warning_sentences(&output, 5),
            ["empty.csv: the file was read and has no entries"]
        );
    }

    #[test]
    fn f_311_each_warning_is_one_sentence_with_its_place() {
        let output = json!({
            "errors": [{"file": "file_1", "name": "b.xml", "code": "FILE_EMPTY", "message": "the file is empty"}],
            "files_failed": 1,
            "warnings": [
                {"name": "a.csv", "record": 0, "row": 2, "field": "amount", "message": "`$4` is not of type number"},
                {"name": "a.csv", "record": 2, "field": "amount", "message": "row 4: `x` is not of type number"},
                {"record": 6, "field": "amount", "message": "`x` is not of type number"},
                "page 2 could not be read",
            ],
            "warning_count": 40,
        });
        assert_eq!(warning_count(&output), 41);
        assert_eq!(
            warning_sentences(&output, 9),
            [
                "b.xml: the file is empty",
                "a.csv, row 2, `amount`: `$4` is not of type number",
                "a.csv, `amount`: row 4: `x` is not of type number",
                "record 7, `amount`: `x` is not of type number",
                "page 2 could not be read",
            ]
        );
    }

    #[test]
    fn f_311_nothing_unread_is_no_warning() {
        for output in
            [json!({}), json!({"warnings": [], "errors": [], "files_failed": 0}), json!(3)]
        {
            assert_eq!(warning_count(&output), 0, "{output}");
        }
    }

    #[test]
    fn f_311_a_long_sentence_is_cut_with_a_mark() {
        let output = json!({"warnings": ["é".repeat(400)]});
        let found = warning_sentences(&output, 1);
        assert_eq!(found[0].chars().count(), MAX_LENGTH);
        assert!(found[0].ends_with('…'));
    }
}
