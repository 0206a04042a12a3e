//! `detect_new_data` (F-060): what an endpoint of a connector has that was not there before.

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign_connector::{
    AgentConnector, Connection, ConnectorId, ConnectorSource, FeedConnection, FeedOperation,
};
use countersign_monitor::{Found, LookError, MarkKind, NewItems, Overlap, appended, novel};
use countersign_registry::CALL_CONNECTOR;
use countersign_registry::action::{ActionError, Call, Handler};
use countersign_registry::actions::Nothing;
use countersign_registry::actions::detect_new_data::{DetectNewData, Params};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use crate::answer::{Answer, sharing_a_key};
use crate::detection::Detection;
use crate::look::{Look, Seen};

/// The longest time a feed is asked for, hours: what its connector accepts.
const MAX_HOURS: i64 = 87_600;

/// The detection.
pub struct NewData {
    /// Calls endpoints that only read.
    pub connect: Arc<dyn Handler>,
    /// Connectors.
    pub connectors: Arc<dyn ConnectorSource>,
}

impl Detection for NewData {
    type Action = DetectNewData;

    const KIND: MarkKind = MarkKind::Cursor;

    fn kind_of(params: &Params) -> MarkKind {
        if params.append_only { MarkKind::Offset } else { Self::KIND }
    }

    fn source(_: &Nothing, params: &Params) -> Map<String, Value> {
        metadata(params)
    }

    fn nothing(before: Option<String>) -> Value {
        json!({
            "results": [], "count": 0, "has_more": false, "watermark": before, "previous_watermark": before,
        })
    }

