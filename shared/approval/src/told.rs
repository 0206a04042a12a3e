//! What is told of steps that may have acted: the events know receipts, the records know names.

use countersign_run::{RunState, Said, StepState, StepStatus};

use crate::outcome::{Choice, OutcomeAnswer};
use crate::record::{ApprovalRecord, RecordedDecision};
use crate::status::Status;
use crate::vote::Verdict;

/// Says of every step whose outcome is or was unknown who allowed it, and who said what came of it.
pub fn name_signers(state: &mut RunState, records: &[ApprovalRecord]) {
    for (name, step) in &mut state.steps {
        if let Some(message) = message(name, step, records) {
            step.message = Some(message);
        }
    }
}

fn message(name: &str, step: &StepState, records: &[ApprovalRecord]) -> Option<String> {
    // A step of several calls has counted them.
    let sent = step.sent.as_ref().filter(|sent| sent.what.items == 0 || step.message.is_none())?;
    let allowed =
        |record: &&ApprovalRecord| Some(record.approval.as_str()) == sent.what.approval.as_deref();
    let by: Vec<&str> = records.iter().filter(allowed).flat_map(approvers).collect();
    match step.status {
        StepStatus::Unknown => Some(sent.sentence(name, &by)),
        StepStatus::Done | StepStatus::Failed if sent.what.items == 0 => {
            // The question about the last call; one whose answer was to send again is about an earlier one.
            let last = records.iter().rfind(|record| record.step == name && record.in_doubt)?;
            answered(last).map(|said| sent.answered(name, &by, &said.as_said()))
        }
        _ => None,
    }
}

fn approvers(record: &ApprovalRecord) -> impl Iterator<Item = &str> {
    let sends_again = |answer: &OutcomeAnswer| answer.choice == Choice::Again;
    let approved = record.decisions.iter().filter(move |one| {
        one.verdict == Verdict::Approve
            && (one.answers.is_empty() || one.answers.iter().any(sends_again))
    });
    approved.map(|decision| decision.by.as_str())
}

/// What enough people said of one call.
struct Answered<'a> {
    what: &'static str,
    receipt: &'a str,
    by: Vec<(&'a str, Option<&'a str>)>,
}

impl Answered<'_> {
    fn as_said(&self) -> Said<'_> {
        Said { what: self.what, receipt: self.receipt, by: &self.by, evidence: None }
    }
}

/// None while there is no answer, when it is to send again, and for questions about several calls.
fn answered(record: &ApprovalRecord) -> Option<Answered<'_>> {
    let receipt = record.receipt.as_ref().filter(|_| record.status == Status::Approved)?.as_str();
    let closing = record.decisions.iter().rfind(|one| one.verdict == Verdict::Approve)?;
    let [answer] = closing.answers.as_slice() else { return None };
    let what = match answer.choice {
        Choice::Done => "was done",
        Choice::NotDone => "was not done",
        Choice::Again => return None,
    };
    let same = |one: &&RecordedDecision| {
        one.answers.first().is_some_and(|other| other.choice == answer.choice)
    };
    let by = record.decisions.iter().filter(same).map(|one| {
        let evidence = one.answers.first().and_then(|answer| answer.evidence.as_deref());
        (one.by.as_str(), evidence)
    });
    Some(Answered { what, receipt, by: by.collect() })
}
