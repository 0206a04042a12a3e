use std::sync::{Arc, Mutex};
use std::time::Duration;

use countersign_identity::UserId;
use countersign_journal::{
    Access, Entry, EntryId, JournalError, JournalPage, JournalRead, JournalWrite,
};
use countersign_registry::action::{ActionError, ActionFuture, Asking, Call, RunInfo};
use countersign_run::StepStatus;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{RunOutcomes, StepResult, actions};

#[derive(Default)]
struct Memory(Mutex<Vec<Entry>>);

impl JournalWrite for Memory {
    fn put_if_new<'a>(&'a self, entry: &'a Entry) -> BoxFuture<'a, Result<Entry, JournalError>> {
        Box::pin(async move {
            let mut entries = self.0.lock().unwrap();
            if let Some(stands) = entries.iter().find(|known| known.id == entry.id) {
                return Ok(stands.clone());
            }
            entries.push(entry.clone());
            Ok(entry.clone())
        })
    }
}

impl JournalRead for Memory {
    fn entry<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a EntryId,
    ) -> BoxFuture<'a, Result<Option<Entry>, JournalError>> {
        Box::pin(async move {
            Ok(self.0.lock().unwrap().iter().find(|e| e.id == *id && e.user_id == *owner).cloned())
        })
    }

    fn page<'a>(
        &'a self,
        _: &'a Access,
        _: Option<Timestamp>,
        _: Option<Timestamp>,
        _: Option<&'a str>,
    ) -> BoxFuture<'a, Result<JournalPage, JournalError>> {
        Box::pin(async move {
            Ok(JournalPage {
                entries: self.0.lock().unwrap().iter().rev().cloned().collect(),
                next: None,
            })
        })
    }
}

struct Run(Vec<StepResult>);

impl RunOutcomes for Run {
    fn outcomes<'a>(&'a self, _: &'a str) -> ActionFuture<'a, Vec<StepResult>> {
        Box::pin(async move { Ok(self.0.clone()) })
    }

    fn retention_days<'a>(&'a self, _: &'a Call) -> ActionFuture<'a, u16> {
        Box::pin(async move { Ok(30) })
    }
}

fn outcome(step: &str, status: StepStatus, output: Value) -> StepResult {
    let code = (!status.is_good()).then(|| "XML_INVALID".to_owned());
    StepResult { step: step.to_owned(), status, output, code }
}

fn call(action: &str, inputs: &Value) -> Call {
    let user = UserId::from_bytes([1; 16]);
    let now: Timestamp = "2026-11-21T10:00:00Z".parse().unwrap();
    Call {
        run: "run_1".into(),
        step: "journal".into(),
        owner: user.clone(),
        action: action.into(),
        inputs: inputs.as_object().cloned().unwrap_or_default(),
        params: serde_json::Map::new(),
        idempotency_key: "key".into(),
        output_schema: None,
        model: None,
        asking: Asking::default(),
        is_for_each_item: false,
        rewrite: None,
        permit: None,
        now,
        remaining: Duration::from_secs(60),
        info: RunInfo {
            profile_id: "prof_1".into(),
            profile_name: "Nonprofit Investigator".into(),
            playbook_id: None,
            query: "who?".into(),
            run_context: "scheduled".into(),
            dry_run: false,
            invoked_by: user,
            team: None,
            started_at: now,
            monitor: None,
            warnings: Vec::new(),
        },
    }
}

async fn run(
    journal: &Arc<Memory>,
    outcomes: Vec<StepResult>,
    call: &Call,
) -> Result<Value, ActionError> {
    let all = actions(Arc::clone(journal) as Arc<dyn crate::Journal>, Arc::new(Run(outcomes)));
    all.iter().find(|action| action.name() == call.action).unwrap().run(call).await
}

async fn check(outcomes: Vec<StepResult>, expect: &Value) {
    let journal = Arc::new(Memory::default());
    let inputs = json!({"summary": "Two people sit on two boards.", "detail_entries": ["seen"],
        "entities_mentioned": ["Ada", {"canonical_name": "River Trust", "type": "ORG"}]});
    run(&journal, outcomes, &call("write_journal_entry", &inputs)).await.unwrap();
    let entry = serde_json::to_value(&journal.0.lock().unwrap()[0]).unwrap();
    for (name, value) in expect.as_object().unwrap() {
        assert_eq!(entry[name], *value, "{name}");
    }
}

