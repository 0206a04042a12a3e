//! Why the user pool gives no token.

use countersign_failure::{Class, Failure};
use countersign_identity::Refused;
use countersign_store_directory::{DirectoryError, InvalidUser};

/// Why the user pool gives no token. It shows the message to whoever signs in.
#[derive(Debug, thiserror::Error, Failure)]
pub enum SignInError {
    /// The directory does not answer. Why stands in the log: whoever signs in must not read names of tables and roles.
    #[error("the directory did not answer; try again")]
    #[failure(code = "SIGN_IN_UNAVAILABLE", class = *class)]
    Unavailable {
        /// What the directory said, for the class.
        class: Class,
    },
    /// A name of the account is somebody else's. Which stands in no log.
    #[error("the {0} of this account is somebody else's; ask an administrator")]
    #[failure(code = "USER_TAKEN")]
    Taken(&'static str),
    /// The account has something the directory cannot hold. What stands in no log.
    #[error("the name or the mail address of this account is none the directory can hold")]
    #[failure(code = "INVALID_INPUT")]
    Invalid,
    /// The person was deactivated.
    #[error(transparent)]
    #[failure(forward)]
    Refused(#[from] Refused),
    /// Nobody has proved the address of the account.
    #[error("the mail address of this account is not verified; verify it and sign in again")]
    #[failure(code = "SIGN_IN_UNVERIFIED")]
    Unverified,
    /// Another account is this person's already.
    #[error("another account signs in as the person with this address; ask an administrator")]
    #[failure(code = "SIGN_IN_OTHER_ACCOUNT")]
    OtherAccount,
    /// The account has another address than its person.
    #[error("the mail address of this account is not its person's any more; ask an administrator")]
    #[failure(code = "SIGN_IN_ADDRESS_CHANGED")]
    AddressChanged,
    /// The account was a person's and was taken from them.
    #[error("this account was parted from its person; ask an administrator")]
    #[failure(code = "SIGN_IN_PARTED")]
    Parted,
    /// The token would be too long for any door.
    #[error("the directory grants more scopes than fit into a token; ask an administrator")]
    #[failure(code = "SIGN_IN_TOO_MANY_GRANTS")]
    TooManyGrants,
}

impl From<DirectoryError> for SignInError {
    fn from(error: DirectoryError) -> Self {
        if let DirectoryError::Taken { what, .. } = error {
            return Self::Taken(what);
        }
        tracing::error!(error = countersign_failure::chain(&error), "the directory did not answer");
        Self::Unavailable { class: error.class() }
    }
}

impl From<InvalidUser> for SignInError {
    fn from(_: InvalidUser) -> Self {
        Self::Invalid
    }
}
