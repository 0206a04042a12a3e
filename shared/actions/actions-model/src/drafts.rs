//! Showing an answer while a model writes it.
//!
//! The answer itself does not depend on it: what cannot be shown is not shown, and the turn goes on.

use std::collections::BTreeMap;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use countersign_registry::action::Call;
use countersign_registry::{DataType, OutputSchema};
use countersign_run::Draft;
use futures::future::BoxFuture;
use jiff::Timestamp;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, timeout_at};

/// The shortest time between two looks at an answer; a long one is looked at less often, because all of it is written each time.
const SHORTEST: Duration = Duration::from_millis(250);
/// So many bytes of an answer make that time longer by itself.
const LONGER_BY: usize = 4 * 1024;

/// An answer that is whole after this time is not shown in parts: nobody could read them.
const AT_ONCE: Duration = Duration::from_millis(25);

/// The longest answer that is shown, bytes as they come; what is written after that is not shown.
const MAX_SHOWN: usize = 64 * 1024;

/// An answer so short is looked at whenever something comes: its first word is shown at once.
const SHORT: usize = 512;

/// The longest end of a text that means nothing by itself: two escapes of a character, but for the last digit.
const LONGEST_ESCAPE: usize = 11;

/// What became of a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// It is shown.
    Shown,
    /// It is not shown, or not everywhere: it is written again.
    Not,
    /// It is not shown any more.
    Over,
    /// The run was cancelled: nobody waits for the answer.
    Cancelled,
}

/// How it ends that an answer is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FollowEnd {
    /// Nothing more is shown.
    Over,
    /// Nobody waits for the answer.
    Cancelled,
}

/// Where an answer is shown while it is written.
pub trait Drafts: Send + Sync {
    /// What has been written so far, in place of what was shown `before`.
    fn write<'a>(
        &'a self,
        call: &'a Call,
        draft: &'a Draft,
        before: &'a BTreeMap<String, String>,
    ) -> BoxFuture<'a, Written>;
}

/// The fields of an answer that are shown: its own texts. None of a step over a list, which has many answers at once.
pub(crate) fn shown_fields(call: &Call, schema: &OutputSchema) -> Vec<String> {
    let DataType::Record(fields) = schema.data_type() else { return Vec::new() };
    let texts = fields.into_iter().filter(|field| field.data_type == DataType::String);
    texts.map(|field| field.name).filter(|_| !call.is_for_each_item).collect()
}

/// An answer that is followed.
pub(crate) struct Followed<'f> {
    pub(crate) drafts: &'f dyn Drafts,
    pub(crate) call: &'f Call,
    pub(crate) turn: u32,
    /// The fields that are shown.
    pub(crate) fields: &'f [String],
    /// Set as soon as something may have been shown.
    pub(crate) is_shown: &'f AtomicBool,
}

impl Followed<'_> {
    /// Shows the answer while its parts come. It may be stopped anywhere.
    pub(crate) async fn follow(&self, mut parts: UnboundedReceiver<String>) -> FollowEnd {
        let mut answer = String::new();
        let mut shown = BTreeMap::new();
        let mut is_first = true;
        while let Some(part) = parts.recv().await {
            answer.push_str(&part);
            if mem::take(&mut is_first) && !gather(&mut parts, &mut answer, AT_ONCE).await {
                return FollowEnd::Over;
            }
            loop {
                let seen = answer.len();
                let written = match seen > MAX_SHOWN {
                    true => Written::Over,
                    false => self.show(&answer, &mut shown).await,
                };
                let is_shown = match written {
                    Written::Over => return FollowEnd::Over,
                    Written::Cancelled => return FollowEnd::Cancelled,
                    Written::Shown => true,
                    Written::Not => false,
                };
                if is_shown && shown.is_empty() && seen < SHORT {
                    break;
                }
                if !gather(&mut parts, &mut answer, pause(seen)).await {
                    return FollowEnd::Over;
                }
                if is_shown && answer.len() == seen {
                    break;
                }
            }
        }
        FollowEnd::Over
    }

    /// Shows what is new.
    async fn show(&self, answer: &str, shown: &mut BTreeMap<String, String>) -> Written {
        let texts = texts(answer, self.fields);
        if texts == *shown {
            return Written::Shown;
        }
        let (step, at) = (self.call.step.clone(), Timestamp::now());
        let draft = Draft { step, turn: self.turn, at, texts };
        self.is_shown.store(true, Ordering::Relaxed);
        let written = self.drafts.write(self.call, &draft, shown).await;
        if written == Written::Shown {
            *shown = draft.texts;
        }
        written
    }
}

fn pause(length: usize) -> Duration {
    let times = u32::try_from(1 + length / LONGER_BY).unwrap_or(u32::MAX);
    SHORTEST.saturating_mul(times)
}

