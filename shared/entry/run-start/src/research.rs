//! A question that nothing else answers, for an agent with the skill `research`: a model looks for the answer with tools that only
//! read (F-030), and drafts the calls that the agent may propose. The plan is made for the question, checked and sealed like any other.

use countersign_identity::UserId;
use countersign_playbook::{Bindings, EndpointContract};
use countersign_profile::{Profile, ProfileSpec, Research};
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

/// Why the tools or proposals of the skill `research` do not fit these endpoints, whatever is asked; none when they do, and without
/// that skill.
#[must_use]
pub fn unanswerable(spec: &ProfileSpec, endpoints: &Bindings) -> Option<Problem> {
    let research = spec.research()?;
    let team = Team::of(&research, endpoints);
    let fits = team.and_then(|team| match team {
        Some(_) => Ok(()),
        None => given(&research, endpoints).map(|_| ()),
    });
    fits.and_then(|()| proposals::of_skill(&research, endpoints, "").map(|_| ())).err()
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
mod tests;
