//! What a gate offers to have rewritten, and what the changes that were asked for before mean for those who are asked now.

use std::collections::BTreeSet;

use countersign_approval::{Floor, MAX_REVISIONS, Policy, Request, strikes_gone};
use countersign_identity::UserId;
use countersign_run::{ModelUse, StepStatus};
use countersign_step_entry::{GateAsk, StepError};
use countersign_store_runs::{AskedChange, StepOutcome};

use crate::signers::able;
use crate::{Context, OpenGateError};

/// What came before a request of a run in which somebody asked for changes.
pub(crate) struct Before {
    /// All that was asked for in the run, the earliest first.
    changes: Vec<AskedChange>,
    /// The last change that was asked for at this gate, and the request that was closed for it.
    here: Option<(AskedChange, Option<Request>)>,
}

/// The changes that were asked for before this round; none in a first round.
pub(crate) async fn before(
    context: &Context,
    asked: &GateAsk,
) -> Result<Option<Before>, OpenGateError> {
    if asked.head.revised.is_empty() {
        return Ok(None);
    }
    let changes = context.steps.runs.revisions(&asked.head.run).await;
    let changes = changes.map_err(StepError::from)?;
    let gate = &asked.step.name;
    let last = changes.iter().rfind(|change| change.gate == *gate).cloned();
    let here = match last.filter(|_| asked.is_gate()) {
        Some(last) => {
            let request = context.approvals.request(&last.approval).await;
            Some((last, request.map_err(StepError::from)?))
        }
        None => None,
    };
    Ok(Some(Before { changes, here }))
}

impl Before {
    /// These approvers, and whoever else was asked before and can sign now: somebody who was asked in addition is asked again.
    pub(crate) async fn approvers(
        &self,
        context: &Context,
        asked: &GateAsk,
        mut all: Vec<UserId>,
    ) -> Result<Vec<UserId>, OpenGateError> {
        let request = self.here.iter().filter_map(|(_, request)| request.as_ref());
        let before = request.flat_map(|request| &request.policy.approvers);
        let others: Vec<UserId> = before.filter(|person| !all.contains(person)).cloned().collect();
        all.extend(able(context, asked, &others).await?);
        all.truncate(Policy::MAX_APPROVERS);
        Ok(all)
    }

    /// Whoever asked for changes has asked for what is signed now. Where requesters never decide, neither do they, here and at
    /// every later request of the run.
    pub(crate) fn requesters(&self, floor: &Floor) -> impl Iterator<Item = UserId> {
        let by = self.changes.iter().map(|change| change.by.clone());
        by.filter(|_| floor.requester_never_decides)
    }

    /// What approvers see of it.
    pub(crate) async fn remarks(
        &self,
        context: &Context,
        asked: &GateAsk,
    ) -> Result<Vec<String>, OpenGateError> {
        let Some((change, request)) = &self.here else { return Ok(Vec::new()) };
        let by = context.directory.user(&change.by).await?;
        let by = by.map_or_else(|| "an approver".to_owned(), |user| format!("`{}`", user.username));
        let mut remarks = vec![told(&by, change)];
        for step in &change.steps {
            let outcome = context.steps.runs.outcome(&asked.head.run, step).await;
            remarks.extend(not_written(step, outcome.map_err(StepError::from)?.as_ref()));
        }
        remarks.extend(request.as_ref().and_then(strikes_gone));
        Ok(remarks)
    }
}

/// The steps of models that whoever may decide can have rewritten: those that the gate's author names, as far as a model
/// that can be told what to change has written them. Not in a repetition, which has to send what was sent before; and where
/// whoever asks may not sign, only if enough others may.
pub(crate) async fn revisable(
    context: &Context,
    asked: &GateAsk,
    policy: &Policy,
    floor: &Floor,
    requesters: &BTreeSet<UserId>,
) -> Result<Vec<String>, OpenGateError> {
    let named = asked.gate.iter().filter(|_| asked.is_gate()).flat_map(|gate| &gate.revise);
    let mut found = Vec::new();
    let is_offered = asked.round < MAX_REVISIONS
        && asked.head.repeats.is_empty()
        && is_enough_without_one(policy, floor, requesters);
    for step in named.filter(|_| is_offered) {
        let outcome = context.steps.runs.outcome(&asked.head.run, step).await;
        let outcome = outcome.map_err(StepError::from)?;
        // One that could not be rewritten may be tried again.
        if asked.head.is_done_again(step) || is_written(outcome.as_ref()) {
            found.push(step.clone());
        }
    }
    Ok(found)
}

