//! The account of a deterministic run: what its steps reported, in sentences (F-221).

use std::collections::BTreeMap;

use countersign_approval::ApprovalRecord;
use countersign_identity::UserId;
use countersign_run::{
    AskedBy, OccurrenceId, RunContext, RunStatus, StepState, StepStatus, StepWarnings, Stop, TeamId,
};
use jiff::Timestamp;

use crate::bounds::{self, MAX_NOTE, first, latest};
use crate::entities::Entities;
use crate::entry::{
    DetailLevel, Entry, EntryId, JournalConfig, Origin, Output, StepNote, TaskStatus,
};

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
    let errors = errors(run).into_iter().chain(run.unreached.iter().cloned()).collect();
    let errors = first(errors);
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
        outputs_produced: bounds::outputs(run.outputs),
        approvals: bounds::approvals(run.approvals),
        task_status,
        error_summary: (!errors.is_empty()).then(|| errors.join("; ")),
        created_at: run.finished_at,
        expires_at: config.expiry(run.finished_at),
    })
}

/// What was asked, how it ended, and what was found.
fn brief(run: &RunAccount<'_>) -> String {
    let parts = [opening(run), counted(run.steps)].into_iter();
    parts.chain(run.entities.sentence()).collect::<Vec<_>>().join(" ")
}

fn summary(run: &RunAccount<'_>, errors: &[String]) -> String {
    let mut parts = vec![opening(run), counted(run.steps)];
    let gates = latest(run.approvals, |record| record.sentence(MAX_NOTE));
    let found: Vec<String> =
        run.steps.iter().filter_map(|(name, state)| found(name, state)).collect();
    parts.extend((!gates.is_empty()).then(|| format!("Asked: {}.", gates.join(". "))));
    parts.extend(listed("Found", &found));
    parts.extend(listed("Written", &first(run.outputs.iter().map(output).collect())));
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
mod tests;
