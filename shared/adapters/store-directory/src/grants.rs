//! Grants, revocations, and what they add up to.

use std::collections::{BTreeSet, HashMap};

use countersign_failure::Failure;
use countersign_identity::{Capability, DirectoryEntry, Presented, Rights, Scope, Scopes, UserId};
use countersign_store_kit::{Expr, Item, Key, Lookup, Query, StoreError, Write, decode};
use countersign_team::TeamId;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::Serialize;

use crate::asked::Encoded;
use crate::sign_in::FirstRights;
use crate::user::User;
use crate::{Answer, Directory, DirectoryError, Result, Setting, keys};

/// Of more scopes than these, [`Directory::entry_of`] reads fewer units of the table.
const MAX_LOOKED_UP: usize = 6;

/// Who gave it, and when: for the audit trail.
#[derive(Serialize)]
struct Grant<'a> {
    granted_by: &'a UserId,
    granted_at: Timestamp,
}

#[derive(Serialize)]
struct Revocation {
    revoked_at: Timestamp,
}

impl Directory {
    /// Grants a scope. Granting it again changes nothing that counts.
    ///
    /// # Errors
    /// [`DirectoryError::NoSuchUser`] when there is no such person.
    pub fn grant<'a>(
        &'a self,
        user: &'a UserId,
        scope: &Scope,
        by: &UserId,
        now: Timestamp,
    ) -> Answer<'a, ()> {
        let put = Write::put(&keys::scope(user, scope), &Grant { granted_by: by, granted_at: now });
        Box::pin(self.granted(user, put, "grant the scope"))
    }

    /// Takes a scope back; the next step and the next click already go without it.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn revoke(&self, user: &UserId, scope: &Scope) -> Answer<'_, ()> {
        self.remove(keys::scope(user, scope), "take the scope back")
    }

    /// Gives a capability.
    ///
    /// # Errors
    /// [`DirectoryError::NoSuchUser`] when there is no such person.
    pub fn give<'a>(
        &'a self,
        user: &'a UserId,
        capability: Capability,
        by: &UserId,
        now: Timestamp,
    ) -> Answer<'a, ()> {
        let grant = Grant { granted_by: by, granted_at: now };
        let put = Write::put(&keys::capability(user, capability), &grant);
        Box::pin(self.granted(user, put, "give the capability"))
    }

    /// Takes a capability back.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn take(&self, user: &UserId, capability: Capability) -> Answer<'_, ()> {
        self.remove(keys::capability(user, capability), "take the capability back")
    }

    /// Puts what belongs to a person, who must be there.
    async fn granted(&self, user: &UserId, put: Encoded<Write>, doing: &'static str) -> Result<()> {
        let known = Write::check(&keys::profile(user), Expr::exists());
        let is_known = self.try_transact(put.map(|put| vec![known, put]), doing).await?;
        is_known.then_some(()).ok_or(DirectoryError::NoSuchUser)
    }

    /// Makes one token, or the tokens of one session, void for good: schedules, monitors and runs keep what they were saved or
    /// started with for longer than it is valid.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn revoke_token<'a>(
        &'a self,
        user: &'a UserId,
        token_id: &str,
        now: Timestamp,
    ) -> Answer<'a, ()> {
        let put = Write::put(&keys::revoked(user, token_id), &Revocation { revoked_at: now });
        Box::pin(self.granted(user, put, "revoke the token"))
    }

    /// Makes every token void that was issued before now.
    ///
    /// # Errors
    /// [`DirectoryError::NoSuchUser`] when there is no such person.
    pub fn revoke_all_tokens(&self, user: &UserId, now: Timestamp) -> Answer<'_, ()> {
        // Issue times are whole seconds: a token of this very second is void as well.
        let bound = now.as_second() + 1;
        let write = Write::update(&keys::profile(user)).set("not_before", &bound);
        let write = write.and_then(|write| write.set("updated_at", &now));
        self.written(write, "revoke the tokens")
    }

    /// What a batch reads to learn which of these scopes a person has now, and whether this token still counts: see
    /// [`found`](Self::found). Nothing for so many scopes that reading all a person has is cheaper.
    #[must_use]
    pub fn lookups(
        &self,
        user: &UserId,
        scopes: &Scopes,
        token: Option<&Presented>,
    ) -> Vec<Lookup> {
        if scopes.iter().count() > MAX_LOOKED_UP {
            return Vec::new();
        }
        wanted(user, scopes, token).map(|key| self.table.lookup(key)).collect()
    }

    /// What such a batch found: an entry that has no more rights than [`entry_of`](Self::entry_of) gives, so what it allows is
    /// allowed, and what it does not allow may be. None when the person was not read.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when an item has another shape.
    pub fn found(&self, read: &HashMap<Lookup, Item>) -> Result<Option<DirectoryEntry>> {
        let settings = Setting::ALL.map(|setting| self.setting_lookup(setting));
        let is_right = |of: &Lookup| of.is_of(&self.table) && !settings.contains(of);
        let ours = read.iter().filter(|(of, _)| is_right(of));
        let items = ours.map(|(_, item)| item.clone()).collect();
        add_up(self.table.name(), items).map_err(DirectoryError::doing("read the grants"))
    }

    /// What the directory says of a person now: one consistent read of their partition.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn entry_of<'a>(&'a self, user: &'a UserId) -> Answer<'a, Option<DirectoryEntry>> {
        Box::pin(async move {
            let doing = DirectoryError::doing("read the grants");
            let mut query = Query::partition(&keys::partition(user)).consistent();
            let mut items = Vec::new();
            loop {
                let page = self.table.query(query.clone()).await.map_err(&doing)?;
                items.extend(page.items);
                match page.next {
                    Some(next) => query = query.after(Some(&next)),
                    None => return add_up(self.table.name(), items).map_err(doing),
                }
            }
        })
    }
}

