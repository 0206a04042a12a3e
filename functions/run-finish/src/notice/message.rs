//! The text of the notification: what happened, what people must see to, how the answer begins, what they decided, and what was not
//! written.
//!
//! It is part of one item of a table, and what it is made of may be long: so each list has its latest or first entries and the
//! number of the others, and the whole is bounded. What is left out stands in the record of the run.

use countersign_approval::{ApprovalRecord, MAX_NOTE};
use countersign_failure::beginning as cut;
use countersign_run::{
    Response, RoutedOutput, RunState, StepStatus, StepWarnings, Stop, attempt_in_words,
};

use super::counted;
use crate::Done;

/// Requests, destinations and steps of each kind that are told one by one.
const MAX_ROWS: usize = 20;

/// Notes are whole while all of them together have no more bytes than this; else each has so many characters.
const MAX_NOTES: usize = 32 * 1024;
const SHORT_NOTE: usize = 200;

/// The characters of what is said of one step with an unknown outcome.
const MAX_SENTENCE: usize = 1_000;

/// The bytes of the whole text. An item of the table has at most 400 KB, and a page of notifications has many of them.
const MAX_BYTES: usize = 64 * 1024;

/// What a text ends with that does not have everything.
const SHORTENED: &str = " This notice is shortened; the record of the run has all of it.";

/// A notification shows at most so many lines of the answer, and so many characters of them.
const MAX_LINES: usize = 5;
const MAX_BEGINNING: usize = 500;

/// Steps with warnings that a notification names.
const MAX_WARNED: usize = 5;

/// A text, and whether something was left out of it.
#[derive(Default)]
struct Told {
    text: String,
    is_shortened: bool,
}

impl Told {
    fn say(&mut self, sentence: &str) {
        self.text.push(' ');
        self.text.push_str(sentence);
    }

    /// Says how many more there are of something, if there are any.
    fn more(&mut self, what: &str, all: usize) {
        if let Some(more) = all.checked_sub(MAX_ROWS).filter(|more| *more > 0) {
            self.say(&format!("{what}: {more}."));
            self.is_shortened = true;
        }
    }

    /// The text within its bound.
    fn bounded(mut self) -> String {
        if self.text.len() > MAX_BYTES {
            let end = self.text.floor_char_boundary(MAX_BYTES);
            self.text.truncate(end);
            self.text.push('…');
            self.is_shortened = true;
        }
        if self.is_shortened {
            self.text.push_str(SHORTENED);
        }
        self.text
    }
}

/// What happened, what is to be seen to, how the answer begins, and what people decided, with their notes: one sentence per request.
pub(super) fn message(done: &Done<'_>) -> String {
    let mut told = Told { text: done_steps(done), ..Told::default() };
    told.text.push_str(&failed(done.state, done.head.stop.as_ref()));
    to_be_seen_to(done, &mut told);
    told.text.push_str(&warned(&done.head.warnings));
    told.text.push_str(&done.response.map(gave_back).unwrap_or_default());
    decisions(done.approvals, &mut told);
    not_written(done.written, &mut told);
    if let Some(occasion) = done.occasion {
        told.say(&occasion.sentence());
    }
    told.bounded()
}

/// What somebody has to do something about: items that are parked, and steps with an unknown outcome. It comes before whatever may
/// be long.
fn to_be_seen_to(done: &Done<'_>, told: &mut Told) {
    if let Some(items) = done.parked {
        told.say(&format!(
            "{items} items are parked: nothing processes what this run was to; see the monitor."
        ));
    }
    for sentence in done.unknown().filter_map(|step| step.message.as_deref()).take(MAX_ROWS) {
        told.is_shortened |= sentence.chars().nth(MAX_SENTENCE).is_some();
        told.say(&cut(sentence, MAX_SENTENCE));
    }
    told.more("Further steps with an unknown outcome", done.unknown().count());
}

/// How many steps were done and skipped, of which attempt.
fn done_steps(done: &Done<'_>) -> String {
    let (good, skipped, all) = counted(done);
    let mut text = match done.head.attempt_of_occurrence().map(attempt_in_words) {
        Some(attempt) => format!("{good} of {all} steps of the {attempt} were done"),
        None => format!("{good} of {all} steps were done"),
    };
    if skipped > 0 {
        text.push_str(&format!(", {skipped} skipped"));
    }
    text.push('.');
    text
}

