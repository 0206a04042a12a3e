//! `detect_new_data` (F-060): what an endpoint of a connector has that was not there before.

use std::sync::Arc;

use countersign_connector::{
    Connection, ConnectorId, ConnectorSource, FeedConnection, FeedOperation,
};
use countersign_monitor::{Found, MarkKind, Novel, novel};
use countersign_registry::action::{ActionError, Call, Handler};
use countersign_registry::actions::detect_new_data::{DetectNewData, Params};
use countersign_registry::{Action as _, CALL_CONNECTOR, arguments};
use futures::future::BoxFuture;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::look::{Detect, Look, Seen};

/// Fields that say when a record came or changed, the likeliest first.
const DATES: [&str; 6] = ["published", "updated_at", "updated", "created_at", "filed_at", "date"];
/// Fields that name a record in its source.
const NAMES: [&str; 3] = ["_item_id", "guid", "id"];
/// How far back the first look at a feed asks, hours.
const FIRST_HOURS: i64 = 24 * 7;
/// The longest time a feed is asked for, hours: what its connector accepts.
const MAX_HOURS: i64 = 87_600;

/// The detection.
pub struct NewData {
    /// Calls endpoints that only read.
    pub connect: Arc<dyn Handler>,
    /// Connectors.
    pub connectors: Arc<dyn ConnectorSource>,
}

impl Detect for NewData {
    fn name(&self) -> &'static str {
        DetectNewData::NAME
    }

    fn look<'a>(
        &'a self,
        call: &'a Call,
        look: Look<'a>,
    ) -> BoxFuture<'a, Result<Seen, ActionError>> {
        Box::pin(async move {
            let (_, params) = arguments::<DetectNewData>(call)?;
            let feed = self.feed(call, &params.connector).await?;
            let metadata = metadata(&params);
            if feed.as_ref().is_some_and(|feed| rests(feed, look.last, call.now)) {
                return Ok(nothing(look, metadata));
            }
            let mut answer = self.asked(call, &params, feed.is_some(), look).await?;
            let records = records(&mut answer);
            let date = params.date_field.as_deref().or_else(|| date_field(&records));
            let found = records.into_iter().map(|record| found(record, date)).collect();
            let novel = novel(look.previous, found, look.overlap(MarkKind::Cursor, call.now));
            Ok(seen(novel, look, metadata, answer.get("_warnings").cloned()))
        })
    }
}

impl NewData {
    /// The connection of a connector that is an `rss_feed`.
    async fn feed(
        &self,
        call: &Call,
        connector: &str,
    ) -> Result<Option<FeedConnection>, ActionError> {
        // A name that is none is told by the call.
        let Ok(id) = ConnectorId::parse(connector) else { return Ok(None) };
        // With the binding, as the call reads it: whoever keeps what it read has both.
        let found = self.connectors.bound(&call.owner, &call.info.profile_id, &id).await;
        let found = found.map_err(|error| ActionError::from_failure(error.as_ref()))?;
        Ok(found.connector.and_then(|stored| match stored.definition.connection {
            Connection::RssFeed(feed) => Some(feed),
            _ => None,
        }))
    }

    /// What the endpoint answers.
    async fn asked(
        &self,
        call: &Call,
        params: &Params,
        is_feed: bool,
        look: Look<'_>,
    ) -> Result<Value, ActionError> {
        let mut inputs = params.extra_params.clone();
        if is_feed && !inputs.contains_key(FeedOperation::SINCE_HOURS) {
            inputs.insert(FeedOperation::SINCE_HOURS.to_owned(), hours(look, call.now).into());
        }
        let target = json!({"connector": params.connector, "endpoint": params.endpoint});
        let call = Call {
            action: CALL_CONNECTOR.to_owned(),
            inputs,
            params: target.as_object().cloned().unwrap_or_default(),
            ..call.clone()
        };
        self.connect.run(&call).await
    }
}

/// Whether a feed wants to be left alone: it was asked less than its `poll_interval_minutes` ago (F-101). A minute less is no
/// less: clocks are not exact.
fn rests(feed: &FeedConnection, last: Option<Timestamp>, now: Timestamp) -> bool {
    let interval = SignedDuration::from_mins(i64::from(feed.poll_interval_minutes) - 1);
    last.is_some_and(|last| now.duration_since(last) < interval)
}

/// How far back a feed is asked: to the newest item, and as much further as something may come late.
fn hours(look: Look<'_>, now: Timestamp) -> i64 {
    let newest = look.previous.and_then(|position| position.value.as_deref()?.parse().ok());
    let newest: Option<Timestamp> = newest;
    let back = newest
        .map_or(FIRST_HOURS, |newest| (now.duration_since(newest) + look.late).as_hours() + 1);
    back.clamp(1, MAX_HOURS)
}

fn metadata(params: &Params) -> Map<String, Value> {
    let whole = json!({"connector": params.connector, "endpoint": params.endpoint});
    whole.as_object().cloned().unwrap_or_default()
}

/// The records of an answer: those of a record set, else the answer itself.
fn records(answer: &mut Value) -> Vec<Map<String, Value>> {
    let Some(fields) = answer.as_object_mut() else { return Vec::new() };
    match fields.get_mut("results").map(Value::take) {
        Some(Value::Array(records)) => records
            .into_iter()
            .filter_map(|record| match record {
                Value::Object(record) => Some(record),
                _ => None,
            })
            .collect(),
        _ => vec![fields.clone()],
    }
}

