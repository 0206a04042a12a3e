//! `POST /connectors/{id}/test`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use countersign_connector::{ConnectorId, infer_schema};
use countersign_identity::{Requirement, Role, UserId};
use countersign_profile::ProfileId;
use countersign_registry::CALL_CONNECTOR;
use countersign_registry::action::{ActionError, Call, RunInfo};
use countersign_web::{Json, Path, Problem, Signed};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::Context;

/// The gateway waits 29 seconds; what is left is for the answer.
const AT_MOST: Duration = Duration::from_secs(25);
/// Records shown unless asked otherwise, and at most.
const ROWS: usize = 10;
const MOST_ROWS: usize = 100;

/// What to try.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trial {
    /// The endpoint.
    endpoint: String,
    /// Its arguments, by name.
    #[serde(default)]
    inputs: Map<String, Value>,
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
pub(crate) struct Outcome {
    ok: bool,
    took_ms: u128,
    /// How many records came back.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    /// What the endpoint gave, with the first records only.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Value>,
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
    Json(trial): Json<Trial>,
) -> Result<Json<Outcome>, Problem> {
    signed.caller.permits(&Requirement::role(Role::Analyst), None)?;
    let rows = trial.rows.unwrap_or(ROWS);
    if rows > MOST_ROWS {
        return Err(Problem::field("rows", format!("must be at most {MOST_ROWS}")));
    }
    let begun = Instant::now();
    let outcome = context.action.run(&call(&signed.caller.user, &id, &trial)).await;
    let took_ms = begun.elapsed().as_millis();
    Ok(Json(match outcome {
        Ok(output) => succeeded(output, rows, trial.infer, took_ms),
        Err(error) => failed(&error, took_ms),
    }))
}

fn call(owner: &UserId, id: &ConnectorId, trial: &Trial) -> Call {
    let now = Timestamp::now();
    let params = json!({ "connector": id.as_str(), "endpoint": trial.endpoint });
    let profile = trial.profile.as_ref().map(ToString::to_string).unwrap_or_default();
    Call {
        run: "test".to_owned(),
        step: trial.endpoint.clone(),
        owner: owner.clone(),
        action: CALL_CONNECTOR.to_owned(),
        inputs: trial.inputs.clone(),
        params: params.as_object().cloned().unwrap_or_default(),
        // Nobody repeats a test: what it reserves is its own.
        idempotency_key: hex::encode(rand::random::<[u8; 16]>()),
        now,
        remaining: AT_MOST,
        info: RunInfo {
            profile_id: profile,
            profile_name: String::new(),
            playbook_id: None,
            query: String::new(),
            run_context: "interactive".to_owned(),
            invoked_by: owner.clone(),
            started_at: now,
        },
    }
}

fn succeeded(mut output: Value, rows: usize, infer: bool, took_ms: u128) -> Outcome {
    let sample = output.get("results").unwrap_or(&output);
    let output_schema = infer.then(|| infer_schema(sample).as_written());
    let records = output.get_mut("results").and_then(Value::as_array_mut);
    let count = records.map(|records| {
        let count = records.len();
        records.truncate(rows);
        count
    });
    Outcome { ok: true, took_ms, count, output: Some(output), error: None, output_schema }
}

fn failed(error: &ActionError, took_ms: u128) -> Outcome {
    let error = json!({ "code": error.code, "message": error.message, "help": error.help });
    Outcome {
        ok: false,
        took_ms,
        count: None,
        output: None,
        error: Some(error),
        output_schema: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{failed, succeeded};
    use countersign_registry::action::ActionError;
    use serde_json::json;

    #[test]
    fn f_331_a_test_shows_the_first_records_and_counts_all() {
        let output = json!({ "results": [{ "n": 1 }, { "n": 2 }, { "n": 3 }], "count": 3 });
        let outcome = succeeded(output, 2, true, 7);
        assert_eq!((outcome.count, outcome.ok), (Some(3), true));
        assert_eq!(outcome.output.unwrap()["results"], json!([{ "n": 1 }, { "n": 2 }]));
        let schema = outcome.output_schema.unwrap();
        assert_eq!(schema["fields"], json!([{ "name": "n", "type": "integer" }]));
    }

    #[test]
    fn f_331_a_call_that_fails_is_a_result_with_its_code() {
        let outcome = failed(&ActionError::terminal("CONNECTOR_REFUSED", "no"), 7);
        assert!(!outcome.ok);
        assert_eq!(outcome.error.unwrap()["code"], "CONNECTOR_REFUSED");
    }
}
