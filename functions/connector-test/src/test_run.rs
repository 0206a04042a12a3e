//! `POST /connectors/{id}/test`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use countersign_connector::ConnectorId;
use countersign_identity::{Requirement, Role, UserId};
use countersign_profile::ProfileId;
use countersign_registry::CALL_CONNECTOR;
use countersign_registry::action::{ActionError, Asking, Call, RunInfo};
use countersign_web::{Json, Path, Problem, Signed};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{Context, test_request};

/// The gateway waits 29 seconds; what is left is for the answer.
const AT_MOST: Duration = Duration::from_secs(25);
/// Records shown unless asked otherwise, and at most.
const ROWS: usize = 10;
const MAX_ROWS: usize = 100;
/// Lambda answers with at most 6 MB, and writes this answer as a text in which quotes and backslashes count twice.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// What to try.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestRun {
    /// The endpoint.
    pub(crate) endpoint: String,
    /// Its arguments, by name.
    #[serde(default)]
    pub(crate) inputs: Map<String, Value>,
    /// The agent whose binding and credential are used.
    #[serde(default)]
    profile: Option<ProfileId>,
    /// Whether to infer an `output_schema` from what comes back (F-092).
    #[serde(default)]
    infer: bool,
    /// How many records to show: 10, at most 100.
    #[serde(default)]
    rows: Option<usize>,
}

/// How it went. A call that fails is a result.
#[derive(Debug, Serialize)]
pub(crate) struct TestResult {
    ok: bool,
    took_ms: u128,
    /// How many records came back.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    /// What the endpoint gave, with the first records only.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Value>,
    /// What of the output is not shown because the answer would be too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<String>,
    /// Declared fields that are empty in every record that came back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    empty_fields: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
    /// Fit to be written into the connector.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
}

pub(crate) async fn run(
    State(context): State<Arc<Context>>,
    signed: Signed,
    Path(id): Path<ConnectorId>,
    Json(test_run): Json<TestRun>,
) -> Result<Json<TestResult>, Problem> {
    signed.caller.permits(&Requirement::role(Role::Analyst), None)?;
    let rows = test_run.rows.unwrap_or(ROWS);
    if rows > MAX_ROWS {
        return Err(Problem::field("rows", format!("must be at most {MAX_ROWS}")));
    }
    let owner = &signed.caller.user;
    let definition = context.context.definition_of(owner, &id).await;
    let definition = definition.map_err(|error| Problem::of(error.as_ref()))?;
    let definition = definition.ok_or_else(Problem::not_found)?;
    let endpoint = test_request::endpoint(&definition, &test_run.endpoint)?;
    let test_run = TestRun { inputs: test_request::arguments(&definition, &test_run)?, ..test_run };
    let begun = Instant::now();
    let outcome = context.action.run(&call(owner, &id, &test_run)).await;
    let took_ms = begun.elapsed().as_millis();
    let output = match outcome {
        Ok(output) => output,
        Err(error) => return Ok(Json(failed(&error, test_run.profile.is_some(), took_ms))),
    };
    let output_schema = if test_run.infer { endpoint.inferred_output(&output) } else { None };
    let empty = endpoint.empty_fields(&output);
    let empty_fields = empty.into_iter().map(str::to_owned).collect();
    Ok(Json(TestResult { output_schema, empty_fields, ..succeeded(output, rows, took_ms) }))
}

fn call(owner: &UserId, id: &ConnectorId, test_run: &TestRun) -> Call {
    let now = Timestamp::now();
    let params = json!({ "connector": id.as_str(), "endpoint": test_run.endpoint });
    let profile = test_run.profile.as_ref().map(ToString::to_string).unwrap_or_default();
    Call {
        run: "test".to_owned(),
        step: test_run.endpoint.clone(),
        owner: owner.clone(),
        action: CALL_CONNECTOR.to_owned(),
        inputs: test_run.inputs.clone(),
        params: params.as_object().cloned().unwrap_or_default(),
        // Nobody repeats a test: what it reserves is its own.
        idempotency_key: hex::encode(rand::random::<[u8; 16]>()),
        output_schema: None,
        model: None,
        asking: Asking::default(),
        is_for_each_item: false,
        rewrite: None,
        permit: None,
        now,
        remaining: AT_MOST,
        info: RunInfo {
            profile_id: profile,
            profile_name: String::new(),
            playbook_id: None,
            query: String::new(),
            run_context: "interactive".to_owned(),
            dry_run: false,
            invoked_by: owner.clone(),
            team: None,
            started_at: now,
            monitor: None,
            warnings: Vec::new(),
        },
    }
}

fn succeeded(mut output: Value, rows: usize, took_ms: u128) -> TestResult {
    let records = output.get_mut("results").and_then(Value::as_array_mut);
    let count = records.map(|records| {
        let count = records.len();
        records.truncate(rows);
        count
    });
    let cut = shortened(&mut output, MAX_BYTES);
    TestResult {
        ok: true,
        took_ms,
        count,
        output: Some(output),
        cut,
        empty_fields: Vec::new(),
        error: None,
        output_schema: None,
    }
}

