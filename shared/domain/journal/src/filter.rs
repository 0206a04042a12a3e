//! What is looked for in a journal (F-223).

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use strum::VariantNames as _;

use crate::entry::{Entry, Mention, TaskStatus};
use crate::error::JournalError;

/// Words that say nothing about an entry, so that a question works as a search.
const STOP_WORDS: [&str; 34] = [
    "a", "about", "all", "an", "and", "any", "are", "at", "by", "did", "do", "entries", "find",
    "for", "from", "has", "have", "in", "is", "it", "me", "of", "on", "or", "show", "that", "the",
    "to", "was", "we", "what", "when", "which", "with",
];

/// A search: everything given must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Words that must all occur.
    pub words: Vec<String>,
    /// The earliest time.
    pub from: Option<Timestamp>,
    /// The latest time.
    pub to: Option<Timestamp>,
    /// The key of a name that must be mentioned, see [`Mention::key`].
    pub entity: Option<String>,
    /// The status.
    pub status: Option<TaskStatus>,
    /// At most so many entries, 1 to 100.
    pub limit: usize,
}

impl Filter {
    /// Reads the inputs and params of `query_journal` (F-066), or the query string of the REST door.
    ///
    /// # Errors
    /// [`JournalError::Invalid`] names the first argument that is not what it must be.
    pub fn read(arguments: &Map<String, Value>) -> Result<Self, JournalError> {
        let text = |name: &str| {
            arguments
                .get(name)
                .and_then(Value::as_str)
                .map(str::trim)
                .filter(|text| !text.is_empty())
        };
        let status = text("status").map(status).transpose()?;
        let filter = Self {
            words: text("query").map(Self::words).unwrap_or_default(),
            from: text("date_from").map(|date| moment("date_from", date, false)).transpose()?,
            to: text("date_to").map(|date| moment("date_to", date, true)).transpose()?,
            entity: text("entity_name").map(Mention::key).filter(|key| !key.is_empty()),
            status,
            limit: limit(arguments.get("limit"))?,
        };
        match (filter.from, filter.to) {
            (Some(from), Some(to)) if from > to => Err(JournalError::Invalid {
                name: "date_to",
                problem: "is before `date_from`".to_owned(),
            }),
            _ => Ok(filter),
        }
    }

    /// The words of a question that an entry must contain, without those that say nothing.
    #[must_use]
    pub fn words(query: &str) -> Vec<String> {
        let lower = query.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let words = words.filter(|word| !STOP_WORDS.contains(word));
        words.take(20).map(str::to_owned).collect()
    }

    /// Whether an entry is looked for.
    #[must_use]
    pub fn matches(&self, entry: &Entry) -> bool {
        let named = |key: &String| {
            mentions(entry).any(|mention| Mention::key(&mention.name).contains(key.as_str()))
        };
        self.from.is_none_or(|from| entry.created_at >= from)
            && self.to.is_none_or(|to| entry.created_at <= to)
            && self.status.is_none_or(|status| entry.task_status == status)
            && self.entity.as_ref().is_none_or(named)
            && self.contains_words(entry)
    }

    fn contains_words(&self, entry: &Entry) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let mut text = entry.summary.to_lowercase();
        let notes = entry.detail_entries.iter().flat_map(|note| [&note.action, &note.result]);
        let outputs = entry
            .outputs_produced
            .iter()
            .flat_map(|output| output.path.iter().chain(&output.table));
        let names = mentions(entry).map(|mention| &mention.name);
        for part in notes
            .chain(outputs)
            .chain(names)
            .chain(&entry.steps_completed)
            .chain(&entry.error_summary)
        {
            text.push('\n');
            text.push_str(&part.to_lowercase());
        }
        self.words.iter().all(|word| text.contains(word.as_str()))
    }
}

fn mentions(entry: &Entry) -> impl Iterator<Item = &Mention> {
    entry.entities_mentioned.iter().chain(&entry.entities_discovered)
}

fn status(word: &str) -> Result<TaskStatus, JournalError> {
    word.parse().map_err(|_| JournalError::Invalid {
        name: "status",
        problem: format!("is not one of {}", TaskStatus::VARIANTS.join(", ")),
    })
}

/// A day, whose beginning or end is meant, or a time.
fn moment(name: &'static str, text: &str, end: bool) -> Result<Timestamp, JournalError> {
    let day = text.parse::<Date>().ok().filter(|_| text.len() == 10);
    let time = match day {
        None => text.parse::<Timestamp>().ok(),
        Some(day) if end => {
            day.tomorrow().ok().and_then(|next| next.to_zoned(TimeZone::UTC).ok()).map(|next| {
                next.timestamp()
                    .saturating_sub(jiff::SignedDuration::from_nanos(1))
                    .unwrap_or(Timestamp::MAX)
            })
        }
        Some(day) => day.to_zoned(TimeZone::UTC).ok().map(|start| start.timestamp()),
    };
    time.ok_or_else(|| JournalError::Invalid {
        name,
        problem: "must be a day `yyyy-mm-dd` or a time in RFC 3339".to_owned(),
    })
}

fn limit(value: Option<&Value>) -> Result<usize, JournalError> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(20) };
    let number = value
        .as_u64()
        .and_then(|number| usize::try_from(number).ok())
        .filter(|number| (1..=100).contains(number));
    number.ok_or_else(|| JournalError::Invalid {
        name: "limit",
        problem: "must be a whole number from 1 to 100".to_owned(),
    })
}
