//! Which playbook a run follows: the one that is named, the agent's only one, or the one whose trigger the question meets
//! (F-027, F-134); where that is none, the one call that the question is (F-031), or what the agent's skill `research` finds (F-030).
//! Where nothing or several things answer it, the answer says what the agent can do; nothing is guessed. Without a question, and
//! where nothing listens to one, the skill with the highest priority counts (F-174).

use countersign_identity::UserId;
use countersign_playbook::{Candidate, Choice, TriggerKind, TriggerMatch, choose};
use countersign_profile::{Profile, Skill};
use countersign_store_catalog::{IndexedPlaybook, StoredPlaybook};
use countersign_web::{FieldError, Problem};
use http::StatusCode;
use jiff::civil::Date;
use serde_json::{Map, Value};

use crate::asking::Made;
use crate::conversation::Earlier;
use crate::direct::Found;
use crate::{Starter, direct, research, skills, understanding};

/// A playbook to follow.
pub struct Chosen {
    /// The playbook.
    pub playbook: StoredPlaybook,
    /// Why this one, when the question chose it.
    pub because: Option<String>,
    /// What it was made for, when it was made for this question: one call, or research, which no playbook is.
    pub made: Option<Made>,
}

impl Chosen {
    /// What is wrong with its inputs. Where the question was taken for a call it says for which: whoever did not mean that call has to
    /// know.
    #[must_use]
    pub fn refused(&self, mut problem: Problem) -> Problem {
        let (Some(Made::Call), Some(because)) = (self.made, &self.because) else { return problem };
        let hint = format!(
            "{because}, because it has the words of that name: give what the call needs, or ask in other words"
        );
        problem.hint = Some(match problem.hint.take() {
            Some(before) => format!("{before}; {hint}"),
            None => hint,
        });
        problem
    }
}

/// What may answer a question that names no playbook, beside the agent's playbooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Otherwise {
    /// Nothing: a member of a team asks.
    Nothing,
    /// One call, or research. An agent with one playbook follows it in any case: a clock asks, and what it starts is to stay the same.
    Made,
    /// The same, and its only playbook is asked first whether the question is for it: a person asks.
    MadeFirst,
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Sought<'a> {
    /// The playbook, when one is named.
    pub named: Option<&'a str>,
    /// The question.
    pub question: &'a str,
    /// What was asked before in its conversation.
    pub earlier: Option<Earlier<'a>>,
    /// The inputs that are given with it.
    pub given: &'a Map<String, Value>,
    /// What `today` and `last month` are relative to.
    pub today: Date,
    /// Whether something may be learned of whoever asks: a person asks it, and not again.
    pub may_learn: bool,
}

/// The playbook of a run.
///
/// # Errors
/// A [`Problem`] when there is none, or the question does not say which.
pub async fn playbook(
    ctx: Starter<'_>,
    owner: &UserId,
    profile: &Profile,
    sought: Sought<'_>,
    otherwise: Otherwise,
) -> Result<Chosen, Problem> {
    let question = sought.question;
    let (id, because) = match sought.named {
        Some(id) => (id.to_owned(), None),
        None => match of_agent(ctx, owner, profile, question, otherwise).await {
            Ok(chosen) => chosen,
            Err(NoPlaybookChosen::Refused(problem)) => return Err(problem),
            Err(NoPlaybookChosen::None(problem)) if otherwise == Otherwise::Nothing => {
                return Err(problem);
            }
            Err(NoPlaybookChosen::None(_)) if question.trim().is_empty() => {
                return Err(no_question());
            }
            // Nothing else answers it: perhaps it is one call, or the agent looks for the answer.
            Err(NoPlaybookChosen::None(problem)) => {
                return made(ctx, owner, profile, sought).await?.ok_or(problem);
            }
        },
    };
    skills::allowed(profile, &id)?;
    let stored = ctx.catalog.playbooks().get(owner, &id).await?;
    let stored =
        stored.ok_or_else(|| Problem::field("playbook", format!("there is no playbook `{id}`")))?;
    Ok(Chosen { playbook: stored, because, made: None })
}

/// What is asked for is missing: without a question only a playbook could be followed.
fn no_question() -> Problem {
    let message = "must be a question: this agent has no playbook of its own to follow without one";
    Problem::field("query", message).with_hint("ask something, or name a `playbook`")
}

/// What is made for a question that no playbook answers: the call that it is, or research. An agent that can research is not asked for
/// what a call needs and the question does not say, nor for which of several calls is meant: the question is more than one call.
async fn made(
    ctx: Starter<'_>,
    owner: &UserId,
    profile: &Profile,
    sought: Sought<'_>,
) -> Result<Option<Chosen>, Problem> {
    let Sought { question, given, earlier, may_learn, today, .. } = sought;
    // Whoever gives inputs means a call.
    let goes_on = profile.spec.research().is_some() && given.is_empty();
    let named = match direct::find(ctx, owner, profile, question).await? {
        Found::Several(problem) if !goes_on => return Err(problem),
        Found::One(name, call) => {
            let valid = &call.playbook.playbook;
            let known = understanding::inputs(profile, valid, question, given, (today, false));
            if !goes_on || known.is_ok() {
                return Ok(Some(*call));
            }
            Some(name)
        }
        Found::Several(_) | Found::None => None,
    };
    let made = research::made(ctx, owner, profile, (question, may_learn), earlier).await?;
    Ok(made.map(|chosen| match named {
        Some(name) => Chosen { because: Some(without_arguments(&name)), ..chosen },
        None => chosen,
    }))
}

/// Why a question that names an endpoint is researched.
fn without_arguments(call: &str) -> String {
    format!(
        "the question has the words of `{call}` and does not say what that call needs: the agent's skill `research` looks for the answer"
    )
}