/// Takes away what does not fit: records from the end, then whatever else is largest. Says what, when something had to go.
fn shortened(output: &mut Value, most: usize) -> Option<String> {
    let mut left = written(output);
    if left <= most {
        return None;
    }
    let mut gone = Vec::new();
    if let Some(records) = output.get_mut("results").and_then(Value::as_array_mut) {
        let all = records.len();
        while left > most
            && let Some(record) = records.pop()
        {
            left = left.saturating_sub(written(&record));
        }
        gone.push(format!("{} of {all} records", all - records.len()));
    }
    if let Some(members) = output.as_object_mut() {
        let mut sizes: Vec<(usize, String)> =
            members.iter().map(|(name, value)| (written(value), name.clone())).collect();
        sizes.sort_by(|a, b| b.cmp(a));
        for (size, name) in sizes {
            if left <= most {
                break;
            }
            members.shift_remove(&name);
            left = left.saturating_sub(size);
            gone.push(format!("`{}`", name.chars().take(64).collect::<String>()));
        }
    }
    if left > most {
        *output = Value::Null;
        return Some("the output is too large to be shown".to_owned());
    }
    Some(format!("left out, because the answer would be too large: {}", gone.join(", ")))
}

/// How many bytes a value has as JSON.
fn written(value: &Value) -> usize {
    serde_json::to_vec(value).map_or(usize::MAX, |bytes| bytes.len())
}

/// Without an agent there is no credential to enter again.
const NO_AGENT: &str = "name an agent with `profile`: its data source holds the credential";

fn failed(error: &ActionError, with_agent: bool, took_ms: u128) -> TestResult {
    let credential = ["CONNECTOR_AUTH_FAILED", "CONNECTOR_CREDENTIAL"].contains(&error.code);
    let refused = credential && !with_agent;
    let help = if refused { Some(NO_AGENT.to_owned()) } else { error.help.clone() };
    let error = json!({ "code": error.code, "message": error.message, "help": help });
    TestResult {
        ok: false,
        took_ms,
        count: None,
        output: None,
        cut: None,
        empty_fields: Vec::new(),
        error: Some(error),
        output_schema: None,
    }
}

#[cfg(test)]
mod tests {
    use countersign_registry::action::ActionError;
    use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
    use serde_json::{Value, json};

    use super::{NO_AGENT, failed, shortened, succeeded, written};

    #[test]
    fn f_331_a_test_shows_the_first_records_and_counts_all() {
        let output = json!({ "results": [{ "n": 1 }, { "n": 2 }, { "n": 3 }], "count": 3 });
        let outcome = succeeded(output, 2, 7);
        assert_eq!((outcome.count, outcome.ok, outcome.cut), (Some(3), true, None));
        assert_eq!(outcome.output.unwrap()["results"], json!([{ "n": 1 }, { "n": 2 }]));
    }

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
    fn check(mut output: Value, most: usize, expect: Value, cut: Option<&str>) {
        let said = shortened(&mut output, most);
        assert_eq!(output, expect);
        assert!(written(&output) <= most);
        let cut = cut.map(|cut| format!("left out, because the answer would be too large: {cut}"));
        assert_eq!(said, cut);
    }

    #[test]
    fn f_331_an_answer_that_is_too_large_says_what_is_left_out() {
        let text = "x".repeat(100);
        let rows = json!({ "results": [{ "a": text }, { "a": text }, { "a": text }], "count": 3 });
        check(rows.clone(), 1_000, rows.clone(), None);
        let two = json!({ "results": [{ "a": text }, { "a": text }], "count": 3 });
        check(rows.clone(), 260, two, Some("1 of 3 records"));
        check(rows.clone(), 40, json!({ "results": [], "count": 3 }), Some("3 of 3 records"));
        let record = json!({ "name": "Mill", "text": text, "other": "y".repeat(50) });
        let small = json!({ "name": "Mill" });
        check(record, 60, small, Some("`text`, `other`"));
        let warnings = json!({ "results": [], "warnings": [text, text] });
        check(warnings, 100, json!({ "results": [] }), Some("0 of 0 records, `warnings`"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn f_331_no_answer_is_larger_than_its_bound(
            rows in proptest::collection::vec("[a-z\"\\\\]{0,60}", 0..12),
            name in "[a-z]{1,40}",
            text in "[a-z]{0,300}",
            most in 50_usize..400,
        ) {
            let mut output = json!({ "results": rows, "count": rows.len(), name: text });
            let before = output.clone();
            let cut = shortened(&mut output, most);
            prop_assert!(written(&output) <= most);
            prop_assert_eq!(cut.is_none(), output == before);
        }
    }

    #[test]
    fn f_331_a_call_that_fails_is_a_result_with_its_code() {
        let refused = |code: &'static str, with_agent: bool| {
            let outcome =
                failed(&ActionError::terminal(code, "no").with_help("again"), with_agent, 7);
            assert!(!outcome.ok);
            outcome.error.unwrap()
        };
        assert_eq!(refused("CONNECTOR_REFUSED", false)["code"], "CONNECTOR_REFUSED");
        assert_eq!(refused("CONNECTOR_AUTH_FAILED", true)["help"], "again");
        assert_eq!(refused("CONNECTOR_AUTH_FAILED", false)["help"], NO_AGENT);
    }
}
