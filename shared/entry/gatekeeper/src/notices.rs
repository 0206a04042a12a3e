//! Who is told what about an approval: the ports of the protocol, over mail, queue and bus.

use std::sync::Arc;

use countersign_approval::ports::{Notifier, Occasion, PortError, PortResult, TooFew};
use countersign_approval::{CallChoice, Code, Mac, Position, Request, StoredCode, words};
use countersign_failure::Failure;
use countersign_identity::{DirectoryEntry, Rights, UserId};
use countersign_letter::mail::{
    Anchor, ApprovalMail, Asked, CodeMail, DeadlineNotice, MailLink, OnBehalf, Rendered,
    StrikeNotice, TooFewMail, Why,
};
use countersign_letter::{Label, LetterError};
use countersign_outbox::{DomainEvent, EventBus, Mail, MailId, MailQueue, OutboxError};
use countersign_store_approvals::Approvals;
use jiff::Timestamp;

use crate::recount::recount;

/// What notices are made with.
#[derive(Clone)]
pub struct Notices {
    /// The links that were issued, and the newest checkpoint.
    pub approvals: Approvals,
    /// Names and verified addresses.
    pub rights: Arc<dyn Rights>,
    /// The key of the links.
    pub key: Arc<dyn Mac>,
    /// Outgoing mail.
    pub mails: MailQueue,
    /// The bus of domain events.
    pub bus: EventBus,
    /// The base of every link, without a slash at the end.
    pub public_url: String,
}

impl Notifier for Notices {
    fn ask<'a>(
        &'a self,
        request: &'a Request,
        people: &'a [UserId],
        occasion: Occasion,
    ) -> PortResult<'a, ()> {
        Box::pin(async move {
            self.mail_all(request, people, occasion).await?;
            match occasion {
                Occasion::Opened => {
                    self.publish("approval.opened", request, people, request.opened_at).await?;
                }
                // Those who are asked later hear of it then; they have a mail.
                Occasion::Escalated => {
                    let said = self.publish("approval.opened", request, people, request.opened_at);
                    if let Err(error) = said.await {
                        tracing::warn!(approval = %request.id, %error, "listeners have missed an escalation");
                    }
                }
                _ => {}
            }
            Ok(())
        })
    }

    fn too_few<'a>(&'a self, request: &'a Request, too_few: TooFew) -> PortResult<'a, ()> {
        Box::pin(async move {
            let operation = "telling the owner of the run";
            let Some(owner) = self.reachable(&request.owner).await? else { return Ok(()) };
            let version = request.version.to_string();
            let id =
                MailId::of(&["too-few", request.id.as_str(), &version, request.owner.as_str()]);
            let letter = TooFewMail {
                asked: asked(request),
                approval: Label::new(request.id.as_str()),
                run: Label::new(request.position.run.as_str()),
                about: about(request),
                deadline: request.timing.deadline,
                now: Timestamp::now(),
                able: too_few.able,
                needed: too_few.needed,
            };
            let rendered = letter.render().map_err(|error| PortError::of(operation, &error))?;
            self.post(operation, id, &owner, rendered).await
        })
    }

    fn closed<'a>(&'a self, request: &'a Request) -> PortResult<'a, ()> {
        Box::pin(async move {
            let at = request.closed.as_ref().map_or(request.opened_at, |closed| closed.at);
            self.publish("approval.decided", request, &request.policy.approvers, at).await
        })
    }
}

impl Notices {
    /// The address of a link's page.
    #[must_use]
    pub fn page_url(public_url: &str, token: &str) -> String {
        format!("{}/a/{token}", public_url.trim_end_matches('/'))
    }

    /// Mails a one-time code to the approver who asked for it, and to nobody else. `stored` is what was kept of it.
    ///
    /// # Errors
    /// [`PortError`] when the person has no usable address, or the queue does not take the mail.
    pub async fn send_code(
        &self,
        request: &Request,
        person: &UserId,
        code: &Code,
        stored: &StoredCode,
    ) -> Result<(), PortError> {
        let operation = "mailing a one-time code";
        let Some(entry) = self.reachable(person).await? else {
            return Err(PortError::of(
                operation,
                &OutboxError::InvalidMail("the approver has no verified address"),
            ));
        };
        let letter = CodeMail {
            code: code.to_string(),
            approval: Label::new(request.id.as_str()),
            verdict: stored.scope.verdict,
            answer: answer(&stored.scope.choices),
            striking: stored.is_for_strike(),
            about: about(request),
            expires: stored.expires_at,
        };
        // The salt makes every code a mail of its own.
        let id =
            MailId::of(&["code", request.id.as_str(), person.as_str(), &stored.salt.to_string()]);
        let rendered = letter.render().map_err(|error| PortError::of(operation, &error))?;
        self.post(operation, id, &entry, rendered).await
    }

