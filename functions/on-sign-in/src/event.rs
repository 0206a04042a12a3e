//! What the user pool asks, and what it is answered (event version 2).
//!
//! Source: Cognito developer guide, "Pre token generation Lambda trigger".

use countersign_identity::DirectoryEntry;
use countersign_store_directory::{Account, Email, InvalidUser, PoolSubject, Username};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::SignInError;

/// The most bytes that scopes may take in a token: no door reads tokens above 8 KiB, and no gateway headers above 10 KB.
const MAX_SCOPES: usize = 4 * 1024;

/// The parts of the event that are read.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignIn {
    trigger_source: String,
    user_pool_id: String,
    user_name: String,
    request: Request,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    user_attributes: Attributes,
}

#[derive(Debug, Clone, Deserialize)]
struct Attributes {
    sub: String,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    email_verified: Option<Flag>,
    #[serde(default)]
    name: Option<String>,
}

/// The pool writes its flags as text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Flag {
    Text(String),
    Bool(bool),
}

impl SignIn {
    /// The account that signs in.
    pub(crate) fn account(&self) -> Result<Account, InvalidUser> {
        let subject = PoolSubject::parse(&self.request.user_attributes.sub)?;
        Ok(Account { pool: self.user_pool_id.clone(), subject })
    }

    /// The address of the account, if somebody has proved it.
    pub(crate) fn verified_email(&self) -> Option<Result<Email, InvalidUser>> {
        let attributes = &self.request.user_attributes;
        let verified = match attributes.email_verified.as_ref()? {
            Flag::Text(text) => text.eq_ignore_ascii_case("true"),
            Flag::Bool(verified) => *verified,
        };
        attributes.email.as_deref().filter(|_| verified).map(Email::parse)
    }

    /// Whether the account has this address, in any case. The pool does not have to vouch for it again: an address that
    /// somebody else has given the account is another one.
    pub(crate) fn has(&self, email: &Email) -> bool {
        let own = self.request.user_attributes.email.as_deref();
        own.is_some_and(|own| own.eq_ignore_ascii_case(email.as_str()))
    }

    /// The pool and the name of the account when somebody has signed in just now. A refresh is not a sign-in: who holds a
    /// stolen session could give the account a factor of their own, and the next token would vouch for them.
    pub(crate) fn of_a_sign_in(&self) -> Option<(&str, &str)> {
        const SIGN_INS: [&str; 2] =
            ["TokenGeneration_Authentication", "TokenGeneration_HostedAuth"];
        let signs_in = SIGN_INS.contains(&self.trigger_source.as_str());
        signs_in.then_some((&self.user_pool_id, &self.user_name))
    }

    /// The name to show.
    pub(crate) fn display_name(&self) -> String {
        let name = self.request.user_attributes.name.as_deref().unwrap_or(&self.user_name);
        let visible: String = name.chars().filter(|c| !c.is_control()).take(200).collect();
        if visible.is_empty() { "Somebody".to_owned() } else { visible }
    }

    /// The name in the directory of somebody nobody has entered: the account's, with digits of it. Names others are known
    /// by and are granted things by are administrators' to give.
    pub(crate) fn username(&self, subject: &PoolSubject) -> Result<Username, InvalidUser> {
        let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let lower = self.user_name.to_ascii_lowercase();
        let stem: String = lower.chars().filter(plain).take(50).collect();
        let stem = stem.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        let stem = if stem.is_empty() { "user" } else { stem };
        Username::parse(&format!("{stem}-{}", subject.digits()))
    }
}

