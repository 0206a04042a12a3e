//! What a profile's connectors look like to a playbook.

use std::collections::BTreeSet;

use countersign_connector::{
    Binding, ConnectorDefinition, ConnectorId, StoredConnector, endpoint_contract,
};
use countersign_identity::UserId;
use countersign_playbook::{Bindings, EndpointContract};
use futures::future::BoxFuture;

use crate::{Catalog, Result};

impl Catalog {
    /// The endpoints the profile may call, typed. Disabled bindings and connectors that are gone are not there.
    ///
    /// # Errors
    /// [`CatalogError::Store`](crate::CatalogError::Store) when the table does not answer.
    pub fn endpoints<'a>(
        &'a self,
        owner: &'a UserId,
        profile: &'a str,
    ) -> BoxFuture<'a, Result<Bindings>> {
        Box::pin(async move {
            let mut known = Bindings::none();
            for binding in
                self.bindings(owner, profile).await?.iter().filter(|binding| binding.is_enabled)
            {
                if let Some(connector) = self.connector(owner, &binding.connector_id).await? {
                    known.bind(binding.connector_id.as_str(), allowed(binding, &connector));
                }
            }
            Ok(known)
        })
    }

    /// Every endpoint of these connectors, typed, whether an agent has them or not. Ids nobody has are not there.
    ///
    /// # Errors
    /// [`CatalogError::Store`](crate::CatalogError::Store) when the table does not answer.
    pub fn endpoints_of<'a>(
        &'a self,
        owner: &'a UserId,
        connectors: &'a BTreeSet<&'a str>,
    ) -> BoxFuture<'a, Result<Bindings>> {
        Box::pin(async move {
            let mut known = Bindings::none();
            for id in connectors.iter().filter_map(|id| ConnectorId::parse(id).ok()) {
                if let Some(connector) = self.connector(owner, &id).await? {
                    let definition = connector.trusted(None);
                    known.bind(id.as_str(), typed(&definition, definition.endpoints.keys()));
                }
            }
            Ok(known)
        })
    }
}

fn allowed(binding: &Binding, connector: &StoredConnector) -> Vec<(String, EndpointContract)> {
    let definition = connector.trusted(Some(binding));
    let names = definition.endpoints.keys().filter(|name| binding.permissions.allows(name));
    typed(&definition, names)
}

fn typed<'a>(
    definition: &ConnectorDefinition,
    names: impl Iterator<Item = &'a String>,
) -> Vec<(String, EndpointContract)> {
    let typed = |name: &String| {
        let contract = endpoint_contract(definition, name)?;
        let (inputs, outputs) = (contract.inputs, contract.outputs);
        Some((
            name.clone(),
            EndpointContract { inputs, outputs, irreversible: contract.irreversible },
        ))
    };
    names.filter_map(typed).collect()
}
