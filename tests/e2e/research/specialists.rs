//! Questions that a model divides between specialists.

use std::time::Duration;

use serde_json::{Value, json};
use wiremock::matchers::{body_string_contains, method, path};
use wiremock::{Mock, ResponseTemplate};

use super::endpoints::{answers_filings, register};
use super::{Stage, asking, calls, stage};
use crate::case::{FACTORY, refusal, step};
use crate::models::{output, said};

/// What only the model is told that plans, that answers, and each of the specialists.
pub(super) const PLANS: &str = "You plan the work";
pub(super) const ANSWERS: &str = "what specialists found";
pub(super) const PRESS: &str = "You are `press`";
pub(super) const REGISTER: &str = "You are `register`";

pub(super) const ANSWER: &str =
    r#"{"answer": "Owl Fund filed in 2024 [1].", "sources": ["register__filings"]}"#;

pub(super) fn task(id: &str, who: &str, after: &[&str]) -> Value {
    json!({ "agent_id": id, "agent_name": who, "task": format!("Do {id}."), "depends_on": after })
}

/// What the planner says that the question names.
pub(super) fn named() -> Value {
    json!({ "dates": ["2024"], "amounts": [], "names": ["Owl Fund"], "documents": ["filing"] })
}

pub(super) fn plan(tasks: &[Value]) -> ResponseTemplate {
    let analysis = json!({ "intent": "Who filed", "entities": named() });
    said(&json!({ "analysis": analysis, "execution_plan": tasks }).to_string())
}

/// What a specialist found that does not say how sure it is.
pub(super) fn found(what: &str) -> ResponseTemplate {
    sure(what, &Value::Null)
}

fn sure(what: &str, score: &Value) -> ResponseTemplate {
    let answer = json!({ "answer": what, "sources": ["there"], "confidence_score": score });
    said(&answer.to_string())
}

#[tokio::test]
async fn r_005_r_006_r_017_r_038_r_040_r_041_r_042_r_048_k_44_a_question_is_divided_between_specialists()
 {
    let stage = stage("countersign-specialists", &[]).await;
    let yaml = register(&stage.server.uri());
    stage.who.post("/connectors", &json!({ "yaml": yaml })).await;
    let agent = agent_with(&stage, &["register/filings", "run_python"], &json!({})).await;
    what_is_not_bound_is_refused(&stage, &agent).await;
    stage.who.bind(&agent, "register").await;
    a_plan_is_made_repaired_and_carried_out(&stage, &agent).await;
    what_is_the_owners_is_not_shown_to_who_looks_on_the_web(&stage, &agent).await;
    one_that_fails_leaves_the_others(&stage, &agent).await;
    a_plan_that_stays_wrong_ends_the_run(&stage, &agent).await;
    a_test_asks_nobody(&stage, &agent).await;
    what_was_said_is_shown_to_who_may_know_it(&stage, &agent).await;
    two_wait_for_one_and_the_last_for_both(&stage).await;
    one_that_takes_too_long_leaves_the_others(&stage).await;
}

/// An agent whose specialist of the press has this beside its name, description and tools, three stages where that is not empty.
pub(super) async fn agent_with(stage: &Stage, tools: &[&str], more: &Value) -> String {
    let one = |name: &str, description: &str, tools: &[&str]| json!({ "name": name, "description": description, "tools": tools });
    let mut press = one("press", "Reads pages of the {press}.", &["crawl_url"]);
    press.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let specialists = json!([press, one("register", "Knows the register of filings.", tools)]);
    let stages = if *more == json!({}) { 2 } else { 3 };
    let skill = json!({
        "skill_type": "built_in", "reference": "research", "parameters": { "specialists": specialists, "stages": stages },
    });
    let handle = format!("agent-{}", uuid::Uuid::now_v7().simple());
    let body = json!({ "name": "Divides", "handle": handle, "skills": [skill] });
    stage.who.post("/profiles", &body).await["id"].as_str().unwrap().to_owned()
}

/// Who is asked what answers this, in this order for each.
pub(super) async fn answers(stage: &Stage, turns: Vec<(&str, ResponseTemplate)>) {
    stage.server.reset().await;
    for (who, answer) in turns {
        let asked = Mock::given(method("POST")).and(path("/v1/chat/completions"));
        let asked = asked.and(body_string_contains(who)).respond_with(answer);
        asked.up_to_n_times(1).mount(&stage.server).await;
    }
    answers_filings(stage).await;
    let page = ResponseTemplate::new(200).set_body_string("<p>Owl Fund is in the press.</p>");
    let page = page.insert_header("content-type", "text/html");
    Mock::given(method("GET")).and(path("/page")).respond_with(page).mount(&stage.server).await;
}

