//! The ports, over the real tables, keys and queues.

use std::sync::Arc;

use countersign_approval::chain::Checkpoint;
use countersign_approval::ports::PortError;
use countersign_approval::{
    ApprovalId, Code, CodeScope, LinkError, Preview, Request, SignedLink, StoredCode, Tenant,
};
use countersign_connector::{ConnectorSource, SendProblem};
use countersign_effect::Effect;
use countersign_failure::Failure;
use countersign_gatekeeper::{
    Answer, Attempting, Bootstrap, GateError, Gatekeeper, Notices, Striking, recount, send_problems,
};
use countersign_identity::{DirectoryEntry, Rights, UserId};
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_store_approvals::{Approvals, CodeIssue, Loaded};
use countersign_store_catalog::Catalog;
use countersign_store_runs::{RunStore, WarningSentences};
use countersign_store_tokens::Tokens;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::Value;

use crate::Context;
use crate::plan;
use crate::ports::{Act, Look, Seen, SeenRun, StepEffects};

/// What `GET` is served from.
struct Tables {
    approvals: Approvals,
    runs: RunStore,
    rights: Arc<dyn Rights>,
    connectors: Arc<dyn ConnectorSource>,
}

/// What `POST` decides with.
struct Doing {
    approvals: Approvals,
    gatekeeper: Gatekeeper,
    notices: Notices,
}

impl Context {
    /// The real thing.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing or the tenant is malformed.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        let tenant = boot.read(Setting::Tenant, Tenant::parse)?;
        let tokens = Tokens::new(boot.table(Setting::TableTokens)?);
        let Bootstrap { gatekeeper, approvals, runs, directory, notices, .. } =
            Bootstrap::waking(boot, Arc::new(tokens))?;
        let (public_url, key) = (notices.public_url.clone(), Arc::clone(&notices.key));
        let catalog = Catalog::new(boot.table(Setting::TableCatalog)?);
        let look = Tables {
            approvals: approvals.clone(),
            runs,
            rights: Arc::new(directory),
            connectors: Arc::new(catalog),
        };
        let act = Doing { approvals, gatekeeper, notices };
        Ok(Self {
            tenant,
            public_url,
            key,
            look: Arc::new(look),
            act: Arc::new(act),
            random: random_bytes,
        })
    }
}

fn random_bytes() -> [u8; 40] {
    rand::random()
}

fn carried<E: Failure>(operation: &'static str) -> impl Fn(E) -> PortError {
    move |error| PortError::of(operation, &error)
}

impl Look for Tables {
    fn check_link<'a>(
        &'a self,
        approval: &'a ApprovalId,
        slot: u16,
        link: &'a SignedLink,
    ) -> BoxFuture<'a, Result<(), LinkError>> {
        self.approvals.check_link(approval, slot, link)
    }

    fn load<'a>(&'a self, id: &'a ApprovalId) -> Seen<'a, Option<Loaded>> {
        Box::pin(async move {
            let loaded = self.approvals.load(id).await.map_err(carried("reading the request"))?;
            let Some(loaded) = loaded else { return Ok(None) };
            recount(self.rights.as_ref(), loaded).await.map(Some)
        })
    }

    fn newest_checkpoint(&self) -> Seen<'_, Option<Checkpoint>> {
        let operation = "reading the newest checkpoint";
        Box::pin(
            async move { self.approvals.newest_checkpoint().await.map_err(carried(operation)) },
        )
    }

    fn entry<'a>(&'a self, person: &'a UserId) -> Seen<'a, Option<DirectoryEntry>> {
        let failed = |error: Box<dyn Failure>| PortError::of("looking up a person", error.as_ref());
        Box::pin(async move { self.rights.entry(person).await.map_err(failed) })
    }

    fn run<'a>(&'a self, request: &'a Request) -> Seen<'a, Option<SeenRun>> {
        Box::pin(async move {
            let position = &request.position;
            let view = self
                .runs
                .view(&position.run, &position.step)
                .await
                .map_err(carried("reading the plan"))?;
            let Some(view) = view else { return Ok(None) };
            let drawn = plan::drawn_before(&view.plan, &position.step);
            let outcomes = self.runs.outcomes(&position.run, &drawn, &[], None).await;
            let outcomes = outcomes.map_err(carried("reading what became of the steps"))?;
            let ended =
                outcomes.into_iter().map(|(step, outcome)| (step, outcome.status)).collect();
            let plan = Arc::unwrap_or_clone(view.plan);
            let has_playbook = view.head.playbook_id.is_some();
            let (agent, profile_id) = (view.head.profile_name, view.head.profile_id);
            Ok(Some(SeenRun { agent, profile_id, has_playbook, plan, ended }))
        })
    }

    fn effects<'a>(&'a self, request: &'a Request) -> Seen<'a, Vec<StepEffects>> {
        let kept = self.runs.effects_of(request);
        Box::pin(async move {
            let kept = kept.await.map_err(carried("reading what is signed"))?;
            kept.iter().map(read).collect()
        })
    }

    fn send_problems<'a>(
        &'a self,
        request: &'a Request,
        run: Option<&'a SeenRun>,
        kept: &'a [StepEffects],
    ) -> BoxFuture<'a, Vec<SendProblem>> {
        Box::pin(async move {
            let Some(run) = run else { return Vec::new() };
            let first = kept.iter().filter_map(|of| Some((of.step.as_str(), of.effects.first()?)));
            let first: Vec<(&str, &Effect)> = first.collect();
            send_problems(self.connectors.as_ref(), request, &run.profile_id, &first).await
        })
    }

    fn unsent<'a>(&'a self, request: &'a Request) -> Seen<'a, u64> {
        Box::pin(async move {
            let Some(call) = request.outcome.first() else { return Ok(0) };
            let allowing = self.approvals.request(&call.approval).await;
            let allowing = allowing.map_err(carried("reading the request that allowed sending"))?;
            let Some(allowing) = allowing else { return Ok(0) };
            let unsent = self.runs.unsent_of(&allowing).await;
            unsent.map_err(carried("counting what is left to send"))
        })
    }

    fn rows<'a>(&'a self, request: &'a Request) -> Seen<'a, Option<Value>> {
        Box::pin(async move {
            let Some(source) = &request.preview.source else { return Ok(None) };
            let outcomes = self
                .runs
                .outcomes(&request.position.run, &[source.as_str()], &[source.as_str()], None)
                .await;
            let outcome = outcomes.map_err(carried("reading all rows"))?.remove(source);
            Ok(outcome.and_then(|outcome| signed_rows(outcome.output, &request.preview)))
        })
    }

    fn warnings<'a>(&'a self, request: &'a Request) -> Seen<'a, Vec<WarningSentences>> {
        Box::pin(async move {
            let all = self.runs.warning_sentences(&request.position.run, &request.warnings).await;
            all.map_err(carried("reading all warnings"))
        })
    }
}

