//! How far a reader is: what the id of an event says.
//!
//! The events of a run have no common order, since steps side by side write them at the same time. So an id names each event of the
//! last minute that was told, and the place in their order by time before which all were.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use countersign_run::{Draft, Event, EventKind};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// So much later than others an event may be written without being missed by somebody who comes back.
const LATE: SignedDuration = SignedDuration::from_secs(60);
/// The most events that an id names one by one.
const MAX_NAMED: usize = 400;
/// The most events that are told at once.
pub(crate) const MAX_NEWS: usize = 200;
/// The longest id that is read, in bytes.
const MAX_ID: usize = 12 * 1024;
/// Bytes of a hash in a mark.
const HASH: usize = 4;
/// Characters of the mark of an event: whether it is of a step or of the run, and a hash.
const MARK: usize = 1 + 2 * HASH;

/// An event in the order of time: of one time, those of steps before those of the run, and then by a hash.
type Place = (Timestamp, String);

/// What was told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Position {
    /// Everything before it, as an id has said.
    until: Option<Place>,
    /// The events that an id has named.
    named: BTreeSet<String>,
    /// Every event that was seen and is told.
    told: BTreeSet<Place>,
    /// By step, the beginnings of an answer that is being written.
    texts: BTreeMap<String, Written>,
    /// The end of the run.
    is_over: bool,
}

/// What was told of the answer of a step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    turn: u32,
    fields: BTreeMap<String, Beginning>,
}

/// The beginning of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Beginning {
    chars: usize,
    mark: String,
}

/// A part of a text that was not told yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) field: String,
    /// Characters of the text before it.
    pub(crate) from: usize,
    pub(crate) text: String,
}

/// A position as it is written in an id.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<Place>,
    /// The marks, one after the other.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    named: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    texts: BTreeMap<String, Written>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    over: bool,
}

impl Position {
    /// The position that an id says; none when the text is not an id.
    pub(crate) fn read(id: &str) -> Option<Self> {
        if id.len() > MAX_ID {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(id).ok()?;
        let wire: Wire = serde_json::from_slice(&bytes).ok()?;
        let marks = wire.named.as_bytes().chunks(MARK).map(str::from_utf8);
        let named: Result<BTreeSet<String>, _> =
            marks.map(|mark| mark.map(str::to_owned)).collect();
        let (named, texts) = (named.ok()?, wire.texts);
        Some(Self { until: wire.until, named, texts, is_over: wire.over, ..Self::default() })
    }

    /// Its id. Of the events that are told, the latest are named.
    pub(crate) fn id(&self) -> String {
        let latest = self.told.last().map(|(at, _)| at.saturating_sub(LATE));
        let late = latest.map(|late| late.unwrap_or(Timestamp::MIN));
        let is_late = |place: &&Place| late.is_some_and(|late| place.0 >= late);
        let named: Vec<&Place> =
            self.told.iter().rev().take(MAX_NAMED).take_while(is_late).collect();
        let until = match named.last() {
            Some(first) if named.len() == MAX_NAMED => Some((*first).clone()),
            _ => late.map(|late| (late, String::new())),
        };
        let mut marks: Vec<&str> = named.into_iter().map(|(_, mark)| mark.as_str()).collect();
        if self.told.is_empty() {
            // Nothing was looked at yet.
            marks.extend(self.named.iter().map(String::as_str));
        }
        let wire = Wire {
            until: until.max(self.until.clone()),
            named: marks.concat(),
            texts: self.texts.clone(),
            over: self.is_over,
        };
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(&wire).unwrap_or_default())
    }

    /// Whether the end of the run was told.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Notes that the end of the run is told.
    pub(crate) fn end(&mut self) {
        self.is_over = true;
    }

    /// The events that were not told yet, by time, at most [`MAX_NEWS`] of them; and whether these are all. The end of the run is the last,
    /// whatever its time.
    pub(crate) fn news<'e>(&mut self, events: &'e [Event]) -> (Vec<&'e Event>, bool) {
        let mut new = Vec::new();
        for event in events {
            if self.has(event) {
                self.told.insert(place(event));
            } else {
                new.push((is_end(event), place(event), event));
            }
        }
        new.sort_unstable_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        let are_all = new.len() <= MAX_NEWS;
        (new.into_iter().take(MAX_NEWS).map(|(_, _, event)| event).collect(), are_all)
    }

    fn has(&self, event: &Event) -> bool {
        if is_end(event) {
            return self.is_over;
        }
        let place = place(event);
        self.named.contains(&place.1)
            || self.until.as_ref().is_some_and(|until| place < *until)
            || self.told.contains(&place)
    }

    /// Notes that an event is told.
    pub(crate) fn tell(&mut self, event: &Event) {
        self.told.insert(place(event));
        match event.kind {
            EventKind::StepEnded { .. } => drop(self.texts.remove(&event.step)),
            EventKind::Finished { .. } => self.end(),
            _ => {}
        }
    }

    /// Whether parts of an answer of this step were told, and not its end.
    pub(crate) fn follows(&self, step: &str) -> bool {
        self.texts.contains_key(step)
    }

    /// The parts of a draft that were not told yet; they count as told from now on.
    pub(crate) fn parts(&mut self, draft: &Draft) -> Vec<Part> {
        let written = self.texts.entry(draft.step.clone()).or_default();
        if written.turn != draft.turn {
            *written = Written { turn: draft.turn, fields: BTreeMap::new() };
        }
        let texts = draft.texts.iter().map(|(field, text)| (field.as_str(), text.as_str()));
        texts.filter_map(|(field, text)| written.part(field, text)).collect()
    }

    /// What is left of the texts of a step that is over, as the fields of its output have them, and the turn that was told last.
    pub(crate) fn rest(&mut self, step: &str, output: &Value) -> (u32, Vec<Part>) {
        let Some(written) = self.texts.get_mut(step) else { return (0, Vec::new()) };
        let fields: Vec<String> = written.fields.keys().cloned().collect();
        let texts = fields.iter().filter_map(|field| Some((field, output.get(field)?.as_str()?)));
        (written.turn, texts.filter_map(|(field, text)| written.part(field, text)).collect())
    }
}

impl Written {
    /// The part of a field that was not told yet. A text that does not go on from what was told begins anew.
    fn part(&mut self, field: &str, text: &str) -> Option<Part> {
        let chars = text.chars().count();
        let before = self.fields.get(field);
        let from = before.map_or(0, |told| {
            let beginning: String = text.chars().take(told.chars).collect();
            let goes_on = told.chars <= chars && mark(&beginning) == told.mark;
            if goes_on { told.chars } else { 0 }
        });
        let is_news = from < chars || before.is_some_and(|told| from < told.chars);
        self.fields.insert(field.to_owned(), Beginning { chars, mark: mark(text) });
        let text: String = text.chars().skip(from).collect();
        is_news.then(|| Part { field: field.to_owned(), from, text })
    }
}

fn is_end(event: &Event) -> bool {
    matches!(event.kind, EventKind::Finished { .. })
}

/// The time is part of the mark: an event that is written again with other content has another time.
fn place(event: &Event) -> Place {
    let Event { step, attempt, n, at, .. } = event;
    let rank = if step.is_empty() { 'r' } else { 'a' };
    (*at, format!("{rank}{}", mark(&format!("{step}/{attempt}/{n}/{at}"))))
}

fn mark(of: &str) -> String {
    hex::encode(&Sha256::digest(of)[..HASH])
}

#[cfg(test)]
mod tests;