/// The event as it goes back: the claims that say whom the token speaks for, and the factors they have signed in with.
///
/// # Errors
/// [`SignInError::TooManyGrants`] when the scopes do not fit into a token.
pub(crate) fn answer(
    mut event: Value,
    entry: &DirectoryEntry,
    factors: Option<&[String]>,
) -> Result<Value, SignInError> {
    let scopes = json!(entry.scopes);
    if scopes.to_string().len() > MAX_SCOPES {
        return Err(SignInError::TooManyGrants);
    }
    let mut claims = json!({
        "user_id": entry.user, "scopes": scopes, "capabilities": entry.capabilities,
    });
    if let Some(factors) = factors {
        claims["mfa_factors"] = json!(factors);
    }
    event["response"] = json!({ "claimsAndScopeOverrideDetails": {
        "idTokenGeneration": { "claimsToAddOrOverride": { "user_id": entry.user } },
        "accessTokenGeneration": { "claimsToAddOrOverride": claims },
    }});
    Ok(event)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use countersign_identity::{Accounts, Capability, Scopes};

    use super::*;

    const FIRST: &str = include_str!("../../../events/on-sign-in/first.json");
    const REFRESH: &str = include_str!("../../../events/on-sign-in/refresh.json");

    fn sample(text: &str) -> SignIn {
        serde_json::from_str(text).unwrap()
    }

    fn check_name(name: &str, expect: &str) {
        let sign_in = SignIn { user_name: name.to_owned(), ..sample(FIRST) };
        let subject = sign_in.account().unwrap().subject;
        assert_eq!(sign_in.username(&subject).unwrap().as_str(), expect, "{name}");
    }

    fn entry(scopes: &[String]) -> DirectoryEntry {
        let subject = sample(FIRST).account().unwrap().subject;
        DirectoryEntry {
            user: subject.person(),
            name: "Ada".to_owned(),
            email: "ada@example.org".to_owned(),
            email_verified: true,
            active: true,
            accounts: Accounts::Any,
            scopes: Scopes::parse(scopes.iter().map(String::as_str)),
            capabilities: BTreeSet::from([Capability::Decide]),
            not_before: None,
            revoked: BTreeSet::new(),
        }
    }

    #[test]
    fn only_a_verified_address_is_one() {
        assert_eq!(sample(FIRST).verified_email().unwrap().unwrap().as_str(), "Ada@Example.org");
        assert!(sample(REFRESH).verified_email().is_none());
        let mut event: Value = serde_json::from_str(FIRST).unwrap();
        event["request"]["userAttributes"].as_object_mut().unwrap().remove("email_verified");
        assert!(sample(&event.to_string()).verified_email().is_none());
    }

    #[test]
    fn r_003_an_account_is_compared_with_its_person_by_its_address() {
        let ada = Email::parse("ada@example.ORG").unwrap();
        assert!(sample(FIRST).has(&ada));
        assert!(sample(REFRESH).has(&ada), "it was verified once");
        assert!(!sample(FIRST).has(&Email::parse("mallory@example.org").unwrap()));
        let mut event: Value = serde_json::from_str(FIRST).unwrap();
        event["request"]["userAttributes"].as_object_mut().unwrap().remove("email");
        assert!(!sample(&event.to_string()).has(&ada));
    }

    #[test]
    fn nobody_gives_themselves_the_name_of_somebody_else() {
        check_name("ada.l", "ada.l-aaaaaaaabbbb");
        check_name("Ada-aaaaaaaabbbb", "ada-aaaaaaaabbbb-aaaaaaaabbbb");
        check_name("Google_1234", "google_1234-aaaaaaaabbbb");
        check_name("ada@example.org", "adaexample.org-aaaaaaaabbbb");
        check_name("..é阿", "user-aaaaaaaabbbb");
        check_name(&"x".repeat(128), &format!("{}-aaaaaaaabbbb", "x".repeat(50)));
    }

    #[test]
    fn r_003_the_token_says_whom_it_speaks_for() {
        let event: Value = serde_json::from_str(FIRST).unwrap();
        let said = answer(event, &entry(&["macro:analyst".to_owned()]), None).unwrap();
        assert_eq!(said["userPoolId"], "us-east-1_EXAMPLE");
        let said = &said["response"]["claimsAndScopeOverrideDetails"];
        assert_eq!(
            said["accessTokenGeneration"]["claimsToAddOrOverride"],
            json!({ "user_id": "user_aaaaaaaabbbb4ccc8dddeeeeeeeeeeee", "scopes": ["macro:analyst"], "capabilities": ["decide"] })
        );
        assert!(said["idTokenGeneration"]["claimsToAddOrOverride"].get("capabilities").is_none());
    }

    #[test]
    fn factors_are_said_of_a_sign_in_and_never_of_a_refresh() {
        let first = sample(FIRST);
        assert_eq!(first.of_a_sign_in(), Some(("us-east-1_EXAMPLE", "Ada")));
        assert_eq!(sample(REFRESH).of_a_sign_in(), None);
        let factors = ["SOFTWARE_TOKEN_MFA".to_owned()];
        let said = answer(json!({}), &entry(&[]), Some(&factors)).unwrap();
        let said = &said["response"]["claimsAndScopeOverrideDetails"];
        let claims = &said["accessTokenGeneration"]["claimsToAddOrOverride"];
        assert_eq!(claims["mfa_factors"], json!(factors));
        assert!(said["idTokenGeneration"]["claimsToAddOrOverride"].get("mfa_factors").is_none());
    }

    #[test]
    fn grants_that_fit_into_no_token_are_an_error_and_not_cut() {
        let many: Vec<String> =
            (0..200).map(|n| format!("a_rather_long_topic_{n}:reader")).collect();
        assert!(matches!(answer(json!({}), &entry(&many), None), Err(SignInError::TooManyGrants)));
    }
}
