//! `POST /a/{token}/strike`: the marks of a page strike requests out, through the gatekeeper.

use countersign_approval::{Assurance, CodeScope, DecideError, Door, Nonce, Strike, strike_slot};
use countersign_gatekeeper::{GateError, Striking, Who};
use countersign_letter::Shown;
use countersign_letter::page::StrikeCodePage;
use jiff::Timestamp;

use crate::Context;
use crate::codes::CodeUse;
use crate::decide::{over, seen};
use crate::http::{Incoming, Reply};
use crate::opened::{Opened, Visit};
use crate::refusal::Refusal;
use crate::strike_form::{StrikeForm, struck};
use crate::view;

/// Reads the form, checks the nonce, and strikes or asks for a code; then the page of the new version is shown.
pub(crate) async fn post(request: &Incoming, opened: &Opened<'_>) -> Result<Reply, Refusal> {
    let form = StrikeForm::read(request.header("content-type"), &request.body)?;
    let nonce = seen(&form.nonce, opened).await?;
    let striking = striking(opened, &form, &nonce);
    let page = Asked { opened, form: &form, striking };
    let Visit { context, now, .. } = opened.visit;
    match page.strike(Assurance::Link, context, now).await {
        Err(GateError::Decide(DecideError::AssuranceTooLow { needed: Assurance::LinkCode })) => {
            page.with_code(context, now).await
        }
        other => page.answer(other.map(drop), context).await,
    }
}

/// What is struck afterwards: computed from what the page showed.
fn striking(opened: &Opened<'_>, form: &StrikeForm, nonce: &Nonce) -> Striking {
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
    opened: &'a Opened<'a>,
    form: &'a StrikeForm,
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
        let (opened, slot) = (self.opened, strike_slot(self.opened.slot));
        let code = CodeUse { opened, slot, scope: self.scope() };
        if let Some(asked) = code.asks(self.form.code.as_deref(), context, now).await? {
            let page = self.code_page(context, asked.expires, asked.problem).await?;
            return Ok(Reply::new(asked.status, page.html()?));
        }
        // The code is of this version, and the next one has codes of its own: it needs no spending.
        let struck = self.strike(Assurance::LinkCode, context, now).await;
        self.answer(struck, context).await
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
            action: format!("{}/strike", self.opened.visit.page_url()),
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
            Ok(()) => Ok(Reply::see(self.opened.visit.page_url())),
            Err(error) => over(error, self.opened, context).await,
        }
    }
}
