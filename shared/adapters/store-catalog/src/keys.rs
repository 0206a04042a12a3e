//! The keys of the table; nobody else writes them.

use std::fmt;

use countersign_connector::ConnectorId;
use countersign_identity::UserId;
use countersign_monitor::MonitorId;
use countersign_profile::Handle;
use countersign_run::OccurrenceId;
use countersign_schedule::ScheduleId;
use countersign_store_kit::Key;
use countersign_team::TeamId;
use countersign_trigger::TriggerId;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::Result;
use crate::collection::StoredDocument;
use crate::last_runs::Last;

/// Whose record: a user's, or the system's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner<'a> {
    User(&'a UserId),
    System,
}

impl<'a> Owner<'a> {
    pub(crate) fn of(user: Option<&'a UserId>) -> Self {
        user.map_or(Self::System, Self::User)
    }

    /// What `read` finds of this user, or else of the system.
    pub(crate) async fn own_or_system<T, F>(
        user: &'a UserId,
        read: impl Fn(Self) -> F,
    ) -> Result<Option<T>>
    where
        F: Future<Output = Result<Option<T>>>,
    {
        match read(Self::User(user)).await? {
            Some(own) => Ok(Some(own)),
            None => read(Self::System).await,
        }
    }
}

impl fmt::Display for Owner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(user) => write!(f, "{user}"),
            Self::System => f.write_str("system"),
        }
    }
}

pub(crate) fn partition(owner: Owner<'_>) -> String {
    format!("OWNER#{owner}")
}

pub(crate) fn document<T: StoredDocument>(owner: Owner<'_>, id: &T::Id) -> Key {
    Key::new(partition(owner), format!("{}#{id}", T::KEY))
}

pub(crate) fn handle(owner: Owner<'_>, handle: &Handle) -> Key {
    Key::new(partition(owner), format!("HANDLE#{handle}"))
}

/// What a playbook listens to.
pub(crate) fn triggers(owner: Owner<'_>, playbook: &str) -> Key {
    Key::new(partition(owner), format!("TRIGGERS#{playbook}"))
}

/// Every text a connector has had, by the moment it was written.
pub(crate) fn versions(owner: Owner<'_>, id: &ConnectorId) -> String {
    format!("VERSIONS#{owner}#{id}")
}

pub(crate) fn bound(owner: Owner<'_>, profile: &str) -> String {
    format!("BOUND#{owner}#{profile}")
}

pub(crate) fn binding(owner: Owner<'_>, profile: &str, connector: &ConnectorId) -> Key {
    Key::new(bound(owner, profile), format!("CONNECTOR#{connector}"))
}

/// The shares of a profile.
pub(crate) fn shares(profile: &str) -> String {
    format!("SHARES#{profile}")
}

pub(crate) fn share(profile: &str, team: &TeamId) -> Key {
    Key::new(shares(profile), format!("TEAM#{team}"))
}

/// The partition of the index with what is shared with a team.
pub(crate) fn shared_with(team: &TeamId) -> String {
    format!("TEAM#{team}#AGENTS")
}

/// What a person says of themselves.
pub(crate) fn about(owner: &UserId) -> Key {
    Key::new(partition(Owner::User(owner)), "ABOUT")
}

/// What was learned of a person; in a partition of its own, to which the end of a run may write.
pub(crate) fn learned(owner: &UserId) -> Key {
    Key::new(format!("LEARNED#{owner}"), "LEARNED")
}

pub(crate) fn replay(owner: &UserId, name: &str) -> Key {
    Key::new(format!("REPLAY#{owner}"), name)
}

/// When a schedule is due next.
pub(crate) fn due_next(owner: Owner<'_>, schedule: &ScheduleId) -> Key {
    Key::new(partition(owner), format!("DUE#{schedule}"))
}

/// How the last run of a source ended, and when one succeeded last.
pub(crate) fn last_run(owner: Owner<'_>, source: &str, which: Last) -> Key {
    Key::new(partition(owner), format!("{}#{source}", which.word()))
}

/// Where the index has a schedule that is due at this moment.
pub(crate) fn due_index(at: Timestamp, schedule: &ScheduleId) -> (String, String) {
    (part(DUE, schedule.as_str()), format!("{:012}#{schedule}", at.as_second()))
}

/// Every part of the index of what is due, and the end of what is due by this moment.
pub(crate) fn due_until(now: Timestamp) -> (Vec<String>, String) {
    (parts(DUE), format!("{:012}$", now.as_second()))
}

const DUE: &str = "DUE";

/// The partition of the index with the native schedules that are still to be set or removed.
pub(crate) const NATIVE: &str = "NATIVE";

pub(crate) fn native(owner: &UserId, id: &str) -> Key {
    Key::new(partition(Owner::User(owner)), format!("NATIVE#{id}"))
}

/// Sixteen parts of an index that has something of everybody: one partition takes a thousand writes a second.
const PARTS: &str = "0123456789abcdef";

/// The part of what has this id, which ends in a random hexadecimal digit.
fn part(index: &str, id: &str) -> String {
    let last = id.chars().next_back().filter(|last| PARTS.contains(*last));
    format!("{index}#{}", last.unwrap_or('0'))
}

/// Every part, and the whole that was written before there were parts.
fn parts(index: &str) -> Vec<String> {
    let parts = PARTS.chars().map(|part| format!("{index}#{part}"));
    parts.chain([index.to_owned()]).collect()
}

