//! What the answer of an endpoint holds for a look: its records with their names and times, and whether something is missing.

use std::collections::{BTreeMap, HashMap};

use countersign_connector::FEEDS_FAILED;
use countersign_connector::mapping::{about_record, record_number};
use countersign_monitor::Found;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// Fields that say when records came or changed, the likeliest first.
const DATES: [&str; 6] = ["published", "updated_at", "updated", "created_at", "filed_at", "date"];
/// Fields that name a record in its source.
const NAMES: [&str; 3] = ["_item_id", "guid", "id"];
/// What an answer says of what it could not read.
const SAID: [&str; 5] = ["warnings", "warning_count", "errors", "files_failed", "file_notes"];

/// An answer.
pub(crate) struct Answer {
    records: Vec<Map<String, Value>>,
    /// Whether the source has more records behind those that came back.
    pub(crate) has_more: bool,
    /// Whether a part of it could not be read: a file, a feed, the first page.
    pub(crate) is_partial: bool,
    /// What it says of that.
    pub(crate) said: Map<String, Value>,
}

impl Answer {
    /// Reads an answer: a set of records, else one record.
    pub(crate) fn read(answer: Value) -> Self {
        let Value::Object(mut fields) = answer else { return Self::of(Map::new(), None) };
        match fields.remove("results") {
            Some(Value::Array(records)) => Self::of(fields, Some(records)),
            _ => Self::of(fields, None),
        }
    }

    fn of(mut fields: Map<String, Value>, records: Option<Vec<Value>>) -> Self {
        let is_said =
            |fields: &Map<String, Value>, name: &str| fields.get(name).is_some_and(counts);
        let has_more = ["has_more", "_has_more"].iter().any(|name| is_said(&fields, name));
        let is_set = records.is_some();
        // The last good answer stands in for a source that does not answer: what is new there is not seen.
        let missing = ["files_failed", FEEDS_FAILED, "_stale"];
        let has_failed = missing.iter().any(|name| is_said(&fields, name));
        let said = SAID.into_iter().filter_map(|name| fields.remove_entry(name));
        let said: Map<String, Value> = said.filter(|(_, value)| counts(value)).collect();
        let records = match records {
            Some(records) => records.into_iter().filter_map(object).collect(),
            None => Vec::from_iter(has_own(&fields).then_some(fields)),
        };
        let is_unread = records.is_empty() && !said.is_empty();
        // One record is all that is asked of an endpoint that gives one.
        Self { records, has_more: is_set && has_more, is_partial: has_failed || is_unread, said }
    }

    /// What the answer could not read, as far as it is about these records of it or about none: what is known already was told
    /// when it was new. Records have their number among these.
    pub(crate) fn said_of(&self, items: &[Found]) -> Map<String, Value> {
        let mut said = self.said.clone();
        let Some(Value::Array(all)) = said.remove("warnings") else { return said };
        let places = self.places(items);
        let kept: Vec<Value> = all.iter().filter_map(|one| numbered(one, &places)).collect();
        let left_out = (all.len() - kept.len()) as u64;
        let count = said.remove("warning_count").and_then(|count| count.as_u64());
        let count = count.unwrap_or_default().max(all.len() as u64) - left_out;
        if count > 0 {
            said.insert("warnings".to_owned(), kept.into());
            said.insert("warning_count".to_owned(), count.into());
        }
        said
    }

    /// The number that each of these has in the answer, and its number among them; both from 1. Of records that are alike, all
    /// that is said is the same.
    fn places(&self, items: &[Found]) -> HashMap<usize, usize> {
        let text = |record: &Map<String, Value>| Value::Object(record.clone()).to_string();
        let mut numbers: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, record) in (1..).zip(&self.records) {
            numbers.entry(text(record)).or_default().push(number);
        }
        let mut places = HashMap::new();
        for (place, item) in (1..).zip(items) {
            let same = numbers.get_mut(&item.record.to_string());
            if let Some(number) = same.and_then(Vec::pop) {
                places.insert(number, place);
            }
        }
        places
    }

    /// Whether any record has this field; also true when there are no records.
    pub(crate) fn has(&self, field: &str) -> bool {
        self.records.is_empty() || self.records.iter().any(|record| record.contains_key(field))
    }

    /// The records as a look compares them, in the order of the answer. Each is dated by `date`, or by the first field that holds
    /// a time.
    pub(crate) fn found(&self, date: Option<&str>) -> Vec<Found> {
        self.records.iter().map(|record| found(record.clone(), date)).collect()
    }
}

