//! What the routes of the graph, its reviews and its log share.

use std::marker::PhantomData;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use countersign_identity::UserId;
use countersign_knowledge::Namespace;
use countersign_knowledge::graph::Scope;
use countersign_knowledge::review::Decider;
use countersign_web::{Problem, Query};
use http::request::Parts;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{Reader, now};
use crate::Context;

/// A part of the graph of somebody who may read it; of a `Graph<Analyst>`, who may decide about it.
pub(crate) struct Graph<Who = Reader> {
    pub(super) ctx: Arc<Context>,
    pub(super) scope: Scope,
    who: PhantomData<Who>,
}

impl<Who> FromRequestParts<Arc<Context>> for Graph<Who>
where
    Who: FromRequestParts<Arc<Context>, Rejection = Problem> + Into<UserId>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, ctx: &Arc<Context>) -> Result<Self, Problem> {
        let owner = Who::from_request_parts(parts, ctx).await?.into();
        let Query(Part { namespace }) = Query::from_request_parts(parts, ctx).await?;
        Ok(Self { ctx: Arc::clone(ctx), scope: scope(&owner, namespace), who: PhantomData })
    }
}

/// Which part of the graph.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Part {
    /// The part of the caller's graph; `default` when left out.
    #[param(value_type = Option<String>)]
    namespace: Option<Namespace>,
}

/// A part of this person's graph.
pub(crate) fn scope(owner: &UserId, namespace: Option<Namespace>) -> Scope {
    Scope { owner: owner.clone(), namespace: namespace.unwrap_or_default() }
}

/// The owner of a graph, who decides about it now.
pub(crate) fn decider(scope: &Scope) -> Decider {
    Decider { scope: scope.clone(), person: scope.owner.clone(), at: now() }
}
