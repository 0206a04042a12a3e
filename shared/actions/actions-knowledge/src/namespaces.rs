//! Which part of the graph a call is about.

use countersign_identity::UserId;
use countersign_knowledge::Namespace;
use countersign_knowledge::graph::Scope;
use countersign_registry::action::{ActionError, ActionFuture, Call};
use countersign_store_catalog::Catalog;

/// The `knowledge_config.graph_namespaces` of a profile (F-170).
pub trait ProfileNamespaces: Send + Sync {
    /// The parts of the graph that a profile of this owner works in; empty when it names none or does not exist.
    fn namespaces<'a>(
        &'a self,
        owner: &'a UserId,
        profile: &'a str,
    ) -> ActionFuture<'a, Vec<Namespace>>;
}

impl ProfileNamespaces for Catalog {
    fn namespaces<'a>(
        &'a self,
        owner: &'a UserId,
        profile: &'a str,
    ) -> ActionFuture<'a, Vec<Namespace>> {
        Box::pin(async move {
            let found = self.profile_named(owner, profile).await;
            let found = found.map_err(|error| ActionError::from_failure(&error))?;
            Ok(found.map(|found| found.spec.knowledge_config.namespaces()).unwrap_or_default())
        })
    }
}

/// The part that a step names, else the first of its agent, else `default`.
pub(crate) async fn scope(
    profiles: &dyn ProfileNamespaces,
    call: &Call,
    written: Option<&str>,
) -> Result<Scope, ActionError> {
    let mut scopes = scopes(profiles, call, written).await?;
    Ok(scopes.swap_remove(0))
}

/// The part that a step names, else all of its agent, the one that is written first; never none.
pub(crate) async fn scopes(
    profiles: &dyn ProfileNamespaces,
    call: &Call,
    written: Option<&str>,
) -> Result<Vec<Scope>, ActionError> {
    let own = profiles.namespaces(&call.owner, &call.info.profile_id).await?;
    let named = match written.map(Namespace::parse) {
        Some(Ok(named)) => vec![checked(&own, named)?],
        Some(Err(error)) => return Err(ActionError::terminal("BAD_PARAM", error.to_string())),
        None if own.is_empty() => vec![Namespace::default()],
        None => own,
    };
    let scope = |namespace| Scope { owner: call.owner.clone(), namespace };
    Ok(named.into_iter().map(scope).collect())
}

/// An agent that names parts works in these only.
fn checked(own: &[Namespace], named: Namespace) -> Result<Namespace, ActionError> {
    if own.is_empty() || own.contains(&named) {
        return Ok(named);
    }
    let names: Vec<String> = own.iter().map(|name| format!("`{}`", name.as_str())).collect();
    let message = format!(
        "`namespace` is `{}`, but the agent works in {} only",
        named.as_str(),
        names.join(", ")
    );
    let help = "add it to `knowledge_config.graph_namespaces` of the agent, or leave it out";
    Err(ActionError::terminal("BAD_PARAM", message).with_help(help))
}
