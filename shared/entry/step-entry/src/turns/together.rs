//! Which calls of a turn the same invocation makes.
//!
//! A model often asks for several things of one kind at once: two searches, three documents. Those of one function are made side by
//! side in one invocation, which looks at the run once.

use countersign_plan::Tools;
use countersign_registry::Action as _;
use countersign_registry::actions::run_python::RunPython;
use countersign_registry::actions::search_documents::SearchDocuments;

use crate::event::ToolToCall;

/// How many calls an invocation makes side by side at most, as in a step over a list.
pub(crate) const SIDE_BY_SIDE: usize = 4;

/// The calls that are made alone: code computes all the time that it has, and a search in texts holds many of them.
const ALONE: [&str; 2] = [RunPython::NAME, SearchDocuments::NAME];

/// The calls of a turn, by invocation. In one are calls of the same function, in the order in which the model asked for them.
pub(crate) fn together(tools: &Tools, turn: u32, calls: Vec<(u32, String)>) -> Vec<ToolToCall> {
    let mut all: Vec<ToolToCall> = Vec::new();
    for (call, tool) in calls {
        let function = shared(tools, &tool);
        let is_beside = |other: &&mut ToolToCall| {
            function.is_some()
                && shared(tools, &other.tool) == function
                && other.also.len() + 1 < SIDE_BY_SIDE
        };
        match all.iter_mut().find(is_beside) {
            Some(beside) => beside.also.push(call),
            None => all.push(ToolToCall { turn, call, tool, also: Vec::new() }),
        }
    }
    all
}

/// The same for a machine that has each call made by itself.
pub(crate) fn alone(turn: u32, calls: Vec<(u32, String)>) -> Vec<ToolToCall> {
    let alone = |(call, tool)| ToolToCall { turn, call, tool, also: Vec::new() };
    calls.into_iter().map(alone).collect()
}

/// The function of a tool whose calls may be made beside others.
fn shared<'t>(tools: &'t Tools, tool: &str) -> Option<&'t str> {
    let tool = tools.named(tool).filter(|tool| !ALONE.contains(&tool.action.as_str()))?;
    Some(tool.function.as_str())
}

#[cfg(test)]
mod tests {
    use countersign_plan::Tool;

    use super::*;

    fn tools() -> Tools {
        let of = |action: &str, function: &str| Tool {
            action: action.to_owned(),
            function: function.to_owned(),
            endpoint: None,
        };
        let allowed = vec![
            of("search_web", "tool-web"),
            of("crawl_url", "tool-web"),
            of("read_file", "tool-files"),
            of("search_documents", "tool-files"),
            of("run_python", "tool-code"),
        ];
        Tools { allowed, rounds: 3 }
    }

    #[test]
    fn r_045_calls_of_one_function_are_made_in_one_invocation() {
        let check = |calls: &[&str], expect: &[&[u32]]| {
            let calls = (1..).zip(calls).map(|(n, tool)| (n, (*tool).to_owned())).collect();
            let all = together(&tools(), 2, calls);
            let numbers = |one: &ToolToCall| [vec![one.call], one.also.clone()].concat();
            assert_eq!(all.iter().map(numbers).collect::<Vec<_>>(), expect);
            assert!(all.iter().all(|one| one.turn == 2));
        };
        check(&[], &[]);
        check(&["search_web"], &[&[1]]);
        check(&["search_web", "read_file", "crawl_url"], &[&[1, 3], &[2]]);
        check(&["search_web"; 6], &[&[1, 2, 3, 4], &[5, 6]]);
        check(&["run_python", "run_python"], &[&[1], &[2]]);
        check(&["search_documents", "read_file", "read_file"], &[&[1], &[2, 3]]);
    }
}
