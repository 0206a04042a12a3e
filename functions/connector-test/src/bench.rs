//! Where a test finds connector and binding.

use std::sync::Arc;

use countersign_connector::{
    Binding, BindingId, ConfigOverrides, ConnectorId, ConnectorSource, Health, Permissions,
    SourceError, StoredConnector,
};
use countersign_identity::UserId;
use futures::future::BoxFuture;

/// Connectors as they are stored. Where no agent is named, a connector counts as bound, without a credential.
pub(crate) struct Bench {
    pub(crate) stored: Arc<dyn ConnectorSource>,
}

impl ConnectorSource for Bench {
    fn definition<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<Option<StoredConnector>, SourceError>> {
        self.stored.definition(owner, id)
    }

    fn binding<'a>(
        &'a self,
        owner: &'a UserId,
        profile: &'a str,
        connector: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<Option<Binding>, SourceError>> {
        if !profile.is_empty() {
            return self.stored.binding(owner, profile, connector);
        }
        let plain = Binding {
            id: BindingId::from_bytes([0; 16]),
            profile_id: String::new(),
            connector_id: connector.clone(),
            credential: None,
            config_overrides: ConfigOverrides::default(),
            permissions: Permissions::default(),
            is_enabled: true,
            health: Health::default(),
        };
        Box::pin(async move { Ok(Some(plain)) })
    }
}
