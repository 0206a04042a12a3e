use std::sync::Mutex;
use std::time::Duration;

use countersign_identity::UserId;
use countersign_plan::PlanStep;
use countersign_registry::action::{ActionError, ActionFuture, Asking, Call, Handler, RunInfo};
use countersign_registry::{Contract, Registry};
use serde_json::{Map, Value, json};

use super::{Acted, act, lease};

/// Fails so as long as there are errors left, and counts.
struct Failing {
    errors: Mutex<Vec<ActionError>>,
    calls: Mutex<usize>,
}

impl Handler for Failing {
    fn name(&self) -> &'static str {
        "transform_data"
    }

    fn run<'a>(&'a self, _: &'a Call) -> ActionFuture<'a, Value> {
        *self.calls.lock().unwrap() += 1;
        let error = self.errors.lock().unwrap().pop();
        Box::pin(async move { error.map_or_else(|| Ok(json!({})), Err) })
    }
}

fn step(more: &Value) -> PlanStep {
    let mut step = json!({
        "name": "read", "kind": "tool", "action": "transform_data", "on_error": "stop", "after": [],
    });
    step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(step).unwrap()
}

fn contract() -> Contract {
    let registry = Registry::builtin();
    Contract { outputs: Vec::new(), ..registry.get("transform_data").unwrap().clone() }
}

fn call() -> Call {
    let owner = UserId::from_bytes([1; 16]);
    Call {
        run: "run_1".to_owned(),
        step: "read".to_owned(),
        owner: owner.clone(),
        action: "transform_data".to_owned(),
        inputs: Map::new(),
        params: Map::new(),
        idempotency_key: "run_1/read".to_owned(),
        output_schema: None,
        model: None,
        asking: Asking::default(),
        is_for_each_item: false,
        rewrite: None,
        permit: None,
        now: jiff::Timestamp::UNIX_EPOCH,
        remaining: Duration::from_secs(60),
        info: RunInfo {
            profile_id: "prof_1".to_owned(),
            profile_name: "Investigator".to_owned(),
            playbook_id: None,
            query: String::new(),
            run_context: "interactive".to_owned(),
            dry_run: false,
            invoked_by: owner,
            team: None,
            started_at: jiff::Timestamp::UNIX_EPOCH,
            monitor: None,
            warnings: Vec::new(),
        },
    }
}

/// Acts against so many errors: what came of it, and how often it was called.
async fn acting(errors: Vec<ActionError>, more: Value) -> (Acted, usize) {
    let action = Failing { errors: Mutex::new(errors), calls: Mutex::new(0) };
    let acted = act(&action, call(), &step(&more), &contract(), Duration::from_secs(60)).await;
    let calls = *action.calls.lock().unwrap();
    (acted, calls)
}

fn terminal() -> ActionError {
    ActionError::terminal("CONNECTOR_UNAVAILABLE", "down")
}

fn passing() -> ActionError {
    ActionError::retryable("STORE_UNAVAILABLE", "down")
}

#[tokio::test]
async fn k_51_a_step_is_called_once_unless_its_author_asks_for_more() {
    for error in [terminal(), passing()] {
        let (acted, calls) = acting(vec![error.clone(); 9], json!({})).await;
        assert!(matches!(acted, Acted::Failed(found) if found.class == error.class));
        assert_eq!(calls, 1);
        let (_, calls) = acting(vec![error.clone(); 9], json!({ "retries": 2 })).await;
        assert_eq!(calls, 3);
        let (acted, calls) = acting(vec![error], json!({ "retries": 1 })).await;
        assert!(matches!(acted, Acted::Done(_)));
        assert_eq!(calls, 2);
    }
}

#[tokio::test]
async fn k_49_what_cannot_be_taken_back_is_called_once() {
    let irreversible = json!({ "irreversible": true, "retries": 3 });
    let (acted, calls) = acting(vec![terminal()], irreversible.clone()).await;
    assert!(matches!(acted, Acted::Failed(_)), "it said no");
    assert_eq!(calls, 1);
    for error in [passing(), ActionError::terminal("CONNECTOR_IN_DOUBT", "who knows")] {
        let (acted, calls) = acting(vec![error], irreversible.clone()).await;
        assert!(matches!(acted, Acted::Unknown));
        assert_eq!(calls, 1);
    }
}

#[tokio::test]
async fn k_49_what_was_done_is_never_taken_for_refused_because_of_its_answer() {
    let registry = Registry::builtin();
    let contract = registry.get("transform_data").unwrap();
    for (is_done, more) in [(true, json!({ "irreversible": true })), (false, json!({}))] {
        let action = Failing { errors: Mutex::default(), calls: Mutex::new(0) };
        let time = Duration::from_secs(60);
        let acted = act(&action, call(), &step(&more), contract, time).await;
        assert!(matches!((is_done, acted), (true, Acted::Unknown) | (false, Acted::Failed(_))));
    }
}

#[test]
fn a_lease_ends_with_the_invocation_or_with_the_steps_own_limit() {
    let check = |more: Value, remaining: u64, expect: u64| {
        let lease = lease(&step(&more), Duration::from_secs(remaining));
        assert_eq!(lease.as_secs(), expect, "{more} {remaining}");
    };
    check(json!({}), 120, 125);
    check(json!({ "timeout_seconds": 3 }), 120, 12);
    check(json!({ "timeout_seconds": 300 }), 120, 125);
    check(json!({ "timeout_seconds": 3 }), 5, 10);
}
