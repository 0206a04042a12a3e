//! The end of a run puts what it has read into the knowledge graph, where agent or playbook ask for it (F-033, F-293).
//!
//! Read are the records that connectors gave, as far as a connector says which of their fields name somebody.

use countersign_actions_knowledge::{Given, GraphWrite, WITHIN, pending, remember, summary};
use countersign_knowledge::change::Origin;
use countersign_knowledge::extract::{Extracted, Extraction, Request, Rule, extract};
use countersign_knowledge::recognise::Method;
use countersign_knowledge::{DEFAULT_THRESHOLD, KnowledgeError, Settings};
use countersign_plan::{Plan, PlanStep};
use countersign_profile::Profile;
use countersign_registry::action::{ActionError, Call};
use countersign_run::{RunState, StepStatus};
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::over::Over;
use crate::{Context, FinishError};

/// The most entities of one run: writing them must leave time to end the run.
pub(crate) const MAX_ENTITIES: usize = 5_000;

/// What the graph is called in reports.
const DESTINATION: &str = "knowledge_graph";

/// Whether the agent or the playbook ask for it.
pub(crate) fn is_wanted(plan: &Plan, profile: Option<&Profile>) -> bool {
    let of_playbook = plan.output.as_ref().is_some_and(|output| output.auto_enrich_graph);
    let of_agent = profile.is_some_and(|profile| {
        profile.spec.knowledge_config.auto_enrich || profile.spec.output_config.auto_enrich_graph
    });
    of_playbook || of_agent
}

/// Puts what the run has read into the graph; gives the row of the report. Doing it again changes nothing.
pub(crate) async fn enrich(
    context: &Context,
    over: &Over<'_>,
    call: &Call,
) -> Result<Value, FinishError> {
    let (given, left_out) = match read(context, over).await? {
        Ok(read) => read,
        Err(error) => return Ok(failed(&error)),
    };
    if given == Given::default() {
        let details = json!({ "reason": "no record says which of its fields name somebody" });
        return Ok(row("skipped", &details, None));
    }
    let origin = origin(over.profile, call);
    let kept = match settings(over.profile) {
        Ok(settings) => {
            let graph = context.graph.graph.as_ref();
            remember(graph, &origin, &settings, &given.entities, WITHIN).await
        }
        Err(error) => Err(error),
    };
    Ok(match kept {
        Ok((answer, kept)) => {
            let mut details = summary(&origin.namespace, &answer);
            given.note(&mut details);
            enriched(details, left_out, &kept)
        }
        Err(error) => failed(&error),
    })
}

/// The row of a graph write that failed.
pub(crate) fn failed(error: &ActionError) -> Value {
    row("error", &Value::Null, Some(error))
}

fn origin(profile: Option<&Profile>, call: &Call) -> Origin {
    let namespace = profile.map(|profile| profile.spec.knowledge_config.first());
    Origin {
        owner: call.owner.clone(),
        namespace: namespace.unwrap_or_default(),
        run: call.run.clone(),
        idempotency_key: format!("{}/graph", call.idempotency_key),
        now: call.now,
    }
}

/// `entity_resolution` compares names by likeness; without it only equal names and identifiers are one.
fn settings(profile: Option<&Profile>) -> Result<Settings, ActionError> {
    let by_likeness =
        profile.is_some_and(|profile| profile.spec.knowledge_config.entity_resolution);
    let strategy = if by_likeness { "fuzzy" } else { "exact" };
    Settings::new(strategy, DEFAULT_THRESHOLD).map_err(|error| ActionError::from_failure(&error))
}

fn enriched(mut details: Value, left_out: usize, kept: &GraphWrite) -> Value {
    if left_out > 0 {
        details["left_out"] = left_out.into();
    }
    match kept {
        GraphWrite::Stored | GraphWrite::Deferred => row("success", &details, None),
        GraphWrite::Pending(error) => {
            details["discoveries"] = "pending".into();
            row("error", &details, Some(&pending(error)))
        }
    }
}

fn row(status: &str, details: &Value, error: Option<&ActionError>) -> Value {
    let mut row = json!({ "destination": DESTINATION, "status": status, "details": details });
    if let Some(error) = error {
        row["error"] = json!({ "code": error.code, "message": error.message, "help": error.help });
    }
    row
}

/// Entities, and how many more there were than one run resolves.
type Read = Result<(Given, usize), ActionError>;

/// What the records of all connectors name.
async fn read(context: &Context, over: &Over<'_>) -> Result<Read, FinishError> {
    let mut all = Given::default();
    let mut records = 0;
    for step in over.plan.steps.iter().filter(|step| is_read(step, over.state)) {
        if let Some(too_large) = over.outcomes.too_large(&step.name) {
            return Ok(Err(ActionError::terminal("RESULT_INCOMPLETE", too_large)));
        }
        let Some(outcome) = context.runs.outcome(&over.head.run, &step.name).await? else {
            continue;
        };
        let found = match of_output(&outcome.output) {
            Ok(found) => found,
            Err(error) => return Ok(Err(ActionError::from_failure(&error))),
        };
        // Each step's records are numbered on, so that two of one number are not one record.
        all.entities.extend(found.entities.into_iter().map(|entity| Extracted {
            source_record_index: entity.source_record_index + records,
            ..entity
        }));
        all.left_out.extend(found.left_out.iter().map(|why| format!("{}: {why}", step.name)));
        records += outcome.output["results"].as_array().map_or(0, Vec::len);
    }
    let left_out = all.entities.len().saturating_sub(MAX_ENTITIES);
    all.entities.truncate(MAX_ENTITIES);
    Ok(Ok((all, left_out)))
}

fn is_read(step: &PlanStep, state: &RunState) -> bool {
    let is_done = |status| status == StepStatus::Done;
    let status = state.steps.iter().find(|(name, _)| *name == step.name);
    step.action == "call_connector" && status.is_some_and(|(_, state)| is_done(state.status))
}

/// What the rules of a connector find in its records. What is not a list of records names nobody.
fn of_output(output: &Value) -> Result<Extraction, KnowledgeError> {
    let records = output["results"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !records.iter().all(Value::is_object) {
        return Ok(Extraction::default());
    }
    let of_set = Vec::<Rule>::deserialize(&output["_entity_rules"]).unwrap_or_default();
    let request = Request { types: None, relationship: None, rules: of_set };
    let mut found = extract(records, &request)?;
    found.entities.retain(|entity| {
        let own = &records[entity.source_record_index]["_entity_rules"];
        let own = Vec::<Rule>::deserialize(own).unwrap_or_default();
        let mut rules = request.rules.iter().chain(&own);
        entity.method == Method::Rules || rules.any(|rule| rule.field == entity.source_field)
    });
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: &Value, expect: &[&str]) {
        let found = of_output(output).unwrap().entities;
        let names: Vec<&str> = found.iter().map(|entity| entity.name.as_str()).collect();
        assert_eq!(names, expect, "{output:#}");
    }

    #[test]
    fn f_033_only_what_a_connector_says_names_somebody_is_read() {
        let record = json!({"name": "ANN LEE", "city": "Boston", "officer": "Robert Smith"});
        let rules = json!([{"field": "name", "entity_type": "PERSON"}]);
        check(&json!({"results": [record]}), &[]);
        check(&json!({"results": [record], "_entity_rules": rules}), &["ANN LEE"]);
        let mut own = record.clone();
        own["_entity_rules"] = rules;
        check(&json!({"results": [own]}), &["ANN LEE"]);
        check(&json!({"results": ["no record"]}), &[]);
        check(&json!(null), &[]);
    }
}
