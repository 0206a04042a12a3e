//! Occurrences: that a schedule was due, or something else asked for a run without a person, and what became of it.

use std::fmt;

use countersign_identity::UserId;
use countersign_ids::derived;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{Ancestry, RunId, RunStatus, TriggeredBy};

/// `{source}-{yyyymmddThhmmssZ}`: the id of what was due, and when. A due time has one occurrence, whoever notices it. What
/// fires a trigger may come twice in a second: its occurrence has a third part, sixteen hex digits: the microseconds, so that events
/// of one second are in the order of their times, and what follows from the event. In ids of earlier releases all of them do.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct OccurrenceId(String);

/// How the time is written.
const STAMP: &str = "%Y%m%dT%H%M%SZ";

/// A text that names no occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "an occurrence is named `{{source}}-{{yyyymmddThhmmssZ}}`, such as `sched_…-20261124T060000Z`; one of a trigger has sixteen hex digits behind that"
)]
pub struct InvalidOccurrence;

impl OccurrenceId {
    /// The occurrence of what has this id, at this time.
    #[must_use]
    pub fn new(source: &str, due: Timestamp) -> Self {
        Self(format!("{source}-{}", due.to_zoned(TimeZone::UTC).strftime(STAMP)))
    }

    /// The occurrence of what has this id and was fired by an event at this time. `event` is what makes the event one: whoever
    /// reports it again names the same.
    #[must_use]
    pub fn of_event(source: &str, at: Timestamp, event: &str) -> Self {
        let digest = Sha256::digest(format!("countersign/event\0{source}\0{event}"));
        let digest = hex::encode(&digest[..6]);
        let micros = at.as_microsecond().rem_euclid(1_000_000);
        let Self(id) = Self::new(source, at);
        Self(format!("{id}-{micros:05x}{}", &digest[..11]))
    }

    /// Reads an id.
    ///
    /// # Errors
    /// [`InvalidOccurrence`].
    pub fn parse(text: &str) -> Result<Self, InvalidOccurrence> {
        let (source, place) = text.split_once('-').ok_or(InvalidOccurrence)?;
        let (prefix, id) = source.split_once('_').ok_or(InvalidOccurrence)?;
        let is_prefix =
            (1..=12).contains(&prefix.len()) && prefix.bytes().all(|b| b.is_ascii_lowercase());
        let (stamp, event) = place.split_once('-').map_or((place, None), |(a, b)| (a, Some(b)));
        let is_event = event.is_none_or(|event| is_hex(event, 16));
        let due = moment(stamp).ok_or(InvalidOccurrence)?;
        let Self(same) = Self::new(source, due);
        let is_same =
            text.strip_prefix(&same).is_some_and(|rest| rest.is_empty() == event.is_none());
        if is_prefix && is_hex(id, 32) && is_event && is_same {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidOccurrence)
        }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What was due.
    #[must_use]
    pub fn source(&self) -> &str {
        self.0.split_once('-').map_or("", |(source, _)| source)
    }

    /// The time as it is written, and behind it what tells two events of one second apart: sorted as text it is sorted by time.
    #[must_use]
    pub fn place(&self) -> &str {
        self.0.split_once('-').map_or("", |(_, place)| place)
    }

    /// The run of this occurrence: the first is 0, its repetitions follow. The same whoever starts it.
    #[must_use]
    pub fn run(&self, n: usize) -> RunId {
        RunId::from_bytes(derived(&format!("countersign/occurrence\0{self}\0{n}"), &[]))
    }
}

fn is_hex(text: &str, digits: usize) -> bool {
    let is_digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    text.len() == digits && text.bytes().all(is_digit)
}

fn moment(stamp: &str) -> Option<Timestamp> {
    let local = jiff::civil::DateTime::strptime(STAMP, stamp).ok()?;
    TimeZone::UTC.to_timestamp(local).ok()
}