/// The partition of what is still to happen.
pub(crate) const OPEN_OCCURRENCES: &str = "OPEN#OCCURRENCES";

/// The partition of the index with those of them whose run has not begun. Earlier releases left the owner out of their places.
pub(crate) const WAITING_OCCURRENCES: &str = "OPEN#WAITING";

/// Where the last look at them stopped, and when that was.
pub(crate) const OPEN_TURNS: &str = "OPEN#TURNS";

pub(crate) fn open_occurrence(id: &OccurrenceId) -> Key {
    Key::new(OPEN_OCCURRENCES, id.as_str())
}

/// The partition of occurrences of which something is to be said that was not yet, as far as is known.
pub(crate) const UNSAID_OCCURRENCES: &str = "OCCURRENCES#UNSAID";

pub(crate) fn unsaid_occurrence(id: &OccurrenceId) -> Key {
    Key::new(UNSAID_OCCURRENCES, id.as_str())
}

/// Since when an occurrence that had its turn could not be begun.
pub(crate) fn unbegun(id: &OccurrenceId) -> Key {
    Key::new("OCCURRENCES#UNBEGUN", id.as_str())
}

/// The occurrences of one source, by time.
pub(crate) fn occurrences(owner: &UserId, source: &str) -> String {
    format!("OCCURRENCES#{owner}#{source}")
}

pub(crate) fn occurrence(owner: &UserId, id: &OccurrenceId) -> Key {
    Key::new(occurrences(owner, id.source()), id.place())
}

/// The partition of the index with all occurrences of an owner, by time.
pub(crate) fn occurrences_of(owner: &UserId) -> String {
    format!("OCCURRENCES#{owner}")
}

/// The partition of the index that lists documents of one kind with one property.
pub(crate) fn listed<T: StoredDocument>(owner: Owner<'_>, property: &str) -> String {
    format!("OWNER#{owner}#{}S#{property}", T::KEY)
}

/// Everything that belongs to a monitor beside what its owner wrote.
pub(crate) fn monitor(id: &MonitorId) -> String {
    format!("MONITOR#{id}")
}

/// Where a monitor stands, behind its watermarks.
pub(crate) const STATE: &str = "STATE";

pub(crate) fn monitor_state(id: &MonitorId) -> Key {
    Key::new(monitor(id), STATE)
}

pub(crate) fn monitor_clock(id: &MonitorId) -> Key {
    Key::new(monitor(id), "CLOCK")
}

pub(crate) fn watermark(id: &MonitorId, step: &str) -> Key {
    Key::new(monitor(id), format!("MARK#{step}"))
}

pub(crate) fn batch(id: &MonitorId, number: u64) -> Key {
    Key::new(monitor(id), format!("BATCH#{number:010}"))
}

/// The part of the index that has the clock of a monitor that looks.
pub(crate) fn clocks(id: &MonitorId) -> String {
    part(CLOCKS, id.as_str())
}

/// Every part of it.
pub(crate) fn all_clocks() -> Vec<String> {
    parts(CLOCKS)
}

const CLOCKS: &str = "MONITORS#CLOCKS";

/// Everything that belongs to a trigger beside what its owner wrote.
fn trigger(id: &str) -> String {
    format!("TRIGGER#{id}")
}

/// When the owner of a source was told that it does not work.
pub(crate) fn told(source: &str, kind: &str) -> Key {
    Key::new(format!("TOLD#{source}"), kind)
}

/// Whose an active webhook is.
pub(crate) fn hook(id: &TriggerId) -> Key {
    Key::new(trigger(id.as_str()), "HOOK")
}

pub(crate) fn hook_keys(id: &TriggerId) -> Key {
    Key::new(trigger(id.as_str()), "KEYS")
}

/// How many messages a webhook has taken in a minute.
pub(crate) fn hook_minute(id: &TriggerId, minute: i64) -> Key {
    Key::new(trigger(id.as_str()), format!("MINUTE#{minute}"))
}

/// Which occurrence of a trigger has the turn.
pub(crate) fn turn(id: &str) -> Key {
    Key::new(trigger(id), "TURN")
}

/// An event that has fired a trigger. Its name may be long, and is a stranger's.
pub(crate) fn event(id: &str, event: &str) -> Key {
    Key::new(trigger(id), format!("EVENT#{}", hex::encode(Sha256::digest(event))))
}

/// The partition of the active triggers that wait for files in a folder.
pub(crate) fn folder_listeners(owner: &UserId, folder: &str) -> String {
    format!("FILES#{owner}#{folder}")
}

/// The partition of the active triggers that wait for the end of a playbook's runs.
pub(crate) fn end_listeners(owner: &UserId, playbook: &str) -> String {
    format!("AFTER#{owner}#{playbook}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_003_whatever_is_written_to_a_part_is_looked_for() {
        let (due, end) = due_until(Timestamp::from_second(60).unwrap());
        for byte in 0..=255 {
            let (monitor, schedule) =
                (MonitorId::from_bytes([byte; 16]), ScheduleId::from_bytes([byte; 16]));
            assert!(all_clocks().contains(&clocks(&monitor)));
            let (part, at) = due_index(Timestamp::from_second(60).unwrap(), &schedule);
            assert!(due.contains(&part) && at < end, "{part} {at}");
        }
        assert!(due.contains(&"DUE".to_owned()), "what was written before there were parts");
        assert_eq!(due.len(), 17);
    }
}
