//! The account of a deterministic run: what its steps reported, in sentences (F-221).

use std::collections::BTreeMap;

use countersign_approval::ApprovalRecord;
use countersign_identity::UserId;
use countersign_run::{
    AskedBy, OccurrenceId, RunContext, RunStatus, StepState, StepStatus, StepWarnings, Stop, TeamId,
};
use jiff::Timestamp;

use crate::entities::Entities;
use crate::entry::{
    DetailLevel, Entry, EntryId, JournalConfig, Origin, Output, StepNote, TaskStatus,
};

/// The longest part of a note that a summary quotes, in characters; the entry holds the whole note.
const MAX_NOTE: usize = 200;

/// The most bytes of notes an entry holds whole: an item of the table has 400 KB for everything.
const MAX_NOTES: usize = 100_000;

/// What is known of a run that is over.
#[derive(Debug, Clone)]
pub struct RunAccount<'a> {
    /// The run.
    pub run: &'a str,
    /// Its owner.
    pub owner: &'a UserId,
    /// The profile, `prof_…`.
    pub profile_id: &'a str,
    /// The playbook's or the profile's name.
    pub name: &'a str,
    /// What was asked.
    pub query: &'a str,
    /// How it came about.
    pub context: RunContext,
    /// What asked for it, when that was no person.
    pub occurrence: Option<&'a OccurrenceId>,
    /// The same for people.
    pub asked_by: Option<&'a AskedBy>,
    /// Who started it.
    pub invoked_by: &'a UserId,
    /// The team as whose member they did.
    pub team: Option<&'a TeamId>,
    /// When it started.
    pub started_at: Timestamp,
    /// When it ended.
    pub finished_at: Timestamp,
    /// How it ended.
    pub status: RunStatus,
    /// Its steps, in order.
    pub steps: &'a [(String, StepState)],
    /// What its steps could not read.
    pub warnings: &'a [StepWarnings],
    /// Its requests for approval, in the order they were opened.
    pub approvals: &'a [ApprovalRecord],
    /// Who and what it is about, and which of them are new.
    pub entities: &'a Entities,
    /// How many entities each step found; steps that look for none are not here.
    pub found: &'a BTreeMap<String, u64>,
    /// Why it ended early, when it did.
    pub stop: Option<&'a Stop>,
    /// Documents, tables, files.
    pub outputs: &'a [Output],
    /// Destinations that were not reached, each with the reason.
    pub unreached: &'a [String],
}

/// The entry of a run; none when the run did nothing (F-212) or the profile does not want entries.
#[must_use]
pub fn account(run: &RunAccount<'_>, config: &JournalConfig) -> Option<Entry> {
    let task_status = TaskStatus::of(run.status).filter(|_| config.auto_journal)?;
    let errors: Vec<String> =
        errors(run).into_iter().chain(run.unreached.iter().cloned()).collect();
    let detail_entries = match config.detail_level {
        DetailLevel::Summary => Vec::new(),
        DetailLevel::Detailed => run.steps.iter().map(|step| note(step, run.found)).collect(),
    };
    Some(Entry {
        id: EntryId::of_run(run.run),
        agent_profile_id: run.profile_id.to_owned(),
        user_id: run.owner.clone(),
        execution_id: run.run.to_owned(),
        origin: Origin::Run,
        summary: summary(run, &errors),
        brief: Some(brief(run)),
        detail_entries,
        run_context: run.context,
        occurrence: run.occurrence.cloned(),
        invoked_by: run.invoked_by.clone(),
        team_id: run.team.map(ToString::to_string),
        entities_mentioned: run.entities.mentioned.clone(),
        steps_completed: named(run.steps, StepStatus::is_done),
        entities_discovered: run.entities.discovered.clone(),
        outputs_produced: run.outputs.to_vec(),
        approvals: bounded(run.approvals),
        task_status,
        error_summary: (!errors.is_empty()).then(|| errors.join("; ")),
        created_at: run.finished_at,
        expires_at: config.expiry(run.finished_at),
    })
}

