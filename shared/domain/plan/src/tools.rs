//! The tools that the model of a step may ask for. They stand in the plan, so its seal covers them.

use std::borrow::Cow;

use countersign_playbook::Bindings;
use countersign_registry::actions::research_with_tools::{
    MAX_CALLS, Params, ResearchWithTools, endpoint_of,
};
use countersign_registry::{Action, CALL_CONNECTOR, Contract, Reach, Registry, Slot};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::model::Plan;

/// What the model of a step may ask for, and in how many rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tools {
    /// The tools.
    pub allowed: Vec<Tool>,
    /// In so many turns it may ask for them.
    pub rounds: u32,
}

/// A tool: an action that only reads, or an endpoint that does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The action; `call_connector` for an endpoint.
    pub action: String,
    /// The folder of the Lambda that hosts it, from the registry's table.
    pub function: String,
    /// The endpoint, when it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<ToolEndpoint>,
}

/// An endpoint of a connector as a tool. Its description and parameters are sealed with the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolEndpoint {
    /// The connector.
    pub connector: String,
    /// Its endpoint.
    pub endpoint: String,
    /// What it does.
    pub description: String,
    /// Its arguments, without the one that goes on where an earlier call ended: a source may take it for more than a place.
    pub inputs: Vec<Slot>,
    /// What its arguments can have it read.
    #[serde(default, skip_serializing_if = "Reach::is_source")]
    pub reach: Reach,
}

/// The argument with which a call goes on where an earlier one ended.
pub const CURSOR: &str = "_cursor";

/// The longest name of a tool that every provider accepts, characters.
const MAX_NAME: usize = 64;

impl Tool {
    /// The name that the model knows it by: that of the action, or of connector and endpoint.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        self.called(ToolEndpoint::name)
    }

    /// The name that its author wrote.
    fn written(&self) -> Cow<'_, str> {
        self.called(|endpoint| format!("{}/{}", endpoint.connector, endpoint.endpoint))
    }

    /// The name of its action, or what its endpoint is called.
    fn called(&self, of_endpoint: impl FnOnce(&ToolEndpoint) -> String) -> Cow<'_, str> {
        match &self.endpoint {
            None => Cow::Borrowed(self.action.as_str()),
            Some(endpoint) => Cow::Owned(of_endpoint(endpoint)),
        }
    }

    /// The contract that the model is shown, with the name that it knows the tool by. None when there is no such action, or when no
    /// model may call it.
    #[must_use]
    pub fn contract<'t>(&'t self, registry: &'t Registry) -> Option<Cow<'t, Contract>> {
        let Some(endpoint) = &self.endpoint else {
            let contract = registry.get(&self.action);
            return contract.filter(|one| one.not_a_tool().is_none()).map(Cow::Borrowed);
        };
        let own = Contract::reading(&endpoint.name(), &self.function, &endpoint.description);
        Some(Cow::Owned(Contract { inputs: endpoint.inputs.clone(), ..own }))
    }
}

impl ToolEndpoint {
    fn name(&self) -> String {
        endpoint_name(&self.connector, &self.endpoint, MAX_NAME)
    }
}

/// An endpoint as one word of at most `longest` characters, 10 or more. Connectors have hyphens and endpoints underscores in
/// their names, so `__` stands between them only here. A long name is cut, and ends with a part of its hash.
#[must_use]
pub fn endpoint_name(connector: &str, endpoint: &str, longest: usize) -> String {
    let name = format!("{connector}__{endpoint}");
    if name.len() <= longest {
        return name;
    }
    let hash = hex::encode(Sha256::digest(&name));
    let cut: String = name.chars().take(longest.saturating_sub(9)).collect();
    format!("{cut}_{}", &hash[..8])
}

