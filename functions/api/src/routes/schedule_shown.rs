//! What is shown of a schedule beside its fields, when it is sent back: it may be as it was shown once, and nothing else.

use countersign_clock::Schedule;
use countersign_identity::UserId;
use countersign_run::{Occurrence, OccurrenceId, OccurrenceState, RunStatus};
use countersign_store_kit::Window;
use countersign_web::{FieldError, Problem};
use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::collection::More;
use super::now;
use super::schedules::{LOOK_BACK, SHOWN, last_run};
use crate::Context;

/// Checks that whatever is shown beside the fields is sent back as it was read. Due times pass and runs end in between, so it
/// need not be what would be shown now.
///
/// # Errors
/// A [`Problem`] with each field that never was so.
pub(super) async fn check(schedule: &Schedule, ctx: &Context, shown: &More) -> Result<(), Problem> {
    let owner = schedule.user_id.as_ref();
    let before = before(ctx, owner, schedule.id.as_str(), shown).await?;
    let Some((owner, known)) = before else { return Ok(()) };
    let last = last_run(ctx, owner, schedule, &known).await?;
    let is_last = |name: &str, value: &Value| match (name, &last) {
        ("last_run_at", Some(last)) => read(value) == Some(last.due_at),
        ("last_run_status", Some(last)) => read(value) == Some(last.status),
        _ => false,
    };
    let run = shown.get("current_run");
    let is_run = match run.and_then(|value| occurrence_of(schedule, value)) {
        Some(id) => ctx.catalog.occurrence(owner, &id).await?.zip(run),
        None => None,
    };
    let is_run = is_run.is_some_and(|(one, value)| is_run_of(&one, value));
    unless(shown, |name, value| match name {
        "current_run" => is_run,
        _ => is_last(name, value) || was_shown(schedule, &known, now(), name, value),
    })
}

/// Whose a schedule or a trigger is, and its last occurrences; none when nothing of what is shown beside its fields was sent back.
///
/// # Errors
/// A [`Problem`] when the table does not answer.
pub(super) async fn before<'o>(
    ctx: &Context,
    owner: Option<&'o UserId>,
    id: &str,
    shown: &More,
) -> Result<Option<(&'o UserId, Vec<Occurrence>)>, Problem> {
    let Some(owner) = owner.filter(|_| !shown.is_empty()) else { return Ok(None) };
    let known = ctx.catalog.occurrences(owner, Some(id), Window::first(LOOK_BACK)).await?;
    Ok(Some((owner, known.items)))
}

/// The occurrence that a run is said to be of, when it is one of the schedule.
fn occurrence_of(schedule: &Schedule, value: &Value) -> Option<OccurrenceId> {
    let id = OccurrenceId::parse(value["occurrence"].as_str()?).ok()?;
    (id.source() == schedule.id.as_str()).then_some(id)
}

/// Refuses each field that never was shown as it was sent back.
///
/// # Errors
/// A [`Problem`] with those fields.
pub(super) fn unless(
    shown: &More,
    was_shown: impl Fn(&str, &Value) -> bool,
) -> Result<(), Problem> {
    let other = shown.iter().filter(|(name, value)| !was_shown(name, value));
    let errors: Vec<FieldError> = other.map(|(name, _)| cannot(name)).collect();
    if errors.is_empty() { Ok(()) } else { Err(Problem::invalid(errors)) }
}

fn cannot(name: &str) -> FieldError {
    let error = FieldError::new(name, "cannot be written, and was never shown like this");
    error.with_hint("leave it out, or send it back as it was read")
}

