//! What is known of whoever asks, and the step that looks for more (R-043, R-082, K-45).

use countersign_identity::UserId;
use countersign_question::{AboutPerson, LEARN_STEP};
use countersign_run::summary::STEP;
use countersign_web::Problem;
use countersign_wiring::{literal, literal_text};
use serde_json::{Value, json};

use crate::Starter;

/// How long may be looked for what a question tells of whoever asks.
const LEARNING_SECONDS: u32 = 15;

/// What whoever asks has written of themselves, and, if they want that, what was learned of them.
pub(crate) async fn about(
    ctx: Starter<'_>,
    owner: &UserId,
) -> Result<Option<AboutPerson>, Problem> {
    let Some(said) = ctx.catalog.about(owner).await? else { return Ok(None) };
    if !said.about.learn {
        return Ok(Some(said.about));
    }
    Ok(Some(said.about.with(&ctx.catalog.learned(owner).await?)))
}

/// Adds the step that looks for what the question tells of whoever asks, beside the one that answers: neither the model that plans nor
/// a specialist waits for it. Nothing reads what it finds. A question without a word tells nothing.
pub(crate) fn learning(playbook: &mut Value, question: &str, known: &AboutPerson) {
    if question.trim().is_empty() {
        return;
    }
    let known = known.shown(false).unwrap_or_default();
    let learn = json!({
        "name": LEARN_STEP, "step_type": "tool", "action": "extract_facts", "on_error": "skip", "on_warning": "continue", "timeout_seconds": LEARNING_SECONDS,
        "inputs": { "question": literal_text(question), "known": literal(known) },
    });
    let steps = playbook["steps"].as_array_mut().into_iter().flatten();
    if let Some(answers) = steps.into_iter().find(|step| step["name"] == STEP) {
        let both = [answers.take(), learn];
        *answers = json!({ "name": "answering", "step_type": "tool", "action": "parallel", "parallel_steps": both });
    }
}