pub(super) async fn ask(stage: &Stage, agent: &str, end: &str) -> Value {
    let query = format!("Who of {{those}} at {} filed in 2024?", stage.page());
    let line = stage.who.post("/executions", &json!({ "profile": agent, "query": query })).await;
    stage.who.reaches(line["id"].as_str().unwrap(), end).await
}

/// What somebody was told, in order.
pub(super) async fn told(stage: &Stage, who: &str) -> Vec<String> {
    let asked = stage.asked().await;
    let messages = asked.iter().map(|turn| turn["messages"].to_string());
    messages.filter(|messages| messages.contains(who)).collect()
}

async fn what_is_not_bound_is_refused(stage: &Stage, agent: &str) {
    let body = json!({ "profile": agent, "query": "Who filed in 2024?" });
    let said = refusal(stage.who.door.post(&format!("{FACTORY}/executions"), &body).await);
    assert_eq!((said.status, said.places.as_slice()), (422, &["query".to_owned()][..]));
    assert!(said.said.contains("specialist `register`"), "{}", said.said);
    assert!(said.said.contains("the agent has no such endpoint"), "{}", said.said);
}

async fn a_plan_is_made_repaired_and_carried_out(stage: &Stage, agent: &str) {
    let unknown = task("c", "nobody", &[]);
    let wrong = plan(&[task("a", "press", &["b"]), task("b", "register", &[]), unknown]);
    let right = plan(&[task("b", "register", &["a"]), task("a", "press", &[])]);
    let (there, elsewhere) = (stage.page(), format!("{}/page?owed=12", stage.server.uri()));
    let looks = [&there, &elsewhere].map(|url| json!({ "url": url }).to_string());
    let crawls = asking(&[("crawl_url", &looks[0]), ("crawl_url", &looks[1])]);
    let adds = r#"{"code": "sum(row['a'] for row in data)", "data": [{"a": 40}, {"a": 2}]}"#;
    let filings = asking(&[("register__filings", r#"{"year": 2024}"#), ("run_python", adds)]);
    answers(
        stage,
        vec![
            (PLANS, wrong),
            (PLANS, right),
            (PRESS, crawls),
            (PRESS, sure("Owl Fund is in the press.", &json!(70))),
            (PRESS, sure("Owl Fund is in the press.", &json!(0.75))),
            (REGISTER, filings),
            (REGISTER, found("Owl Fund filed.")),
            (ANSWERS, said(ANSWER)),
        ],
    )
    .await;
    let run = ask(stage, agent, "complete").await;
    assert_eq!((&run["strategy"], &run["playbook_id"]), (&json!("research"), &Value::Null));
    let content = run["response"]["content"].as_str().unwrap();
    assert!(content.contains(r"Owl Fund filed in 2024 \[1\]."), "{content}");
    let states =
        ["plan", "ask_press_1", "ask_register_1", "ask_press_2", "ask_register_2", "answer"]
            .map(|name| step(&run, name)["status"].as_str().unwrap().to_owned());
    assert_eq!(states, ["done", "done", "skipped", "skipped", "done", "done"], "{run:#}");
    let [all, refused] = ["done", "TOOL_REFUSED"].map(str::to_owned);
    let codes: Vec<String> =
        calls(step(&run, "ask_press_1")).into_iter().map(|[_, _, code]| code).collect();
    assert_eq!(codes, [all, refused], "a page is read that the question names");

    let made = output(&stage.who, run["id"].as_str().unwrap(), "plan").await;
    let expect = json!([
        { "agent_id": "a", "agent_name": "press", "task": "Do a.", "depends_on": [], "stage": 1 },
        { "agent_id": "b", "agent_name": "register", "task": "Do b.", "depends_on": ["a"], "stage": 2 },
    ]);
    assert_eq!(made["execution_plan"], expect, "{made:#}");
    assert_eq!(made["analysis"], json!({ "intent": "Who filed", "entities": named() }));

    let planning = told(stage, PLANS).await;
    assert!(planning[0].contains("Reads pages of the {press}."), "{planning:#?}");
    let problem = "`press` is not shown what `register` finds";
    assert!(
        planning[1].contains("execution_plan[0].depends_on[0]") && planning[1].contains(problem)
    );
    let names = "`execution_plan[2].agent_name` must be one of press, register";
    assert!(planning[1].contains(names), "{}", planning[1]);
    let register = told(stage, REGISTER).await;
    assert!(register[1].contains(r#"{\"result\":42"#), "{}", register[1]);
    let register = &register[0];
    assert!(
        register.contains("Do b.") && register.contains("Owl Fund is in the press."),
        "{register}"
    );
    let answering = &told(stage, ANSWERS).await[0];
    for part in ["{those}", "Do a.", "Owl Fund is in the press.", "Owl Fund filed."] {
        assert!(answering.contains(part), "`{part}` is not in {answering}");
    }
    how_sure_they_are_is_checked_and_told(stage, &run).await;
}

async fn how_sure_they_are_is_checked_and_told(stage: &Stage, run: &Value) {
    let press = told(stage, PRESS).await;
    let again = "`confidence_score` must be a number from 0 to 1, or null";
    assert!(press[2].contains(again), "{press:#?}");
    let made = output(&stage.who, run["id"].as_str().unwrap(), "ask_press_1").await;
    assert_eq!(made["confidence_score"], 0.75, "{made:#}");
    for who in [REGISTER, ANSWERS] {
        let shown = &told(stage, who).await[0];
        assert!(shown.contains(r#"\"confidence_score\":0.75"#), "{shown}");
    }
    let expect = json!([{ "step": "ask_press_1", "confidence_score": 0.75 }]);
    assert_eq!(run["response"]["confidence"], expect, "who does not say it is not listed");
}

async fn what_is_the_owners_is_not_shown_to_who_looks_on_the_web(stage: &Stage, agent: &str) {
    let tasks = [task("a", "register", &[]), task("b", "press", &[]), task("c", "press", &["b"])];
    answers(
        stage,
        vec![
            (PLANS, plan(&tasks)),
            (REGISTER, found("Somebody owes 12.50.")),
            (PRESS, found("The press says nothing.")),
            (PRESS, found("It still says nothing.")),
            (ANSWERS, said(ANSWER)),
        ],
    )
    .await;
    ask(stage, agent, "complete").await;
    let press = told(stage, PRESS).await;
    let second = press.iter().find(|told| told.contains("Do c.")).unwrap();
    assert!(second.contains("The press says nothing.") && !second.contains("12.50"), "{second}");
    assert!(told(stage, ANSWERS).await[0].contains("12.50"));
}

async fn one_that_fails_leaves_the_others(stage: &Stage, agent: &str) {
    let tasks = [task("a", "press", &[]), task("b", "register", &["a"])];
    let answered = vec![
        (PLANS, plan(&tasks)),
        (PRESS, ResponseTemplate::new(400)),
        (REGISTER, found("Owl Fund filed.")),
        (ANSWERS, said(ANSWER)),
    ];
    answers(stage, answered).await;
    let run = ask(stage, agent, "partial").await;
    assert_eq!(step(&run, "ask_press_1")["status"], "failed", "{run:#}");
    let warned = run["warnings"].to_string();
    assert!(warned.contains("what follows is without its result"), "{warned}");
    let answering = &told(stage, ANSWERS).await[0];
    let missing = r#"press_1\":{\"task\":\"Do a.\",\"answer\":{\"_missing\":true,\"_reason\":\""#;
    assert!(answering.contains(missing), "{answering}");
    assert!(run["response"]["content"].as_str().unwrap().contains("Owl Fund filed in 2024"));
}

async fn a_plan_that_stays_wrong_ends_the_run(stage: &Stage, agent: &str) {
    let circle = || plan(&[task("a", "register", &["b"]), task("b", "register", &["a"])]);
    answers(stage, vec![(PLANS, circle()), (PLANS, circle())]).await;
    let run = ask(stage, agent, "error").await;
    let plan = step(&run, "plan");
    assert_eq!(plan["code"], "MODEL_ANSWER_INVALID", "{plan:#}");
    assert!(plan["message"].as_str().unwrap().contains("in a circle"), "{plan:#}");
    assert_eq!(step(&run, "ask_press_1")["status"], "not_run", "{run:#}");
}

async fn a_test_asks_nobody(stage: &Stage, agent: &str) {
    answers(stage, Vec::new()).await;
    let body = json!({ "query": "Who filed in 2024?" });
    let test = stage.who.post(&format!("/profiles/{agent}/test"), &body).await;
    let test = test["id"].as_str().unwrap().to_owned();
    stage.who.reaches(&test, "complete").await;
    let would = &output(&stage.who, &test, "plan").await["_dry_run"]["would_ask"];
    assert!(would["messages"].to_string().contains("Knows the register"), "{would:#}");
    assert_eq!(stage.asked().await.len(), 0);
}

async fn what_was_said_is_shown_to_who_may_know_it(stage: &Stage, agent: &str) {
    let tasks = || plan(&[task("a", "register", &[]), task("b", "press", &[])]);
    let turns = || {
        vec![
            (PLANS, tasks()),
            (REGISTER, found("Somebody owes 12.50.")),
            (PRESS, found("Nothing.")),
            (ANSWERS, said(ANSWER)),
        ]
    };
    answers(stage, turns()).await;
    let body = json!({ "profile": agent, "query": "Who owes?", "conversation": "new" });
    let line = stage.who.post("/executions", &body).await;
    let run = stage.who.reaches(line["id"].as_str().unwrap(), "complete").await;
    answers(stage, turns()).await;
    let query = "And what is written of them?";
    let body = json!({ "profile": agent, "query": query, "conversation": run["conversation_id"] });
    let line = stage.who.post("/executions", &body).await;
    stage.who.reaches(line["id"].as_str().unwrap(), "complete").await;
    let knows = async |who: &str| {
        let told = told(stage, who).await.remove(0);
        (told.contains("Who owes?"), told.contains("Owl Fund filed in 2024"))
    };
    assert_eq!(knows(PLANS).await, (true, false), "its tasks may get to the web");
    assert_eq!(knows(PRESS).await, (false, false));
    assert_eq!(knows(REGISTER).await, (true, true));
    assert_eq!(knows(ANSWERS).await, (true, true));
}

/// Fan-out and fan-in, in three stages; each specialist is given its own tools and no others. The provider is away when the first
/// is asked for the first time: each request is sent once more, and the specialist asks once more after that.
async fn two_wait_for_one_and_the_last_for_both(stage: &Stage) {
    let agent = agent_with(
        stage,
        &["register/filings"],
        &json!({ "retry_count": 2, "backoff_multiplier": 1 }),
    )
    .await;
    stage.who.bind(&agent, "register").await;
    let (first, left) = (task("a", "press", &[]), task("b", "press", &["a"]));
    let (right, last) = (task("c", "register", &["a"]), task("d", "register", &["b", "c"]));
    let turns = vec![
        (PLANS, plan(&[last, left, right, first])),
        (PRESS, ResponseTemplate::new(500)),
        (PRESS, ResponseTemplate::new(500)),
        (PRESS, found("The first part.")),
        (PRESS, found(&format!("The left part. {}", "And so on. ".repeat(2_000)))),
        (REGISTER, found("The right part.")),
        (REGISTER, found("The last part.")),
        (ANSWERS, said(ANSWER)),
    ];
    answers(stage, turns).await;
    let run = ask(stage, &agent, "complete").await;
    let made = output(&stage.who, run["id"].as_str().unwrap(), "plan").await;
    let planned = made["execution_plan"].as_array().unwrap().iter();
    let planned: Vec<(&Value, &Value)> =
        planned.map(|task| (&task["agent_id"], &task["stage"])).collect();
    let expect = [("a", 1), ("b", 2), ("c", 2), ("d", 3)].map(|(id, n)| (json!(id), json!(n)));
    assert_eq!(planned, expect.each_ref().map(|(id, n)| (id, n)), "{made:#}");
    let register = told(stage, REGISTER).await;
    assert!(register[0].contains("The first part.") && !register[0].contains("The left part."));
    for part in ["The first part.", "The left part.", "The right part."] {
        assert!(register[1].contains(part), "`{part}` is not in {}", register[1]);
    }
    for shown in [&register[1], &told(stage, ANSWERS).await[0]] {
        assert!(shown.contains("only 16384 of "), "the left part is long: {shown}");
    }
    let warned = run["warnings"].to_string();
    assert!(warned.contains("the model was shown 16384 of "), "{warned}");
    for turn in stage.asked().await.iter().filter(|turn| turn["tools"].is_array()) {
        let messages = turn["messages"].to_string();
        let own = if messages.contains(PRESS) { "crawl_url" } else { "register__filings" };
        let tools = turn["tools"].as_array().unwrap().iter();
        let names: Vec<&Value> = tools.map(|tool| &tool["function"]["name"]).collect();
        assert_eq!(names, [own], "{messages}");
    }
}

async fn one_that_takes_too_long_leaves_the_others(stage: &Stage) {
    let agent = agent_with(stage, &["register/filings"], &json!({ "timeout_seconds": 3 })).await;
    stage.who.bind(&agent, "register").await;
    let tasks = [task("a", "press", &[]), task("b", "register", &[])];
    let turns = vec![
        (PLANS, plan(&tasks)),
        (PRESS, found("Too late.").set_delay(Duration::from_secs(60))),
        (REGISTER, found("Owl Fund filed.")),
        (ANSWERS, said(ANSWER)),
    ];
    answers(stage, turns).await;
    let run = ask(stage, &agent, "partial").await;
    let late = step(&run, "ask_press_1");
    assert_eq!(late["status"], "failed", "{late:#}");
    assert!(late["took_ms"].as_u64() < Some(30_000), "it had three seconds: {late:#}");
    assert_eq!(step(&run, "ask_register_1")["status"], "done", "{run:#}");
    let blocked = &run["response"]["blocked"][0];
    assert_eq!(
        (&blocked["step"], &blocked["error"]),
        (&json!("ask_press_1"), &json!("step_failed"))
    );
    assert_eq!(blocked["partial_data"]["reason"], late["message"], "{run:#}");
    let answering = &told(stage, ANSWERS).await[0];
    assert!(!answering.contains("Too late.") && answering.contains(r#"\"_missing\":true"#));
}