fn numbered(warning: &Value, places: &HashMap<usize, usize>) -> Option<Value> {
    match warning.as_str().and_then(record_number) {
        Some((number, what)) => Some(about_record(*places.get(&number)?, what).into()),
        None => Some(warning.clone()),
    }
}

fn object(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

fn has_own(fields: &Map<String, Value>) -> bool {
    fields.keys().any(|name| !name.starts_with('_'))
}

/// How many more records an answer has of one key, for each key that several have: of an id those with other contents, since
/// pages of an answer may overlap; without an id all.
pub(crate) fn sharing_a_key(found: &[Found]) -> BTreeMap<String, usize> {
    let mut first: HashMap<&str, &Value> = HashMap::new();
    let mut shared = BTreeMap::new();
    for one in found {
        let known = *first.entry(&one.key).or_insert(&one.record);
        let is_first = std::ptr::eq(known, &one.record);
        if !is_first && (*known != one.record || !has_name(&one.record)) {
            *shared.entry(one.key.clone()).or_default() += 1;
        }
    }
    shared
}

fn has_name(record: &Value) -> bool {
    NAMES.into_iter().any(|name| record.get(name).and_then(text).is_some())
}

/// Whether a flag is set, a number is not zero, a list is not empty.
fn counts(value: &Value) -> bool {
    match value {
        Value::Bool(is_set) => *is_set,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Array(all) => !all.is_empty(),
        _ => false,
    }
}

fn found(record: Map<String, Value>, date: Option<&str>) -> Found {
    let at = match date {
        Some(date) => moment(record.get(date)),
        None => DATES.into_iter().find_map(|name| moment(record.get(name))),
    };
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

/// A long name by its digest: two that begin alike are two.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.chars().nth(500).is_some() => {
            Some(hex::encode(Sha256::digest(text)))
        }
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A time, or the day as its first moment in UTC.
fn moment(value: Option<&Value>) -> Option<Timestamp> {
    let text = value?.as_str()?;
    let utc = |at: DateTime| at.to_zoned(TimeZone::UTC).ok().map(|at| at.timestamp());
    let time = || utc(text.parse::<DateTime>().ok()?);
    let day = || utc(text.parse::<Date>().ok()?.to_datetime(Time::midnight()));
    text.parse().ok().or_else(time).or_else(day)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn f_218_f_315_an_answer_that_stands_in_for_a_source_is_not_what_the_source_has() {
        let answer =
            |stale: bool| Answer::read(json!({ "results": [{ "id": "1" }], "_stale": stale }));
        assert!(answer(true).is_partial);
        assert!(!answer(false).is_partial);
    }

    fn one(fields: &Value, date: Option<&str>) -> Found {
        found(fields.as_object().cloned().unwrap(), date)
    }

    fn check(fields: &Value, date: Option<&str>, expect_key: &str, expect_at: Option<&str>) {
        let found = one(fields, date);
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
        let said = one(&json!({"title": "A", "_retrieved_at": "1"}), None).key;
        check(&json!({"title": "A", "_retrieved_at": "2"}), None, &said, None);
        let long = |end: &str| one(&json!({"guid": format!("{}{end}", "x".repeat(600))}), None).key;
        assert_ne!(long("a"), long("b"));
    }

    #[test]
    fn f_060_each_record_is_dated_by_its_own_first_field_that_holds_a_time() {
        let day = "2026-11-20T00:00:00Z";
        let plain = json!({"id": 1, "updated_at": "2026-11-20"});
        let other = json!({"id": 2, "published": "2026-11-21", "updated_at": "2026-11-20"});
        let soon =
            json!({"id": 3, "published": "soon", "updated_at": "2026-11-20", "date": "2026-11-19"});
        let alone = Answer::read(json!({"results": [plain]})).found(None);
        let all = Answer::read(json!({"results": [plain, other, soon]})).found(None);
        assert_eq!(alone[0], all[0], "another record changes nothing");
        let dates: Vec<String> = all.iter().map(|found| found.at.unwrap().to_string()).collect();
        assert_eq!(dates, [day, "2026-11-21T00:00:00Z", day]);
        check(&json!({"title": "A", "id": "i"}), None, "i", None);
    }

    #[test]
    fn f_311_a_look_tells_what_is_wrong_with_what_it_found_and_not_what_was_known() {
        let answer = Answer::read(json!({
            "results": [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}],
            "warnings": ["record 2, field `amount`: `n/a` is none", "record 4, field `amount`: `?` is none", "page limit reached"],
            "warning_count": 5,
        }));
        let found = answer.found(None);
        let said = answer.said_of(&found[2..]);
        let expect = json!(["record 2, field `amount`: `?` is none", "page limit reached"]);
        assert_eq!(said["warnings"], expect, "number 4 of the answer is number 2 of what is new");
        assert_eq!(said["warning_count"], 4, "two are not listed");
        let known = Answer::read(json!({
            "results": [{"id": 1}, {"id": 2}], "warnings": ["record 1, field `a`: x"], "warning_count": 1,
        }));
        assert_eq!(known.said_of(&known.found(None)[1..]), Map::new());
    }

    #[test]
    fn f_311_records_that_share_a_key_are_counted() {
        let shared = |records: Value| {
            let found = Answer::read(json!({ "results": records })).found(None);
            sharing_a_key(&found).into_values().collect::<Vec<_>>()
        };
        let pay = json!({"to": "Acme", "amount": "5.00"});
        assert_eq!(shared(json!([pay, pay, pay, {"to": "Bcme"}])), [2], "equal, without an id");
        let line = |id: u8, amount: &str| json!({"id": id, "amount": amount});
        assert_eq!(shared(json!([line(1, "5"), line(1, "6"), line(2, "5"), line(1, "5")])), [1]);
        assert!(shared(json!([line(1, "5"), line(1, "5")])).is_empty(), "pages may overlap");
    }

    #[test]
    fn f_060_an_answer_says_whether_something_is_missing() {
        let check = |answer: Value, has_more: bool, is_partial: bool, records: usize| {
            let read = Answer::read(answer.clone());
            let seen = (read.has_more, read.is_partial, read.found(None).len());
            assert_eq!(seen, (has_more, is_partial, records), "{answer}");
        };
        let whole =
            json!({"results": [{"id": 1}], "has_more": false, "_has_more": false, "warnings": []});
        check(whole, false, false, 1);
        check(json!({"results": [{"id": 1}], "has_more": true}), true, false, 1);
        check(json!({"results": [{"id": 1}], "_has_more": true}), true, false, 1);
        // A value that does not fit is a warning; the record is there.
        check(json!({"results": [{"id": 1}], "warnings": ["x"]}), false, false, 1);
        check(json!({"results": [], "warnings": ["page 1 was not as expected"]}), false, true, 0);
        check(json!({"results": [], "warnings": []}), false, false, 0);
        check(json!({"results": [{"id": 1}], "files_failed": 1, "errors": [{}]}), false, true, 1);
        check(json!({"results": [{"id": 1}], "feeds_failed": 1}), false, true, 1);
        check(json!({"status": "up", "warnings": [], "_has_more": true}), false, false, 1);
        check(
            json!({"warnings": ["page 1 was not as expected"], "_has_more": false}),
            false,
            true,
            0,
        );
    }
}
