//! The tools that the model of a step may ask for. They stand in the plan, so its seal covers them.

use countersign_registry::actions::research_with_tools::{MAX_CALLS, Params, ResearchWithTools};
use countersign_registry::{Action, Registry};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What the model of a step may ask for, and in how many rounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tools {
    /// The tools.
    pub allowed: Vec<Tool>,
    /// In so many turns it may ask for them.
    pub rounds: u32,
}

/// A tool: an action that only reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The action, which is also its name for the model.
    pub action: String,
    /// The folder of the Lambda that hosts it, from the registry's table.
    pub function: String,
}

impl Tools {
    /// A tool by the name that a model wrote.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Tool> {
        self.allowed.iter().find(|tool| tool.action == name)
    }

    /// Events of a step whose model has the most calls in every round: 20 a turn, 8 a call.
    pub(crate) fn events(&self) -> usize {
        let rounds = usize::try_from(self.rounds).unwrap_or(usize::MAX / 1_000);
        rounds * (20 + 8 * MAX_CALLS)
    }
}

/// The tools of a step with this action and these params; none when it has none. What is not a tool was refused when the
/// playbook was compiled, and is left out here.
pub(crate) fn of(action: &str, params: &Map<String, Value>) -> Option<Tools> {
    if action != ResearchWithTools::NAME {
        return None;
    }
    let registry = Registry::builtin();
    let Params { tools, max_rounds, .. } =
        serde_json::from_value(Value::Object(params.clone())).ok()?;
    let tool = |name: &String| {
        let contract = registry.get(name).filter(|contract| contract.not_a_tool().is_none())?;
        Some(Tool { action: contract.name.clone(), function: contract.function.clone() })
    };
    Some(Tools { allowed: tools.iter().filter_map(tool).collect(), rounds: max_rounds })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tools(action: &str, params: &Value) -> Option<Tools> {
        of(action, params.as_object().unwrap())
    }

    #[test]
    fn f_057_k_44_only_what_may_be_a_tool_is_in_the_plan() {
        let wanted = json!({ "tools": ["search_web", "send_notification", "nothing"], "system_prompt": "Look." });
        let found = tools("research_with_tools", &wanted).unwrap();
        let web = Tool { action: "search_web".to_owned(), function: "tool-web".to_owned() };
        assert_eq!(found, Tools { allowed: vec![web.clone()], rounds: 3 });
        assert_eq!(found.named("search_web"), Some(&web));
        assert_eq!(found.named("send_notification"), None);
        assert_eq!(tools("llm_analyze", &wanted), None);
    }
}
