//! The question what became of calls, as the page shows it and as the form answers it.

use std::collections::BTreeMap;

use countersign_approval::{
    AnswerFault, AnswerProblem, ApprovalRecord, OutcomeAnswer, Request, UnknownCall, choices, words,
};
use countersign_identity::UserId;
use countersign_letter::Shown;
use countersign_letter::page::{GivenAnswer, UnknownCallView};
use countersign_plan::Plan;
use countersign_store_approvals::Loaded;
use jiff::Timestamp;

use crate::Context;
use crate::form::Form;
use crate::opened::name;
use crate::plan;
use crate::ports::StepEffects;
use crate::refusal::Refusal;

/// Each call that is asked about, with the request it sent.
pub(crate) async fn outcomes(
    request: &Request,
    plan: Option<&Plan>,
    kept: &[StepEffects],
    context: &Context,
    now: Timestamp,
) -> Result<Vec<UnknownCallView>, Refusal> {
    let step = &request.position.step;
    let sent = kept.iter().filter(|effects| effects.step == *step);
    let sent = sent.flat_map(|effects| &effects.effects);
    let mut outcomes = Vec::new();
    for (call, effect) in request.outcome.iter().zip(sent) {
        let shown = plan::whole(request, plan, step, effect, &request.layout);
        let approved = format!("by {}, {}", senders(call, context).await?.join(", "), call.receipt);
        outcomes.push(UnknownCallView {
            n: u64::from(call.n),
            what: shown.what.clone(),
            approved: Shown::line(&approved),
            sent_at: call.sent_at,
            look_for: Shown::line(&call.sent().look_for()),
            warning: call.again_warning(now).map(|warning| Shown::line(&warning)),
            request: shown,
            chosen: None,
            evidence: String::new(),
        });
    }
    Ok(outcomes)
}

/// Those who allowed sending it.
async fn senders(call: &UnknownCall, context: &Context) -> Result<Vec<String>, Refusal> {
    let Some(Loaded { request, votes }) = context.look.load(&call.approval).await? else {
        return Ok(Vec::new());
    };
    let mut names = BTreeMap::new();
    for person in ApprovalRecord::people(&request, &votes) {
        let name = name(&person, context).await?;
        names.insert(person, name);
    }
    let named = |person: &UserId| names.get(person).cloned().unwrap_or_else(|| person.to_string());
    let record = ApprovalRecord::of(&request, &votes, &named);
    Ok(record.senders().map(str::to_owned).collect())
}

/// What is wrong with an answer, in the words of the page.
pub(crate) fn problem(problem: &AnswerProblem) -> String {
    match &problem.fault {
        AnswerFault::Missing(_) => "an answer is missing: say what happened".to_owned(),
        AnswerFault::EvidenceMissing => {
            "“It was done” needs evidence: write how it is known".to_owned()
        }
        fault => fault.to_string(),
    }
}

/// What the form said, on the page that is shown again.
pub(crate) fn keep(outcomes: &mut [UnknownCallView], form: &Form) {
    // Somebody who pressed “I do not know” beside an answer is asked again from the start: a choice cannot be taken back.
    let keeps = !form.contradicts_itself();
    for outcome in outcomes {
        let Ok(n) = u32::try_from(outcome.n) else { continue };
        outcome.chosen = form.choices.get(&n).filter(|_| keeps).map(|choice| choice.as_str());
        outcome.evidence = form.evidence.get(&n).filter(|_| keeps).cloned().unwrap_or_default();
    }
}

/// The answers of a form, to be sent along with the code.
pub(crate) fn given(form: &Form) -> Vec<GivenAnswer> {
    let one = |answer: OutcomeAnswer| GivenAnswer {
        n: u64::from(answer.n),
        choice: answer.choice.as_str(),
        evidence: answer.evidence.unwrap_or_default(),
    };
    form.answers().into_iter().map(one).collect()
}

/// Answers in words, with their evidence; none where there are none.
pub(crate) fn in_words(answers: &[OutcomeAnswer]) -> Option<Shown> {
    if answers.is_empty() {
        return None;
    }
    let evidence: Vec<&str> =
        answers.iter().filter_map(|answer| answer.evidence.as_deref()).collect();
    let mut text = words(&choices(answers));
    if !evidence.is_empty() {
        text = format!("{text}: “{}”", evidence.join("”, “"));
    }
    Some(Shown::new(&text, 2_000))
}

/// How many have given which answers, the most frequent first: `1 of 2 for done`; none before the first.
pub(crate) fn tally(loaded: &Loaded) -> Option<String> {
    let record = ApprovalRecord::of(&loaded.request, &loaded.votes, &|person| person.to_string());
    (!record.tally.is_empty()).then(|| record.progress())
}
