//! What a link shows. Nothing here writes.

use countersign_approval::{
    Assurance, Closed, Door, Kind, Layout, OutcomeAnswer, Request, Status, Verdict, Vote,
};
use countersign_connector::SendProblem;
use countersign_gatekeeper::not_sent;
use countersign_letter::mail::{Anchor, Asked};
use countersign_letter::page::{
    self, CodePage, DecisionPage, EffectPage, MessagePage, PromptPage, Signature,
};
use countersign_letter::{Picture, Preview, Shown};
use countersign_run::{StepWarnings, WarningText};
use countersign_store_approvals::Loaded;
use jiff::Timestamp;

use crate::Context;
use crate::form::Form;
use crate::http::Reply;
use crate::lost;
use crate::opened::{Opened, Visit, name, nonce};
use crate::plan;
use crate::ports::SeenRun;
use crate::refusal::Refusal;
use crate::strikes::{self, Told};
use crate::unknown;

/// Characters of a prompt that are shown at once.
const MAX_PROMPT: usize = 1_000;

/// Characters of a warning or a remark: one that quotes instructions has all of them.
const MAX_REMARK: usize = 5_000;

/// `GET /a/{token}`
pub(crate) async fn page(opened: &Opened<'_>) -> Result<Reply, Refusal> {
    let request = opened.request();
    if let Some(closed) = &request.closed {
        return Ok(Reply::new(
            200,
            story(&opened.loaded, closed, opened.visit.context).await?.html()?,
        ));
    }
    if opened.visit.now >= request.timing.deadline {
        return Ok(Reply::new(200, timed_out(request).html()?));
    }
    if let Some(vote) = opened.own_vote() {
        return Ok(Reply::new(200, receipt(&opened.loaded, vote).html()?));
    }
    Ok(Reply::new(200, decision(opened).await?.html()?))
}

/// The decision page again, with what was wrong with the form; nothing was changed.
pub(crate) async fn again(
    opened: &Opened<'_>,
    form: &Form,
    problem: &str,
) -> Result<Reply, Refusal> {
    let mut page = decision(opened).await?;
    page.problem = Some(problem.to_owned());
    let note = form.note.clone().unwrap_or_default();
    if form.verdict.revises() {
        page.wish = Some((form.verdict, note));
    } else {
        page.note = note;
    }
    unknown::keep(&mut page.outcomes, form);
    Ok(Reply::new(422, page.html()?))
}

/// `GET /a/{token}/effects/{step}/{n}`
pub(crate) async fn effect(opened: &Opened<'_>, step: &str, n: u64) -> Result<Reply, Refusal> {
    let request = opened.request();
    let all = opened.visit.context.look.effects(request).await?;
    let of_step = all.iter().find(|effects| effects.step == step).ok_or(Refusal::NotFound)?;
    let at = usize::try_from(n - 1).unwrap_or(usize::MAX);
    let effect = of_step.effects.get(at).ok_or(Refusal::NotFound)?;
    let run = opened.visit.context.look.run(request).await?;
    let layout = &request.layout;
    let back_url = opened.visit.page_url();
    let page = EffectPage {
        request: plan::whole(request, run.as_ref().map(|run| &run.plan), step, effect, layout),
        number: n,
        total: of_step.total,
        strike: strikes::of_one(opened, step, n).await?,
        effects_url: format!("{back_url}/effects/{step}"),
        whole_at: format!("/api/agent-factory/approvals/{}/effects/{step}/{n}", request.id),
        back_url,
        digest: request.digest.to_string(),
    };
    Ok(Reply::new(200, page.html()?))
}

/// `GET /a/{token}/prompt`
pub(crate) async fn prompt(opened: &Opened<'_>) -> Result<Reply, Refusal> {
    let request = opened.request();
    let run = opened.visit.context.look.run(request).await?;
    let page = PromptPage {
        prompt_lead: plan::prompt_lead(request, run.as_ref()),
        prompt: Shown::whole(&request.prompt),
        prompt_note: request.prompt_note(),
        back_url: opened.visit.page_url(),
        digest: request.digest.to_string(),
    };
    Ok(Reply::new(200, page.html()?))
}

