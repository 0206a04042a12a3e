//! One turn of a conversation with tools.

use std::borrow::Cow;

use countersign_registry::Registry;
use countersign_registry::talk::{AskedTurn, PriorTurns, Said, ToolResult};
use countersign_run::{ModelUse, ToolAsk};

use super::*;

const FITS: &str = r#"{"verdict": "bad", "score": 7.5}"#;

fn look() -> Call {
    let params =
        json!({ "tools": ["query_journal"], "system_prompt": "Find out.", "max_rounds": 3 });
    Call { action: "research_with_tools".to_owned(), ..call(json!([1]), params, schema()) }
}

fn asking() -> Value {
    let calls = json!([{ "function": { "name": "query_journal", "arguments": "{\"limit\": 2}" } }]);
    json!({
        "choices": [{ "message": { "content": null, "tool_calls": calls } }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 20 },
    })
}

fn asked() -> ToolAsk {
    ToolAsk { tool: "query_journal".to_owned(), arguments: "{\"limit\":2}".to_owned() }
}

/// What the model says in a turn after `before` turns with a tool, and what it was shown.
async fn turn(
    answers: &[Value],
    before: usize,
    may_ask: bool,
) -> (Result<Said, ActionError>, Vec<Value>, Arc<Purse>) {
    let server = MockServer::builder().start().await;
    for answer in answers {
        let answer = ResponseTemplate::new(200).set_body_json(answer);
        Mock::given(any()).respond_with(answer).up_to_n_times(1).mount(&server).await;
    }
    let config = ModelConfig {
        provider: Some("openai".to_owned()),
        url: Some(server.uri()),
        name: Some("tiny".to_owned()),
    };
    let purse = purse(9);
    let said = say(&deps(config, &purse, Value::Null), before, may_ask).await;
    let shown = server.received_requests().await.unwrap();
    (said, shown.iter().map(|one| one.body_json().unwrap()).collect(), purse)
}

async fn say(deps: &Deps, before: usize, may_ask: bool) -> Result<Said, ActionError> {
    let registry = Registry::builtin();
    let used = ModelUse {
        model_used: "openai/tiny".to_owned(),
        input_tokens: Some(100),
        output_tokens: Some(20),
        turns: 1,
        latency_ms: 1,
        prompt_sha256: String::new(),
        answer_sha256: String::new(),
    };
    let result = ToolResult::Output(json!({ "entries": [] }));
    let one = AskedTurn { asks: vec![(asked(), result)], used };
    let tools = registry.get("query_journal").map(Cow::Borrowed).into_iter().collect();
    let talk = PriorTurns { tools, turns: vec![one; before], may_ask };
    let actions = actions(deps);
    let action = actions.iter().find(|action| action.name() == "research_with_tools").unwrap();
    action.turn(&look(), &talk).await
}

#[tokio::test]
async fn f_057_a_turn_asks_for_tools_or_answers_and_is_counted() {
    let (said, shown, purse) = turn(&[asking()], 1, true).await;
    let Said::Asks { asks, used } = said.unwrap() else { panic!("it answers") };
    assert_eq!((asks, used.turns), (vec![asked()], 1));
    assert_eq!(shown[0]["tools"][0]["function"]["name"], "query_journal");
    let roles: Vec<&str> = shown[0]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool"]);
    let ended = purse.ended.lock().unwrap()[0].clone();
    assert_eq!((ended.turn, ended.counted_tokens), (2, 120));
    assert_eq!(ended.answer_sha256, Some(used.answer_sha256));

    let (said, ..) = turn(&[super::said(FITS)], 2, true).await;
    let Said::Answers(answered) = said.unwrap() else { panic!("it asks") };
    assert_eq!(answered.output, json!({ "verdict": "bad", "score": 7.5 }));
    assert_eq!(answered.model.unwrap().turns, 1);
}

#[tokio::test]
async fn f_057_what_does_not_fit_is_repaired_without_tools() {
    let wrong = said("{}");
    let (said, shown, purse) = turn(&[wrong, said(FITS)], 1, true).await;
    assert!(
        matches!(said.unwrap(), Said::Answers(answered) if answered.model.as_ref().unwrap().turns == 2)
    );
    assert_eq!((shown[0].get("tools").is_some(), shown[1].get("tools")), (true, None));
    let numbers: Vec<u32> = purse.ended.lock().unwrap().iter().map(|one| one.turn).collect();
    assert_eq!(numbers, [2, 3]);
    let (said, shown, _) = turn(&[asking(), asking()], 3, false).await;
    assert_eq!(said.unwrap_err().code, "MODEL_ANSWER_INVALID");
    let wish = shown[1]["messages"].as_array().unwrap().last().unwrap()["content"].clone();
    assert!(wish.as_str().unwrap().contains("there are no more"), "{wish}");
}

