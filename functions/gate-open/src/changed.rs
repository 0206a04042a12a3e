//! What changed between the signature of a gate and the step behind it, for those who are asked again.

use countersign_approval::{Covered, Kind, Position, Request, Status, StepEffects};
use countersign_effect::Effect;
use countersign_effect::view::{Change, EffectView, changes};
use countersign_step_entry::{GateAsk, StepError};

use crate::{Context, OpenGateError};

/// One sentence for each value of the request that is not as it was when its gate was approved; none when the gate did not
/// cover the step.
pub(crate) async fn changed_since(
    context: &Context,
    asked: &GateAsk,
) -> Result<Vec<String>, OpenGateError> {
    let Some(gate) = asked.step.covered_by.as_deref().filter(|_| asked.subject.kind == Kind::Tool)
    else {
        return Ok(Vec::new());
    };
    let (run, round) = (&asked.head.run, asked.head.round_of(gate));
    let place = Position { round, ..Position::of_step(run, gate) };
    let id = place.approval_id(&context.steps.tenant);
    let request = context.approvals.request(&id).await.map_err(StepError::from)?;
    let Some(request) = request.filter(|request| request.status == Status::Approved) else {
        return Ok(Vec::new());
    };
    let mut remarks = warned_since(asked, &request, gate);
    // The request itself is shown whole; that the earlier one cannot be read must not keep anybody from being asked.
    let Ok(signed) = context.steps.runs.effects_of(&request).await else {
        remarks.push(format!("what `{gate}` showed can no longer be read"));
        return Ok(remarks);
    };
    if asked.step.for_each.is_some() {
        remarks.extend(of_list(asked, &request, &signed, gate));
        return Ok(remarks);
    }
    let before = signed.iter().find(|effects| effects.step == asked.step.name);
    let (Some(before), Some(now)) =
        (before.and_then(view), asked.subject.effects.first().and_then(view))
    else {
        return Ok(remarks);
    };
    let all = changes(&before, &now);
    remarks.extend(all.iter().take(MAX_NAMED).map(|change| sentence(gate, change)));
    if all.len() > MAX_NAMED {
        remarks.push(format!("and {} more values are not as they were", all.len() - MAX_NAMED));
    }
    Ok(remarks)
}

/// What steps could not read after the gate was approved, or differently than it showed.
fn warned_since(asked: &GateAsk, request: &Request, gate: &str) -> Vec<String> {
    let is_known = |hash: &str| request.warnings.iter().any(|known| known.hash == hash);
    let new = asked.subject.warnings.iter().filter(|of_step| !is_known(&of_step.hash));
    new.map(|of_step| format!("`{gate}` was approved before there were {}", of_step.title()))
        .collect()
}

/// What is said of a list that is signed again: its requests cannot be paired one by one.
fn of_list(asked: &GateAsk, request: &Request, signed: &[StepEffects], gate: &str) -> Vec<String> {
    let step = &asked.step.name;
    let covered = request.covers.iter().find(|covered| covered.step == *step);
    let Some(covered) = covered.filter(|_| signed.iter().any(|effects| effects.step == *step))
    else {
        return Vec::new();
    };
    let now = asked.subject.effects.first();
    let same = now.map(|effects| Covered::without(effects, &covered.struck).root);
    let mut remarks = Vec::new();
    if same != Some(covered.root) {
        let again = "the connector, its binding or its credential changed since: what is left is signed again";
        remarks.push(format!("`{gate}` was approved, and {again}"));
    }
    if !covered.struck.is_empty() {
        let numbers: Vec<String> = covered.struck.iter().map(|n| (n + 1).to_string()).collect();
        let numbers = short(&numbers.join(", "));
        remarks.push(format!(
            "{} of {} were struck out when `{gate}` was approved, numbered {numbers} there; strike them out again if they shall not be sent",
            covered.struck.len(),
            covered.count
        ));
    }
    remarks
}

fn view(effects: &StepEffects) -> Option<EffectView> {
    let text = effects.texts.first()?;
    Effect::parse(text).ok().map(|effect| EffectView::of(&effect))
}

/// Changed values that are named one by one.
const MAX_NAMED: usize = 20;

/// Characters of a value that a remark quotes; the request itself shows all of it.
const MAX_QUOTED: usize = 200;

/// Characters that are quoted before the first that differs.
const LEAD: usize = 20;

/// The value from this character on, as a JSON string, so that nothing in it can end the quotation; what is left out
/// stands beside it.
fn quoted(value: &str, from: usize) -> String {
    let (text, behind) = cut(value, from);
    let quoted = serde_json::Value::from(text).to_string();
    match (from, behind) {
        (0, 0) => quoted,
        (0, behind) => format!("{quoted} ({behind} characters left out)"),
        (from, 0) => format!("{quoted} ({from} characters before it left out)"),
        (from, behind) => {
            format!("{quoted} ({from} characters before it and {behind} behind it left out)")
        }
    }
}

fn cut(value: &str, from: usize) -> (String, usize) {
    let text: String = value.chars().skip(from).take(MAX_QUOTED).collect();
    let behind = value.chars().count().saturating_sub(from + text.chars().count());
    (text, behind)
}

fn short(name: &str) -> String {
    match cut(name, 0) {
        (name, 0) => name,
        (name, behind) => format!("{name}… ({behind} characters left out)"),
    }
}

/// Where quoting begins: at the start, unless what differs lies behind the end of the quotation.
fn start(before: &str, after: &str) -> usize {
    let same = before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count();
    if same < MAX_QUOTED - LEAD { 0 } else { same - LEAD }
}

fn sentence(gate: &str, change: &Change) -> String {
    let Change { name, before, after } = change;
    let name = short(name);
    let from = match (before, after) {
        (Some(before), Some(after)) => start(before, after),
        _ => 0,
    };
    let quoted = |value: &String| quoted(value, from);
    match (before.as_ref().map(quoted), after.as_ref().map(quoted)) {
        (Some(before), Some(after)) => {
            format!("{name}: {before} when `{gate}` was approved, {after} now")
        }
        (None, Some(after)) => {
            format!("{name}: not there when `{gate}` was approved, {after} now")
        }
        (Some(before), None) => format!("{name}: {before} when `{gate}` was approved, gone now"),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, MAX_QUOTED, sentence};

    fn check(before: Option<&str>, after: Option<&str>, expect: &str) {
        let own = |text: Option<&str>| text.map(str::to_owned);
        let change = Change { name: "body to".to_owned(), before: own(before), after: own(after) };
        assert_eq!(sentence("sure", &change), expect);
    }

    #[test]
    fn f_200_a_remark_quotes_both_values_and_counts_what_it_leaves_out() {
        check(Some("a"), Some("b"), r#"body to: "a" when `sure` was approved, "b" now"#);
        check(None, Some("\" now"), r#"body to: not there when `sure` was approved, "\" now" now"#);
        let long = "x".repeat(MAX_QUOTED + 5);
        let head = "x".repeat(MAX_QUOTED);
        check(
            Some(&long),
            None,
            &format!(
                r#"body to: "{head}" (5 characters left out) when `sure` was approved, gone now"#
            ),
        );
    }

    #[test]
    fn f_200_values_that_differ_at_their_end_do_not_look_equal() {
        let (lead, same) = ("x".repeat(20), "x".repeat(1_000));
        check(
            Some(&format!("{same}DE02")),
            Some(&format!("{same}FR76")),
            &format!(
                r#"body to: "{lead}DE02" (980 characters before it left out) when `sure` was approved, "{lead}FR76" (980 characters before it left out) now"#
            ),
        );
    }
}
