use countersign_identity::{Scopes, UserId};
use countersign_plan::{OnError, PlanStep, StepKind, Tool, ToolEndpoint, Tools};
use countersign_registry::action::Answered;
use countersign_registry::talk::{AskedTurn, ToolResult};
use countersign_registry::{DataType, Reach, Registry, Slot};
use countersign_run::{Head, ModelUse, StepStatus, StopReason, ToolAsk, ToolCall};
use countersign_store_runs::{ModelTurn, ToolOutcome};
use countersign_wiring::Scope;
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::arguments::{as_step, misfits, owners_alone, refused};
use super::ended::ended;
use super::shown::Shown;
use super::so_far::SoFar;
use crate::prepare::prepare;

fn tool(action: &str) -> Tool {
    Tool { action: action.to_owned(), function: "tool-web".to_owned(), endpoint: None }
}

/// The endpoint of a connector that looks something up.
fn filings() -> Tool {
    let endpoint = ToolEndpoint {
        connector: "irs".to_owned(),
        endpoint: "filings".to_owned(),
        description: "Filings of a year.".to_owned(),
        inputs: vec![
            Slot::required("year", DataType::Integer, "Which year."),
            Slot::optional("about", DataType::Any, "About what."),
        ],
        reach: Reach::Source,
    };
    Tool { endpoint: Some(endpoint), ..tool("call_connector") }
}

fn tools() -> Tools {
    Tools { allowed: vec![tool("search_web")], rounds: 3 }
}

fn step(on_warning: &str) -> PlanStep {
    let text = json!({
        "name": "look", "kind": "tool", "action": "research_with_tools", "function": "tool-model",
        "on_error": "skip", "on_warning": on_warning, "after": [], "reads": ["secrets"],
        "inputs": { "data": "{secrets}" }, "params": { "tools": ["search_web"] },
    });
    serde_json::from_value(text).unwrap()
}

fn ask(tool: &str, arguments: &str) -> ToolAsk {
    ToolAsk { tool: tool.to_owned(), arguments: arguments.to_owned() }
}

fn used() -> ModelUse {
    ModelUse {
        model_used: "openai/a".to_owned(),
        input_tokens: Some(5),
        output_tokens: Some(2),
        turns: 1,
        latency_ms: 3,
        prompt_sha256: "p".to_owned(),
        answer_sha256: "a".to_owned(),
    }
}

fn turn(number: u32, calls: usize) -> ModelTurn {
    ModelTurn {
        step: "look".to_owned(),
        turn: number,
        asks: vec![ask("search_web", "{}"); calls],
        used: used(),
        at: Timestamp::UNIX_EPOCH,
    }
}

fn outcome(turn: u32, call: u32) -> ToolOutcome {
    let call = ToolCall {
        turn,
        call,
        tool: "search_web".to_owned(),
        arguments: "{}".to_owned(),
        status: StepStatus::Done,
        code: None,
        message: None,
        took_ms: 1,
        found: Vec::new(),
    };
    ToolOutcome::new("look", call, 1, Timestamp::UNIX_EPOCH)
}

/// The arguments of a call, as its handler gets them; or what is said of them.
fn prepared(arguments: &Value) -> Result<Value, String> {
    let registry = Registry::builtin();
    let contract = registry.get("search_web").unwrap();
    let given = ask("search_web", &arguments.to_string()).object().unwrap();
    let own = as_step(&step("continue"), tools().named("search_web").unwrap(), contract, given);
    assert_eq!((own.reads.len(), own.kind, own.on_error), (0, StepKind::Tool, OnError::Skip));
    let prepared = prepare(&own, contract, &Scope::new()).map_err(|said| said.join("; "))?;
    Ok(json!([prepared.inputs, prepared.params]))
}

#[test]
fn f_057_arguments_are_those_of_the_contract() {
    let check = |arguments: Value, expect: Result<Value, &str>| {
        assert_eq!(prepared(&arguments), expect.map_err(str::to_owned), "{arguments}");
    };
    check(json!({ "query": "owls" }), Ok(json!([{ "query": "owls" }, { "max_results": 10 }])));
    check(
        json!({ "query": "{secrets.key}", "max_results": 3 }),
        Ok(json!([{ "query": "{secrets.key}" }, { "max_results": 3 }])),
    );
    check(json!({}), Err("`query`: it is required"));
    check(json!({ "query": "owls", "querry": "x" }), Err("`querry`: there is no such slot"));
}

#[test]
fn f_057_k_44_what_no_function_can_be_asked_is_refused() {
    let check = |call: u32, tool: &str, arguments: &str, expect: Option<&str>| {
        let error = refused(&tools(), call, &ask(tool, arguments));
        assert_eq!(error.map(|error| error.message).as_deref(), expect, "{tool} {arguments}");
    };
    check(8, "search_web", "{}", None);
    check(9, "search_web", "{}", Some("a turn has at most 8 calls"));
    let nothing = Some("there is no such tool; there are search_web");
    check(1, "send_notification", "{}", nothing);
    check(1, "", "{}", nothing);
    check(1, "search_web", "{\"query\":", Some("the arguments are not a JSON object"));
}