    async fn mail_all(
        &self,
        request: &Request,
        people: &[UserId],
        occasion: Occasion,
    ) -> Result<(), PortError> {
        if people.is_empty() {
            return Ok(());
        }
        let invoker = self.name_of(&request.invoker).await?;
        let given = self.given(request).await?;
        let anchor = self.anchor().await?;
        let why = self.why(request, occasion).await?;
        for person in people {
            let Some(slot) = request.policy.slot_of(person) else { continue };
            // Somebody without a usable address still finds the request in the console.
            let Some(entry) = self.reachable(person).await? else { continue };
            let link = self.link(request, slot).await?;
            let letter = letter(request, link, &invoker, given, anchor.clone(), why.clone());
            let rendered =
                letter.render().map_err(|error| PortError::of("writing a mail", &error))?;
            self.post(
                "mailing the approvers",
                mail_id(request, person, occasion),
                &entry,
                rendered,
            )
            .await?;
        }
        Ok(())
    }

    /// What to say of why people are asked.
    async fn why(&self, request: &Request, occasion: Occasion) -> Result<Why, PortError> {
        let said = match occasion {
            Occasion::Reminder(_) => Some(Why::Reminder),
            Occasion::Changed => self.strike_notice(request).await?.map(Why::Struck),
            Occasion::Extended(deadline) => {
                self.deadline_notice(request, deadline).await?.map(Why::Extended)
            }
            Occasion::Opened => self.asked_for_changes(request).await?.map(Why::Revised),
            Occasion::Escalated => None,
        };
        Ok(said.unwrap_or(Why::New))
    }

    /// What to say of the strike that made this version.
    async fn strike_notice(&self, request: &Request) -> Result<Option<StrikeNotice>, PortError> {
        let Some(strike) = request.last_strike() else { return Ok(None) };
        let covered = request.covers.iter().find(|covered| covered.step == strike.step);
        let Some(covered) = covered else { return Ok(None) };
        Ok(Some(StrikeNotice {
            by: self.name_of(&strike.by).await?,
            struck: strike.struck.len() as u64,
            restored: strike.restored.len() as u64,
            left: covered.left(),
            count: covered.count,
        }))
    }

    /// Who moved the deadline there.
    async fn deadline_notice(
        &self,
        request: &Request,
        deadline: Timestamp,
    ) -> Result<Option<DeadlineNotice>, PortError> {
        let moved = request.extensions.iter().rfind(|extension| extension.to == deadline);
        let Some(moved) = moved else { return Ok(None) };
        let by = self.name_of(&moved.by).await?;
        Ok(Some(DeadlineNotice { by, from: moved.from, to: moved.to }))
    }

    /// Who asked for changes of what the request before this one was about.
    async fn asked_for_changes(&self, request: &Request) -> Result<Option<Label>, PortError> {
        let Some(round) = request.position.round.checked_sub(1) else { return Ok(None) };
        let before = Position { round, ..request.position.clone() }.approval_id(&request.tenant);
        let before = self.approvals.request(&before).await;
        let before = before.map_err(|error| PortError::of("reading the request before", &error))?;
        let closed = before.filter(Request::is_revised).and_then(|before| before.closed);
        match closed.as_ref().and_then(|closed| closed.by.person()) {
            Some(person) => self.name_of(person).await.map(Some),
            None => Ok(None),
        }
    }

    /// Approvals that count now and say the same: answers that differ do not add up.
    async fn given(&self, request: &Request) -> Result<u32, PortError> {
        let loaded = self.approvals.load(&request.id).await;
        let loaded = loaded.map_err(|error| PortError::of("reading the votes", &error))?;
        let Some(loaded) = loaded else { return Ok(0) };
        let loaded = recount(self.rights.as_ref(), loaded).await?;
        Ok(loaded.request.approvals(&loaded.votes))
    }

    async fn anchor(&self) -> Result<Option<Anchor>, PortError> {
        let newest = self.approvals.newest_checkpoint().await;
        let newest =
            newest.map_err(|error| PortError::of("reading the newest checkpoint", &error))?;
        Ok(newest.map(|checkpoint| Anchor {
            sequence: checkpoint.sequence,
            head: checkpoint.head.to_string(),
        }))
    }