/// The records; should their notes be more than an entry can hold, each is cut, with a mark.
fn bounded(records: &[ApprovalRecord]) -> Vec<ApprovalRecord> {
    let notes = records.iter().flat_map(|record| &record.decisions);
    let bytes: usize = notes.filter_map(|decision| decision.note.as_ref()).map(String::len).sum();
    let records = records.iter().cloned();
    if bytes <= MAX_NOTES {
        return records.collect();
    }
    records.map(|record| record.with_notes_cut(MAX_NOTE)).collect()
}

/// What was asked, how it ended, and what was found.
fn brief(run: &RunAccount<'_>) -> String {
    let parts = [opening(run), counted(run.steps)].into_iter();
    parts.chain(run.entities.sentence()).collect::<Vec<_>>().join(" ")
}

fn summary(run: &RunAccount<'_>, errors: &[String]) -> String {
    let mut parts = vec![opening(run), counted(run.steps)];
    let gates: Vec<String> = run.approvals.iter().map(|record| record.sentence(MAX_NOTE)).collect();
    let found: Vec<String> =
        run.steps.iter().filter_map(|(name, state)| found(name, state)).collect();
    parts.extend((!gates.is_empty()).then(|| format!("Asked: {}.", gates.join(". "))));
    parts.extend(listed("Found", &found));
    parts.extend(listed("Written", &run.outputs.iter().map(output).collect::<Vec<_>>()));
    parts.extend(run.entities.sentence());
    let unread = StepWarnings::sentences(run.warnings);
    parts.extend(sentences("Warnings", &unread));
    parts.extend(sentences("Went wrong", errors));
    parts.join(" ")
}

fn opening(run: &RunAccount<'_>) -> String {
    let seconds = run.finished_at.as_second().saturating_sub(run.started_at.as_second());
    let (name, asked, by) = (run.name, asked(run.query), by(run.asked_by));
    format!("{name}{asked}{by} ended as {} after {}.", run.status.as_str(), span(seconds))
}

/// What asked, when that was no person: the entry is its owner's.
pub(crate) fn by(asked_by: Option<&AskedBy>) -> String {
    asked_by.map_or_else(String::new, |by| format!(", asked by {},", by.sentence("its owner")))
}

pub(crate) fn asked(query: &str) -> String {
    match query.trim() {
        "" => String::new(),
        query => format!(" for \"{}\"", query.chars().take(200).collect::<String>()),
    }
}

fn span(seconds: i64) -> String {
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3600),
    }
}

pub(crate) fn counted(steps: &[(String, StepState)]) -> String {
    let of = |wanted: &[StepStatus]| {
        steps.iter().filter(|(_, state)| wanted.contains(&state.status)).count()
    };
    let done = of(&[StepStatus::Done, StepStatus::Approved]);
    let rest = [
        (of(&[StepStatus::Skipped]), "skipped"),
        (of(&[StepStatus::Failed, StepStatus::Lost]), "failed"),
        (
            of(&[StepStatus::Rejected, StepStatus::TimedOut, StepStatus::Closed]),
            "denied or not decided",
        ),
        (of(&[StepStatus::Unknown, StepStatus::Sending]), "with an unknown outcome"),
        (of(&[StepStatus::NotRun, StepStatus::Pending, StepStatus::Waiting]), "not run"),
    ];
    let rest: Vec<String> =
        rest.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!(", {n} {word}")).collect();
    format!("{done} of {} steps done{}.", steps.len(), rest.concat())
}

fn found(name: &str, state: &StepState) -> Option<String> {
    let count = state.count.filter(|_| state.status == StepStatus::Done)?;
    Some(format!("{name} {count}"))
}

fn output(output: &Output) -> String {
    let place = output.path.as_deref().or(output.table.as_deref());
    let place = place.map_or_else(String::new, |place| format!(" {place}"));
    let rows = output.rows.map_or_else(String::new, |rows| format!(" ({rows} rows)"));
    format!("{}{place}{rows}", output.output_type)
}