/// What became of the requests; of many the latest, which decided.
fn decisions(records: &[ApprovalRecord], told: &mut Told) {
    told.more("Earlier requests for approval", records.len());
    let latest = &records[records.len().saturating_sub(MAX_ROWS)..];
    let decisions = latest.iter().flat_map(|record| &record.decisions);
    let notes = || decisions.clone().filter_map(|decision| decision.note.as_deref());
    let limit =
        if notes().map(str::len).sum::<usize>() > MAX_NOTES { SHORT_NOTE } else { MAX_NOTE };
    told.is_shortened |= notes().any(|note| note.chars().nth(limit).is_some());
    for record in latest {
        told.say(&format!("{}.", record.sentence(limit)));
        if record.was_skipped() {
            told.say("The run went on without the steps behind it.");
        }
    }
}

/// The destinations that were not reached.
fn not_written(rows: &[RoutedOutput], told: &mut Told) {
    let failed = || rows.iter().filter(|row| row.is_failed());
    for row in failed().take(MAX_ROWS) {
        told.say(&format!("Not written: {}.", row.sentence()));
    }
    told.more("Further destinations that were not written", failed().count());
}

/// Why the first step that failed did, or why the run could not begin.
fn failed(state: &RunState, stop: Option<&Stop>) -> String {
    let mut steps = state.steps.iter().filter(|(_, step)| step.status == StepStatus::Failed);
    let Some((name, step)) = steps.next() else {
        let broken = stop.and_then(Stop::broken);
        return broken.map_or_else(String::new, |why| format!(" It could not go on: {why}."));
    };
    let reason = match (&step.message, &step.code) {
        (Some(message), code) => {
            let message = beginning(message.trim_end_matches('.'), trimmed);
            code.as_ref().map_or_else(|| message.clone(), |code| format!("{message} ({code})"))
        }
        (None, code) => code.clone().unwrap_or_else(|| "no reason is known".to_owned()),
    };
    format!(" `{name}` failed: {reason}.")
}

/// That what it is based on may not be whole, or is a model's.
fn warned(warnings: &[StepWarnings]) -> String {
    let titles: Vec<String> = warnings.iter().take(MAX_WARNED).map(StepWarnings::title).collect();
    match warnings.len().saturating_sub(MAX_WARNED) {
        0 if titles.is_empty() => String::new(),
        0 => format!(" With {}.", titles.join(", ")),
        more => format!(" With {}, and warnings in {more} more steps.", titles.join(", ")),
    }
}

/// Where the results are, the entities, and how the answer begins.
fn gave_back(response: &Response) -> String {
    let mut text = String::new();
    let done = response.outputs.iter().filter(|row| row.status == "success");
    let written: Vec<&str> = done.map(|row| row.destination.as_str()).collect();
    if !written.is_empty() {
        text.push_str(&format!(" Written: {}.", counted_kinds(&written)));
    }
    if response.entities > 0 {
        let (all, new) = (response.entities, response.new_entities);
        text.push_str(&format!(" Entities resolved: {all}, new: {new}."));
    }
    text.push_str(&the_answer(response));
    text
}

/// Each kind of destination once, with how many there are of it: `document, data_workspace_table (3)`.
fn counted_kinds(written: &[&str]) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for one in written {
        match kinds.iter_mut().find(|(kind, _)| kind == one) {
            Some((_, count)) => *count += 1,
            None => kinds.push((one, 1)),
        }
    }
    let kind = |(kind, count): &(&str, usize)| match count {
        1 => (*kind).to_owned(),
        many => format!("{kind} ({many})"),
    };
    kinds.iter().map(kind).collect::<Vec<_>>().join(", ")
}

/// How the answer begins, as a sentence; empty when there is none.
pub(super) fn the_answer(response: &Response) -> String {
    let plain: fn(&str) -> Option<String> = match response.format.as_str() {
        "markdown" => countersign_report::plain::line,
        _ => trimmed,
    };
    let content = response.content.as_deref();
    let beginning = content.map(|content| beginning(content, plain)).unwrap_or_default();
    if beginning.is_empty() { String::new() } else { format!(" The answer: {beginning}") }
}

/// A line that is not empty.
fn trimmed(line: &str) -> Option<String> {
    Some(line.trim().to_owned()).filter(|line| !line.is_empty())
}

/// The first lines of a text, without what the report adds at its end; `plain` says how a line is shown.
fn beginning(content: &str, plain: fn(&str) -> Option<String>) -> String {
    let lines = content.lines().take_while(|line| line.trim() != "---");
    let mut lines = lines.filter_map(plain);
    let text = lines.by_ref().take(MAX_LINES).collect::<Vec<_>>().join("\n");
    match text.char_indices().nth(MAX_BEGINNING) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None if lines.next().is_some() => format!("{text}\n…"),
        None => text,
    }
}

#[cfg(test)]
mod tests;
