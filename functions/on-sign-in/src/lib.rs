//! Says in tokens of the user pool whom they speak for and what they may do (R-003, K-30).
//!
//! The pool vouches for an account and a verified address, the directory for a person and their grants. What a token may
//! do at most is written when it is made; what it may do is read again at each door, so a token that is older than a
//! revocation gains nothing.

mod error;
mod event;

use countersign_identity::{Capability, Refused};
use countersign_lambda_entry::{Boot, Fault, Setting, StartError, decode};
use countersign_store_directory::{
    Directory, DirectoryError, Email, FirstRights, NewUser, Subject, User,
};
use jiff::Timestamp;
use serde_json::Value;

pub use error::SignInError;
pub use event::SignIn;

/// The directory, and who may administer it before anybody has granted anything.
pub struct Context {
    directory: Directory,
    first_administrator: Option<Email>,
}

impl Context {
    /// Builds it from the settings.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing or the first administrator's address is none.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        let first = boot.settings.get(Setting::FirstAdministrator).filter(|text| !text.is_empty());
        let first = first.map(Email::parse).transpose().map_err(|error| StartError::Invalid {
            name: Setting::FirstAdministrator.name(),
            reason: error.to_string(),
        })?;
        let table = boot.table(Setting::TableDirectory, &boot.dynamo())?;
        Ok(Self { directory: Directory::new(table), first_administrator: first })
    }

    /// What somebody new may do: nothing, unless the deployment names them as its first administrator.
    fn first_rights(&self, email: &Email) -> FirstRights {
        if self.first_administrator.as_ref() != Some(email) {
            return FirstRights::default();
        }
        let scopes = "global:admin".parse().into_iter().collect();
        FirstRights { scopes, capabilities: vec![Capability::Administer] }
    }
}

/// Handles one event of the pool: a sign-in or a refresh.
///
/// # Errors
/// A [`Fault`]; the pool then gives no token.
pub async fn handle(context: &Context, event: Value) -> Result<Value, Fault> {
    let sign_in: SignIn = decode(event.clone())?;
    Ok(token(context, &sign_in, event).await?)
}

async fn token(context: &Context, sign_in: &SignIn, event: Value) -> Result<Value, SignInError> {
    let user = person(context, sign_in).await?;
    let standing = context.directory.standing_of(&user.id).await?.ok_or(Refused::UnknownUser)?;
    if !standing.active {
        return Err(Refused::Inactive.into());
    }
    event::answer(event, &standing)
}

/// The person of the account; at its first sign-in the one with its address, or somebody new.
async fn person(context: &Context, sign_in: &SignIn) -> Result<User, SignInError> {
    let subject = sign_in.subject()?;
    if let Some(known) = context.directory.by_subject(&subject).await? {
        return Ok(known);
    }
    let email = sign_in.verified_email().ok_or(SignInError::Unverified)??;
    match context.directory.by_email(&email).await? {
        Some(known) => tie(context, known, subject).await,
        None => enter(context, sign_in, subject, email).await,
    }
}

async fn tie(context: &Context, user: User, subject: Subject) -> Result<User, SignInError> {
    match context.directory.tie(&user, subject, Timestamp::now()).await {
        Ok(()) => {
            tracing::info!(user = %user.id, "an account was tied to its person");
            Ok(user)
        }
        Err(DirectoryError::Taken { .. }) => Err(SignInError::OtherAccount),
        Err(other) => Err(other.into()),
    }
}

async fn enter(
    context: &Context,
    sign_in: &SignIn,
    subject: Subject,
    email: Email,
) -> Result<User, SignInError> {
    let rights = context.first_rights(&email);
    let [wanted, numbered] = sign_in.usernames(&subject)?;
    let entered = |username| NewUser {
        id: subject.person(),
        username,
        email: email.clone(),
        email_verified: true,
        display_name: sign_in.display_name(),
        subject: Some(subject),
    };
    let user = entered(wanted).at(Timestamp::now())?;
    match context.directory.enter(&user, &rights).await {
        Err(DirectoryError::Taken { what: "username", .. }) => {
            let user = entered(numbered).at(Timestamp::now())?;
            Ok(context.directory.enter(&user, &rights).await?)
        }
        entered => Ok(entered?),
    }
}