fn was_shown(
    schedule: &Schedule,
    known: &[Occurrence],
    now: Timestamp,
    name: &str,
    value: &Value,
) -> bool {
    let finished = || known.iter().filter(|one| one.state == OccurrenceState::Finished);
    match name {
        "next_runs" => {
            read(value).is_some_and(|times: Vec<Timestamp>| are_due(schedule, now, &times))
        }
        "next_run_at" => read(value).is_some_and(|at| are_due(schedule, now, &[at])),
        "last_run_at" => {
            read(value).is_some_and(|at: Timestamp| finished().any(|one| one.due_at == at))
        }
        "last_run_status" => {
            read(value).is_some_and(|status| finished().any(|one| one.status == Some(status)))
        }
        _ => false,
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_value(value.clone()).ok()
}

/// Whether these were the next due times of the schedule at some time since it was made; one that is not enabled has none.
fn are_due(schedule: &Schedule, now: Timestamp, times: &[Timestamp]) -> bool {
    let table = schedule.spec.timetable().filter(|_| schedule.spec.is_enabled);
    let (Some(table), Some(first)) = (table, times.first()) else {
        return times.is_empty() && !schedule.spec.is_enabled;
    };
    let Ok(before) = first.checked_sub(SignedDuration::from_secs(1)) else { return false };
    let has_been_next = *first > schedule.created_at
        && table.upcoming(now, 1).first().is_some_and(|next| first <= next);
    has_been_next && times.len() <= SHOWN && table.upcoming(before, times.len()) == times
}

/// `occurrence`, `run` and `status`, and nothing else.
fn is_run_of(one: &Occurrence, value: &Value) -> bool {
    let run = |run: &Value| one.runs.iter().any(|own| *run == own.as_str());
    value.as_object().is_some_and(|map| map.len() == 3)
        && value["occurrence"] == one.id.as_str()
        && run(&value["run"])
        && read::<RunStatus>(&value["status"]).is_some()
}

#[cfg(test)]
mod tests {
    use countersign_document::read_value;
    use countersign_identity::UserId;
    use countersign_schedule::{ScheduleId, ScheduleSpec};
    use serde_json::json;

    use super::*;

    fn schedule(is_enabled: bool) -> Schedule {
        let body = json!({
            "name": "A", "profile_id": format!("prof_{}", "1".repeat(32)), "cron_expression": "0 6 * * *",
            "query_template": "q", "is_enabled": is_enabled,
        });
        let spec = read_value::<ScheduleSpec>(body).value.unwrap();
        let at = "2026-11-20T06:00:00Z".parse().unwrap();
        Schedule {
            id: ScheduleId::from_bytes([1; 16]),
            user_id: Some(UserId::from_bytes([2; 16])),
            version: 1,
            created_at: at,
            updated_at: at,
            scopes: None,
            token: None,
            spec,
        }
    }

    fn check(is_enabled: bool, name: &str, value: &Value, expect: bool) {
        let now = "2026-11-24T12:00:00Z".parse().unwrap();
        let shown = was_shown(&schedule(is_enabled), &[], now, name, value);
        assert_eq!(shown, expect, "{name}: {value}");
    }

    #[test]
    fn f_362_due_times_are_sent_back_as_they_were_shown_and_not_otherwise() {
        let (one, next) = ("2026-11-24T06:00:00Z", "2026-11-25T06:00:00Z");
        check(true, "next_runs", &json!([one, next]), true);
        check(true, "next_run_at", &json!(one), true);
        check(true, "next_runs", &json!([next, one]), false);
        check(true, "next_runs", &json!(["2026-11-24T06:00:01Z"]), false);
        check(true, "next_run_at", &json!(next), true);
        check(true, "next_run_at", &json!("2026-11-20T06:00:00Z"), false);
        check(true, "next_run_at", &json!("2026-11-26T06:00:00Z"), false);
        check(true, "next_runs", &json!("soon"), false);
        check(true, "next_runs", &json!([]), false);
        check(false, "next_runs", &json!([]), true);
        check(false, "next_run_at", &json!(one), false);
        check(true, "last_run_at", &json!(one), false);
        check(true, "last_run_status", &json!("complete"), false);
        check(true, "something", &json!(1), false);
    }

    #[test]
    fn f_208_a_run_is_looked_up_by_its_occurrence_however_old_that_is() {
        let schedule = schedule(true);
        let own = OccurrenceId::new(schedule.id.as_str(), Timestamp::UNIX_EPOCH);
        let other = ScheduleId::from_bytes([9; 16]);
        let other = OccurrenceId::new(other.as_str(), Timestamp::UNIX_EPOCH);
        let of = |value: Value| occurrence_of(&schedule, &value);
        assert_eq!(of(json!({"occurrence": own})), Some(own));
        assert_eq!(of(json!({"occurrence": other})), None);
        for value in [json!({"occurrence": "x"}), json!({}), json!(1)] {
            assert_eq!(of(value), None);
        }
    }
}
