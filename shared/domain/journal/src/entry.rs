//! One entry.

use countersign_approval::ApprovalRecord;
use countersign_document::Whole;
use countersign_identity::UserId;
use countersign_run::{OccurrenceId, RunContext, RunStatus};
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

countersign_ids::prefixed_id! {
    /// One journal entry.
    pub struct EntryId("jrnl");
}

impl EntryId {
    /// The entry a finished run writes by itself: the same for every attempt to write it.
    #[must_use]
    pub fn of_run(run: &str) -> Self {
        Self::derived(&["run", run])
    }

    /// The entry of a run that waits for this request.
    #[must_use]
    pub fn of_request(approval: &str) -> Self {
        Self::derived(&["request", approval])
    }

    /// The entry of one call of `write_journal_entry`.
    #[must_use]
    pub fn of_call(idempotency_key: &str) -> Self {
        Self::derived(&["call", idempotency_key])
    }

    /// The entry of what a monitor's look at this time has to say.
    #[must_use]
    pub fn of_look(monitor: &str, what: &str, at: Timestamp) -> Self {
        Self::derived(&["look", monitor, what, &at.to_string()])
    }

    fn derived(parts: &[&str]) -> Self {
        Self::from_bytes(countersign_ids::derived("", parts))
    }
}

/// How an execution stands in the journal (F-224).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::EnumString, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum TaskStatus {
    /// Everything was done.
    Complete,
    /// It failed.
    Error,
    /// Some of it was done: a step failed, a gate was refused or its time ran out, or somebody cancelled.
    Partial,
    /// A gate is open.
    AwaitingApproval,
}

impl TaskStatus {
    /// The word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The status of a run; none for runs that have no entry: those that did nothing (F-212, F-221) or are at work.
    #[must_use]
    pub fn of(status: RunStatus) -> Option<Self> {
        match status {
            RunStatus::Complete => Some(Self::Complete),
            RunStatus::Error => Some(Self::Error),
            RunStatus::AwaitingApproval => Some(Self::AwaitingApproval),
            RunStatus::Partial
            | RunStatus::Rejected
            | RunStatus::Timeout
            | RunStatus::Cancelled => Some(Self::Partial),
            RunStatus::Running
            | RunStatus::Suppressed
            | RunStatus::Skipped
            | RunStatus::OutsideActiveHours => None,
        }
    }
}

/// Who wrote an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "JournalOrigin")]
pub enum Origin {
    /// The engine, when the run was over.
    Run,
    /// A step of the run.
    Step,
    /// A monitor, about a look.
    Look,
}

/// What one step did (`detail_entries` of the journal).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "JournalStep")]
pub struct StepNote {
    /// What was done: the step's name, or the writer's own words.
    pub action: String,
    /// What came of it.
    pub result: String,
    /// How many entities it found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entities_found: Option<u64>,
}

/// Who or what an entry is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "JournalMention")]
pub struct Mention {
    /// The name as written.
    pub name: String,
    /// `PERSON`, `ORG`, …, when known.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub entity_type: Option<String>,
}

impl Mention {
    /// Reads a name, or an entity with `name` or `canonical_name`; anything else is not a mention.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let name =
            value.as_str().or_else(|| text("canonical_name")).or_else(|| text("name"))?.trim();
        let name: String = name.chars().take(200).collect();
        (!name.is_empty()).then(|| Self { name, entity_type: text("type").map(str::to_owned) })
    }

    /// The form under which a name is found: lower case, letters and digits, single spaces.
    #[must_use]
    pub fn key(name: &str) -> String {
        let plain = |c: char| if c.is_alphanumeric() { c } else { ' ' };
        let lower: String = name.to_lowercase().chars().map(plain).collect();
        lower.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// What a run produced (`outputs_produced` of the journal).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "JournalOutput")]
pub struct Output {
    /// `document`, `data_workspace_table`, `file_export`, `chat`.
    #[serde(rename = "type")]
    pub output_type: String,
    /// The document or file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// How many rows were written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
}

impl Output {
    /// What was written to a destination of this kind, from what is known of it.
    #[must_use]
    pub fn of(destination: &str, details: &Value) -> Self {
        let text = |name: &str| details.get(name).and_then(Value::as_str);
        let number = |name: &str| details.get(name).and_then(Value::as_u64);
        let folder = text("folder_id").map_or_else(String::new, |folder| format!("{folder}/"));
        let workspace =
            text("workspace_id").map_or_else(String::new, |workspace| format!("{workspace}/"));
        let updated = number("rows_updated").unwrap_or_default();
        Self {
            output_type: destination.to_owned(),
            path: text("path")
                .map(str::to_owned)
                .or_else(|| text("filename").map(|name| format!("{folder}{name}"))),
            table: text("table_name").map(|table| format!("{workspace}{table}")),
            rows: number("rows_inserted").map(|inserted| inserted + updated),
        }
    }

    /// What was written according to a row of a routing report: of several tables each that was, also when others failed.
    #[must_use]
    pub fn of_row(destination: &str, status: &str, details: &Value) -> Vec<Self> {
        let tables = details.get("tables").and_then(Value::as_array);
        let written = |table: &&Value| table.get("error").is_none();
        match tables {
            Some(tables) => {
                tables.iter().filter(written).map(|table| Self::of(destination, table)).collect()
            }
            None if status == "success" => vec![Self::of(destination, details)],
            None => Vec::new(),
        }
    }
}

/// One entry of a journal (F-404).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "JournalEntry")]
pub struct Entry {
    /// The entry.
    pub id: EntryId,
    /// The agent, `prof_…`.
    pub agent_profile_id: String,
    /// Its owner: every lookup is under this user.
    pub user_id: UserId,
    /// The run, `run_…`; empty where a monitor's look has something to say and no run.
    pub execution_id: String,
    /// Who wrote it.
    pub origin: Origin,
    /// What was done and found.
    pub summary: String,
    /// The same without who signed, where results went and what went wrong, for members of a team that the agent is shared with;
    /// none of entries of earlier versions, and of what a step wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brief: Option<String>,
    /// Step by step.
    #[serde(default)]
    pub detail_entries: Vec<StepNote>,
    /// How the run came about.
    pub run_context: RunContext,
    /// What asked for the run, when that was no person: `{source}-{time}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<OccurrenceId>,
    /// Who started it: the owner or a member (F-226).
    pub invoked_by: UserId,
    /// The team it was started in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<String>,
    /// Who and what it is about.
    #[serde(default)]
    pub entities_mentioned: Vec<Mention>,
    /// The steps that did what they should, in order.
    #[serde(default)]
    pub steps_completed: Vec<String>,
    /// New entities.
    #[serde(default)]
    pub entities_discovered: Vec<Mention>,
    /// Documents, tables, files.
    #[serde(default)]
    pub outputs_produced: Vec<Output>,
    /// Its requests for approval: who decided what, when and with what note.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<ApprovalRecord>,
    /// How it stands.
    pub task_status: TaskStatus,
    /// What went wrong, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_summary: Option<String>,
    /// When.
    pub created_at: Timestamp,
    /// When it may be forgotten (F-225). Tables keep its seconds, by which they forget.
    #[serde(deserialize_with = "moment")]
    pub expires_at: Timestamp,
}

/// A moment, as it is shown or as tables keep it.
fn moment<'de, D: Deserializer<'de>>(moment: D) -> Result<Timestamp, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Seconds(i64),
        Text(Timestamp),
    }
    match Written::deserialize(moment)? {
        Written::Seconds(seconds) => Timestamp::from_second(seconds).map_err(D::Error::custom),
        Written::Text(at) => Ok(at),
    }
}

