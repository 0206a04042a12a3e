//! What happens to connectors, as events.

use countersign_connector::{Announcer, Binding, SourceError, SourceFuture};
use countersign_identity::UserId;
use jiff::Timestamp;

use crate::events::{DomainEvent, EventBus};

impl Announcer for EventBus {
    fn auth_failed<'a>(
        &'a self,
        owner: &'a UserId,
        binding: &'a Binding,
        at: Timestamp,
    ) -> SourceFuture<'a, ()> {
        let event = auth_failed(owner, binding, at);
        Box::pin(async move {
            self.publish(&[event]).await.map_err(|error| Box::new(error) as SourceError)
        })
    }
}

fn auth_failed(owner: &UserId, binding: &Binding, at: Timestamp) -> DomainEvent {
    DomainEvent::new("connector.auth_failed", at)
        .about("owner", owner.as_str())
        .about("profile", binding.profile_id.as_str())
        .about("connector", binding.connector_id.as_str())
        .about("binding", binding.id.as_str())
}

#[cfg(test)]
mod tests {
    use countersign_connector::{
        Binding, BindingId, ConfigOverrides, ConnectorId, CredentialId, Health, Permissions,
    };
    use countersign_identity::UserId;
    use serde_json::json;

    use super::auth_failed;

    #[test]
    fn f_306_the_event_names_the_binding_and_no_credential() {
        let binding = Binding {
            id: BindingId::from_bytes([1; 16]),
            profile_id: "prof_1".to_owned(),
            connector_id: ConnectorId::parse("api").unwrap(),
            credential: Some(CredentialId::from_bytes([2; 16])),
            config_overrides: ConfigOverrides::default(),
            permissions: Permissions::default(),
            is_enabled: true,
            created_at: None,
            health: Health::Ok,
        };
        let owner = UserId::from_bytes([3; 16]);
        let event = auth_failed(&owner, &binding, "2026-03-04T05:06:07Z".parse().unwrap());
        let expect = json!({
            "v": 1,
            "kind": "connector.auth_failed",
            "at": "2026-03-04T05:06:07Z",
            "owner": owner.as_str(),
            "profile": "prof_1",
            "connector": "api",
            "binding": binding.id.as_str(),
        });
        assert_eq!(event.detail(), expect);
    }
}
