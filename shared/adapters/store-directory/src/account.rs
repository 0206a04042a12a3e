//! Accounts of the user pool.

use countersign_identity::UserId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::user::InvalidUser;

/// What a user pool calls a person: its `sub`, a UUID that never changes and is never given again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct PoolSubject(Uuid);

impl PoolSubject {
    /// Reads the `sub` of an account.
    ///
    /// # Errors
    /// [`InvalidUser::PoolSubject`] when it is not a UUID.
    pub fn parse(text: &str) -> Result<Self, InvalidUser> {
        Uuid::try_parse(text).map(Self).map_err(|_| InvalidUser::PoolSubject)
    }

    /// The first twelve digits, enough that no two accounts of a pool share them.
    #[must_use]
    pub fn digits(&self) -> String {
        let mut digits = self.0.simple().to_string();
        digits.truncate(12);
        digits
    }

    /// The id of the person whom this account enters, so that entering them twice enters one.
    #[must_use]
    pub fn person(&self) -> UserId {
        UserId::from_bytes(self.0.into_bytes())
    }
}

impl TryFrom<String> for PoolSubject {
    type Error = InvalidUser;
    fn try_from(text: String) -> Result<Self, InvalidUser> {
        Self::parse(&text)
    }
}

impl From<PoolSubject> for String {
    fn from(subject: PoolSubject) -> String {
        subject.to_string()
    }
}

impl std::fmt::Display for PoolSubject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

/// An account: the pool that keeps it and what that pool calls it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PersonAccount")]
pub struct Account {
    /// The id of the pool.
    pub pool: String,
    /// The account's `sub`.
    pub subject: PoolSubject,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_one_form_and_one_person() {
        let subject = PoolSubject::parse("AAAAAAAA-bbbb-4ccc-8ddd-eeeeeeeeeeee").unwrap();
        assert_eq!(subject.to_string(), "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee");
        assert_eq!(subject.person().as_str(), "user_aaaaaaaabbbb4ccc8dddeeeeeeeeeeee");
        assert_eq!(serde_json::to_value(subject).unwrap(), subject.to_string());
        for text in ["", "ada", "57cbishk4j24pabc1234567890"] {
            assert!(PoolSubject::parse(text).is_err(), "{text}");
        }
    }
}