/// How much an automatic entry tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DetailLevel {
    /// The summary alone.
    #[default]
    Summary,
    /// The summary and a line per step.
    Detailed,
}

/// The `journal_config` of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JournalConfig {
    /// Whether a finished run writes an entry by itself.
    pub auto_journal: bool,
    /// How much it tells.
    pub detail_level: DetailLevel,
    /// For how many days entries are kept.
    #[serde(deserialize_with = "days")]
    #[schemars(with = "Days")]
    pub retention_days: u16,
}

/// For how many days entries may be kept.
type Days = Whole<1, 3650, 90>;

fn days<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u16, D::Error> {
    Days::deserialize(deserializer).map(Days::to)
}

impl Default for JournalConfig {
    fn default() -> Self {
        Self {
            auto_journal: true,
            detail_level: DetailLevel::Summary,
            retention_days: Days::default().to(),
        }
    }
}

impl JournalConfig {
    /// When an entry written at `at` may be forgotten; at the end of time when it never ends.
    #[must_use]
    pub fn expiry(&self, at: Timestamp) -> Timestamp {
        let kept = SignedDuration::from_hours(i64::from(self.retention_days) * 24);
        at.checked_add(kept).unwrap_or(Timestamp::MAX)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use strum::VariantNames as _;

    use super::{EntryId, JournalConfig, Mention, Output, TaskStatus};

    fn check(value: &Value, expect: Option<(&str, Option<&str>)>) {
        let read = Mention::read(value);
        let told = read.as_ref().map(|m| (m.name.as_str(), m.entity_type.as_deref()));
        assert_eq!(told, expect);
    }

    #[test]
    fn f_065_names_and_entities_are_mentions() {
        check(&json!(" Ada "), Some(("Ada", None)));
        check(
            &json!({"canonical_name": "Ada L", "name": "x", "type": "PERSON"}),
            Some(("Ada L", Some("PERSON"))),
        );
        check(&json!({"label": "x"}), None);
        check(&json!("  "), None);
        assert_eq!(Mention::key("  O'NEIL,  María-José "), "o neil maría josé");
    }

    #[test]
    fn f_404_an_output_says_where_it_is_and_how_many_rows_were_written() {
        let table =
            json!({"workspace_id": "w", "table_name": "t", "rows_inserted": 2, "rows_updated": 1});
        let made = Output::of("data_workspace_table", &table);
        assert_eq!((made.table.as_deref(), made.rows), (Some("w/t"), Some(3)));
        let document = Output::of("document", &json!({"filename": "a.md", "folder_id": "f"}));
        assert_eq!((document.path.as_deref(), document.rows), (Some("f/a.md"), None));
    }

    #[test]
    fn f_225_an_entry_is_kept_for_ninety_days_unless_said_otherwise() {
        let at = "2026-01-01T00:00:00Z".parse().unwrap();
        assert_eq!(
            JournalConfig::default().expiry(at),
            "2026-04-01T00:00:00Z".parse::<jiff::Timestamp>().unwrap()
        );
    }

    #[test]
    fn f_224_every_status_has_its_word() {
        for word in TaskStatus::VARIANTS {
            let status: TaskStatus = word.parse().unwrap();
            assert_eq!(serde_json::to_value(status).unwrap(), *word);
            assert_eq!(status.as_str(), *word);
        }
    }

    #[test]
    fn ids_are_the_same_for_the_same_call_only() {
        assert_eq!(EntryId::of_call("k"), EntryId::of_call("k"));
        assert_ne!(EntryId::of_call("k"), EntryId::of_call("l"));
        assert_ne!(EntryId::of_run("run_1"), EntryId::of_call(""));
    }
}