impl Tools {
    /// A tool by the name that a model wrote.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Tool> {
        self.allowed.iter().find(|tool| tool.name() == name)
    }

    /// The contract of each tool, as the model is shown it.
    #[must_use]
    pub fn contracts<'t>(&'t self, registry: &'t Registry) -> Vec<Cow<'t, Contract>> {
        self.allowed.iter().filter_map(|tool| tool.contract(registry)).collect()
    }

    /// The first tool that the params of the step name, and that is not among these.
    pub(crate) fn missing(&self, params: &Map<String, Value>) -> Option<String> {
        let named = params.get("tools").and_then(Value::as_array).into_iter().flatten();
        let mut named = named.filter_map(Value::as_str);
        named
            .find(|name| !self.allowed.iter().any(|tool| tool.written() == *name))
            .map(str::to_owned)
    }

    /// Events of a step whose model has the most calls in every round: 20 a turn, 8 a call.
    pub(crate) fn events(&self) -> usize {
        let rounds = usize::try_from(self.rounds).unwrap_or(usize::MAX / 1_000);
        rounds * (20 + 8 * MAX_CALLS)
    }
}

impl Plan {
    /// Gives the models of its steps the endpoints that their lists name, of those that the agent has bound.
    pub fn give_endpoints(&mut self, bound: &Bindings) {
        for step in self.steps.iter_mut().filter(|step| step.tools.is_some()) {
            step.tools = of(&step.action, &step.params, bound);
        }
    }
}

/// The tools of a step with this action and these params; none when it has none. What is not a tool was refused when the
/// playbook was compiled, and is left out here.
pub(crate) fn of(action: &str, params: &Map<String, Value>, bound: &Bindings) -> Option<Tools> {
    if action != ResearchWithTools::NAME {
        return None;
    }
    let registry = Registry::builtin();
    let Params { tools, max_rounds, .. } =
        serde_json::from_value(Value::Object(params.clone())).ok()?;
    let tool = |name: &String| match endpoint_of(name) {
        Some((connector, endpoint)) => endpoint_tool(&registry, bound, connector, endpoint),
        None => {
            let contract = registry.get(name).filter(|contract| contract.not_a_tool().is_none())?;
            let (action, function) = (contract.name.clone(), contract.function.clone());
            Some(Tool { action, function, endpoint: None })
        }
    };
    Some(Tools { allowed: tools.iter().filter_map(tool).collect(), rounds: max_rounds })
}

/// An endpoint as a tool; none when it is not bound, or may not be one.
fn endpoint_tool(
    registry: &Registry,
    bound: &Bindings,
    connector: &str,
    endpoint: &str,
) -> Option<Tool> {
    let contract = bound.endpoint(connector, endpoint).filter(|one| one.not_a_tool().is_none())?;
    let calls = registry.get(CALL_CONNECTOR)?;
    let endpoint = ToolEndpoint {
        connector: connector.to_owned(),
        endpoint: endpoint.to_owned(),
        description: contract.description.clone(),
        inputs: contract.inputs.iter().filter(|slot| slot.name != CURSOR).cloned().collect(),
        reach: contract.reach,
    };
    let (action, function) = (calls.name.clone(), calls.function.clone());
    Some(Tool { action, function, endpoint: Some(endpoint) })
}

#[cfg(test)]
mod tests {
    use countersign_playbook::EndpointContract;
    use countersign_registry::DataType;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn tools(action: &str, params: &Value) -> Option<Tools> {
        of(action, params.as_object().unwrap(), &bound())
    }

    /// A connector with an endpoint that reads, and one that pays.
    fn bound() -> Bindings {
        let endpoint = |name: &str, irreversible| {
            let cursor = Slot::optional(CURSOR, DataType::Any, "");
            let inputs = vec![Slot::required("year", DataType::Integer, "Which year."), cursor];
            let description = "Filings of a year.".to_owned();
            let outputs = Vec::new();
            let reach = Reach::Source;
            let contract = EndpointContract { description, inputs, outputs, irreversible, reach };
            (name.to_owned(), contract)
        };
        let mut bound = Bindings::none();
        let (_, free) = endpoint("query", false);
        let free = EndpointContract { reach: Reach::Statement, ..free };
        let query = ("query".to_owned(), free);
        bound.bind("irs-990", [endpoint("filings", false), endpoint("pay", true), query]);
        bound
    }

