//! What asked for a run without a person, for those who sign what it is about to do.

use countersign_failure::beginning;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Head, Occurrence, OccurrenceId, OccurrenceSource, TriggeredBy};

/// Characters of a name that are kept: a sender chooses the names of files.
const MAX_NAME: usize = 200;

/// What asked for a run without a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// The id of the occurrence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<OccurrenceId>,
    /// When it was due by a clock; of what a monitor has found, when that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    /// Which run of the occurrence it is, from the second on: those before it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
}

/// What asks for runs without a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
            Some(TriggeredBy::Webhook { key, .. }) => (AskedByKind::Webhook, key.clone()),
            Some(TriggeredBy::File { name, .. }) => (AskedByKind::File, Some(cut(name))),
            Some(TriggeredBy::After { run, status, .. }) => {
                (AskedByKind::Run, Some(format!("{run} as {}", status.as_str())))
            }
            None if occurrence.source == OccurrenceSource::Monitor => (AskedByKind::Monitor, None),
            None => (AskedByKind::Schedule, None),
        };
        let is_by_hand = occurrence.asked_by.is_some();
        let is_clocked = matches!(kind, AskedByKind::Schedule | AskedByKind::Monitor);
        Self {
            kind,
            id: occurrence.source_id.clone(),
            name: cut(&occurrence.name),
            with,
            is_by_hand,
            occurrence: Some(occurrence.id.clone()),
            due_at: is_clocked.then_some(occurrence.due_at),
            attempt: None,
        }
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

    /// What it was asked with, or when, in words: `key hkey_…, second attempt`.
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
            AskedByKind::Schedule | AskedByKind::Monitor if self.is_by_hand => {
                Some("started by hand".to_owned())
            }
            AskedByKind::Schedule => self.due_at.map(|at| format!("due {}", minute(at))),
            AskedByKind::Monitor => self.due_at.map(|at| format!("found {}", minute(at))),
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

/// A time for people, of a clock whose zone is not known here: `2026-11-24 06:00 UTC`.
fn minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

fn cut(name: &str) -> String {
    beginning(name, MAX_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(kind: AskedByKind, with: Option<&str>) -> AskedBy {
        AskedBy {
            kind,
            id: "trig_1".to_owned(),
            name: "In \"voices".to_owned(),
            with: with.map(str::to_owned),
            is_by_hand: false,
            occurrence: None,
            due_at: None,
            attempt: None,
        }
    }

    fn check(by: &AskedBy, expect: &str) {
        assert_eq!(by.sentence("Ada"), expect);
        let kept = serde_json::to_string(by).unwrap();
        assert_eq!(serde_json::from_str::<AskedBy>(&kept).unwrap(), *by);
    }

    #[test]
    fn issue_14_whoever_signs_reads_what_has_asked() {
        let name = r#""In \"voices""#;
        let webhook = format!("the webhook {name} (key hkey_1), for Ada");
        check(&asked(AskedByKind::Webhook, Some("hkey_1")), &webhook);
        let early = format!("the webhook {name}, for Ada");
        check(&asked(AskedByKind::Webhook, None), &early);
        let file = format!(r#"the trigger {name} (the file "a\").pdf", uploaded by Ada), for Ada"#);
        check(&asked(AskedByKind::File, Some("a\").pdf")), &file);
        let run = format!("the trigger {name} (end of run_1 as complete), for Ada");
        check(&asked(AskedByKind::Run, Some("run_1 as complete")), &run);
    }

    #[test]
    fn issue_14_whoever_signs_reads_which_due_time_has_asked() {
        let name = r#""In \"voices""#;
        let due_at = Timestamp::from_second(1_795_500_000).ok();
        let clock = AskedBy { due_at, ..asked(AskedByKind::Schedule, None) };
        check(&clock, &format!("the schedule {name} (due 2026-11-24 06:00 UTC), for Ada"));
        let second = AskedBy { attempt: Some(2), ..clock.clone() };
        assert_eq!(second.detail().as_deref(), Some("due 2026-11-24 06:00 UTC, second attempt"));
        let found = AskedBy { kind: AskedByKind::Monitor, ..clock };
        check(&found, &format!("the monitor {name} (found 2026-11-24 06:00 UTC), for Ada"));
        let by_hand = AskedBy { is_by_hand: true, ..found };
        check(&by_hand, &format!("the monitor {name} (started by hand), for Ada"));
        check(&asked(AskedByKind::Schedule, None), &format!("the schedule {name}, for Ada"));
    }

    #[test]
    fn issue_14_a_second_attempt_says_so() {
        let by = AskedBy { attempt: Some(2), ..asked(AskedByKind::Webhook, Some("hkey_1")) };
        let said = r#"the webhook "In \"voices" (key hkey_1, second attempt), for Ada"#;
        assert_eq!(by.sentence("Ada"), said);
        assert_eq!(attempt_in_words(10), "tenth attempt");
        assert_eq!(attempt_in_words(11), "attempt 11");
    }
}
