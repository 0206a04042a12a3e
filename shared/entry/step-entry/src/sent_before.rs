//! What those who sign a repetition are told of calls that a run before has tried and that are sent again: they failed, or are known
//! not to have been done.

use countersign_plan::PlanStep;
use countersign_run::{EFFECT_NOT_DONE, Head, RunId, StepStatus};
use countersign_store_runs::{EarlierCall, Intent, StepOutcome};
use countersign_zones::to_the_second;

use crate::context::Context;
use crate::earlier::tried_in;
use crate::error::StepError;

/// Items that a remark names; more are counted.
const MAX_NAMED: usize = 10;

/// Characters of a failure's message that a remark quotes.
const MAX_MESSAGE: usize = 500;

/// What is told of a step that makes one call, with this key: one sentence for each run before in which it failed.
pub(crate) async fn one_call(
    context: &Context,
    head: &Head,
    step: &PlanStep,
    key: Option<&str>,
) -> Result<Vec<String>, StepError> {
    let mut remarks = Vec::new();
    for run in &head.repeats {
        let Some((intent, outcome)) = tried_in(context, run, step).await? else { continue };
        let failed = outcome.filter(|outcome| outcome.status == StepStatus::Failed);
        remarks.extend(failed.map(|failed| sentence(&step.name, run, &intent, &failed, key)));
    }
    Ok(remarks)
}

fn sentence(
    step: &str,
    run: &RunId,
    intent: &Intent,
    failed: &StepOutcome,
    key: Option<&str>,
) -> String {
    let message = failed.message.as_deref().unwrap_or("it does not say why");
    let now = match key == Some(intent.sending.key.as_str()) {
        true => "Approving sends it again, with the same key.",
        false => "Approving sends it with other contents and another key.",
    };
    // What people said of it is a story of its own, from who allowed it to who said what.
    if failed.code.as_deref() == Some(EFFECT_NOT_DONE) {
        return format!("{message} That was in {run}. {now}");
    }
    // It may have failed before anything was sent: while it waited for the rate of its connector, or because its run was ended.
    let (tried, key) = (to_the_second(intent.at), &intent.sending.key);
    let message = short(message);
    format!("`{step}` was tried in {run} at {tried} with key {key}, and failed: {message}. {now}")
}

/// What is told of the calls of a list, each with the key that it has now.
pub(crate) fn of_list<'c>(
    step: &str,
    again: impl Iterator<Item = (&'c EarlierCall, &'c String)>,
) -> Option<String> {
    let told: Vec<String> = again.map(|(call, key)| item(call, key)).collect();
    let (count, more) = (told.len(), told.len().saturating_sub(MAX_NAMED));
    let first = told.into_iter().take(MAX_NAMED).collect::<Vec<_>>().join("; ");
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    (count > 0).then(|| format!("`{step}`: tried before and sent again, {count}: {first}{more}."))
}

fn item(EarlierCall { run, call }: &EarlierCall, key: &str) -> String {
    let (item, tried, before) = (&call.item, to_the_second(call.at), &call.sending.key);
    let became = match call.code.as_deref() {
        Some(EFFECT_NOT_DONE) => "people said that it was not done".to_owned(),
        _ => format!("it failed: {}", short(call.message.as_deref().unwrap_or("no reason"))),
    };
    let now = match key == before {
        true => format!("with key {before}, as now"),
        false => format!("with key {before}, with other contents than now"),
    };
    format!("`{item}` in {run} at {tried} {now}, and {became}")
}

/// A message without its last full stop, cut with a mark.
fn short(message: &str) -> String {
    let message = message.trim_end_matches('.');
    match message.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use countersign_run::Sending;
    use countersign_store_runs::{ItemCall, ItemStatus};
    use jiff::Timestamp;

    use super::*;

    fn sending() -> Sending {
        Sending {
            call: 1,
            receipt: "rcpt_1".to_owned(),
            approval: None,
            target: "POST api.bank.example/v1/payments".to_owned(),
            key: "9f00".to_owned(),
            items: 0,
        }
    }

    fn sent_at() -> Timestamp {
        "2026-11-22T14:03:07.5Z".parse().unwrap()
    }

    fn intent() -> Intent {
        Intent {
            step: "pay".to_owned(),
            input_hash: String::new(),
            sending: sending(),
            leaf: None,
            struck: Vec::new(),
            signed: Vec::new(),
            lease_until: sent_at(),
            stops: true,
            attempt: 1,
            at: sent_at(),
        }
    }

    fn check(code: &str, message: &str, key: &str, expect: &str) {
        let run = RunId::from_bytes([1; 16]);
        let unknown = StepOutcome::unknown("pay", &intent().sent(), 1, sent_at());
        let failed = StepOutcome {
            status: StepStatus::Failed,
            code: Some(code.to_owned()),
            message: Some(message.to_owned()),
            ..unknown
        };
        let said = sentence("pay", &run, &intent(), &failed, Some(key));
        assert_eq!(said.replace(run.as_str(), "run_1"), expect);
    }

    #[test]
    fn k_49_a_call_that_is_sent_again_says_what_was_sent_before() {
        let story = "`pay` to api.bank.example: approved (rcpt_1), no answer came. People said that it was not done (rcpt_2). Its key is 9f00.";
        let again = "Approving sends it again, with the same key.";
        check(EFFECT_NOT_DONE, story, "9f00", &format!("{story} That was in run_1. {again}"));
        let refused = "`pay` was tried in run_1 at 2026-11-22 14:03:07Z with key 9f00, and failed: it answered 422.";
        check("CONNECTOR_REFUSED", "it answered 422.", "9f00", &format!("{refused} {again}"));
        let other = "Approving sends it with other contents and another key.";
        check("CONNECTOR_REFUSED", "it answered 422", "aa11", &format!("{refused} {other}"));
    }

    fn call(item: &str, code: &str) -> EarlierCall {
        let call = ItemCall {
            step: "pay".to_owned(),
            n: 0,
            item: item.to_owned(),
            leaf: String::new(),
            status: ItemStatus::Failed,
            sending: sending(),
            at: sent_at(),
            ended_at: None,
            output: None,
            code: Some(code.to_owned()),
            message: Some("it answered 422.".to_owned()),
        };
        EarlierCall { run: RunId::from_bytes([1; 16]), call }
    }

    #[test]
    fn k_49_calls_of_a_list_that_are_sent_again_are_named_with_their_keys() {
        let (same, other) = ("9f00".to_owned(), "aa11".to_owned());
        let calls = [call("INV-1", EFFECT_NOT_DONE), call("INV-2", "CONNECTOR_REFUSED")];
        let keys = [&same, &other];
        let run = RunId::from_bytes([1; 16]);
        let said = of_list("pay", calls.iter().zip(keys)).unwrap();
        let at = "in run_1 at 2026-11-22 14:03:07Z with key 9f00";
        assert_eq!(
            said.replace(run.as_str(), "run_1"),
            format!(
                "`pay`: tried before and sent again, 2: `INV-1` {at}, as now, and people said that it was not done; \
                 `INV-2` {at}, with other contents than now, and it failed: it answered 422."
            )
        );
        assert_eq!(of_list("pay", std::iter::empty()), None);
        let many = vec![call("INV-1", EFFECT_NOT_DONE); 12];
        let said = of_list("pay", many.iter().map(|call| (call, &same))).unwrap();
        assert!(said.ends_with("; and 2 more."), "{said}");
    }
}