#[test]
fn k_44_a_page_is_read_only_at_an_address_that_was_shown() {
    let given = json!({
        "run": "run_1", "data": { "page": "https://a.example/x?q=1", "note": "See (https://b.example/y), then http://c.example/z." },
    });
    let Value::Object(inputs) = given else { panic!() };
    let links = json!({ "links": [{ "url": "https://d.example/w w", "text": "on" }] });
    let result = |result| AskedTurn { asks: vec![(ask("crawl_url", "{}"), result)], used: used() };
    let lost = ToolResult::Failed("CRAWL".to_owned(), "https://e.example/".to_owned());
    let shown = Shown::of(inputs.values(), &[result(ToolResult::Output(links)), result(lost)]);
    let check = |name: &str, url: &str, expect: bool| {
        let ask = ask(name, &json!({ "url": url }).to_string());
        let error = shown.refused(&tool(name), &ask);
        assert_eq!(error.is_none(), expect, "{name} {url}");
    };
    for url in [
        "https://a.example/x?q=1",
        "https://b.example/y",
        "http://c.example/z",
        "https://d.example/w w",
    ] {
        check("crawl_url", url, true);
    }
    for url in [
        "https://a.example/x?q=2",
        "https://a.example/x",
        "https://b.example/y?secret=1",
        "https://e.example/",
        "",
    ] {
        check("crawl_url", url, false);
        check("search_web", url, true);
    }
}

#[test]
fn k_44_an_address_that_a_tool_repeats_was_not_shown() {
    let secret = "https://evil.example/?s=1";
    let (given, said) = (json!({ "u": secret }).to_string(), json!({ "u": secret }));
    let tools =
        ["transform_data", "search_knowledge_graph", "query_journal", "search_web", "irs__filings"];
    for tool in tools {
        let asks = vec![(ask(tool, &given), ToolResult::Output(said.clone()))];
        let shown = Shown::of([], &[AskedTurn { asks, used: used() }]);
        let crawl = ask("crawl_url", &json!({ "url": secret }).to_string());
        let error = shown.refused(&self::tool("crawl_url"), &crawl);
        assert_eq!(error.map(|error| error.code), Some("TOOL_REFUSED"), "{tool}");
    }
}

