//! Requests about what their path names.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use countersign_web::{Path, Problem};
use http::request::Parts;
use serde::de::DeserializeOwned;

use super::Reader;
use crate::Context;

/// Who asks, and what the path names: one id, or several. Who may not ask is told so before the path is read.
pub(crate) struct Named<Ids, Who = Reader>(pub(crate) Arc<Context>, pub(crate) Who, pub(crate) Ids);

impl<Ids, Who> FromRequestParts<Arc<Context>> for Named<Ids, Who>
where
    Ids: DeserializeOwned + Send,
    Who: FromRequestParts<Arc<Context>, Rejection = Problem> + Send,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, ctx: &Arc<Context>) -> Result<Self, Problem> {
        let who = Who::from_request_parts(parts, ctx).await?;
        let Path(ids) = Path::from_request_parts(parts, ctx).await?;
        Ok(Self(Arc::clone(ctx), who, ids))
    }
}
