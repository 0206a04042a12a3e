//! Entering, finding and changing people.

use countersign_identity::UserId;
use countersign_store_kit::{Expr, Key, Page, Query, StoreError, Window, Write};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::asked::Encoded;
use crate::user::{Email, User, UserChange, Username};
use crate::{Answer, Directory, DirectoryError, Result, keys};

/// Who holds a username or an address.
#[derive(Serialize, Deserialize)]
pub(crate) struct Claim {
    pub(crate) user_id: UserId,
    /// Of an account: that it was taken from its person.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) parted: bool,
}

impl Directory {
    /// Enters a person, without any right. Username, address and account are claimed in the same transaction, so each is
    /// held once.
    ///
    /// Entering the same id again with the same names changes nothing and answers as the first time.
    ///
    /// # Errors
    /// [`DirectoryError::Taken`] when a name or the account is somebody else's.
    pub fn create<'a>(&'a self, user: &'a User) -> Answer<'a, User> {
        Box::pin(async move {
            let doing = DirectoryError::doing("enter the person");
            match self.table.transact(entry(user).map_err(&doing)?).await {
                Ok(()) => Ok(user.clone()),
                Err(StoreError::ConditionFailed { index, .. }) => self.already(user, index).await,
                Err(other) => Err(doing(other)),
            }
        })
    }

    async fn already(&self, user: &User, index: usize) -> Result<User> {
        let entry = self.user(&user.id).await?;
        match entry {
            Some(known) if known.username == user.username && known.email == user.email => {
                Ok(known)
            }
            _ if index == 1 => {
                Err(DirectoryError::Taken { what: "email", value: user.email.to_string() })
            }
            _ if index == 3 => {
                Err(DirectoryError::Taken { what: "account", value: user.username.to_string() })
            }
            _ => Err(DirectoryError::Taken { what: "username", value: user.username.to_string() }),
        }
    }

    /// Reads a person.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn user(&self, id: &UserId) -> Answer<'_, Option<User>> {
        self.one(keys::profile(id), "read the person")
    }

    /// Finds a person by username.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn by_username(&self, username: &Username) -> Answer<'_, Option<User>> {
        self.claimed(keys::username(username))
    }

    /// Finds a person by mail address, in any case.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn by_email(&self, email: &Email) -> Answer<'_, Option<User>> {
        self.claimed(keys::email(email))
    }

    /// Finds a person by what a playbook or a command line names: an id, an address or a username.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn find<'a>(&'a self, name: &'a str) -> Answer<'a, Option<User>> {
        Box::pin(async move {
            if let Ok(id) = UserId::parse(name) {
                return self.user(&id).await;
            }
            if let Ok(email) = Email::parse(name) {
                return self.by_email(&email).await;
            }
            match Username::parse(name) {
                Ok(username) => self.by_username(&username).await,
                Err(_) => Ok(None),
            }
        })
    }

    fn claimed(&self, key: Key) -> Answer<'_, Option<User>> {
        Box::pin(async move {
            match self.one::<Claim>(key, "find the person").await? {
                Some(claim) => self.user(&claim.user_id).await,
                None => Ok(None),
            }
        })
    }

    /// Everybody, by username.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn list(&self, window: Window) -> Answer<'_, Page<User>> {
        self.page(Query::index(keys::USERS).within(window), "list people")
    }

    /// Changes a person and answers with the record as it then stands.
    ///
    /// # Errors
    /// [`DirectoryError::NoSuchUser`] when there is none.
    pub async fn change(&self, id: &UserId, change: &UserChange, now: Timestamp) -> Result<User> {
        self.written(changed(id, change, now), "change the person").await?;
        self.user(id).await?.ok_or(DirectoryError::NoSuchUser)
    }

    /// Does a write whose only condition is that the person exists.
    pub(crate) fn written(&self, write: Encoded<Write>, doing: &'static str) -> Answer<'_, ()> {
        Box::pin(async move {
            let write = write.map(|write| write.when(Expr::exists()));
            let is_known = self.try_write(write, doing).await?;
            is_known.then_some(()).ok_or(DirectoryError::NoSuchUser)
        })
    }
}

fn changed(id: &UserId, change: &UserChange, now: Timestamp) -> Encoded<Write> {
    let mut write = Write::update(&keys::profile(id)).set("updated_at", &now)?;
    if let Some(name) = &change.display_name {
        write = write.set("display_name", name)?;
    }
    if let Some(active) = change.active {
        write = write.set("active", &active)?;
    }
    if let Some(verified) = change.email_verified {
        write = write.set("email_verified", &verified)?;
    }
    Ok(write)
}

fn entry(user: &User) -> Encoded<Vec<Write>> {
    let claim = Claim { user_id: user.id.clone(), parted: false };
    let mut writes = vec![
        Write::put(&keys::username(&user.username), &claim)?.if_absent(),
        Write::put(&keys::email(&user.email), &claim)?.if_absent(),
        Write::put(&keys::profile(&user.id), user)?
            .if_absent()
            .indexed(keys::USERS, user.username.as_str()),
    ];
    if let Some(account) = &user.account {
        writes.push(Write::put(&keys::subject(&account.subject), &claim)?.if_absent());
    }
    Ok(writes)
}
