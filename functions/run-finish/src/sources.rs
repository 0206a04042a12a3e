//! The pages of the web that an answer names, with what the run found of them.

use countersign_run::{FoundPage, RunState};
use countersign_wiring::texts;
use serde_json::Value;

/// The most pages that are told.
const MAX_SOURCES: usize = 50;

/// The pages that models found or read in a run, and whose addresses `said` has, each once, in the order in which they were found.
pub(crate) fn of(state: &RunState, said: &Value) -> Vec<FoundPage> {
    let texts = texts(said);
    let calls = state.steps.iter().flat_map(|(_, step)| &step.tool_calls);
    let mut named: Vec<FoundPage> = Vec::new();
    for page in calls.flat_map(|call| &call.found) {
        if let Some(known) = named.iter_mut().find(|known| known.url == page.url) {
            *known = known.clone().then(page);
        } else if named.len() < MAX_SOURCES && texts.iter().any(|text| page.is_named_in(text)) {
            named.push(page.clone());
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use countersign_run::{RunStatus, StepState, StepStatus, ToolCall};
    use serde_json::json;

    use super::*;

    #[test]
    fn r_015_an_answer_has_the_pages_that_it_names_with_their_excerpts() {
        let hit = |n: u32| json!({ "title": format!("Page {n}"), "url": format!("https://a.example/{n}"), "snippet": "found", "score": 0.5 });
        let searched = FoundPage::of_search(&json!({ "results": [hit(1), hit(2), hit(12)] }));
        let read = json!({ "title": "Page 2", "content": "read" });
        let read = vec![FoundPage::of_page("https://a.example/2", &read)];
        let call = |found: Vec<FoundPage>| ToolCall {
            turn: 1,
            call: 1,
            tool: "search_web".to_owned(),
            arguments: "{}".to_owned(),
            status: StepStatus::Done,
            code: None,
            message: None,
            took_ms: 1,
            found,
        };
        let calls = vec![call(searched), call(read)];
        let step = StepState { tool_calls: calls, ..StepState::default() };
        let state =
            RunState { status: RunStatus::Complete, steps: vec![("look".to_owned(), step)] };
        let said = json!({ "Answer": "It filed [1].", "Sources": ["https://a.example/2", "https://a.example/12."] });
        let told = serde_json::to_value(of(&state, &said)).unwrap();
        let page = |n: u32, excerpt: &str| json!({ "title": format!("Page {n}"), "url": format!("https://a.example/{n}"), "excerpt": excerpt, "score": 0.5 });
        assert_eq!(told, json!([page(2, "read"), page(12, "found")]));
        assert_eq!(of(&state, &Value::Null), []);
    }
}
