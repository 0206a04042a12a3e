//! Tools, in the shape of each provider.

use super::*;
use crate::ToolUse;

fn used(n: usize, tool: &str, arguments: Value) -> ToolUse {
    ToolUse { id: format!("call_{n}"), tool: tool.to_owned(), arguments }
}

/// A turn after one in which two tools were used.
async fn turn(provider: &str, server: &MockServer, may_ask: bool) -> Turn {
    let model = models(provider, &format!("{}/v1", server.uri()), true).own().clone();
    let Model::Provider(client) = model else { panic!("not the provider") };
    let asks =
        vec![used(0, "search_web", json!({ "query": "owls" })), used(1, "nothing", json!("{"))];
    let messages = [
        Message::new(Role::System, "Be brief."),
        Message::new(Role::User, "Owls?"),
        Message::asking(asks),
        Message::result("call_0", "two owls"),
        Message::result("call_1", "there is no such tool"),
    ];
    let schema = json!({ "type": "object" });
    let tools = [ToolSpec {
        name: "search_web".to_owned(),
        description: "Searches.".to_owned(),
        schema: schema.clone(),
    }];
    let request = ChatRequest { tools: &tools, may_ask, ..request(&messages, &schema) };
    client.chat(&request).await
}

/// What a provider is sent, and what its answer says.
async fn check(provider: &str, may_ask: bool, answer: Value, expect: Reply) -> Value {
    let server = MockServer::builder().start().await;
    let said = ResponseTemplate::new(200).set_body_json(answer);
    Mock::given(method("POST")).respond_with(said).expect(1).mount(&server).await;
    let turn = turn(provider, &server, may_ask).await;
    assert_eq!(turn.reply.unwrap(), expect);
    assert_eq!(turn.usage, Usage::Said { input: 12, output: 3 });
    server.received_requests().await.unwrap()[0].body_json().unwrap()
}

fn asking(calls: &Value) -> Value {
    json!({
        "choices": [{ "message": { "role": "assistant", "content": null, "tool_calls": calls }, "finish_reason": "tool_calls" }],
        "usage": { "prompt_tokens": 12, "completion_tokens": 3 },
    })
}

fn blocks(content: &Value) -> Value {
    json!({
        "content": content, "stop_reason": "tool_use",
        "usage": { "input_tokens": 12, "output_tokens": 3 },
    })
}

#[tokio::test]
async fn f_057_f_093_tools_are_asked_for_as_openai_documents_it() {
    let call = |id: &str, name: &str, arguments: Value| json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } });
    let calls = json!([
        call("x", "search_web", json!("{\"query\": \"owls\"}")),
        call("y", "search_web", json!({ "query": "an object, as some servers have it" })),
        call("z", "search_web", json!("{\"query\":")),
        call("", "list", json!("")),
        call("", "list", json!("[1]")),
    ]);
    let expect = vec![
        used(0, "search_web", json!({ "query": "owls" })),
        used(1, "search_web", json!({ "query": "an object, as some servers have it" })),
        used(2, "search_web", json!("{\"query\":")),
        used(3, "list", json!({})),
        used(4, "list", json!("[1]")),
    ];
    let sent = check("openai", true, asking(&calls), Reply::Asks(expect)).await;
    assert_eq!(sent["tools"][0]["function"]["parameters"], json!({ "type": "object" }));
    assert_eq!(sent["tool_choice"], "auto");
    assert_eq!(sent["response_format"], Value::Null);
    let made = json!([
        call("call_0", "search_web", json!("{\"query\":\"owls\"}")),
        call("call_1", "nothing", json!("{}"))
    ]);
    assert_eq!(sent["messages"][2]["tool_calls"], made);
    let result = json!({ "role": "tool", "tool_call_id": "call_0", "content": "two owls" });
    assert_eq!(sent["messages"][3], result);
}

#[tokio::test]
async fn f_057_the_last_turn_is_asked_without_tools() {
    let text = Reply::Text("{}".to_owned());
    let sent = check("openai", false, completion(&json!("{}"), "stop"), text.clone()).await;
    assert_eq!((&sent["tools"], &sent["tool_choice"]), (&Value::Null, &Value::Null));
    assert_eq!(sent["response_format"]["type"], "json_schema");
    let answer = json!([{ "type": "tool_use", "id": "x", "name": "answer", "input": {} }]);
    let sent = check("anthropic", false, blocks(&answer), text).await;
    assert_eq!(sent["tool_choice"], json!({ "type": "tool", "name": "answer" }));
}

#[tokio::test]
async fn f_057_f_093_tools_are_asked_for_as_anthropic_documents_it() {
    let call = |name: &str, input: Value| json!({ "type": "tool_use", "id": "toolu_1", "name": name, "input": input });
    let both = json!([
        { "type": "text", "text": "I look." },
        call("search_web", json!({ "query": "owls" })),
        call("list", json!({})),
    ]);
    let expect =
        vec![used(0, "search_web", json!({ "query": "owls" })), used(1, "list", json!({}))];
    let sent = check("anthropic", true, blocks(&both), Reply::Asks(expect)).await;
    let names: Vec<&str> =
        sent["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["search_web", "answer"]);
    assert_eq!(sent["tool_choice"], json!({ "type": "any" }));
    let asked = json!({ "type": "tool_use", "id": "call_1", "name": "nothing", "input": {} });
    assert_eq!(sent["messages"][1]["content"][1], asked);
    let results = sent["messages"][2]["content"].as_array().unwrap();
    assert_eq!((results.len(), &results[0]["tool_use_id"]), (2, &json!("call_0")));
    assert_eq!(sent["messages"][2]["role"], "user");
    let answered = json!([call("search_web", json!({})), call("answer", json!({ "a": 1 }))]);
    let text = Reply::Text("{\"a\":1}".to_owned());
    check("anthropic", true, blocks(&answered), text).await;
}

#[tokio::test]
async fn k_44_a_turn_has_only_so_many_calls_and_their_names_are_short() {
    let one = json!({ "function": { "name": "n".repeat(500), "arguments": "{}" } });
    let calls = json!(vec![one; 100]);
    let expect = (0..32).map(|n| used(n, &"n".repeat(100), json!({}))).collect();
    check("openai", true, asking(&calls), Reply::Asks(expect)).await;
}
