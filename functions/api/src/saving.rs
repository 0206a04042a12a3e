//! Whether a playbook may be saved.

use std::collections::BTreeSet;

use countersign_identity::UserId;
use countersign_playbook::{Bindings, Compiled, Diagnostic, ValidPlaybook};
use countersign_web::Problem;

use crate::{Context, documents};

/// The playbook of a text with its warnings, checked against the connectors its author has.
pub(crate) async fn playbook(
    ctx: &Context,
    author: &UserId,
    yaml: &str,
) -> Result<(ValidPlaybook, Vec<Diagnostic>), Problem> {
    let alone = documents::valid(&ctx.registry, yaml, None)?;
    match known(ctx, author, &alone.0).await? {
        Some(known) => documents::valid(&ctx.registry, yaml, Some(&known)),
        None => Ok(alone),
    }
}

/// What is to be said of a text, for an agent's connectors when they are known.
pub(crate) async fn judged(
    ctx: &Context,
    author: &UserId,
    yaml: &str,
    bindings: Option<&Bindings>,
) -> Result<Compiled, Problem> {
    let alone = documents::compiled(&ctx.registry, yaml, bindings, None);
    let Some(playbook) = &alone.playbook else { return Ok(alone) };
    match known(ctx, author, playbook).await? {
        Some(known) => Ok(documents::compiled(&ctx.registry, yaml, bindings, Some(&known))),
        None => Ok(alone),
    }
}

/// The connectors a playbook names, as its author has them; those that the author does not have are left out.
async fn known(
    ctx: &Context,
    author: &UserId,
    playbook: &ValidPlaybook,
) -> Result<Option<Bindings>, Problem> {
    let named: BTreeSet<&str> = playbook.connectors();
    if named.is_empty() {
        return Ok(None);
    }
    Ok(Some(ctx.catalog.endpoints_of(author, &named).await?))
}
