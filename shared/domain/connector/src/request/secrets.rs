//! Where a request carries its credential, and what is written there.

use countersign_effect::{SecretForm, SecretPart};

use super::{RequestError, basic};
use crate::header::is_segment;
use crate::model::{ACCESS_TOKEN, Auth};
use crate::secret::Credential;

/// What stands for user and password together.
const BASIC: &str = "username:password";

/// The place of the credential in a request.
pub(crate) struct SecretSlot<'a> {
    /// Where it stands.
    pub(crate) place: SecretPlace<'a>,
    /// Which part of it, and how it is written.
    pub(crate) secret: SecretPart,
}

/// Where a secret stands.
pub(crate) enum SecretPlace<'a> {
    /// In a query parameter.
    Query(&'a str),
    /// In a header.
    Header(&'a str),
}

/// Where requests carry the credential; none where they carry none.
pub(crate) fn secret_slot(auth: &Auth) -> Option<SecretSlot<'_>> {
    let header = |name, part: &str, form| {
        Some(SecretSlot { place: SecretPlace::Header(name), secret: secret(part, form, None) })
    };
    match auth {
        Auth::None | Auth::PathToken { .. } | Auth::ConnectionString => None,
        Auth::ApiKeyQuery { key_param } => Some(SecretSlot {
            place: SecretPlace::Query(key_param),
            secret: secret("api_key", SecretForm::Plain, None),
        }),
        Auth::ApiKeyHeader { header: name } => header(name, "api_key", SecretForm::Plain),
        Auth::BearerToken => header("authorization", "token", SecretForm::Bearer),
        Auth::TokenScheme { scheme } => Some(SecretSlot {
            place: SecretPlace::Header("authorization"),
            secret: secret("token", SecretForm::Scheme, Some(scheme.clone())),
        }),
        Auth::Basic => header("authorization", BASIC, SecretForm::Basic),
        Auth::Oauth2ClientCredentials(_) | Auth::Oauth2RefreshToken(_) => {
            header("authorization", ACCESS_TOKEN, SecretForm::Bearer)
        }
    }
}

fn secret(part: &str, form: SecretForm, scheme: Option<String>) -> SecretPart {
    SecretPart { secret: part.to_owned(), form, scheme }
}

/// What stands in a secret's place when the request is sent.
///
/// # Errors
/// [`RequestError`] when the credential lacks the part or cannot stand there.
pub(crate) fn filled(secret: &SecretPart, credential: &Credential) -> Result<String, RequestError> {
    let text = match (secret.form, secret.scheme.as_deref()) {
        (SecretForm::Plain, _) => part(credential, &secret.secret)?.to_owned(),
        (SecretForm::Bearer, _) => format!("Bearer {}", part(credential, &secret.secret)?),
        (SecretForm::Scheme, word) => {
            format!("{} {}", word.unwrap_or_default(), part(credential, &secret.secret)?)
        }
        (SecretForm::Basic, _) => {
            basic(part(credential, "username")?, part(credential, "password")?)
        }
    };
    if text.bytes().all(|b| (32..127).contains(&b)) {
        Ok(text)
    } else {
        Err(RequestError::CredentialText)
    }
}

/// The place of a credential that stands in the path.
pub(crate) fn path_secret() -> SecretPart {
    secret("token", SecretForm::Plain, None)
}

/// What stands in the path when the request is sent: nothing that could end its segment.
///
/// # Errors
/// [`RequestError`] when the credential lacks the part or cannot stand there.
pub(crate) fn filled_in_path(
    secret: &SecretPart,
    credential: &Credential,
) -> Result<String, RequestError> {
    let text = filled(secret, credential)?;
    if is_segment(&text) { Ok(text) } else { Err(RequestError::PathText) }
}

fn part<'c>(credential: &'c Credential, name: &str) -> Result<&'c str, RequestError> {
    let found = credential.part(name).map(crate::secret::Secret::expose);
    found.ok_or_else(|| RequestError::CredentialPart(name.to_owned()))
}
