//! The entry of a monitor's look that has something to say by itself, and no run that would.

use countersign_identity::UserId;
use countersign_run::RunContext;
use jiff::Timestamp;

use crate::entry::{Entry, EntryId, JournalConfig, Origin, TaskStatus};

/// A look.
#[derive(Debug, Clone)]
pub struct Look<'a> {
    /// The monitor, `mon_…`.
    pub monitor: &'a str,
    /// Its owner.
    pub owner: &'a UserId,
    /// The profile, `prof_…`.
    pub profile_id: &'a str,
    /// A word for what it says: it says the same once at a time.
    pub what: &'static str,
    /// What it has to say.
    pub summary: String,
    /// Whether something of what it looks at is missing.
    pub is_partial: bool,
    /// When it looked.
    pub at: Timestamp,
}

/// The entry of a look; none when the profile does not want entries. It belongs to no run: `execution_id` is empty.
#[must_use]
pub fn look(of: &Look<'_>, config: &JournalConfig) -> Option<Entry> {
    config.auto_journal.then(|| Entry {
        id: EntryId::of_look(of.monitor, of.what, of.at),
        agent_profile_id: of.profile_id.to_owned(),
        user_id: of.owner.clone(),
        execution_id: String::new(),
        origin: Origin::Look,
        summary: of.summary.clone(),
        brief: None,
        detail_entries: Vec::new(),
        run_context: RunContext::Monitor,
        occurrence: None,
        invoked_by: of.owner.clone(),
        team_id: None,
        entities_mentioned: Vec::new(),
        steps_completed: Vec::new(),
        entities_discovered: Vec::new(),
        outputs_produced: Vec::new(),
        approvals: Vec::new(),
        task_status: if of.is_partial { TaskStatus::Partial } else { TaskStatus::Complete },
        error_summary: None,
        created_at: of.at,
        expires_at: config.expiry(of.at),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_a_look_says_a_thing_once_and_belongs_to_no_run() {
        let owner = UserId::from_bytes([1; 16]);
        let of = Look {
            monitor: "mon_1",
            owner: &owner,
            profile_id: "prof_1",
            what: "warnings",
            summary: "2 warnings".to_owned(),
            is_partial: true,
            at: Timestamp::UNIX_EPOCH,
        };
        let entry = look(&of, &JournalConfig::default()).unwrap();
        assert_eq!((entry.execution_id.as_str(), entry.task_status), ("", TaskStatus::Partial));
        assert_eq!(look(&of, &JournalConfig::default()), Some(entry.clone()));
        let other = Look { what: "steps", ..of.clone() };
        assert_ne!(look(&other, &JournalConfig::default()).unwrap().id, entry.id);
        let silent = JournalConfig { auto_journal: false, ..JournalConfig::default() };
        assert_eq!(look(&of, &silent), None);
    }
}
