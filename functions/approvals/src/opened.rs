//! A link that is followed: what it leads to, and who holds it.

use countersign_approval::{
    DecideError, Nonce, Request, SignedLink, TokenError, Vote, check_person,
};
use countersign_gatekeeper::Notices;
use countersign_identity::{Caller, DirectoryEntry, Requirement, Role, UserId, permits};
use countersign_store_approvals::Loaded;
use jiff::Timestamp;

use crate::Context;
use crate::refusal::Refusal;

/// A genuine, current link and what it leads to.
pub(crate) struct Opened<'v> {
    pub(crate) visit: Visit<'v>,
    pub(crate) link: SignedLink,
    pub(crate) slot: u16,
    pub(crate) person: UserId,
    /// Why they may not decide now, as a sentence; none when they may.
    pub(crate) barred: Option<String>,
    pub(crate) loaded: Loaded,
}

impl Opened<'_> {
    pub(crate) fn request(&self) -> &Request {
        &self.loaded.request
    }

    /// The vote of the link's own person on the present version, if it counts.
    pub(crate) fn own_vote(&self) -> Option<&Vote> {
        self.loaded.counted().find(|vote| vote.person == self.person)
    }
}

/// Somebody who follows a link: its token, and when.
#[derive(Clone, Copy)]
pub(crate) struct Visit<'v> {
    pub(crate) token: &'v str,
    pub(crate) context: &'v Context,
    pub(crate) now: Timestamp,
}

impl<'v> Visit<'v> {
    /// Follows the token to its request: genuine, not expired, not replaced by a newer link, of a person who is asked and may
    /// read now. Whoever was deactivated or has no role left finds the page of a link that opens nothing.
    pub(crate) async fn open(self) -> Result<Opened<'v>, Refusal> {
        let Self { token, context, now } = self;
        let link = SignedLink::parse(token).map_err(|TokenError| Refusal::NotFound)?;
        let said = link.verify(&context.tenant, context.key.as_ref(), now).await?.clone();
        context.look.check_link(&said.approval, said.slot, &link).await?;
        let loaded = context.look.load(&said.approval).await?.ok_or(Refusal::NotFound)?;
        let person = loaded.request.policy.approver(said.slot).cloned().ok_or(Refusal::NotFound)?;
        let entry = context.look.entry(&person).await?;
        let entry = entry.filter(may_read).ok_or(Refusal::NotFound)?;
        let barred = barred(&loaded.request, entry);
        Ok(Opened { visit: self, link, slot: said.slot, person, barred, loaded })
    }

    /// The address of the link's first page.
    pub(crate) fn page_url(self) -> String {
        Notices::page_url(&self.context.public_url, self.token)
    }
}

/// Why somebody may not decide, as the directory is now.
fn barred(request: &Request, entry: DirectoryEntry) -> Option<String> {
    let DirectoryEntry { user, scopes, capabilities, .. } = entry;
    let caller = Caller { user, scopes, capabilities, token_id: "link".to_owned() };
    Some(match check_person(request, &caller).err()? {
        DecideError::CapabilityMissing => {
            "You may not decide approvals any more: an administrator gives the capability `decide`."
                .to_owned()
        }
        DecideError::RequesterBarred => {
            "You started or own what this request is about, so you may not decide it.".to_owned()
        }
        other => format!("This is not yours to decide now: {other}."),
    })
}

/// What the REST API asks of a reader too.
fn may_read(entry: &DirectoryEntry) -> bool {
    entry.active && permits(&entry.scopes, &Requirement::role(Role::Reader), None).is_ok()
}

/// A nonce for a page that shows the request as it is.
pub(crate) async fn nonce(
    opened: &Opened<'_>,
    context: &Context,
    now: Timestamp,
) -> Result<String, Refusal> {
    let request = opened.request();
    let nonce = Nonce::for_page(opened.link.id(), request.digest, request.version, now);
    Ok(nonce.sign(&context.tenant, context.key.as_ref()).await?.token())
}

/// What somebody is called.
pub(crate) async fn name(person: &UserId, context: &Context) -> Result<String, Refusal> {
    let entry = context.look.entry(person).await?;
    Ok(entry.map_or_else(|| "Somebody who has left".to_owned(), |entry| entry.name))
}