    async fn find(
        &self,
        call: &Call,
        look: Look<'_>,
        _: Nothing,
        params: Params,
    ) -> Result<Seen, ActionError> {
        let feed = self.feed(call, &params.connector).await?;
        let metadata = metadata(&params);
        if feed.as_ref().is_some_and(|feed| rests(feed, look.last, call.now)) {
            let nothing = Self::nothing(look.before());
            return Ok(Seen::nothing(nothing, None, metadata));
        }
        let answer = Answer::read(self.asked(call, &params, feed.is_some(), look).await?);
        if look.is_kept && answer.is_partial {
            return Err(ActionError::from_failure(&LookError::Unread));
        }
        let found = answer.found(params.date_field.as_deref());
        let shared = if params.append_only { BTreeMap::new() } else { sharing_a_key(&found) };
        let is_cut = look.is_kept && answer.has_more;
        let how = Overlap { is_cut, ..look.overlap(Self::KIND, call.now) };
        let novel = if params.append_only {
            behind(look, found, how)
        } else {
            novel(look.previous, found, how)
        };
        let novel = novel.map_err(|error| ActionError::from_failure(&error))?;
        let said = with_shared_keys(answer.said_of(&novel.items), &novel.items, &shared);
        let said = with_undated(said, &params, &answer);
        Ok(seen(novel, look, metadata, answer.has_more, said))
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
        let Ok(connector) = ConnectorId::parse(connector) else { return Ok(None) };
        let (owner, profile) = (call.owner.clone(), call.info.profile_id.clone());
        // With the binding, as the call reads it: whoever keeps what it read has both.
        let of = AgentConnector { owner, profile, connector };
        let found = self.connectors.bound(&of).await;
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

/// What was added to the end of a list.
fn behind(look: Look<'_>, found: Vec<Found>, how: Overlap) -> Result<NewItems, LookError> {
    if how.is_cut { Err(LookError::EndMissing) } else { appended(look.previous, found, how) }
}

/// Whether a feed wants to be left alone: it was asked less than its `poll_interval_minutes` ago (F-101). A minute less is no
/// less: clocks are not exact.
fn rests(feed: &FeedConnection, last: Option<Timestamp>, now: Timestamp) -> bool {
    let interval = SignedDuration::from_mins(i64::from(feed.poll_interval_minutes) - 1);
    // A look that is still to come was noted by a clock that was ahead.
    last.is_some_and(|last| now.duration_since(last).abs() < interval)
}

/// How far back a feed is asked: to the newest item, and as much further as something may come late. A look that has nothing
/// to go on from asks for all there is: what it did not see would be new at the next one.
fn hours(look: Look<'_>, now: Timestamp) -> i64 {
    let newest = look.previous.and_then(|position| position.value.as_deref()?.parse().ok());
    let newest: Option<Timestamp> = newest;
    let back =
        newest.map_or(MAX_HOURS, |newest| (now.duration_since(newest) + look.late).as_hours() + 1);
    back.clamp(1, MAX_HOURS)
}

/// Another date would make other keys of the same records.
fn metadata(params: &Params) -> Map<String, Value> {
    let Params { connector, endpoint, date_field, append_only, .. } = params;
    let whole = json!({"connector": connector, "endpoint": endpoint, "date_field": date_field});
    let mut whole = whole.as_object().cloned().unwrap_or_default();
    if *append_only {
        whole.insert("append_only".to_owned(), true.into());
    }
    whole
}

/// Adds how many records are not among the new ones because another one has their key.
fn with_shared_keys(
    said: Map<String, Value>,
    items: &[Found],
    shared: &BTreeMap<String, usize>,
) -> Map<String, Value> {
    let count: usize = items.iter().filter_map(|item| shared.get(&item.key)).sum();
    if count == 0 {
        return said;
    }
    let records = if count == 1 { "1 record has" } else { &format!("{count} records have") };
    let note = format!(
        "{records} the id, or without an id all the contents, of another one that is new: only one of those that share it counts"
    );
    with_note(said, note)
}

/// Adds that the field which is to date the records is in none of them.
fn with_undated(said: Map<String, Value>, params: &Params, answer: &Answer) -> Map<String, Value> {
    let field = params.date_field.as_deref().filter(|_| !params.append_only);
    match field.filter(|field| !answer.has(field)) {
        Some(field) => {
            let note = format!("`date_field`: no record has a field `{field}`, so none is dated");
            with_note(said, note)
        }
        None => said,
    }
}

fn with_note(mut said: Map<String, Value>, note: String) -> Map<String, Value> {
    let listed = said.get("warnings").and_then(Value::as_array).map_or(0, Vec::len) as u64;
    let before = said.get("warning_count").and_then(Value::as_u64).unwrap_or(listed);
    said.insert("warning_count".to_owned(), (before + 1).into());
    match said.get_mut("warnings") {
        Some(Value::Array(all)) => all.insert(0, note.into()),
        _ => drop(said.insert("warnings".to_owned(), vec![note].into())),
    }
    said
}

fn seen(
    novel: NewItems,
    look: Look<'_>,
    metadata: Map<String, Value>,
    has_more: bool,
    said: Map<String, Value>,
) -> Seen {
    let has_more = Some(novel.has_more || has_more);
    let mut seen = Seen::listing("results", novel, has_more, look, metadata);
    for (name, value) in said {
        seen.output[name] = value;
    }
    seen
}

#[cfg(test)]
mod tests {
    use countersign_monitor::Position;

    use super::*;

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
        assert!(!rests(&feed(60), ago(-24 * 60), now));
    }

    #[test]
    fn f_060_a_feed_is_asked_back_to_the_newest_item_and_the_overlap() {
        let now: Timestamp = "2026-11-20T08:00:00Z".parse().unwrap();
        let mut position = Position::start(MarkKind::Cursor);
        let late = SignedDuration::from_hours(24);
        let back = |position: &Position| {
            let look = Look {
                previous: Some(position),
                late,
                most: 1,
                bytes: 1,
                memory: 1,
                last: None,
                is_kept: true,
                monitor: None,
            };
            hours(look, now)
        };
        assert_eq!(back(&position), MAX_HOURS);
        position.value = Some("2026-11-20T05:30:00Z".to_owned());
        assert_eq!(back(&position), 27);
    }
}
