//! Whether a playbook may be saved.

use std::collections::{BTreeMap, BTreeSet};

use countersign_gatekeeper::signers;
use countersign_identity::{Requirement, Role, UserId};
use countersign_playbook::{
    Bindings, CompileContext, Compiled, Diagnostic, NamedElsewhere, ValidPlaybook,
};
use countersign_web::Problem;

use crate::{Context, documents};

/// Approvers who are looked up for one text; a playbook that names more is checked when a run starts.
const MAX_APPROVERS: usize = 50;

/// What a text is checked against, beside the contracts.
#[derive(Debug)]
struct Known {
    /// The connectors it names, as its author has them; those that the author does not have are left out.
    connectors: Bindings,
    /// The approvers it names who cannot sign, each with the reason.
    cannot_sign: BTreeMap<String, String>,
}

impl Known {
    fn of<'a>(&'a self, world: CompileContext<'a>) -> CompileContext<'a> {
        world.knowing(&self.connectors).asking(&self.cannot_sign)
    }
}

/// The playbook of a text with its warnings, checked against what its author has and whom it asks.
pub(crate) async fn playbook(
    ctx: &Context,
    author: &UserId,
    yaml: &str,
) -> Result<(ValidPlaybook, Vec<Diagnostic>), Problem> {
    documents::valid(judged(ctx, author, yaml, None).await?)
}

/// What is to be said of a text, for an agent's connectors when they are known.
pub(crate) async fn judged(
    ctx: &Context,
    author: &UserId,
    yaml: &str,
    bindings: Option<&Bindings>,
) -> Result<Compiled, Problem> {
    let world = CompileContext::of(&ctx.registry);
    let world = bindings.map_or(world, |bindings| world.with(bindings));
    let alone = documents::compiled(yaml, &world);
    if alone.elsewhere == NamedElsewhere::default() {
        return Ok(alone);
    }
    let known = known(ctx, author, alone.elsewhere).await?;
    Ok(documents::compiled(yaml, &known.of(world)))
}

async fn known(ctx: &Context, author: &UserId, named: NamedElsewhere) -> Result<Known, Problem> {
    let connectors: BTreeSet<&str> = named.connectors.iter().map(String::as_str).collect();
    let connectors = ctx.catalog.endpoints_of(author, &connectors).await?;
    let role = Requirement::role(Role::Reader);
    let approvers: Vec<String> = named.approvers.into_iter().take(MAX_APPROVERS).collect();
    let named = signers(&ctx.directory, &approvers, &role, None).await?;
    let unable =
        named.into_iter().filter_map(|one| Some((one.name, one.person.err()?.to_string())));
    Ok(Known { connectors, cannot_sign: unable.collect() })
}
