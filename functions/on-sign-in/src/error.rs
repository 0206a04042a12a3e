//! Why the user pool gives no token.

use countersign_failure::{Class, Failure};
use countersign_identity::Refused;
use countersign_store_directory::{DirectoryError, InvalidUser};

/// Why the user pool gives no token. It shows the message to whoever signs in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// The directory does not answer, or the account's names are somebody else's.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// The account has something the directory cannot hold.
    #[error(transparent)]
    Invalid(#[from] InvalidUser),
    /// The person was deactivated.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Nobody has proved the address of the account.
    #[error("the mail address of this account is not verified; verify it and sign in again")]
    Unverified,
    /// Another account is this person's already.
    #[error("another account signs in as the person with this address; ask an administrator")]
    OtherAccount,
    /// The token would be too long for any door.
    #[error("the directory grants more scopes than fit into a token; ask an administrator")]
    TooManyGrants,
}

impl Failure for SignInError {
    fn code(&self) -> &'static str {
        match self {
            Self::Directory(error) => error.code(),
            Self::Invalid(error) => error.code(),
            Self::Refused(error) => error.code(),
            Self::Unverified => "SIGN_IN_UNVERIFIED",
            Self::OtherAccount => "SIGN_IN_OTHER_ACCOUNT",
            Self::TooManyGrants => "SIGN_IN_TOO_MANY_GRANTS",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Directory(error) => error.class(),
            _ => Class::Terminal,
        }
    }
}
