//! Both actions against real servers on this machine.

mod crawling;
mod searching;

use std::sync::Arc;
use std::time::Duration;

use countersign_http_out::{Egress, Policy};
use countersign_identity::UserId;
use countersign_reader::Readers;
use countersign_registry::action::{ActionError, Call, RunInfo};
use serde_json::{Value, json};

use crate::{Deps, SearchProvider, actions};

fn egress() -> Egress {
    Egress::new(Policy { allow_loopback: true })
}

fn call_of(action: &str, inputs: Value, params: Value) -> Call {
    let user = UserId::from_bytes([1; 16]);
    let object = |value: Value| value.as_object().cloned().unwrap_or_default();
    Call {
        run: "run_1".to_owned(),
        step: "look".to_owned(),
        owner: user.clone(),
        action: action.to_owned(),
        inputs: object(inputs),
        params: object(params),
        idempotency_key: "run_1/look".to_owned(),
        output_schema: None,
        model: None,
        is_for_each_item: false,
        rewrite: None,
        permit: None,
        now: "2026-03-04T05:06:07Z".parse().unwrap(),
        remaining: Duration::from_secs(60),
        info: RunInfo {
            profile_id: "prof_1".to_owned(),
            profile_name: "Investigator".to_owned(),
            playbook_id: None,
            query: String::new(),
            run_context: "interactive".to_owned(),
            dry_run: false,
            invoked_by: user,
            team: None,
            started_at: jiff::Timestamp::UNIX_EPOCH,
            monitor: None,
            warnings: Vec::new(),
        },
    }
}

async fn run(search: Option<Arc<dyn SearchProvider>>, call: &Call) -> Result<Value, ActionError> {
    let all = actions(Deps { egress: egress(), readers: Readers::here(), search });
    all.iter().find(|action| action.name() == call.action).unwrap().run(call).await
}

/// The output has the slots of the contract, no more and no fewer.
fn fits(call: &Call, output: &Value) {
    let registry = countersign_registry::Registry::builtin();
    let mut names: Vec<_> =
        registry.get(&call.action).unwrap().outputs.iter().map(|slot| slot.name.as_str()).collect();
    let mut keys: Vec<_> = output.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    keys.sort_unstable();
    assert_eq!(keys, names);
}

#[test]
fn f_041_every_action_has_a_contract_on_this_function() {
    let registry = countersign_registry::Registry::builtin();
    for action in actions(Deps { egress: egress(), readers: Readers::here(), search: None }) {
        let contract = registry.get(action.name()).unwrap();
        assert_eq!(
            (contract.function.as_str(), contract.writes, contract.irreversible),
            ("tool-web", false, false)
        );
    }
    assert_eq!(
        json!(registry.functions().filter(|(_, function)| *function == "tool-web").count()),
        2
    );
}
