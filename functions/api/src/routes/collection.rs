//! The routes that every kind of document has: `/{kind}` and `/{kind}/{id}`.

pub(crate) mod described;
pub(crate) mod json;
mod most;
pub(crate) mod patch;
pub(crate) mod record;
pub(crate) mod schemas;

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use countersign_identity::{Caller, Presented, Role, Scopes, UserId};
use countersign_store_catalog::{Collection, StoredDocument};
use countersign_web::idempotency::{Attempt, Key};
use countersign_web::{FieldError, IfMatch, Json, Page, Path, Problem, Query, Signed, Tagged};
use futures::future::BoxFuture;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use http::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use utoipa::{IntoParams, ToSchema};

use self::described::Words;
use super::answers::DiagnosticAnswer;
use super::{Ctx, JsonOf, Reader, administers, found, holder};
use crate::Context;
use crate::idempotency::{created, do_once};
use crate::pagination::{self, ListQuery};

/// A document read from what a person sent, and what there is to say about it.
pub(crate) type Read<K> = Result<(K, Vec<<K as Kind>::Warning>), Problem>;

/// An answer that shows one document, with its version.
pub(crate) type Shows<K> = Result<Tagged<Json<<K as Kind>::View>>, Problem>;

/// Documents of a page whose lines are made together.
const AT_ONCE: usize = 8;

/// Fields beside those of a document, by name.
pub(crate) type More = Map<String, Value>;

/// Who writes a document.
#[derive(Clone, Copy)]
pub(crate) struct Author<'a> {
    /// The caller.
    pub(crate) user: &'a UserId,
    /// What the caller may do.
    pub(crate) scopes: &'a Scopes,
    /// Sixteen bytes for its id: the same whenever the request is repeated.
    pub(crate) id: [u8; 16],
}

/// A kind of document with the routes of a collection, and its own checks.
pub(crate) trait Kind: StoredDocument {
    /// The word of its addresses, such as `connectors`.
    const PLURAL: &'static str;
    /// What its operations say of themselves.
    const WORDS: Words;
    /// What the `kind` of a list may be; empty when it is its owner's own word.
    const KINDS: &'static [&'static str] = &[];
    /// The role that writing one needs (K-34).
    const WRITER: Role = Role::Analyst;
    /// The role that removes one, with everything that belongs to it, and that puts one in place of what the deployment ships.
    const REMOVER: Role = Self::WRITER;

    /// What is sent to create one.
    type Draft: DeserializeOwned + Serialize + ToSchema + Send + Sync;
    /// What is sent to replace one.
    type Change: DeserializeOwned + ToSchema + Send;
    /// What lists can be narrowed by.
    type Query: DeserializeOwned + IntoParams + Send + Sync;
    /// Something in a text that is not wrong and may surprise.
    type Warning: Send + Serialize;
    /// How it is shown in a list.
    type Line: for<'a> From<&'a Self> + Serialize + ToSchema + Send;
    /// How it is shown alone.
    type View: Serialize + ToSchema;

    /// Reads a new document.
    fn draft(
        ctx: &Context,
        author: Author<'_>,
        draft: &Self::Draft,
    ) -> impl Future<Output = Read<Self>> + Send;

    /// Reads the document that replaces this one.
    fn change(
        self,
        ctx: &Context,
        editor: &Caller,
        change: Self::Change,
    ) -> impl Future<Output = Read<Self>> + Send;

    /// The same document, saved with this token: what runs for it by itself ends when that is revoked.
    #[must_use]
    fn saved_with(self, _: &Presented) -> Self {
        self
    }

    /// Whether its owner may have one more of them.
    fn fits_in(&self, _: &Context) -> impl Future<Output = Result<(), Problem>> + Send {
        async { Ok(()) }
    }

    /// What this document is, when only an administrator may write it (K-34).
    fn reserved(&self) -> Option<String> {
        None
    }

    /// Whether replacing this document by another one may change who signs: that takes an analyst, whoever writes the rest.
    fn asks_others(&self, _after: &Self) -> bool {
        false
    }

    /// What must be so, or be done, before this document is removed.
    fn before_removal(&self, _: &Context) -> impl Future<Output = Result<(), Problem>> + Send {
        async { Ok(()) }
    }

    /// What is told elsewhere once this document has taken the place of another one, or is there for the first time. It is stored
    /// by then: whatever fails here is made up for by others.
    fn after_write(&self, _: &Context) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// The same once it is gone.
    fn after_removal(&self, _: &Context) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// What is shown of one document beside its fields, by name.
    fn more(&self, _: &Context) -> impl Future<Output = Result<More, Problem>> + Send {
        async { Ok(More::new()) }
    }

    /// How it is shown in a list, with what is known of it there.
    fn listed(&self, _: &Context) -> impl Future<Output = Result<Self::Line, Problem>> + Send {
        std::future::ready(Ok(Self::Line::from(self)))
    }

    /// What the store is asked for.
    fn listing(query: &Self::Query) -> ListQuery;

    /// Whether a list has this document.
    fn fits(&self, _: &Self::Query) -> bool {
        true
    }

    /// Schemas of the OpenAPI document that utoipa cannot hold, by name.
    fn schemas() -> Vec<(String, Value)> {
        Vec::new()
    }

    /// The document alone.
    fn view(self, warnings: Vec<Self::Warning>, more: More) -> Self::View;
}