/// What went wrong, and that the run could not begin.
fn errors(run: &RunAccount<'_>) -> Vec<String> {
    let wrong = |state: &StepState| {
        matches!(state.status, StepStatus::Failed | StepStatus::Lost | StepStatus::Unknown)
    };
    let told = |(name, state): &(String, StepState)| {
        let code = state.code.as_deref().unwrap_or("UNKNOWN");
        let message = state.message.as_deref().map_or_else(String::new, |text| {
            format!(" {}", text.chars().take(300).collect::<String>())
        });
        format!("{name}: {code}{message}")
    };
    let broken = run.stop.and_then(Stop::broken);
    broken.into_iter().chain(run.steps.iter().filter(|(_, state)| wrong(state)).map(told)).collect()
}

pub(crate) fn named(steps: &[(String, StepState)], wanted: fn(StepStatus) -> bool) -> Vec<String> {
    steps.iter().filter(|(_, state)| wanted(state.status)).map(|(name, _)| name.clone()).collect()
}

fn note((name, state): &(String, StepState), found: &BTreeMap<String, u64>) -> StepNote {
    let status = serde_json::to_value(state.status)
        .ok()
        .and_then(|v| v.as_str().map(str::to_owned))
        .unwrap_or_default();
    let count = state.count.map_or_else(String::new, |count| format!(", {count} records"));
    let code = state.code.as_deref().map_or_else(String::new, |code| format!(", {code}"));
    StepNote {
        action: name.clone(),
        result: format!("{status}{count}{code}"),
        entities_found: found.get(name).copied(),
    }
}

fn listed(word: &str, items: &[String]) -> Option<String> {
    (!items.is_empty()).then(|| format!("{word}: {}.", items.join(", ")))
}

