//! What a profile's connectors look like to a playbook.

use std::collections::{BTreeMap, BTreeSet};

use countersign_connector::{Binding, ConnectorId, StoredConnector, endpoint_contracts};
use countersign_identity::UserId;
use countersign_playbook::{Bindings, EndpointContract};
use countersign_registry::action::ReadAhead;

use crate::{Answer, Catalog};

impl Catalog {
    /// The endpoints the profile may call, typed. Disabled bindings and connectors that are gone are not there.
    ///
    /// # Errors
    /// [`CatalogError::Store`](crate::CatalogError::Store) when the table does not answer.
    pub fn endpoints<'a>(&'a self, owner: &'a UserId, profile: &'a str) -> Answer<'a, Bindings> {
        Box::pin(async move { Ok(self.endpoints_ahead(owner, profile).await?.0) })
    }

    /// The same, and by connector what a call of it reads beside connector and binding.
    ///
    /// # Errors
    /// [`CatalogError::Store`](crate::CatalogError::Store) when the table does not answer.
    pub fn endpoints_ahead<'a>(
        &'a self,
        owner: &'a UserId,
        profile: &'a str,
    ) -> Answer<'a, (Bindings, BTreeMap<String, ReadAhead>)> {
        Box::pin(async move {
            let (mut known, mut reads) = (Bindings::none(), BTreeMap::new());
            for binding in
                self.bindings(owner, profile).await?.iter().filter(|binding| binding.is_enabled)
            {
                if let Some(connector) = self.connectors().get(owner, &binding.connector_id).await?
                {
                    known.bind(binding.connector_id.as_str(), allowed(binding, &connector));
                    let read = read_ahead(owner, binding, connector);
                    reads.insert(binding.connector_id.to_string(), read);
                }
            }
            Ok((known, reads))
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
    ) -> Answer<'a, Bindings> {
        Box::pin(async move {
            let mut known = Bindings::none();
            for id in connectors.iter().filter_map(|id| ConnectorId::parse(id).ok()) {
                if let Some(connector) = self.connectors().get(owner, &id).await? {
                    let definition = connector.trusted(None);
                    known.bind(id.as_str(), endpoint_contracts(&definition, |_| true));
                }
            }
            Ok(known)
        })
    }
}

fn read_ahead(owner: &UserId, binding: &Binding, connector: StoredConnector) -> ReadAhead {
    let credential = binding.credential.as_ref();
    let source = connector.definition.bound_by(binding).health_subject(owner, credential);
    ReadAhead {
        credential: credential.map(ToString::to_string),
        source: Some(source.as_str().to_owned()),
    }
}

fn allowed(binding: &Binding, connector: &StoredConnector) -> Vec<(String, EndpointContract)> {
    let definition = connector.trusted(Some(binding));
    endpoint_contracts(&definition, |name| binding.permissions.allows(name))
}