/// The decision page, with a fresh nonce for what it shows.
async fn decision(opened: &Opened<'_>) -> Result<DecisionPage, Refusal> {
    let Visit { context, now, .. } = opened.visit;
    let request = opened.request();
    let run = context.look.run(request).await?;
    let plan = run.as_ref().map(|run| &run.plan);
    let kept = context.look.effects(request).await?;
    let page_url = opened.visit.page_url();
    let strikes = Told::of(opened, context, now).await?;
    let outcomes = unknown::outcomes(request, plan, &kept, context, now).await?;
    // What is asked about calls is told with each of them.
    let prompt = if outcomes.is_empty() { request.prompt.as_str() } else { "" };
    let problems = context.look.send_problems(request, run.as_ref(), &kept).await;
    let preview = rows_of(request, &request.layout);
    let (picture, plan_text) = pictured(request, run.as_ref());
    Ok(DecisionPage {
        asked: asked(request),
        approval: Shown::line(request.id.as_str()),
        version: u64::from(request.version),
        asker: Shown::line(&request.asker(&name(&request.invoker, context).await?)),
        title: Shown::line(&request.title),
        agent: run.as_ref().map(|run| Shown::line(&run.agent)),
        what: Shown::line(&plan.map(|plan| plan::what(request, plan)).unwrap_or_default()),
        approver: Shown::line(&approver(opened).await?),
        prompt: Shown::prose(prompt, MAX_PROMPT),
        prompt_lead: plan::prompt_lead(request, run.as_ref()),
        prompt_note: request.prompt_note(),
        prompt_url: Some(format!("{page_url}/prompt")),
        effects: plan::requests(request, plan, &kept, &request.layout, &page_url, &strikes),
        changed: strikes.changed(request),
        strikes: strikes.history(request),
        outcomes,
        unsent: context.look.unsent(request).await?,
        unread: request.warnings.iter().map(|of_step| of_step.count).sum(),
        not_sent: not_sent(request, &problems),
        warnings: warnings(opened, &problems).await?,
        warnings_url: is_more(request).then(|| format!("{page_url}/warnings")),
        rows_url: preview.is_partial().then(|| format!("{page_url}/rows")),
        preview,
        plan_text,
        picture,
        digest: request.digest.to_string(),
        cost_bound: request.cost_bound.as_deref().map(Shown::line),
        given: request.approvals(&opened.loaded.votes),
        tally: unknown::tally(&opened.loaded),
        needed: request.policy.quorum,
        deadline: request.timing.deadline,
        now,
        assurance: of_page(request.policy.assurance),
        barred: opened.barred.clone(),
        nonce: nonce(opened, context, now).await?,
        anchor: anchor(context).await?,
        problem: None,
        note: String::new(),
        revisable: request.revisable.iter().map(|step| Shown::line(step)).collect(),
        bars_who_asks: request.bars_who_asks,
        wish: None,
    })
}

/// Whom the link belongs to; empty of somebody who has left.
async fn approver(opened: &Opened<'_>) -> Result<String, Refusal> {
    let person = opened.visit.context.look.entry(&opened.person).await?;
    Ok(person.map_or_else(String::new, |person| {
        format!("for {} ({})", person.name, masked(&person.email))
    }))
}

/// The plan around the gate; as text where there is no picture of it.
fn pictured(request: &Request, run: Option<&SeenRun>) -> (Picture, Shown) {
    match run.and_then(|run| plan::picture(run, &request.position.step)) {
        Some(picture) => (picture, Shown::whole("")),
        None => (Picture::around(Vec::new()), Shown::whole(&request.plan_picture)),
    }
}

fn of_page(assurance: Assurance) -> page::Assurance {
    match assurance {
        Assurance::Link => page::Assurance::Link,
        Assurance::LinkCode => page::Assurance::LinkCode,
        Assurance::SignedIn => page::Assurance::SignedIn,
    }
}

