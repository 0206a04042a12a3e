//! What a profile's connectors look like to a playbook.

use countersign_connector::{Binding, StoredConnector, endpoint_contract};
use countersign_identity::UserId;
use countersign_playbook::{Bindings, EndpointContract};
use countersign_store_catalog::Catalog;
use countersign_web::Problem;

/// The endpoints the profile may call, typed. Disabled bindings and connectors that are gone are not there.
pub(crate) async fn of_profile(
    catalog: &Catalog,
    owner: &UserId,
    profile: &str,
) -> Result<Bindings, Problem> {
    let mut known = Bindings::none();
    for binding in
        catalog.bindings(owner, profile).await?.iter().filter(|binding| binding.is_enabled)
    {
        if let Some(connector) = catalog.connector(owner, &binding.connector_id).await? {
            known.bind(binding.connector_id.as_str(), endpoints(binding, &connector));
        }
    }
    Ok(known)
}

fn endpoints(binding: &Binding, connector: &StoredConnector) -> Vec<(String, EndpointContract)> {
    let definition = &connector.definition;
    let allowed = definition.endpoints.keys().filter(|name| binding.permissions.allows(name));
    allowed
        .filter_map(|name| {
            let contract = endpoint_contract(definition, name)?;
            let typed = EndpointContract {
                inputs: contract.inputs,
                outputs: contract.outputs,
                irreversible: contract.irreversible,
            };
            Some((name.clone(), typed))
        })
        .collect()
}