fn is_written(outcome: Option<&StepOutcome>) -> bool {
    let done = outcome.filter(|outcome| outcome.status == StepStatus::Done);
    done.and_then(|outcome| outcome.model.as_ref()).is_some_and(ModelUse::follows_instructions)
}

fn is_enough_without_one(policy: &Policy, floor: &Floor, requesters: &BTreeSet<UserId>) -> bool {
    let policy = policy.clone().tightened(floor, false);
    let needed = usize::try_from(policy.quorum).unwrap_or(usize::MAX);
    !floor.requester_never_decides || policy.eligible(requesters).count() > needed
}

fn told(by: &str, change: &AskedChange) -> String {
    let steps: Vec<String> = change.steps.iter().map(|step| format!("`{step}`")).collect();
    let steps = steps.join(", ");
    let wish = match change.is_instead {
        true => format!("{by} gave {steps} another task"),
        false => format!("{by} asked for changes to {steps}"),
    };
    let instructions = serde_json::Value::from(change.instructions.as_str());
    format!("{wish}: {instructions}. Nobody has checked whether what is shown now is that.")
}

/// That a step did not write anything anew, and why.
fn not_written(step: &str, outcome: Option<&StepOutcome>) -> Option<String> {
    let why = match outcome {
        Some(outcome) if outcome.status == StepStatus::Done => return None,
        Some(outcome) => outcome.message.as_deref().unwrap_or("it does not say why"),
        None => "it has no result",
    };
    Some(format!("`{step}` was not rewritten: {why}"))
}

#[cfg(test)]
mod tests {
    use countersign_approval::ApprovalId;
    use jiff::Timestamp;

    use super::*;

    fn person(n: u8) -> UserId {
        UserId::from_bytes([n; 16])
    }

    fn change(is_instead: bool, instructions: &str) -> AskedChange {
        AskedChange {
            approval: ApprovalId::from_bytes([1; 16]),
            gate: "ask".to_owned(),
            steps: vec!["draft".to_owned(), "other".to_owned()],
            attempt: 2,
            by: person(7),
            at: Timestamp::UNIX_EPOCH,
            is_instead,
            instructions: instructions.to_owned(),
        }
    }

    #[test]
    fn r_063_a_remark_says_who_wanted_what_and_ends_no_quotation() {
        assert_eq!(
            told("`maria`", &change(false, "Say \"no\".")),
            r#"`maria` asked for changes to `draft`, `other`: "Say \"no\".". Nobody has checked whether what is shown now is that."#
        );
        let said = told("`maria`", &change(true, "Pay half."));
        assert!(
            said.starts_with("`maria` gave `draft`, `other` another task: \"Pay half.\""),
            "{said}"
        );
    }

    #[test]
    fn k_09_a_step_that_wrote_nothing_anew_is_named_with_its_reason() {
        let outcome = |status, message: &str| StepOutcome {
            step: "draft".to_owned(),
            status,
            input_hash: String::new(),
            output: serde_json::Value::Null,
            count: None,
            code: None,
            message: Some(message.to_owned()),
            verdict: None,
            model: None,
            approval: None,
            attempt: 2,
            at: Timestamp::UNIX_EPOCH,
        };
        let failed = outcome(StepStatus::Failed, "the model does not answer");
        let said = not_written("draft", Some(&failed)).unwrap();
        assert_eq!(said, "`draft` was not rewritten: the model does not answer");
        assert_eq!(not_written("draft", Some(&outcome(StepStatus::Done, ""))), None);
        assert!(not_written("draft", None).unwrap().ends_with("it has no result"));
    }

    #[test]
    fn k_09_where_requesters_never_decide_others_must_be_left_to_sign() {
        let policy = Policy::one_of(vec![person(1), person(2)], false);
        let strict = Floor { requester_never_decides: true, ..Floor::default() };
        let asked = BTreeSet::from([person(2)]);
        assert!(is_enough_without_one(&policy, &Floor::default(), &asked));
        assert!(is_enough_without_one(&policy, &strict, &BTreeSet::new()));
        assert!(!is_enough_without_one(&policy, &strict, &asked), "nobody would be left");
        let changes = vec![change(false, "Less.")];
        let before = Before { changes, here: None };
        assert_eq!(before.requesters(&strict).collect::<Vec<_>>(), [person(7)]);
        assert_eq!(before.requesters(&Floor::default()).count(), 0);
    }
}