    fn named(connector: &str, endpoint: &str) -> String {
        let (connector, endpoint) = (connector.to_owned(), endpoint.to_owned());
        let (description, inputs, reach) = (String::new(), Vec::new(), Reach::Source);
        ToolEndpoint { connector, endpoint, description, inputs, reach }.name()
    }

    #[test]
    fn f_093_k_40_an_endpoint_that_reads_is_a_tool_with_its_description_and_schema() {
        let wanted = json!({
            "tools": [
                "irs-990/filings", "irs-990/pay", "irs-990/query", "irs-990/gone", "bank/due", "search_web",
            ],
            "system_prompt": "Look.",
        });
        let found = tools("research_with_tools", &wanted).unwrap();
        let names: Vec<Cow<'_, str>> = found.allowed.iter().map(Tool::name).collect();
        assert_eq!(names, ["irs-990__filings", "search_web"]);
        let registry = Registry::builtin();
        let tool = found.named("irs-990__filings").unwrap();
        let told = tool.contract(&registry).unwrap();
        assert_eq!(
            (told.name.as_str(), told.description.as_str()),
            ("irs-990__filings", "Filings of a year.")
        );
        let arguments: Vec<String> =
            told.arguments().iter().map(|slot| slot.name.clone()).collect();
        assert_eq!(arguments, ["year"]);
        assert_eq!(
            (tool.action.as_str(), tool.function.as_str()),
            ("call_connector", "tool-connect")
        );
        assert_eq!(found.named("call_connector"), None, "it is not to be called by another name");
        assert_eq!(found.named("irs-990/filings"), None);
        assert_eq!(found.missing(wanted.as_object().unwrap()).as_deref(), Some("irs-990/pay"));
        let fits = json!({ "tools": ["search_web", "irs-990/filings"] });
        assert_eq!(found.missing(fits.as_object().unwrap()), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn f_093_every_provider_accepts_the_names_of_tools_and_no_two_are_the_same(
            one in ("[a-z][a-z0-9]{0,30}(-[a-z0-9]{1,15}){0,2}", "[a-z][a-z0-9_]{0,60}"),
            other in ("[a-z][a-z0-9]{0,30}(-[a-z0-9]{1,15}){0,2}", "[a-z][a-z0-9_]{0,60}"),
        ) {
            let (first, second) = (named(&one.0, &one.1), named(&other.0, &other.1));
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
            prop_assert!(first.len() <= MAX_NAME && first.chars().all(is_plain), "{first}");
            prop_assert!(!Registry::builtin().iter().any(|contract| contract.name == first));
            prop_assert_eq!(first == second, one == other);
            // Names that are cut at the same place.
            let long = |end: &str| named("a-connector-with-a-long-name", &format!("{}{end}", "x".repeat(40)));
            prop_assert_eq!(long(&one.1) == long(&other.1), one.1 == other.1);
        }
    }

    #[test]
    fn f_057_k_44_only_what_may_be_a_tool_is_in_the_plan() {
        let wanted = json!({ "tools": ["search_web", "send_notification", "nothing"], "system_prompt": "Look." });
        let found = tools("research_with_tools", &wanted).unwrap();
        let (action, function) = ("search_web".to_owned(), "tool-web".to_owned());
        let web = Tool { action, function, endpoint: None };
        assert_eq!(found, Tools { allowed: vec![web.clone()], rounds: 3 });
        assert_eq!(found.named("search_web"), Some(&web));
        assert_eq!(found.named("send_notification"), None);
        assert_eq!(tools("llm_analyze", &wanted), None);
    }
}