/// The documents of this kind.
fn collection<K: Kind>(ctx: &Context) -> Collection<'_, K> {
    ctx.catalog.collection()
}

/// Where the documents of a kind are.
fn path<K: Kind>() -> String {
    format!("/{}", K::PLURAL)
}

/// What answers at `/{kind}`.
pub(crate) fn all<K: Kind>() -> (String, MethodRouter<Arc<Context>>) {
    (path::<K>(), get(list::<K>).post(create::<K>))
}

/// What answers at `/{kind}/validate`.
pub(crate) fn validation<K: Kind>() -> (String, MethodRouter<Arc<Context>>) {
    (format!("{}/validate", path::<K>()), post(validate::<K>))
}

/// What answers at `/{kind}/{id}`.
pub(crate) fn one<K: Kind>() -> (String, MethodRouter<Arc<Context>>) {
    let methods = get(detail::<K>).put(replace::<K>).delete(delete::<K>);
    (format!("{}/{{id}}", path::<K>()), methods)
}

async fn create<K: Kind>(
    State(ctx): Ctx,
    signed: Signed,
    key: Key,
    Json(draft): Json<K::Draft>,
) -> Result<Response, Problem> {
    let user = holder(&signed, K::WRITER)?;
    let attempt = Attempt::new(user, &format!("POST {}", path::<K>()), key, &draft)?;
    do_once(&ctx, &attempt, async {
        let (new, warnings) = K::draft(
            &ctx,
            Author { user, scopes: &signed.caller.scopes, id: attempt.id() },
            &draft,
        )
        .await?;
        may_write(&signed, &new)?;
        may_hide::<K>(&ctx, &signed, new.id()).await?;
        new.fits_in(&ctx).await?;
        let stored = collection::<K>(&ctx).create(&new.saved_with(&signed.presented)).await?;
        stored.after_write(&ctx).await;
        created_at(stored, warnings)
    })
    .await
}

/// The answer of a request that created this document.
///
/// # Errors
/// When it has no JSON form.
pub(super) fn created_at<K: Kind>(
    stored: K,
    warnings: Vec<K::Warning>,
) -> Result<countersign_web::idempotency::StoredAnswer, Problem> {
    let place = format!("/api/agent-factory{}/{}", path::<K>(), stored.id());
    created(place, &stored.view(warnings, More::new()))
}

/// What there is to say about a document that is not stored.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Validity {
    /// Whether it could be stored.
    is_valid: bool,
    /// Every error, at its field.
    errors: Vec<FieldError>,
    /// What storing it would answer beside it: it could be stored, and may not do what its author expects.
    #[schema(value_type = Vec<DiagnosticAnswer>)]
    warnings: Vec<Value>,
}

async fn validate<K: Kind>(
    State(ctx): Ctx,
    signed: Signed,
    Json(draft): Json<K::Draft>,
) -> JsonOf<Validity> {
    let user = holder(&signed, Role::Reader)?;
    match K::draft(&ctx, Author { user, scopes: &signed.caller.scopes, id: [0; 16] }, &draft).await
    {
        Ok((_, warnings)) => {
            let warnings = warnings.iter().map(|one| json!(one)).collect();
            Ok(Json(Validity { is_valid: true, errors: Vec::new(), warnings }))
        }
        Err(problem) if problem.status == StatusCode::UNPROCESSABLE_ENTITY.as_u16() => {
            let errors = problem.errors.clone();
            Ok(Json(Validity { is_valid: false, errors, warnings: Vec::new() }))
        }
        Err(problem) => Err(problem),
    }
}

/// One's own documents, then the ones the deployment ships.
pub(super) async fn list<K: Kind>(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Query(query): Query<K::Query>,
) -> JsonOf<Page<K::Line>> {
    let read = |listing| -> BoxFuture<'_, _> { Box::pin(page::<K>(&ctx, owner, listing)) };
    let listing = K::listing(&query);
    known_kind::<K>(&listing)?;
    let page = pagination::filled(listing, read, |one: &K| one.fits(&query)).await?;
    let line = |one: K| -> BoxFuture<'_, Result<K::Line, Problem>> {
        let ctx = &ctx;
        Box::pin(async move { one.listed(ctx).await })
    };
    let lines = stream::iter(page.items).map(line).buffered(AT_ONCE);
    Ok(Json(Page { items: lines.try_collect().await?, next: page.next }))
}