/// Adds the parts that come within this time; says whether more can come.
async fn gather(
    parts: &mut UnboundedReceiver<String>,
    answer: &mut String,
    within: Duration,
) -> bool {
    let until = Instant::now() + within;
    loop {
        match timeout_at(until, parts.recv()).await {
            Ok(Some(part)) => answer.push_str(&part),
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

/// These fields of an answer, as far as it is written. What is no text is passed over.
fn texts(answer: &str, fields: &[String]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut rest = answer.split_once('{').map(|(_, rest)| rest);
    while let Some((name, value)) = rest.and_then(field) {
        let Some(written) = value.strip_prefix('"') else {
            rest = after_value(value);
            continue;
        };
        let (raw, after) = text(written);
        let text = fields.contains(&name).then(|| decoded(raw)).flatten();
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            found.insert(name, text);
        }
        rest = after;
    }
    found
}

/// The name of the next field of an object, and its value and what follows it.
fn field(rest: &str) -> Option<(String, &str)> {
    let rest = rest.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
    let (raw, rest) = text(rest.strip_prefix('"')?);
    let value = rest?.trim_start().strip_prefix(':')?;
    Some((decoded(raw)?, value.trim_start()))
}

/// A text after its opening quote, and what follows it; nothing follows one that is not complete.
fn text(rest: &str) -> (&str, Option<&str>) {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return (&rest[..at], Some(&rest[at + 1..])),
            _ => {}
        }
    }
    (rest, None)
}

/// What follows a value that is no text, when it is complete.
fn after_value(value: &str) -> Option<&str> {
    let (mut depth, mut rest) = (0_u32, value);
    loop {
        let at = rest.find(['"', '{', '[', '}', ']', ','])?;
        let after = &rest[at + 1..];
        match rest.as_bytes()[at] {
            b'"' => {
                rest = text(after).1?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            _ if depth == 0 => return Some(&rest[at..]),
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        rest = after;
    }
}

/// The text that is written so. Its end may be missing, and with it a part of an escape: of two of them at most.
fn decoded(raw: &str) -> Option<String> {
    let ends = (0..=LONGEST_ESCAPE).filter_map(|less| raw.len().checked_sub(less));
    let whole = ends.filter(|end| raw.is_char_boundary(*end));
    whole
        .map(|end| format!("\"{}\"", &raw[..end]))
        .find_map(|json| serde_json::from_str(&json).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn answer_of(written: &str) -> Option<String> {
        texts(written, &["answer".to_owned()]).remove("answer")
    }

    #[test]
    fn r_101_an_answer_is_shown_as_far_as_it_is_written() {
        for (written, expect) in [
            ("", None),
            ("{", None),
            (r#"{"ans"#, None),
            (r#"{"answer"#, None),
            (r#"{"answer": "#, None),
            (r#"{"answer": ""#, None),
            (r#"{"answer": "Two"#, Some("Two")),
            (r#"{"answer": "Two \"#, Some("Two ")),
            (r#"{"answer": "Two \n"#, Some("Two \n")),
            (r#"{"answer": "\u00e"#, None),
            (r#"{"answer": "Owl \ud83e\udd8"#, Some("Owl ")),
            (r#"{"answer": "Owl \ud83e\udd89"#, Some("Owl 🦉")),
            (r#"{"answer": "Two", "sou"#, Some("Two")),
            (r#"{"answer": "Two", "sources": [{"answer": "no"#, Some("Two")),
            (r#"{"sources": [{"answer": "no", "n": 1}, ["]"]], "answer": "Yes"#, Some("Yes")),
            (r#"{"n": 12, "is": true, "answer": "Yes"}"#, Some("Yes")),
            ("```json\n{ \"answer\" : \"Yes\" }\n```", Some("Yes")),
            (r#"{"answer": 12, "other": "x"}"#, None),
            (r#"{"answer": null"#, None),
            ("I cannot say.", None),
        ] {
            assert_eq!(answer_of(written).as_deref(), expect, "{written}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Whatever is shown of a beginning is a beginning of the text.
        #[test]
        fn r_101_what_is_shown_is_never_taken_back(answer in ".{0,60}", note in ".{0,20}", cut in 0_usize..400) {
            let whole = json!({ "found": [{ "answer": note }], "answer": answer, "note": note }).to_string();
            prop_assert_eq!(answer_of(&whole).unwrap_or_default(), answer.clone());
            let cut = whole.floor_char_boundary(cut.min(whole.len()));
            let shown = answer_of(&whole[..cut]).unwrap_or_default();
            prop_assert!(answer.starts_with(&shown), "{} of {}", shown, answer);
        }

        #[test]
        fn r_101_no_answer_is_too_strange_to_be_followed(answer in r#"[{}\[\]",:\\a1 u]{0,60}"#) {
            let _ = answer_of(&answer);
        }
    }
}
