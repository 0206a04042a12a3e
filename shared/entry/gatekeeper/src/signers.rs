//! Which of the named approvers can sign: asked when a run starts, and again when a gate opens.

use std::collections::BTreeSet;
use std::fmt;

use countersign_identity::{Capability, DirectoryEntry, Requirement, UserId, permits};
use countersign_store_directory::{Directory, DirectoryError};
use futures::future::BoxFuture;

/// Why somebody who is named as an approver cannot sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CannotSign {
    /// The directory has nobody of this name.
    Unknown,
    /// They were deactivated.
    Inactive,
    /// They do not hold `decide`.
    LacksDecide,
    /// They lack the role that signing takes.
    LacksRole(Requirement),
    /// They started the run, with an agent that is shared with them.
    AsksAsMember,
}

impl fmt::Display for CannotSign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("is not in the directory"),
            Self::Inactive => f.write_str("is not active"),
            Self::LacksDecide => f.write_str("does not hold the capability `decide`"),
            Self::LacksRole(needed) => {
                write!(f, "does not hold the role `{}`", needed.required_role)
            }
            Self::AsksAsMember => f.write_str("started the run, and the agent is not theirs"),
        }
    }
}

/// A name as a gate or an agent gives it, and who it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The id, username or address.
    pub name: String,
    /// The person, when they can sign.
    pub person: Result<UserId, CannotSign>,
}

impl Named {
    /// The same, unless they started the run with an agent that is shared with them: what somebody else's agent does for them
    /// is for others to sign.
    #[must_use]
    pub fn unless(self, member: Option<&UserId>) -> Self {
        let asks = member.is_some_and(|member| self.person.as_ref() == Ok(member));
        if asks { Self { person: Err(CannotSign::AsksAsMember), ..self } } else { self }
    }

    /// Those who can sign, in the order they were named.
    pub fn able<'a>(all: impl IntoIterator<Item = &'a Named>) -> Vec<UserId> {
        all.into_iter().filter_map(|named| named.person.clone().ok()).collect()
    }
}

/// The approvers that count: the gate's own, else the agent's, else the owner of the run.
#[must_use]
pub fn approvers_of(gate: &[String], agent: Vec<String>, owner: &UserId) -> Vec<String> {
    if !gate.is_empty() {
        return gate.to_vec();
    }
    if agent.is_empty() { vec![owner.to_string()] } else { agent }
}

/// Everybody a run is asked for by: whoever the policy may bar from signing it.
pub fn requesters<'a>(
    owner: &UserId,
    invoker: &UserId,
    editors: impl IntoIterator<Item = Option<&'a UserId>>,
) -> BTreeSet<UserId> {
    let editors = editors.into_iter().flatten().cloned();
    editors.chain([owner.clone(), invoker.clone()]).collect()
}

/// Looks the names up: who could sign now, and why the others could not. `member` is who started the run with an agent that is
/// shared with them.
///
/// # Errors
/// [`DirectoryError::Store`] when the directory does not answer.
pub fn signers<'a>(
    directory: &'a Directory,
    names: &'a [String],
    requirement: &'a Requirement,
    member: Option<&'a UserId>,
) -> BoxFuture<'a, Result<Vec<Named>, DirectoryError>> {
    Box::pin(async move {
        let mut all = Vec::with_capacity(names.len());
        for name in names {
            let entry = match directory.find(name).await? {
                Some(user) => directory.entry_of(&user.id).await?,
                None => None,
            };
            let person = able(entry.as_ref(), requirement);
            all.push(Named { name: name.clone(), person }.unless(member));
        }
        Ok(all)
    })
}

/// Whether somebody can sign what takes this, as the directory is now.
pub(crate) fn able(
    entry: Option<&DirectoryEntry>,
    requirement: &Requirement,
) -> Result<UserId, CannotSign> {
    let entry = entry.ok_or(CannotSign::Unknown)?;
    if !entry.active {
        return Err(CannotSign::Inactive);
    }
    if !entry.capabilities.contains(&Capability::Decide) {
        return Err(CannotSign::LacksDecide);
    }
    match permits(&entry.scopes, requirement, None) {
        Ok(()) => Ok(entry.user.clone()),
        Err(_) => Err(CannotSign::LacksRole(requirement.clone())),
    }
}

#[cfg(test)]
mod tests {
    use countersign_identity::{Accounts, Role, Scopes};

    use super::*;

    fn user(n: u8) -> UserId {
        UserId::from_bytes([n; 16])
    }

    fn entry(active: bool, decides: bool, scopes: &[&str]) -> DirectoryEntry {
        DirectoryEntry {
            user: user(1),
            name: "Bo".to_owned(),
            email: "bo@example.org".to_owned(),
            email_verified: true,
            active,
            accounts: Accounts::Any,
            scopes: Scopes::parse(scopes.iter().copied()),
            capabilities: decides.then_some(Capability::Decide).into_iter().collect(),
            not_before: None,
            revoked: BTreeSet::new(),
        }
    }

    fn check(entry: Option<&DirectoryEntry>, expect: &str) {
        let found = able(entry, &Requirement::role(Role::Reader));
        let said = found.err().map(|why| why.to_string()).unwrap_or_default();
        assert_eq!(said, expect);
    }

    #[test]
    fn k_35_a_member_does_not_sign_what_they_have_asked_somebody_elses_agent_for() {
        let named = || Named { name: "bo".to_owned(), person: Ok(user(1)) };
        assert_eq!(named().unless(Some(&user(1))).person, Err(CannotSign::AsksAsMember));
        assert_eq!(named().unless(Some(&user(2))), named());
        assert_eq!(named().unless(None), named());
    }

    #[test]
    fn everybody_who_cannot_sign_is_given_a_reason() {
        check(Some(&entry(true, true, &["global:reader"])), "");
        check(None, "is not in the directory");
        check(Some(&entry(false, true, &["global:reader"])), "is not active");
        check(
            Some(&entry(true, false, &["global:admin"])),
            "does not hold the capability `decide`",
        );
        check(Some(&entry(true, true, &[])), "does not hold the role `reader`");
    }

    #[test]
    fn the_gates_own_approvers_come_before_the_agents_and_the_owner() {
        let (gate, agent) = (vec!["ann".to_owned()], vec!["bob".to_owned()]);
        assert_eq!(approvers_of(&gate, agent.clone(), &user(1)), gate);
        assert_eq!(approvers_of(&[], agent.clone(), &user(1)), agent);
        assert_eq!(approvers_of(&[], Vec::new(), &user(1)), [user(1).to_string()]);
    }

    #[test]
    fn owner_invoker_and_editors_are_requesters() {
        let found = requesters(&user(1), &user(2), [None, Some(&user(3))]);
        assert_eq!(found, BTreeSet::from([user(1), user(2), user(3)]));
    }
}
