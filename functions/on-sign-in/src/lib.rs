//! Says in tokens of the user pool whom they speak for and what they may do (R-003, K-30).
//!
//! The pool vouches for an account and a verified address, the directory for a person and their grants. What a token may
//! do at most is written when it is made; what it may do is read again at each door, so a token that is older than a
//! revocation gains nothing.

mod error;
mod event;
mod pool;

use std::sync::Arc;

use countersign_failure::Failure as _;
use countersign_identity::{Capability, Refused};
use countersign_lambda_entry::{Boot, Fault, Setting, StartError, decode};
use countersign_store_directory::{
    Account, Directory, DirectoryError, Email, FirstRights, Holder, NewUser, User,
};
use jiff::Timestamp;
use serde_json::Value;

pub use error::SignInError;
pub use event::SignIn;
pub use pool::{Factors, PoolError, UserPools};

/// The directory, and who may administer it before anybody has granted anything.
pub struct Context {
    directory: Directory,
    first_administrator: Option<Email>,
    factors: Arc<dyn Factors>,
}

impl Context {
    /// Builds it from the settings. A first administrator that is not an address is nobody: it must not keep others out.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        let first = boot.settings.get(Setting::FirstAdministrator).map(Email::parse);
        if let Some(Err(_)) = &first {
            tracing::error!(
                "the first administrator cannot be appointed: that is not a mail address"
            );
        }
        Ok(Self {
            directory: Directory::new(boot.table(Setting::TableDirectory)?),
            first_administrator: first.and_then(Result::ok),
            factors: Arc::new(UserPools::new(&boot.aws)),
        })
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
    appoint(context, sign_in, &user).await;
    let entry = context.directory.entry_of(&user.id).await?.ok_or(Refused::UnknownUser)?;
    if !entry.active {
        return Err(Refused::Inactive.into());
    }
    let factors = factors(context, sign_in).await;
    event::answer(event, &entry, factors.as_deref())
}

/// The factors that the account has just signed in with; none where nobody signed in. Should the pool not say, the token
/// says nothing of factors, and is good for everything that asks for none.
async fn factors(context: &Context, sign_in: &SignIn) -> Option<Vec<String>> {
    let (pool, username) = sign_in.of_a_sign_in()?;
    match context.factors.of(pool, username).await {
        Ok(factors) => Some(factors),
        Err(error) => {
            tracing::warn!(%error, "the token says nothing of factors");
            None
        }
    }
}

/// Makes the person the first administrator, once, if they are: the sign-in has verified that address at the pool, and the
/// directory has it for an active person. Should that fail, they sign in as they are, and the next sign-in tries again.
async fn appoint(context: &Context, sign_in: &SignIn, user: &User) {
    let Some(first) = &context.first_administrator else { return };
    let verified = sign_in.verified_email().and_then(Result::ok);
    if verified.as_ref() != Some(first) || user.email != *first {
        return;
    }
    if let Err(error) = context.directory.appoint(user, &rights(), Timestamp::now()).await {
        tracing::error!(code = error.code(), "the first administrator could not be appointed");
    }
}

/// What the first administrator may do.
fn rights() -> FirstRights {
    let scopes = "global:admin".parse().into_iter().collect();
    FirstRights { scopes, capabilities: vec![Capability::Administer] }
}

/// The person of the account. Two devices may sign in for the first time at once: who comes second finds what the first
/// one has written.
async fn person(context: &Context, sign_in: &SignIn) -> Result<User, SignInError> {
    match found(context, sign_in).await {
        Err(SignInError::Unavailable { .. } | SignInError::Taken(_)) => {
            found(context, sign_in).await
        }
        said => said,
    }
}

/// The person of the account; at its first sign-in the one with its address, or somebody new.
async fn found(context: &Context, sign_in: &SignIn) -> Result<User, SignInError> {
    let account = sign_in.account()?;
    match context.directory.holder(&account.subject).await? {
        Holder::Person(user) => return unchanged(sign_in, *user),
        Holder::Parted => return Err(SignInError::Parted),
        Holder::Former(user) => return tie(context, unchanged(sign_in, *user)?, &account).await,
        Holder::Nobody => {}
    }
    let email = sign_in.verified_email().ok_or(SignInError::Unverified)??;
    match context.directory.by_email(&email).await? {
        Some(known) => tie(context, known, &account).await,
        None => enter(context, sign_in, account, email).await,
    }
}

/// The person of the account, as long as it has their address. Whoever holds one stolen token can give the account an address
/// of their own at the pool, and have a new password mailed there: that must not become a session of this person.
fn unchanged(sign_in: &SignIn, user: User) -> Result<User, SignInError> {
    if sign_in.has(&user.email) {
        return Ok(user);
    }
    tracing::warn!(user = %user.id, "a sign-in was refused: the account has another address than its person");
    Err(SignInError::AddressChanged)
}

async fn tie(context: &Context, user: User, account: &Account) -> Result<User, SignInError> {
    if !user.active {
        return Err(Refused::Inactive.into());
    }
    match context.directory.tie(&user, account, Timestamp::now()).await {
        Ok(()) => {
            tracing::info!(user = %user.id, "an account was tied to its person");
            Ok(user)
        }
        Err(DirectoryError::Taken { .. }) => lost(context, account).await,
        Err(other) => Err(other.into()),
    }
}

/// Who holds the account that could not be tied: the person, if the same account was tied a moment before.
async fn lost(context: &Context, account: &Account) -> Result<User, SignInError> {
    match context.directory.holder(&account.subject).await? {
        Holder::Person(user) => Ok(*user),
        Holder::Nobody | Holder::Former(_) | Holder::Parted => Err(SignInError::OtherAccount),
    }
}

async fn enter(
    context: &Context,
    sign_in: &SignIn,
    account: Account,
    email: Email,
) -> Result<User, SignInError> {
    let new = NewUser {
        id: account.subject.person(),
        username: sign_in.username(&account.subject)?,
        email,
        email_verified: true,
        display_name: sign_in.display_name(),
        account: Some(account),
    };
    let user = context.directory.create(&new.at(Timestamp::now())?).await?;
    tracing::info!(user = %user.id, "somebody was entered at their first sign-in");
    Ok(user)
}
