//! One-time codes: mailed when what a form asks for needs one, and checked when it comes back.

use countersign_approval::{Code, CodeCheck, CodeScope, Digest, StoredCode};
use countersign_store_approvals::CodeIssue;
use jiff::Timestamp;

use crate::Context;
use crate::opened::Opened;
use crate::refusal::Refusal;

/// What a code opens.
pub(crate) struct CodeUse<'o> {
    pub(crate) opened: &'o Opened<'o>,
    /// Where it is kept.
    pub(crate) slot: u16,
    /// What it is bound to.
    pub(crate) scope: CodeScope,
}

/// The page on which a code is typed.
pub(crate) struct CodeAsked {
    pub(crate) status: u16,
    /// When the code expires.
    pub(crate) expires: Timestamp,
    /// What was wrong with the one that was typed.
    pub(crate) problem: Option<&'static str>,
}

impl CodeUse<'_> {
    /// Checks the code that was typed, or mails one. None when the right one was typed.
    ///
    /// # Errors
    /// [`Refusal`] when the code is spent, or too many were asked for.
    pub(crate) async fn asks(
        &self,
        typed: Option<&str>,
        context: &Context,
        now: Timestamp,
    ) -> Result<Option<CodeAsked>, Refusal> {
        let Some(typed) = typed else {
            let expires = self.mailed(context, now).await?;
            return Ok(Some(CodeAsked { status: 200, expires, problem: None }));
        };
        let (request, scope) = (self.opened.request(), &self.scope);
        let stored = context.act.try_code(&request.id, request.version, self.slot, scope).await?;
        let stored = stored.ok_or(Refusal::CodeSpent)?;
        match stored.check(typed, request.version, scope, now) {
            CodeCheck::Right => Ok(None),
            CodeCheck::Wrong => {
                let problem = Some("That code is not right.");
                Ok(Some(CodeAsked { status: 403, expires: stored.expires_at, problem }))
            }
            CodeCheck::Spent => Err(Refusal::CodeSpent),
        }
    }

    /// Mails a code, unless one is good; when it expires.
    async fn mailed(&self, context: &Context, now: Timestamp) -> Result<Timestamp, Refusal> {
        let request = self.opened.request();
        let (code, stored) = self.new_code(context, now);
        match context.act.put_code(&request.id, &stored, now).await? {
            CodeIssue::Kept => {
                let person = &self.opened.person;
                context.act.send_code(request, person, &code, &stored).await?;
                Ok(stored.expires_at)
            }
            // Whoever else holds the link may have asked for it: it was mailed to the approver all the same.
            CodeIssue::Known(known) => Ok(known.expires_at),
            CodeIssue::NotBefore(_) => Err(Refusal::TooManyCodes),
        }
    }

    fn new_code(&self, context: &Context, now: Timestamp) -> (Code, StoredCode) {
        let random = (context.random)();
        let (mut digits, mut salt) = ([0; 8], [0; 32]);
        digits.copy_from_slice(&random[..8]);
        salt.copy_from_slice(&random[8..]);
        let code = Code::from_random(digits);
        let (version, scope) = (self.opened.request().version, self.scope.clone());
        let stored = code.stored(Digest::from_bytes(salt), self.slot, version, scope, now);
        (code, stored)
    }
}
