//! One list made of what the owner has and what the system ships.

use countersign_identity::UserId;
use countersign_store_catalog::{CatalogError, Listing};
use countersign_store_kit::Page as Stored;
use countersign_web::{Cursor, CursorKey, FieldError, Page, PageQuery, Problem};
use futures::future::BoxFuture;
use serde::Deserialize;
use utoipa::IntoParams;

/// What to list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListQuery {
    /// At most so many items, 1 to 100; 50 when left out.
    #[param(minimum = 1, maximum = 100)]
    pub(crate) limit: Option<u32>,
    /// `next` of the page before.
    pub(crate) cursor: Option<String>,
    /// Only one kind: `active` or `inactive` for profiles, the type for connectors, the category for playbooks.
    pub(crate) kind: Option<String>,
    /// `own`, `system`, or both when left out.
    pub(crate) from: Option<String>,
    /// What else the list is narrowed by; a cursor belongs to it too.
    #[serde(skip)]
    #[param(ignore)]
    pub(crate) also: Option<String>,
}

/// Where the list goes on: in which part, and at which key of the store.
fn place(after: Option<&str>) -> Option<(bool, Option<&str>)> {
    match after {
        None => Some((false, None)),
        Some(text) => {
            let (part, key) = text.split_once(':')?;
            let system = match part {
                "own" => false,
                "system" => true,
                _ => return None,
            };
            Some((system, Some(key).filter(|key| !key.is_empty())))
        }
    }
}

type Listed<'a, T> = BoxFuture<'a, Result<Stored<T>, CatalogError>>;

