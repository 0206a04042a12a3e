//! Has a model look for what a question needs, with tools that only read, and answer.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Nothing, model_task};
use crate::explain::{Path, Problem, ProblemKind};
use crate::{Action, Contract, DataType, Field, OutputSchema, Reach, Shape, catalogue, detects};

/// The declaration.
#[derive(Debug)]
pub struct ResearchWithTools;

/// The tools that a model can be given.
pub const MAX_TOOLS: usize = 64;

/// The calls that a model can have in one turn; what it asks for beside them is refused.
pub const MAX_CALLS: usize = 8;

/// The input that holds what was said before. No address in it counts as shown to the model: an answer of a model may hold one
/// that it made up.
pub const CONVERSATION: &str = "conversation";

/// The input that holds what a model has asked for that planned the work. No address in it counts as shown, either.
pub const ASSIGNMENT: &str = "assignment";

/// The field of an answer in which a model says how sure it is of what it found for such a task, from 0 to 1; null where it does not say.
pub const CONFIDENCE: &str = "confidence_score";

/// Whether an answer in this form has that field.
#[must_use]
pub fn says_confidence(schema: &OutputSchema) -> bool {
    let is_said = |field: &Field| field.name == CONFIDENCE && field.data_type == DataType::Number;
    schema.shape == Shape::Object && schema.fields.iter().any(is_said)
}

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// What the model is shown: any value. To the model it is data, never an instruction.
    pub data: Value,
    /// What was asked and answered before, for a question that follows from it: any value. To the model it is data, too; what stands
    /// only here is no address that it may have read.
    pub conversation: Option<Value>,
    /// What a model that planned the work asks for, such as `{task, results}` with what came of tasks before: any value. To the
    /// model it is what is to be found out, and nothing more; what stands only here is no address that it may have read.
    pub assignment: Option<Value>,
}

/// Settings.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Params {
    /// Actions that the model may ask for, those that only read or compute; and endpoints that only read, as `connector/endpoint`.
    #[schemars(length(min = 1, max = MAX_TOOLS))]
    pub tools: Vec<String>,
    /// What the model is to find out, and how.
    #[schemars(length(min = 1, max = 10_000))]
    pub system_prompt: String,
    /// In so many rounds the model may ask for tools, 1 to 10; then it has to answer.
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 10))]
    pub max_rounds: u32,
}

fn three() -> u32 {
    3
}

impl Action for ResearchWithTools {
    const NAME: &'static str = "research_with_tools";
    const FUNCTION: &'static str = "tool-model";
    const DESCRIPTION: &'static str = "Has a model ask for tools that only read, in rounds, and answer in the fields that the step declares.";
    type Inputs = Inputs;
    type Params = Params;
    type Output = Nothing;

    fn describe(contract: Contract) -> Contract {
        model_task::contract(contract)
    }

    fn rules(params: &Params) -> Vec<Problem> {
        let mut seen = BTreeSet::new();
        let named = params.tools.iter().enumerate();
        named.filter_map(|(at, name)| problem(name, at, seen.insert(name))).collect()
    }
}

/// The connector and the endpoint that an entry of the list names; none for an action, and for what names neither.
#[must_use]
pub fn endpoint_of(name: &str) -> Option<(&str, &str)> {
    let named = name.split_once('/');
    named.filter(|(connector, endpoint)| {
        !connector.is_empty() && !endpoint.is_empty() && !endpoint.contains('/')
    })
}

/// What is wrong with a tool of a list; none when it may be one. Which endpoints there are is known where the connectors are.
#[must_use]
pub fn problem(name: &str, at: usize, is_first: bool) -> Option<Problem> {
    let place = Path::of("tools").entry(at);
    let shown: String = name.chars().take(60).collect();
    if !is_first {
        let message = format!("`{shown}` is in the list twice");
        return Some(Problem::new(place, ProblemKind::NotAChoice, message));
    }
    if endpoint_of(name).is_some() {
        return None;
    }
    if name.contains('/') {
        let message = format!("`{shown}` does not name an endpoint as `connector/endpoint`");
        return Some(Problem::new(place, ProblemKind::NotAChoice, message));
    }
    let registry = catalogue::builtin();
    let Some(contract) = registry.get(name) else {
        let likely = registry.suggest(name).map(|likely| format!("did you mean `{likely}`?"));
        let message = format!("there is no action `{shown}`");
        return Some(Problem::new(place, ProblemKind::NotAChoice, message).hint(likely));
    };
    let why = contract.not_a_tool()?;
    let message = format!("`{shown}` cannot be a tool of a model: {why}");
    Some(Problem::new(place, ProblemKind::NotAChoice, message))
}

