//! The response of a run: its answer as a text, and its results where the profile and the playbook want them.

use countersign_actions_output::provenance;
use countersign_approval::ApprovalRecord;
use countersign_registry::action::Call;
use countersign_report::{Format, render};
use countersign_run::{Response, RunStatus};
use serde_json::Value;

use crate::answer::Answer;
use crate::enrich::{MAX_ENTITIES, enrich, failed, is_wanted};
use crate::outcomes::{chat, row_of};
use crate::over::{Over, answered};
use crate::{Context, FinishError, at_end, confidence, deliver, held_back, sources};

/// The longest text that is part of the response; a longer one is where it was saved.
const MAX_CONTENT: usize = 512 * 1024;

/// The response of a run that has come to its end, made and kept once; none of one that was stopped on the way.
pub(crate) async fn response(
    context: &Context,
    over: &Over<'_>,
    status: RunStatus,
    approvals: &[ApprovalRecord],
) -> Result<Option<Response>, FinishError> {
    if !has_answer(status) {
        return Ok(None);
    }
    let run = &over.head.run;
    if let Some(kept) = context.runs.response(run).await? {
        return Ok(Some(kept));
    }
    let made = made(context, over, approvals).await?;
    Ok(Some(context.runs.keep_response(run, made).await?))
}

/// Whether a run with this status gives something back.
pub(crate) fn has_answer(status: RunStatus) -> bool {
    matches!(status, RunStatus::Complete | RunStatus::Partial)
}

async fn made(
    context: &Context,
    over: &Over<'_>,
    approvals: &[ApprovalRecord],
) -> Result<Response, FinishError> {
    let Over { head, plan, state, outcomes, .. } = *over;
    let (mut answer, call) = answered(context, over).await?;
    // A test leaves nothing behind but itself (K-46), and what its steps say they wrote is an example.
    let is_test = head.dry_run.is_some();
    let at_end = match is_test {
        false => at_end::routed(context, over, &mut answer, &call).await?,
        true => Vec::new(),
    };
    let enriched = match head.dry_run {
        None if is_wanted(over.plan, over.profile) => {
            enriched(context, over, &mut answer, &call).await?
        }
        _ => None,
    };
    let blocked = held_back::of(plan, state, approvals);
    held_back::show(&blocked, &mut answer);
    let sources = sources::of(state, &answer.data);
    let confidence = confidence::of(plan, outcomes);
    let mut response = Response { blocked, sources, confidence, ..Response::default() };
    if !is_test {
        response.outputs = outcomes.written();
    }
    // A list that cannot be read has no destination that could be tried again.
    let list = at_end::agent_list(over, !answer.is_incomplete).unwrap_or_default();
    response.agent_destinations = list.into_iter().map(|one| one.digest).collect();
    // What the profile's chats show beside a declared answer is nowhere else.
    let rows = enriched.iter().chain(&at_end);
    let rows = rows.filter_map(|row| row_of(row, None, answer.is_declared));
    response.outputs.extend(rows);
    deliver::link(&head.run, &mut response.outputs);
    if !is_test {
        let counts = outcomes.entities(&response.outputs).counts;
        response.entities = counts.resolved;
        response.new_entities = counts.discovered;
        response.new_relationships = counts.relationships_discovered;
    }
    let of_steps = if is_test { Vec::new() } else { outcomes.chats() };
    let said: Vec<_> = of_steps.into_iter().chain(at_end.iter().filter_map(chat)).collect();
    let (format, text) = match said.first() {
        Some((format, _)) if !answer.is_declared => {
            (*format, Ok(joined(&said, &mut answer.problems)))
        }
        _ => {
            let entity = call.inputs.get("entity_name").and_then(Value::as_str);
            let from = provenance(&call, entity);
            let rendered = render(answer.format, &answer.layout, &answer.shown, &from);
            let text = rendered.map(|rendered| rendered.body).map_err(|error| error.to_string());
            (answer.format, text)
        }
    };
    let text = text.map(|text| held_back::told(&response.blocked, format, text));
    Ok(with_text(response, format, text, answer.problems))
}

/// The texts of the chats one after the other; only Markdown can be put together.
fn joined(said: &[(Format, &str)], problems: &mut Vec<String>) -> String {
    let texts: Vec<&str> = said.iter().map(|(_, text)| *text).collect();
    if said.iter().all(|(format, _)| *format == Format::Markdown) {
        return texts.join("\n");
    }
    if said.len() > 1 {
        problems.push(format!(
            "{} chats were written, not all of them Markdown; the first is shown",
            said.len()
        ));
    }
    texts.first().copied().unwrap_or_default().to_owned()
}

fn with_text(
    response: Response,
    format: Format,
    text: Result<String, String>,
    mut problems: Vec<String>,
) -> Response {
    let bytes = text.as_ref().map_or(0, String::len);
    let content = match text {
        Ok(text) if text.len() <= MAX_CONTENT => Some(text),
        Ok(_) => {
            problems.push(format!(
                "the answer has {bytes} bytes, and at most {MAX_CONTENT} are shown here: `save_to: document` keeps all of it"
            ));
            None
        }
        Err(problem) => {
            problems.push(format!("the answer could not be written: {problem}"));
            None
        }
    };
    let format = serde_json::to_value(format).ok();
    let format = format.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
    Response { format, content, bytes: bytes as u64, problems, ..response }
}

/// Like routing, it needs whoever started the run to be allowed to write, and that nobody has refused it.
async fn enriched(
    context: &Context,
    over: &Over<'_>,
    answer: &mut Answer,
    call: &Call,
) -> Result<Option<Value>, FinishError> {
    if let Some(refused) = at_end::refused(over) {
        if !answer.problems.contains(&refused) {
            answer.problems.push(refused);
        }
        return Ok(None);
    }
    match at_end::denied(context, over.head).await? {
        None => {
            let row = enrich(context, over, call).await?;
            if let Some(left_out) = row["details"]["left_out"].as_u64() {
                answer.problems.push(format!(
                    "the end of a run writes at most {MAX_ENTITIES} entities to the knowledge graph; not written: {left_out}"
                ));
            }
            if let Some(too_large) = row["details"]["too_large"].as_u64() {
                answer.problems.push(format!(
                    "some names are too large for the knowledge graph; not written: {too_large}"
                ));
            }
            Ok(Some(row))
        }
        Some(error) => Ok(Some(failed(&error))),
    }
}
