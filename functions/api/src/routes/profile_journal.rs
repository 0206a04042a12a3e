//! `/profiles/{id}/journal` (F-375).
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use axum::extract::State;
use countersign_journal::{Access, Entry, Mention, TaskStatus};
use countersign_profile::ProfileId;
use countersign_web::{Cursor, Json, Page, PageQuery, Path, Problem, Query};
use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use utoipa::IntoParams;

use super::{Ctx, Reader, found};

/// Which entries.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct JournalQuery {
    /// At most so many entries, 1 to 100; 50 when left out.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// Not before this time, or this day (UTC).
    #[serde(default, deserialize_with = "beginning")]
    #[param(value_type = Option<String>, format = DateTime)]
    from: Option<Timestamp>,
    /// Not after this time, or this day (UTC).
    #[serde(default, deserialize_with = "end")]
    #[param(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
    /// `complete`, `partial`, `error` or `awaiting_approval`.
    #[param(value_type = Option<String>)]
    status: Option<TaskStatus>,
    /// Only entries that mention this name.
    entity: Option<String>,
}

fn beginning<'de, D: Deserializer<'de>>(text: D) -> Result<Option<Timestamp>, D::Error> {
    moment(&String::deserialize(text)?, Time::MIN).map(Some).map_err(D::Error::custom)
}

fn end<'de, D: Deserializer<'de>>(text: D) -> Result<Option<Timestamp>, D::Error> {
    moment(&String::deserialize(text)?, Time::MAX).map(Some).map_err(D::Error::custom)
}

/// A time, or that time of a day.
fn moment(text: &str, of_day: Time) -> Result<Timestamp, &'static str> {
    let day = |date: Date| TimeZone::UTC.to_timestamp(date.to_datetime(of_day)).ok();
    let read = text.parse().ok().or_else(|| text.parse().ok().and_then(day));
    read.ok_or("write a time such as 2026-11-22T09:00:00Z, or a day such as 2026-11-22")
}

/// What an agent wrote down, newest first.
#[utoipa::path(
    get, path = "/profiles/{id}/journal", tag = "journal", params(("id" = String, Path, description = "`prof_…`"), JournalQuery),
    responses((status = 200, body = Page<Value>), (status = 404, description = "NOT_FOUND"), (status = 422, description = "INVALID_INPUT: a limit out of bounds, a range that ends before it begins"))
)]
pub(crate) async fn list(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path(id): Path<ProfileId>,
    Query(query): Query<JournalQuery>,
) -> Result<Json<Page<Entry>>, Problem> {
    found(ctx.catalog.profiles().get(owner, &id).await?)?;
    if let (Some(from), Some(to)) = (query.from, query.to)
        && to < from
    {
        return Err(Problem::field("to", "must not be before `from`"));
    }
    let (from, to) = (query.from.map(|at| at.to_string()), query.to.map(|at| at.to_string()));
    let filters = [
        ("profile", Some(id.as_str())),
        ("from", from.as_deref()),
        ("to", to.as_deref()),
        ("status", query.status.map(TaskStatus::as_str)),
        ("entity", query.entity.as_deref()),
    ];
    let cursor = Cursor::new(ctx.cursors.get().await?, owner, "journal", &filters);
    let paging = PageQuery { limit: query.limit, cursor: query.cursor.clone() };
    let (after, limit) = (paging.after(&cursor)?, paging.limit()?);
    let profile = id.to_string();
    let access = match (&query.entity, query.status) {
        (Some(name), _) => Access::Entity { owner: owner.clone(), key: Mention::key(name) },
        (None, Some(status)) => Access::Status { owner: owner.clone(), profile, status },
        (None, None) => Access::Profile { owner: owner.clone(), profile },
    };
    let between = (query.from, query.to);
    let page = ctx.journal.list(&access, between, after.as_deref(), limit).await?;
    let fits = |entry: &Entry| {
        entry.agent_profile_id == id.as_str()
            && query.status.is_none_or(|status| entry.task_status == status)
    };
    Ok(Json(cursor.page(page.entries.into_iter().filter(fits).collect(), page.next.as_deref())))
}

#[cfg(test)]
mod tests {
    use jiff::civil::Time;

    use super::moment;

    fn check(text: &str, of_day: Time, expect: Option<&str>) {
        let found = moment(text, of_day).ok().map(|at| at.to_string());
        assert_eq!(found.as_deref(), expect, "{text}");
    }

    #[test]
    fn f_375_a_day_is_meant_from_its_beginning_to_its_end() {
        check("2026-11-22", Time::MIN, Some("2026-11-22T00:00:00Z"));
        check("2026-11-22", Time::MAX, Some("2026-11-22T23:59:59.999999999Z"));
        check("2026-11-22T09:00:00+02:00", Time::MAX, Some("2026-11-22T07:00:00Z"));
        check("zz", Time::MIN, None);
        check("", Time::MIN, None);
    }
}
