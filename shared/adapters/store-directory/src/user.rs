//! A person, and the two names by which they are found.

use std::fmt;

use countersign_failure::Failure;
use countersign_identity::{Accounts, PoolAccount, UserId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::account::Account;

/// Why a text cannot stand in the directory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(code = "INVALID_INPUT", status = 422)]
pub enum InvalidUser {
    /// Not a username.
    #[error(
        "`{0}` is not a username: use 2 to 64 lower-case letters, digits, dots, hyphens and underscores"
    )]
    Username(String),
    /// People are found by id first: such a name would be somebody else.
    #[error("a username must not have the form of an id (`user_…`)")]
    LooksLikeId,
    /// Not a mail address.
    #[error("`{0}` is not a mail address")]
    Email(String),
    /// Not a display name.
    #[error("a display name has 1 to 200 characters and no control characters")]
    DisplayName,
    /// Not the `sub` of an account.
    #[error("the account of the user pool has no UUID as its `sub`")]
    PoolSubject,
}

/// The name a person signs in with: unique, lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Username(String);

impl Username {
    /// Reads a username.
    ///
    /// # Errors
    /// [`InvalidUser::Username`] when it is too short, too long, starts with a mark or has another character;
    /// [`InvalidUser::LooksLikeId`] when it could be the id of somebody else.
    pub fn parse(text: &str) -> Result<Self, InvalidUser> {
        let allowed =
            |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'_');
        let starts =
            text.bytes().next().is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if UserId::parse(text).is_ok() {
            return Err(InvalidUser::LooksLikeId);
        }
        if starts && (2..=64).contains(&text.len()) && text.bytes().all(allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidUser::Username(cut(text)))
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A mail address. Kept as written; two that differ only in case are the same address.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Email(String);

impl Email {
    /// Reads an address: one `@`, something on both sides, nothing invisible, at most 254 bytes.
    ///
    /// # Errors
    /// [`InvalidUser::Email`] when it is none.
    pub fn parse(text: &str) -> Result<Self, InvalidUser> {
        let invalid = || InvalidUser::Email(cut(text));
        let (local, domain) = text.split_once('@').ok_or_else(invalid)?;
        let visible = text
            .chars()
            .all(|c| c.is_ascii_graphic() && !matches!(c, '<' | '>' | ',' | ';' | '"' | '\\'));
        let dotted = domain.split('.').all(|label| !label.is_empty());
        if !local.is_empty() && dotted && !domain.contains('@') && visible && text.len() <= 254 {
            Ok(Self(text.to_owned()))
        } else {
            Err(invalid())
        }
    }