/// The requests of one step, read from their texts.
fn read(kept: &countersign_approval::StepEffects) -> Result<StepEffects, PortError> {
    let effects = kept.texts.iter().map(|text| Effect::parse(text)).collect::<Result<Vec<_>, _>>();
    let effects = effects.map_err(carried("reading what is signed"))?;
    Ok(StepEffects { step: kept.step.clone(), total: effects.len() as u64, effects })
}

/// The part of an output that the preview was cut from: the one whose rows give the root that is signed.
fn signed_rows(output: Value, preview: &Preview) -> Option<Value> {
    if Preview::root_of(&output).is_ok_and(|root| Some(root) == preview.root) {
        return Some(output);
    }
    match output {
        Value::Object(fields) => {
            fields.into_iter().map(|(_, field)| field).find_map(|field| signed_rows(field, preview))
        }
        _ => None,
    }
}

impl Act for Doing {
    fn decide<'a>(
        &'a self,
        attempting: &'a Attempting,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Answer, GateError>> {
        Box::pin(self.gatekeeper.decide(attempting, now))
    }

    fn strike<'a>(
        &'a self,
        striking: &'a Striking,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Request, GateError>> {
        Box::pin(self.gatekeeper.strike(striking, now))
    }

    fn put_code<'a>(
        &'a self,
        id: &'a ApprovalId,
        code: &'a StoredCode,
        now: Timestamp,
    ) -> Seen<'a, CodeIssue> {
        Box::pin(async move {
            self.approvals.put_code(id, code, now).await.map_err(carried("keeping a code"))
        })
    }

    fn try_code<'a>(
        &'a self,
        id: &'a ApprovalId,
        version: u32,
        slot: u16,
        scope: &'a CodeScope,
    ) -> Seen<'a, Option<StoredCode>> {
        Box::pin(async move {
            let tried = self.approvals.try_code(id, version, slot, scope).await;
            tried.map_err(carried("trying a code"))
        })
    }

    fn spend_code<'a>(
        &'a self,
        id: &'a ApprovalId,
        version: u32,
        slot: u16,
        scope: &'a CodeScope,
    ) -> Seen<'a, ()> {
        Box::pin(async move {
            let spent = self.approvals.spend_code(id, version, slot, scope).await;
            spent.map_err(carried("spending a code"))
        })
    }

    fn send_code<'a>(
        &'a self,
        request: &'a Request,
        person: &'a UserId,
        code: &'a Code,
        stored: &'a StoredCode,
    ) -> Seen<'a, ()> {
        Box::pin(self.notices.send_code(request, person, code, stored))
    }
}

#[cfg(test)]
mod tests {
    use super::signed_rows;
    use countersign_approval::Preview;
    use serde_json::{Value, json};

    fn check(output: &Value, signed: &Value, expect: Option<&Value>) {
        let preview = Preview::of(signed, 1).unwrap();
        assert_eq!(signed_rows(output.clone(), &preview).as_ref(), expect, "{output}");
    }

    #[test]
    fn f_200_only_the_rows_that_were_signed_are_shown() {
        let rows = json!([1, 2]);
        check(&rows, &rows, Some(&rows));
        check(&json!({"skipped": [3, 4], "data": {"records": [1, 2]}}), &rows, Some(&rows));
        check(&json!({"records": [1, 3]}), &rows, None);
        check(&json!("text"), &rows, None);
    }
}