#[tokio::test]
async fn f_065_the_engine_fills_in_what_it_knows() {
    let routed = json!({"routed_to": [
        {"destination": "document", "status": "success", "details": {"filename": "a.md", "folder_id": "f"}},
        {"destination": "data_workspace_table", "status": "success",
         "details": {"workspace_id": "research", "table_name": "t", "rows_inserted": 12}},
        {"destination": "chat", "status": "skipped", "details": "the condition is false"}], "success": true});
    check(
        vec![
            outcome("read", StepStatus::Done, json!({"count": 3})),
            outcome("resolve", StepStatus::Done, json!({"resolved": [
                {"canonical_name": "Ada", "type": "PERSON", "is_known": false},
                {"canonical_name": "River Trust", "type": "ORG", "is_known": true}]})),
            outcome("write", StepStatus::Done, routed),
        ],
        &json!({
            "agent_profile_id": "prof_1", "execution_id": "run_1", "origin": "step", "run_context": "scheduled",
            "steps_completed": ["read", "resolve", "write"], "task_status": "complete",
            "entities_discovered": [{"name": "Ada", "type": "PERSON"}],
            "entities_mentioned": [{"name": "Ada"}, {"name": "River Trust", "type": "ORG"}],
            "detail_entries": [{"action": "note", "result": "seen"}],
            "outputs_produced": [{"type": "document", "path": "f/a.md"},
                {"type": "data_workspace_table", "table": "research/t", "rows": 12}],
            "expires_at": "2026-12-21T10:00:00Z",
        }),
    )
    .await;
}

#[tokio::test]
async fn f_224_a_failed_step_makes_the_entry_partial() {
    check(
        vec![outcome("read", StepStatus::Done, Value::Null), outcome("grants", StepStatus::Failed, Value::Null)],
        &json!({"task_status": "partial", "error_summary": "grants: XML_INVALID", "steps_completed": ["read"]}),
    )
    .await;
}

#[tokio::test]
async fn a_second_attempt_writes_no_second_entry() {
    let journal = Arc::new(Memory::default());
    let step = call("write_journal_entry", &json!({"summary": "Done."}));
    let first = run(&journal, Vec::new(), &step).await.unwrap();
    assert_eq!(first, run(&journal, Vec::new(), &step).await.unwrap());
    assert_eq!(journal.0.lock().unwrap().len(), 1);
    let error = run(&journal, Vec::new(), &call("write_journal_entry", &json!({"summary": " "})))
        .await
        .unwrap_err();
    assert_eq!(error.code, "JOURNAL_ARGUMENT");
}

#[tokio::test]
async fn f_065_what_an_entry_leaves_out_is_said() {
    let journal = Arc::new(Memory::default());
    let inputs = json!({
        "summary": "x".repeat(10_001), "detail_entries": [7, "read", {"action": "read"}],
        "entities_mentioned": vec![json!("Ann Lee"); 201],
    });
    let output = run(&journal, Vec::new(), &call("write_journal_entry", &inputs)).await.unwrap();
    let expect = [
        "`summary` has 10001 characters, of which the first 10000 are kept",
        "what is neither a text nor a record in `detail_entries` is left out, 1 of 3",
        "`entities_mentioned` has 201 entries, of which the first 200 are kept",
    ];
    assert_eq!((&output["warnings"], &output["warning_count"]), (&json!(expect), &json!(3)));
}

#[tokio::test]
async fn f_066_an_agent_finds_what_it_wrote() {
    let journal = Arc::new(Memory::default());
    run(
        &journal,
        Vec::new(),
        &call("write_journal_entry", &json!({"summary": "Read 12 filings."})),
    )
    .await
    .unwrap();
    let found = run(&journal, Vec::new(), &call("query_journal", &json!({"query": "filings"})))
        .await
        .unwrap();
    assert_eq!(found["count"], 1);
    assert_eq!(found["entries"][0]["summary"], "Read 12 filings.");
    let error = run(&journal, Vec::new(), &call("query_journal", &json!({"status": "well"})))
        .await
        .unwrap_err();
    assert_eq!(error.code, "JOURNAL_ARGUMENT");
}