/// Everything that the approver should look at twice: what would not be sent, which approvals do not count any more, and the rest.
async fn warnings(opened: &Opened<'_>, problems: &[SendProblem]) -> Result<Vec<Shown>, Refusal> {
    let lost = lost::lines(opened, opened.visit.context).await?;
    let unsendable = problems.iter().map(|problem| Shown::new(&problem.message, MAX_REMARK));
    Ok(unsendable.chain(lost).chain(look_closely(opened.request())).collect())
}

/// What to look closely at, in the system's words.
fn look_closely(request: &Request) -> Vec<Shown> {
    let old = (request.v < 2).then(|| {
        "This request was made by an earlier version. Approving it sends nothing: each step behind it asks again.".to_owned()
    });
    let later = request.later.iter().map(|step| {
        format!("`{step}` cannot be taken back and is not covered here: it will ask for a signature of its own.")
    });
    let unread = StepWarnings::told_once(&request.warnings);
    let unread = unread.into_iter().flat_map(|(of_step, said)| unread_lines(of_step, &said));
    let all = old.into_iter().chain(unread).chain(request.remarks.iter().cloned()).chain(later);
    all.map(|text| Shown::new(&text, MAX_REMARK)).collect()
}

/// Whether there are more warnings than are written out.
fn is_more(request: &Request) -> bool {
    request.warnings.iter().any(|of_step| of_step.count > of_step.first.len() as u64)
}

/// What a step could not read: how much, and each of what is written out and does not stand under an earlier step.
fn unread_lines(of_step: &StepWarnings, said: &WarningText<'_>) -> Vec<String> {
    let title = std::iter::once(format!("{}:", of_step.title()));
    let new = said.new.iter().copied().map(str::to_owned);
    let again = (said.again > 0).then(|| format!("… {} of them as above", said.again));
    let more = said.more;
    let more = (more > 0).then(|| format!("… and {more} more of them"));
    title.chain(new).chain(again).chain(more).collect()
}

/// The rows, laid out as the gate's author chose.
fn rows_of(request: &Request, layout: &Layout) -> Preview {
    let shown = &request.preview.shown;
    let limit = shown.as_array().map_or(1, Vec::len);
    let preview = Preview::head(shown, layout, limit, Some(request.preview.total));
    preview.with_doubtful(request.preview.doubtful)
}

/// The page that asks for a code.
pub(crate) async fn code_page(
    opened: &Opened<'_>,
    context: &Context,
    form: &Form,
    expires: Timestamp,
    problem: Option<&str>,
) -> Result<CodePage, Refusal> {
    Ok(CodePage {
        address: Shown::line(&address(opened, context).await?),
        verdict: form.verdict,
        answers: unknown::given(form),
        answer: unknown::in_words(&form.answers()).filter(|_| !form.choices.is_empty()),
        title: Shown::line(&opened.request().title),
        nonce: form.nonce.clone(),
        note: form.note.clone().unwrap_or_default(),
        expires,
        problem: problem.map(str::to_owned),
    })
}

/// Where a code goes, masked.
pub(crate) async fn address(opened: &Opened<'_>, context: &Context) -> Result<String, Refusal> {
    let person = context.look.entry(&opened.person).await?;
    Ok(person.map_or_else(|| "your address".to_owned(), |person| masked(&person.email)))
}

/// The receipt of a vote that was cast.
pub(crate) fn receipt(loaded: &Loaded, vote: &Vote) -> MessagePage {
    let request = &loaded.request;
    let open = match request.status {
        Status::Pending => {
            request.policy.quorum.saturating_sub(request.approvals(&loaded.votes)).max(1)
        }
        _ => 0,
    };
    let cast = Cast {
        receipt: vote.receipt.as_str(),
        digest: vote.digest.to_string(),
        verdict: vote.verdict,
        answers: &vote.answers,
        at: vote.at,
        open,
        lost: lost::beside(loaded, &vote.person),
    };
    cast.page(request)
}