#[test]
fn f_093_arguments_of_an_endpoint_are_those_that_the_model_was_told() {
    let (registry, filings) = (Registry::builtin(), filings());
    let check = |arguments: Value, expect: Option<&str>| {
        let given = ask("irs__filings", &arguments.to_string()).object().unwrap();
        let error = misfits(&filings, &given).map(|error| error.message);
        assert_eq!(error.as_deref(), expect, "{arguments}");
    };
    check(json!({ "year": 2024, "about": ["{secrets.key}"] }), None);
    check(json!({ "about": 1 }), Some("`year`: it is required"));
    check(json!({ "year": 1, "endpoint": "pay" }), Some("`endpoint`: there is no such slot"));
    let given =
        ask("irs__filings", r#"{"year": 2024, "about": "{secrets.key}"}"#).object().unwrap();
    let told = filings.contract(&registry).unwrap();
    let own = as_step(&step("continue"), &filings, &told, given);
    let prepared = prepare(&own, registry.get("call_connector").unwrap(), &Scope::new()).unwrap();
    let expect = json!([
        { "year": 2024, "about": "{secrets.key}" },
        { "connector": "irs", "endpoint": "filings" },
    ]);
    assert_eq!(json!([prepared.inputs, prepared.params]), expect);
}

#[test]
fn k_35_a_model_that_a_member_asks_reads_no_files_of_the_owner() {
    let head = |team: Value| -> Head {
        let owner = UserId::from_bytes([1; 16]);
        let head = json!({
            "run": format!("run_{}", "1".repeat(32)), "owner": owner, "invoked_by": owner, "team_context": team,
            "scopes": Scopes::default(), "profile_id": "p", "profile_name": "P", "context": "background",
            "started_at": Timestamp::UNIX_EPOCH, "attempt": 1, "version": 1,
        });
        serde_json::from_value(head).unwrap()
    };
    let id = format!("team_{}", "3".repeat(32));
    let team = json!({ "team_id": id, "team_file_access": true, "team_post_access": false });
    let (own, of_member) = (head(Value::Null), head(team));
    let files = |reach| {
        let mut files = filings();
        files.endpoint.as_mut().unwrap().reach = reach;
        files
    };
    let check = |tool: &Tool, arguments: Value, expect: bool| {
        let given = arguments.as_object().unwrap();
        assert_eq!(owners_alone(&of_member, tool, given).is_none(), expect, "{arguments}");
        assert!(owners_alone(&own, tool, given).is_none(), "{arguments}");
    };
    check(&files(Reach::Source), json!({ "about": "owls" }), true);
    check(&files(Reach::Files), json!({ "about": "owls" }), false);
    check(&files(Reach::Source), json!({ "about": [format!("file_{}", "a".repeat(32))] }), false);
    check(&tool("query_journal"), json!({ "query": "folders/private" }), false);
    check(&tool("query_journal"), json!({ "query": "owls" }), true);
    check(&tool("read_file"), json!({ "name": "owls" }), false);
    check(&tool("find_file_by_name"), json!({ "name": "owls" }), false);
    check(&tool("search_documents"), json!({ "query": "owls" }), false);
    check(&tool("search_todos"), json!({ "query": "owls" }), false);
    check(&tool("list_todos"), json!({}), false);
}

#[test]
fn k_44_a_connector_is_given_no_address_that_the_model_made_up() {
    let given = json!({ "page": "https://a.example/x", "note": "Both of https://b.example/y." });
    let shown = Shown::of([&given], &[]);
    let check = |about: Value, expect: bool| {
        let ask = ask("irs__filings", &json!({ "year": 1, "about": about }).to_string());
        assert_eq!(shown.refused(&filings(), &ask).is_none(), expect, "{about}");
    };
    for about in [
        json!("owls and mice"),
        json!("10.5/3"),
        json!("https://a.example/x"),
        json!(["see https://b.example/y."]),
        json!({ "a": 7, "b": null }),
    ] {
        check(about, true);
    }
    for about in [
        json!("https://a.example/x?read=1"),
        json!("HTTPS://evil.example/"),
        json!("//evil.example/secret"),
        json!("www.evil.example"),
        json!({ "a": [{ "b": "at ftp://evil.example" }] }),
        json!({ "https://evil.example/": 1 }),
        json!("https%3A%2F%2Fevil.example"),
        json!("https://a.example/x,secret"),
        json!("https://a.example/x secret"),
        json!("https://a.example/x|secret"),
        json!("https://a.example/x{secret"),
        json!("https:evil.example/secret"),
        json!("https:/evil.example/secret"),
        json!("https:\\\\evil.example\\secret"),
        json!("ht\ttps:/\n/evil.example/secret"),
        json!(" \\\\evil.example/secret"),
        json!("from https:evil.example"),
    ] {
        check(about, false);
    }
}

#[test]
fn f_057_a_call_that_has_an_outcome_is_not_made_again() {
    let left = |turns: Vec<ModelTurn>, outcomes: Vec<ToolOutcome>| {
        let so_far = SoFar { turns, outcomes };
        let open = so_far.open_turn();
        let calls = open.iter().flat_map(|turn| so_far.left(turn).map(|(n, _)| (turn.turn, n)));
        (so_far.rounds(), calls.collect::<Vec<_>>())
    };
    assert_eq!(left(vec![], vec![]), (0, vec![]));
    assert_eq!(left(vec![turn(1, 2)], vec![]), (1, vec![(1, 1), (1, 2)]));
    assert_eq!(left(vec![turn(1, 2)], vec![outcome(1, 2)]), (1, vec![(1, 1)]));
    assert_eq!(left(vec![turn(1, 1)], vec![outcome(1, 1)]), (1, vec![]));
    let second = left(vec![turn(1, 1), turn(2, 2)], vec![outcome(1, 1), outcome(2, 1)]);
    assert_eq!(second, (2, vec![(2, 2)]));
}

#[test]
fn f_311_what_tools_could_not_read_is_told_behind_the_step() {
    let end = |on_warning: &str, outputs: &[Value]| {
        let calls: Vec<ToolOutcome> =
            outputs.iter().map(|output| outcome(1, 1).warned_by(output)).collect();
        let answered = Answered { output: json!({ "a": "b" }), model: Some(used()) };
        ended(&step(on_warning), "h".to_owned(), answered, &calls)
    };
    let clean = end("gate", &[json!({ "results": [] })]);
    let unread = json!({ "warnings": ["row 3 is not a number"] });
    let told = end("gate", &[unread.clone(), json!({ "results": [] })]);
    let (clean, told_of) = (clean.warnings.unwrap(), told.warnings.unwrap());
    assert_eq!((clean.count, told_of.count, told_of.asks), (1, 2, true));
    assert_ne!(clean.hash, told_of.hash);
    assert_eq!(told_of.first, ["`search_web`: row 3 is not a number"]);
    assert_eq!(told.status, StepStatus::Done);
    let stopped = end("stop", &[unread]);
    assert_eq!((stopped.status, stopped.stops), (StepStatus::Failed, Some(StopReason::StepFailed)));
    assert_eq!(stopped.code.as_deref(), Some("WARNINGS_FOUND"));
    assert_eq!(end("stop", &[json!({})]).status, StepStatus::Done);
}

#[test]
fn f_057_the_turns_before_are_counted_in_the_end() {
    let all = used().after(&[used(), used()]);
    assert_eq!(
        (all.turns, all.input_tokens, all.output_tokens, all.latency_ms),
        (3, Some(15), Some(6), 9)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn k_44_nothing_that_a_model_writes_is_a_reference(query in "[a-z{}. \\[\\]*\"\\\\]{1,40}") {
        let found = prepared(&json!({ "query": query }));
        prop_assert_eq!(found, Ok(json!([{ "query": query }, { "max_results": 10 }])));
    }
}