/// Why no playbook was chosen.
enum NoPlaybookChosen {
    /// Nothing of the agent is about the question.
    None(Problem),
    /// Too much is, or nobody knows.
    Refused(Problem),
}

/// The agent's only playbook, or the one that the question means.
async fn of_agent(
    ctx: Starter<'_>,
    owner: &UserId,
    profile: &Profile,
    question: &str,
    otherwise: Otherwise,
) -> Result<(String, Option<String>), NoPlaybookChosen> {
    let skills: Vec<&Skill> = skills::enabled(&profile.spec).collect();
    // An agent that can research asks its only playbook, too, whether the question is for it.
    let can_research = otherwise == Otherwise::MadeFirst && profile.spec.research().is_some();
    let has_one = skills.len() == 1 && !can_research;
    if has_one || skills.is_empty() || question.trim().is_empty() {
        let without =
            if skills.is_empty() { NoPlaybookChosen::None } else { NoPlaybookChosen::Refused };
        return skills::first(profile).map(|id| (id.to_owned(), None)).map_err(without);
    }
    let ids: Vec<&str> = skills.iter().map(|skill| &*skill.reference).collect();
    let known = ctx.catalog.indexed(owner, &ids).await;
    let known = known.map_err(|error| NoPlaybookChosen::Refused(error.into()))?;
    if known.iter().all(|playbook| playbook.triggers.is_empty()) {
        return skills::first(profile)
            .map(|id| (id.to_owned(), None))
            .map_err(NoPlaybookChosen::Refused);
    }
    match choose(question, &candidates(&skills, &known)) {
        Choice::One(met) => {
            let because = because(&met);
            Ok((met.playbook, Some(because)))
        }
        Choice::Several(met) => Err(NoPlaybookChosen::Refused(several(&met))),
        Choice::None => Err(NoPlaybookChosen::None(none(profile, &known))),
    }
}

fn candidates<'a>(skills: &[&Skill], known: &'a [IndexedPlaybook]) -> Vec<Candidate<'a>> {
    let candidate = |playbook: &'a IndexedPlaybook| {
        let skill = skills.iter().find(|skill| *skill.reference == *playbook.id);
        let priority = skill.map(|skill| skill.priority.to()).unwrap_or_default();
        Candidate { id: &playbook.id, priority, triggers: &playbook.triggers }
    };
    known.iter().map(candidate).collect()
}

/// `the question has the keyword “shared officers” of `officer-cross-reference``.
fn because(met: &TriggerMatch) -> String {
    let TriggerMatch { playbook, trigger, likeness } = met;
    let pattern = &trigger.pattern;
    match trigger.kind {
        TriggerKind::Keyword => format!("the question has the keyword “{pattern}” of `{playbook}`"),
        TriggerKind::Regex => format!("the question fits the pattern “{pattern}” of `{playbook}`"),
        TriggerKind::Semantic => {
            format!("the question says {likeness} % of “{pattern}” of `{playbook}`")
        }
    }
}

/// Refuses a question that could mean each of these.
pub(crate) fn ambiguous<'n>(names: impl Iterator<Item = &'n str>) -> Problem {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let detail = format!("the question could mean {}; nothing was started", names.join(" or "));
    Problem::new(StatusCode::CONFLICT, "PLAYBOOK_AMBIGUOUS", detail)
}

fn several(met: &[TriggerMatch]) -> Problem {
    let mut problem = ambiguous(met.iter().map(|met| met.playbook.as_str()));
    problem.errors = met.iter().map(|met| FieldError::new("playbook", because(met))).collect();
    problem.with_hint("name the playbook, or give one of the triggers a higher `priority`")
}

/// What the agent can do, a line for each of its playbooks.
fn none(profile: &Profile, known: &[IndexedPlaybook]) -> Problem {
    let name = &profile.spec.name;
    let detail = format!("no playbook of {name} is about this question; nothing was started");
    let mut problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "PLAYBOOK_NOT_CHOSEN", detail);
    problem.errors = known.iter().map(can_do).collect();
    problem.with_hint("name the playbook, or ask with one of the words it listens to")
}

fn can_do(playbook: &IndexedPlaybook) -> FieldError {
    let IndexedPlaybook { id, name, description, triggers, required } = playbook;
    let what = if description.is_empty() { name } else { description };
    let needs = if required.is_empty() {
        String::new()
    } else {
        format!(" It needs {}.", required.join(", "))
    };
    let said = FieldError::new("playbook", format!("`{id}`: {what}{needs}"));
    let words: Vec<String> =
        triggers.iter().take(3).map(|trigger| format!("“{}”", trigger.pattern)).collect();
    if words.is_empty() { said } else { said.with_hint(format!("ask with {}", words.join(", "))) }
}

#[cfg(test)]
mod tests {
    use countersign_playbook::Trigger;

    use super::*;

    #[test]
    fn f_134_what_a_playbook_can_do_is_said_with_its_words_and_its_needs() {
        let playbook = IndexedPlaybook {
            id: "officers".to_owned(),
            name: "Officers".to_owned(),
            description: "Finds people.".to_owned(),
            triggers: vec![Trigger {
                pattern: "shared officers".to_owned(),
                kind: TriggerKind::Keyword,
                priority: 0,
            }],
            required: vec!["filings".to_owned()],
        };
        let said = can_do(&playbook);
        assert_eq!(said.message, "`officers`: Finds people. It needs filings.");
        assert_eq!(said.hint.as_deref(), Some("ask with “shared officers”"));
        let bare = IndexedPlaybook {
            description: String::new(),
            triggers: Vec::new(),
            required: Vec::new(),
            ..playbook
        };
        assert_eq!(can_do(&bare), FieldError::new("playbook", "`officers`: Officers"));
    }
}
