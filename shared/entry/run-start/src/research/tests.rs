use countersign_playbook::{CompileContext, PlaybookSource, StepKind, compile};
use countersign_profile::Specialist;
use countersign_question::{AboutPerson, LEARN_STEP};
use countersign_registry::{DataType, Registry, Slot};
use proptest::prelude::*;

use super::*;

const FAR: &str = "moves_money_to_somebody_in_a_place_that_is_far_away";

fn endpoints() -> Bindings {
    let endpoint = |name: &str, irreversible, reach| {
        let inputs = vec![Slot::optional("year", DataType::Integer, "")];
        let (description, outputs) = (String::new(), Vec::new());
        let contract = EndpointContract { description, inputs, outputs, irreversible, reach };
        (name.to_owned(), contract)
    };
    let mut endpoints = Bindings::none();
    let [pay, due] =
        [("pay", true), ("due", false)].map(|(name, pays)| endpoint(name, pays, Reach::Source));
    endpoints.bind("bank", [pay, due]);
    let text = Slot::required("to", DataType::String, "Who {gets} it.");
    let contract = EndpointContract {
        description: "Moves {money}.".to_owned(),
        inputs: vec![text, Slot::optional("_cursor", DataType::Any, "")],
        outputs: Vec::new(),
        irreversible: true,
        reach: Reach::Source,
    };
    endpoints.bind("a-far-bank", [(FAR.to_owned(), contract)]);
    endpoints.bind("files", [endpoint("read", false, Reach::Files)]);
    endpoints.bind("search", [endpoint("find", false, Reach::Web)]);
    endpoints.bind("tables", [endpoint("query", false, Reach::Statement)]);
    endpoints
}

fn research(is_on_web: bool) -> Research<'static> {
    let additions = Some("Use {braces} with care.");
    Research {
        is_on_web,
        proposes: vec!["bank/pay".to_owned(), format!("a-far-bank/{FAR}")],
        specialists: Vec::new(),
        stages: 2,
        rounds: 4,
        additions,
    }
}

fn specialists(all: Value) -> Vec<Specialist> {
    serde_json::from_value(all).unwrap()
}

/// What is said of specialists with these tools.
#[track_caller]
fn refused(tools: &[&str], expect: &str) {
    let one = json!({ "name": "a", "description": "Looks.", "tools": tools });
    let other = json!({ "name": "b", "description": "Looks.", "tools": ["read_file"] });
    let research = Research { specialists: specialists(json!([one, other])), ..research(false) };
    let said = Team::of(&research, &endpoints()).err();
    let said = said.map(|problem| problem.errors[0].message.clone()).unwrap_or_default();
    assert!(if expect.is_empty() { said.is_empty() } else { said.contains(expect) }, "{said}");
}

#[test]
fn f_174_data_sources_that_do_not_fit_are_told_before_anything_is_asked() {
    let skill = |parameters: Value| {
        let skill =
            json!({ "skill_type": "built_in", "reference": "research", "parameters": parameters });
        ProfileSpec::from_json(&json!({ "name": "A", "skills": [skill] })).unwrap()
    };
    let check = |parameters: Value, expect: &str| {
        let said = unanswerable(&skill(parameters), &endpoints());
        let said = said.map(|problem| problem.errors[0].message.clone()).unwrap_or_default();
        assert!(if expect.is_empty() { said.is_empty() } else { said.contains(expect) }, "{said}");
    };
    check(json!({}), "");
    check(json!({ "proposes": ["bank/pay"] }), "");
    check(json!({ "proposes": ["bank/due"] }), "it has no effect that anybody would sign");
    check(json!({ "proposes": ["bank/lend"] }), "the agent has no such endpoint");
    let looks = |tool: &str| json!([{ "name": "a", "description": "Looks.", "tools": [tool] }, { "name": "b", "description": "Looks.", "tools": ["read_file"] }]);
    check(json!({ "specialists": looks("bank/due") }), "");
    check(
        json!({ "specialists": looks("bank/debt") }),
        "the specialist `a` has the tool `bank/debt`",
    );
    let playbook =
        json!({ "name": "A", "skills": [{ "skill_type": "playbook", "reference": "p" }] });
    assert!(unanswerable(&ProfileSpec::from_json(&playbook).unwrap(), &endpoints()).is_none());
}

