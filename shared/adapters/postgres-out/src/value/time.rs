//! Dates and times, as RFC 3339 writes them.

use jiff::civil::{Date, DateTime, Time, date as day};
use jiff::{SignedDuration, Span};
use serde_json::Value;
use tokio_postgres::types::{FromSql as _, Type};

use super::Failed;

/// PostgreSQL counts from here.
const EPOCH: Date = day(2000, 1, 1);

pub(super) fn date(raw: &[u8]) -> Result<Value, Failed> {
    let days = i32::from_sql(&Type::INT4, raw)?;
    Ok(match days {
        i32::MAX => "infinity".into(),
        i32::MIN => "-infinity".into(),
        days => {
            let date = Span::new().try_days(days).and_then(|span| EPOCH.checked_add(span));
            date.map_err(|_| OUTSIDE)?.to_string().into()
        }
    })
}

pub(super) fn time(raw: &[u8]) -> Result<Value, Failed> {
    let micros = i64::from_sql(&Type::INT8, raw)?;
    // PostgreSQL knows the end of a day as a time of that day.
    if micros == 86_400_000_000 {
        return Ok("24:00:00".into());
    }
    let time = Time::midnight().checked_add(SignedDuration::from_micros(micros));
    Ok(time.map_err(|_| OUTSIDE)?.to_string().into())
}

/// `zone` is `Z` for a moment, and empty for what a clock on a wall showed.
pub(super) fn timestamp(raw: &[u8], zone: &str) -> Result<Value, Failed> {
    let micros = i64::from_sql(&Type::INT8, raw)?;
    Ok(match micros {
        i64::MAX => "infinity".into(),
        i64::MIN => "-infinity".into(),
        micros => {
            let epoch = DateTime::from_parts(EPOCH, Time::midnight());
            let found = epoch.checked_add(SignedDuration::from_micros(micros));
            format!("{}{zone}", found.map_err(|_| OUTSIDE)?).into()
        }
    })
}

const OUTSIDE: &str = "holds a time outside the years -9999 to 9999; cast it: `x::text`";
