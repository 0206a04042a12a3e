//! Calls with an effect that a model which researches may draft (R-052, K-10): it fills in their arguments, people sign what would
//! be sent, and then it is sent. The steps are those that anybody could write in a playbook.

use countersign_plan::{CURSOR, endpoint_name};
use countersign_playbook::{Bindings, EndpointContract};
use countersign_profile::Research;
use countersign_registry::actions::research_with_tools::endpoint_of;
use countersign_registry::{DataType, SAID_OF_OUTPUTS, Slot};
use countersign_web::Problem;
use countersign_wiring::literal_text;
use serde_json::{Map, Value, json};

/// The most calls of one endpoint that may be drafted for one question.
const MAX_CALLS: usize = 20;

/// The most fields that a model's answer may have.
const MAX_FIELDS: usize = 100;

/// The longest question that an agent with proposals takes, in characters, with each brace counted twice: braces are doubled in a
/// playbook. The playbook contains the question up to ten times: for the answer, for each of eight drafts, and at the gate.
const MAX_QUESTION: usize = 4_000;

/// The model is given the description of an endpoint up to this length, in characters.
const MAX_DESCRIPTION: usize = 500;

/// The longest name of an endpoint in the name of a step, which has at most 64 characters.
const MAX_NAME: usize = 48;

/// The gate before all calls.
const GATE: &str = "sign_off";

/// An endpoint whose calls may be drafted.
pub(crate) struct Proposal<'a> {
    connector: &'a str,
    endpoint: &'a str,
    contract: &'a EndpointContract,
    /// Stays the same in every plan: what was sent once is recognised by the name of its step.
    name: String,
}

/// What the skill proposes, of what the agent is bound to.
///
/// # Errors
/// A [`Problem`] for an endpoint that the agent does not have, that has no effect, or whose arguments a model cannot write, and
/// for a question that is too long.
pub(crate) fn of_skill<'a>(
    research: &'a Research<'_>,
    endpoints: &'a Bindings,
    question: &str,
) -> Result<Vec<Proposal<'a>>, Problem> {
    let length = question.chars().count() + question.matches(['{', '}']).count();
    if !research.proposes.is_empty() && length > MAX_QUESTION {
        let message = format!(
            "has {length} characters, with each brace counted twice; an agent that may propose calls takes {MAX_QUESTION}"
        );
        return Err(Problem::field("query", message).with_hint("shorten the question"));
    }
    let named = research.proposes.iter().filter_map(|one| endpoint_of(one));
    named.map(|named| Proposal::of(named, endpoints)).collect()
}

