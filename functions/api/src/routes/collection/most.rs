//! How many documents of a kind a person may have.

use countersign_store_catalog::Stored;
use countersign_web::Problem;
use http::StatusCode;

use super::json::Fields;
use crate::Context;

/// Whether the owner of a new document may have one more. A request that is repeated finds what it has made.
pub(super) async fn fits<S: Fields>(new: &Stored<S>, ctx: &Context) -> Result<(), Problem> {
    let (Some((most, code)), Some(owner)) = (S::MOST, &new.user_id) else { return Ok(()) };
    let all = ctx.catalog.collection::<Stored<S>>().all(owner).await?;
    if all.iter().filter(|one| one.id != new.id).count() < most {
        return Ok(());
    }
    let detail = format!("you have {most} {}, which is the most a person may have", S::PLURAL);
    let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail);
    Err(problem.with_hint("remove one that is not needed any more").with("limit", most))
}
