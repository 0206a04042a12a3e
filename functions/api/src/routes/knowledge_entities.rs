//! `/knowledge/entities` (F-272, F-273): finding entities by name, kind or identifier.
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use countersign_knowledge::explore::{EntityRecord, Explore as _};
use countersign_knowledge::fold::search_words;
use countersign_knowledge::graph::Scope;
use countersign_knowledge::{Entity, EntityType, ExternalId, Namespace};
use countersign_store_kit::Page as Stored;
use countersign_web::{Page, Problem};
use futures::future::BoxFuture;
use serde::Deserialize;
use utoipa::IntoParams;

use super::answers::EntityAnswer;
use super::knowledge::scope;
use crate::Context;
use crate::lists::{Asked, PageOf, Paging, paged};

/// Which entities.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct EntityQuery {
    /// At most so many entities, 1 to 100; 50 when left out. When few of many fit, a page may have fewer and still a `next`.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// The part of the caller's graph; `default` when left out.
    #[param(value_type = Option<String>)]
    namespace: Option<Namespace>,
    /// Words of a name, or how they begin; case and accents do not count. They are looked for among 20,000 names that begin so:
    /// where there are more, and no word is rare, it is refused.
    q: Option<String>,
    /// Only one kind, such as `PERSON` or `ORG`.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Only one subtype, such as `FOUNDATION`.
    subtype: Option<String>,
    /// Only with this identifier, `scheme:value`, such as `ein:12-3456789`.
    external_id: Option<String>,
}

paged!(EntityQuery);

impl EntityQuery {
    fn takes(&self, entity: &Entity) -> bool {
        let kind = self.kind.as_deref().map(EntityType::from);
        let is_of = |subtype: &String| {
            entity.subtype.as_ref().is_some_and(|own| own.to_lowercase() == subtype.to_lowercase())
        };
        kind.is_none_or(|kind| entity.entity_type == kind)
            && self.subtype.as_ref().is_none_or(is_of)
    }

    /// The words to look for; none when no name is given.
    fn words(&self) -> Result<Vec<String>, Problem> {
        let Some(text) = &self.q else { return Ok(Vec::new()) };
        let words = search_words(text);
        if words.is_empty() {
            return Err(Problem::field("q", "needs a word of two letters or more"));
        }
        Ok(words)
    }

    fn identifier(&self) -> Result<Option<ExternalId>, Problem> {
        let Some(text) = &self.external_id else { return Ok(None) };
        let problem =
            || Problem::field("external_id", "must be `scheme:value`, such as `ein:12-3456789`");
        ExternalId::parse(text).ok_or_else(problem).map(Some)
    }
}

/// Entities of the caller's graph: of one kind in the order of names, otherwise and with `q` in that of ids.
#[utoipa::path(
    get, path = "/knowledge/entities", tag = "knowledge", params(EntityQuery),
    responses((status = 200, body = Page<EntityAnswer>))
)]
pub(crate) async fn list(asked: Asked<EntityQuery>) -> PageOf<EntityRecord> {
    let (ctx, query) = (&asked.ctx, &asked.query);
    let scope = scope(&asked.owner, query.namespace.clone());
    let filters = [
        ("namespace", Some(scope.namespace.as_str())),
        ("q", query.q.as_deref()),
        ("type", query.kind.as_deref()),
        ("subtype", query.subtype.as_deref()),
        ("external_id", query.external_id.as_deref()),
    ];
    let paging = asked.paging("entities", &filters).await?;
    let page = match (query.identifier()?, &query.q) {
        (Some(id), _) => Stored { items: identified(ctx, &scope, query, &id).await?, next: None },
        (None, Some(_)) => named(ctx, &scope, query, &paging).await?,
        (None, None) => all(ctx, &scope, query, &paging).await?,
    };
    paging.page(page.map(EntityRecord::from))
}

/// A page of those with this identifier: of each kind one, unless people are still asked.
async fn identified(
    ctx: &Context,
    scope: &Scope,
    query: &EntityQuery,
    id: &ExternalId,
) -> Result<Vec<Entity>, Problem> {
    let words = query.words()?;
    let given = query.kind.as_deref().map(EntityType::from);
    let mut found = match given {
        Some(kind) => ctx.knowledge.identified(scope, &kind, id).await?,
        None => {
            let found = ctx.knowledge.with_identifier(scope, id).await;
            found.map_err(|error| Problem::of(&*error))?
        }
    };
    found.retain(|entity| query.takes(entity) && entity.has_words(&words));
    Ok(found)
}

async fn named(
    ctx: &Context,
    scope: &Scope,
    query: &EntityQuery,
    paging: &Paging,
) -> Result<Stored<Entity>, Problem> {
    let words = &query.words()?;
    let read = |window| -> BoxFuture<'_, Result<_, Problem>> {
        Box::pin(async move {
            let message = "more than 20,000 names have words that begin so: write more of one of them, or add a word";
            let found = ctx.knowledge.find(scope, words, window).await?;
            found.ok_or_else(|| Problem::field("q", message))
        })
    };
    paging.sifted(read, |entity| query.takes(entity)).await
}

async fn all(
    ctx: &Context,
    scope: &Scope,
    query: &EntityQuery,
    paging: &Paging,
) -> Result<Stored<Entity>, Problem> {
    let kind = query.kind.as_deref().map(EntityType::from);
    let kind = kind.as_ref();
    let read = |window| -> BoxFuture<'_, Result<_, Problem>> {
        Box::pin(async move { Ok(ctx.knowledge.entities(scope, kind, window).await?) })
    };
    paging.sifted(read, |entity| query.takes(entity)).await
}
