//! People and their accounts of the user pool. A person has at most one, and an account is one person's.

use countersign_identity::{Capability, Scope, UserId};
use countersign_store_kit::{Expr, StoreError, Write};
use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::subject::Subject;
use crate::user::User;
use crate::users::Claim;
use crate::{Directory, DirectoryError, Result, grants, keys};

/// What somebody is granted in the moment in which they are entered.
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
    pub fn by_subject<'a>(&'a self, subject: &'a Subject) -> BoxFuture<'a, Result<Option<User>>> {
        self.claimed(keys::subject(subject))
    }

    /// Enters a person together with what they may do, in one transaction: nobody is ever half entered.
    ///
    /// Entering the same id again with the same names changes nothing, no right either, and answers as the first time.
    ///
    /// # Errors
    /// [`DirectoryError::Taken`] when a name or the account is somebody else's.
    pub fn enter<'a>(
        &'a self,
        user: &'a User,
        rights: &'a FirstRights,
    ) -> BoxFuture<'a, Result<User>> {
        Box::pin(async move {
            let doing = DirectoryError::doing("enter the person");
            let mut writes = entry(user).map_err(&doing)?;
            writes.extend(grants::first(user, rights).map_err(&doing)?);
            match self.table.transact(writes).await {
                Ok(()) => Ok(user.clone()),
                Err(StoreError::ConditionFailed { index, .. }) => self.already(user, index).await,
                Err(other) => Err(doing(other)),
            }
        })
    }

    /// Says that an account is this person's; who holds it has proved the person's address to the user pool.
    ///
    /// # Errors
    /// [`DirectoryError::Taken`] when the account is somebody else's or the person has another one;
    /// [`DirectoryError::NoSuchUser`] when there is no such person.
    pub fn tie<'a>(
        &'a self,
        user: &'a User,
        subject: Subject,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let doing = DirectoryError::doing("note the account");
            let writes = tying(&user.id, subject, now).map_err(&doing)?;
            self.table.transact(writes).await.map_err(|error| {
                let taken =
                    || DirectoryError::Taken { what: "account", value: user.username.to_string() };
                if error.is_condition() { taken() } else { doing(error) }
            })
        })
    }

    /// Parts a person from their account, so that another one with their address can take its place. Without an account
    /// nothing happens.
    ///
    /// # Errors
    /// [`DirectoryError::Changed`] when the account changed in between.
    pub fn untie<'a>(&'a self, user: &'a User, now: Timestamp) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let Some(subject) = user.subject else { return Ok(()) };
            let doing = DirectoryError::doing("part the account");
            let same = Expr::new("#subject = :subject").bind("subject", &subject);
            let freed = Write::update(&keys::profile(&user.id))
                .remove("subject")
                .set("updated_at", &now)
                .and_then(|write| Ok(write.when(same?)))
                .map_err(&doing)?;
            let writes = vec![Write::delete(&keys::subject(&subject)), freed];
            self.table.transact(writes).await.map_err(|error| {
                if error.is_condition() { DirectoryError::Changed } else { doing(error) }
            })
        })
    }
}

/// The names are claimed in the same transaction, so each is held once.
fn entry(user: &User) -> std::result::Result<Vec<Write>, StoreError> {
    let claim = Claim { user_id: user.id.clone() };
    let mut writes = vec![
        Write::put(&keys::username(&user.username), &claim)?.if_absent(),
        Write::put(&keys::email(&user.email), &claim)?.if_absent(),
        Write::put(&keys::profile(&user.id), user)?
            .if_absent()
            .indexed(keys::USERS, user.username.as_str()),
    ];
    if let Some(subject) = &user.subject {
        writes.push(Write::put(&keys::subject(subject), &claim)?.if_absent());
    }
    Ok(writes)
}

fn tying(
    user: &UserId,
    subject: Subject,
    now: Timestamp,
) -> std::result::Result<Vec<Write>, StoreError> {
    let free = Expr::new("attribute_not_exists(#PK) OR #user_id = :user").bind("user", user)?;
    let claim = Write::put(&keys::subject(&subject), &Claim { user_id: user.clone() })?;
    let alone = Expr::new("attribute_not_exists(#subject) OR #subject = :subject")
        .bind("subject", &subject)?;
    let person = Write::update(&keys::profile(user))
        .when(Expr::exists())
        .when(alone)
        .set("subject", &subject)?
        .set("email_verified", &true)?
        .set("updated_at", &now)?;
    Ok(vec![claim.when(free), person])
}
