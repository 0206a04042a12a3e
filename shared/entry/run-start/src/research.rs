//! A question that nothing else answers, for an agent with the skill `research`: a model looks for the answer with tools that only
//! read (F-030), and drafts the calls that the agent may propose. The plan is made for the question, checked and sealed like any other.

use countersign_identity::UserId;
use countersign_playbook::{Bindings, EndpointContract};
use countersign_profile::{Profile, Research};
use countersign_registry::Reach;
use countersign_registry::actions::research_with_tools::{CONVERSATION, MAX_TOOLS};
use countersign_run::summary::{FIELD as SUMMARY, STEP};
use countersign_web::Problem;
use countersign_wiring::{literal, literal_text};
use serde_json::{Value, json};

use crate::Starter;
use crate::asking::Made;
use crate::choosing::Chosen;
use crate::conversation::{Earlier, Shown};
use crate::direct::stored;
use crate::learning::{about, learning};
use crate::proposals::{self, Proposal};
use crate::specialists::{Asked, Team};
use crate::yaml::text;

/// What the model is to do, whatever the agent says beside it.
const TASK: &str = "Answer the question in the data. Look for what it asks with the tools that you are given. In `sources`, name where \
                    each statement of the answer comes from: an address, or a tool and the record it gave. What you did not find, say so.";

/// What whoever asks has said of themselves.
const OF_ABOUT: &str = "`about_user` in the data is what whoever asks says of themselves. Answer in the language, tone and detail that \
                        it names.";

/// What a summary of a conversation is to say.
const OF_SUMMARY: &str = "What was asked and answered in the conversation so far, this question included, in at most 300 words. \
                          Whoever answers the next question is shown it instead.";

/// The tools that look on the web.
const ON_WEB: [&str; 3] = ["search_web", "crawl_url", COMPUTES];
/// The tools that look at what the agent remembers.
const REMEMBERED: [&str; 3] = ["search_knowledge_graph", "query_journal", COMPUTES];
/// The tool that computes, and reads nothing.
const COMPUTES: &str = "run_python";

/// The playbook that looks for the answer; none for an agent without that skill.
///
/// # Errors
/// A [`Problem`] when the agent has more endpoints than a model can be given.
pub(crate) async fn made(
    ctx: Starter<'_>,
    owner: &UserId,
    profile: &Profile,
    (question, may_learn): (&str, bool),
    earlier: Option<Earlier<'_>>,
) -> Result<Option<Chosen>, Problem> {
    let Some(research) = profile.spec.research() else { return Ok(None) };
    let endpoints = ctx.catalog.endpoints(owner, profile.id.as_str()).await?;
    let team = Team::of(&research, &endpoints)?;
    let proposals = proposals::of_skill(&research, &endpoints, question)?;
    let is_on_web = team.as_ref().map_or(research.is_on_web, Team::is_on_web);
    let shown = async |is_on_web| match earlier {
        Some(earlier) => earlier.shown(ctx, is_on_web).await,
        None => Ok(Shown::default()),
    };
    let before = shown(is_on_web).await?;
    let has_summary = before.is_long;
    let said = about(ctx, owner).await?;
    let about = |is_on_web| said.as_ref().and_then(|said| said.shown(is_on_web));
    let mut written = match &team {
        Some(team) => {
            let on_web = if team.is_mixed() { shown(true).await? } else { Shown::default() };
            let asked = Asked::new(question).after(before.exchanges, on_web.exchanges);
            let asked = asked.by([about(is_on_web), about(team.reaches_web())], OF_ABOUT);
            divided(team, &asked, question, has_summary, &proposals)
        }
        None => {
            let tools = given(&research, &endpoints)?;
            let told = Told { question, about: about(is_on_web), before, proposals: &proposals };
            written(&research, &tools, told)
        }
    };
    if let Some(known) = said.as_ref().filter(|said| may_learn && said.learn) {
        learning(&mut written, question, known);
    }
    let made = Made::Research { is_on_web, has_summary };
    let playbook = stored(ctx, &text(&written))?;
    let because =
        "no playbook of the agent is about the question: its skill `research` looks for the answer";
    Ok(Some(Chosen { playbook, because: Some(because.to_owned()), made: Some(made) }))
}

/// The tools of a model that answers alone.
fn given(research: &Research<'_>, endpoints: &Bindings) -> Result<Vec<String>, Problem> {
    let tools = tools(research, endpoints);
    if tools.len() <= MAX_TOOLS {
        return Ok(tools);
    }
    let many = tools.len();
    let message = format!(
        "cannot be researched: the agent has {many} tools for it, endpoints among them, and a model is given {MAX_TOOLS}"
    );
    let hint = "name the endpoints that it may call in `allowed_endpoints` of its data sources";
    Err(Problem::field("query", message).with_hint(hint))
}