    /// The address as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form that is compared: lower case.
    #[must_use]
    pub fn canonical(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

impl PartialEq for Email {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for Email {}

macro_rules! text_form {
    ($name:ident) => {
        impl TryFrom<String> for $name {
            type Error = InvalidUser;
            fn try_from(text: String) -> Result<Self, InvalidUser> {
                Self::parse(&text)
            }
        }
        impl From<$name> for String {
            fn from(value: $name) -> String {
                value.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}
text_form!(Username);
text_form!(Email);

fn cut(text: &str) -> String {
    text.chars().take(80).collect()
}

/// A person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct User {
    /// Never changes and is never given again.
    pub id: UserId,
    /// The name they sign in with.
    pub username: Username,
    /// Where mail reaches them.
    pub email: Email,
    /// Whether the address was proved, or entered by an administrator who vouches for it.
    pub email_verified: bool,
    /// What others see.
    pub display_name: String,
    /// Inactive people can do nothing.
    pub active: bool,
    /// Their account of the user pool, once they have signed in there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
    /// The pool of the account they were parted from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parted_from: Option<String>,
    /// Tokens issued before this time (epoch seconds) are void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<i64>,
    /// When they were entered.
    pub created_at: Timestamp,
    /// When the record last changed.
    pub updated_at: Timestamp,
}

impl User {
    /// Which accounts of user pools may speak for the person: of a pool where they have or had one, that one or none.
    #[must_use]
    pub fn accounts(&self) -> Accounts {
        match (&self.account, &self.parted_from) {
            (Some(account), _) => Accounts::Only(PoolAccount {
                pool: account.pool.clone(),
                subject: account.subject.to_string(),
            }),
            (None, Some(pool)) => Accounts::NoneOf(pool.clone()),
            (None, None) => Accounts::Any,
        }
    }
}

/// Somebody to enter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewUser {
    /// A fresh id, or one derived from the request so that a repeated request enters nobody twice.
    pub id: UserId,
    /// Must be free.
    pub username: Username,
    /// Must be free.
    pub email: Email,
    /// Whether the address counts as proved.
    pub email_verified: bool,
    /// What others see.
    pub display_name: String,
    /// Their account of the user pool, if they come from there.
    pub account: Option<Account>,
}

impl NewUser {
    /// The record as it will stand.
    ///
    /// # Errors
    /// [`InvalidUser::DisplayName`] when the display name is empty, too long or has control characters.
    pub fn at(self, now: Timestamp) -> Result<User, InvalidUser> {
        check_display_name(&self.display_name)?;
        Ok(User {
            id: self.id,
            username: self.username,
            email: self.email,
            email_verified: self.email_verified,
            display_name: self.display_name,
            active: true,
            account: self.account,
            parted_from: None,
            not_before: None,
            created_at: now,
            updated_at: now,
        })
    }
}

/// What may change about a person. The address may not: mail links are bound to it; enter a new person instead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserChange {
    /// Another display name.
    pub display_name: Option<String>,
    /// Active or not.
    pub active: Option<bool>,
    /// Proved or not.
    pub email_verified: Option<bool>,
}

impl UserChange {
    /// The same change, checked.
    ///
    /// # Errors
    /// [`InvalidUser::DisplayName`] when the display name is empty, too long or has control characters.
    pub fn checked(self) -> Result<Self, InvalidUser> {
        if let Some(name) = &self.display_name {
            check_display_name(name)?;
        }
        Ok(self)
    }
}

fn check_display_name(name: &str) -> Result<(), InvalidUser> {
    let fits = (1..=200).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    if fits { Ok(()) } else { Err(InvalidUser::DisplayName) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check_email(text: &str, valid: bool) {
        assert_eq!(Email::parse(text).is_ok(), valid, "{text}");
    }

    fn check_username(text: &str, valid: bool) {
        assert_eq!(Username::parse(text).is_ok(), valid, "{text}");
    }

    #[test]
    fn usernames_are_plain() {
        for text in ["ada", "a1", "ada.lovelace", "ada-l_2"] {
            check_username(text, true);
        }
        check_username("user_ada", true);
        check_username(UserId::from_bytes([7; 16]).as_str(), false);
        for text in
            ["", "a", "Ada", ".ada", "-ada", "ada lovelace", "ada@x", "ädä", &"a".repeat(65)]
        {
            check_username(text, false);
        }
    }

    #[test]
    fn addresses_carry_nothing_that_could_end_a_mail_header() {
        for text in ["ada@example.org", "a+b@x.co", "ada@localhost"] {
            check_email(text, true);
        }
        for text in [
            "",
            "ada",
            "@x.org",
            "ada@",
            "a@b@c",
            "ada@x..org",
            "ada@x.org\r\nBcc: all@x.org",
            "Ada <ada@x.org>",
            "a,b@x.org",
            "ada@\u{202e}x.org",
        ] {
            check_email(text, false);
        }
    }

    #[test]
    fn addresses_compare_without_case() {
        assert_eq!(
            Email::parse("Ada@Example.org").unwrap(),
            Email::parse("ada@example.ORG").unwrap()
        );
        assert_eq!(Email::parse("Ada@Example.org").unwrap().to_string(), "Ada@Example.org");
    }

    #[test]
    fn a_display_name_is_one_visible_line() {
        for (name, valid) in
            [("Ada Lovelace", true), ("", false), ("a\nb", false), (&"x".repeat(201), false)]
        {
            assert_eq!(check_display_name(name).is_ok(), valid, "{name:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_with_a_line_break_is_an_address(a in "\\PC{0,12}", b in "\\PC{0,12}") {
            for line_break in ['\r', '\n', '\u{2028}', '\0'] {
                let text = format!("{a}@{b}{line_break}x");
                prop_assert!(Email::parse(&text).is_err());
            }
        }
    }
}
