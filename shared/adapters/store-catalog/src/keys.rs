//! The keys of the table; nobody else writes them.

use std::fmt;

use countersign_connector::ConnectorId;
use countersign_identity::UserId;
use countersign_monitor::MonitorId;
use countersign_profile::Handle;
use countersign_run::OccurrenceId;
use countersign_schedule::ScheduleId;
use countersign_store_kit::Key;
use jiff::Timestamp;

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
    (DUE.to_owned(), format!("{:012}#{schedule}", at.as_second()))
}

/// The index of what is due, and the end of what is due by this moment.
pub(crate) fn due_until(now: Timestamp) -> (String, String) {
    (DUE.to_owned(), format!("{:012}$", now.as_second()))
}

const DUE: &str = "DUE";

/// The partition of the index with the native schedules that are still to be set or removed.
pub(crate) const NATIVE: &str = "NATIVE";

pub(crate) fn native(owner: &UserId, id: &str) -> Key {
    Key::new(partition(Owner::User(owner)), format!("NATIVE#{id}"))
}

/// The partition of what is still to happen.
pub(crate) const OPEN_OCCURRENCES: &str = "OPEN#OCCURRENCES";

/// Where the last look at them stopped.
pub(crate) const OPEN_TURNS: &str = "OPEN#TURNS";

pub(crate) fn open_occurrence(id: &OccurrenceId) -> Key {
    Key::new(OPEN_OCCURRENCES, id.as_str())
}

/// The occurrences of one source, by time.
pub(crate) fn occurrences(owner: &UserId, source: &str) -> String {
    format!("OCCURRENCES#{owner}#{source}")
}

pub(crate) fn occurrence(owner: &UserId, id: &OccurrenceId) -> Key {
    Key::new(occurrences(owner, id.source()), id.stamp())
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

pub(crate) fn monitor_state(id: &MonitorId) -> Key {
    Key::new(monitor(id), "STATE")
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

/// The partition of the index with the clocks of all monitors that look.
pub(crate) const CLOCKS: &str = "MONITORS#CLOCKS";
