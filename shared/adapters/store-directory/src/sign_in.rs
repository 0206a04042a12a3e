//! People and their accounts of the user pool. A person has at most one, and an account was and is one person's.

use countersign_identity::{Capability, Scope};
use countersign_store_kit::{Expr, Write};
use jiff::Timestamp;
use serde_json::Value;

use crate::account::{Account, PoolSubject};
use crate::asked::Encoded;
use crate::user::User;
use crate::users::Claim;
use crate::{Answer, Directory, DirectoryError, Result, grants, keys};

/// Whose account it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// Nobody's yet.
    Nobody,
    /// This person's.
    Person(Box<User>),
    /// It was this person's before another pool's took its place.
    Former(Box<User>),
    /// It was taken from its person. It is nobody's again, ever: whoever took it over must not find a way back.
    Parted,
}

/// What somebody is granted without anybody who could grant it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FirstRights {
    /// Scopes.
    pub scopes: Vec<Scope>,
    /// Capabilities.
    pub capabilities: Vec<Capability>,
}

impl Directory {
    /// Whose account this is.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn holder<'a>(&'a self, subject: &'a PoolSubject) -> Answer<'a, Holder> {
        Box::pin(async move {
            let claim = self.one::<Claim>(keys::subject(subject), "find the account").await?;
            let Some(claim) = claim else { return Ok(Holder::Nobody) };
            let person = self.user(&claim.user_id).await?.filter(|_| !claim.parted);
            let own =
                |user: &User| user.account.as_ref().is_some_and(|own| own.subject == *subject);
            Ok(match person.map(Box::new) {
                Some(user) if own(&user) => Holder::Person(user),
                Some(user) => Holder::Former(user),
                None => Holder::Parted,
            })
        })
    }

    /// Says that an account is this person's; who holds it has proved the person's address to the user pool. An account of
    /// another pool, which signs nobody in any more, gives way.
    ///
    /// # Errors
    /// [`DirectoryError::Taken`] when the account is somebody else's or was parted, or the person has another one of this
    /// pool.
    pub async fn tie(&self, user: &User, account: &Account, now: Timestamp) -> Result<()> {
        let is_free = self.try_transact(tying(user, account, now), "note the account").await?;
        let taken = || DirectoryError::Taken { what: "account", value: user.username.to_string() };
        is_free.then_some(()).ok_or_else(taken)
    }

    /// Parts a person from their account: its tokens are void, it never signs in as anybody again, and another one with the
    /// person's address can take its place.
    ///
    /// # Errors
    /// [`DirectoryError::Changed`] when the account changed in between, or there is none.
    pub fn part<'a>(&'a self, user: &'a User, now: Timestamp) -> Answer<'a, ()> {
        Box::pin(async move {
            let account = user.account.as_ref().ok_or(DirectoryError::Changed)?;
            let writes = parting(user, account, now);
            let is_unchanged = self.try_transact(writes, "part the account").await?;
            is_unchanged.then_some(()).ok_or(DirectoryError::Changed)
        })
    }

    /// Grants the deployment's first administrator their rights, once for each address that is ever named as theirs: what
    /// is taken away later stays away. Whether that was now.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub async fn appoint(&self, user: &User, rights: &FirstRights, now: Timestamp) -> Result<bool> {
        let doing = "appoint the administrator";
        let mark = self.one::<Value>(keys::appointed(&user.email), doing).await?;
        if mark.is_some() {
            return Ok(false);
        }
        self.try_transact(grants::first(user, rights, now), doing).await
    }
}

fn tying(user: &User, account: &Account, now: Timestamp) -> Encoded<Vec<Write>> {
    let claim = Claim { user_id: user.id.clone(), parted: false };
    let free = Expr::new(
        "attribute_not_exists(#PK) OR (#user_id = :user AND attribute_not_exists(#parted))",
    )
    .bind("user", &user.id)?;
    let claim = Write::put(&keys::subject(&account.subject), &claim)?.when(free);
    let alone = Expr::new("attribute_not_exists(#account) OR #account.#pool <> :pool")
        .bind("pool", &account.pool)?;
    let person = Write::update(&keys::profile(&user.id))
        .when(Expr::exists())
        .when(alone)
        .set("account", account)?
        .remove("parted_from")
        .set("email_verified", &true)?
        .set("updated_at", &now)?;
    Ok(vec![claim, person])
}

fn parting(user: &User, account: &Account, now: Timestamp) -> Encoded<Vec<Write>> {
    let same = Expr::new("#account = :account").bind("account", account)?;
    let claim = Claim { user_id: user.id.clone(), parted: true };
    let person = Write::update(&keys::profile(&user.id))
        .when(same)
        .remove("account")
        .set("parted_from", &account.pool)?
        .set("not_before", &(now.as_second() + 1))?
        .set("updated_at", &now)?;
    Ok(vec![Write::put(&keys::subject(&account.subject), &claim)?, person])
}
