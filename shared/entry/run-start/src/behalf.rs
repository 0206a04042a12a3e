//! For whom a clock starts runs.

use countersign_identity::{Refused, Requirement, Role, Saved, UserId, permits};
use countersign_store_directory::Directory;
use countersign_web::Problem;
use http::StatusCode;

use crate::Invoker;

/// The owner of what runs by itself: with the rights they have now, and never more than whoever saved it had then. The run keeps
/// the token it was saved with: once that is revoked, no step of it acts any more.
///
/// # Errors
/// A [`Problem`] when their account is not active, the token was revoked, or too little is left for starting runs.
pub async fn on_behalf(
    directory: &Directory,
    owner: &UserId,
    saved: Saved<'_>,
) -> Result<Invoker, Problem> {
    let refused = |code, detail: String| Problem::new(StatusCode::FORBIDDEN, code, detail);
    let entry = directory.entry_of(owner).await?;
    let inactive = || refused("USER_INACTIVE", "the owner's account is not active".to_owned());
    let scopes = saved.remains(&entry.ok_or_else(inactive)?).map_err(|why| match why {
        Refused::TokenRevoked => {
            let detail = "the token it was saved or started with was revoked: save it again";
            refused("SAVED_TOKEN_REVOKED", detail.to_owned())
        }
        Refused::Inactive | Refused::UnknownUser => inactive(),
    })?;
    permits(&scopes, &Requirement::role(Role::Analyst), None).map_err(|denied| {
        refused("PERMISSION_DENIED", format!("{denied}, in the directory and when it was saved"))
    })?;
    Ok(Invoker {
        user: owner.clone(),
        scopes,
        token: saved.token.cloned(),
        shared: None,
        by_mention: false,
    })
}
