//! For whom a clock starts runs.

use countersign_identity::{Requirement, Role, Scopes, UserId, permits};
use countersign_store_directory::Directory;
use countersign_web::Problem;
use http::StatusCode;

use crate::Invoker;

/// The owner of what runs by itself: with the rights they have now, and never more than whoever saved it had then.
///
/// # Errors
/// A [`Problem`] when their account is not active, or too little is left for starting runs.
pub async fn on_behalf(
    directory: &Directory,
    owner: &UserId,
    saved: Option<&Scopes>,
) -> Result<Invoker, Problem> {
    let refused = |code, detail: String| Problem::new(StatusCode::FORBIDDEN, code, detail);
    let entry = directory.entry_of(owner).await?;
    let entry = entry
        .filter(|entry| entry.active)
        .ok_or_else(|| refused("USER_INACTIVE", "the owner's account is not active".to_owned()))?;
    let scopes = entry.scopes.intersect(saved.unwrap_or(&Scopes::default()));
    permits(&scopes, &Requirement::role(Role::Analyst), None).map_err(|denied| {
        refused("PERMISSION_DENIED", format!("{denied}, in the directory and when it was saved"))
    })?;
    Ok(Invoker { user: owner.clone(), scopes, token: None })
}
