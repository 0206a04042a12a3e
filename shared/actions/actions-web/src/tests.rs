//! Both actions against real servers on this machine.

mod crawling;
mod searching;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use countersign_http_out::{Egress, Policy};
use countersign_identity::UserId;
use countersign_reader::Readers;
use countersign_registry::action::{ActionError, Asking, Call, RunInfo};
use countersign_run::Quota;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::{Deps, SearchProvider, SearchQuota, WebError, actions};

/// A day with room for so many requests.
pub(crate) struct Room(AtomicU64);

impl Room {
    pub(crate) fn new(requests: u64) -> Arc<Self> {
        Arc::new(Self(AtomicU64::new(requests)))
    }

    pub(crate) fn left(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

impl SearchQuota for Room {
    fn take<'a>(&'a self, call: &'a Call, requests: u64) -> BoxFuture<'a, Result<(), WebError>> {
        let taken = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(requests));
        let exceeded = || WebError::from(Quota::searches(1).exceeded(call.now));
        Box::pin(async move { taken.map(drop).map_err(|_| exceeded()) })
    }
}

fn egress() -> Egress {
    Egress::new(Policy { allow_loopback: true })
}

/// For a deployment where nobody searches.
fn without_search(egress: Egress) -> Deps {
    Deps { egress, readers: Readers::here(), search: None, quota: Room::new(0) }
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
        asking: Asking::default(),
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
    run_within(&Room::new(u64::MAX), search, call).await
}

async fn run_within<Q: SearchQuota + 'static>(
    quota: &Arc<Q>,
    search: Option<Arc<dyn SearchProvider>>,
    call: &Call,
) -> Result<Value, ActionError> {
    let quota = Arc::clone(quota) as Arc<dyn SearchQuota>;
    let all = actions(Deps { egress: egress(), readers: Readers::here(), search, quota });
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
    for action in actions(without_search(egress())) {
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