impl fmt::Display for OccurrenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for OccurrenceId {
    type Error = InvalidOccurrence;

    fn try_from(text: String) -> Result<Self, InvalidOccurrence> {
        Self::parse(&text)
    }
}

impl From<OccurrenceId> for String {
    fn from(id: OccurrenceId) -> Self {
        id.0
    }
}

/// What asked for a run.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum OccurrenceSource {
    /// A schedule.
    Schedule,
    /// A monitor.
    Monitor,
    /// A trigger: a call from outside, a file that arrived, the end of another run.
    Trigger,
}

impl OccurrenceSource {
    /// The word of the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How far an occurrence is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum OccurrenceState {
    /// It was noticed, and its run is about to start.
    Due,
    /// It waits for the run before it.
    Queued,
    /// Its run goes on, or waits for people.
    Started,
    /// No run was to be: the reason says why.
    Skipped,
    /// No run could be, and it is too late.
    Missed,
    /// Its run is over.
    Finished,
}

impl OccurrenceState {
    /// Whether nothing more will happen.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Skipped | Self::Missed | Self::Finished)
    }

    /// The word of the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The code of a reason: the runs that its owner may start in a day are used up.
pub const QUOTA_EXCEEDED: &str = "QUOTA_EXCEEDED";

/// Why there is no run, or why it has to wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OccurrenceReason {
    /// Stable, such as `OVERLAP` or `PROFILE_INACTIVE`.
    pub code: String,
    /// For people.
    pub message: String,
}

/// That something was due, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Occurrence {
    /// What and when.
    pub id: OccurrenceId,
    /// Whose.
    pub owner: UserId,
    /// What asked.
    pub source: OccurrenceSource,
    /// Its id.
    pub source_id: String,
    /// Its name when it was due.
    pub name: String,
    /// The agent.
    pub profile_id: String,
    /// When it was due.
    pub due_at: Timestamp,
    /// When that was noticed.
    pub noticed_at: Timestamp,
    /// Who asked for it before its time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<UserId>,
    /// What fired it, when it is a trigger's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fired_by: Option<TriggeredBy>,
    /// The triggers and monitors that led to it, the first one in front: it was fired by a run that one of them had started, or
    /// found what such a run had put into the graph. Of several ways the longest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<String>,
    /// Those on other ways.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// How far it is.
    pub state: OccurrenceState,
    /// Why there is no run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<OccurrenceReason>,
    /// Its run and the repetitions of that, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunId>,
    /// How its last run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<RunStatus>,
    /// When it came to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// How often a run that failed may be repeated.
    pub max_retries: u32,
    /// How long a run may work, in seconds.
    pub timeout_seconds: u32,
    /// Raised by every change.
    pub version: u64,
}

impl Occurrence {
    /// What was due then and is noticed now, of this source: nothing has come of it, and nothing else is known of it.
    #[must_use]
    pub fn noticed(
        id: OccurrenceId,
        owner: UserId,
        (source, source_id): (OccurrenceSource, &str),
        (due_at, noticed_at): (Timestamp, Timestamp),
    ) -> Self {
        Self {
            id,
            owner,
            source,
            source_id: source_id.to_owned(),
            name: String::new(),
            profile_id: String::new(),
            due_at,
            noticed_at,
            asked_by: None,
            fired_by: None,
            chain: Vec::new(),
            others: Vec::new(),
            state: OccurrenceState::Due,
            reason: None,
            runs: Vec::new(),
            status: None,
            finished_at: None,
            max_retries: 0,
            timeout_seconds: 0,
            version: 1,
        }
    }

    /// What led to whatever its run leads to. Schedules are not in it: nothing fires a due time.
    #[must_use]
    pub fn leads_on(&self) -> Ancestry {
        let own = (self.source != OccurrenceSource::Schedule).then(|| self.source_id.clone());
        let chain = self.chain.iter().cloned().chain(own).collect();
        Ancestry { chain, others: self.others.clone() }
    }

