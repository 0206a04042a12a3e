//! What is told of steps that may have acted: the events know receipts, the records know names.

use countersign_run::{RunState, Said, StepState, StepStatus};

use crate::outcome::{Choice, choices};
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
    let by: Vec<&str> = records.iter().filter(allowed).flat_map(ApprovalRecord::senders).collect();
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

impl ApprovalRecord {
    /// The names of those whose approval allowed sending. Of a question about outcomes these are the people whose answers
    /// ended it, when one of them is to send again: whoever answered otherwise allowed nothing.
    pub fn senders(&self) -> impl Iterator<Item = &str> {
        let closing = closing(self).map(|closing| choices(&closing.answers)).unwrap_or_default();
        let sends = closing.is_empty() || closing.iter().any(|call| call.choice == Choice::Again);
        let agreed = counted(self).filter(move |one| {
            sends && one.verdict == Verdict::Approve && choices(&one.answers) == closing
        });
        agreed.map(|decision| decision.by.as_str())
    }
}

/// The last approval: of a request that was approved, the one that ended it.
fn closing(record: &ApprovalRecord) -> Option<&RecordedDecision> {
    counted(record).rfind(|one| one.verdict == Verdict::Approve)
}

/// The decisions that count.
fn counted(record: &ApprovalRecord) -> impl DoubleEndedIterator<Item = &RecordedDecision> {
    record.decisions.iter().filter(|one| one.not_counted.is_none())
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
    let closing = closing(record)?;
    let [answer] = closing.answers.as_slice() else { return None };
    let what = match answer.choice {
        Choice::Done => "was done",
        Choice::NotDone => "was not done",
        Choice::Again => return None,
    };
    let same = |one: &&RecordedDecision| {
        one.answers.first().is_some_and(|other| other.choice == answer.choice)
    };
    let by = counted(record).filter(same).map(|one| {
        let evidence = one.answers.first().and_then(|answer| answer.evidence.as_deref());
        (one.by.as_str(), evidence)
    });
    Some(Answered { what, receipt, by: by.collect() })
}
