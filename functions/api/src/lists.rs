//! Lists of what a caller has: the request for a page, and the page that answers it.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use countersign_identity::UserId;
use countersign_store_kit::{Page as Stored, Window};
use countersign_web::{Cursor, Json, Page, PageQuery, Problem, Query};
use futures::future::BoxFuture;
use http::request::Parts;
use serde::de::DeserializeOwned;

use crate::Context;
use crate::pagination::MAX_READS;
use crate::routes::{JsonOf, Reader};

/// The answer to a request for a page.
pub(crate) type PageOf<T> = JsonOf<Page<T>>;

/// What narrows a list: each filter with its value. A cursor belongs to them.
pub(crate) type Filters<'f> = [(&'f str, Option<&'f str>)];

/// A request for a page by somebody who may read: whose list it is, and what the query says.
pub(crate) struct Asked<Q> {
    pub(crate) ctx: Arc<Context>,
    pub(crate) owner: UserId,
    pub(crate) query: Q,
}

impl<Q: DeserializeOwned> FromRequestParts<Arc<Context>> for Asked<Q> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, ctx: &Arc<Context>) -> Result<Self, Problem> {
        let Reader(owner) = Reader::from_request_parts(parts, ctx).await?;
        let Query(query) = Query::from_request_parts(parts, ctx).await?;
        Ok(Self { ctx: Arc::clone(ctx), owner, query })
    }
}

impl<Q: Paged> Asked<Q> {
    /// Which page of the list `name` is asked for; `filters` is what narrows the list.
    ///
    /// # Errors
    /// A [`Problem`] when the limit is out of bounds, or the cursor is not one of this list.
    pub(crate) async fn paging(
        &self,
        name: &str,
        filters: &Filters<'_>,
    ) -> Result<Paging, Problem> {
        Paging::of(&self.ctx, &self.owner, name, filters, &self.query.page()).await
    }

    /// The page of the list `name` that is asked for, as `read` gives it.
    ///
    /// # Errors
    /// As [`Asked::paging`], and what `read` says.
    pub(crate) async fn listed<'r, T, E>(
        &self,
        name: &str,
        filters: &Filters<'_>,
        read: impl FnOnce(Window) -> BoxFuture<'r, Result<Stored<T>, E>>,
    ) -> PageOf<T>
    where
        Problem: From<E>,
    {
        let paging = self.paging(name, filters).await?;
        paging.page(read(paging.window()).await?)
    }

    /// As [`Asked::listed`], without what `takes` refuses: see [`Paging::sifted`].
    ///
    /// # Errors
    /// As [`Asked::listed`].
    pub(crate) async fn sifted<'r, T, E>(
        &self,
        name: &str,
        filters: &Filters<'_>,
        read: impl Fn(Window) -> BoxFuture<'r, Result<Stored<T>, E>>,
        takes: impl Fn(&T) -> bool,
    ) -> PageOf<T>
    where
        Problem: From<E>,
    {
        let paging = self.paging(name, filters).await?;
        paging.page(paging.sifted(read, takes).await?)
    }
}

/// A query with `limit` and `cursor`.
pub(crate) trait Paged {
    /// Which page it asks for.
    fn page(&self) -> PageQuery;
}

impl Paged for PageQuery {
    fn page(&self) -> PageQuery {
        self.clone()
    }
}

/// Says of a query that its fields `limit` and `cursor` are the page it asks for.
macro_rules! paged {
    ($query:ty) => {
        impl $crate::lists::Paged for $query {
            fn page(&self) -> countersign_web::PageQuery {
                countersign_web::PageQuery { limit: self.limit, cursor: self.cursor.clone() }
            }
        }
    };
}
pub(crate) use paged;

/// Which page of which list: how many items, behind which one.
pub(crate) struct Paging {
    cursor: Cursor,
    /// At most so many items.
    pub(crate) limit: i32,
    after: Option<String>,
}

impl Paging {
    /// The page that `asked` names, of the list `name` of `owner`.
    ///
    /// # Errors
    /// A [`Problem`] when the limit is out of bounds, or the cursor is not one of this list.
    pub(crate) async fn of(
        ctx: &Context,
        owner: &UserId,
        name: &str,
        filters: &Filters<'_>,
        asked: &PageQuery,
    ) -> Result<Self, Problem> {
        let cursor = Cursor::new(ctx.cursors.get().await?, owner, name, filters);
        let (limit, after) = (asked.limit()?, asked.after(&cursor)?);
        Ok(Self { cursor, limit, after })
    }

    /// Where the store goes on.
    pub(crate) fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// Which part of the list this is.
    pub(crate) fn window(&self) -> Window {
        Window { limit: self.limit, after: self.after.clone() }
    }

    /// The answer: what the store has given.
    pub(crate) fn page<T>(&self, found: Stored<T>) -> PageOf<T> {
        Ok(Json(self.cursor.page(found.items, found.next.as_deref())))
    }

    /// What `read` gives of the list, without what `takes` refuses: what is left out is made up for by reading on. When few of many are
    /// taken, a page may still be short and have a `next`.
    ///
    /// # Errors
    /// What `read` says.
    pub(crate) async fn sifted<'r, T, E>(
        &self,
        read: impl Fn(Window) -> BoxFuture<'r, Result<Stored<T>, E>>,
        takes: impl Fn(&T) -> bool,
    ) -> Result<Stored<T>, Problem>
    where
        Problem: From<E>,
    {
        let (limit, mut after) = (self.limit, self.after.clone());
        let mut items: Vec<T> = Vec::new();
        for _ in 0..MAX_READS {
            // Never more than still fit, so that the place where the list goes on is behind the last one read.
            let left = limit.saturating_sub(i32::try_from(items.len()).unwrap_or(limit));
            let page = read(Window { limit: left, after }).await?;
            items.extend(page.items.into_iter().filter(&takes));
            after = page.next;
            if after.is_none() || i32::try_from(items.len()).is_ok_and(|have| have >= limit) {
                break;
            }
        }
        Ok(Stored { items, next: after })
    }
}