    /// Whether it was skipped with this code.
    #[must_use]
    pub fn is_skipped_for(&self, code: &str) -> bool {
        let reason = self.reason.as_ref().filter(|_| self.state == OccurrenceState::Skipped);
        reason.is_some_and(|reason| reason.code == code)
    }

    /// Whether it is at its end, and no run came of it.
    #[must_use]
    pub fn came_to_nothing(&self) -> bool {
        let is_left_out = matches!(self.state, OccurrenceState::Skipped | OccurrenceState::Missed);
        is_left_out && self.runs.is_empty()
    }

    /// Whether it waits until its owner may start runs again: the quota of the day is used up.
    #[must_use]
    pub fn waits_for_quota(&self) -> bool {
        let reason = self.reason.as_ref().filter(|_| self.state == OccurrenceState::Queued);
        reason.is_some_and(|reason| reason.code == QUOTA_EXCEEDED)
    }

    /// Whether whoever reported what fired it can still be told to report it again: the sender of a webhook, as long as the
    /// message was not answered. Everything else is reported once.
    #[must_use]
    pub fn may_come_again(&self, now: Timestamp) -> bool {
        let is_unanswered = self.state == OccurrenceState::Due && self.noticed_at == now;
        is_unanswered && matches!(self.fired_by, Some(TriggeredBy::Webhook { .. }))
    }

    /// Whether it was skipped because its trigger would fire itself.
    #[must_use]
    pub fn is_looped(&self) -> bool {
        self.is_skipped_for("TRIGGER_LOOP")
    }

    /// Whether it came to no run, and its owner neither asked for that nor was there to see it: they are to be told.
    #[must_use]
    pub fn is_left_out(&self) -> bool {
        /// Their owner has written so, or has taken away what it belonged to.
        const WANTED: [&str; 7] = [
            "OVERLAP",
            "WEBHOOK_KEY_REMOVED",
            "SCHEDULE_DISABLED",
            "TRIGGER_INACTIVE",
            "SCHEDULE_REMOVED",
            "TRIGGER_REMOVED",
            "PROFILE_REMOVED",
        ];
        let is_wanted = WANTED.iter().any(|code| self.is_skipped_for(code));
        let is_over = matches!(self.state, OccurrenceState::Skipped | OccurrenceState::Missed);
        is_over && !is_wanted && self.asked_by.is_none()
    }

    /// Whether its run failed and was to be tried again, and that could not be: no mail has told of the attempts before.
    #[must_use]
    pub fn is_given_up(&self) -> bool {
        let is_failed = self.status == Some(RunStatus::Error);
        self.state == OccurrenceState::Finished && is_failed && self.reason.is_some()
    }

    /// Whether those who listen are to hear what became of it: an alarm counts it, or its owner is told.
    #[must_use]
    pub fn is_to_be_said(&self) -> bool {
        let is_missed = self.state == OccurrenceState::Missed;
        is_missed || self.is_left_out() || self.is_looped() || self.is_given_up()
    }

    /// The next version, in a state of its own.
    #[must_use]
    pub fn moved(&self, state: OccurrenceState, now: Timestamp) -> Self {
        let finished_at = state.is_final().then_some(now);
        Self { state, finished_at, version: self.version + 1, ..self.clone() }
    }

    /// The next version, whose first run has begun.
    #[must_use]
    pub fn begun(&self, now: Timestamp) -> Self {
        let runs = vec![self.id.run(0)];
        Self { runs, reason: None, ..self.moved(OccurrenceState::Started, now) }
    }

    /// The next version, ended for this reason.
    #[must_use]
    pub fn ended(&self, state: OccurrenceState, code: &str, message: &str, now: Timestamp) -> Self {
        let reason = OccurrenceReason { code: code.to_owned(), message: message.to_owned() };
        Self { reason: Some(reason), ..self.moved(state, now) }
    }
}

#[cfg(test)]
mod tests;