/// A page of the owner's records, followed by the system's.
pub(crate) async fn list<'a, T>(
    key: &CursorKey,
    owner: &UserId,
    name: &str,
    query: &'a ListQuery,
    own: impl Fn(Listing<'a>) -> Listed<'a, T>,
    system: impl Fn(Listing<'a>) -> Listed<'a, T>,
    arena: &'a mut String,
) -> Result<Page<T>, Problem> {
    let also = ("also", query.also.as_deref());
    let filters = [("kind", query.kind.as_deref()), ("from", query.from.as_deref()), also];
    let cursor = Cursor::new(key, owner, name, &filters);
    let paging = PageQuery { limit: query.limit, cursor: query.cursor.clone() };
    let limit = paging.limit()?;
    *arena = paging.after(&cursor)?.unwrap_or_default();
    let after = Some(arena.as_str()).filter(|after| !after.is_empty());
    let (in_system, key) =
        place(after).ok_or_else(|| Problem::field("cursor", "is not one of this list"))?;
    let of = query.kind.as_deref();
    let (wants_own, wants_system) = match query.from.as_deref() {
        None => (true, true),
        Some("own") => (true, false),
        Some("system") => (false, true),
        Some(word) => {
            return Err(Problem::invalid(vec![FieldError::choice(
                "from",
                &["own", "system"],
                word,
            )]));
        }
    };
    if in_system || !wants_own {
        let page = system(Listing { of, limit, after: key.filter(|_| in_system) }).await?;
        let next = page.next.map(|key| format!("system:{key}"));
        return Ok(cursor.page(page.items, next.as_deref()));
    }
    let page = own(Listing { of, limit, after: key }).await?;
    let mut items = page.items;
    if let Some(key) = page.next {
        return Ok(cursor.page(items, Some(&format!("own:{key}"))));
    }
    let left = limit.saturating_sub(i32::try_from(items.len()).unwrap_or(limit));
    if !wants_system {
        return Ok(cursor.page(items, None));
    }
    if left == 0 {
        return Ok(cursor.page(items, Some("system:")));
    }
    let rest = system(Listing { of, limit: left, after: None }).await?;
    items.extend(rest.items);
    Ok(cursor.page(items, rest.next.map(|key| format!("system:{key}")).as_deref()))
}

/// So many pages are read to fill one.
pub(crate) const MAX_READS: usize = 10;

/// A page of those that are asked for: what is left out is made up for by reading on. When few are, a page may still be
/// short and have a `next`.
pub(crate) async fn filled<'r, T>(
    mut query: ListQuery,
    read: impl Fn(ListQuery) -> BoxFuture<'r, Result<Page<T>, Problem>>,
    takes: impl Fn(&T) -> bool,
) -> Result<Page<T>, Problem> {
    let limit = PageQuery { limit: query.limit, cursor: None }.limit()?.unsigned_abs() as usize;
    let mut items = Vec::new();
    for _ in 0..MAX_READS {
        // Never more than still fit, so that the place where the list goes on is behind the last one read.
        query.limit = u32::try_from(limit - items.len()).ok();
        let page = read(query.clone()).await?;
        items.extend(page.items.into_iter().filter(&takes));
        query.cursor = page.next;
        if query.cursor.is_none() || items.len() >= limit {
            break;
        }
    }
    Ok(Page { items, next: query.cursor })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(after: Option<&str>, expect: Option<(bool, Option<&str>)>) {
        assert_eq!(place(after), expect, "{after:?}");
    }

    #[test]
    fn a_place_is_a_part_and_a_key() {
        check(None, Some((false, None)));
        check(Some("own:abc"), Some((false, Some("abc"))));
        check(Some("system:"), Some((true, None)));
        check(Some("system:a:b"), Some((true, Some("a:b"))));
        check(Some("elsewhere:abc"), None);
        check(Some("abc"), None);
    }

    /// A store of numbers; its cursor is the next number.
    fn numbers(of: std::ops::Range<u32>, listing: Listing<'_>) -> Listed<'static, u32> {
        let from = listing.after.and_then(|text| text.parse().ok()).unwrap_or(of.start);
        let to = of.end.min(from + listing.limit.unsigned_abs());
        let next = (to < of.end).then(|| to.to_string());
        Box::pin(async move { Ok(Stored { items: (from..to).collect(), next }) })
    }

    async fn walk(limit: u32, from: Option<&str>) -> Vec<u32> {
        let (key, owner) = (CursorKey::new(b"tests"), UserId::from_bytes([1; 16]));
        let mut query =
            ListQuery { limit: Some(limit), from: from.map(str::to_owned), ..ListQuery::default() };
        let mut all = Vec::new();
        for _ in 0..50 {
            let mut arena = String::new();
            let page = list(
                &key,
                &owner,
                "x",
                &query,
                |l| numbers(0..5, l),
                |l| numbers(10..14, l),
                &mut arena,
            )
            .await
            .unwrap();
            assert!(page.items.len() <= limit as usize);
            all.extend(page.items);
            match page.next {
                Some(next) => query = ListQuery { cursor: Some(next), ..query.clone() },
                None => return all,
            }
        }
        panic!("the list does not end");
    }

    #[tokio::test]
    async fn f_326_every_record_comes_once_whatever_the_page() {
        for limit in 1..=10 {
            assert_eq!(walk(limit, None).await, [0, 1, 2, 3, 4, 10, 11, 12, 13], "{limit}");
            assert_eq!(walk(limit, Some("own")).await, [0, 1, 2, 3, 4], "{limit}");
            assert_eq!(walk(limit, Some("system")).await, [10, 11, 12, 13], "{limit}");
        }
    }

    /// Pages of those of 0 to 99 that are taken.
    async fn pages(limit: u32, takes: fn(&u32) -> bool) -> Vec<Vec<u32>> {
        async fn read(query: ListQuery) -> Result<Page<u32>, Problem> {
            let (key, owner) = (CursorKey::new(b"tests"), UserId::from_bytes([1; 16]));
            let mut arena = String::new();
            let (own, system) =
                (|l: Listing<'_>| numbers(0..40, l), |l: Listing<'_>| numbers(40..100, l));
            list(&key, &owner, "x", &query, own, system, &mut arena).await
        }
        let mut query = ListQuery { limit: Some(limit), ..ListQuery::default() };
        let mut all = Vec::new();
        loop {
            let page = filled(query.clone(), |query| Box::pin(read(query)), takes).await.unwrap();
            assert!(page.items.len() <= limit as usize);
            all.push(page.items);
            match page.next {
                Some(next) => query.cursor = Some(next),
                None => return all,
            }
            assert!(all.len() < 200, "the list does not end");
        }
    }

    #[tokio::test]
    async fn f_326_a_filtered_page_is_filled_by_reading_on() {
        for limit in 1..=12 {
            let third = pages(limit, |n| n % 3 == 0).await;
            let expect: Vec<u32> = (0..100).filter(|n| n % 3 == 0).collect();
            assert_eq!(third.concat(), expect, "{limit}");
            let full = third.iter().filter(|page| page.len() == limit as usize).count();
            assert_eq!(full, expect.len() / limit as usize, "only the last is short: {limit}");
            // One in fifty: reading ends somewhere, and goes on from there.
            assert_eq!(pages(limit, |n| n % 50 == 49).await.concat(), [49, 99], "{limit}");
        }
        assert_eq!(pages(3, |_| false).await.concat(), Vec::<u32>::new());
        let none = ListQuery { limit: Some(0), ..ListQuery::default() };
        let one = |_| -> BoxFuture<'static, Result<Page<u32>, Problem>> {
            Box::pin(async { Ok(Page { items: vec![1], next: None }) })
        };
        assert!(filled(none, one, |_| true).await.is_err());
    }
}
