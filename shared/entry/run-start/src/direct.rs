//! A question that is exactly one call which reads: of an endpoint, or of the knowledge graph (F-031). It needs no playbook and no
//! model: the call is the only step of a plan that is made for it, checked and sealed like any other.

use std::collections::BTreeMap;

use countersign_identity::UserId;
use countersign_playbook::{
    Bindings, Candidate, Choice, CompileContext, EndpointContract, InputType, PlaybookSource,
    Trigger, TriggerKind, choose, compile,
};
use countersign_profile::Profile;
use countersign_registry::{CALL_CONNECTOR, DataType, Slot};
use countersign_store_catalog::StoredPlaybook;
use countersign_web::{FieldError, Problem};
use serde_json::{Map, Value, json};

use crate::Starter;
use crate::asking::Made;
use crate::choosing::{Chosen, ambiguous};

/// The action that reads the knowledge graph.
const GRAPH: &str = "search_knowledge_graph";

/// How people ask what the graph knows.
const GRAPH_PATTERNS: [&str; 3] = [
    r"\bknowledge graph\b",
    r"\bwhat (do|does|did) (we|you|i) (already )?know (about|of)\b",
    r"\bwh(o|at) is (related|connected|linked) (to|with)\b",
];

/// A call that a question may mean: its triggers, and the step that makes it.
struct Direct {
    triggers: Vec<Trigger>,
    /// All of these are in a question that means it: likeness alone may come of the connector's name.
    words: Vec<String>,
    inputs: Vec<Value>,
    step: Value,
}

/// The calls that a question may be.
pub(crate) enum Found {
    /// One, by its name: `connector/endpoint`.
    One(String, Box<Chosen>),
    /// Several, and what is answered where one has to be named.
    Several(Problem),
    /// None.
    None,
}

/// The one call that the question means.
///
/// # Errors
/// A [`Problem`] when the agent's endpoints cannot be read.
pub(crate) async fn find(
    ctx: Starter<'_>,
    owner: &UserId,
    profile: &Profile,
    question: &str,
) -> Result<Found, Problem> {
    let endpoints = ctx.catalog.endpoints(owner, profile.id.as_str()).await?;
    let calls = calls(&endpoints);
    let met = match choose(question, &candidates(&calls, question)) {
        Choice::One(met) => met,
        Choice::Several(met) => {
            return Ok(Found::Several(several(met.iter().map(|met| met.playbook.as_str()))));
        }
        Choice::None => return Ok(Found::None),
    };
    let Some(call) = calls.get(&met.playbook) else { return Ok(Found::None) };
    let playbook = stored(ctx, &written(&met.playbook, call).to_string())?;
    let because = Some(format!("the question is one call of `{}`", met.playbook));
    let chosen = Chosen { playbook, because, made: Some(Made::Call) };
    Ok(Found::One(met.playbook, Box::new(chosen)))
}

/// The calls whose words the question has.
fn candidates<'c>(calls: &'c BTreeMap<String, Direct>, question: &str) -> Vec<Candidate<'c>> {
    let question = question.to_lowercase();
    let is_said = |call: &Direct| call.words.iter().all(|word| question.contains(word.as_str()));
    let said = calls.iter().filter(|(_, call)| is_said(call));
    said.map(|(id, call)| Candidate { id, priority: 0, triggers: &call.triggers }).collect()
}

/// The playbook of a call, as the run keeps it.
///
/// # Errors
/// A [`Problem`] when it does not compile: an endpoint whose parameters no playbook can have.
pub(crate) fn stored(ctx: Starter<'_>, yaml: &str) -> Result<StoredPlaybook, Problem> {
    let source = PlaybookSource::new("question", yaml);
    let compiled = compile(&source, &CompileContext::of(ctx.registry));
    let said: Vec<String> = compiled.errors().map(|error| error.message.clone()).collect();
    let refused = || Problem::field("query", format!("cannot be answered: {}", said.join("; ")));
    Ok(StoredPlaybook {
        owner: None,
        yaml: yaml.to_owned(),
        playbook: compiled.playbook.ok_or_else(refused)?,
        revision: 1,
        created_at: ctx.now,
        updated_at: ctx.now,
        updated_by: None,
    })
}

fn several<'m>(calls: impl Iterator<Item = &'m str>) -> Problem {
    let names: Vec<&str> = calls.collect();
    let mut problem = ambiguous(names.iter().copied());
    problem.errors =
        names.iter().map(|name| FieldError::new("query", format!("fits `{name}`"))).collect();
    problem.with_hint("name the connector and the endpoint in the question")
}

/// Every call that can be asked for, by its name: `connector/endpoint`. Only what reads is among them.
fn calls(endpoints: &Bindings) -> BTreeMap<String, Direct> {
    let mut all = BTreeMap::from([(GRAPH.to_owned(), graph())]);
    for connector in endpoints.connectors() {
        for (name, contract) in endpoints.endpoints(connector).into_iter().flatten() {
            if let Some(call) = endpoint(connector, name, contract) {
                all.insert(format!("{connector}/{name}"), call);
            }
        }
    }
    all
}

fn graph() -> Direct {
    let pattern = |text: &str| trigger(text, TriggerKind::Regex, 1);
    Direct {
        triggers: GRAPH_PATTERNS.into_iter().map(pattern).collect(),
        words: Vec::new(),
        inputs: vec![json!({
            "name": "entity_name", "type": "entity_name", "required": true, "extract_from": "query",
        })],
        step: json!({ "action": GRAPH, "inputs": { "entity_name": "{entity_name}" } }),
    }
}