impl Rights for Directory {
    fn entry<'a>(
        &'a self,
        user: &'a UserId,
    ) -> BoxFuture<'a, std::result::Result<Option<DirectoryEntry>, Box<dyn Failure>>> {
        Box::pin(async move {
            self.entry_of(user).await.map_err(|error| Box::new(error) as Box<dyn Failure>)
        })
    }

    fn is_member<'a>(
        &'a self,
        user: &'a UserId,
        team: &'a str,
    ) -> BoxFuture<'a, std::result::Result<bool, Box<dyn Failure>>> {
        Box::pin(async move {
            let Ok(team) = TeamId::parse(team) else { return Ok(false) };
            let found = self.team_of(user, &team).await;
            found.map(|team| team.is_some()).map_err(|error| Box::new(error) as Box<dyn Failure>)
        })
    }
}

/// The rights of a first administrator, as their own gift because nobody else was there, and the mark that they had them.
pub(crate) fn first(user: &User, rights: &FirstRights, now: Timestamp) -> Encoded<Vec<Write>> {
    let grant = Grant { granted_by: &user.id, granted_at: now };
    let mark = Write::put(&keys::appointed(&user.email), &grant)?.if_absent();
    let scopes = rights.scopes.iter().map(|scope| keys::scope(&user.id, scope));
    let capabilities = rights.capabilities.iter().map(|cap| keys::capability(&user.id, *cap));
    let granted = scopes.chain(capabilities).map(|key| Write::put(&key, &grant));
    let active = Expr::new("#active = :active").bind("active", &true)?;
    let person = Write::check(&keys::profile(&user.id), active);
    [Ok(mark), Ok(person)].into_iter().chain(granted).collect()
}

/// The keys of the person, of these scopes, and of what would void this token.
fn wanted<'a>(
    user: &'a UserId,
    scopes: &'a Scopes,
    token: Option<&'a Presented>,
) -> impl Iterator<Item = Key> + 'a {
    let granted = scopes.iter().map(|scope| keys::scope(user, scope));
    // A batch names no key twice.
    let ids: BTreeSet<&String> = token
        .into_iter()
        .flat_map(|token| [Some(&token.token_id), token.session.as_ref()])
        .flatten()
        .collect();
    let void = ids.into_iter().map(|id| keys::revoked(user, id));
    [keys::profile(user)].into_iter().chain(granted).chain(void)
}

/// Folds the items of a partition. Grants without a person, or anything unreadable, grant nothing.
fn add_up(
    table: &str,
    items: Vec<Item>,
) -> std::result::Result<Option<DirectoryEntry>, StoreError> {
    let mut person: Option<User> = None;
    let mut scopes: Vec<String> = Vec::new();
    let mut capabilities = BTreeSet::new();
    let mut revoked = BTreeSet::new();
    for item in items {
        let Some(sort_key) = item.get("SK").and_then(|sk| sk.as_s().ok()).cloned() else {
            continue;
        };
        if sort_key == keys::PROFILE {
            person = Some(decode(table, item)?);
        } else if let Some(scope) = sort_key.strip_prefix(keys::SCOPE) {
            scopes.push(scope.to_owned());
        } else if let Some(token_id) = sort_key.strip_prefix(keys::REVOKED) {
            revoked.insert(token_id.to_owned());
        } else {
            capabilities.extend(keys::named(&sort_key));
        }
    }
    Ok(person.map(|user| DirectoryEntry {
        accounts: user.accounts(),
        user: user.id,
        name: user.display_name,
        email: user.email.to_string(),
        email_verified: user.email_verified,
        active: user.active,
        scopes: Scopes::parse(scopes.iter().map(String::as_str)),
        capabilities,
        not_before: user.not_before,
        revoked,
    }))
}

#[cfg(test)]
mod tests;