/// What the model may ask for: every endpoint of the agent that reads its source, and either what reads the web, or what the agent
/// remembers and its owner's files. With both, a page could have it put what is the owner's into a search.
fn tools(research: &Research<'_>, endpoints: &Bindings) -> Vec<String> {
    let beside = if research.is_on_web { ON_WEB } else { REMEMBERED };
    let mut all: Vec<String> = beside.into_iter().map(str::to_owned).collect();
    for connector in endpoints.connectors() {
        let reading = endpoints.endpoints(connector).into_iter().flatten();
        let reading = reading.filter(|(_, contract)| may_ask(research, contract));
        all.extend(reading.map(|(name, _)| format!("{connector}/{name}")));
    }
    all
}

fn may_ask(research: &Research<'_>, contract: &EndpointContract) -> bool {
    contract.not_a_tool().is_none()
        && match contract.reach {
            Reach::Source => true,
            Reach::Web => research.is_on_web,
            Reach::Files => !research.is_on_web,
            Reach::Statement => false,
        }
}

/// What a model is told beside its task.
struct Told<'a> {
    question: &'a str,
    /// What whoever asks says of themselves.
    about: Option<Value>,
    before: Shown,
    proposals: &'a [Proposal<'a>],
}

/// The playbook. JSON is YAML.
fn written(research: &Research<'_>, tools: &[String], told: Told<'_>) -> Value {
    let Told { question, about, before, proposals } = told;
    let own = about.as_ref().map(|_| OF_ABOUT);
    let task = [Some(TASK), own, research.additions]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("\n\n");
    let mut inputs = json!({ "data": { "question": literal_text(question), "today": "{today}" } });
    if let Some(about) = about {
        inputs["data"]["about_user"] = literal(about);
    }
    if !before.exchanges.is_empty() {
        inputs[CONVERSATION] = before.exchanges.into_iter().map(literal).collect();
    }
    let step = json!({
        "name": STEP, "step_type": "llm_task", "action": "research_with_tools", "on_error": "stop",
        "inputs": inputs,
        "params": { "tools": tools, "system_prompt": literal_text(&task), "max_rounds": research.rounds },
        "output_schema": { "type": "object", "fields": fields(before.is_long, proposals) },
    });
    playbook(vec![step], question, proposals)
}

/// The playbook in which specialists look for parts of the answer.
fn divided(
    team: &Team<'_>,
    asked: &Asked,
    question: &str,
    has_summary: bool,
    proposals: &[Proposal<'_>],
) -> Value {
    let answer = team.answer(STEP, asked, &fields(has_summary, proposals));
    let steps = team.steps(asked).into_iter().chain([answer]).collect();
    playbook(steps, question, proposals)
}

/// The playbook of the steps that answer, and of the calls that are drafted then.
fn playbook(mut steps: Vec<Value>, question: &str, proposals: &[Proposal<'_>]) -> Value {
    steps.extend(proposals::steps(proposals, question, STEP));
    let answered = [
        json!({ "title": "Answer", "source": "answer.answer", "format": "text" }),
        json!({ "title": "Sources", "source": "answer.sources", "format": "list" }),
    ];
    let sections: Vec<Value> = answered.into_iter().chain(proposals::sections(proposals)).collect();
    json!({
        "id": "question", "name": "Research", "description": "Answers one question.", "version": "1.0.0",
        "execution_mode": "hybrid", "steps": steps,
        "output": { "format": "markdown", "sections": sections },
    })
}

/// The fields of the answer.
fn fields(has_summary: bool, proposals: &[Proposal<'_>]) -> Vec<Value> {
    let mut fields = vec![
        json!({ "name": "answer", "type": "string", "description": "The answer, in plain text." }),
        json!({ "name": "sources", "type": "string[]", "description": "Where its statements come from." }),
    ];
    fields.extend(proposals::fields(proposals));
    if has_summary {
        fields.push(json!({ "name": SUMMARY, "type": "string", "description": OF_SUMMARY }));
    }
    fields
}

#[cfg(test)]
mod tests {
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
        let research =
            Research { specialists: specialists(json!([one, other])), ..research(false) };
        let said = Team::of(&research, &endpoints()).err();
        let said = said.map(|problem| problem.errors[0].message.clone()).unwrap_or_default();
        assert!(if expect.is_empty() { said.is_empty() } else { said.contains(expect) }, "{said}");
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
        let all = json!([one("web", json!(["search_web"])), one("files", json!(["read_file"]))]);
        let research = Research { specialists: specialists(all), stages: 2, ..research(false) };
        let team = Team::of(&research, &endpoints()).unwrap().unwrap();
        assert_eq!((team.reaches_web(), team.is_on_web()), (true, false));
        let written = divided(&team, &Asked::new("Who?"), "Who?", false, &[]);
        let sees = &written["steps"][1]["params"]["specialists"];
        assert_eq!(sees[0]["sees"], json!(["web"]));
        assert_eq!(sees[1]["sees"], json!(["web", "files"]));
        let second = &written["steps"][3]["parallel_steps"];
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
}