impl Contract {
    /// Why no model may ask for the action; none when it may. A tool only reads or computes, and all that a call of it can
    /// reach is known before.
    #[must_use]
    pub fn not_a_tool(&self) -> Option<&'static str> {
        if self.is_control() {
            return Some("it runs steps");
        }
        if self.is_open() {
            return Some(
                "what it does is known only with its endpoint; name that, as `connector/endpoint`",
            );
        }
        if self.irreversible || self.writes {
            return Some(
                "it changes something; make it a step, behind a gate if it has to be signed",
            );
        }
        if self.uses_llm {
            return Some("it asks a model itself");
        }
        if detects(&self.name) || self.name == "get_monitor_watermark" {
            return Some("it belongs to monitors");
        }
        None
    }

    /// What it has a model read as a tool: the web, or what is its owner's (`match_entities` compares with the graph); none when it
    /// only computes with what it is given.
    #[must_use]
    pub fn reach(&self) -> Option<Reach> {
        match self.name.as_str() {
            "crawl_url" | "search_web" => Some(Reach::Web),
            "cross_reference" | "extract_entities" | "run_python" | "transform_data" => None,
            _ => Some(Reach::Files),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Registry;

    /// What is said of these tools.
    fn check(tools: &[&str], expect: &[&str]) {
        let params = json!({ "tools": tools, "system_prompt": "Find out.", "max_rounds": 3 });
        let serde_json::Value::Object(params) = params else { panic!() };
        let found = Registry::builtin().rules("research_with_tools", params, &[]);
        let said: Vec<String> =
            found.iter().map(|one| format!("{}: {}", one.path, one.message)).collect();
        assert_eq!(said, expect, "{tools:?}");
    }

    #[test]
    fn f_057_k_44_tools_only_read() {
        check(&["search_web", "search_knowledge_graph"], &[]);
        check(&["search_web", "search_web"], &["tools[1]: `search_web` is in the list twice"]);
        check(&["search_wed"], &["tools[0]: there is no action `search_wed`"]);
        let no = |name: &str, why: &str| {
            let said = format!("tools[0]: `{name}` cannot be a tool of a model: {why}");
            check(&[name], &[&said]);
        };
        let changes = "it changes something; make it a step, behind a gate if it has to be signed";
        no("save_to_workspace", changes);
        no("send_notification", changes);
        no("llm_analyze", "it asks a model itself");
        no("research_with_tools", "it asks a model itself");
        no("parallel", "it runs steps");
        no("detect_new_files", "it belongs to monitors");
        let endpoint =
            "what it does is known only with its endpoint; name that, as `connector/endpoint`";
        no("call_connector", endpoint);
        check(&["irs/filings", "search_web"], &[]);
        for unnamed in ["irs/", "/filings", "a/b/c"] {
            let said =
                format!("tools[0]: `{unnamed}` does not name an endpoint as `connector/endpoint`");
            check(&[unnamed], &[&said]);
        }
    }

    #[test]
    fn k_44_these_are_the_actions_that_a_model_may_ask_for() {
        let registry = Registry::builtin();
        let tools = registry.iter().filter(|contract| contract.not_a_tool().is_none());
        let names: Vec<&str> = tools.map(|contract| contract.name.as_str()).collect();
        let expect = [
            "crawl_url",
            "cross_reference",
            "extract_entities",
            "find_file_by_name",
            "list_todos",
            "match_entities",
            "query_journal",
            "read_file",
            "run_python",
            "search_documents",
            "search_knowledge_graph",
            "search_todos",
            "search_web",
            "transform_data",
        ];
        assert_eq!(names, expect);
    }
}