/// A list of a kind that there is not would be empty, as if nobody had one.
fn known_kind<K: Kind>(listing: &ListQuery) -> Result<(), Problem> {
    let Some(kind) = listing.kind.as_deref() else { return Ok(()) };
    if K::KINDS.is_empty() || K::KINDS.contains(&kind) {
        return Ok(());
    }
    Err(Problem::invalid(vec![FieldError::choice("kind", K::KINDS, kind)]))
}

async fn page<K: Kind>(
    ctx: &Context,
    owner: &UserId,
    listing: ListQuery,
) -> Result<Page<K>, Problem> {
    let mut arena = String::new();
    let own = |listing| collection::<K>(ctx).list(owner, listing);
    let system = |listing| collection::<K>(ctx).list_system(listing);
    let key = ctx.cursors.get().await?;
    pagination::list(key, owner, K::PLURAL, &listing, own, system, &mut arena).await
}

async fn detail<K: Kind>(
    State(ctx): Ctx,
    Reader(ref user): Reader,
    Path(id): Path<K::Id>,
) -> Shows<K> {
    let stored = found(collection::<K>(&ctx).get(user, &id).await?)?;
    let more = stored.more(&ctx).await?;
    Ok(shows(stored, Vec::new(), more))
}

fn shows<K: Kind>(stored: K, warnings: Vec<K::Warning>, more: More) -> Tagged<Json<K::View>> {
    Tagged { version: stored.version(), shown: Json(stored.view(warnings, more)) }
}

async fn replace<K: Kind>(
    State(ctx): Ctx,
    signed: Signed,
    Path(id): Path<K::Id>,
    seen: IfMatch,
    Json(change): Json<K::Change>,
) -> Shows<K> {
    let before = changeable::<K>(&ctx, holder(&signed, K::WRITER)?, &id).await?;
    seen.check(before.version())?;
    let (after, warnings) = changed(&ctx, &signed, &before, change).await?;
    stored(&ctx, &before, after, warnings).await
}

/// A document of the caller as it is to be, when the caller may make it that.
async fn changed<K: Kind>(
    ctx: &Context,
    signed: &Signed,
    before: &K,
    change: K::Change,
) -> Read<K> {
    let (after, warnings) = before.clone().change(ctx, &signed.caller, change).await?;
    if after.id() != before.id() {
        return Err(Problem::field("yaml", format!("the id must stay `{}`", before.id())));
    }
    may_write(signed, before)?;
    may_write(signed, &after)?;
    if before.asks_others(&after) {
        holder(signed, Role::Analyst)?;
    }
    Ok((after.saved_with(&signed.presented), warnings))
}

/// Puts a document in the place of the one that it was.
async fn stored<K: Kind>(
    ctx: &Context,
    before: &K,
    after: K,
    warnings: Vec<K::Warning>,
) -> Shows<K> {
    collection::<K>(ctx).replace(before, &after).await?;
    after.after_write(ctx).await;
    Ok(shows(after, warnings, More::new()))
}

/// What reaches further than its author's role takes an administrator. To remove it, it is enough to be its owner.
pub(super) fn may_write<K: Kind>(signed: &Signed, document: &K) -> Result<(), Problem> {
    match document.reserved() {
        Some(what) => administers(signed, &what).map(drop),
        None => Ok(()),
    }
}

/// A document of the caller hides the deployment's of the same id, from runs too: that is like removing it.
async fn may_hide<K: Kind>(ctx: &Context, signed: &Signed, id: &K::Id) -> Result<(), Problem> {
    let Err(denied) = holder(signed, K::REMOVER) else { return Ok(()) };
    let there = collection::<K>(ctx).get(&signed.caller.user, id).await?;
    if there.is_some_and(|there| there.owner().is_none()) { Err(denied) } else { Ok(()) }
}

async fn delete<K: Kind>(
    State(ctx): Ctx,
    signed: Signed,
    Path(id): Path<K::Id>,
    seen: IfMatch,
) -> Result<StatusCode, Problem> {
    let before = changeable::<K>(&ctx, holder(&signed, K::REMOVER)?, &id).await?;
    seen.check(before.version())?;
    before.before_removal(&ctx).await?;
    collection::<K>(&ctx).delete(&before).await?;
    before.after_removal(&ctx).await;
    Ok(StatusCode::NO_CONTENT)
}

/// The caller's own document; what the system ships cannot be changed here (F-006).
pub(super) async fn changeable<K: Kind>(
    ctx: &Context,
    owner: &UserId,
    id: &K::Id,
) -> Result<K, Problem> {
    let stored = found(collection::<K>(ctx).get(owner, id).await?)?;
    if stored.owner().is_some() {
        return Ok(stored);
    }
    let problem = Problem::new(
        StatusCode::FORBIDDEN,
        "SYSTEM_TEMPLATE",
        "what the deployment ships cannot be changed",
    );
    Err(problem.with_hint("make a copy and change that"))
}