#[test]
fn r_034_k_44_a_specialist_whose_tools_are_not_there_or_do_not_go_together_is_refused() {
    refused(&["bank/due", "search_web", "search/find"], "");
    refused(&["bank/due", "query_journal", "files/read"], "");
    refused(&["bank/debt"], "the agent has no such endpoint");
    refused(&["bank/pay"], "it has an effect");
    refused(&["tables/query"], "a model would write the statement");
    refused(&["search/find", "query_journal"], "`search/find`, which looks on the web");
    refused(&["search_web", "files/read"], "`search_web`, which looks on the web");
    refused(&["search/find", "match_entities"], "`search/find`, which looks on the web");
}

#[test]
fn k_44_what_is_not_of_the_web_is_shown_to_nobody_who_looks_there() {
    let one = |name: &str, tools: Value| json!({ "name": name, "description": "Looks {there}.", "tools": tools });
    let mut web = one("web", json!(["search_web"]));
    web["retry_count"] = json!(2);
    web["backoff_multiplier"] = json!(4);
    web["timeout_seconds"] = json!(30);
    let all = json!([web, one("files", json!(["read_file"]))]);
    let research = Research { specialists: specialists(all), stages: 2, ..research(false) };
    let team = Team::of(&research, &endpoints()).unwrap().unwrap();
    assert_eq!((team.reaches_web(), team.is_on_web()), (true, false));
    let written = divided(&team, &Asked::new("Who?"), "Who?", false, &[]);
    let sees = &written["steps"][1]["params"]["specialists"];
    assert_eq!(sees[0]["sees"], json!(["web"]));
    assert_eq!(sees[1]["sees"], json!(["web", "files"]));
    let second = &written["steps"][3]["parallel_steps"];
    let keys = ["retry_count", "backoff_multiplier", "timeout_seconds"];
    let own = |n: usize| keys.map(|key| second[n][key].clone());
    assert_eq!((own(0), own(1)), ([2, 4, 30].map(|one| json!(one)), keys.map(|_| Value::Null)));
    let shown = |n: usize| {
        let results = second[n]["inputs"]["assignment"]["results"].as_object().unwrap();
        results.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(shown(0), ["web_1"]);
    assert_eq!(shown(1), ["web_1", "files_1"]);
}

#[test]
fn f_030_k_40_k_44_a_model_is_given_the_web_or_what_is_the_owners_and_nothing_that_changes_anything()
 {
    let outside = tools(&research(true), &endpoints());
    assert_eq!(outside, ["search_web", "crawl_url", "run_python", "bank/due", "search/find"]);
    let inside = tools(&research(false), &endpoints());
    let expect =
        ["search_knowledge_graph", "query_journal", "run_python", "bank/due", "files/read"];
    assert_eq!(inside, expect);
}

fn said_of(question: &str) -> AboutPerson {
    let name: String = question.chars().take(100).collect();
    let said = json!({ "critical_facts": { "user_name": name }, "learn": true });
    serde_json::from_value(said).unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Nothing of a question, of a conversation or of what specialists are told is filled in, whatever is in it.
    #[test]
    fn r_005_every_question_that_is_divided_compiles(
        question in prop_oneof!["[ -~{}\\n\"]{1,60}", "(?s).{1,60}"], stages in 1_usize..=4, learns: bool,
    ) {
        let one = |name: &str, tools: Value| json!({
            "name": name, "description": "Looks {there}.", "tools": tools, "instructions": "Use {braces}.",
        });
        let all = json!([
            one("web", json!(["search_web", "search/find"])), one("files", json!(["files/read"])), one("bank", json!(["bank/due"])),
        ]);
        let research = Research { specialists: specialists(all), stages, ..research(false) };
        let (registry, bound) = (Registry::builtin(), endpoints());
        let proposals = proposals::of_skill(&research, &bound, &question).unwrap();
        let team = Team::of(&research, &bound).unwrap().unwrap();
        let about = json!({ "preferences": { "tone": question } });
        let said = |answer: &str| vec![json!({ "question": question, "answer": answer })];
        let asked = Asked::new(&question).after(said("{today}"), said("{plan}"));
        let asked = asked.by([Some(about.clone()), Some(about)], OF_ABOUT);
        let mut divided = divided(&team, &asked, &question, true, &proposals);
        if learns {
            learning(&mut divided, &question, &said_of(&question));
        }
        let text = text(&divided);
        let world = CompileContext::of(&registry).with(&bound);
        let compiled = compile(&PlaybookSource::new("question", &text), &world);
        let playbook = compiled.playbook.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
        prop_assert_eq!(playbook.all_steps().count(), 2 + stages * 4 + 1 + 5 + if learns && !question.trim().is_empty() { 2 } else { 0 });
        let beside_the_answer = playbook.steps.iter().any(|step| match &step.kind {
            StepKind::Parallel { steps, .. } => steps.iter().map(|one| one.name.as_str()).eq([STEP, LEARN_STEP]),
            _ => false,
        });
        prop_assert_eq!(beside_the_answer, learns && !question.trim().is_empty(), "no specialist waits for it (R-082)");
        let StepKind::Action { inputs, .. } = &playbook.steps[0].kind else { panic!() };
        let asked = countersign_wiring::resolve(&inputs["data"], &countersign_wiring::Scope::new());
        let said = json!([{ "question": question, "said": said("{today}"), "said_on_web": said("{plan}") }]);
        prop_assert_eq!(asked.unwrap(), said);
    }

    #[test]
    fn f_030_every_question_compiles_and_nothing_in_it_is_filled_in(
        question in prop_oneof!["[ -~{}\\n\"]{1,60}", "(?s).{1,60}"], learns: bool,
    ) {
        let research = research(false);
        let exchanges = vec![json!({ "question": question, "answer": "{today}" })];
        let before = Shown { exchanges, is_long: true };
        let about = Some(json!({ "preferences": { "tone": question } }));
        let (registry, bound) = (Registry::builtin(), endpoints());
        let proposals = proposals::of_skill(&research, &bound, &question).unwrap();
        let told = Told { question: &question, about, before, proposals: &proposals };
        let mut written = written(&research, &tools(&research, &bound), told);
        if learns {
            learning(&mut written, &question, &said_of(&question));
        }
        let text = text(&written);
        let world = CompileContext::of(&registry).with(&bound);
        let compiled = compile(&PlaybookSource::new("question", &text), &world);
        let playbook = compiled.playbook.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
        let answer = playbook.all_steps().find(|step| step.name == STEP).unwrap();
        let StepKind::Action { inputs, params, .. } = &answer.kind else { panic!() };
        prop_assert_eq!(&params["max_rounds"], 4);
        let leaves = playbook.all_steps().filter(|step| !matches!(step.kind, StepKind::Parallel { .. }));
        let names = leaves.map(|step| step.name.as_str()).filter(|name| *name != LEARN_STEP);
        let kinds: Vec<&str> = names.map(|name| name.split('_').next().unwrap_or_default()).collect();
        prop_assert_eq!(kinds, ["answer", "draft", "draft", "sign", "call", "call"]);
        let given = countersign_wiring::resolve(&inputs["data"]["question"], &countersign_wiring::Scope::new());
        prop_assert_eq!(given.unwrap(), Value::String(question.clone()));
        let about = &inputs["data"]["about_user"]["preferences"]["tone"];
        let about = countersign_wiring::resolve(about, &countersign_wiring::Scope::new());
        prop_assert_eq!(about.unwrap(), Value::String(question.clone()));
        let before = countersign_wiring::resolve(&inputs[CONVERSATION], &countersign_wiring::Scope::new());
        prop_assert_eq!(before.unwrap(), json!([{ "question": question, "answer": "{today}" }]));
    }
}