/// None when the endpoint has an effect, or takes what no question says.
fn endpoint(connector: &str, name: &str, contract: &EndpointContract) -> Option<Direct> {
    if contract.irreversible {
        return None;
    }
    let (mut inputs, mut wired) = (Vec::new(), Map::new());
    for slot in &contract.inputs {
        let must_be_said = slot.required && slot.default.is_none();
        match input(slot, must_be_said) {
            Some(input) => {
                wired.insert(slot.name.clone(), format!("{{{}}}", slot.name).into());
                inputs.push(input);
            }
            None if must_be_said => return None,
            None => {}
        }
    }
    let words = format!("{} {}", spaced(connector), spaced(name));
    Some(Direct {
        triggers: vec![
            trigger(&format!(r"\b{name}\b"), TriggerKind::Regex, 1),
            trigger(&words, TriggerKind::Semantic, 0),
        ],
        words: spaced(name).to_lowercase().split_whitespace().map(str::to_owned).collect(),
        inputs,
        step: json!({
            "action": CALL_CONNECTOR, "connector": connector, "endpoint": name, "inputs": wired,
        }),
    })
}

/// The input that fills a slot. A number is read from the question only where the call needs one: which of several numbers
/// an optional one is, nobody says.
fn input(slot: &Slot, must_be_said: bool) -> Option<Value> {
    let of_type = match &slot.data_type {
        DataType::String => InputType::String,
        DataType::Number | DataType::Integer => InputType::Number,
        DataType::Decimal => InputType::Decimal,
        DataType::Date => InputType::Date,
        DataType::Array(item) if **item == DataType::String => InputType::List,
        // Files and folders: no question says them, whoever asks gives them.
        DataType::Any if must_be_said => InputType::List,
        _ => return None,
    };
    let is_read = slot.data_type != DataType::Any
        && (must_be_said || matches!(of_type, InputType::String | InputType::Date));
    let mut input = json!({ "name": slot.name, "type": of_type, "required": must_be_said });
    if is_read && slot.default.is_none() {
        input["extract_from"] = "query".into();
    }
    if let Some(default) = &slot.default {
        input["default"] = default.clone();
    }
    Some(input)
}

fn trigger(pattern: &str, kind: TriggerKind, priority: i32) -> Trigger {
    Trigger { pattern: pattern.to_owned(), kind, priority }
}

fn spaced(name: &str) -> String {
    name.replace(['_', '-'], " ")
}

/// The playbook of one call. JSON is YAML.
fn written(name: &str, call: &Direct) -> Value {
    let mut step = call.step.clone();
    step["name"] = "answer".into();
    step["step_type"] = "tool".into();
    step["on_error"] = "stop".into();
    json!({
        "id": "question", "name": format!("One call of {name}"), "description": "Answers one question.",
        "version": "1.0.0", "execution_mode": "deterministic", "inputs": call.inputs, "steps": [step],
    })
}

#[cfg(test)]
mod tests {
    use countersign_registry::{Reach, Registry};

    use super::*;

    fn bound() -> Bindings {
        let slot = |name: &str, of_type, required: bool| Slot {
            required,
            ..Slot::optional(name, of_type, "")
        };
        let endpoint = |inputs: Vec<Slot>, irreversible| EndpointContract {
            description: String::new(),
            reach: Reach::Source,
            inputs,
            outputs: Vec::new(),
            irreversible,
        };
        let mut endpoints = Bindings::none();
        let name = slot("contributor_name", DataType::String, false);
        let from = slot("min_date", DataType::Date, false);
        let id = slot("ein", DataType::String, true);
        endpoints.bind(
            "fec-contributions",
            [
                ("search_contributions".to_owned(), endpoint(vec![name, from], false)),
                ("send_letter".to_owned(), endpoint(Vec::new(), true)),
                (
                    "by_filter".to_owned(),
                    endpoint(vec![slot("filter", DataType::Object, true)], false),
                ),
            ],
        );
        endpoints.bind("filings", [("filing".to_owned(), endpoint(vec![id], false))]);
        endpoints
    }

    /// The calls that a question means.
    fn check(question: &str, expect: &[&str]) {
        let calls = calls(&bound());
        let found = match choose(question, &candidates(&calls, question)) {
            Choice::One(met) => vec![met.playbook],
            Choice::Several(met) => met.into_iter().map(|met| met.playbook).collect(),
            Choice::None => Vec::new(),
        };
        assert_eq!(found, expect, "{question}");
    }

    #[test]
    fn f_031_a_question_is_one_call_of_what_reads() {
        check(
            "Search FEC contributions by “Ann Smith”",
            &["fec-contributions/search_contributions"],
        );
        check("search_contributions “Ann Smith”", &["fec-contributions/search_contributions"]);
        check("What do we know about Owl Fund?", &["search_knowledge_graph"]);
        check("Send a letter by FEC contributions", &[]);
        check("by_filter", &[]);
        check("What is the weather?", &[]);
    }

    #[test]
    fn f_031_every_call_makes_a_playbook_that_compiles() {
        let registry = Registry::builtin();
        let endpoints = bound();
        for (name, call) in calls(&endpoints) {
            let yaml = written(&name, &call).to_string();
            let source = PlaybookSource::new("question", &yaml);
            let compiled = compile(&source, &CompileContext::of(&registry).with(&endpoints));
            let said: Vec<&String> = compiled.errors().map(|error| &error.message).collect();
            assert!(compiled.playbook.is_some(), "{name}: {said:?}");
        }
    }
}