/// A vote that was cast.
pub(crate) struct Cast<'c> {
    pub(crate) receipt: &'c str,
    pub(crate) digest: String,
    pub(crate) verdict: Verdict,
    pub(crate) answers: &'c [OutcomeAnswer],
    pub(crate) at: Timestamp,
    /// How many more are needed.
    pub(crate) open: u32,
    /// How many do not count any more.
    pub(crate) lost: u32,
}

impl Cast<'_> {
    /// Its receipt, or what was answered.
    pub(crate) fn page(&self, request: &Request) -> MessagePage {
        let Self { receipt, digest, at, open, .. } = self;
        let id = request.id.as_str();
        let page = if request.kind == Kind::Outcome {
            MessagePage::answered(unknown::in_words(self.answers), receipt, id, *at, digest, *open)
        } else {
            MessagePage::receipt(self.verdict, receipt, id, *at, digest, *open)
        };
        page.with_lost(if *open == 0 { 0 } else { self.lost })
    }
}

/// Who closed a request, how and when.
pub(crate) async fn story(
    loaded: &Loaded,
    closed: &Closed,
    context: &Context,
) -> Result<MessagePage, Refusal> {
    let mut signatures = Vec::new();
    for vote in loaded.cast() {
        signatures.push(Signature {
            by: Shown::line(&name(&vote.person, context).await?),
            verdict: vote.verdict,
            answer: unknown::in_words(&vote.answers),
            how: Shown::line(how(vote)),
            at: vote.at,
            not_counted: loaded.request.not_counted(vote).map(|why| Shown::line(&why.to_string())),
        });
    }
    signatures.sort_by_key(|signature| signature.at);
    let verdict = match closed.status {
        Status::Approved => page::RequestEnd::Approved,
        Status::Denied => page::RequestEnd::Denied,
        // A pending request has no story; were there one, nothing was approved by it.
        Status::TimedOut | Status::Pending => page::RequestEnd::TimedOut,
        Status::Expired => page::RequestEnd::Expired,
        Status::Superseded => page::RequestEnd::Revised,
        Status::Cancelled => page::RequestEnd::Cancelled,
    };
    Ok(closed_page(&loaded.request, verdict, closed.at, signatures))
}

fn closed_page(
    request: &Request,
    verdict: page::RequestEnd,
    at: Timestamp,
    signatures: Vec<Signature>,
) -> MessagePage {
    let page = match request.kind {
        Kind::Outcome => MessagePage::outcome_closed,
        _ => MessagePage::closed,
    };
    page(verdict, request.id.as_str(), Some(at), signatures)
}

/// The story of a request whose deadline has passed and that nobody has closed yet.
pub(crate) fn timed_out(request: &Request) -> MessagePage {
    closed_page(request, page::RequestEnd::TimedOut, request.timing.deadline, Vec::new())
}

fn how(vote: &Vote) -> &'static str {
    match (vote.door, vote.assurance) {
        (Door::Mail, Assurance::Link) => "by mailed link",
        (Door::Mail, Assurance::LinkCode | Assurance::SignedIn) => "by mailed link and code",
        (Door::Console, _) => "signed in, in the console",
        (Door::Rest, _) => "signed in, through the API",
        (Door::Webhook, _) => "by webhook",
    }
}

fn asked(request: &Request) -> Asked {
    Asked::named(request.kind.as_str()).unwrap_or(Asked::Step)
}

async fn anchor(context: &Context) -> Result<Option<Anchor>, Refusal> {
    let newest = context.look.newest_checkpoint().await?;
    Ok(newest.map(|checkpoint| Anchor {
        sequence: checkpoint.sequence,
        head: checkpoint.head.to_string(),
    }))
}

/// `a…@example.org`: enough for its owner, not for a stranger with a forwarded link.
fn masked(email: &str) -> String {
    match email.rsplit_once('@') {
        Some((local, domain)) => format!("{}…@{domain}", local.chars().take(1).collect::<String>()),
        None => "…".to_owned(),
    }
}