/// The fields of the answer that say what is to be drafted.
pub(crate) fn fields(proposals: &[Proposal<'_>]) -> impl Iterator<Item = Value> {
    proposals.iter().map(|one| {
        let description = format!(
            "Whether the question asks that {} is called. Its calls are drafted afterwards, and a person decides about them.",
            one.described()
        );
        json!({ "name": one.asks_field(), "type": "boolean", "description": description })
    })
}

/// The steps after the answer: what is to be called, who signs it, and the calls.
pub(crate) fn steps(proposals: &[Proposal<'_>], question: &str, answer: &str) -> Vec<Value> {
    let drafts = proposals.iter().map(|one| one.draft_step(question, answer));
    let gate = (!proposals.is_empty()).then(|| gate(proposals, question, answer));
    drafts.chain(gate).chain(proposals.iter().map(Proposal::call_step)).collect()
}

/// Whoever signs sees what the drafts were made from: the question and its answer.
fn gate(proposals: &[Proposal<'_>], question: &str, answer: &str) -> Value {
    let any: Vec<String> = proposals.iter().map(Proposal::drafts).collect();
    // The sentence first: a page folds the rest of a long question away.
    let prompt = format!(
        "A model has answered a question, as shown, and was asked to draft calls from it. Nobody has checked the answer, or any call that is shown.\n\nQuestion: “{}”",
        literal_text(question)
    );
    json!({
        "name": GATE, "step_type": "approval", "on_reject": "skip", "prompt": prompt,
        "preview_from": format!("{answer}.answer"), "condition": any.join(" OR "),
        // The drafts are made from what the gate shows: whoever asks for changes learns nothing that they do not see.
        "revise": proposals.iter().map(Proposal::draft).collect::<Vec<_>>(),
    })
}

/// What the answer shows of them, where the model was asked to draft.
pub(crate) fn sections(proposals: &[Proposal<'_>]) -> impl Iterator<Item = Value> {
    proposals.iter().flat_map(|one| {
        let [drafts, calls] = ["Drafts", "Calls"].map(|what| format!("{what}: {}", one.called()));
        let drafted = format!("{}.results", one.draft());
        [
            json!({ "title": drafts, "source": drafted, "format": "table", "optional": true }),
            json!({ "title": calls, "source": one.call(), "format": "facts", "optional": true }),
        ]
    })
}

impl<'a> Proposal<'a> {
    fn of(
        (connector, endpoint): (&'a str, &'a str),
        endpoints: &'a Bindings,
    ) -> Result<Self, Problem> {
        let refused = |why: &str, hint: &str| {
            let message = format!(
                "cannot be researched: the skill may propose `{connector}/{endpoint}`, and {why}"
            );
            Problem::field("query", message).with_hint(hint)
        };
        let contract = endpoints.endpoint(connector, endpoint).ok_or_else(|| {
            let hint = "bind the connector to the agent, or change `proposes` of the skill";
            refused("the agent has no such endpoint", hint)
        })?;
        if !contract.irreversible {
            let hint = "leave it out of `proposes`: an endpoint that only reads is a tool already";
            return Err(refused("it has no effect that anybody would sign", hint));
        }
        let name = endpoint_name(connector, endpoint, MAX_NAME);
        let proposal = Self { connector, endpoint, contract, name };
        match proposal.unwritable() {
            Some(why) => Err(refused(&why, "call it in a step of a playbook")),
            None => Ok(proposal),
        }
    }

    /// Why no model can write a call; none when it can.
    fn unwritable(&self) -> Option<String> {
        let needed = self.arguments().find(|slot| slot.required && schema_type(slot).is_none());
        if let Some(slot) = needed {
            return Some(format!("no model can write its `{}`", slot.name));
        }
        match self.arguments().filter(|slot| schema_type(slot).is_some()).count() {
            0 => Some("it has no argument that a model could write".to_owned()),
            1..=MAX_FIELDS => None,
            many => Some(format!("it has {many} arguments, more than {MAX_FIELDS}")),
        }
    }

    /// Without the argument that only continues an earlier call.
    fn arguments(&self) -> impl Iterator<Item = &Slot> {
        self.contract.inputs.iter().filter(|slot| slot.name != CURSOR)
    }

    fn draft(&self) -> String {
        format!("draft_{}", self.name)
    }

    /// The reference to what was drafted.
    fn drafts(&self) -> String {
        format!("{{{}.results}}", self.draft())
    }

    fn call(&self) -> String {
        format!("call_{}", self.name)
    }

    /// The field of the answer that says whether calls are drafted at all.
    fn asks_field(&self) -> String {
        format!("asks_for_{}", self.name.replace('-', "_"))
    }

    fn called(&self) -> String {
        format!("{}/{}", self.connector, self.endpoint)
    }

    /// What it does, as its connector says.
    fn described(&self) -> String {
        let description = self.contract.description.trim().chars().take(MAX_DESCRIPTION);
        match description.collect::<String>().as_str() {
            "" => self.called(),
            description => format!("{} ({description})", self.called()),
        }
    }

    /// Writes the arguments from the question and its answer alone: what tools gave is not shown again. Without drafts the answer
    /// is given all the same.
    fn draft_step(&self, question: &str, answer: &str) -> Value {
        let instructions = format!(
            "Draft the calls of {} that the question asks for, one record for each, at most {MAX_CALLS}. A person is shown them and \
             signs them, or does not. Take every value from the question or the answer. Leave out a call for which something \
             is missing.",
            self.described()
        );
        let data = json!({ "question": literal_text(question), "answer": format!("{{{answer}.answer}}"), "today": "{today}" });
        let fields: Vec<Value> = self.arguments().filter_map(field).collect();
        json!({
            "name": self.draft(), "step_type": "llm_task", "action": "llm_analyze", "on_error": "skip", "retry_count": 1,
            // Null drafts too: then it is seen that there is nothing to call.
            "condition": format!("NOT {{{answer}.{}}} == false", self.asks_field()),
            "inputs": { "data": data },
            "params": { "instructions": literal_text(&instructions) },
            "output_schema": { "type": "record_set", "fields": fields },
        })
    }

    fn call_step(&self) -> Value {
        let given = self.arguments().filter(|slot| schema_type(slot).is_some());
        let inputs: Map<String, Value> = given
            .map(|slot| (slot.name.clone(), format!("{{draft.{}}}", slot.name).into()))
            .collect();
        json!({
            "name": self.call(), "step_type": "tool", "action": "call_connector",
            "connector": self.connector, "endpoint": self.endpoint,
            "condition": self.drafts(), "for_each": { "in": self.drafts(), "as": "draft", "max": MAX_CALLS },
            "inputs": inputs,
        })
    }
}

/// An argument as a field of a model's answer; none for one that it cannot write.
fn field(slot: &Slot) -> Option<Value> {
    let needed = if slot.required { "needed" } else { "null where nothing says it" };
    let choices = match slot.choices.is_empty() {
        true => String::new(),
        false => format!("; one of {}", slot.choices.join(", ")),
    };
    let description = format!("{} ({needed}{choices})", slot.description);
    Some(
        json!({ "name": slot.name, "type": schema_type(slot)?, "description": description.trim() }),
    )
}

/// The type of an argument as an output schema names it; none for one that a model cannot write.
fn schema_type(slot: &Slot) -> Option<&'static str> {
    if SAID_OF_OUTPUTS.contains(&slot.name.as_str()) {
        return None;
    }
    match &slot.data_type {
        DataType::String | DataType::Any => Some("string"),
        DataType::Number => Some("number"),
        DataType::Decimal => Some("decimal"),
        DataType::Integer => Some("integer"),
        DataType::Boolean => Some("boolean"),
        DataType::Date => Some("date"),
        DataType::Object | DataType::Record(_) => Some("object"),
        DataType::Array(item) if **item == DataType::String => Some("string[]"),
        DataType::Array(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use countersign_registry::Reach;

    use super::*;

    /// What is said of a question that may lead to calls of an endpoint with these arguments.
    #[track_caller]
    fn check(inputs: Vec<Slot>, irreversible: bool, question: &str, expect: Option<&str>) {
        let (description, outputs, reach) = (String::new(), Vec::new(), Reach::Source);
        let contract = EndpointContract { description, inputs, outputs, irreversible, reach };
        let mut endpoints = Bindings::none();
        endpoints.bind("bank", [("pay".to_owned(), contract)]);
        let research = Research {
            is_on_web: false,
            proposes: vec!["bank/pay".to_owned()],
            specialists: Vec::new(),
            stages: 2,
            rounds: 3,
            additions: None,
        };
        let said = of_skill(&research, &endpoints, question).err();
        let said = said.map(|problem| problem.errors[0].message.clone()).unwrap_or_default();
        match expect {
            Some(expect) => assert!(said.contains(expect), "{said}"),
            None => assert_eq!(said, ""),
        }
    }

    #[test]
    fn r_052_an_endpoint_that_nobody_could_sign_or_no_model_write_refuses_the_question() {
        let list = || DataType::array(DataType::Integer);
        let amount = || Slot::required("amount", DataType::Decimal, "");
        check(vec![amount()], true, "Pay.", None);
        check(vec![amount(), Slot::optional("days", list(), "")], true, "Pay.", None);
        check(vec![amount()], false, "Pay.", Some("it has no effect"));
        check(
            vec![Slot::required("days", list(), "")],
            true,
            "Pay.",
            Some("no model can write its `days`"),
        );
        check(
            vec![Slot::optional("errors", DataType::String, "")],
            true,
            "Pay.",
            Some("it has no argument"),
        );
        check(Vec::new(), true, "Pay.", Some("it has no argument"));
        check(vec![amount()], true, &"{".repeat(2_001), Some("has 4002 characters"));
    }
}