/// The field that says when records came.
fn date_field(records: &[Map<String, Value>]) -> Option<&'static str> {
    let dated = |name: &&str| records.iter().any(|record| moment(record.get(*name)).is_some());
    DATES.into_iter().find(|name| dated(name))
}

fn found(record: Map<String, Value>, date: Option<&str>) -> Found {
    let at = date.and_then(|date| moment(record.get(date)));
    Found { key: key(&record, at), at, record: record.into() }
}

/// What names a record: an item of a feed by its own id, another record by its id and its time, so that a changed one is new
/// again; one without an id by what it says.
fn key(record: &Map<String, Value>, at: Option<Timestamp>) -> String {
    let named = NAMES.into_iter().find_map(|name| Some((name, text(record.get(name)?)?)));
    match (named, at) {
        (Some(("id", id)), Some(at)) => format!("{id}@{at}"),
        (Some((_, id)), _) => id,
        (None, _) => {
            let said: Map<String, Value> = record
                .iter()
                .filter(|(name, _)| !name.starts_with('_'))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            hex::encode(&Sha256::digest(Value::Object(said).to_string())[..16])
        }
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.chars().take(500).collect()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A time, or the day as its first moment in UTC.
fn moment(value: Option<&Value>) -> Option<Timestamp> {
    let text = value?.as_str()?;
    let utc = |at: DateTime| at.to_zoned(TimeZone::UTC).ok().map(|at| at.timestamp());
    let time = || utc(text.parse::<DateTime>().ok()?);
    let day = || utc(text.parse::<Date>().ok()?.to_datetime(jiff::civil::Time::midnight()));
    text.parse().ok().or_else(time).or_else(day)
}

/// The look that was left out.
fn nothing(look: Look<'_>, metadata: Map<String, Value>) -> Seen {
    let before = look.before();
    let output = json!({
        "results": [], "count": 0, "has_more": false, "watermark": before, "previous_watermark": before,
    });
    Seen { output, keys: Vec::new(), position: None, metadata }
}

fn seen(
    novel: Novel,
    look: Look<'_>,
    metadata: Map<String, Value>,
    warnings: Option<Value>,
) -> Seen {
    let keys = novel.items.iter().map(|found| found.key.clone()).collect();
    let results: Vec<Value> = novel.items.into_iter().map(|found| found.record).collect();
    let mut output = json!({
        "count": results.len(), "has_more": novel.has_more, "results": results,
        "watermark": novel.position.value, "previous_watermark": look.before(),
    });
    if let Some(warnings) = warnings {
        output["_warnings"] = warnings;
    }
    Seen { output, keys, position: Some(novel.position), metadata }
}

#[cfg(test)]
mod tests {
    use countersign_monitor::Position;

    use super::*;

    fn record(fields: &Value) -> Map<String, Value> {
        fields.as_object().cloned().unwrap()
    }

    fn check(fields: &Value, date: Option<&str>, expect_key: &str, expect_at: Option<&str>) {
        let found = found(record(fields), date);
        assert_eq!(found.key, expect_key, "{fields}");
        assert_eq!(found.at.map(|at| at.to_string()).as_deref(), expect_at, "{fields}");
    }

    #[test]
    fn f_060_a_record_is_known_by_its_id_and_its_time() {
        let feed = json!({"_item_id": "tag:x", "published": "2026-11-20T08:00:00Z"});
        check(&feed, Some("published"), "tag:x", Some("2026-11-20T08:00:00Z"));
        let day = json!({"id": 7, "filed_at": "2026-11-20"});
        check(&day, Some("filed_at"), "7@2026-11-20T00:00:00Z", Some("2026-11-20T00:00:00Z"));
        check(&json!({"guid": "g", "id": "i"}), None, "g", None);
        let said = found(record(&json!({"title": "A", "_retrieved_at": "1"})), None).key;
        check(&json!({"title": "A", "_retrieved_at": "2"}), None, &said, None);
    }

    #[test]
    fn f_060_the_date_is_the_first_known_field_that_holds_one() {
        let records = [record(
            &json!({"published": "soon", "updated_at": "2026-11-20", "date": "2026-11-19"}),
        )];
        assert_eq!(date_field(&records), Some("updated_at"));
        assert_eq!(date_field(&[record(&json!({"title": "A"}))]), None);
    }

    fn feed(minutes: u32) -> FeedConnection {
        let feed = json!({"feeds": [], "poll_interval_minutes": minutes, "max_items_per_poll": 50, "timeout_seconds": 30});
        serde_json::from_value(feed).unwrap()
    }

    #[test]
    fn f_101_a_feed_is_not_asked_more_often_than_it_wants() {
        let now: Timestamp = "2026-11-20T08:00:00Z".parse().unwrap();
        let ago = |minutes: i64| Some(now - SignedDuration::from_mins(minutes));
        assert!(rests(&feed(60), ago(58), now));
        assert!(!rests(&feed(60), ago(60), now) && !rests(&feed(60), None, now));
    }

    #[test]
    fn f_060_a_feed_is_asked_back_to_the_newest_item_and_the_overlap() {
        let now: Timestamp = "2026-11-20T08:00:00Z".parse().unwrap();
        let mut position = Position::start(MarkKind::Cursor);
        let late = SignedDuration::from_hours(24);
        let back = |position: &Position| {
            hours(Look { previous: Some(position), late, most: 1, last: None }, now)
        };
        assert_eq!(back(&position), FIRST_HOURS);
        position.value = Some("2026-11-20T05:30:00Z".to_owned());
        assert_eq!(back(&position), 27);
    }
}