/// As [`listed`], of what has commas of its own.
fn sentences(word: &str, items: &[String]) -> Option<String> {
    (!items.is_empty()).then(|| format!("{word}: {}.", items.join("; ")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use countersign_approval::{ApprovalId, ApprovalRecord};
    use countersign_identity::UserId;
    use countersign_run::{RunContext, RunStatus, StepState, StepStatus};
    use serde_json::json;

    use super::{RunAccount, account};
    use crate::entities::Entities;
    use crate::entry::{DetailLevel, Entry, JournalConfig, Output, TaskStatus};

    fn step(
        name: &str,
        status: StepStatus,
        count: Option<u64>,
        code: Option<&str>,
    ) -> (String, StepState) {
        let state = StepState {
            status,
            code: code.map(str::to_owned),
            message: code.map(|_| "it broke".to_owned()),
            count,
            took_ms: 1,
            model: None,
            tool_calls: Vec::new(),
            approval: None,
            sent: None,
        };
        (name.to_owned(), state)
    }

    fn entry(
        status: RunStatus,
        steps: &[(String, StepState)],
        config: &JournalConfig,
    ) -> Option<Entry> {
        let user = UserId::from_bytes([1; 16]);
        let outputs = [Output {
            output_type: "data_workspace_table".into(),
            path: None,
            table: Some("research/filings".into()),
            rows: Some(12),
        }];
        account(
            &RunAccount {
                run: "run_1",
                owner: &user,
                profile_id: "prof_1",
                name: "officer-cross-reference",
                query: "who sits on two boards?",
                context: RunContext::Interactive,
                occurrence: None,
                asked_by: None,
                invoked_by: &user,
                team: None,
                started_at: "2026-01-01T00:00:00Z".parse().unwrap(),
                finished_at: "2026-01-01T00:01:05Z".parse().unwrap(),
                status,
                steps,
                stop: None,
                approvals: &asked(steps),
                entities: &Entities::default(),
                found: &BTreeMap::from([("read".to_owned(), 5)]),
                outputs: &outputs,
                unreached: &[],
                warnings: &[],
            },
            config,
        )
    }

    /// A request for every gate that has ended.
    fn asked(steps: &[(String, StepState)]) -> Vec<ApprovalRecord> {
        let record = |(name, state): &(String, StepState)| {
            let (status, verdict) = match state.status {
                StepStatus::Approved => ("approved", "approve"),
                StepStatus::Rejected => ("denied", "deny"),
                _ => return None,
            };
            let decided = json!({ "by": "maria", "verdict": verdict, "at": "2026-01-01T00:01:00Z", "note": "seen" });
            let record = json!({
                "step": name, "approval": ApprovalId::from_bytes([1; 16]), "status": status, "by": "maria",
                "at": "2026-01-01T00:01:00Z", "note": "seen", "given": 1, "needed": 1, "waits_for": [],
                "decisions": [decided], "on_reject": "stop",
            });
            Some(serde_json::from_value(record).unwrap())
        };
        steps.iter().filter_map(record).collect()
    }

    fn check(status: RunStatus, steps: &[(String, StepState)], expect: &str) {
        let made = entry(status, steps, &JournalConfig::default()).unwrap();
        assert_eq!(made.summary, expect);
    }

    #[test]
    fn f_221_a_run_is_summed_up_from_its_steps() {
        check(
            RunStatus::Partial,
            &[
                step("read", StepStatus::Done, Some(40), None),
                step("grants", StepStatus::Failed, None, Some("XML_INVALID")),
                step("gate", StepStatus::Approved, None, None),
                step("extra", StepStatus::Skipped, None, None),
            ],
            "officer-cross-reference for \"who sits on two boards?\" ended as partial after 1 min 5 s. 2 of 4 steps done, \
             1 skipped, 1 failed. Asked: gate was approved: maria approved, noting “seen”. Found: read 40. Written: data_workspace_table research/filings \
             (12 rows). Went wrong: grants: XML_INVALID it broke.",
        );
        check(
            RunStatus::Rejected,
            &[
                step("gate", StepStatus::Rejected, None, None),
                step("write", StepStatus::NotRun, None, None),
            ],
            "officer-cross-reference for \"who sits on two boards?\" ended as rejected after 1 min 5 s. 0 of 2 steps done, \
             1 denied or not decided, 1 not run. Asked: gate was denied: maria denied, noting “seen”. Written: data_workspace_table research/filings (12 rows).",
        );
    }

    #[test]
    fn a_164_the_entry_holds_every_decision_with_its_whole_note() {
        let steps = [step("gate", StepStatus::Rejected, None, None)];
        let made = entry(RunStatus::Rejected, &steps, &JournalConfig::default()).unwrap();
        let [record] = made.approvals.as_slice() else { panic!("{made:?}") };
        let [decision] = record.decisions.as_slice() else { panic!("{record:?}") };
        assert_eq!((decision.by.as_str(), decision.note.as_deref()), ("maria", Some("seen")));
    }

    #[test]
    fn f_224_f_225_f_404_status_and_detail_follow_run_and_profile() {
        let steps = [
            step("read", StepStatus::Done, Some(2), None),
            step("write", StepStatus::Failed, None, Some("X")),
        ];
        let config =
            JournalConfig { detail_level: DetailLevel::Detailed, ..JournalConfig::default() };
        let made = entry(RunStatus::Error, &steps, &config).unwrap();
        assert_eq!(made.task_status, TaskStatus::Error);
        assert_eq!(made.error_summary.as_deref(), Some("write: X it broke"));
        assert_eq!(made.steps_completed, ["read"]);
        let notes: Vec<&str> =
            made.detail_entries.iter().map(|note| note.result.as_str()).collect();
        assert_eq!(notes, ["done, 2 records", "failed, X"]);
        let found: Vec<_> = made.detail_entries.iter().map(|note| note.entities_found).collect();
        assert_eq!(found, [Some(5), None]);
    }

    #[test]
    fn f_212_a_suppressed_run_and_a_silent_profile_have_no_entry() {
        assert_eq!(entry(RunStatus::Suppressed, &[], &JournalConfig::default()), None);
        let silent = JournalConfig { auto_journal: false, ..JournalConfig::default() };
        assert_eq!(entry(RunStatus::Complete, &[], &silent), None);
    }
}
