//! Pages of a list, and the cursor to the next one.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use countersign_failure::Failure;
use countersign_identity::UserId;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use utoipa::{IntoParams, ToSchema};

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

/// Why a page cannot be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCursor {
    /// The limit is out of bounds.
    #[error("`limit` is 1 to 100")]
    Limit,
    /// The cursor is none, or belongs to another list.
    #[error("`cursor` is not one this list has given you")]
    Foreign,
}

impl Failure for InvalidCursor {
    fn code(&self) -> &'static str {
        match self {
            Self::Limit => "INVALID_INPUT",
            Self::Foreign => "CURSOR_INVALID",
        }
    }

    fn http_status(&self) -> u16 {
        match self {
            Self::Limit => 422,
            Self::Foreign => 400,
        }
    }

    fn help(&self) -> Option<String> {
        (*self == Self::Foreign).then(|| "start again without `cursor`".to_owned())
    }
}

impl PageQuery {
    /// How many items, as the stores count them.
    ///
    /// # Errors
    /// [`InvalidCursor::Limit`] when out of bounds.
    pub fn limit(&self) -> Result<i32, InvalidCursor> {
        match self.limit {
            None => Ok(50),
            Some(limit @ 1..=100) => Ok(limit.cast_signed()),
            Some(_) => Err(InvalidCursor::Limit),
        }
    }

    /// Where the store goes on.
    ///
    /// # Errors
    /// [`InvalidCursor::Foreign`] when the cursor is not one of this list.
    pub fn after(&self, cursor: &Cursor) -> Result<Option<String>, InvalidCursor> {
        self.cursor.as_deref().map(|text| cursor.open(text)).transpose()
    }
}

/// What the cursors of one list are bound to: whose list it is, which, and how it is filtered.
///
/// The binding is no secret. A forged cursor can only name a place in a partition the store was already asked for,
/// because the store's own key condition carries the owner; the binding turns mix-ups into a clear answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    binding: String,
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    b: String,
    k: String,
}

impl Cursor {
    /// The cursors of `list` of `owner`, filtered by `filters`.
    #[must_use]
    pub fn new(owner: &UserId, list: &str, filters: &[(&str, Option<&str>)]) -> Self {
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
        Self { binding: hex::encode(&digest.finalize()[..8]) }
    }

    /// Seals where the store goes on.
    #[must_use]
    pub fn seal(&self, key: &str) -> String {
        let sealed = Sealed { b: self.binding.clone(), k: key.to_owned() };
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(&sealed).unwrap_or_default())
    }

    fn open(&self, text: &str) -> Result<String, InvalidCursor> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidCursor::Foreign)?;
        let sealed: Sealed = serde_json::from_slice(&bytes).map_err(|_| InvalidCursor::Foreign)?;
        if sealed.b == self.binding { Ok(sealed.k) } else { Err(InvalidCursor::Foreign) }
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

    fn check(sealed_by: &Cursor, opened_by: &Cursor, opens: bool) {
        let page = sealed_by.page(vec![1], Some("key"));
        let query = PageQuery { limit: None, cursor: page.next };
        let expect = if opens { Ok(Some("key".to_owned())) } else { Err(InvalidCursor::Foreign) };
        assert_eq!(query.after(opened_by), expect);
    }

    #[test]
    fn a_cursor_opens_only_its_own_list() {
        let mine = Cursor::new(&owner(1), "executions", &[("status", Some("error"))]);
        check(&mine, &mine, true);
        check(&mine, &Cursor::new(&owner(2), "executions", &[("status", Some("error"))]), false);
        check(&mine, &Cursor::new(&owner(1), "profiles", &[("status", Some("error"))]), false);
        check(&mine, &Cursor::new(&owner(1), "executions", &[("status", None)]), false);
        check(&mine, &Cursor::new(&owner(1), "executions", &[("status", Some(""))]), false);
    }

    #[test]
    fn the_last_page_has_no_cursor() {
        assert_eq!(
            Cursor::new(&owner(1), "x", &[]).page(vec![1], None),
            Page { items: vec![1], next: None }
        );
    }

    #[test]
    fn limits_are_one_to_a_hundred() {
        for (limit, expect) in [
            (None, Ok(50)),
            (Some(1), Ok(1)),
            (Some(100), Ok(100)),
            (Some(0), Err(InvalidCursor::Limit)),
            (Some(101), Err(InvalidCursor::Limit)),
        ] {
            assert_eq!(PageQuery { limit, cursor: None }.limit(), expect);
        }
    }

    proptest! {
        #[test]
        fn any_key_survives_and_any_text_is_answered(key in "\\PC{0,40}", text in "\\PC{0,40}") {
            let cursor = Cursor::new(&owner(1), "x", &[]);
            prop_assert_eq!(cursor.open(&cursor.seal(&key)), Ok(key));
            let _ = cursor.open(&text);
        }
    }
}
