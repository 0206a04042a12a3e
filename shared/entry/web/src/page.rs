//! Pages of a list, and the cursor to the next one.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use countersign_failure::Failure;
use countersign_identity::UserId;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use utoipa::{IntoParams, ToSchema};

use crate::problem::Problem;

/// Some items of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// Pass it as `cursor` to go on; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Which page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct PageQuery {
    /// At most so many items, 1 to 100; 50 when left out.
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// `next` of the page before.
    pub cursor: Option<String>,
}

/// A cursor that is none, or belongs to another list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Failure)]
#[error("`cursor` is not one this list has given you")]
#[failure(code = "CURSOR_INVALID", status = 400, help = "start again without `cursor`")]
pub struct InvalidCursor;

impl PageQuery {
    /// How many items, as the stores count them.
    ///
    /// # Errors
    /// A [`Problem`] when out of bounds.
    pub fn limit(&self) -> Result<i32, Problem> {
        match self.limit {
            None => Ok(50),
            Some(limit @ 1..=100) => Ok(limit.cast_signed()),
            Some(limit) => {
                Err(Problem::field("limit", format!("must be from 1 to 100, found {limit}")))
            }
        }
    }

    /// Where the store goes on.
    ///
    /// # Errors
    /// [`InvalidCursor`] when the cursor is not one of this list.
    pub fn after(&self, cursor: &Cursor) -> Result<Option<String>, InvalidCursor> {
        self.cursor.as_deref().map(|text| cursor.open(text)).transpose()
    }
}

/// What a deployment's cursors are authenticated with.
#[derive(Clone)]
pub struct CursorKey([u8; BLOCK_BYTES]);

/// A key as long as a block of SHA-256 is used as it is.
const BLOCK_BYTES: usize = 64;

impl CursorKey {
    /// What a key derivation or an HSM returned for cursors alone.
    #[must_use]
    pub fn new(secret: &[u8]) -> Self {
        let mut key = [0; BLOCK_BYTES];
        key[..32].copy_from_slice(&Sha256::digest(secret));
        Self(key)
    }
}

/// What the cursors of one list are bound to: whose list it is, which, and how it is filtered.
///
/// A cursor holds a key of the store, which the store believes: one that was not made here is refused before it is asked.
#[derive(Clone)]
pub struct Cursor {
    key: CursorKey,
    binding: [u8; 32],
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    k: String,
    m: String,
}

impl Cursor {
    /// The cursors of `list` of `owner`, filtered by `filters`.
    #[must_use]
    pub fn new(
        key: &CursorKey,
        owner: &UserId,
        list: &str,
        filters: &[(&str, Option<&str>)],
    ) -> Self {
        let mut digest = Sha256::new();
        digest.update(owner.as_str());
        digest.update([0]);
        digest.update(list);
        for (name, value) in filters {
            // A filter that is not set and one set to nothing are two lists.
            digest.update([0, u8::from(value.is_some())]);
            digest.update(name);
            digest.update([0]);
            digest.update(value.unwrap_or_default());
        }
        Self { key: key.clone(), binding: digest.finalize().into() }
    }

    /// Seals where the store goes on.
    #[must_use]
    pub fn seal(&self, key: &str) -> String {
        let m = hex::encode(self.mac(key).finalize().into_bytes());
        let sealed = Sealed { k: key.to_owned(), m };
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(&sealed).unwrap_or_default())
    }

    fn open(&self, text: &str) -> Result<String, InvalidCursor> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidCursor)?;
        let sealed: Sealed = serde_json::from_slice(&bytes).map_err(|_| InvalidCursor)?;
        let mac = hex::decode(&sealed.m).map_err(|_| InvalidCursor)?;
        self.mac(&sealed.k).verify_slice(&mac).map_err(|_| InvalidCursor)?;
        Ok(sealed.k)
    }

    fn mac(&self, key: &str) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new(&self.key.0.into());
        mac.update(&self.binding);
        mac.update(key.as_bytes());
        mac
    }

    /// A page of these items.
    #[must_use]
    pub fn page<T>(&self, items: Vec<T>, next: Option<&str>) -> Page<T> {
        Page { items, next: next.map(|key| self.seal(key)) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn owner(n: u8) -> UserId {
        UserId::from_bytes([n; 16])
    }

    fn key() -> CursorKey {
        CursorKey::new(b"the key of the tests")
    }

    fn check(sealed_by: &Cursor, opened_by: &Cursor, opens: bool) {
        let page = sealed_by.page(vec![1], Some("key"));
        let query = PageQuery { limit: None, cursor: page.next };
        let expect = if opens { Ok(Some("key".to_owned())) } else { Err(InvalidCursor) };
        assert_eq!(query.after(opened_by), expect);
    }

    #[test]
    fn a_cursor_opens_only_its_own_list() {
        let mine = Cursor::new(&key(), &owner(1), "executions", &[("status", Some("error"))]);
        check(&mine, &mine, true);
        check(
            &mine,
            &Cursor::new(&key(), &owner(2), "executions", &[("status", Some("error"))]),
            false,
        );
        check(
            &mine,
            &Cursor::new(&key(), &owner(1), "profiles", &[("status", Some("error"))]),
            false,
        );
        check(&mine, &Cursor::new(&key(), &owner(1), "executions", &[("status", None)]), false);
        check(&mine, &Cursor::new(&key(), &owner(1), "executions", &[("status", Some(""))]), false);
    }

    #[test]
    fn a_cursor_that_was_not_made_here_is_refused() {
        let filters = [("status", Some("error"))];
        let mine = Cursor::new(&key(), &owner(1), "executions", &filters);
        let other = CursorKey::new(b"another deployment");
        check(&Cursor::new(&other, &owner(1), "executions", &filters), &mine, false);
        let genuine = URL_SAFE_NO_PAD.decode(mine.seal("key")).unwrap();
        for position in 0..genuine.len() {
            let mut forged = genuine.clone();
            forged[position] ^= 1;
            let said = mine.open(&URL_SAFE_NO_PAD.encode(&forged));
            assert_eq!(said, Err(InvalidCursor), "byte {position}");
        }
    }

    #[test]
    fn the_last_page_has_no_cursor() {
        assert_eq!(
            Cursor::new(&key(), &owner(1), "x", &[]).page(vec![1], None),
            Page { items: vec![1], next: None }
        );
    }

    #[test]
    fn limits_are_one_to_a_hundred() {
        for (limit, expect) in [
            (None, Ok(50)),
            (Some(1), Ok(1)),
            (Some(100), Ok(100)),
            (Some(0), Err("must be from 1 to 100, found 0")),
            (Some(101), Err("must be from 1 to 100, found 101")),
        ] {
            let found = PageQuery { limit, cursor: None }.limit();
            let found = found.map_err(|problem| problem.errors[0].message.clone());
            assert_eq!(found, expect.map_err(str::to_owned));
        }
    }

    proptest! {
        #[test]
        fn any_key_survives_and_any_text_is_answered(place in "\\PC{0,40}", text in "\\PC{0,40}") {
            let cursor = Cursor::new(&key(), &owner(1), "x", &[]);
            prop_assert_eq!(cursor.open(&cursor.seal(&place)), Ok(place));
            let _ = cursor.open(&text);
        }
    }
}
