use countersign_identity::UserId;
use countersign_run::RunContext;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Access, JournalPage, JournalRead, search};
use crate::entry::{Entry, EntryId, JournalConfig, Mention, Origin, TaskStatus};
use crate::error::JournalError;
use crate::filter::Filter;

/// Entries in memory, two a page, so that every search turns pages.
struct Shelf(Vec<Entry>);

impl JournalRead for Shelf {
    fn entry<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a EntryId,
    ) -> BoxFuture<'a, Result<Option<Entry>, JournalError>> {
        Box::pin(
            async move { Ok(self.0.iter().find(|e| e.id == *id && e.user_id == *owner).cloned()) },
        )
    }

    fn page<'a>(
        &'a self,
        access: &'a Access,
        _: Option<Timestamp>,
        _: Option<Timestamp>,
        cursor: Option<&'a str>,
    ) -> BoxFuture<'a, Result<JournalPage, JournalError>> {
        Box::pin(async move {
            let start: usize = cursor.map_or(0, |cursor| cursor.parse().unwrap());
            let of = |entry: &&Entry| match access {
                Access::Status { status, .. } => entry.task_status == *status,
                _ => true,
            };
            let all: Vec<Entry> = self.0.iter().rev().filter(of).cloned().collect();
            let entries: Vec<Entry> = all.iter().skip(start).take(2).cloned().collect();
            let next = (start + 2 < all.len()).then(|| (start + 2).to_string());
            Ok(JournalPage { entries, next })
        })
    }
}

fn entry(day: i8, summary: &str, names: &[&str], task_status: TaskStatus) -> Entry {
    let user = UserId::from_bytes([1; 16]);
    let created_at: Timestamp = format!("2026-01-{day:02}T12:00:00Z").parse().unwrap();
    Entry {
        id: EntryId::of_run(&day.to_string()),
        agent_profile_id: "prof_1".into(),
        user_id: user.clone(),
        execution_id: format!("run_{day}"),
        origin: Origin::Run,
        summary: summary.into(),
        brief: None,
        detail_entries: Vec::new(),
        run_context: RunContext::Interactive,
        occurrence: None,
        invoked_by: user,
        team_id: None,
        entities_mentioned: names
            .iter()
            .map(|name| Mention { name: (*name).into(), entity_type: None })
            .collect(),
        steps_completed: vec!["read".into()],
        entities_discovered: Vec::new(),
        outputs_produced: Vec::new(),
        approvals: Vec::new(),
        task_status,
        error_summary: None,
        created_at,
        expires_at: JournalConfig::default().expiry(created_at),
    }
}

fn shelf() -> Shelf {
    Shelf(vec![
        entry(1, "Read 12 filings", &["Lantern Fund"], TaskStatus::Complete),
        entry(2, "Nothing matched", &[], TaskStatus::Complete),
        entry(3, "Read 3 filings", &["RIVER TRUST", "Maria Alvarez"], TaskStatus::Partial),
        entry(4, "Broken file", &[], TaskStatus::Error),
        entry(5, "Read 9 filings of Lantern", &["Lantern Fund, Inc."], TaskStatus::Complete),
    ])
}

async fn check(arguments: Value, expect: &[i8]) {
    let filter = Filter::read(arguments.as_object().unwrap()).unwrap();
    let shelf = shelf();
    let owner = UserId::from_bytes([1; 16]);
    let found = search(&shelf, &owner, "prof_1", &filter).await.unwrap();
    let runs: Vec<String> = found.entries.iter().map(|entry| entry.execution_id.clone()).collect();
    assert_eq!(
        runs,
        expect.iter().map(|day| format!("run_{day}")).collect::<Vec<_>>(),
        "{arguments}"
    );
}

#[tokio::test]
async fn f_223_entries_are_found_by_dates_words_entity_and_status() {
    check(json!({}), &[5, 4, 3, 2, 1]).await;
    check(json!({"query": "What filings did we read?"}), &[5, 3, 1]).await;
    check(json!({"query": "filings lantern"}), &[5, 1]).await;
    check(json!({"entity_name": "lantern fund"}), &[5, 1]).await;
    check(json!({"status": "complete", "limit": 2}), &[5, 2]).await;
    check(json!({"date_from": "2026-01-02", "date_to": "2026-01-03"}), &[3, 2]).await;
    check(json!({"date_to": "2026-01-01T11:59:59Z"}), &[]).await;
    check(json!({"query": "nowhere"}), &[]).await;
}

#[tokio::test]
async fn f_223_the_matched_date_range_is_told() {
    let filter = Filter::read(json!({"query": "filings"}).as_object().unwrap()).unwrap();
    let (shelf, owner) = (shelf(), UserId::from_bytes([1; 16]));
    let output = search(&shelf, &owner, "prof_1", &filter).await.unwrap().to_output();
    assert_eq!((&output["count"], &output["has_more"]), (&json!(3), &json!(false)));
    assert_eq!(
        output["date_range"],
        json!({"from": "2026-01-01T12:00:00Z", "to": "2026-01-05T12:00:00Z"})
    );
    let first = Filter::read(json!({"query": "filings", "limit": 2}).as_object().unwrap()).unwrap();
    let output = search(&shelf, &owner, "prof_1", &first).await.unwrap().to_output();
    assert_eq!((&output["count"], &output["has_more"]), (&json!(2), &json!(true)));
    assert_eq!(output["warnings"], json!([]));
    let none = Filter::read(json!({"query": "nowhere"}).as_object().unwrap()).unwrap();
    let output = search(&shelf, &owner, "prof_1", &none).await.unwrap().to_output();
    assert_eq!(output["date_range"], json!({}));
}

#[test]
fn f_066_arguments_are_checked() {
    let refused =
        |arguments: Value| Filter::read(arguments.as_object().unwrap()).unwrap_err().to_string();
    assert_eq!(
        refused(json!({"status": "done"})),
        "`status` is not one of complete, error, partial, awaiting_approval"
    );
    assert_eq!(
        refused(json!({"date_from": "soon"})),
        "`date_from` must be a day `yyyy-mm-dd` or a time in RFC 3339"
    );
    assert_eq!(refused(json!({"limit": 0})), "`limit` must be a whole number from 1 to 100");
    assert_eq!(
        refused(json!({"date_from": "2026-02-01", "date_to": "2026-01-01"})),
        "`date_to` is before `date_from`"
    );
}
