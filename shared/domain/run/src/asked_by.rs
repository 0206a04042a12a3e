//! What asked for a run without a person, for those who sign what it is about to do.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Fired, Head, Occurrence, OccurrenceSource};

/// Characters of a name that are kept: a sender chooses the names of files.
const MAX_NAME: usize = 200;

/// What asked for a run without a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedBy {
    /// What kind of thing.
    #[serde(rename = "type")]
    pub kind: AskedByKind,
    /// Its id: `trig_…`, `sched_…`, `mon_…`.
    pub id: String,
    /// What its owner calls it.
    pub name: String,
    /// The key that a webhook was signed with, the name of the file, or the run that ended and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// Whether its owner started it before its time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_by_hand: bool,
    /// Which run of the occurrence it is, from the second on: those before it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
}

/// What asks for runs without a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskedByKind {
    /// A schedule.
    Schedule,
    /// A monitor.
    Monitor,
    /// A trigger that a signed message has fired.
    Webhook,
    /// A trigger that a file of its owner has fired.
    File,
    /// A trigger that the end of another run has fired.
    Run,
}

impl AskedBy {
    /// What has left this occurrence.
    #[must_use]
    pub fn of(occurrence: &Occurrence) -> Self {
        let (kind, with) = match &occurrence.fired_by {
            Some(Fired::Webhook { key, .. }) => (AskedByKind::Webhook, key.clone()),
            Some(Fired::File { name, .. }) => (AskedByKind::File, Some(cut(name))),
            Some(Fired::After { run, status, .. }) => {
                (AskedByKind::Run, Some(format!("{run} as {}", status.as_str())))
            }
            None if occurrence.source == OccurrenceSource::Monitor => (AskedByKind::Monitor, None),
            None => (AskedByKind::Schedule, None),
        };
        let is_by_hand = occurrence.asked_by.is_some();
        let (id, name) = (occurrence.source_id.clone(), cut(&occurrence.name));
        Self { kind, id, name, with, is_by_hand, attempt: None }
    }

    /// The same of the run that has this head.
    #[must_use]
    pub fn for_run(self, head: &Head) -> Self {
        Self { attempt: head.attempt_of_occurrence(), ..self }
    }

    /// Its kind in words: `the webhook`.
    #[must_use]
    pub fn what(&self) -> &'static str {
        match self.kind {
            AskedByKind::Schedule => "the schedule",
            AskedByKind::Monitor => "the monitor",
            AskedByKind::Webhook => "the webhook",
            AskedByKind::File | AskedByKind::Run => "the trigger",
        }
    }

    /// What it was asked with, in words: `key hkey_…, second attempt`.
    #[must_use]
    pub fn detail(&self) -> Option<String> {
        self.with_attempt(self.asked_with())
    }

    fn with_attempt(&self, detail: Option<String>) -> Option<String> {
        let attempt = self.attempt.map(attempt_in_words);
        let parts: Vec<String> = detail.into_iter().chain(attempt).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    fn asked_with(&self) -> Option<String> {
        let with = self.with.as_ref();
        match self.kind {
            AskedByKind::Webhook => with.map(|key| format!("key {key}")),
            AskedByKind::File => with.map(|name| format!("file {name}")),
            AskedByKind::Run => with.map(|end| format!("end of {end}")),
            AskedByKind::Schedule | AskedByKind::Monitor => {
                self.is_by_hand.then(|| "started by hand".to_owned())
            }
        }
    }

    /// Who asks, for people: `the webhook "Invoices" (key hkey_…), for Ada`. Names are quoted, so that none of them ends its own
    /// quotation.
    #[must_use]
    pub fn sentence(&self, owner: &str) -> String {
        let quoted = |text: &str| Value::from(text).to_string();
        let detail = match (self.kind, &self.with) {
            (AskedByKind::File, Some(name)) => {
                Some(format!("the file {}, uploaded by {owner}", quoted(name)))
            }
            _ => self.asked_with(),
        };
        let detail = self.with_attempt(detail);
        let detail = detail.map_or_else(String::new, |detail| format!(" ({detail})"));
        format!("{} {}{detail}, for {owner}", self.what(), quoted(&self.name))
    }
}

/// `second attempt`, `third attempt`, … `attempt 11`.
#[must_use]
pub fn attempt_in_words(attempt: u32) -> String {
    const WORDS: [&str; 10] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
        "tenth",
    ];
    let place = attempt.checked_sub(1).and_then(|before| usize::try_from(before).ok());
    match place.and_then(|place| WORDS.get(place)) {
        Some(word) => format!("{word} attempt"),
        None => format!("attempt {attempt}"),
    }
}

fn cut(name: &str) -> String {
    match name.char_indices().nth(MAX_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: AskedByKind, with: Option<&str>, is_by_hand: bool, expect: &str) {
        let (id, name) = ("trig_1".to_owned(), "In \"voices".to_owned());
        let by =
            AskedBy { kind, id, name, with: with.map(str::to_owned), is_by_hand, attempt: None };
        assert_eq!(by.sentence("Ada"), expect);
        let kept = serde_json::to_string(&by).unwrap();
        assert_eq!(serde_json::from_str::<AskedBy>(&kept).unwrap(), by);
    }

    #[test]
    fn issue_14_whoever_signs_reads_what_has_asked() {
        let name = r#""In \"voices""#;
        let webhook = format!("the webhook {name} (key hkey_1), for Ada");
        check(AskedByKind::Webhook, Some("hkey_1"), false, &webhook);
        let early = format!("the webhook {name}, for Ada");
        check(AskedByKind::Webhook, None, false, &early);
        let file = format!(r#"the trigger {name} (the file "a\").pdf", uploaded by Ada), for Ada"#);
        check(AskedByKind::File, Some("a\").pdf"), false, &file);
        let run = format!("the trigger {name} (end of run_1 as complete), for Ada");
        check(AskedByKind::Run, Some("run_1 as complete"), false, &run);
        check(AskedByKind::Schedule, None, false, &format!("the schedule {name}, for Ada"));
        let by_hand = format!("the monitor {name} (started by hand), for Ada");
        check(AskedByKind::Monitor, None, true, &by_hand);
    }

    #[test]
    fn issue_14_a_second_attempt_says_so() {
        let (id, name, with) = ("trig_1".to_owned(), "In".to_owned(), Some("hkey_1".to_owned()));
        let by = AskedBy {
            kind: AskedByKind::Webhook,
            id,
            name,
            with,
            is_by_hand: false,
            attempt: Some(2),
        };
        assert_eq!(by.sentence("Ada"), r#"the webhook "In" (key hkey_1, second attempt), for Ada"#);
        let clock = AskedBy { kind: AskedByKind::Schedule, with: None, ..by };
        assert_eq!(clock.detail().as_deref(), Some("second attempt"));
        assert_eq!(attempt_in_words(10), "tenth attempt");
        assert_eq!(attempt_in_words(11), "attempt 11");
    }
}