#[tokio::test]
async fn f_057_the_built_in_model_asks_by_name_and_quotes_what_it_was_given() {
    let error = say(&offline(), 0, true).await.unwrap_err();
    assert_eq!(error.code, "MODEL_REQUIRED", "there is no question");

    let texts = DataType::array(DataType::String);
    let fields = vec![Field::new("answer", DataType::String), Field::new("sources", texts)];
    let form = OutputSchema { shape: Shape::Object, fields };
    let data = json!({ "question": "What is known about Owl Fund and “Ann Smith”?" });
    let call = Call { action: look().action, ..call(data, Value::Object(look().params), form) };
    let registry = Registry::builtin();
    let tool = |name: &str| registry.get(name).map(Cow::Borrowed);
    let named = ["search_knowledge_graph", "query_journal", "search_web", "transform_data"];
    let tools: Vec<_> = named.into_iter().filter_map(tool).collect();
    let actions = actions(&offline());
    let action = actions.iter().find(|action| action.name() == "research_with_tools").unwrap();
    let mut talk = PriorTurns { tools, turns: Vec::new(), may_ask: true };
    let Said::Asks { asks, used } = action.turn(&call, &talk).await.unwrap() else { panic!() };
    let asked: Vec<(&str, Value)> =
        asks.iter().map(|ask| (ask.tool.as_str(), ask.object().unwrap().into())).collect();
    let words = "What is known about Owl Fund and “Ann Smith”?";
    assert_eq!(
        asked,
        [
            ("search_knowledge_graph", json!({ "entity_names": ["Ann Smith"] })),
            ("query_journal", json!({ "entity_name": "Ann Smith" })),
            ("search_web", json!({ "query": words })),
        ]
    );
    let results = [
        ToolResult::Output(json!({ "entities": [{ "name": "Ann Smith", "type": "PERSON" }] })),
        ToolResult::Failed("GRAPH_DOWN".to_owned(), "no".to_owned()),
        ToolResult::Output(json!({ "results": [] })),
    ];
    talk.turns.push(AskedTurn { asks: asks.into_iter().zip(results).collect(), used });
    let Said::Answers(answered) = action.turn(&call, &talk).await.unwrap() else { panic!() };
    let place = "search_knowledge_graph.entities[0]";
    let quoted = format!(r#""name: Ann Smith; type: PERSON" ({place})"#);
    assert_eq!(answered.output, json!({ "answer": quoted, "sources": [place] }));
    assert_eq!(answered.model.unwrap().model_used, "extractive");

    let mut assigned = call;
    assigned.inputs.insert("assignment".to_owned(), json!({ "task": words }));
    let schema = assigned.output_schema.as_mut().unwrap();
    schema.fields.push(Field::new("confidence_score", DataType::Number));
    let Said::Answers(answered) = action.turn(&assigned, &talk).await.unwrap() else { panic!() };
    let expect = json!({ "answer": quoted, "sources": [place], "confidence_score": null });
    assert_eq!(answered.output, expect, "it does not say how sure it is");
}

#[tokio::test]
async fn r_029_what_was_found_is_not_lost_when_a_model_cannot_say_how_sure_it_is() {
    let check = async |answer: &str, why: &str| {
        let server = provider(&[answer, answer]).await;
        let answered = ask(&server, &purse(2), &scored()).await.unwrap();
        let warning = format!("`confidence_score` is left out: {why}");
        let expect = json!({ "verdict": "bad", "confidence_score": null, "warnings": [warning] });
        assert_eq!(answered.output, expect);
        let asked = server.received_requests().await.unwrap();
        assert_eq!(asked.len(), 2, "it was asked once to repair it");
        let told = asked[1].body_json::<Value>().unwrap()["messages"].to_string();
        assert!(told.contains("must be a number from 0 to 1, or null"), "{told}");
    };
    check(r#"{"verdict": "bad", "confidence_score": 70}"#, "70 is no number from 0 to 1").await;
    check(r#"{"verdict": "bad", "confidence_score": "high"}"#, "what the model says is no number")
        .await;
    check(r#"{"verdict": "bad"}"#, "the model does not say it").await;
}

#[tokio::test]
async fn r_029_whoever_was_assigned_nothing_has_to_fill_in_such_a_field() {
    let without = r#"{"verdict": "bad"}"#;
    let mut call = scored();
    call.inputs.remove("assignment");
    for action in ["research_with_tools", "llm_analyze"] {
        let mut call = Call { action: action.to_owned(), ..call.clone() };
        if action == "llm_analyze" {
            call.params = judge().params;
        }
        let error = ask(&provider(&[without, without]).await, &purse(2), &call).await.unwrap_err();
        assert_eq!(error.code, "MODEL_ANSWER_INVALID", "{action}");
        assert!(error.message.contains("`confidence_score` is missing"), "{}", error.message);
    }
}

/// A task that somebody assigned.
fn scored() -> Call {
    let mut call = look();
    call.inputs.insert("assignment".to_owned(), json!({ "task": "Look." }));
    let fields = vec![
        Field::new("verdict", DataType::String),
        Field::new("confidence_score", DataType::Number),
    ];
    call.output_schema = Some(OutputSchema { shape: Shape::Object, fields });
    call
}

#[tokio::test]
async fn k_46_a_test_says_which_tools_there_would_be() {
    let actions = actions(&offline());
    let action = actions.iter().find(|action| action.name() == "research_with_tools").unwrap();
    let registry = Registry::builtin();
    let tools = registry.get("query_journal").map(Cow::Borrowed).into_iter().collect();
    let would = action.foresee(&look(), tools).unwrap().unwrap();
    assert_eq!(
        (&would["rounds"], &would["tools"][0]["name"]),
        (&json!(3), &json!("query_journal"))
    );
    assert_eq!((&would["model"], &would["max_tokens"]), (&json!("extractive"), &json!(0)));
}
