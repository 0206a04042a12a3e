//! `POST /a/{token}/strike`: the marks of a page strike requests out, through the gatekeeper.

use countersign_approval::{
    Assurance, Code, CodeCheck, CodeScope, DecideError, Digest, Door, Nonce, StoredCode, Strike,
    strike_slot,
};
use countersign_gatekeeper::{GateError, Notices, Striking, Who};
use countersign_letter::Shown;
use countersign_letter::page::StrikeCodePage;
use countersign_store_approvals::CodeIssue;
use jiff::Timestamp;

use crate::Context;
use crate::decide::seen;
use crate::http::{Incoming, Reply};
use crate::opened::{self, Opened};
use crate::refusal::Refusal;
use crate::strike_form::{StrikeForm, struck};
use crate::view;

/// Reads the form, checks the nonce, and strikes or asks for a code; then the page of the new version is shown.
pub(crate) async fn post(
    request: &Incoming,
    token: &str,
    context: &Context,
    now: Timestamp,
) -> Result<Reply, Refusal> {
    let opened = opened::open(token, context, now).await?;
    let form = StrikeForm::read(request.header("content-type"), &request.body)?;
    let nonce = seen(&form.nonce, &opened, context, now).await?;
    let striking = striking(&opened, &form, &nonce);
    let page = Asked { opened: &opened, form: &form, token, striking };
    match page.strike(Assurance::Link, context, now).await {
        Err(GateError::Decide(DecideError::AssuranceTooLow { needed: Assurance::LinkCode })) => {
            page.with_code(context, now).await
        }
        other => page.answer(other.map(drop), context).await,
    }
}

/// What is struck afterwards: computed from what the page showed.
fn striking(opened: &Opened, form: &StrikeForm, nonce: &Nonce) -> Striking {
    let strike = Strike {
        digest: Some(nonce.digest.to_string()),
        version: Some(nonce.version),
        step: form.step.clone(),
        indices: form.indices(opened.request()),
        door: Door::Mail,
        assurance: Assurance::Link,
    };
    let who = Who::LinkOf(opened.person.clone());
    Striking { approval: opened.request().id.clone(), who, strike }
}

/// One form on its way.
struct Asked<'a> {
    opened: &'a Opened,
    form: &'a StrikeForm,
    token: &'a str,
    striking: Striking,
}

impl Asked<'_> {
    /// What its code is bound to, beside a slot of its own: such a code decides nothing, and strikes out nothing else.
    fn scope(&self) -> CodeScope {
        CodeScope::of_strike(&self.striking.strike.step, &self.striking.strike.indices)
    }

    async fn strike(
        &self,
        assurance: Assurance,
        context: &Context,
        now: Timestamp,
    ) -> Result<(), GateError> {
        let mut striking = self.striking.clone();
        striking.strike.assurance = assurance;
        context.act.strike(&striking, now).await.map(drop)
    }

    /// Asks for a code, or checks the one that was typed and strikes.
    async fn with_code(&self, context: &Context, now: Timestamp) -> Result<Reply, Refusal> {
        let Some(typed) = &self.form.code else { return self.ask_for_code(context, now).await };
        let (request, slot) = (self.opened.request(), strike_slot(self.opened.slot));
        let scope = self.scope();
        let stored = context.act.try_code(&request.id, request.version, slot, &scope).await?;
        let stored = stored.ok_or(Refusal::CodeSpent)?;
        match stored.check(typed, request.version, &scope, now) {
            CodeCheck::Right => {}
            CodeCheck::Wrong => {
                let problem = Some("That code is not right.");
                let page = self.code_page(context, stored.expires_at, problem).await?;
                return Ok(Reply::new(403, page.html()?));
            }
            CodeCheck::Spent => return Err(Refusal::CodeSpent),
        }
        // The code is of this version, and the next one has codes of its own: it needs no spending.
        let struck = self.strike(Assurance::LinkCode, context, now).await;
        self.answer(struck, context).await
    }

    async fn ask_for_code(&self, context: &Context, now: Timestamp) -> Result<Reply, Refusal> {
        let request = self.opened.request();
        let (code, stored) = self.new_code(context, now);
        let expires = match context.act.put_code(&request.id, &stored, now).await? {
            CodeIssue::Kept => {
                let person = &self.opened.person;
                context.act.send_code(request, person, &code, &stored).await?;
                stored.expires_at
            }
            CodeIssue::Known(known) => known.expires_at,
            CodeIssue::NotBefore(_) => return Err(Refusal::TooManyCodes),
        };
        let page = self.code_page(context, expires, None).await?;
        Ok(Reply::new(200, page.html()?))
    }

    fn new_code(&self, context: &Context, now: Timestamp) -> (Code, StoredCode) {
        let random = (context.random)();
        let (mut digits, mut salt) = ([0; 8], [0; 32]);
        digits.copy_from_slice(&random[..8]);
        salt.copy_from_slice(&random[8..]);
        let code = Code::from_random(digits);
        let (slot, version) = (strike_slot(self.opened.slot), self.opened.request().version);
        let stored = code.stored(Digest::from_bytes(salt), slot, version, self.scope(), now);
        (code, stored)
    }

    async fn code_page(
        &self,
        context: &Context,
        expires: Timestamp,
        problem: Option<&str>,
    ) -> Result<StrikeCodePage, Refusal> {
        let request = self.opened.request();
        let (form, before) = (self.form, struck(request, &self.form.step));
        let shown = before.iter().filter(|n| (form.first..=form.last).contains(n));
        Ok(StrikeCodePage {
            address: Shown::line(&view::address(self.opened, context).await?),
            title: Shown::line(&request.title),
            action: format!("{}/strike", Notices::page_url(&context.public_url, self.token)),
            nonce: form.nonce.clone(),
            step: form.step.clone(),
            first: form.first.into(),
            last: form.last.into(),
            rows: form.rows.iter().copied().map(u64::from).collect(),
            struck: form.rows.difference(&before).count(),
            restored: shown.filter(|n| !form.rows.contains(n)).count(),
            expires,
            problem: problem.map(str::to_owned),
        })
    }

    /// The page of the new version, or why there is none.
    async fn answer(
        &self,
        struck: Result<(), GateError>,
        context: &Context,
    ) -> Result<Reply, Refusal> {
        match struck {
            Ok(()) => Ok(Reply::see(Notices::page_url(&context.public_url, self.token))),
            Err(GateError::Decide(DecideError::Closed(closed))) => {
                let loaded = context.look.load(&self.opened.request().id).await?;
                let loaded = loaded.ok_or(Refusal::NotFound)?;
                Ok(Reply::new(409, view::story(&loaded, &closed, context).await?.html()?))
            }
            Err(GateError::Decide(DecideError::DeadlinePassed { .. })) => {
                Ok(Reply::new(409, view::timed_out(self.opened.request()).html()?))
            }
            Err(other) => Err(other.into()),
        }
    }
}
