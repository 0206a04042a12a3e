//! `/knowledge/entities` (F-272, F-273): finding entities by name, kind or identifier.
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use countersign_knowledge::explore::{Explore as _, Named, entity_record};
use countersign_knowledge::fold::search_tokens;
use countersign_knowledge::graph::Scope;
use countersign_knowledge::{Entity, EntityType, ExternalId, Namespace};
use countersign_store_kit::Page as Stored;
use countersign_store_knowledge::Window;
use countersign_web::{Page, Problem};
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;

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
    /// Words of a name, or how they begin; case and accents do not count. Of a name that more than
    /// 1,000 entities may have, the page behind the last of those is refused.
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
        let is_of = |subtype: &String| entity.subtype.as_deref() == Some(subtype.as_str());
        kind.is_none_or(|kind| entity.entity_type == kind)
            && self.subtype.as_ref().is_none_or(is_of)
    }

    /// The words to look for; none when no name is given.
    fn words(&self) -> Result<Vec<String>, Problem> {
        let Some(text) = &self.q else { return Ok(Vec::new()) };
        let words = search_tokens(text);
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

/// Entities of the caller's graph: by name in the order of ids, of one kind in the order of names, else by id.
#[utoipa::path(
    get, path = "/knowledge/entities", tag = "knowledge", params(EntityQuery),
    responses((status = 200, body = Page<Value>))
)]
pub(crate) async fn list(asked: Asked<EntityQuery>) -> PageOf<Value> {
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
    let page = match looked_up(ctx, &scope, query).await? {
        Some(found) => by_id(found, query, &paging)?,
        None => all(ctx, &scope, query, &paging).await?,
    };
    paging.page(page.map(|entity| entity_record(&entity)))
}

/// A page of what was looked up. One that ends where more may be there has a `next` all the same: that one is refused.
fn by_id(found: Named, query: &EntityQuery, paging: &Paging) -> Result<Stored<Entity>, Problem> {
    let limit = paging.limit.unsigned_abs() as usize;
    let is_after = |entity: &Entity| paging.after().is_none_or(|after| entity.id.as_str() > after);
    let mut items = found.entities;
    items.retain(|entity| query.takes(entity) && is_after(entity));
    if items.is_empty() && found.is_cut {
        let message = "fits more than 1,000 entities, and those that were looked at are listed: write more of the name";
        return Err(Problem::field("q", message));
    }
    let has_more = items.len() > limit || found.is_cut;
    items.truncate(limit);
    let next = items.last().filter(|_| has_more).map(|last| last.id.to_string());
    Ok(Stored { items, next })
}

/// What a name or an identifier finds; none when neither is given.
async fn looked_up(
    ctx: &Context,
    scope: &Scope,
    query: &EntityQuery,
) -> Result<Option<Named>, Problem> {
    let words = query.words()?;
    let Some(id) = query.identifier()? else {
        let Some(text) = &query.q else { return Ok(None) };
        let found = ctx.knowledge.named(scope, text).await;
        return found.map(Some).map_err(|error| Problem::of(&*error));
    };
    let given = query.kind.as_deref().map(EntityType::from);
    let mut found = match given {
        Some(kind) => ctx.knowledge.identified(scope, &kind, &id).await?,
        None => {
            let found = ctx.knowledge.with_identifier(scope, &id).await;
            found.map_err(|error| Problem::of(&*error))?
        }
    };
    found.retain(|entity| entity.has_words(&words));
    found.sort_by(|one, other| one.id.cmp(&other.id));
    found.dedup_by(|one, other| one.id == other.id);
    Ok(Some(Named { entities: found, is_cut: false }))
}

async fn all(
    ctx: &Context,
    scope: &Scope,
    query: &EntityQuery,
    paging: &Paging,
) -> Result<Stored<Entity>, Problem> {
    let kind = query.kind.as_deref().map(EntityType::from);
    let kind = kind.as_ref();
    let read = |limit, after: Option<String>| -> BoxFuture<'_, Result<_, Problem>> {
        Box::pin(async move {
            let window = Window { limit, after: after.as_deref() };
            Ok(ctx.knowledge.entities(scope, kind, window).await?)
        })
    };
    paging.sifted(read, |entity| query.takes(entity)).await
}
