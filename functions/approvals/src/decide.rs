//! `POST /a/{token}`: the form decides, through the gatekeeper.

use countersign_approval::{
    Assurance, Attempt, DecideError, Door, LinkError, Nonce, SignedNonce, Status, TokenError,
};
use countersign_gatekeeper::{Answer, Attempting, GateError, Who};
use jiff::Timestamp;

use crate::Context;
use crate::codes::CodeUse;
use crate::form::Form;
use crate::http::{Incoming, Reply};
use crate::opened::{Opened, Visit};
use crate::refusal::Refusal;
use crate::unknown;
use crate::view;

/// Reads the form, checks the nonce, and decides or asks for a code.
pub(crate) async fn post(request: &Incoming, opened: &Opened<'_>) -> Result<Reply, Refusal> {
    let Visit { context, now, .. } = opened.visit;
    let form = Form::read(request.header("content-type"), &request.body)?;
    let nonce = seen(&form.nonce, opened).await?;
    if form.contradicts_itself() {
        let problem = "“I do not know” cannot be sent together with an answer.";
        return view::again(opened, &form, problem).await;
    }
    if let Some(vote) = opened
        .own_vote()
        .filter(|vote| vote.verdict != form.verdict && opened.request().closed.is_none())
    {
        return Err(Refusal::DecidedOtherwise(Box::new(vote.clone())));
    }
    // The link alone first: that decides where it is enough, repeats the first receipt, tells the story of a closed
    // request, and refuses who may not decide, before any code is mailed.
    match decide(opened, &form, &nonce, Assurance::Link, context, now).await {
        Err(GateError::Decide(DecideError::AssuranceTooLow { needed: Assurance::LinkCode })) => {
            with_code(opened, &form, &nonce, context, now).await
        }
        Err(GateError::Decide(DecideError::Answers(problems))) => {
            let problems: Vec<String> = problems.iter().map(unknown::problem).collect();
            view::again(opened, &form, &sentence(problems)).await
        }
        Err(GateError::Decide(DecideError::Revise(error))) => {
            let problem = sentence(vec![error.to_string()]);
            view::again(opened, &form, &problem).await
        }
        other => answer(other, opened, &form, context).await,
    }
}

/// Problems as a sentence, each once.
fn sentence(mut problems: Vec<String>) -> String {
    problems.dedup();
    let mut text = problems.join("; ");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text + "."
}

/// What the page behind the form had shown.
pub(crate) async fn seen(nonce: &str, opened: &Opened<'_>) -> Result<Nonce, Refusal> {
    let Visit { context, now, .. } = opened.visit;
    let signed = SignedNonce::parse(nonce).map_err(|TokenError| Refusal::Nonce)?;
    match signed.verify(&context.tenant, context.key.as_ref(), opened.link.id(), now).await {
        Ok(nonce) => Ok(nonce.clone()),
        Err(LinkError::Forged | LinkError::Malformed) => Err(Refusal::Nonce),
        Err(other) => Err(other.into()),
    }
}

async fn decide(
    opened: &Opened<'_>,
    form: &Form,
    nonce: &Nonce,
    assurance: Assurance,
    context: &Context,
    now: Timestamp,
) -> Result<Answer, GateError> {
    let attempt = Attempt {
        verdict: form.verdict,
        digest: Some(nonce.digest.to_string()),
        version: Some(nonce.version),
        door: Door::Mail,
        assurance,
        answers: form.answers(),
        note: form.note.clone(),
    };
    let who = Who::LinkOf(opened.person.clone());
    let attempting = Attempting { approval: opened.request().id.clone(), who, attempt };
    context.act.decide(&attempting, now).await
}

/// Asks for a code, or checks the one that was typed and decides.
async fn with_code(
    opened: &Opened<'_>,
    form: &Form,
    nonce: &Nonce,
    context: &Context,
    now: Timestamp,
) -> Result<Reply, Refusal> {
    let code = CodeUse { opened, slot: opened.slot, scope: form.scope() };
    if let Some(asked) = code.asks(form.code.as_deref(), context, now).await? {
        let page = view::code_page(opened, context, form, asked.expires, asked.problem).await?;
        return Ok(Reply::new(asked.status, page.html()?));
    }
    let decided = decide(opened, form, nonce, Assurance::LinkCode, context, now).await;
    if decided.is_ok() {
        // Should this fail, the code still opens nothing: the vote is cast, and repeating it gives the same receipt.
        let request = opened.request();
        let _ = context.act.spend_code(&request.id, request.version, code.slot, &code.scope).await;
    }
    answer(decided, opened, form, context).await
}

/// The page of a decision, or of why there is none.
async fn answer(
    decided: Result<Answer, GateError>,
    opened: &Opened<'_>,
    form: &Form,
    context: &Context,
) -> Result<Reply, Refusal> {
    match decided {
        Ok(answer) => {
            let open = match answer.status {
                Status::Pending => answer.quorum.saturating_sub(answer.approvals).max(1),
                _ => 0,
            };
            let request = opened.request();
            let cast = view::Cast {
                receipt: answer.receipt.as_str(),
                digest: request.digest.to_string(),
                verdict: form.verdict,
                answers: &form.answers(),
                at: answer.at,
                open,
                lost: answer.not_counted,
            };
            Ok(Reply::new(200, cast.page(request).html()?))
        }
        Err(GateError::Decide(DecideError::AlreadyVoted(vote))) => {
            Err(Refusal::DecidedOtherwise(vote))
        }
        Err(other) => over(other, opened, context).await,
    }
}

/// The page of a request that is over, where that is why nothing was done.
pub(crate) async fn over(
    error: GateError,
    opened: &Opened<'_>,
    context: &Context,
) -> Result<Reply, Refusal> {
    match error {
        GateError::Decide(DecideError::Closed(closed)) => {
            // Somebody may have closed it since this request was read: the votes of the story are read again.
            let loaded = context.look.load(&opened.request().id).await?.ok_or(Refusal::NotFound)?;
            Ok(Reply::new(409, view::story(&loaded, &closed, context).await?.html()?))
        }
        GateError::Decide(DecideError::DeadlinePassed { .. }) => {
            Ok(Reply::new(409, view::timed_out(opened.request()).html()?))
        }
        other => Err(other.into()),
    }
}