    async fn link(&self, request: &Request, slot: u16) -> Result<MailLink, PortError> {
        let signed = self.approvals.issue_link(request, slot, self.key.as_ref(), false).await;
        let signed = signed.map_err(|error| PortError::of("issuing a link", &error))?;
        let url = Self::page_url(&self.public_url, &signed.token());
        MailLink::parse(&url).map_err(|error: LetterError| PortError::of("issuing a link", &error))
    }

    /// The person, when mail may be sent to them: active, with a verified address.
    async fn reachable(&self, person: &UserId) -> Result<Option<DirectoryEntry>, PortError> {
        let entry = self.entry(person).await?;
        let reachable = entry.filter(|entry| entry.active && entry.email_verified);
        if reachable.is_none() {
            tracing::warn!(%person, "somebody cannot be reached by mail");
        }
        Ok(reachable)
    }

    async fn name_of(&self, person: &UserId) -> Result<Label, PortError> {
        Ok(self
            .entry(person)
            .await?
            .map_or_else(|| Label::new("somebody"), |entry| Label::new(&entry.name)))
    }

    async fn entry(&self, person: &UserId) -> Result<Option<DirectoryEntry>, PortError> {
        let found = self.rights.entry(person).await;
        found.map_err(|error| PortError::of("looking up a person", error.as_ref()))
    }

    async fn post(
        &self,
        operation: &'static str,
        id: MailId,
        to: &DirectoryEntry,
        rendered: Rendered,
    ) -> Result<(), PortError> {
        let Rendered { subject, text, html } = rendered;
        let mail = Mail::new(id, vec![to.email.clone()], subject, text, Some(html));
        let mail = mail.and_then(|mail| mail.with_header("Auto-Submitted", "auto-generated"));
        let carried = |error: &dyn Failure| PortError::of(operation, error);
        self.mails
            .send(&mail.map_err(|error| carried(&error))?)
            .await
            .map_err(|error| carried(&error))
    }

    async fn publish(
        &self,
        kind: &'static str,
        request: &Request,
        people: &[UserId],
        at: Timestamp,
    ) -> Result<(), PortError> {
        let event = DomainEvent::new(kind, at)
            .about("tenant", request.tenant.as_str())
            .about("approval", request.id.as_str())
            .about("run", request.position.run.as_str())
            .about("approval_kind", request.kind.as_str())
            .about("owner", request.owner.as_str())
            .about("people", people.iter().map(UserId::as_str).collect::<Vec<_>>())
            .about("status", request.status.as_str());
        let sent = self.bus.publish(&[event]).await;
        sent.map_err(|error| PortError::of("publishing an event", &error))
    }
}

/// The answers a code is for, in words.
fn answer(choices: &[CallChoice]) -> Option<Label> {
    (!choices.is_empty()).then(|| Label::new(&words(choices)))
}

/// One mail per person, request, version and occasion.
fn mail_id(request: &Request, person: &UserId, occasion: Occasion) -> MailId {
    let version = request.version.to_string();
    MailId::of(&["ask", request.id.as_str(), &version, person.as_str(), &occasion.name()])
}

fn letter(
    request: &Request,
    link: MailLink,
    invoker: &Label,
    given: u32,
    anchor: Option<Anchor>,
    why: Why,
) -> ApprovalMail {
    let by = request.asked_by.as_ref();
    ApprovalMail {
        asked: asked(request),
        approval: Label::new(request.id.as_str()),
        run: Some(Label::new(request.position.run.as_str())),
        asker: by.map_or_else(
            || invoker.clone(),
            |by| Label::new(&format!("{} {}", by.what(), by.name)),
        ),
        on_behalf: by.map(|by| OnBehalf {
            owner: invoker.clone(),
            with: by.detail().as_deref().map(Label::new),
        }),
        about: about(request),
        link,
        deadline: request.timing.deadline,
        now: Timestamp::now(),
        given,
        needed: request.policy.quorum,
        anchor,
        why,
        unread: request.warnings.iter().map(|of_step| of_step.count).sum(),
    }
}

fn asked(request: &Request) -> Asked {
    Asked::named(request.kind.as_str()).unwrap_or(Asked::Step)
}

/// The part of the title an owner chose: the playbook's or profile's name before the colon. What follows names a step,
/// and a step may have been named by a model.
fn about(request: &Request) -> Label {
    Label::new(request.title.split(':').next().unwrap_or_default())
}

impl std::fmt::Debug for Notices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Notices {{ public_url: {:?}, .. }}", self.public_url)
    }
}
